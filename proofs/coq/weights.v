(* Rows of weights divided by their sum: what lib/docs/softmax.md needs of softmax without exponentials, over
   any ordered field. The weights w_j are e^{x_j} for visible keys and 0 for hidden ones.

   share w j = w_j / Σ_l w_l.

   - shares_ratio      section "Perturbation": if lo w_j ≤ w′_j ≤ lo u² w_j for all j (lo > 0, u ≥ 1), then
                       Σ_j |share w′ j − share w j| ≤ 2 (u − 1)/(u + 1)    (u = e^{osc/2} makes it 2 tanh(osc/4));
   - shares_distance   section "The float64 bound", "Exponentials": Σ_j |share w′ j − share w j| ≤ 2 ‖w′ − w‖₁/Σ w;
   - shares_enclosed   section "The enclosure of a row", steps 4 and 5: y₋ ≤ w ≤ y₊ with a lower bound of Σ y₋
                       and an upper one of Σ y₊ enclose the shares;
   - entry_error       ... and a number ã differs from a number in [a₋, a₊] by at most max(a₊ − ã, ã − a₋). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Weights.
Variable F : realFieldType.
Variable n : nat.
Implicit Types (w y : 'I_n -> F) (j : 'I_n).

Definition share w j : F := w j / \sum_l w l.

Lemma share_ge0 w j : (forall l, 0 <= w l) -> 0 <= share w j.
Proof. by move=> w0; rewrite divr_ge0 ?sumr_ge0. Qed.

Lemma share_sum w : \sum_l w l != 0 -> \sum_j share w j = 1.
Proof. by move=> s0; rewrite -mulr_suml mulfV. Qed.

(* p, q with sum one and q_j / p_j in [lo, lo u²]. *)
Lemma probability_ratio (p q : 'I_n -> F) (lo u : F) :
  (forall j, 0 <= p j) -> \sum_j p j = 1 -> \sum_j q j = 1 ->
  0 < lo -> 1 <= u ->
  (forall j, lo * p j <= q j <= lo * u ^+ 2 * p j) ->
  (\sum_j `|q j - p j|) * (u + 1) <= 2%:R * (u - 1).
Proof.
move=> p0 p1 q1 lo0 u1 hq; pose P j := p j <= q j.
pose a := \sum_(j | P j) p j; pose b := \sum_(j | P j) q j.
have ea : \sum_(j | ~~ P j) p j = 1 - a
  by have := p1; rewrite (bigID P) /= -/a => <-; rewrite addrAC subrr add0r.
have eb : \sum_(j | ~~ P j) q j = 1 - b
  by have := q1; rewrite (bigID P) /= -/b => <-; rewrite addrAC subrr add0r.
have -> : \sum_j `|q j - p j| = 2%:R * (b - a).
  rewrite (bigID P) /=.
  have -> : \sum_(j | P j) `|q j - p j| = b - a.
    by rewrite -sumrB; apply: eq_bigr => j Pj; rewrite ger0_norm ?subr_ge0.
  have -> : \sum_(j | ~~ P j) `|q j - p j| = (1 - a) - (1 - b).
    rewrite -ea -eb -sumrB; apply: eq_bigr => j; rewrite -ltNge => Pj.
    by rewrite distrC ger0_norm ?subr_ge0 // ltW.
  by ring.
have hb : b <= lo * u ^+ 2 * a.
  by rewrite mulr_sumr; apply: ler_sum => j _; case/andP: (hq j).
have hb' : lo * (1 - a) <= 1 - b.
  by rewrite -ea -eb mulr_sumr; apply: ler_sum => j _; case/andP: (hq j).
have a0 : 0 <= a by apply: sumr_ge0.
have a1 : 0 <= 1 - a by rewrite -ea; apply: sumr_ge0.
have lo1 : 0 <= 1 - lo.
  rewrite subr_ge0 -[X in _ <= X]q1 -[X in X <= _]mulr1 -p1 mulr_sumr.
  by apply: ler_sum => j _; case/andP: (hq j).
have hi1 : 0 <= lo * u ^+ 2 - 1.
  rewrite subr_ge0 -[X in X <= _]q1 -[X in _ <= X]mulr1 -p1 mulr_sumr.
  by apply: ler_sum => j _; case/andP: (hq j).
have u10 : 0 <= u - 1 by rewrite subr_ge0.
rewrite -mulrA ler_wpmul2l ?ler0n //.
(* With h = lo u²:  (b − a) lo (u − 1)(u + 1) ≤ (h − 1)(1 − lo) = lo (u − 1)² − (lo u − 1)². *)
have key : (b - a) * (u + 1) * (lo * (u - 1)) <= (u - 1) * (lo * (u - 1)).
  rewrite -subr_ge0.
  have -> : (u - 1) * (lo * (u - 1)) - (b - a) * (u + 1) * (lo * (u - 1)) =
    (lo * u ^+ 2 * a - b) * (1 - lo) + (1 - b - lo * (1 - a)) * (lo * u ^+ 2 - 1)
    + (lo * u - 1) ^+ 2 by ring.
  apply: addr_ge0; last exact: sqr_ge0.
  by apply: addr_ge0; apply: mulr_ge0 => //; rewrite subr_ge0.
move: u10; rewrite le_eqVlt => /predU1P[u0|u10]; last first.
  by move: key; rewrite ler_pmul2r // mulr_gt0.
have u1' : u = 1 by apply/eqP; rewrite -subr_eq0 -u0.
rewrite -u0 u1' pmulr_lle0 ?addr_gt0 ?ltr01 // subr_le0.
apply: (le_trans hb); rewrite u1' expr1n mulr1 -[X in _ <= X]mul1r.
by rewrite ler_wpmul2r // -subr_ge0.
Qed.

Theorem shares_ratio w w' (lo u : F) :
  (forall j, 0 <= w j) -> 0 < \sum_j w j -> 0 < lo -> 1 <= u ->
  (forall j, lo * w j <= w' j <= lo * u ^+ 2 * w j) ->
  \sum_j `|share w' j - share w j| <= 2%:R * ((u - 1) / (u + 1)).
Proof.
move=> w0 W0 lo0 u1 hw.
have W'0 : 0 < \sum_j w' j.
  apply: lt_le_trans (mulr_gt0 lo0 W0) _; rewrite mulr_sumr.
  by apply: ler_sum => j _; case/andP: (hw j).
rewrite mulrA ler_pdivl_mulr; last by rewrite addr_gt0 ?ltr01 ?(lt_le_trans ltr01).
apply: (@probability_ratio _ _ (lo * ((\sum_j w j) / \sum_j w' j))) => //.
- by move=> j; exact: share_ge0.
- by rewrite share_sum // gt_eqF.
- by rewrite share_sum // gt_eqF.
- by rewrite mulr_gt0 ?divr_gt0.
move=> j; case/andP: (hw j) => h1 h2; rewrite /share; set W := \sum_l w l; set W' := \sum_l w' l.
have -> : lo * (W / W') * (w j / W) = lo * w j / W' by field; rewrite !gt_eqF.
have -> : lo * (W / W') * u ^+ 2 * (w j / W) = lo * u ^+ 2 * w j / W'.
  by field; rewrite !gt_eqF.
by rewrite !ler_wpmul2r ?invr_ge0 ?(ltW W'0).
Qed.

Theorem shares_distance w w' :
  (forall j, 0 <= w' j) -> 0 < \sum_j w j -> 0 < \sum_j w' j ->
  \sum_j `|share w' j - share w j| <= 2%:R * (\sum_j `|w' j - w j|) / \sum_j w j.
Proof.
move=> w0 E0 W0; rewrite /share; set E := \sum_l w l in E0 *; set W := \sum_l w' l in W0 *.
rewrite ler_pdivl_mulr // mulr_suml.
have step j : `|w' j / W - w j / E| * E <= `|w' j - w j| + w' j / W * `|E - W|.
  rewrite -{2}(gtr0_norm E0) -normrM.
  have -> : (w' j / W - w j / E) * E = (w' j - w j) + w' j / W * (E - W).
    by field; rewrite !gt_eqF.
  apply: le_trans (ler_norm_add _ _) _; rewrite ler_add2l normrM ger0_norm //.
  by rewrite divr_ge0 ?(ltW W0).
apply: le_trans (ler_sum _ (fun j _ => step j)) _.
rewrite big_split /= -mulr_suml -mulr_suml mulfV ?gt_eqF // mul1r mulr_natl mulr2n ler_add2l.
by rewrite distrC /E /W -sumrB; exact: ler_norm_sum.
Qed.

Theorem shares_enclosed w yl yh (Sl Sh ql qh al ah : F) j :
  (forall l, 0 <= yl l) -> (forall l, yl l <= w l <= yh l) ->
  0 < Sl -> Sl <= \sum_l yl l -> \sum_l yh l <= Sh ->
  ql <= Sh^-1 -> Sl^-1 <= qh ->
  al <= yl j * ql -> Num.min 1 (yh j * qh) <= ah ->
  al <= share w j <= ah.
Proof.
move=> y0 hy Sl0 hl hh hql hqh hal hah.
have w0 l : 0 <= w l by case/andP: (hy l) => h _; exact: le_trans (y0 l) h.
have lW : Sl <= \sum_l w l.
  by apply: le_trans hl _; apply: ler_sum => l _; case/andP: (hy l).
have Wh : \sum_l w l <= Sh.
  by apply: le_trans hh; apply: ler_sum => l _; case/andP: (hy l).
have W0 := lt_le_trans Sl0 lW; case/andP: (hy j) => h1 h2.
have Sh0 := lt_le_trans W0 Wh.
apply/andP; split.
  apply: le_trans hal _; apply: le_trans (ler_wpmul2l (y0 j) hql) _; rewrite /share.
  by apply: ler_pmul; rewrite ?y0 ?invr_ge0 ?(ltW Sh0) // lef_pinv.
apply: le_trans hah; rewrite le_minr; apply/andP; split.
  rewrite /share ler_pdivr_mulr // mul1r (bigD1 j) //= ler_addl.
  by apply: sumr_ge0 => l _.
rewrite /share; apply: ler_pmul; rewrite ?w0 ?invr_ge0 ?(ltW W0) //.
by apply: le_trans hqh; rewrite lef_pinv.
Qed.

Lemma entry_error (a at_ al ah : F) : al <= a <= ah -> `|a - at_| <= Num.max (ah - at_) (at_ - al).
Proof.
case/andP => h1 h2; rewrite le_maxr; case: (ger0P (a - at_)) => h.
  by rewrite ler_add2r h2.
by rewrite opprB ler_add2l ler_opp2 h1 orbT.
Qed.

End Weights.
