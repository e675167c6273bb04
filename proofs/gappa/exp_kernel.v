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
