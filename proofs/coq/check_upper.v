(* Executable measures of the upper witnesses (lib/docs/certificates.md, sections "Factors" and
   "Representative rows"), in integers, and their soundness.

   - measure_factors_sound, measure_representatives_sound: where a measure (r, error, denominator) is given,
     error / denominator ≤ t implies r_t(Ã) ≤ r.

   The factor c of the page is the denominator of U V: c Ã − U V at c t is Ã − U V / c at t. *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import ssrZ.
Require Import norms rank zmatrix measure upper.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

(* Ã is m×n, U is m×r, V is r×n: the error and its denominator. *)
Definition measure_factors (m n r : nat) (A U V : zmat) (qA qU qV : Z) : option (Z * Z) :=
  let W := Z.lcm qA (qU * qV)%Z in
  if [&& Z.ltb Z0 qA, Z.ltb Z0 qU, Z.ltb Z0 qV, dims m n A, dims m r U, dims r n V,
         divides qA W & divides (qU * qV)%Z W]
  then Some (normz (subz (scalez (W / qA)%Z A) (scalez (W / (qU * qV))%Z (mulz n U V))), W)
  else None.

(* p maps the m rows of Ã to rows of Ã: the number of its values, the error and its denominator. *)
Definition measure_representatives (m n : nat) (A : zmat) (qA : Z) (p : seq nat) : option (nat * Z * Z) :=
  if [&& Z.ltb Z0 qA, dims m n A, size p == m & all (fun i => i < m) p]
  then Some (size (undup p), normz (subz A (rowsz p A)), qA)
  else None.

Local Open Scope ring_scope.

Section Sound.
Variable F : realFieldType.
Local Notation zF := (zF F).
Local Notation mx := (mx F).

Theorem measure_factors_sound m n r A U V qA qU qV e d :
  measure_factors m n r A U V qA qU qV = Some (e, d) -> upper_holds e d (mx m n A qA) r.
Proof.
rewrite /measure_factors; set W := Z.lcm _ _; case: ifP => //.
case/and5P=> qA0 qU0 qV0 dA /and4P[dU dV wA wUV] [<- <-] t le.
have UV0 := zpos_mul qU0 qV0; have W0 := divides_gt0 wA qA0.
apply: (@factor_upper _ _ _ _ _ (mx m r U qU) (mx r n V qV) 1 t ltr01).
rewrite scale1r mul1r -(mx_mulz F qU qV dU dV) -(mx_common F m n A wA) // -(mx_common F m n _ wUV) //.
have dP := dims_mulz dU dV; rewrite -mx_subz ?dims_scalez // rnorm_mx ?dims_subz ?dims_scalez //.
by rewrite ler_pdivr_mulr // zF_gt0.
Qed.

Lemma card_codom_values m (p : seq nat) (g : 'I_m -> 'I_m) :
  size p = m -> (forall i : 'I_m, g i = nth 0%N p i :> nat) -> #|codom g| = size (undup p).
Proof.
move=> sp hg; rewrite cardE -(size_map val); apply/perm_size/uniq_perm; rewrite ?undup_uniq //.
  by rewrite (map_inj_uniq val_inj) enum_uniq.
move=> x; rewrite mem_undup; apply/mapP/(nthP 0%N) => [[y] | [i]].
  by rewrite mem_enum => /codomP[i ->] ->; exists (val i); rewrite ?sp ?ltn_ord -?hg.
rewrite sp => im <-; exists (g (Ordinal im)); first by rewrite mem_enum codom_f.
exact/esym/hg.
Qed.

Theorem measure_representatives_sound m n A qA p r e d :
  measure_representatives m n A qA p = Some (r, e, d) -> upper_holds e d (mx m n A qA) r.
Proof.
rewrite /measure_representatives; case: ifP => // /and4P[qA0 dA /eqP sp pm] [<- <- <-] t le.
have hp (i : 'I_m) : (nth 0%N p i < m)%N by apply: (allP pm); rewrite mem_nth // sp.
pose g i := Ordinal (hp i); rewrite -(@card_codom_values m p g) //.
have dR := dims_rowsz dA sp pm.
have le' : rnorm (mx m n A qA - mx m n (rowsz p A) qA) <= t.
  by rewrite -mx_subz // rnorm_mx ?dims_subz // ler_pdivr_mulr // zF_gt0.
apply: representatives_upper; first exact: le_trans (rnorm_ge0 _) le'.
move=> i; apply: le_trans le'; apply: le_trans (rnorm_row _ i).
rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigr => j _.
by rewrite !mxE ent_rowsz ?sp.
Qed.

End Sound.
