(* The weighted, grouped Eckart–Young bound of lib/docs/certificates.md, section of that name.

   With K = diag(s) Ã G, H = K Kᵀ or Kᵀ K of order p, E = τ I + L Lᵀ − H − C Cᵀ:
     Σ s_i² ≤ 1, ‖G_j‖₂ ≤ 1, τ ≥ 0, tr H − r τ − ‖L‖_F² − p ‖E‖ > t²  imply  r_t(Ã) ≥ r + 1.

   - exists_proj        an orthogonal projector onto a column space, without square roots;
   - ky_fan_dual        weak duality for the least ‖K − B‖_F² over B of a given rank;
   - eckart_young_rows, eckart_young_columns   the bound for either Gram matrix. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Require Import norms rank.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section EckartYoung.
Variable F : realFieldType.

Definition fro2 m n (A : 'M[F]_(m, n)) : F := \sum_i \sum_j A i j ^+ 2.
Definition psd n (W : 'M[F]_n) : Prop :=
  forall x : 'rV[F]_n, 0 <= (x *m W *m x^T) 0 0.

Lemma fro2E m n (A : 'M[F]_(m, n)) : fro2 A = \tr (A *m A^T).
Proof.
by apply: eq_bigr => i _; rewrite mxE; apply: eq_bigr => j _; rewrite mxE expr2.
Qed.

Lemma fro2_ge0 m n (A : 'M[F]_(m, n)) : 0 <= fro2 A.
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: sqr_ge0. Qed.

Lemma sqnorm_eq0 n (y : 'rV[F]_n) : (y *m y^T) 0 0 = 0 -> y = 0.
Proof.
rewrite mxE; under eq_bigr do rewrite mxE -expr2.
move/eqP; rewrite psumr_eq0 => [/allP h|j _]; last exact: sqr_ge0.
by apply/rowP=> j; apply/eqP; rewrite mxE -sqrf_eq0; apply: h; rewrite mem_index_enum.
Qed.

Lemma gram_unit r m (U : 'M[F]_(r, m)) : row_free U -> U *m U^T \in unitmx.
Proof.
move=> fU; apply: unitmx_inj => x h.
have : x^T *m U = 0.
  apply: sqnorm_eq0.
  by rewrite trmx_mul trmxK mulmxA -(mulmxA x^T) -mulmxA h mulmx0 mxE.
rewrite -[RHS](mul0mx _ U) => /(row_free_inj fU) xT0.
by apply: trmx_inj; rewrite xT0 trmx0.
Qed.

(* Orthogonal projector on the column space, no square roots needed. *)
Lemma exists_proj m n (B : 'M[F]_(m, n)) :
  exists Q : 'M[F]_m,
    [/\ Q *m B = B, Q *m Q = Q, Q^T = Q & \tr Q = (\rank B)%:R].
Proof.
have : exists2 U : 'M[F]_(\rank B, m), row_free U & (B^T <= U)%MS.
  rewrite -mxrank_tr; exists (row_base B^T); first exact: row_base_free.
  by rewrite eq_row_base.
case=> U /gram_unit gU /submxP[X BX].
have gT : (invmx (U *m U^T))^T = invmx (U *m U^T).
  by rewrite trmx_inv trmx_mul trmxK.
exists (U^T *m invmx (U *m U^T) *m U).
have QT : (U^T *m invmx (U *m U^T) *m U)^T = U^T *m invmx (U *m U^T) *m U.
  by rewrite !trmx_mul trmxK gT mulmxA.
split=> //.
- apply: trmx_inj; rewrite trmx_mul QT.
  by rewrite BX !mulmxA -(mulmxA X) -(mulmxA X) mulmxV // mulmx1.
- by rewrite !mulmxA -(mulmxA _ U U^T) -(mulmxA _ (U *m U^T)) mulmxV // mulmx1.
- by rewrite mxtrace_mulC mulmxA mulmxV // mxtrace1.
Qed.

Lemma tr_psd m n (P : 'M[F]_(m, n)) W : psd W -> 0 <= \tr (P *m W *m P^T).
Proof.
move=> h; apply: sumr_ge0 => i _; have := h (row i P); rewrite -row_mul.
congr (0 <= _); rewrite [LHS]mxE [RHS]mxE; apply: eq_bigr => k _.
by rewrite !mxE.
Qed.

Lemma tr_proj n (P W : 'M[F]_n) :
  P *m P = P -> P^T = P -> \tr (P *m W) = \tr (P *m W *m P^T).
Proof. by move=> PP PT; rewrite [RHS]mxtrace_mulC PT mulmxA PP. Qed.

(* Weak duality for  min { ||K - B||_F^2 : rank B <= r }.
   Dual variables (t, V):  t >= 0, V psd, t I + V - K K^T psd. *)
Theorem ky_fan_dual m n (K B : 'M[F]_(m, n)) (V : 'M[F]_m) (t : F) :
  psd V -> psd (t%:M + V - K *m K^T) ->
  fro2 K - (\rank B)%:R * t - \tr V <= fro2 (K - B).
Proof.
move=> hV hW; have [Q [QB QQ QT trQ]] := exists_proj B.
pose P := 1%:M - Q.
have PT : P^T = P by rewrite /P linearB /= trmx1 QT.
have PP : P *m P = P by rewrite /P mulmxBr mulmx1 mulmxBl mul1mx QQ subrr subr0.
have PB : P *m B = 0 by rewrite /P mulmxBl mul1mx QB subrr.
have split W : \tr W = \tr (Q *m W) + \tr (P *m W).
  by rewrite -mxtraceD -mulmxDl /P addrC subrK mul1mx.
have PN : \tr (P *m ((K - B) *m (K - B)^T)) = \tr (P *m (K *m K^T)).
  rewrite !(tr_proj _ PP PT) !mulmxA mulmxBr PB subr0 -!(mulmxA _ _ P^T) -!trmx_mul.
  by rewrite mulmxBr PB subr0.
have QN0 : 0 <= \tr (Q *m ((K - B) *m (K - B)^T)).
  by rewrite (tr_proj _ QQ QT) mulmxA -(mulmxA _ _ Q^T) -trmx_mul -fro2E fro2_ge0.
have QW0 : 0 <= \tr (Q *m (t%:M + V - K *m K^T)).
  by rewrite (tr_proj _ QQ QT); apply: tr_psd.
have PV0 : 0 <= \tr (P *m V) by rewrite (tr_proj _ PP PT); apply: tr_psd.
move: QW0; rewrite mulmxBr mulmxDr mxtraceD raddfN /= mxtraceD -scalemx1 -scalemxAr.
rewrite mulmx1 mxtraceZ trQ => QW0.
rewrite !fro2E (split ((K - B) *m _)) PN (split (K *m K^T)) (split V).
set a := \tr (Q *m (K *m K^T)) in QW0 *; set b := \tr (P *m (K *m K^T)).
rewrite -subr_ge0; set q := \tr (Q *m ((K - B) *m _)) in QN0 *.
set c := \tr (Q *m V) in QW0 *; set d := \tr (P *m V) in PV0 *.
have -> : q + b - (a + b - (\rank B)%:R * t - (c + d))
   = q + (t * (\rank B)%:R + c - a) + d.
  by ring.
by apply: addr_ge0 => //; apply: addr_ge0.
Qed.

(* ------------------------------------------------------------------ *)
(* PSD sources: Gram matrices, and a diagonal shift of a small residual *)

Lemma psdD n (V W : 'M[F]_n) : psd V -> psd W -> psd (V + W).
Proof. by move=> hV hW x; rewrite mulmxDr mulmxDl mxE addr_ge0. Qed.

Lemma psd_gram m n (C : 'M[F]_(m, n)) : psd (C *m C^T).
Proof.
move=> x; rewrite mulmxA -mulmxA -trmx_mul mxE; apply: sumr_ge0 => j _.
by rewrite [_^T _ _]mxE -expr2 sqr_ge0.
Qed.

Lemma psd_scal n (c : F) : 0 <= c -> psd (c%:M : 'M[F]_n).
Proof.
move=> c0 x; rewrite mul_mx_scalar -scalemxAl mxE mulr_ge0 // mxE.
by apply: sumr_ge0 => j _; rewrite [_^T _ _]mxE -expr2 sqr_ge0.
Qed.

Lemma quad_abs (e x y : F) : 0 <= `|e| * (x ^+ 2 + y ^+ 2) + 2%:R * (x * e * y).
Proof.
have [e0|e0] := ger0P e.
  have -> : e * (x ^+ 2 + y ^+ 2) + 2%:R * (x * e * y) = e * (x + y) ^+ 2 by ring.
  by rewrite mulr_ge0 ?sqr_ge0.
have -> : - e * (x ^+ 2 + y ^+ 2) + 2%:R * (x * e * y) = - e * (x - y) ^+ 2 by ring.
by rewrite mulr_ge0 ?sqr_ge0 // oppr_ge0 ltW.
Qed.

Lemma psd_resid n (E : 'M[F]_n) (d : F) : E^T = E -> rnorm E <= d -> psd (d%:M + E).
Proof.
move=> ET hE x.
have sw : \sum_i \sum_j `|E i j| * x 0 j ^+ 2 = \sum_i \sum_j `|E i j| * x 0 i ^+ 2.
  rewrite exchange_big; apply: eq_bigr => i _; apply: eq_bigr => j _.
  by rewrite -[in LHS]ET mxE.
have le1 : \sum_i \sum_j `|E i j| * x 0 i ^+ 2 <= \sum_i d * x 0 i ^+ 2.
  apply: ler_sum => i _; rewrite -mulr_suml ler_wpmul2r ?sqr_ge0 //.
  exact: le_trans (rnorm_row E i) hE.
have ge0 : 0 <= \sum_i \sum_j (`|E i j| * (x 0 i ^+ 2 + x 0 j ^+ 2)
                + 2%:R * (x 0 i * E i j * x 0 j)).
  by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: quad_abs.
have qE : (x *m E *m x^T) 0 0 = \sum_i \sum_j x 0 i * E i j * x 0 j.
  rewrite mxE exchange_big; apply: eq_bigr => j _; rewrite mxE mulr_suml.
  by apply: eq_bigr => i _; rewrite mxE.
rewrite mulmxDr mulmxDl mxE mul_mx_scalar -scalemxAl mxE.
have -> : (x *m x^T) 0 0 = \sum_i x 0 i ^+ 2.
  by rewrite mxE; apply: eq_bigr => i _; rewrite mxE expr2.
rewrite mulr_sumr qE; move: ge0.
under eq_bigr => i _ do [rewrite big_split /= -mulr_sumr;
  under eq_bigr => j _ do rewrite mulrDr; rewrite big_split /=].
rewrite !big_split /= sw -mulr_sumr.
set a := \sum_i \sum_j `|E i j| * _ in le1 *; set b := \sum_i d * _ in le1 *.
set c := \sum_i \sum_j _ => ge0.
have : 0 <= 2%:R * (b + c).
  apply: le_trans ge0 _; rewrite mulrDr ler_add2r -mulr2n -mulr_natl.
  by rewrite ler_wpmul2l ?ler0n.
by rewrite pmulr_rge0 // ltr0n.
Qed.

(* ------------------------------------------------------------------ *)
(* ||x||_1 <= e and all rows of M of 2-norm <= 1  =>  ||x M||_2 <= e.   *)

Lemma row_l1_l2 n p (x : 'I_n -> F) (M : 'M[F]_(n, p)) (e : F) :
  \sum_j `|x j| <= e -> (forall j, \sum_k M j k ^+ 2 <= 1) ->
  \sum_k (\sum_j x j * M j k) ^+ 2 <= e ^+ 2.
Proof.
move=> hx hM; have x0 : 0 <= \sum_j `|x j| by apply: sumr_ge0.
apply: (@le_trans _ _ ((\sum_j `|x j|) ^+ 2)); last first.
  by rewrite ler_sqr ?nnegrE // (le_trans x0).
have -> : \sum_k (\sum_j x j * M j k) ^+ 2 =
          \sum_j \sum_l x j * x l * \sum_k M j k * M l k.
  under eq_bigr => k _.
    rewrite expr2 mulr_suml; under eq_bigr => j _ do rewrite mulr_sumr.
    over.
  rewrite exchange_big; apply: eq_bigr => j _; rewrite exchange_big.
  by apply: eq_bigr => l _; rewrite mulr_sumr; apply: eq_bigr => k _; ring.
rewrite expr2 mulr_suml; apply: ler_sum => j _; rewrite mulr_sumr.
apply: ler_sum => l _; apply: le_trans (ler_norm _) _.
rewrite !normrM -[X in _ <= X]mulr1 ler_wpmul2l ?mulr_ge0 //.
have h : `|\sum_k M j k * M l k| * 2%:R <= 1 * 2%:R.
  apply: (@le_trans _ _ (\sum_k (M j k ^+ 2 + M l k ^+ 2))).
    apply: (@le_trans _ _ (\sum_k `|M j k * M l k| * 2%:R)).
      by rewrite -mulr_suml ler_wpmul2r ?ler0n // ler_norm_sum.
    apply: ler_sum => k _; rewrite normrM -subr_ge0.
    rewrite -(real_normK (num_real (M j k))) -(real_normK (num_real (M l k))).
    set a := `|_|; set b := `|_|.
    have -> : a ^+ 2 + b ^+ 2 - a * b * 2%:R = (a - b) ^+ 2 by ring.
    exact: sqr_ge0.
  by rewrite big_split /= mul1r mulr2n ler_add.
by move: h; rewrite ler_pmul2r // ltr0n.
Qed.

Lemma fro2_weighted m n p (s : 'rV[F]_m) (E : 'M[F]_(m, n)) (G : 'M[F]_(n, p)) e :
  rnorm E <= e -> \sum_i s 0 i ^+ 2 <= 1 -> (forall j, \sum_k G j k ^+ 2 <= 1) ->
  fro2 (diag_mx s *m E *m G) <= e ^+ 2.
Proof.
move=> hE hs hG; apply: (@le_trans _ _ (\sum_i s 0 i ^+ 2 * e ^+ 2)); last first.
  by rewrite -mulr_suml -[X in _ <= X]mul1r ler_wpmul2r ?sqr_ge0.
apply: ler_sum => i _.
apply: le_trans (ler_wpmul2l (sqr_ge0 _) (row_l1_l2 (le_trans (rnorm_row E i) hE) hG)).
rewrite mulr_sumr; apply: ler_sum => k _; rewrite -exprMn -mulmxA mul_diag_mx mxE.
by rewrite mxE.
Qed.

Lemma shift_resid (Z : zmodType) (a b c e d : Z) :
  a + (b + d) - c = e + (d + (a + b - c - e)).
Proof. by rewrite [RHS]addrCA (addrC e) subrK [RHS]addrC addrA addrAC. Qed.

(* The distance of K from the matrices of rank at most r, from below, by products alone. *)
Theorem tail_lower m n q u (K B : 'M[F]_(m, n)) (L : 'M[F]_(m, q)) (C : 'M[F]_(m, u))
    (tau : F) (r : nat) :
  0 <= tau -> (\rank B <= r)%N ->
  fro2 K - r%:R * tau - fro2 L - m%:R * rnorm (tau%:M + L *m L^T - K *m K^T - C *m C^T)
    <= fro2 (K - B).
Proof.
move=> tau0 rB; set E := (_ - C *m C^T); set d := rnorm E.
have hV : psd (L *m L^T + d%:M) by apply: psdD; [exact: psd_gram|exact: (psd_scal (rnorm_ge0 E))].
have hW : psd (tau%:M + (L *m L^T + d%:M) - K *m K^T).
  have -> : tau%:M + (L *m L^T + d%:M) - K *m K^T = C *m C^T + (d%:M + E).
    exact: shift_resid.
  apply: psdD; [exact: psd_gram|apply: psd_resid (lexx _)].
  by rewrite /E !linearB /= linearD /= tr_scalar_mx !trmx_mul !trmxK.
apply: le_trans (ky_fan_dual B hV hW).
rewrite mxtraceD -fro2E mxtrace_scalar -[d *+ m]mulr_natl.
have h : (\rank B)%:R * tau <= r%:R * tau by rewrite ler_wpmul2r // ler_nat.
by rewrite opprD addrA !ler_add2r ler_add2l ler_opp2.
Qed.

Lemma fro2_tr m n (X : 'M[F]_(m, n)) : fro2 X^T = fro2 X.
Proof.
by rewrite /fro2 exchange_big; apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite mxE.
Qed.

Section Bound.
Variables (m n p q u : nat) (A : 'M[F]_(m, n)) (s : 'rV[F]_m) (G : 'M[F]_(n, p)).
Hypotheses (s_le1 : \sum_i s 0 i ^+ 2 <= 1) (G_le1 : forall j, \sum_l G j l ^+ 2 <= 1).
Let K := diag_mx s *m A *m G.
Variables (tau t : F) (r : nat).
Hypothesis tau_ge0 : 0 <= tau.

Lemma distance_reps_ge :
  (forall B : 'M[F]_(m, p), (\rank B <= r)%N -> t ^+ 2 < fro2 (K - B)) -> reps_ge A t r.+1.
Proof.
move=> far B hB; rewrite ltnNge; apply/negP => rB.
have /far : (\rank (diag_mx s *m B *m G) <= r)%N.
  by apply: leq_trans rB; exact: leq_trans (mxrankM_maxl _ _) (mxrankM_maxr _ _).
rewrite -mulmxBl -mulmxBr ltNge => /negP; apply; exact: fro2_weighted.
Qed.

Theorem eckart_young_rows (L : 'M[F]_(m, q)) (C : 'M[F]_(m, u)) :
  t ^+ 2 < fro2 K - r%:R * tau - fro2 L - m%:R * rnorm (tau%:M + L *m L^T - K *m K^T - C *m C^T) ->
  reps_ge A t r.+1.
Proof. by move=> lt; apply: distance_reps_ge => B /(tail_lower K L C tau_ge0)/(lt_le_trans lt). Qed.

Theorem eckart_young_columns (L : 'M[F]_(p, q)) (C : 'M[F]_(p, u)) :
  t ^+ 2 < fro2 K - r%:R * tau - fro2 L - p%:R * rnorm (tau%:M + L *m L^T - K^T *m K - C *m C^T) ->
  reps_ge A t r.+1.
Proof.
move=> lt; apply: distance_reps_ge => B; rewrite -mxrank_tr => /(tail_lower K^T L C tau_ge0).
by rewrite trmxK -linearB /= !fro2_tr => /(lt_le_trans lt).
Qed.

End Bound.
End EckartYoung.
