(* The norm of lib/docs/certificates.md, section "The norm":

     ‖A‖ = max_i Σ_j |A_ij|,  the largest l1 norm of a row; 0 for a matrix without rows.

   - rnorm_leP        ‖A‖ ≤ c (for c ≥ 0) says that every row has l1 norm ≤ c;
   - rnormD, rnormM   ‖A + B‖ ≤ ‖A‖ + ‖B‖ and ‖A B‖ ≤ ‖A‖ ‖B‖;
   - neumann_unitmx   ‖I − X‖ < 1 makes X invertible.

   Everything here and in the other files but those of the reals (real_field.v, softmax_real.v,
   enclosure_real.v, float_model.v, float_real.v) is over an arbitrary ordered field: there is no limit and no
   square root in it, so that the same theorems hold of the rationals, on which the checker computes, and of
   the reals, of which softmax speaks. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Norms.
Variable F : realFieldType.

Definition rnorm m n (A : 'M[F]_(m, n)) : F := \big[Num.max/0]_i \sum_j `|A i j|.

Lemma rnorm_ge0 m n (A : 'M[F]_(m, n)) : 0 <= rnorm A.
Proof.
rewrite /rnorm; elim/big_ind: _ => // [x y x0 y0|i _]; first by rewrite le_maxr x0.
exact: sumr_ge0.
Qed.
Hint Resolve rnorm_ge0 : core.

Lemma rnorm_row m n (A : 'M[F]_(m, n)) i : \sum_j `|A i j| <= rnorm A.
Proof.
rewrite /rnorm; have: i \in index_enum (ordinal_finType m) by exact: mem_index_enum.
elim: (index_enum _) => // k s IH; rewrite inE big_cons le_maxr.
by case/predU1P => [->|/IH ->]; rewrite ?lexx ?orbT.
Qed.

Lemma rnorm_leP m n (A : 'M[F]_(m, n)) c :
  0 <= c -> reflect (forall i, \sum_j `|A i j| <= c) (rnorm A <= c).
Proof.
move=> c0; apply: (iffP idP) => [h i|h]; first exact: le_trans (rnorm_row A i) h.
by rewrite /rnorm; elim/big_ind: _ => // x y xc yc; rewrite le_maxl xc.
Qed.

Lemma rnorm_le m n (A : 'M[F]_(m, n)) c :
  0 <= c -> (forall i, \sum_j `|A i j| <= c) -> rnorm A <= c.
Proof. by move=> c0 h; apply/rnorm_leP. Qed.

Lemma rnormD m n (A B : 'M[F]_(m, n)) : rnorm (A + B) <= rnorm A + rnorm B.
Proof.
apply: rnorm_le => [|i]; first exact: addr_ge0.
apply: le_trans (ler_add (rnorm_row A i) (rnorm_row B i)).
by rewrite -big_split ler_sum //= => j _; rewrite mxE ler_norm_add.
Qed.

Lemma rnormN m n (A : 'M[F]_(m, n)) : rnorm (- A) = rnorm A.
Proof. by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite mxE normrN. Qed.

Lemma rnormC m n (A B : 'M[F]_(m, n)) : rnorm (A - B) = rnorm (B - A).
Proof. by rewrite -rnormN opprB. Qed.

Lemma rnorm0 m n : rnorm (0 : 'M[F]_(m, n)) = 0.
Proof.
apply/eqP; rewrite eq_le rnorm_ge0 andbT; apply: rnorm_le => // i.
by rewrite big1 // => j _; rewrite mxE normr0.
Qed.

Lemma rnorm1_le n : rnorm (1%:M : 'M[F]_n) <= 1.
Proof.
apply: rnorm_le => // i; rewrite (bigD1 i) //= mxE eqxx normr1 big1 ?addr0 // => j ji.
by rewrite mxE eq_sym (negPf ji) normr0.
Qed.

Lemma rnormM m n p (A : 'M[F]_(m, n)) (B : 'M[F]_(n, p)) :
  rnorm (A *m B) <= rnorm A * rnorm B.
Proof.
apply: rnorm_le => [|i]; first exact: mulr_ge0.
apply: (@le_trans _ _ (\sum_k \sum_j `|A i k| * `|B k j|)).
  rewrite exchange_big ler_sum //= => j _; rewrite mxE.
  apply: le_trans (ler_norm_sum _ _ _) _.
  by rewrite ler_sum // => k _; rewrite normrM.
apply: le_trans (ler_wpmul2r (rnorm_ge0 B) (rnorm_row A i)); rewrite mulr_suml.
by apply: ler_sum => k _; rewrite -mulr_sumr ler_wpmul2l // rnorm_row.
Qed.

Lemma rnormZ m n (c : F) (A : 'M[F]_(m, n)) : rnorm (c *: A) = `|c| * rnorm A.
Proof.
have le (d : F) (B : 'M[F]_(m, n)) : rnorm (d *: B) <= `|d| * rnorm B.
  apply: rnorm_le => [|i]; first by rewrite mulr_ge0.
  under eq_bigr do rewrite mxE normrM; rewrite -mulr_sumr.
  by rewrite ler_wpmul2l // rnorm_row.
apply/eqP; rewrite eq_le le /=; have [->|c0] := eqVneq c 0.
  by rewrite normr0 mul0r.
rewrite -[X in _ * rnorm X](scalerK c0); apply: le_trans (ler_wpmul2l _ (le _ _)) _ => //.
by rewrite mulrA -normrM mulfV // normr1 mul1r.
Qed.

(* The largest coordinate of x, and ‖A x‖∞ ≤ ‖A‖ ‖x‖∞. *)
Lemma rnorm_col n (x : 'cV[F]_n) i : `|x i 0| <= rnorm x.
Proof. by apply: le_trans (rnorm_row x i); rewrite big_ord1. Qed.

Lemma rnorm_col_le n (x : 'cV[F]_n) c : 0 <= c -> (forall i, `|x i 0| <= c) -> rnorm x <= c.
Proof. by move=> c0 h; apply: rnorm_le => // i; rewrite big_ord1. Qed.

Lemma rnorm_eq0 m n (A : 'M[F]_(m, n)) : (rnorm A == 0) = (A == 0).
Proof.
apply/eqP/eqP => [h|->]; last exact: rnorm0.
apply/matrixP => i j; apply/eqP; rewrite mxE -normr_le0 -h.
apply: le_trans (rnorm_row A i); rewrite (bigD1 j) //= ler_addl; exact: sumr_ge0.
Qed.

Lemma rnorm_gt0 m n (A : 'M[F]_(m, n)) : (0 < rnorm A) = (A != 0).
Proof. by rewrite lt_def rnorm_eq0 rnorm_ge0 andbT. Qed.

(* ---- invertible matrices ---- *)

Lemma unitmx_inj n (X : 'M[F]_n) :
  (forall x : 'cV[F]_n, X *m x = 0 -> x = 0) -> X \in unitmx.
Proof.
move=> H; rewrite -unitmx_tr -row_free_unit -kermx_eq0; apply/eqP/row_matrixP=> i.
rewrite row0; apply: trmx_inj; rewrite trmx0; apply: H.
have h : row i (kermx X^T) *m X^T = 0 by apply/sub_kermxP; exact: row_sub.
by apply: trmx_inj; rewrite trmx_mul trmxK h trmx0.
Qed.

Lemma neumann_unitmx n (X : 'M[F]_n) : rnorm (1%:M - X) < 1 -> X \in unitmx.
Proof.
move=> lt1; apply: unitmx_inj => x Xx0; apply/eqP; apply: contraLR lt1 => x0.
rewrite -leNgt -(ler_pmul2r (_ : 0 < rnorm x)) ?rnorm_gt0 // mul1r.
by apply: le_trans (rnormM _ _); rewrite mulmxBl Xx0 mul1mx subr0.
Qed.

End Norms.
Global Hint Resolve rnorm_ge0 : core.
