(* The fixed-space lower bound of lib/docs/certificates.md, section "Fixed space".

   - fixed_space_lower   D (N×k) has the identity as its rows J, and ‖D − S Ã D‖ + t ‖S‖ < 1:
                         then r_t(Ã) ≥ k.

   J need not be assumed injective: rows that make an identity are distinct by themselves. *)
From mathcomp Require Import all_ssreflect all_algebra.
Require Import norms rank.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section FixedSpace.
Variable F : realFieldType.
Variables (m n k : nat) (A : 'M[F]_(m, n)) (S : 'M[F]_(n, m)) (D : 'M[F]_(n, k)) (t : F).

(* A matrix with more columns than its rank sends some non-zero vector to zero. *)
Lemma kernel_vector p q (X : 'M[F]_(p, q)) :
  (\rank X < q)%N -> exists2 c : 'cV[F]_q, X *m c = 0 & c != 0.
Proof.
move=> rX; have : kermx X^T != 0 by rewrite kermx_eq0 /row_free mxrank_tr neq_ltn rX.
case/rowV0Pn => v /sub_kermxP vX v0; exists v^T; last by rewrite -(inj_eq trmx_inj) trmx0 trmxK.
by apply: trmx_inj; rewrite trmx_mul trmxK vX trmx0.
Qed.

Theorem fixed_space_lower (J : 'I_k -> 'I_n) :
  (forall a b, D (J a) b = (a == b)%:R) ->
  rnorm (D - S *m A *m D) + t * rnorm S < 1 -> reps_ge A t k.
Proof.
move=> DJ lt1 B hB; rewrite leqNgt; apply/negP => rB.
have [|c Bc c0] := @kernel_vector _ _ (B *m D); first exact: leq_ltn_trans (mxrankM_maxl _ _) rB.
set x := D *m c; have cx : rnorm c <= rnorm x.
  apply: rnorm_col_le => // a; apply: le_trans (rnorm_col x (J a)); rewrite mxE (bigD1 a) //=.
  rewrite DJ eqxx mul1r big1 ?addr0 // => b ba; by rewrite DJ eq_sym (negPf ba) mul0r.
have x0 : 0 < rnorm x by apply: lt_le_trans cx; rewrite rnorm_gt0.
have ex : x = (D - S *m A *m D) *m c + S *m ((A - B) *m x).
  by rewrite (mulmxBl A) {3}/x (mulmxA B) Bc subr0 mulmxBl !mulmxA subrK.
suff : rnorm x <= (rnorm (D - S *m A *m D) + t * rnorm S) * rnorm x.
  by rewrite leNgt gtr_pmull ?lt1.
rewrite {1}ex mulrDl; apply: le_trans (rnormD _ _) _; apply: ler_add.
  by apply: le_trans (rnormM _ _) _; rewrite ler_wpmul2l.
apply: le_trans (rnormM _ _) _; rewrite [t * _]mulrC -mulrA ler_wpmul2l //.
by apply: le_trans (rnormM _ _) _; rewrite ler_wpmul2r.
Qed.

End FixedSpace.
