(* Executable measures of the fixed-space and Neumann witnesses (lib/docs/certificates.md, sections "Fixed
   space" and "Neumann"), in integers, and their soundness.

   - measure_fixed_space_sound, measure_neumann_sound: where a measure is given, its condition at t implies
     r_t(Ã) ≥ k. All matrices are integers over a common denominator: Ã = A / qA, D / qD and so on. *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import ssrZ.
Require Import norms rank zmatrix measure neumann fixed_space.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

(* Ã is m×n; D is n×k, S is n×m, J are the k rows of D that are the identity. *)
Definition measure_fixed_space (m n k : nat) (A D S : zmat) (qA qD qS : Z) (J : seq nat) : option condition :=
  if [&& Z.ltb Z0 qA, Z.ltb Z0 qD, Z.ltb Z0 qS, dims m n A, dims n k D, dims n m S, size J == k,
         all (fun j => j < n) J & eqz (rowsz J D) (idz k qD)]
  then let P := mulz k S (mulz k A D) in
       let E := subz (scalez (qS * qA)%Z D) P in
       Some (Below (normz E) (normz S * (qA * qD))%Z Z0 (qS * (qA * qD))%Z)
  else None.

(* S is M×m, D is n×M, R is M×M. *)
Definition measure_neumann (m n M : nat) (A S D R : zmat) (qA qS qD qR : Z) : option condition :=
  if [&& Z.ltb Z0 qA, Z.ltb Z0 qS, Z.ltb Z0 qD, Z.ltb Z0 qR, dims m n A, dims M m S, dims n M D, dims M M R,
         Z.leb (normz S) qS & Z.leb (normz D) qD]
  then let P := mulz M R (mulz M S (mulz M A D)) in
       let q := (qR * (qS * (qA * qD)))%Z in
       Some (Below (normz (subz (idz M q) P)) (normz R * (qS * (qA * qD)))%Z Z0 q)
  else None.

Local Open Scope ring_scope.

Section Sound.
Variable F : realFieldType.
Local Notation zF := (zF F).
Local Notation mx := (mx F).

(* a + b t < d over integers is (a / q) + t (b / q) < d / q over fractions. *)
Lemma contraction (a b d t : F) q : 0 < q -> a + b * t + zF Z0 * t ^+ 2 < d -> a / q + t * (b / q) < d / q.
Proof. by move=> q0; rewrite zF0 mul0r addr0 mulrA [t * _]mulrC -mulrDl ltr_pmul2r // invr_gt0. Qed.

Theorem measure_fixed_space_sound m n k A D S qA qD qS J c :
  measure_fixed_space m n k A D S qA qD qS J = Some c -> lower_holds c (mx m n A qA) k.
Proof.
rewrite /measure_fixed_space; case: ifP => // /and5P[qA0 qD0 qS0 dA /and5P[dD dS sJ Jn /eqzP DJ]] [<-] t t0.
have q0 : (0 <? qS * (qA * qD))%Z by rewrite !zpos_mul.
have dP := dims_mulz dS (dims_mulz dA dD); have dD' := dims_scalez (qS * qA)%Z dD.
move=> /(contraction (zF_gt0 F q0)); rewrite mulfV ?gt_eqF ?zF_gt0 // => lt1.
have hJ (a : 'I_k) : (nth 0%N J a < n)%N by apply: (allP Jn); rewrite mem_nth // (eqP sJ).
pose j a : 'I_n := Ordinal (hJ a).
apply: (@fixed_space_lower _ _ _ _ _ (mx n m S qS) (mx n k D qD) t j).
  move=> a b; rewrite mxE -(@ent_rowsz F J D a b); last by rewrite (eqP sJ).
  rewrite DJ ent_idz; case: eqP => _; rewrite ?mul0r // mulfV // gt_eqF // zF_gt0 //.
rewrite -mulmxA -(mx_mulz F qA qD dA dD) -(mx_mulz F qS _ dS (dims_mulz dA dD)).
rewrite -(mx_scalez F n k D qD (zpos_mul qS0 qA0)) -Z.mul_assoc -mx_subz // rnorm_mx ?dims_subz //.
rewrite rnorm_mx //; move: lt1; congr (_ + t * _ < _).
rewrite !zFM; have [A0 D0] : zF qA != 0 /\ zF qD != 0 by rewrite !gt_eqF ?zF_gt0.
by rewrite -mulf_div mulfV ?mulr1 // mulf_neq0.
Qed.

Theorem measure_neumann_sound m n M A S D R qA qS qD qR c :
  measure_neumann m n M A S D R qA qS qD qR = Some c -> lower_holds c (mx m n A qA) M.
Proof.
rewrite /measure_neumann; case: ifP => // /and5P[qA0 qS0 qD0 qR0 /and5P[dA dS dD dR /andP[hS hD]]] [<-] t t0.
set q := (qR * _)%Z; have q0 : (0 <? q)%Z by rewrite !zpos_mul.
move=> /(contraction (zF_gt0 F q0)); rewrite mulfV ?gt_eqF ?zF_gt0 // => lt1.
have le1 p p' X x : dims p p' X -> (0 <? x)%Z -> (normz X <=? x)%Z -> rnorm (mx p p' X x) <= 1.
  by move=> dX x0 le; rewrite rnorm_mx // ler_pdivr_mulr ?zF_gt0 // mul1r zF_le.
apply: (@neumann_lower _ _ _ _ _ (mx M m S qS) (mx n M D qD) (mx M M R qR) t) => //; try exact: le1.
have dAD := dims_mulz dA dD; have dSAD := dims_mulz dS dAD; have dP := dims_mulz dR dSAD.
rewrite -(mulmxA _ (mx m n A qA)) -(mx_mulz F qA qD dA dD) -(mx_mulz F qS _ dS dAD) -(mx_mulz F qR _ dR dSAD).
rewrite -(mx_idz1 F M q0) -mx_subz ?dims_idz // rnorm_mx ?dims_subz ?dims_idz //.
rewrite rnorm_mx //; move: lt1; congr (_ + t * _ < _).
rewrite /q !zFM; have [[A0 D0] S0] : (zF qA != 0 /\ zF qD != 0) /\ zF qS != 0 by rewrite !gt_eqF ?zF_gt0.
by rewrite -mulf_div mulfV ?mulr1 // !mulf_neq0.
Qed.

End Sound.
