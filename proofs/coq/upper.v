(* The upper bounds of lib/docs/certificates.md, sections "Factors" and "Representative rows".

   - factor_upper            U is m×r, V is r×N, c > 0, ‖c Ã − U V‖ ≤ c t:  r_t(Ã) ≤ r;
   - representatives_upper   ‖Ã_i − Ã_p(i)‖₁ ≤ t for every row i:  r_t(Ã) ≤ number of values of p;
   - rank_distinct_rows      rank B ≤ number of distinct rows of B. *)
From mathcomp Require Import all_ssreflect all_algebra.
Require Import norms rank.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Upper.
Variable F : realFieldType.

Theorem factor_upper m n r (A : 'M[F]_(m, n)) (U : 'M[F]_(m, r)) (V : 'M[F]_(r, n)) c t :
  0 < c -> rnorm (c *: A - U *m V) <= c * t -> reps_le A t r.
Proof.
move=> c0 h; exists (c^-1 *: (U *m V)).
  have -> : A - c^-1 *: (U *m V) = c^-1 *: (c *: A - U *m V).
    by rewrite scalerBr scalerK ?gt_eqF.
  by rewrite rnormZ ger0_norm ?invr_ge0 ?(ltW c0) // mulrC ler_pdivr_mulr // mulrC.
by apply: leq_trans (mxrank_scale _ _) _; exact: mulmx_max_rank.
Qed.

(* A matrix whose rows are rows of C, chosen by f, is a product with C. *)
Lemma rank_rep m n M (C : 'M[F]_(M, n)) (f : 'I_m -> 'I_M) :
  (\rank (\matrix_i row (f i) C) <= M)%N.
Proof.
have -> : \matrix_i row (f i) C = (\matrix_(i, k) (f i == k)%:R) *m C.
  apply/matrixP=> i j; rewrite !mxE (bigD1 (f i)) //= mxE eqxx mul1r big1 ?addr0 //.
  by move=> k kf; rewrite mxE eq_sym (negPf kf) mul0r.
exact: mulmx_max_rank.
Qed.

(* The rows of B are told apart by f, which takes the values in s. *)
Lemma rank_labels m n (T : eqType) (B : 'M[F]_(m, n)) (f : 'I_m -> T) (s : seq T) :
  (forall i, f i \in s) -> (forall i i', f i = f i' -> row i B = row i' B) ->
  (\rank B <= size s)%N.
Proof.
move=> fs fB; case: m B f fs fB => [|m] B f fs fB; first by rewrite (leq_trans (rank_leq_row _)).
have hi i : (index (f i) s < size s)%N by rewrite index_mem.
pose g (k : 'I_(size s)) := odflt ord0 [pick i | f i == nth (f ord0) s k].
have -> : B = \matrix_i row (Ordinal (hi i)) (\matrix_k row (g k) B).
  apply/row_matrixP => i; rewrite !rowK /g /= nth_index //.
  case: pickP => [i' /eqP /fB -> //|/(_ i)]; by rewrite eqxx.
exact: rank_rep.
Qed.

Theorem rank_distinct_rows m n (B : 'M[F]_(m, n)) :
  (\rank B <= size (undup [seq row i B | i <- enum 'I_m]))%N.
Proof.
apply: (@rank_labels _ _ _ _ (fun i => row i B)) => // i.
by rewrite mem_undup; apply: (map_f (fun i => row i B)); rewrite mem_enum.
Qed.

Theorem representatives_upper m n (A : 'M[F]_(m, n)) (p : 'I_m -> 'I_m) t :
  0 <= t -> (forall i, \sum_j `|A i j - A (p i) j| <= t) -> reps_le A t #|codom p|.
Proof.
move=> t0 h; exists (\matrix_i row (p i) A).
  by apply: rnorm_le => // i; under eq_bigr do rewrite !mxE; exact: h.
rewrite cardE; apply: (@rank_labels _ _ _ _ p) => [i|i i' e].
  by rewrite mem_enum codom_f.
by rewrite !rowK e.
Qed.

End Upper.
