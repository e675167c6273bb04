(* What ‖·‖ measures: the worst output error of attention over bounded values. Paper, (A.0), which
   lib/docs/certificates.md quotes in section "The norm".

   Values v_1, …, v_N lie in a vector space E with a norm ν (subadditive, absolutely homogeneous, with a
   unit vector e; over an ordered field, which need not have square roots). The outputs of a matrix M are
   Σ_j M_ij v_j. No supremum is taken: a bound is proved for all values, and values that attain it are given.

   - output_le          ν(v_j) ≤ 1 for all j:  ν(Σ_j M_ij v_j) ≤ ‖M‖ for all i;
   - output_attained    signs s_j = ±1 and a row i with ν(Σ_j M_ij s_j e) = ‖M‖ (there being a row);
   - output_normP       ‖M‖ ≤ c says that all outputs of bounded values have norm ≤ c;
   - reps_le_outputs, reps_ge_outputs
                        so r_ε(A) is the least rank of a matrix B that keeps all bounded outputs to ε;
   - value_matrix_le, value_matrix_attained
                        the same for a value matrix V with rows v_j:  ν((M V)_i) ≤ ‖M‖, and attained;
   - vector_le, vector_attained
                        one value column x: ‖M x‖∞ ≤ ‖M‖ ‖x‖∞, and ‖M x‖∞ = ‖M‖ for signs x;
   - row_l1_norm, row_max_norm
                        the ℓ1 and the ℓ∞ norm of rows are such norms ν (the Euclidean one: softmax_real.v). *)
From mathcomp Require Import all_ssreflect all_algebra.
Require Import norms rank.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section OutputError.
Variable F : realFieldType.

Record is_norm (E : lmodType F) (nu : E -> F) : Prop := IsNorm {
  norm_add : forall u v, nu (u + v) <= nu u + nu v;
  norm_scale : forall c v, nu (c *: v) = `|c| * nu v;
  norm_unit : exists e, nu e = 1
}.

(* A row that attains ‖M‖. *)
Lemma rnorm_attained m n (M : 'M[F]_(m.+1, n)) : exists i, \sum_j `|M i j| = rnorm M.
Proof.
case: (@arg_maxP _ _ _ ord0 xpredT (fun i => \sum_j `|M i j|)) => // i _ top; exists i.
by apply/eqP; rewrite eq_le rnorm_row rnorm_le ?sumr_ge0 // => k; apply: top.
Qed.

Definition sign (x : F) : F := if 0 <= x then 1 else -1.

Lemma sign_cases x : sign x = 1 \/ sign x = -1.
Proof. by rewrite /sign; case: ifP; [left|right]. Qed.

Lemma norm_sign x : `|sign x| = 1.
Proof. by case: (sign_cases x) => ->; rewrite ?normrN normr1. Qed.

Lemma mul_sign x : x * sign x = `|x|.
Proof.
rewrite /sign; case: ifP => [/ger0_norm ->|/negbT]; first by rewrite mulr1.
by rewrite -ltNge => /ltr0_norm ->; rewrite mulrN1.
Qed.

Section Values.
Variables (E : lmodType F) (nu : E -> F).
Hypothesis nuP : is_norm nu.

Lemma norm0 : nu 0 = 0.
Proof. by rewrite -(scale0r (0 : E)) (norm_scale nuP) normr0 mul0r. Qed.

Lemma norm_sum n (v : 'I_n -> E) : nu (\sum_j v j) <= \sum_j nu (v j).
Proof.
elim/big_ind2: _ => [|x a y b xa yb|//]; first by rewrite norm0.
by apply: le_trans (norm_add nuP _ _) _; exact: ler_add.
Qed.

Theorem output_le m n (M : 'M[F]_(m, n)) (v : 'I_n -> E) i :
  (forall j, nu (v j) <= 1) -> nu (\sum_j M i j *: v j) <= rnorm M.
Proof.
move=> v1; apply: le_trans (norm_sum _) _; apply: le_trans (rnorm_row M i).
by apply: ler_sum => j _; rewrite (norm_scale nuP) ler_pimulr.
Qed.

Theorem output_attained m n (M : 'M[F]_(m.+1, n)) e : nu e = 1 ->
  exists (s : 'I_n -> F) (i : 'I_m.+1),
    [/\ forall j, s j = 1 \/ s j = -1, forall j, nu (s j *: e) = 1
      & nu (\sum_j M i j *: (s j *: e)) = rnorm M].
Proof.
move=> e1; have [i <-] := rnorm_attained M.
exists (fun j => sign (M i j)), i; split=> [j|j|]; first exact: sign_cases.
  by rewrite (norm_scale nuP) norm_sign e1 mulr1.
under eq_bigr do rewrite scalerA mul_sign.
by rewrite -scaler_suml (norm_scale nuP) e1 mulr1 ger0_norm // sumr_ge0.
Qed.

Theorem output_normP m n (M : 'M[F]_(m, n)) c : 0 <= c ->
  rnorm M <= c <->
  (forall v : 'I_n -> E, (forall j, nu (v j) <= 1) -> forall i, nu (\sum_j M i j *: v j) <= c).
Proof.
move=> c0; split=> [Mc v v1 i|h]; first exact: le_trans (output_le M i v1) Mc.
case: m M h => [M _|m M h]; first by apply: rnorm_le => // -[].
have [e /(output_attained M) [s [i [_ s1 <-]]]] := norm_unit nuP.
by apply: h => j; rewrite s1.
Qed.

(* B keeps all outputs of bounded values to ε. *)
Definition keeps_outputs m n (A B : 'M[F]_(m, n)) (eps : F) : Prop :=
  forall v : 'I_n -> E, (forall j, nu (v j) <= 1) ->
  forall i, nu (\sum_j A i j *: v j - \sum_j B i j *: v j) <= eps.

Theorem keeps_outputsP m n (A B : 'M[F]_(m, n)) eps : 0 <= eps ->
  rnorm (A - B) <= eps <-> keeps_outputs A B eps.
Proof.
have sub v i : \sum_j A i j *: v j - \sum_j B i j *: v j = \sum_j (A - B) i j *: v j :> E.
  by rewrite -sumrB; apply: eq_bigr => j _; rewrite !mxE scalerBl.
by move/(output_normP (A - B)) => [h h']; split=> H; [move=> v v1 i; rewrite sub; exact: h|
  apply: h' => v v1 i; rewrite -sub; exact: H].
Qed.

Theorem reps_le_outputs m n (A : 'M[F]_(m, n)) eps k : 0 <= eps ->
  reps_le A eps k <-> exists2 B, keeps_outputs A B eps & (\rank B <= k)%N.
Proof.
by move=> e0; split=> -[B hB rB]; exists B => //; apply/(keeps_outputsP A B e0).
Qed.

Theorem reps_ge_outputs m n (A : 'M[F]_(m, n)) eps k : 0 <= eps ->
  reps_ge A eps k <-> forall B, keeps_outputs A B eps -> (k <= \rank B)%N.
Proof.
by move=> e0; split=> h B hB; apply: h; apply/(keeps_outputsP A B e0).
Qed.

End Values.

(* ---- value matrices ---- *)

Section Matrices.
Variables (m n d : nat) (nu : 'rV[F]_d -> F).
Hypothesis nuP : is_norm nu.

Lemma row_output (M : 'M[F]_(m, n)) (V : 'M_(n, d)) i :
  row i (M *m V) = \sum_j M i j *: row j V.
Proof.
apply/rowP => k; rewrite !mxE summxE; apply: eq_bigr => j _.
by rewrite !mxE.
Qed.

Theorem value_matrix_le (M : 'M[F]_(m, n)) (V : 'M_(n, d)) i :
  (forall j, nu (row j V) <= 1) -> nu (row i (M *m V)) <= rnorm M.
Proof. by move=> V1; rewrite row_output; exact: output_le. Qed.

End Matrices.

Theorem value_matrix_attained m n d (nu : 'rV[F]_d -> F) (M : 'M[F]_(m.+1, n)) e :
  is_norm nu -> nu e = 1 ->
  exists (s : 'cV[F]_n) (i : 'I_m.+1),
    [/\ forall j, s j 0 = 1 \/ s j 0 = -1, forall j, nu (row j (s *m e)) = 1
      & nu (row i (M *m (s *m e))) = rnorm M].
Proof.
move=> nuP e1; have [s [i [s1 se sM]]] := output_attained nuP M e1.
have rowE j : row j ((\col_j s j) *m e) = s j *: e.
  by apply/rowP => k; rewrite !mxE big_ord1 !mxE.
exists (\col_j s j), i; split=> [j|j|]; rewrite ?mxE ?rowE //.
by rewrite row_output -sM; congr nu; apply: eq_bigr => j _; rewrite rowE.
Qed.

Lemma row_l1_norm d : is_norm (@rnorm F 1 d.+1).
Proof.
split; [exact: rnormD|exact: rnormZ|exists (delta_mx 0 0)].
apply/eqP; rewrite eq_le; apply/andP; split; last first.
  by apply: le_trans (rnorm_row _ 0); rewrite (bigD1 ord0) //= mxE !eqxx normr1 ler_addl sumr_ge0.
apply: rnorm_le => [|i]; [exact: ler01|]; rewrite (bigD1 ord0) //= mxE big1 ?addr0 => [|j /negPf j0].
  by rewrite (ord1 i) eqxx normr1.
by rewrite mxE j0 andbF normr0.
Qed.

Lemma row_max_norm d : is_norm (fun v : 'rV[F]_d.+1 => rnorm v^T).
Proof.
split=> [u v|c v|]; first by rewrite linearD rnormD.
  by rewrite linearZ rnormZ.
exists (delta_mx 0 0); rewrite trmx_delta; apply/eqP; rewrite eq_le; apply/andP; split; last first.
  by apply: le_trans (rnorm_col _ 0); rewrite mxE !eqxx normr1.
by apply: rnorm_col_le => [|i]; [exact: ler01|]; rewrite mxE eqxx andbT; case: (i == 0); rewrite ?normr1 ?normr0 ?lexx ?ler01.
Qed.

(* ---- one column of values ---- *)

Theorem vector_le m n (M : 'M[F]_(m, n)) (x : 'cV_n) :
  rnorm (M *m x) <= rnorm M * rnorm x.
Proof. exact: rnormM. Qed.

Theorem vector_attained m n (M : 'M[F]_(m, n)) :
  exists2 x : 'cV[F]_n, forall j, x j 0 = 1 \/ x j 0 = -1 & rnorm (M *m x) = rnorm M.
Proof.
case: m M => [|m] M.
  exists (const_mx 1) => [j|]; first by left; rewrite mxE.
  by rewrite /rnorm !big_ord0.
have [i rowi] := rnorm_attained M.
exists (\col_j sign (M i j)) => [j|]; first by rewrite mxE; exact: sign_cases.
apply/eqP; rewrite eq_le; apply/andP; split.
  rewrite -[X in _ <= X]mulr1; apply: le_trans (rnormM _ _) _; apply: ler_wpmul2l => //.
  by apply: rnorm_col_le => [|j]; [exact: ler01|rewrite mxE norm_sign].
rewrite -rowi; apply: le_trans (rnorm_col _ i); rewrite mxE.
by under [X in _ <= `|X|]eq_bigr do rewrite mxE mul_sign; rewrite ger0_norm ?sumr_ge0.
Qed.

End OutputError.
