(* Executable measure of the Eckart–Young witness (lib/docs/certificates.md, section "Weighted, grouped
   Eckart–Young"), for both Gram matrices, in integers, and its soundness.

   - measure_eckart_young_sound: where a measure is given, its condition at t implies r_t(Ã) ≥ r + 1.

   The four terms of E = τ I + L Lᵀ − H − C Cᵀ have denominators of their own; they are brought to the least
   common one, W. That W / q is whole is tested, so that nothing has to be known of Z.lcm. *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import ssrZ.
From mathcomp Require Import ring.
Require Import norms rank zmatrix measure eckart_young.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Fixpoint scale_rowsz (s : zrow) (X : zmat) : zmat :=
  match s, X with c :: s', r :: X' => scale_row c r :: scale_rowsz s' X' | _, _ => [::] end.
Definition frosq (A : zmat) : Z := foldr (fun r a => (dotz r r + a)%Z) Z0 A.
Definition gramz (p q : nat) (X : zmat) : zmat := mulz p X (trz q X).

(* W (‖X‖² − r τ − ‖L‖² − p ‖τ I + L Lᵀ − X Xᵀ − C Cᵀ‖) for the p×o matrix X / Q, the threshold τ = tau / qt,
   the p×u matrix L / qL and the p×v matrix C / qC. *)
Definition tailz (p o u v r : nat) (X L C : zmat) (tau Q qL qC qt W : Z) : Z :=
  let f := (W / (Q * Q))%Z in
  let g := (W / (qL * qL))%Z in
  let T := (W / qt * tau)%Z in
  let E := subz (subz (addz (idz p T) (scalez g (gramz p u L))) (scalez f (gramz p o X)))
                (scalez (W / (qC * qC))%Z (gramz p v C)) in
  (f * frosq X - Z.of_nat r * T - g * frosq L - Z.of_nat p * normz E)%Z.

(* Ã is m×n, s has m entries, G is n×k; p is m for H = K Kᵀ and k for H = Kᵀ K; L is p×u, C is p×v. *)
Definition measure_eckart_young (rows : bool) (m n k u v r : nat) (A : zmat) (s : zrow) (G L C : zmat)
    (tau qA qs qG qL qC qt : Z) : option condition :=
  let p := if rows then m else k in
  let Q := (qs * (qA * qG))%Z in
  let W := Z.lcm (Z.lcm (Q * Q)%Z (qL * qL)%Z) (Z.lcm (qC * qC)%Z qt) in
  if [&& [&& Z.ltb Z0 qA, Z.ltb Z0 qs, Z.ltb Z0 qG, Z.ltb Z0 qL, Z.ltb Z0 qC & Z.ltb Z0 qt],
         [&& Z.leb Z0 tau, dims m n A, size s == m, dims n k G, dims p u L & dims p v C],
         [&& divides (Q * Q)%Z W, divides (qL * qL)%Z W, divides (qC * qC)%Z W & divides qt W],
         Z.leb (dotz s s) (qs * qs)%Z & all (fun g => Z.leb (dotz g g) (qG * qG)%Z) G]
  then
    let K := scale_rowsz s (mulz k A G) in
    Some (Below Z0 Z0 W (if rows then tailz m k u v r K L C tau Q qL qC qt W
                         else tailz k m u v r (trz k K) L C tau Q qL qC qt W))
  else None.

Local Open Scope ring_scope.

Section Sound.
Variable F : realFieldType.
Local Notation zF := (zF F).
Local Notation mx := (mx F).

Lemma dims_scale_rowsz m n s X : size s = m -> dims m n X -> dims m n (scale_rowsz s X).
Proof.
rewrite /dims; elim: s X m => [|c s IH] [|r X] [|m] //= [e]; rewrite !eqSS => /and3P[mX rn nX].
by rewrite size_scale_row rn /=; apply: IH => //; apply/andP.
Qed.

Lemma ent_scale_rowsz m n s X i j : size s = m -> dims m n X ->
  ent F (scale_rowsz s X) i j = zF (nth Z0 s i) * ent F X i j.
Proof.
elim: s X m i => [|c s IH] [|r X] [|m] i //= e dX; try by rewrite /ent ?nth_nil /= ?mul0r ?mulr0.
case: i => [|i]; first by rewrite /ent /= nth_scale_row.
case: e => e; case/and3P: dX => mX _ nX.
rewrite -[LHS]/(ent F (scale_rowsz s X) i j) -[ent F (r :: X) _ _]/(ent F X i j) (IH X m) //.
exact/andP.
Qed.

Lemma mx_scale_rowsz m n s X qs q : size s = m -> dims m n X ->
  mx m n (scale_rowsz s X) (qs * q)%Z = diag_mx (\row_i (zF (nth Z0 s i) / zF qs)) *m mx m n X q.
Proof.
move=> sm dX; apply/matrixP => i j; rewrite mul_diag_mx !mxE (ent_scale_rowsz _ _ sm dX) zFM invfM.
by rewrite mulrACA.
Qed.

Lemma dims_gramz p q X : dims p q X -> dims p p (gramz p q X).
Proof. by move=> dX; apply: dims_mulz (dims_trz dX). Qed.

Lemma mx_gramz p q X x : dims p q X ->
  mx p p (gramz p q X) (x * x)%Z = mx p q X x *m (mx p q X x)^T.
Proof. by move=> dX; rewrite (mx_mulz F x x dX (dims_trz dX)) mx_trz. Qed.

Lemma fro2_mx m n X q : dims m n X -> fro2 (mx m n X q) = zF (frosq X) / zF (q * q)%Z.
Proof.
move=> dX; have mX := dims_size dX; rewrite /fro2; under eq_bigr => i _.
  under eq_bigr do rewrite mxE expr_div_n expr2 [_ ^+ 2 in X in _ / X]expr2.
  rewrite -mulr_suml -zF_dotz ?(dims_row dX) //.
  over.
rewrite -mulr_suml -zFM; congr (_ / _); elim: X m mX {dX} => [|r X IH] [|m] //= e.
  by rewrite big_ord0.
case: e => e; by rewrite big_ord_recl /= zFD (IH m).
Qed.

Lemma tailzP p o u v r X L C tau Q qL qC qt W (t : F) :
  (0 <? Q)%Z -> (0 <? qL)%Z -> (0 <? qC)%Z -> (0 <? qt)%Z ->
  divides (Q * Q)%Z W -> divides (qL * qL)%Z W -> divides (qC * qC)%Z W -> divides qt W ->
  dims p o X -> dims p u L -> dims p v C ->
  let Xm := mx p o X Q in let Lm := mx p u L qL in let Cm := mx p v C qC in
  zF W * t ^+ 2 < zF (tailz p o u v r X L C tau Q qL qC qt W) ->
  t ^+ 2 < fro2 Xm - r%:R * (zF tau / zF qt) - fro2 Lm
           - p%:R * rnorm ((zF tau / zF qt)%:M + Lm *m Lm^T - Xm *m Xm^T - Cm *m Cm^T).
Proof.
move=> Q0 qL0 qC0 qt0 wQ wL wC wt dX dL dC Xm Lm Cm; rewrite /tailz.
set T := (W / qt * tau)%Z; set E := subz _ _ => lt.
have QQ0 := zpos_mul Q0 Q0; have LL0 := zpos_mul qL0 qL0; have CC0 := zpos_mul qC0 qC0.
have W0 := divides_gt0 wt qt0; have W0F := zF_gt0 F W0.
have dT := dims_idz p T; have dLL := dims_scalez (W / (qL * qL))%Z (dims_gramz dL).
have dCC := dims_scalez (W / (qC * qC))%Z (dims_gramz dC).
have dH := dims_scalez (W / (Q * Q))%Z (dims_gramz dX).
have d1 := dims_addz dT dLL; have d2 := dims_subz d1 dH; have dE := dims_subz d2 dCC.
have -> : rnorm ((zF tau / zF qt)%:M + Lm *m Lm^T - Xm *m Xm^T - Cm *m Cm^T) = zF (normz E) / zF W.
  rewrite -(rnorm_mx F dE W0) (mx_subz F W d2 dCC) (mx_subz F W d1 dH) (mx_addz F W dT dLL).
  rewrite (mx_common F p p _ wL LL0) (mx_common F p p _ wQ QQ0) (mx_common F p p _ wC CC0).
  by rewrite (mx_gramz qL dL) (mx_gramz Q dX) (mx_gramz qC dC) mx_idz /T (zF_common F tau wt qt0).
rewrite (fro2_mx Q dX) (fro2_mx qL dL) -(zF_common F tau wt qt0) -(zF_common F (frosq X) wQ QQ0).
rewrite -(zF_common F (frosq L) wL LL0) -!zF_nat !mulrA -!mulrBl ltr_pdivl_mulr //.
by rewrite mulrC -!zFM -!zFB.
Qed.

Theorem measure_eckart_young_sound rows m n k u v r A s G L C tau qA qs qG qL qC qt c :
  measure_eckart_young rows m n k u v r A s G L C tau qA qs qG qL qC qt = Some c ->
  lower_holds c (mx m n A qA) r.+1.
Proof.
rewrite /measure_eckart_young; set Q := (qs * _)%Z; set W := Z.lcm _ _; case: ifP => //.
case/and5P=> /and5P[qA0 qs0 qG0 qL0 /andP[qC0 qt0]] /and5P[tau0 dA /eqP sm dG /andP[dL dC]].
case/and4P=> wQ wL wC wt hs hG; set K := scale_rowsz s _ => -[<-] t t0.
have Q0 : (0 <? Q)%Z by rewrite !zpos_mul.
have dK : dims m k K := dims_scale_rowsz sm (dims_mulz dA dG).
pose sm' : 'rV[F]_m := \row_i (zF (nth Z0 s i) / zF qs).
have eK : mx m k K Q = diag_mx sm' *m mx m n A qA *m mx n k G qG.
  by rewrite -mulmxA -(mx_mulz F qA qG dA dG) -mx_scale_rowsz //; exact: dims_mulz dA dG.
have hs' : \sum_i sm' 0 i ^+ 2 <= 1.
  under eq_bigr do rewrite mxE expr_div_n expr2 [_ ^+ 2 in X in _ / X]expr2.
  rewrite -mulr_suml -zF_dotz // -zFM ler_pdivr_mulr ?mul1r ?zF_le //.
  by apply: zF_gt0; exact: zpos_mul.
have hG' j : \sum_l mx n k G qG j l ^+ 2 <= 1.
  under eq_bigr do rewrite mxE expr_div_n expr2 [_ ^+ 2 in X in _ / X]expr2.
  rewrite -mulr_suml -zF_dotz ?(dims_row dG) // -zFM ler_pdivr_mulr ?mul1r.
    by apply: zF_le; apply: (allP hG); rewrite mem_nth // (dims_size dG).
  by apply: zF_gt0; exact: zpos_mul.
have tau0' : 0 <= zF tau / zF qt by apply: divr_ge0; [exact: zF_ge0|exact: ltW (zF_gt0 F qt0)].
rewrite zF0 mul0r !add0r; case: (rows) dL dC => dL dC lt.
  have := tailzP Q0 qL0 qC0 qt0 wQ wL wC wt dK dL dC lt.
  by rewrite eK; exact: (eckart_young_rows hs' hG' tau0').
have := tailzP Q0 qL0 qC0 qt0 wQ wL wC wt (dims_trz dK) dL dC lt.
by rewrite (mx_trz F Q dK) trmxK fro2_tr eK; exact: (eckart_young_columns hs' hG' tau0').
Qed.

End Sound.
