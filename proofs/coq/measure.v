(* What a witness comes to, whatever ε: the condition under which it proves its bound.

   A lower witness gives a rank k and a condition on t, and `lower_holds` says that the condition at t
   implies r_t ≥ k. An upper one gives a rank and the least t at which it holds. Each speaks of the centre Ã
   (then t = ε + ρ or t = ε − ρ) or of every member of the family (then t = ε). *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import ssrZ.
From mathcomp Require Import ring.
Require Import norms rank zmatrix.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Inductive condition :=
  | Below of Z & Z & Z & Z  (* Below a b c d:  a + b t + c t² < d *)
  | AtZero.                 (* t = 0 *)

(* At t = tn / td, td > 0. *)
Definition satisfied (c : condition) (tn td : Z) : bool :=
  match c with
  | Below a b c d => Z.ltb (a * (td * td) + (b * (tn * td) + c * (tn * tn)))%Z (d * (td * td))%Z
  | AtZero => Z.eqb tn Z0
  end.

(* error / denominator ≤ t *)
Definition reached (error denominator tn td : Z) : bool := Z.leb (error * td)%Z (tn * denominator)%Z.

(* Common denominators: W / q, where that is a positive whole number. *)
Definition divides (q W : Z) : bool := Z.ltb Z0 (W / q)%Z && Z.eqb (W / q * q)%Z W.

Definition idz (n : nat) (q : Z) : zmat :=
  mkseq (fun i => mkseq (fun j => if i == j then q else Z0) n) n.
Definition eqz : zmat -> zmat -> bool := all2 (all2 Z.eqb).

Local Open Scope ring_scope.

Section Measure.
Variable F : realFieldType.
Local Notation zF := (zF F).
Local Notation mx := (mx F).

Definition lower_holds (c : condition) m n (A : 'M[F]_(m, n)) (k : nat) : Prop :=
  forall t : F, 0 <= t ->
    match c with
    | Below a b c d => zF a + zF b * t + zF c * t ^+ 2 < zF d
    | AtZero => t == 0
    end -> reps_ge A t k.

Definition upper_holds (error denominator : Z) m n (A : 'M[F]_(m, n)) (k : nat) : Prop :=
  forall t : F, zF error <= t * zF denominator -> reps_le A t k.

Lemma satisfied_reps_ge c m n (A : 'M[F]_(m, n)) k tn td :
  lower_holds c A k -> (0 <=? tn)%Z -> (0 <? td)%Z -> satisfied c tn td -> reps_ge A (zF tn / zF td) k.
Proof.
move=> h /(zF_ge0 F) tn0 /(zF_gt0 F) td0 hc; apply: h; first by rewrite divr_ge0 // ltW.
case: c hc => [a b c d|] /= => [/(zF_lt F)|/Z.eqb_eq ->]; last by rewrite mul0r.
rewrite !zFE => lt; rewrite -(ltr_pmul2r (mulr_gt0 td0 td0)); apply: le_lt_trans lt.
rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite expr_div_n; field.
by rewrite gt_eqF.
Qed.

Lemma reached_reps_le e d m n (A : 'M[F]_(m, n)) k tn td :
  upper_holds e d A k -> (0 <? td)%Z -> reached e d tn td -> reps_le A (zF tn / zF td) k.
Proof.
move=> h /(zF_gt0 F) td0 /(zF_le F); rewrite !zFM => le; apply: h.
by rewrite mulrAC ler_pdivl_mulr.
Qed.

Lemma mx_common m n A q W : divides q W -> (0 <? q)%Z -> mx m n (scalez (W / q)%Z A) W = mx m n A q.
Proof. by case/andP => W0 /Z.eqb_eq {2}<- q0; rewrite mx_scalez. Qed.

Lemma zF_common x q W : divides q W -> (0 <? q)%Z -> zF (W / q * x)%Z / zF W = zF x / zF q.
Proof.
case/andP => /(zF_gt0 F) W0 /Z.eqb_eq eW /(zF_gt0 F) q0.
by rewrite -{2}eW !zFM; field; rewrite !gt_eqF.
Qed.

Lemma divides_gt0 q W : divides q W -> (0 <? q)%Z -> (0 <? W)%Z.
Proof. by case/andP => W0 /Z.eqb_eq <- q0; exact: zpos_mul. Qed.

Lemma eqzP A B : eqz A B -> A = B.
Proof.
have row (u v : zrow) : all2 Z.eqb u v -> u = v.
  by elim: u v => [|x u IH] [|y v] //= /andP[/Z.eqb_eq -> /IH ->].
by elim: A B => [|r A IH] [|s B] //= /andP[/row -> /IH ->].
Qed.

Lemma dims_idz n q : dims n n (idz n q).
Proof.
by rewrite /dims size_mkseq eqxx; apply/allP => _ /mapP[i _ ->]; rewrite size_mkseq.
Qed.

Lemma ent_idz n q (i j : 'I_n) : ent F (idz n q) i j = zF q *+ (i == j).
Proof. by rewrite /ent !nth_mkseq // -val_eqE; case: (val i == val j). Qed.

Lemma mx_idz n q W : mx n n (idz n q) W = (zF q / zF W)%:M.
Proof. by apply/matrixP => i j; rewrite !mxE ent_idz mulrnAl. Qed.

Lemma mx_idz1 n q : (0 <? q)%Z -> mx n n (idz n q) q = 1%:M.
Proof. by move=> /(zF_gt0 F) q0; rewrite mx_idz mulfV // gt_eqF. Qed.

End Measure.
