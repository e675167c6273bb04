(* The float64 bound of softmax (proofs/coq/float_real.v) with nothing numerical left to assume: binary64 rounded to
   nearest is an arithmetic as that file asks for, and the kernel of exp_kernel.v an exponential.

   - binary64                the rounding of Flocq's binary64 format, without an upper limit, is_float;
   - binary64_kernel         the kernel keeps the bounds that float_kernel asks for;
   - softmax_bracket_sound   Q, K → Ã ± ρ → the bracket of the extracted checker, for the kernel itself. *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core Relative.
From ExpKernel Require Import exp_constants exp_kernel.
Require float_model.
Open Scope R_scope.

Lemma half_bpow n : (/ 2) ^ n = pow2 (- Z.of_nat n).
Proof.
induction n as [|n IH]; [reflexivity|].
replace (- Z.of_nat (S n))%Z with (-1 + - Z.of_nat n)%Z by lia.
rewrite bpow_plus, <- IH; reflexivity.
Qed.

Lemma u_bpow : float_model.u = pow2 (-53).
Proof. unfold float_model.u; simpl bpow; lra. Qed.

Theorem binary64 : float_model.is_float rnd F.
Proof.
split.
- apply F_rnd.
- apply rnd_F.
- intros x; rewrite u_bpow; unfold float_model.eta; rewrite half_bpow; change (- Z.of_nat 1074)%Z with (-1074)%Z.
  assert (P := bpow_gt_0 radix2 (-1074)); assert (P' := bpow_gt_0 radix2 (-53)); assert (A := Rabs_pos x).
  destruct (Rlt_or_le (Rabs x) (pow2 (-1022))) as [h|h].
    apply Rle_trans with (pow2 (-1075)).
      apply rnd_small; apply Rlt_trans with (1 := h); apply bpow_lt; lia.
    assert (pow2 (-1075) <= pow2 (-1074)) by (apply bpow_le; lia).
    assert (0 <= pow2 (-53) * Rabs x) by (apply Rmult_le_pos; lra); lra.
  assert (E := relative_error_N_FLT radix2 (-1074) 53 ltac:(lia) (fun x => negb (Z.even x)) x h).
  assert (H : / 2 * pow2 (- (53) + 1) = pow2 (-53)) by (change (/ 2) with (pow2 (-1)); rewrite <- bpow_plus; reflexivity).
  rewrite H in E.
  apply Rle_trans with (pow2 (-53) * Rabs x); [exact E|lra].
- intros x y; rewrite u_bpow; apply rnd_sum.
- intros x y h; apply round_le; [apply FLT_exp_valid; reflexivity|apply valid_rnd_N|exact h].
- apply generic_format_0.
- intros n h; rewrite half_bpow; apply F_pow2; lia.
- replace 2 with (pow2 1) by (simpl; lra); apply F_pow2; lia.
- apply generic_format_opp.
Qed.

Theorem binary64_kernel : float_model.float_kernel F kernel Highest.
Proof.
split; intros x Fx h.
- unfold kernel; case Rlt_bool_spec; intros; [apply generic_format_0|].
  case Rlt_bool_spec; intros; apply F_rnd.
- apply (exp_kernel_finite x Fx h).
- assert (P := exp_pos x); assert (T := float_model.eta_gt0).
  rewrite half_bpow; change (- Z.of_nat 51)%Z with (-51)%Z; assert (P' := bpow_gt_0 radix2 (-51)).
  destruct (Rlt_or_le (exp x) (pow2 (-1022))) as [e|e].
    assert (E := exp_kernel_gradual x Fx e).
    assert (eq : float_model.eta = pow2 (-1074)) by (exact (half_bpow 1074)).
    rewrite eq; assert (0 <= pow2 (-51) * exp x) by (apply Rmult_le_pos; lra); lra.
  assert (E := exp_kernel_normal x Fx h e); lra.
Qed.

(* ---- the chain ---- *)

From mathcomp Require Import all_ssreflect all_algebra.
Require Import norms rank zmatrix measure formal real_field softmax_real enclosure_real float_model float_real.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Local Notation zR := (zF R_realField).

Theorem softmax_bracket_sound (P : problem) d (h : head (rows P) (cols P) d) (c half_width largest : R)
    (xs : 'I_(rows P) -> float_row (cols P)) (ws : seq witness) (en ed : Z) (A : 'M[R]_(rows P, cols P)) :
  let centre := mx R_realField (rows P) (cols P) (centre P) (denominator P) in
  well_formed P -> (0 <=? en)%Z -> (0 <? ed)%Z ->
  (if members P is Softmax V then forall i j, visible h i j = nth false (nth [::] V i) j else True) ->
  0 <= beta_low h -> factors_approximated exp_kernel.rnd h c half_width largest ->
  (forall i j, F (bias h i j)) -> (forall i j, F (centre i j)) -> few d -> few (cols P + 1) ->
  (forall i, float_row_computed exp_kernel.rnd F exp_kernel.kernel Highest h centre c xs i) ->
  (forall i, exists2 fam, family_computed exp_kernel.rnd h half_width largest xs i fam &
     float_row_total exp_kernel.rnd d c xs i fam <= zR (rho_num P) / zR (rho_den P)) ->
  head_member h A ->
  let b := bracket P [seq measure_witness P w | w <- ws] en ed in
  reps_ge A (zR en / zR ed) b.1 /\ reps_le A (zR en / zR ed) b.2.
Proof.
move=> C wf en0 ed0 same beta0 hf fb fc dn nn hr le hA.
exact: (float_bracket_sound ws binary64 binary64_kernel wf en0 ed0 same beta0 hf fb fc dn nn hr le hA).
Qed.

Print Assumptions softmax_bracket_sound.
