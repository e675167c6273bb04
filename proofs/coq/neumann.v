(* The Neumann–Gastinel lower bound of lib/docs/certificates.md, section "Neumann".

   - gastinel_unitmx   ‖I − R G‖ + ‖R‖ ‖G − X‖ < 1 makes X invertible;
   - gastinel_lower    ‖I − R S Ã D‖ + t ‖R‖ ‖S‖ ‖D‖ < 1  implies  r_t(Ã) ≥ M, where S is M×m, D is N×M;
   - neumann_lower     the same for ‖S‖ ≤ 1, ‖D‖ ≤ 1: ‖I − R S Ã D‖ + t ‖R‖ < 1, the form that is checked;
   - plain_neumann_lower   R = I: ‖S Ã D − I‖ + t < 1, the paper's (D.4) and (E.17). *)
From mathcomp Require Import all_ssreflect all_algebra.
Require Import norms rank.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Neumann.
Variable F : realFieldType.

Theorem gastinel_unitmx n (G R X : 'M[F]_n) :
  rnorm (1%:M - R *m G) + rnorm R * rnorm (G - X) < 1 -> X \in unitmx.
Proof.
move=> lt1; suff: R *m X \in unitmx by rewrite unitmx_mul => /andP[].
apply: neumann_unitmx; apply: le_lt_trans lt1.
have -> : 1%:M - R *m X = (1%:M - R *m G) + R *m (G - X) by rewrite mulmxBr addrA subrK.
by apply: le_trans (rnormD _ _) _; rewrite ler_add2l rnormM.
Qed.

Lemma rank_sandwich m n M (S : 'M[F]_(M, m)) (B : 'M[F]_(m, n)) (D : 'M[F]_(n, M)) :
  S *m B *m D \in unitmx -> (M <= \rank B)%N.
Proof.
by move=> /mxrank_unit <-; exact: leq_trans (mxrankM_maxl _ _) (mxrankM_maxr _ _).
Qed.

Section Lower.
Variables (m n M : nat) (A : 'M[F]_(m, n)).
Variables (S : 'M[F]_(M, m)) (D : 'M[F]_(n, M)) (R : 'M[F]_M) (t : F).

Theorem gastinel_lower :
  rnorm (1%:M - R *m (S *m A *m D)) + t * (rnorm R * rnorm S * rnorm D) < 1 -> reps_ge A t M.
Proof.
move=> lt1 B hB; apply: (@rank_sandwich _ _ _ S B D); apply: (@gastinel_unitmx _ (S *m A *m D) R).
apply: le_lt_trans lt1; rewrite ler_add2l mulrCA -!mulrA ler_wpmul2l //.
rewrite -mulmxBl -mulmxBr; apply: le_trans (rnormM _ _) _.
by rewrite mulrA ler_wpmul2r // (le_trans (rnormM _ _)) // ler_wpmul2l.
Qed.

Theorem neumann_lower :
  0 <= t -> rnorm S <= 1 -> rnorm D <= 1 ->
  rnorm (1%:M - R *m (S *m A *m D)) + t * rnorm R < 1 -> reps_ge A t M.
Proof.
move=> t0 hS hD lt1; apply: gastinel_lower; apply: le_lt_trans lt1.
rewrite ler_add2l ler_wpmul2l // -mulrA -[X in _ <= X]mulr1 ler_wpmul2l //.
by rewrite -[X in _ <= X]mulr1 ler_pmul.
Qed.

End Lower.

Corollary plain_neumann_lower m n M (A : 'M[F]_(m, n)) (S : 'M[F]_(M, m)) (D : 'M[F]_(n, M)) t :
  0 <= t -> rnorm S <= 1 -> rnorm D <= 1 -> rnorm (S *m A *m D - 1%:M) + t < 1 -> reps_ge A t M.
Proof.
move=> t0 hS hD lt1; apply: (@neumann_lower _ _ _ _ S D 1%:M) => //.
rewrite mul1mx rnormC; apply: le_lt_trans lt1; rewrite ler_add2l.
by rewrite -[X in _ <= X]mulr1 ler_wpmul2l // rnorm1_le.
Qed.

End Neumann.
