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
interval with (i_bisect r, i_taylor r, i_degree 14, i_prec 120).
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

