(* The rules of lib/docs/certificates.md, section "Rules".

   - nonzero_rule         ‖A‖ > ε:  r_ε(A) ≥ 1;
   - zero_rule            ‖A‖ ≤ ε:  r_ε(A) ≤ 0;
   - stochastic_norm      non-negative entries, rows that sum to one, a row: ‖A‖ = 1;
   - shape_rule           r_ε(A) ≤ min(m, N);
   - distinct_rows_rule   r_ε(A) ≤ number of distinct rows;
   - exact_rank_rule      r_0(A) ≥ rank A, and r_ε(A) ≤ rank A for ε ≥ 0;
   - support_rule         ε = 0: k rows and k columns on which A is triangular with a non-zero diagonal
                          give r_0(A) ≥ k;
   - last_columns_rule    ... in particular rows whose last non-zero columns increase strictly;
   - first_columns_rule   ... or whose first non-zero columns do. *)
From mathcomp Require Import all_ssreflect all_algebra.
Require Import norms rank upper.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Rules.
Variable F : realFieldType.
Variables (m n : nat) (A : 'M[F]_(m, n)).

Theorem nonzero_rule eps : eps < rnorm A -> reps_ge A eps 1.
Proof.
move=> lt B hB; rewrite lt0n mxrank_eq0; apply: contraTneq hB => ->.
by rewrite subr0 -ltNge.
Qed.

Theorem zero_rule eps : rnorm A <= eps -> reps_le A eps 0.
Proof. by move=> h; exists 0; rewrite ?subr0 ?mxrank0. Qed.

Theorem stochastic_norm :
  (0 < m)%N -> (forall i j, 0 <= A i j) -> (forall i, \sum_j A i j = 1) -> rnorm A = 1.
Proof.
case: m A => // m' A' _ A0 A1; have sum i : \sum_j `|A' i j| = 1.
  by rewrite -[RHS](A1 i); apply: eq_bigr => j _; rewrite ger0_norm.
apply/eqP; rewrite eq_le; apply/andP; split; first by apply: rnorm_le => [|i]; rewrite ?ler01 ?sum.
by rewrite -(sum ord0) rnorm_row.
Qed.

Theorem shape_rule eps : 0 <= eps -> reps_le A eps (minn m n).
Proof.
by move=> e0; exists A; rewrite ?subrr ?rnorm0 // leq_min rank_leq_row rank_leq_col.
Qed.

Theorem distinct_rows_rule eps :
  0 <= eps -> reps_le A eps (size (undup [seq row i A | i <- enum 'I_m])).
Proof. by move=> e0; exists A; rewrite ?subrr ?rnorm0 // rank_distinct_rows. Qed.

Lemma reps_ge_rank : reps_ge A 0 (\rank A).
Proof.
move=> B hB; suff -> : A = B by [].
by apply/eqP; rewrite -subr_eq0 -rnorm_eq0 eq_le hB rnorm_ge0.
Qed.

Theorem exact_rank_rule eps : 0 <= eps -> reps_ge A 0 (\rank A) /\ reps_le A eps (\rank A).
Proof. by move=> e0; split; [exact: reps_ge_rank|exists A; rewrite ?subrr ?rnorm0]. Qed.

Section Support.
Variables (k : nat) (I : 'I_k -> 'I_m) (J : 'I_k -> 'I_n).

Theorem support_rule :
  (forall a, A (I a) (J a) != 0) -> (forall a b : 'I_k, (a < b)%N -> A (I a) (J b) = 0) -> reps_ge A 0 k.
Proof.
move=> diag upper; apply: reps_ge_mono reps_ge_rank.
pose X := \matrix_(a < k, b < k) A (I a) (J b).
have Xu : X \in unitmx.
  rewrite unitmxE det_trig; last by apply/is_trig_mxP => a b ab; rewrite mxE upper.
  by rewrite unitfE; apply/prodf_neq0 => a _; rewrite mxE.
rewrite -(mxrank_unit Xu).
have -> : X = (\matrix_(a, i) (I a == i)%:R) *m A *m (\matrix_(j, b) (J b == j)%:R).
  apply/matrixP => a b; rewrite mxE [RHS]mxE (bigD1 (J b)) //= [X in _ + X]big1 => [|j jb].
    rewrite addr0 [X in _ * X]mxE eqxx mulr1 mxE (bigD1 (I a)) //= big1 => [|i ia].
      by rewrite mxE eqxx mul1r addr0.
    by rewrite mxE eq_sym (negPf ia) mul0r.
  by rewrite [X in _ * X]mxE eq_sym (negPf jb) mulr0.
exact: leq_trans (mxrankM_maxl _ _) (mxrankM_maxr _ _).
Qed.

Theorem last_columns_rule :
  (forall a, A (I a) (J a) != 0) -> (forall a (j : 'I_n), (J a < j)%N -> A (I a) j = 0) ->
  (forall a b : 'I_k, (a < b)%N -> (J a < J b)%N) -> reps_ge A 0 k.
Proof. by move=> diag zero incr; apply: support_rule => // a b /incr /zero. Qed.

End Support.

Theorem first_columns_rule k (I : 'I_k -> 'I_m) (J : 'I_k -> 'I_n) :
  (forall a, A (I a) (J a) != 0) -> (forall a (j : 'I_n), (j < J a)%N -> A (I a) j = 0) ->
  (forall a b : 'I_k, (a < b)%N -> (J a < J b)%N) -> reps_ge A 0 k.
Proof.
move=> diag zero incr; apply: (@support_rule _ (I \o @rev_ord k) (J \o @rev_ord k)) => [a|a b ab] //=.
by apply: zero; apply: incr; rewrite /= ltn_sub2l // (leq_ltn_trans ab).
Qed.

End Rules.
