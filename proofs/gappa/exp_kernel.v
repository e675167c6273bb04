(* The float64 exponential of lib/src/rigor/exp_kernel.cpp keeps its bounds.

   [kernel] is the C++ function [exp_of], operation by operation, with Flocq's rounding to nearest (ties to even)
   to the format of binary64 without an upper limit; its constants are read from the C++ file. The theorem is
   [exp_kernel_correct] at the end. On the way

   * gappa_reduction: Gappa's proof, checked here, that k is an integer and R = x - k ln 2 is small;
   * gappa_relative, gappa_low, gappa_below: Gappa's bounds of the computed 1 + tail against exp R;
   * ln2_error, polynomial_error: what Gappa was told of ln 2 and of the polynomial, by interval arithmetic;
   * scaling by powers of two, gradual underflow and overflow: by hand.

   That no intermediate result overflows is plain from their sizes: |x| <= 745, |k| <= 1075, |tail| < 1/2, and
   the last sum is at most half of the largest number (exp_kernel_finite). *)

From Coq Require Import Reals ZArith Lra Lia Classical.
From Flocq Require Import Core Plus_error Mult_error.
From Interval Require Import Specific_stdz Specific_ops Tactic.
Require Import Gappa.Gappa_library.
From ExpKernel Require Import exp_constants.
From ExpKernel Require gappa_reduction gappa_relative gappa_below gappa_low.
Open Scope R_scope.

(* Interval arithmetic on Coq's own integers: no axiom about machine integers. *)
Module IntegerFloat := SpecificFloat StdZRadix2.
Module IntegerInterval := IntervalTactic IntegerFloat.
Import IntegerInterval.

#[local] Instance precision : Prec_gt_0 53 := eq_refl.
Notation F := (generic_format radix2 (FLT_exp (-1074) 53)).
Definition rnd : R -> R := round radix2 (FLT_exp (-1074) 53) ZnearestE.
Notation pow2 := (bpow radix2).

(* The operations of the C++ code, in its order. *)
Definition shifted (x : R) : R := rnd (rnd (x * InverseLn2) + RoundToInteger).
Definition k_float (x : R) : R := rnd (shifted x - RoundToInteger).
Definition reduced (x k : R) : R := rnd (rnd (x - rnd (k * Ln2High)) - rnd (k * Ln2Low)).
Definition step (r c a : R) : R := rnd (c + rnd (r * a)).
Definition series (r : R) : R :=
  step r C2 (step r C3 (step r C4 (step r C5 (step r C6 (step r C7 (step r C8 (step r C9 (step r C10 C11)))))))).
Definition tail (r : R) : R := rnd (r + rnd (rnd (r * r) * series r)).
(* Powers of two are made from the bits of [shifted], which is RoundToInteger + k. *)
Definition k_int (x : R) : Z := Zfloor (shifted x - RoundToInteger).
Definition normal (k : Z) (v : R) : R := rnd (2 * rnd (rnd (pow2 (k - 1) * v) + pow2 (k - 1))).
Definition gradual (k : Z) (v : R) : R :=
  rnd (rnd (rnd (pow2 (k + 128) * v) * pow2 (-128)) + rnd (pow2 (k + 128) * pow2 (-128))).
Definition kernel (x : R) : R :=
  let v := tail (reduced x (k_float x)) in
  if Rlt_bool x Zero then 0 else if Rlt_bool x Gradual then gradual (k_int x) v else normal (k_int x) v.

(* ---- numbers ---- *)

Ltac constants := unfold InverseLn2, Ln2High, Ln2Low, RoundToInteger, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, Zero, Gradual, Highest, F2R in *; cbn [Defs.Fnum Defs.Fexp] in *.
Ltac float2 := unfold float2R, F2R; cbn -[IZR Rabs].

Lemma ln2_error : -1/2^89 <= ln 2 - (Ln2High + Ln2Low) <= 1/2^89.
Proof. constants; simpl bpow; split; interval with (i_prec 200). Qed.

Definition Q (r : R) : R :=
  C2 + r * (C3 + r * (C4 + r * (C5 + r * (C6 + r * (C7 + r * (C8 + r * (C9 + r * (C10 + r * C11)))))))).

Lemma polynomial_error : forall r, -0.3468 <= r <= 0.3468 ->
  Rabs ((1 + (r + r * r * Q r) - exp r) / exp r) <= 17.6/10^18.
Proof.
intros r Hr; unfold Q; constants; simpl bpow.
interval with (i_bisect r, i_taylor r, i_degree 10, i_prec 75).
Qed.

(* ---- the reduction ---- *)

Lemma Rabs_both a b : Rabs a <= b -> -b <= a <= b.
Proof. unfold Rabs; destruct (Rcase_abs a); lra. Qed.

Lemma reduction : forall x, F x -> -744.77 <= x <= 710 ->
  shifted x = RoundToInteger + IZR (k_int x) /\ k_float x = IZR (k_int x) /\
  Rabs (IZR (k_int x) - x * InverseLn2) <= 0.5001 /\ Rabs (x - IZR (k_int x) * ln 2) <= 0.3468.
Proof.
intros x Fx Hx.
assert (Ex : rnd x = x) by (apply round_generic; [apply valid_rnd_N | exact Fx]).
assert (Hl := ln2_error).
assert (Hyp : gappa_reduction.s2 x (ln 2)).
  unfold gappa_reduction.s2, BND, gappa_reduction.i1, gappa_reduction.i2, gappa_reduction.f1,
    gappa_reduction.f2, gappa_reduction.f3, gappa_reduction.f4.
  split; [float2; lra | revert Hl; constants; float2; lra].
assert (L : gappa_reduction.s1 x (ln 2) -> False).
  apply gappa_reduction.l1; try change (Float1 1) with 1; ring.
unfold gappa_reduction.s1, gappa_reduction.s3, gappa_reduction.s4, gappa_reduction.s5, gappa_reduction.s6,
  gappa_reduction.s7, gappa_reduction.s8, gappa_reduction.s9 in L.
change (round radix2 (FLT_exp (-1074) 53) rndNE) with rnd in L.
rewrite Ex in L.
assert (Fixed : FIX (k_float x) 0) by (apply NNPP; intros N; apply L; split; [exact Hyp | left; left; left; exact N]).
assert (Exact : BND (k_float x - (shifted x - RoundToInteger)) gappa_reduction.i3)
  by (apply NNPP; intros N; apply L; split; [exact Hyp | left; left; right; exact N]).
assert (Near : BND (Rabs (k_float x - x * InverseLn2)) gappa_reduction.i4)
  by (apply NNPP; intros N; apply L; split; [exact Hyp | left; right; exact N]).
assert (Small : BND (Rabs (x - k_float x * ln 2)) gappa_reduction.i5)
  by (apply NNPP; intros N; apply L; split; [exact Hyp | right; exact N]).
clear L Hyp.
assert (Same : k_float x = shifted x - RoundToInteger).
  revert Exact; unfold BND, gappa_reduction.i3, gappa_reduction.f5; float2; lra.
destruct Fixed as (f, (Hf, He)).
assert (K : k_float x = IZR (k_int x)).
  unfold k_int; rewrite <- Same.
  assert (I : k_float x = IZR (Fnum f * 2 ^ Fexp f)).
    rewrite <- Hf; unfold float2R, F2R; cbn -[IZR]; rewrite mult_IZR; f_equal.
    symmetry; apply (IZR_Zpower radix2); exact He.
  rewrite I, Zfloor_IZR; reflexivity.
rewrite <- K, Same.
split; [ring | split; [reflexivity | rewrite <- Same; split]].
- revert Near; unfold BND, gappa_reduction.i4, gappa_reduction.f5, gappa_reduction.f6; float2; lra.
- revert Small; unfold BND, gappa_reduction.i5, gappa_reduction.f5, gappa_reduction.f7; float2; lra.
Qed.

(* ---- what the rounding of the polynomial does ---- *)

Lemma value_hypotheses : forall x, F x -> -744.77 <= x <= 710 ->
  let k := IZR (k_int x) in let R := x - k * ln 2 in let E := exp R in
  rnd x = x /\ -0.3468 <= R <= 0.3468 /\ 0.701 <= E <= 1.419 /\ Rabs k <= 1075 /\
  Rabs ((1 + (R + R * R * Q R) - E) / E) <= 17.6/10^18.
Proof.
intros x Fx Hx k R E.
destruct (reduction x Fx Hx) as (_ & _ & Near & Small); fold k in Near, Small; fold R in Small.
assert (HR := Rabs_both _ _ Small).
assert (HE : 0.701 <= E <= 1.419).
  unfold E; revert HR; generalize R; intros r Hr; split; interval with (i_prec 64).
split; [apply round_generic; [apply valid_rnd_N | exact Fx] | ].
split; [lra | split; [exact HE | split]].
- apply Rabs_both in Near.
  assert (HI : 1.44269 <= InverseLn2 <= 1.442696) by (constants; simpl bpow; lra).
  assert (HP : -1074.49 <= x * InverseLn2 <= 1024.4).
    split.
      apply Rle_trans with (-744.77 * InverseLn2); [lra | apply Rmult_le_compat_r; lra].
      apply Rle_trans with (710 * InverseLn2); [apply Rmult_le_compat_r; lra | lra].
  apply Rabs_le; lra.
- unfold E; apply polynomial_error; lra.
Qed.


Lemma exponent_integer : forall z, FIX (IZR z) 0.
Proof. intros z; exists (Float2 z 0); split; [unfold float2R, F2R; cbn -[IZR]; ring | cbn; lia]. Qed.

Ltac bounds_relative := unfold BND, gappa_relative.i1, gappa_relative.i2, gappa_relative.i3, gappa_relative.i4, gappa_relative.i5, gappa_relative.i6, gappa_relative.i7, gappa_relative.f1, gappa_relative.f2, gappa_relative.f3, gappa_relative.f4, gappa_relative.f5, gappa_relative.f6, gappa_relative.f7, gappa_relative.f8, gappa_relative.f9, gappa_relative.f10, gappa_relative.f11, gappa_relative.f12, gappa_relative.f13 in *; float2.

Lemma value_relative : forall x, F x -> -744.77 <= x <= 710 ->
  let R := x - IZR (k_int x) * ln 2 in let E := exp R in 
  Rabs (1 + tail (reduced x (IZR (k_int x))) - E) <= 1.99/10^16 * E.
Proof.
intros x Fx Hx R E.
destruct (value_hypotheses x Fx) as (Ex & HR & HE & Hk & Hp); [lra |]; fold R in HR, HE, Hp; fold E in HE, Hp.
assert (Hl := ln2_error).
apply Rabs_both in Hp.
assert (G : Rabs ((1 + tail (reduced x (IZR (k_int x))) - E) / E) <= 1.99/10^16).
  destruct (Rle_or_lt (Rabs ((1 + tail (reduced x (IZR (k_int x))) - E) / E)) (1.99/10^16)) as [H1|H1]; [exact H1 | exfalso].
  refine (gappa_relative.l1 x (IZR (k_int x)) (ln 2) _ _ E _ _); try change (Float1 1) with 1;
    [ring | ring | intros; field; assumption | ].
  unfold gappa_relative.s1, gappa_relative.s2, gappa_relative.s3, gappa_relative.s4, gappa_relative.s5,
    gappa_relative.s6, gappa_relative.s7, gappa_relative.s8.
  change (round radix2 (FLT_exp (-1074) 53) rndNE) with rnd; rewrite Ex.
  change (Float1 1) with 1.
  split; [split; [split; [split; [split; [split; [split |] |] |] |] |] |].
  - assert (A := Rabs_pos x); assert (B : Rabs x <= 745) by (apply Rabs_le; lra); bounds_relative; lra.
  - change (x - IZR (k_int x) * ln 2) with R; assert (A := Rabs_pos R); assert (B : Rabs R <= 0.3468) by (apply Rabs_le; lra); bounds_relative; lra.
  - bounds_relative; lra.
  - apply exponent_integer.
  - assert (A := Rabs_pos (IZR (k_int x))); bounds_relative; lra.
  - revert Hl; constants; bounds_relative; lra.
  - change (BND ((1 + (R + R * R * Q R) - E) / E) gappa_relative.i6); bounds_relative; lra.
  - change (~ BND ((1 + tail (reduced x (IZR (k_int x))) - E) / E) gappa_relative.i7); bounds_relative; intros [B1 B2].
    apply (Rlt_not_le _ _ H1), Rabs_le; revert B1 B2; float2; lra.
replace (1 + tail (reduced x (IZR (k_int x))) - E) with ((1 + tail (reduced x (IZR (k_int x))) - E) / E * E) by (field; lra).
rewrite Rabs_mult, (Rabs_pos_eq E) by lra.
apply Rmult_le_compat_r; [lra | exact G].
Qed.

Ltac bounds_low := unfold BND, gappa_low.i1, gappa_low.i2, gappa_low.i3, gappa_low.i4, gappa_low.i5, gappa_low.i6, gappa_low.i7, gappa_low.f1, gappa_low.f2, gappa_low.f3, gappa_low.f4, gappa_low.f5, gappa_low.f6, gappa_low.f7, gappa_low.f8, gappa_low.f9, gappa_low.f10, gappa_low.f11, gappa_low.f12, gappa_low.f13 in *; float2.

Lemma value_low : forall x, F x -> -744.77 <= x <= -700 ->
  let R := x - IZR (k_int x) * ln 2 in let E := exp R in 
  Rabs (1 + tail (reduced x (IZR (k_int x))) - E) <= 1.13/10^16.
Proof.
intros x Fx Hx R E.
destruct (value_hypotheses x Fx) as (Ex & HR & HE & Hk & Hp); [lra |]; fold R in HR, HE, Hp; fold E in HE, Hp.
assert (Hl := ln2_error).
apply Rabs_both in Hp.
assert (G : Rabs (1 + tail (reduced x (IZR (k_int x))) - E) <= 1.13/10^16).
  destruct (Rle_or_lt (Rabs (1 + tail (reduced x (IZR (k_int x))) - E)) (1.13/10^16)) as [H1|H1]; [exact H1 | exfalso].
  refine (gappa_low.l1 x (IZR (k_int x)) (ln 2) _ _ E _ _); try change (Float1 1) with 1;
    [ring | ring | intros; field; assumption | ].
  unfold gappa_low.s1, gappa_low.s2, gappa_low.s3, gappa_low.s4, gappa_low.s5,
    gappa_low.s6, gappa_low.s7, gappa_low.s8.
  change (round radix2 (FLT_exp (-1074) 53) rndNE) with rnd; rewrite Ex.
  change (Float1 1) with 1.
  split; [split; [split; [split; [split; [split; [split |] |] |] |] |] |].
  - bounds_low; lra.
  - change (x - IZR (k_int x) * ln 2) with R; bounds_low; lra.
  - bounds_low; lra.
  - apply exponent_integer.
  - assert (A := Rabs_pos (IZR (k_int x))); bounds_low; lra.
  - revert Hl; constants; bounds_low; lra.
  - change (BND ((1 + (R + R * R * Q R) - E) / E) gappa_low.i6); bounds_low; lra.
  - change (~ BND (1 + tail (reduced x (IZR (k_int x))) - E) gappa_low.i7); bounds_low; intros [B1 B2].
    apply (Rlt_not_le _ _ H1), Rabs_le; revert B1 B2; float2; lra.
exact G.
Qed.

Ltac bounds_below := unfold BND, gappa_below.i1, gappa_below.i2, gappa_below.i3, gappa_below.i4, gappa_below.i5, gappa_below.i6, gappa_below.i7, gappa_below.f1, gappa_below.f2, gappa_below.f3, gappa_below.f4, gappa_below.f5, gappa_below.f6, gappa_below.f7, gappa_below.f8, gappa_below.f9, gappa_below.f10, gappa_below.f11, gappa_below.f12, gappa_below.f13 in *; float2.

Lemma value_below : forall x, F x -> -744.77 <= x <= -700 ->
  let R := x - IZR (k_int x) * ln 2 in let E := exp R in R <= 0 ->
  Rabs (1 + tail (reduced x (IZR (k_int x))) - E) <= 1.0/10^16.
Proof.
intros x Fx Hx R E HR0.
destruct (value_hypotheses x Fx) as (Ex & HR & HE & Hk & Hp); [lra |]; fold R in HR, HE, Hp; fold E in HE, Hp.
assert (Hl := ln2_error).
apply Rabs_both in Hp.
assert (HE1 : E <= 1) by (rewrite <- exp_0; unfold E; destruct HR0 as [HR0|HR0]; [left; apply exp_increasing; lra | rewrite HR0; right; reflexivity]).
assert (G : Rabs (1 + tail (reduced x (IZR (k_int x))) - E) <= 1.0/10^16).
  destruct (Rle_or_lt (Rabs (1 + tail (reduced x (IZR (k_int x))) - E)) (1.0/10^16)) as [H1|H1]; [exact H1 | exfalso].
  refine (gappa_below.l1 x (IZR (k_int x)) (ln 2) _ _ E _ _); try change (Float1 1) with 1;
    [ring | ring | intros; field; assumption | ].
  unfold gappa_below.s1, gappa_below.s2, gappa_below.s3, gappa_below.s4, gappa_below.s5,
    gappa_below.s6, gappa_below.s7, gappa_below.s8.
  change (round radix2 (FLT_exp (-1074) 53) rndNE) with rnd; rewrite Ex.
  change (Float1 1) with 1.
  split; [split; [split; [split; [split; [split; [split |] |] |] |] |] |].
  - bounds_below; lra.
  - change (x - IZR (k_int x) * ln 2) with R; bounds_below; lra.
  - bounds_below; lra.
  - apply exponent_integer.
  - assert (A := Rabs_pos (IZR (k_int x))); bounds_below; lra.
  - revert Hl; constants; bounds_below; lra.
  - change (BND ((1 + (R + R * R * Q R) - E) / E) gappa_below.i6); bounds_below; lra.
  - change (~ BND (1 + tail (reduced x (IZR (k_int x))) - E) gappa_below.i7); bounds_below; intros [B1 B2].
    apply (Rlt_not_le _ _ H1), Rabs_le; revert B1 B2; float2; lra.
exact G.
Qed.

(* ---- scaling ---- *)

Lemma rnd_small : forall z, Rabs z < pow2 (-1021) -> Rabs (rnd z - z) <= pow2 (-1075).
Proof.
intros z Hz.
apply Rle_trans with (/2 * ulp radix2 (FLT_exp (-1074) 53) z).
  apply error_le_half_ulp; apply FLT_exp_valid, precision.
rewrite ulp_FLT_small; [ | reflexivity | exact Hz].
right; change (/2) with (pow2 (-1)); rewrite <- bpow_plus; reflexivity.
Qed.

Lemma F_rnd : forall z, F (rnd z).
Proof. intros z; apply generic_format_round; [apply FLT_exp_valid, precision | apply valid_rnd_N]. Qed.

Lemma rnd_F : forall z, F z -> rnd z = z.
Proof. intros z Fz; apply round_generic; [apply valid_rnd_N | exact Fz]. Qed.

Lemma rnd_scaled : forall e z, F z -> Rabs (rnd (pow2 e * z) - pow2 e * z) <= pow2 (-1075).
Proof.
intros e z Fz.
destruct (Rlt_or_le (Rabs (pow2 e * z)) (pow2 (-1021))) as [S|S]; [apply rnd_small, S |].
rewrite rnd_F; [replace (pow2 e * z - pow2 e * z) with 0 by ring; rewrite Rabs_R0; apply bpow_ge_0 |].
rewrite Rmult_comm; apply mult_bpow_exact_FLT; [exact Fz |].
assert (N : z <> 0).
  intros Z0; rewrite Z0, Rmult_0_r, Rabs_R0 in S; apply (Rlt_irrefl 0).
  apply Rlt_le_trans with (2 := S); apply bpow_gt_0.
assert (M : (-1020 <= mag radix2 (z * pow2 e))%Z).
  apply mag_ge_bpow; rewrite Rmult_comm; exact S.
rewrite mag_mult_bpow in M by exact N; lia.
Qed.

Lemma rnd_sum : forall a b, F a -> F b -> Rabs (rnd (a + b) - (a + b)) <= pow2 (-53) * Rabs (a + b).
Proof.
intros a b Fa Fb.
destruct (FLT_plus_error_N_ex radix2 (-1074) 53 (fun n => negb (Z.even n)) a b Fa Fb) as (e, (He, E)).
fold (rnd (a + b)) in E; change (round radix2 (FLT_exp (-1074) 53) (Znearest (fun n : Z => negb (Z.even n))) (a + b)) with (rnd (a + b)) in E.
rewrite E; replace ((a + b) * (1 + e) - (a + b)) with (e * (a + b)) by ring.
rewrite Rabs_mult; apply Rmult_le_compat_r; [apply Rabs_pos |].
apply Rle_trans with (1 := He).
assert (U : Relative.u_ro radix2 53 = pow2 (-53)).
  unfold Relative.u_ro; change (/2) with (pow2 (-1)); rewrite <- bpow_plus; reflexivity.
rewrite U; assert (P := bpow_gt_0 radix2 (-53)).
apply Rmult_le_reg_r with (1 + pow2 (-53)); [lra |].
unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra.
Qed.

Lemma sum_below : forall a b, F a -> F b -> Rabs (a + b) < pow2 (-1021) -> rnd (a + b) = a + b.
Proof.
intros a b Fa Fb S; apply rnd_F.
apply generic_format_FLT_FIX; [exact precision | apply Rlt_le, S |].
apply generic_format_FIX.
assert (G : forall z, F z -> generic_format radix2 (FIX_exp (-1074)) z).
  intros z; apply generic_format_FIX_FLT.
destruct (FIX_format_generic _ _ _ (G a Fa)) as [f Hf Ef].
destruct (FIX_format_generic _ _ _ (G b Fb)) as [g Hg Eg].
exists (Defs.Float radix2 (Defs.Fnum f + Defs.Fnum g) (-1074)); [| reflexivity].
rewrite Hf, Hg; unfold F2R; rewrite Ef, Eg; cbn [Defs.Fnum Defs.Fexp]; rewrite plus_IZR; ring.
Qed.

Lemma F_pow2 : forall e, (-1074 <= e)%Z -> F (pow2 e).
Proof. intros e He; apply generic_format_bpow; unfold FLT_exp; lia. Qed.

Lemma F_tail : forall r, F (tail r).
Proof. intros r; apply F_rnd. Qed.

Lemma exp_split : forall x k, exp x = pow2 k * exp (x - IZR k * ln 2).
Proof.
intros x k.
assert (H : pow2 k = exp (IZR k * ln 2)).
  rewrite bpow_exp; f_equal.
rewrite H, <- exp_plus; f_equal; ring.
Qed.

Lemma gradual_value : forall k v, (-1074 <= k)%Z -> F v ->
  exists d, gradual k v = rnd ((pow2 k * v + d) + pow2 k) /\ F (pow2 k * v + d) /\
    Rabs d <= pow2 (-1075) + pow2 (-1203).
Proof.
intros k v Hk Fv; unfold gradual.
set (a := rnd (pow2 (k + 128) * v)).
assert (A : Rabs (a - pow2 (k + 128) * v) <= pow2 (-1075)) by (apply rnd_scaled, Fv).
assert (B : Rabs (rnd (pow2 (-128) * a) - pow2 (-128) * a) <= pow2 (-1075)) by (apply rnd_scaled, F_rnd).
exists (rnd (a * pow2 (-128)) - pow2 k * v).
replace (pow2 (k + 128) * pow2 (-128)) with (pow2 k) by (rewrite <- bpow_plus; f_equal; lia).
rewrite (rnd_F (pow2 k)) by (apply F_pow2, Hk).
replace (pow2 k * v + (rnd (a * pow2 (-128)) - pow2 k * v)) with (rnd (a * pow2 (-128))) by ring.
split; [reflexivity | split; [apply F_rnd |]].
rewrite (Rmult_comm a).
replace (rnd (pow2 (-128) * a) - pow2 k * v)
  with ((rnd (pow2 (-128) * a) - pow2 (-128) * a) + pow2 (-128) * (a - pow2 (k + 128) * v)).
2: { rewrite Rmult_minus_distr_l, <- Rmult_assoc, <- bpow_plus; replace (-128 + (k + 128))%Z with k by lia; ring. }
apply Rle_trans with (1 := Rabs_triang _ _); apply Rplus_le_compat; [exact B |].
rewrite Rabs_mult, (Rabs_pos_eq (pow2 (-128))) by apply bpow_ge_0.
replace (pow2 (-1203)) with (pow2 (-128) * pow2 (-1075)) by (rewrite <- bpow_plus; reflexivity).
apply Rmult_le_compat_l; [apply bpow_ge_0 | exact A].
Qed.

Lemma normal_value : forall k v, (-1011 <= k)%Z -> F v ->
  exists d, normal k v = 2 * rnd ((pow2 (k - 1) * v + d) + pow2 (k - 1)) /\ F (pow2 (k - 1) * v + d) /\
    Rabs d <= pow2 (-1075).
Proof.
intros k v Hk Fv; unfold normal.
exists (rnd (pow2 (k - 1) * v) - pow2 (k - 1) * v).
replace (pow2 (k - 1) * v + (rnd (pow2 (k - 1) * v) - pow2 (k - 1) * v)) with (rnd (pow2 (k - 1) * v)) by ring.
split; [| split; [apply F_rnd | apply rnd_scaled, Fv]].
apply rnd_F; rewrite Rmult_comm; change 2 with (pow2 1).
apply mult_bpow_pos_exact_FLT; [apply F_rnd | lia].
Qed.

(* ---- the theorems ---- *)

(* The range of the integer, and what is known of y = 1 + v, E = exp R. *)
Lemma in_range : forall x, F x -> Zero <= x <= Highest ->
  (-1074 <= k_int x <= 1024)%Z /\ k_float x = IZR (k_int x) /\
  -0.3468 <= x - IZR (k_int x) * ln 2 <= 0.3468 /\ 0.701 <= exp (x - IZR (k_int x) * ln 2) <= 1.419 /\
  (Gradual <= x -> (-1010 <= k_int x)%Z).
Proof.
intros x Fx Hx.
assert (HZ : -744.75 <= x) by (revert Hx; constants; simpl bpow; lra).
assert (HH : x <= 709.79) by (revert Hx; constants; simpl bpow; lra).
destruct (reduction x Fx) as (_ & K & Near & _); [lra |].
destruct (value_hypotheses x Fx) as (_ & HR & HE & _ & _); [lra |].
apply Rabs_both in Near.
assert (HI : 1.442695 <= InverseLn2 <= 1.4426951) by (constants; simpl bpow; lra).
assert (LoP : -744.75 * InverseLn2 <= x * InverseLn2) by (apply Rmult_le_compat_r; lra).
assert (HiP : x * InverseLn2 <= 709.79 * InverseLn2) by (apply Rmult_le_compat_r; lra).
split; [split | split; [exact K | split; [exact HR | split; [exact HE |]]]].
- apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR; lra.
- apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR; lra.
- intros HG; assert (G : -700 <= x) by (revert HG; constants; simpl bpow; lra).
  assert (P : -700 * InverseLn2 <= x * InverseLn2) by (apply Rmult_le_compat_r; lra).
  apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR; lra.
Qed.

Lemma exp_below_zero : forall x, x < Zero -> exp x < pow2 (-1074).
Proof.
intros x Hx; apply Rlt_trans with (exp Zero); [apply exp_increasing, Hx |].
rewrite (bpow_exp radix2 (-1074)); apply exp_increasing; constants; simpl bpow; interval with (i_prec 60).
Qed.

(* With y = 1 + v and the scaled tail off by d, the rounded sum. *)
Lemma sum_error : forall k v d E b, F (pow2 k * v + d) -> F (pow2 k) ->
  Rabs (1 + v - E) <= b * E -> 0 <= E -> 0 <= b <= 1 ->
  Rabs (rnd ((pow2 k * v + d) + pow2 k) - pow2 k * E) <=
    pow2 k * E * (b + pow2 (-53) * (1 + b)) + Rabs d * (1 + pow2 (-53)).
Proof.
intros k v d E b Fs Fk Hy HE Hb.
assert (S := rnd_sum _ _ Fs Fk).
set (z := pow2 k * v + d + pow2 k) in *.
assert (P := bpow_gt_0 radix2 k); assert (U := bpow_gt_0 radix2 (-53)).
assert (Z1 : Rabs (z - pow2 k * E) <= pow2 k * (b * E) + Rabs d).
  replace (z - pow2 k * E) with (pow2 k * (1 + v - E) + d) by (unfold z; ring).
  apply Rle_trans with (1 := Rabs_triang _ _); apply Rplus_le_compat_r.
  rewrite Rabs_mult, (Rabs_pos_eq (pow2 k)) by lra; apply Rmult_le_compat_l; lra.
assert (Z2 : Rabs z <= pow2 k * E + (pow2 k * (b * E) + Rabs d)).
  replace z with ((pow2 k * E) + (z - pow2 k * E)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); apply Rplus_le_compat; [| exact Z1].
  rewrite Rabs_pos_eq; [lra | apply Rmult_le_pos; lra].
replace (rnd z - pow2 k * E) with ((rnd z - z) + (z - pow2 k * E)) by ring.
apply Rle_trans with (1 := Rabs_triang _ _).
apply Rle_trans with (pow2 (-53) * (pow2 k * E + (pow2 k * (b * E) + Rabs d)) + (pow2 k * (b * E) + Rabs d)).
  apply Rplus_le_compat; [| exact Z1].
  apply Rle_trans with (1 := S); apply Rmult_le_compat_l; lra.
right; ring.
Qed.

Theorem exp_kernel_normal : forall x, F x -> x <= Highest -> pow2 (-1022) <= exp x ->
  Rabs (kernel x - exp x) <= pow2 (-51) * exp x.
Proof.
intros x Fx HH HN; unfold kernel.
case Rlt_bool_spec; intros HZ.
  assert (B := exp_below_zero x HZ); exfalso.
  assert (C : pow2 (-1074) < pow2 (-1022)) by (apply bpow_lt; lia); lra.
destruct (in_range x Fx (conj HZ HH)) as (HK & K & HR & HE & HG).
rewrite K.
assert (HZ' : -744.75 <= x) by (revert HZ; constants; simpl bpow; lra).
assert (HH' : x <= 709.79) by (revert HH; constants; simpl bpow; lra).
assert (V := value_relative x Fx ltac:(lra)); cbv zeta in V.
set (v := tail (reduced x (IZR (k_int x)))) in *.
assert (Fv : F v) by apply F_tail.
set (k := k_int x) in *.
set (E := exp (x - IZR k * ln 2)) in *.
assert (X : exp x = pow2 k * E) by apply exp_split.
assert (U51 : pow2 (-51) = 4 * pow2 (-53)) by (change 4 with (pow2 2); rewrite <- bpow_plus; reflexivity).
assert (U : 1.11/10^16 <= pow2 (-53) <= 1.111/10^16) by (simpl bpow; lra).
case Rlt_bool_spec; intros HL.
- (* below -700 *)
  destruct (gradual_value k v) as (d & G & Fd & Hd); [lia | exact Fv |].
  rewrite G, X.
  apply Rle_trans with (1 := sum_error k v d E _ Fd (F_pow2 k ltac:(lia)) V ltac:(lra) ltac:(lra)).
  assert (D1 : pow2 (-1075) = pow2 (-53) * pow2 (-1022)) by (rewrite <- bpow_plus; reflexivity).
  assert (D2 : pow2 (-1203) = pow2 (-181) * pow2 (-1022)) by (rewrite <- bpow_plus; reflexivity).
  assert (D3 : pow2 (-181) <= 1/10^30) by (simpl bpow; lra).
  assert (D4 := bpow_gt_0 radix2 (-181)).
  rewrite X in HN; set (z := pow2 k * E) in *.
  assert (N0 := bpow_gt_0 radix2 (-1022)).
  assert (D : Rabs d <= (pow2 (-53) + pow2 (-181)) * z).
    apply Rle_trans with (1 := Hd); rewrite D1, D2, <- Rmult_plus_distr_r; apply Rmult_le_compat_l; lra.
  apply Rle_trans with (z * (1.99 / 10 ^ 16 + pow2 (-53) * (1 + 1.99 / 10 ^ 16)) + ((pow2 (-53) + pow2 (-181)) * z) * (1 + pow2 (-53))).
    apply Rplus_le_compat_l; apply Rmult_le_compat_r; lra.
  rewrite U51.
  replace (z * (1.99 / 10 ^ 16 + pow2 (-53) * (1 + 1.99 / 10 ^ 16)) + (pow2 (-53) + pow2 (-181)) * z * (1 + pow2 (-53)))
    with ((1.99 / 10 ^ 16 + pow2 (-53) * (1 + 1.99 / 10 ^ 16) + (pow2 (-53) + pow2 (-181)) * (1 + pow2 (-53))) * z) by ring.
  apply Rmult_le_compat_r; [lra |].
  clear - U D3 D4; generalize dependent (pow2 (-53)); generalize dependent (pow2 (-181)); intros a A1 A2 u Hu; nra.
- (* from -700 on *)
  destruct (normal_value k v) as (d & G & Fd & Hd); [specialize (HG HL); lia | exact Fv |].
  specialize (HG HL).
  assert (Fk : F (pow2 (k - 1))) by (apply F_pow2; lia).
  assert (S := sum_error (k - 1) v d E _ Fd Fk V ltac:(lra) ltac:(lra)).
  assert (P2 : pow2 k = 2 * pow2 (k - 1)) by (change 2 with (pow2 1); rewrite <- bpow_plus; f_equal; lia).
  rewrite G, X, P2.
  set (w := rnd (pow2 (k - 1) * v + d + pow2 (k - 1))) in *.
  replace (2 * w - 2 * pow2 (k - 1) * E) with (2 * (w - pow2 (k - 1) * E)) by ring.
  rewrite Rabs_mult, (Rabs_pos_eq 2) by lra.
  set (z := pow2 (k - 1) * E) in *.
  assert (T : pow2 (-1011) <= pow2 (k - 1)) by (apply bpow_le; lia).
  assert (T0 := bpow_gt_0 radix2 (-1011)).
  assert (D1 : pow2 (-1075) = pow2 (-64) * pow2 (-1011)) by (rewrite <- bpow_plus; reflexivity).
  assert (D3 : pow2 (-64) <= 1/10^19) by (simpl bpow; lra).
  assert (D4 := bpow_gt_0 radix2 (-64)).
  assert (Zb : 0.7 * pow2 (-1011) <= z) by (unfold z; nra).
  assert (D : Rabs d <= 2 * pow2 (-64) * z) by (rewrite D1 in Hd; nra).
  apply Rle_trans with (2 * (z * (1.99 / 10 ^ 16 + pow2 (-53) * (1 + 1.99 / 10 ^ 16)) + (2 * pow2 (-64) * z) * (1 + pow2 (-53)))).
    apply Rmult_le_compat_l; [lra |]; apply Rle_trans with (1 := S).
    apply Rplus_le_compat_l; apply Rmult_le_compat_r; lra.
  rewrite U51.
  replace (2 * (z * (1.99 / 10 ^ 16 + pow2 (-53) * (1 + 1.99 / 10 ^ 16)) + 2 * pow2 (-64) * z * (1 + pow2 (-53))))
    with ((1.99 / 10 ^ 16 + pow2 (-53) * (1 + 1.99 / 10 ^ 16) + 2 * pow2 (-64) * (1 + pow2 (-53))) * (2 * z)) by ring.
  replace (4 * pow2 (-53) * (2 * pow2 (k - 1) * E)) with (4 * pow2 (-53) * (2 * z)) by (unfold z; ring).
  apply Rmult_le_compat_r; [lra |].
  clear - U D3 D4; generalize dependent (pow2 (-53)); generalize dependent (pow2 (-64)); intros a A1 A2 u Hu; nra.
Qed.

Theorem exp_kernel_gradual : forall x, F x -> exp x < pow2 (-1022) ->
  Rabs (kernel x - exp x) <= pow2 (-1074).
Proof.
intros x Fx HN; unfold kernel.
assert (P0 := exp_pos x).
case Rlt_bool_spec; intros HZ.
  assert (B := exp_below_zero x HZ); apply Rabs_le; lra.
assert (HX : x < -700).
  apply Rnot_le_lt; intros C; apply (Rlt_irrefl (exp x)); apply Rlt_le_trans with (1 := HN).
  rewrite bpow_exp; apply Rlt_le, exp_increasing; apply Rlt_le_trans with (2 := C); interval with (i_prec 60).
assert (HH : x <= Highest) by (constants; simpl bpow; lra).
rewrite Rlt_bool_true by (constants; simpl bpow; lra).
destruct (in_range x Fx (conj HZ HH)) as (HK & K & HR & HE & _).
assert (HZ' : -744.75 <= x) by (revert HZ; constants; simpl bpow; lra).
rewrite K.
assert (V := value_low x Fx ltac:(lra)); cbv zeta in V.
assert (W := value_below x Fx ltac:(lra)); cbv zeta in W.
assert (X := exp_split x (k_int x)).
set (v := tail (reduced x (IZR (k_int x)))) in *.
assert (Fv : F v) by apply F_tail.
set (k := k_int x) in *.
set (R0 := x - IZR k * ln 2) in *.
set (E := exp R0) in *.
destruct (gradual_value k v) as (d & G & Fd & Hd); [lia | exact Fv |].
assert (N0 := bpow_gt_0 radix2 (-1022)); assert (P := bpow_gt_0 radix2 k).
assert (N1 : pow2 (-1021) = 2 * pow2 (-1022)) by (change 2 with (pow2 1); rewrite <- bpow_plus; reflexivity).
assert (HK2 : (k <= -1022)%Z).
  apply Z.lt_succ_r, (lt_bpow radix2); change (Z.succ (-1022)) with (-1021)%Z; rewrite N1; nra.
assert (PK : pow2 k <= pow2 (-1022)) by (apply bpow_le, HK2).
assert (D1 : pow2 (-1075) = pow2 (-53) * pow2 (-1022)) by (rewrite <- bpow_plus; reflexivity).
assert (D2 : pow2 (-1203) = pow2 (-181) * pow2 (-1022)) by (rewrite <- bpow_plus; reflexivity).
assert (D0 : pow2 (-1074) = 2 * pow2 (-53) * pow2 (-1022)) by (change 2 with (pow2 1); rewrite <- !bpow_plus; reflexivity).
assert (D3 : 0 < pow2 (-181) <= 1/10^30) by (simpl bpow; lra).
assert (U : 1.11/10^16 <= pow2 (-53) <= 1.111/10^16) by (simpl bpow; lra).
assert (Vb := Rabs_both _ _ V).
assert (Db := Rabs_both _ _ Hd).
rewrite G, sum_below; [| exact Fd | apply F_pow2; lia |].
2: { apply Rabs_lt; rewrite D1, D2 in Db; rewrite N1; split; nra. }
rewrite X.
replace (pow2 k * v + d + pow2 k - pow2 k * E) with (pow2 k * (1 + v - E) + d) by ring.
apply Rle_trans with (1 := Rabs_triang _ _).
rewrite Rabs_mult, (Rabs_pos_eq (pow2 k)) by lra.
destruct (Z.eq_dec k (-1022)) as [KE|KE].
- assert (E1 : R0 <= 0).
    apply Rnot_lt_le; intros C; apply (Rlt_irrefl (exp x)); apply Rlt_le_trans with (1 := HN).
    rewrite X, KE; assert (1 < E) by (unfold E; rewrite <- exp_0; apply exp_increasing, C); nra.
  specialize (W E1); rewrite KE in *.
  apply Rle_trans with (pow2 (-1022) * (1.0 / 10 ^ 16) + (pow2 (-1075) + pow2 (-1203))).
    apply Rplus_le_compat; [apply Rmult_le_compat_l; lra | exact Hd].
  rewrite D1, D2, D0; nra.
- assert (KL : pow2 k <= pow2 (-1023)) by (apply bpow_le; lia).
  assert (N2 : pow2 (-1022) = 2 * pow2 (-1023)) by (change 2 with (pow2 1); rewrite <- bpow_plus; reflexivity).
  apply Rle_trans with (pow2 (-1023) * (1.13 / 10 ^ 16) + (pow2 (-1075) + pow2 (-1203))).
    apply Rplus_le_compat; [| exact Hd].
    apply Rmult_le_compat; [lra | apply Rabs_pos | exact KL | exact V].
  rewrite D1, D2, D0, N2 in *; assert (N3 := bpow_gt_0 radix2 (-1023)); nra.
Qed.

Lemma Highest_bounds : exp Highest * (1 + pow2 (-51)) < pow2 1024 - pow2 971 /\
  pow2 1024 - pow2 970 <= exp (Highest + pow2 (-43)).
Proof.
assert (A : pow2 1024 = exp (1024 * ln 2)) by apply bpow_exp.
assert (B : forall e, pow2 1024 - pow2 (1024 - e) = exp (1024 * ln 2) * (1 - pow2 (- e))).
  intros e; unfold Zminus; rewrite bpow_plus, A; ring.
change 971%Z with (1024 - 53)%Z; change 970%Z with (1024 - 54)%Z; rewrite !B.
assert (C : forall a b, exp a = exp b * exp (a - b)) by (intros a b; rewrite <- exp_plus; f_equal; ring).
assert (P := exp_pos (1024 * ln 2)).
split.
- rewrite (C Highest (1024 * ln 2)), Rmult_assoc; apply Rmult_lt_compat_l; [exact P |].
  constants; simpl bpow; interval with (i_prec 160).
- rewrite (C (Highest + pow2 (-43)) (1024 * ln 2)); apply Rmult_le_compat_l; [lra |].
  constants; simpl bpow; interval with (i_prec 160).
Qed.

Lemma next_above_Highest : forall x, F x -> Highest < x -> Highest + pow2 (-43) <= x.
Proof.
intros x Fx Hx.
assert (H0 : 709 < Highest < 710) by (constants; simpl bpow; lra).
destruct (Rle_or_lt 1024 x) as [B|B].
  apply Rle_trans with (2 := B); simpl bpow; lra.
assert (M : mag radix2 x = 10%Z :> Z).
  apply mag_unique; rewrite Rabs_pos_eq by lra; simpl bpow; lra.
assert (C : cexp radix2 (FLT_exp (-1074) 53) x = (-43)%Z) by (unfold cexp; rewrite M; reflexivity).
red in Fx; rewrite C in Fx; set (n := Ztrunc (scaled_mantissa radix2 (FLT_exp (-1074) 53) x)) in *.
unfold F2R in Fx; cbn [Defs.Fnum Defs.Fexp] in Fx.
assert (P := bpow_gt_0 radix2 (-43)).
assert (N : (6243314768165359 < n)%Z).
  apply lt_IZR, Rmult_lt_reg_r with (pow2 (-43)); [exact P |].
  rewrite <- Fx; revert Hx; constants; lra.
assert (N1 : IZR (6243314768165359 + 1) <= IZR n) by (apply IZR_le; lia).
rewrite plus_IZR in N1; rewrite Fx; constants; nra.
Qed.

Theorem exp_kernel_overflow : forall x, F x -> (Highest < x <-> pow2 1024 - pow2 970 <= exp x).
Proof.
intros x Fx; destruct Highest_bounds as (L & U); split; intros H.
- apply Rle_trans with (1 := U).
  destruct (next_above_Highest x Fx H) as [N|N]; [apply Rlt_le, exp_increasing, N | rewrite N; apply Rle_refl].
- apply Rnot_le_lt; intros C; apply (Rlt_irrefl (exp x)); apply Rlt_le_trans with (2 := H).
  assert (E : exp x <= exp Highest).
    destruct C as [C|C]; [apply Rlt_le, exp_increasing, C | rewrite C; apply Rle_refl].
  assert (P := exp_pos Highest); assert (Q0 := bpow_gt_0 radix2 (-51)); assert (Q1 := bpow_gt_0 radix2 970).
  assert (Q2 : pow2 971 = 2 * pow2 970) by (change 2 with (pow2 1); rewrite <- bpow_plus; reflexivity).
  nra.
Qed.

Theorem exp_kernel_finite : forall x, F x -> x <= Highest -> 0 <= kernel x <= pow2 1024 - pow2 971.
Proof.
intros x Fx HH.
assert (PX := exp_pos x); destruct Highest_bounds as (L & _).
assert (EH : exp x <= exp Highest).
  destruct HH as [C|C]; [apply Rlt_le, exp_increasing, C | rewrite C; apply Rle_refl].
assert (U : 0 < pow2 (-51) < 1) by (simpl bpow; lra).
destruct (Rle_or_lt (pow2 (-1022)) (exp x)) as [N|N].
- assert (E := Rabs_both _ _ (exp_kernel_normal x Fx HH N)).
  split; nra.
- assert (E := Rabs_both _ _ (exp_kernel_gradual x Fx N)).
  assert (T0 : 0 < pow2 (-1074) < pow2 (-1022)) by (split; [apply bpow_gt_0 | apply bpow_lt; lia]).
  assert (T1 : pow2 (-1022) < pow2 1) by (apply bpow_lt; lia).
  assert (T2 : pow2 1024 = 8 * pow2 1021) by (change 8 with (pow2 3); rewrite <- bpow_plus; reflexivity).
  assert (T3 : pow2 971 < pow2 1021) by (apply bpow_lt; lia).
  assert (T4 : pow2 1 < pow2 1021) by (apply bpow_lt; lia).
  split; [| lra].
  (* a multiple of 2^-1074 above -2^-1074 *)
  assert (G : F (kernel x)).
    unfold kernel; case Rlt_bool_spec; intros; [apply generic_format_0 |].
    case Rlt_bool_spec; intros; apply F_rnd.
  destruct (FIX_format_generic _ _ _ (generic_format_FIX_FLT radix2 (-1074) 53 _ G)) as [f Hf Ef].
  rewrite Hf in E |- *; unfold F2R in *; rewrite Ef in *; cbn [Defs.Fnum Defs.Fexp] in *.
  apply Rmult_le_pos; [| lra].
  apply IZR_le; apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR.
  apply Rmult_lt_reg_r with (pow2 (-1074)); [lra |]; lra.
Qed.

Theorem exp_kernel_zero : kernel 0 = 1.
Proof.
assert (R0 : rnd 0 = 0) by apply round_0, valid_rnd_N.
assert (FM : rnd RoundToInteger = RoundToInteger).
  apply rnd_F; unfold RoundToInteger; apply generic_format_F2R; intros _; unfold cexp, FLT_exp.
  rewrite mag_F2R_Zdigits by discriminate; reflexivity || (vm_compute; discriminate).
assert (S : shifted 0 = RoundToInteger) by (unfold shifted; rewrite Rmult_0_l, R0, Rplus_0_l; exact FM).
assert (K : k_float 0 = 0) by (unfold k_float; rewrite S; replace (RoundToInteger - RoundToInteger) with 0 by ring; exact R0).
assert (I : k_int 0 = 0%Z) by (unfold k_int; rewrite S; replace (RoundToInteger - RoundToInteger) with 0 by ring; apply Zfloor_IZR).
assert (D : reduced 0 0 = 0) by (unfold reduced; repeat rewrite ?Rmult_0_l, ?R0, ?Rminus_0_r; reflexivity).
assert (T : tail 0 = 0) by (unfold tail; repeat rewrite ?Rmult_0_l, ?R0, ?Rplus_0_l; reflexivity).
unfold kernel; rewrite K, D, T, I.
rewrite !Rlt_bool_false by (constants; simpl bpow; lra).
unfold normal; rewrite Rmult_0_r, R0, Rplus_0_l, (rnd_F (pow2 (0 - 1))) by (apply F_pow2; lia).
replace (2 * pow2 (0 - 1)) with (pow2 0) by (simpl bpow; lra).
rewrite rnd_F by (apply F_pow2; lia); reflexivity.
Qed.

(* All of it in one sentence. [shifted x = RoundToInteger + IZR (k_int x)] is what the C++ code's powers of two
   are made from (lib/docs/softmax.md). *)
Theorem exp_kernel_correct : forall x, F x ->
  (Highest < x <-> pow2 1024 - pow2 970 <= exp x) /\
  (x <= Highest ->
     0 <= kernel x <= pow2 1024 - pow2 971 /\
     (pow2 (-1022) <= exp x -> Rabs (kernel x - exp x) <= pow2 (-51) * exp x) /\
     (exp x < pow2 (-1022) -> Rabs (kernel x - exp x) <= pow2 (-1074)) /\
     (Zero <= x -> shifted x = RoundToInteger + IZR (k_int x) /\ (-1074 <= k_int x <= 1024)%Z /\
                   (Gradual <= x -> (-1010 <= k_int x)%Z))) /\
  kernel 0 = 1.
Proof.
intros x Fx; split; [exact (exp_kernel_overflow x Fx) |].
split; [| exact exp_kernel_zero].
intros HH; split; [exact (exp_kernel_finite x Fx HH) |].
split; [exact (exp_kernel_normal x Fx HH) |].
split; [exact (exp_kernel_gradual x Fx) |].
intros HZ; destruct (in_range x Fx (conj HZ HH)) as (HK & _ & _ & _ & HG).
split; [| exact (conj HK HG)].
apply (reduction x Fx); revert HZ HH; constants; simpl bpow; lra.
Qed.
Print Assumptions exp_kernel_correct.
