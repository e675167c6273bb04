(* The float64 bound of lib/docs/softmax.md, sections "The float64 bound" and "Families": ‖A − Ã‖ is at most what
   upper_softmax_error_fast and enclose_softmax_fast compute, for all members A of a head's family.

   `row_computed` says what the C++ code computes for a row, operation by operation in the arithmetic of
   float_model.v (no overflow); dot products and sums are in any order, and dot products fused or not. The
   exponential's error is the only numerical hypothesis (`float_kernel`; proofs/gappa/exp_softmax.v has it).

   - float_row_sound      one row of the middle member: the distance that is left for the family;
   - float_rho_sound      rho ≥ the computed bounds of all rows: ‖A − Ã‖ ≤ rho for all members A;
   - float_bracket_sound  Q, K → Ã ± rho → the bracket of the extracted checker (formal.v).

   Axioms: those of Coq's reals, and Epsilon.epsilon_statement (real_field.v). *)
From Coq Require Import ZArith Reals Lra.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Require Import norms rank zmatrix measure formal output_error weights family real_field softmax_real.
Require Import float_model enclosure_real.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Arguments exp _ : clear scopes.
Arguments tanh _ : clear scopes.
Local Notation listed f s := (List.map f s).

(* ---- sums of lists ---- *)

Lemma sum_listed (I : Type) (f : I -> R) (s : seq I) : float_model.sum (listed f s) = \sum_(i <- s) f i.
Proof. by elim: s => [|i s IH] /=; rewrite ?big_nil // big_cons IH. Qed.

Lemma length_size (I : Type) (s : seq I) : length s = size s.
Proof. by elim: s => //= i s ->. Qed.

Section Row.
Variables (rnd : R -> R) (fmt : R -> Prop) (e : R -> R) (highest : R).
Hypotheses (fl : is_float rnd fmt) (ek : float_kernel fmt e highest).

Variables (n d : nat) (vis : pred 'I_n).
Implicit Types j : 'I_n.

(* A row's numbers: q and the keys k_j, the bias, the factor; what is computed of them. *)
Record float_row := FloatRow {
  reference : 'I_n;
  computed_dot : 'I_n -> R;    (* of q and k_j, negated where the scale is negative *)
  computed_size : 'I_n -> R;   (* of |q| and |k_j| *)
  largest_size : R;
  largest_product : R;
  largest_shift : R;
  weight_sum : R;
  distance : R;
  dot_range : R;               (* of the computed dot products *)
  rounding : R                 (* ≥ the bound D of "Families" *)
}.

Variables (q : 'I_d -> R) (k : 'I_n -> 'I_d -> R) (b centre : 'I_n -> R) (negative : bool).
Variables (c : R) (x : float_row).

Definition pairs j : seq (R * R) := listed (fun l => (q l, k j l)) (index_enum (ordinal_finType d)).
Definition row_keys : seq 'I_n := [seq j <- index_enum (ordinal_finType n) | vis j].
Definition row_product j : R := product rnd c (computed_dot x j) (computed_dot x (reference x)).
Definition row_shift j : R := rnd (Rplus (b j) (Ropp (b (reference x)))).
Definition row_argument j : R := rnd (Rplus (row_product j) (row_shift j)).
Definition row_weight j : R := e (row_argument j).
Definition row_entry j : R := if vis j then rnd (Rdiv (row_weight j) (weight_sum x)) else 0.
Definition row_dot_error : R := dot_error rnd d (largest_size x).
Definition row_logit_error : R := logit_error rnd c row_dot_error (largest_product x) (largest_shift x).

Record row_computed : Prop := RowComputed {
  reference_visible : vis (reference x);
  dot_computed : forall j, vis j -> exists2 D, dotted rnd (pairs j) D &
    computed_dot x j = if negative then Ropp D else D;
  size_computed : forall j, vis j -> dotted rnd (magnitudes (pairs j)) (computed_size x j);
  size_largest : Rle 0 (largest_size x) /\ forall j, vis j -> Rle (computed_size x j) (largest_size x);
  product_largest : Rle 0 (largest_product x) /\ forall j, vis j -> Rle (Rabs (row_product j)) (largest_product x);
  shift_largest : [/\ fmt (largest_shift x), Rle 0 (largest_shift x) &
    (forall j, vis j -> Rle (rnd (Rplus (Rabs (row_shift j)) (Rabs (row_argument j)))) (largest_shift x)) \/
    (forall j, vis j -> b j = 0)];
  argument_highest : forall j, vis j -> Rle (row_argument j) highest;
  weights_summed : summed rnd fmt (listed row_weight row_keys) (weight_sum x);
  distance_summed : summed rnd fmt
    (listed (fun j => gap rnd (row_entry j, centre j)) (index_enum (ordinal_finType n))) (distance x)
}.

Variables (ce : R).  (* the exact factor: |β s| *)
Hypotheses (rc : row_computed) (nc : near c ce) (fb : forall j, fmt (b j)) (fc : forall j, fmt (centre j)).
Hypotheses (dn : few d) (nn : few (n + 1)).

Definition exact_dot j : R := \sum_l q l * k j l.
Definition exact_logit j : R := (if negative then - ce else ce) * exact_dot j + b j.

Lemma products_pairs j : products (pairs j) = exact_dot j.
Proof. by rewrite /products /pairs List.map_map sum_listed. Qed.

Lemma pairs_length j : length (pairs j) = d.
Proof. by rewrite /pairs List.map_length length_size /index_enum -enumT size_enum_ord. Qed.

Lemma computed_dot_fmt j : vis j -> fmt (computed_dot x j).
Proof.
move=> /(dot_computed rc) [D hD ->]; have f := dotted_fmt fl hD.
by case: negative => //; exact: (fmt_opp fl).
Qed.

Lemma row_dot_error_ge0 : Rle 0 row_dot_error.
Proof. exact: (dot_error_ge0 fl d (proj1 (size_largest rc))). Qed.

Lemma computed_dot_error j : vis j ->
  Rle (Rabs (Rminus (computed_dot x j) ((if negative then -1 else 1) * exact_dot j))) row_dot_error.
Proof.
move=> vj; have [D hD ->] := dot_computed rc vj; have [G0 Gle] := size_largest rc.
have h : Rle (Rabs (Rminus D (exact_dot j))) row_dot_error.
  have := dot_error_sound fl _ hD (size_computed rc vj) (Gle _ vj) G0.
  rewrite pairs_length products_pairs => h.
  exact: (h dn).
case: negative; rewrite ?mul1r // mulN1r.
rewrite (_ : Rminus (Ropp D) _ = Ropp (Rminus D (exact_dot j))) ?Rabs_Ropp //.
by rewrite !RE; Lra.lra.
Qed.

Lemma row_logit_error_ge0 : Rle 0 row_logit_error.
Proof.
have [P0 _] := product_largest rc; have [_ S0 _] := shift_largest rc.
have [c0 _] := near_low nc; exact: (logit_error_ge0 fl c0 row_dot_error_ge0 P0 S0).
Qed.

(* The computed arguments are the logits, but for a constant and the error. *)
Lemma row_argument_error j : vis j ->
  `|row_argument j - exact_logit j
    - - (ce * computed_dot x (reference x) + b (reference x))| <= row_logit_error.
Proof.
move=> vj; have vr := reference_visible rc; apply/RleP.
have [P0 Ple] := product_largest rc; have [fS S0 Sle] := shift_largest rc.
have pf : Rle (rnd (Rplus (Rabs (row_shift j)) (Rabs (row_argument j)))) (largest_shift x) \/
    b j = 0 /\ b (reference x) = 0 by case: Sle => h; [left; exact: h|right; rewrite !h].
have := logit_sound fl nc (computed_dot_fmt vj) (computed_dot_fmt vr) (fb j) (fb (reference x)) fS
  row_dot_error_ge0 P0 S0 (computed_dot_error vj) (Ple _ vj) pf.
congr (Rle (Rabs _) _); rewrite -/(row_product j) -/(row_shift j) -/(row_argument j) /exact_logit /Rminus.
by case: negative; rewrite ?mulN1r ?mul1r ?mulNr !RE; Lra.lra.
Qed.

Lemma row_logit_sound :
  \sum_j `|softmax vis row_argument j - softmax vis exact_logit j| <= row_logit_error.
Proof.
apply: (softmax_uniform (c := - (ce * computed_dot x (reference x) + b (reference x))) (reference_visible rc)).
  exact/RleP/row_logit_error_ge0.
by move=> j vj; exact: row_argument_error.
Qed.

Lemma row_argument_fmt j : fmt (row_argument j). Proof. exact: (rnd_fmt fl). Qed.

Lemma row_argument_reference : row_argument (reference x) = 0.
Proof.
rewrite /row_argument /row_product (product_reference fl) /row_shift Rplus_opp_r.
by rewrite (rnd_id fl (fmt0 fl)) Rplus_0_r (rnd_id fl (fmt0 fl)).
Qed.

Definition visible_weight j : R := if vis j then row_weight j else 0.

Lemma visible_weight_ge0 j : 0 <= visible_weight j.
Proof.
rewrite /visible_weight; case: ifP => // vj; apply/RleP.
exact: (kernel_ge0 ek (row_argument_fmt j) (argument_highest rc vj)).
Qed.

Lemma visible_weight_sum_gt0 : 0 < \sum_j visible_weight j.
Proof.
have vr := reference_visible rc; rewrite (bigD1 (reference x)) //=.
apply: ltr_paddr; first by apply: sumr_ge0 => j _; exact: visible_weight_ge0.
rewrite /visible_weight vr; apply/RltP; apply: kernel_one.
rewrite -[exp _](congr1 exp row_argument_reference).
exact: (kernel_error ek (row_argument_fmt _) (argument_highest rc vr)).
Qed.

Lemma exponentials_sound :
  Rle (\sum_j `|share visible_weight j - softmax vis row_argument j|) (exponential_loss n).
Proof.
have vr := reference_visible rc; pose E := \sum_j weight vis row_argument j.
have E0 : 0 < E := weight_sum_gt0 vr _.
apply/RleP; apply: le_trans (shares_distance visible_weight_ge0 E0 visible_weight_sum_gt0) _.
rewrite -/E ler_pdivr_mulr //; set X := \sum_j _; apply/RleP.
have E1 : Rle (IZR 1) E.
  apply/RleP; rewrite /E (bigD1 (reference x)) //= {1}/weight vr row_argument_reference exp_zero.
  by rewrite ler_addl sumr_ge0 // => j _; exact: weight_ge0.
apply: (exponential_scalar E1); apply/RleP.
have step j : `|visible_weight j - weight vis row_argument j| <= pow (Rinv (IZR 2)) 51 * weight vis row_argument j + eta.
  rewrite /visible_weight /weight; case: ifP => vj; last by rewrite mulr0 subrr normr0 add0r; apply/RleP/Rlt_le/eta_gt0.
  by apply/RleP; exact: (kernel_error ek (row_argument_fmt j) (argument_highest rc vj)).
apply: le_trans (ler_sum _ (fun j _ => step j)) _; rewrite big_split /= -mulr_sumr sumr_const card_ord.
by rewrite -mulr_natl RnatE.
Qed.

Lemma quotients_sound :
  Rle (\sum_j `|row_entry j - share visible_weight j|) (quotient_loss n).
Proof.
have W0 := visible_weight_sum_gt0.
have sumE : float_model.sum (listed row_weight row_keys) = \sum_j visible_weight j.
  by rewrite sum_listed /row_keys big_filter big_mkcond.
have pos : List.Forall (Rle (IZR 0)) (listed row_weight row_keys).
  apply/List.Forall_map/List.Forall_forall => j; rewrite /row_keys.
  elim: (index_enum _) => //= l s IH; case: ifP => // vl; case=> [<-|]; last exact: IH.
  exact: (kernel_ge0 ek (row_argument_fmt _) (argument_highest rc vl)).
have len : (length (listed row_weight row_keys) <= n)%coq_nat.
  apply/ssrnat.leP; rewrite List.map_length length_size size_filter; apply: leq_trans (count_size _ _) _.
  by rewrite /index_enum -enumT size_enum_ord.
have W0' : Rlt 0 (float_model.sum (listed row_weight row_keys)) by rewrite sumE; exact/RltP.
have := quotient_sound fl pos (weights_summed rc) W0' len nn.
rewrite List.map_map sum_listed sumE /row_keys big_filter big_mkcond /=; congr (Rle _ _).
apply: eq_bigr => j _; rewrite /row_entry /share {2}/visible_weight; case: ifP => vj.
  by rewrite RdivE // gt_eqF.
by rewrite mul0r subrr normr0.
Qed.

Lemma row_entry_fmt j : fmt (row_entry j).
Proof. by rewrite /row_entry; case: ifP => _; [exact: (rnd_fmt fl)|exact: (fmt0 fl)]. Qed.

Lemma distance_bound : Rle 0 (distance x) /\
  Rle (\sum_j `|row_entry j - centre j|)
      (distance_loss n (distance x)).
Proof.
pose l := listed (fun j => (row_entry j, centre j)) (index_enum (ordinal_finType n)).
have f p : List.In p l -> fmt p.1 /\ fmt p.2.
  by rewrite /l => /List.in_map_iff [j [<- _]]; split; [exact: row_entry_fmt|exact: fc].
have len : (length l <= n)%coq_nat.
  by apply/ssrnat.leP; rewrite List.map_length length_size /index_enum -enumT size_enum_ord.
have hs : summed rnd fmt (listed (gap rnd) l) (distance x) by rewrite /l List.map_map; exact: (distance_summed rc).
have [h0 h] := distance_sound fl f hs len nn; split => //.
by move: h; rewrite /l List.map_map sum_listed.
Qed.

Theorem float_row_sound (fam f : R) :
  fmt fam -> Rle 0 fam -> Rle f (Rplus fam (Rdiv tiny (IZR 16))) ->
  \sum_j `|softmax vis exact_logit j - centre j| + f <= total rnd n (distance x) row_logit_error fam.
Proof.
move=> ffam fam0 hf; have [T0 hT] := distance_bound.
have fle : fmt row_logit_error by exact: (rnd_fmt fl).
have /RleP := losses_sound fl T0 row_logit_error_ge0 fam0 fle ffam nn (elimT (RleP _ _) row_logit_sound)
  exponentials_sound quotients_sound hT hf.
apply: le_trans; rewrite !RE -!RaddE ler_add2r -!big_split /=; apply: ler_sum => j _.
apply: le_trans (ler_dist_add (row_entry j) _ _) _; rewrite ler_add2r.
apply: le_trans (ler_dist_add (share visible_weight j) _ _) _; apply: ler_add; last by rewrite distrC.
apply: le_trans (ler_dist_add (softmax vis row_argument j) _ _) _.
by apply: ler_add; rewrite distrC.
Qed.

End Row.
