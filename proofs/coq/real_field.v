(* The real numbers of Coq's standard library as a realFieldType, so that all theorems over an ordered field
   hold of them. Assumed: what Coq's reals assume, and one more, Epsilon.epsilon_statement: MathComp's fields
   come with a choice function for Boolean predicates, which the reals have by the axiom of choice only.

   - R_realField              the structure (canonical); its operations and order are those of Reals:
   - RleP, RltP               reflect x ≤ y and x < y;
   - RnormE, RnatE            |x| is Rabs x; n%:R is INR n;
   - RdivE                    x / y is Rdiv x y. *)
From Coq Require Import Reals Epsilon FunctionalExtensionality.
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Section Structure.
Local Open Scope R_scope.

Definition eqr (x y : R) : bool := if Req_EM_T x y then true else false.
Lemma eqrP : Equality.axiom eqr.
Proof. by move=> x y; rewrite /eqr; case: Req_EM_T => h; constructor. Qed.
Canonical R_eqType := Eval hnf in EqType R (EqMixin eqrP).

(* Some member of P, the same for equal P, if there is one. *)
Definition pick_real (P : pred R) (_ : nat) : option R :=
  let x := epsilon (inhabits 0) (fun x => P x) in if P x then Some x else None.
Lemma pick_real_some P n x : pick_real P n = Some x -> P x.
Proof. by rewrite /pick_real; case: ifP => // h [<-]. Qed.
Lemma pick_real_ex (P : pred R) : (exists x, P x) -> exists n, pick_real P n.
Proof. by move=> /(epsilon_spec (inhabits 0)) h; exists 0%N; rewrite /pick_real h. Qed.
Lemma pick_real_ext P Q : P =1 Q -> pick_real P =1 pick_real Q.
Proof. by move=> /functional_extensionality ->. Qed.
Canonical R_choiceType := Eval hnf in ChoiceType R (Choice.Mixin pick_real_some pick_real_ex pick_real_ext).

Lemma Raddm : associative Rplus. Proof. by move=> *; rewrite Rplus_assoc. Qed.
Lemma Rmulm : associative Rmult. Proof. by move=> *; rewrite Rmult_assoc. Qed.
Canonical R_zmodType := Eval hnf in ZmodType R (ZmodMixin Raddm Rplus_comm Rplus_0_l Rplus_opp_l).
Lemma Rone_neq0 : R1 != R0 :> R. Proof. apply/eqP; exact: R1_neq_R0. Qed.
Canonical R_ringType := Eval hnf in RingType R
  (RingMixin Rmulm Rmult_1_l Rmult_1_r Rmult_plus_distr_r Rmult_plus_distr_l Rone_neq0).
Canonical R_comRingType := Eval hnf in ComRingType R Rmult_comm.

Definition Rinvm (x : R) : R := if x == 0 then 0 else / x.
Lemma Rmul_inv (x : R) : x != 0 -> Rinvm x * x = 1.
Proof. by rewrite /Rinvm => h; rewrite (negPf h); apply: Rinv_l; exact/eqP. Qed.
Lemma Rinv_zero : Rinvm 0 = 0. Proof. by rewrite /Rinvm eqxx. Qed.
Definition R_unitRingMixin := Eval hnf in FieldUnitMixin Rmul_inv Rinv_zero.
Canonical R_unitRingType := Eval hnf in UnitRingType R R_unitRingMixin.
Canonical R_comUnitRingType := Eval hnf in [comUnitRingType of R].
Lemma R_field_axiom : GRing.Field.mixin_of R_unitRingType. Proof. by []. Qed.
Canonical R_idomainType := Eval hnf in IdomainType R (FieldIdomainMixin R_field_axiom).
Canonical R_fieldType := Eval hnf in FieldType R R_field_axiom.

Definition leb (x y : R) : bool := if Rle_dec x y then true else false.
Definition ltb (x y : R) : bool := if Rlt_dec x y then true else false.
Lemma lebP x y : reflect (x <= y) (leb x y).
Proof. by rewrite /leb; case: Rle_dec => h; constructor. Qed.
Lemma ltbP x y : reflect (x < y) (ltb x y).
Proof. by rewrite /ltb; case: Rlt_dec => h; constructor. Qed.

Lemma leb_add x y : leb 0 x -> leb 0 y -> leb 0 (x + y).
Proof. by move=> /lebP x0 /lebP y0; apply/lebP; exact: Rplus_le_le_0_compat. Qed.
Lemma leb_mul x y : leb 0 x -> leb 0 y -> leb 0 (x * y).
Proof. by move=> /lebP x0 /lebP y0; apply/lebP; exact: Rmult_le_pos. Qed.
Lemma leb_anti x : leb 0 x -> leb x 0 -> x = 0.
Proof. by move=> /lebP x0 /lebP x0'; exact: Rle_antisym. Qed.
Lemma leb_sub x y : leb 0 (y - x) = leb x y.
Proof. by apply/lebP/lebP; Lra.lra. Qed.
Lemma leb_total0 x : leb 0 x || leb x 0.
Proof. by case: (Rle_lt_dec 0 x) => [/lebP -> //|/Rlt_le /lebP ->]; rewrite orbT. Qed.
Lemma leb_norm x : leb 0 x -> Rabs x = x.
Proof. by move=> /lebP; exact: Rabs_pos_eq. Qed.
Lemma ltb_def x y : ltb x y = (y != x) && leb x y.
Proof.
apply/ltbP/andP => [h|[/eqP h /lebP h']]; last by case: h' => // e; case: h.
by split; [apply/eqP|apply/lebP]; Lra.lra.
Qed.
End Structure.

Definition R_leMixin : realLeMixin R_idomainType :=
  RealLeMixin leb_add leb_mul leb_anti leb_sub leb_total0 Rabs_Ropp leb_norm ltb_def.
Lemma R_total : totalPOrderMixin (POrderType ring_display R R_leMixin).
Proof. exact: R_leMixin. Qed.
Canonical R_porderType := POrderType ring_display R R_leMixin.
Canonical R_latticeType := LatticeType R R_leMixin.
Canonical R_distrLatticeType := DistrLatticeType R R_leMixin.
Canonical R_orderType := OrderType R R_total.
Canonical R_numDomainType := NumDomainType R R_leMixin.
Canonical R_normedZmodType := NormedZmodType R R R_leMixin.
Canonical R_numFieldType := [numFieldType of R].
Canonical R_realDomainType := [realDomainType of R].
Canonical R_realField := [realFieldType of R].

Local Open Scope ring_scope.
Implicit Types x y : R.

Lemma RleP x y : reflect (Rle x y) (x <= y). Proof. exact: lebP. Qed.
Lemma RltP x y : reflect (Rlt x y) (x < y). Proof. exact: ltbP. Qed.
Lemma R0E : 0 = IZR 0 :> R. Proof. by []. Qed.
Lemma R1E : 1 = IZR 1 :> R. Proof. by []. Qed.
Lemma RaddE x y : x + y = Rplus x y. Proof. by []. Qed.
Lemma RoppE x : - x = Ropp x. Proof. by []. Qed.
Lemma RmulE x y : x * y = Rmult x y. Proof. by []. Qed.
Lemma RnormE x : `|x| = Rabs x. Proof. by []. Qed.
Lemma RinvE x : x != 0 -> x^-1 = Rinv x.
Proof. by move=> /negPf h; rewrite [LHS]/(Rinvm x) /Rinvm h. Qed.
Lemma RdivE x y : y != 0 -> x / y = Rdiv x y.
Proof. by move=> /RinvE ->. Qed.
Lemma RnatE n : n%:R = INR n :> R.
Proof. by elim: n => // n IH; rewrite mulrSr IH S_INR. Qed.

Definition RE := (R0E, R1E, RaddE, RoppE, RmulE, RnormE, RnatE).

(* From the field's notation to Coq's, for goals that lra, nra or field of Coq's reals should see. *)
Ltac to_reals :=
  repeat match goal with
  | |- is_true (@Order.le _ _ _ _) => apply/RleP
  | |- is_true (@Order.lt _ _ _ _) => apply/RltP
  | h : is_true (@Order.le _ _ _ _) |- _ => move/RleP in h
  | h : is_true (@Order.lt _ _ _ _) |- _ => move/RltP in h
  end; rewrite ?RE.
