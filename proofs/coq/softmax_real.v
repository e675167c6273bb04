(* Softmax over the reals, and how far it moves: lib/docs/softmax.md, section "Perturbation".

   softmax vis x j = e^{x_j} / Σ_{l visible} e^{x_l} for visible keys j, 0 for hidden ones.

   - softmax_ge0, softmax_sum, softmax_neq0   a probability vector, non-zero exactly at the visible keys;
   - softmax_shift             a constant added to the logits changes nothing;
   - softmax_tanh              ‖softmax(x′) − softmax(x)‖₁ ≤ 2 tanh(osc(x′ − x)/4), some key being visible;
   - softmax_tanh_sharp        equality for two keys and any oscillation o ≥ 0;
   - two_tanh_le               2 tanh(o/4) ≤ min(2, o/2) for o ≥ 0;
   - softmax_uniform           hence |x′_j − x_j − c| ≤ e for visible j gives ‖softmax(x′) − softmax(x)‖₁ ≤ e;
   - exp_quadratic             e^w ≤ 1 + w + w² for 0 ≤ w ≤ 1;
   - euclidean_norm            the Euclidean norm of rows is a norm in the sense of output_error.v.

   Assumed: what Coq's reals assume, and Epsilon.epsilon_statement (real_field.v). *)
From Coq Require Import Reals Lra.
From mathcomp Require Import all_ssreflect all_algebra.
Require Import norms rank output_error weights family real_field.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Their arguments are read in the field's notation. *)
Arguments exp _ : clear scopes.
Arguments tanh _ : clear scopes.
Arguments sqrt _ : clear scopes.

(* ---- the exponential in the field's notation ---- *)

Lemma exp_gt0 (x : R) : 0 < exp x. Proof. apply/RltP; exact: exp_pos. Qed.
Lemma expD (x y : R) : exp (x + y) = exp x * exp y. Proof. exact: exp_plus. Qed.
Lemma exp_zero : exp 0 = 1. Proof. exact: exp_0. Qed.
Lemma expN (x : R) : exp (- x) * exp x = 1. Proof. by rewrite -expD addNr exp_zero. Qed.
Lemma exp_mono (x y : R) : x <= y -> exp x <= exp y.
Proof. by move=> /RleP h; apply/RleP; case: h => [/exp_increasing|->]; lra. Qed.
Lemma exp_ge1 (x : R) : 0 <= x -> 1 <= exp x. Proof. by rewrite -exp_zero; exact: exp_mono. Qed.
Lemma exp_le1 (x : R) : x <= 0 -> exp x <= 1. Proof. by rewrite -exp_zero; exact: exp_mono. Qed.
Lemma exp_ge (x : R) : 1 + x <= exp x.
Proof. by apply/RleP; have := exp_ineq1_le x; rewrite !RE; lra. Qed.


Section Calculus.
Local Open Scope R_scope.
Implicit Types o y w c : R.

(* The chord of exp over [0, 1] lies above it. *)
Lemma exp_chord c : 0 <= c <= 1 -> exp c <= 1 + 2 * c.
Proof.
move=> [c0 c1]; have h0 := exp_ineq1_le (0 - c); have h1 := exp_ineq1_le (1 - c).
have e0 := exp_pos c; have e3 := exp_le_3.
have E0 : exp (0 - c) * exp c = 1 by rewrite -exp_plus -exp_0; congr exp; ring.
have E1 : exp (1 - c) * exp c = exp 1 by rewrite -exp_plus; congr exp; ring.
have h2 : (1 - c) * exp c <= 1 by rewrite -E0; apply: Rmult_le_compat_r; lra.
have h3 : (2 - c) * exp c <= 3 by apply: (Rle_trans _ (exp 1)) => //; rewrite -E1; apply: Rmult_le_compat_r; lra.
nra.
Qed.

Lemma exp_quadratic_real w : 0 <= w <= 1 -> exp w <= 1 + w + w * w.
Proof.
move=> [w0 w1]; case: (Req_dec w 0) => [->|wn]; first by rewrite exp_0; lra.
have D c : derivable_pt_lim (fun x => (1 + x + x * x) - exp x) c ((0 + 1 + (1 * c + c * 1)) - exp c).
  apply: (derivable_pt_lim_minus (fun x => 1 + x + x * x) exp); last exact: derivable_pt_lim_exp.
  apply: (derivable_pt_lim_plus (fun x => 1 + x) (fun x => x * x)).
    apply: (derivable_pt_lim_plus (fun x => 1) id); first exact: derivable_pt_lim_const.
    exact: derivable_pt_lim_id.
  by apply: (derivable_pt_lim_mult id id); exact: derivable_pt_lim_id.
have [|c [eq [c0 cw]]] := MVT_cor2 _ _ 0 w _ (fun c _ => D c); first lra.
have le : exp c <= 1 + 2 * c by apply: exp_chord; lra.
by rewrite exp_0 in eq; nra.
Qed.

Lemma exp_tanh_real y : 0 <= y -> 2 * (exp y - 1) <= y * (exp y + 1).
Proof.
move=> y0; case: (Req_dec y 0) => [->|yn]; first by rewrite exp_0; lra.
have D c : derivable_pt_lim (fun x => x * (exp x + 1) - 2 * (exp x - 1)) c
             ((1 * (exp c + 1) + c * (exp c + 0)) - (0 * (exp c - 1) + 2 * (exp c - 0))).
  apply: (derivable_pt_lim_minus (fun x => x * (exp x + 1)) (fun x => 2 * (exp x - 1))).
    apply: (derivable_pt_lim_mult id (fun x => exp x + 1)); first exact: derivable_pt_lim_id.
    by apply: (derivable_pt_lim_plus exp (fun x => 1));
       [exact: derivable_pt_lim_exp|exact: derivable_pt_lim_const].
  apply: (derivable_pt_lim_mult (fun x => 2) (fun x => exp x - 1)); first exact: derivable_pt_lim_const.
  by apply: (derivable_pt_lim_minus exp (fun x => 1));
     [exact: derivable_pt_lim_exp|exact: derivable_pt_lim_const].
have [|c [eq [c0 cw]]] := MVT_cor2 _ _ 0 y _ (fun c _ => D c); first lra.
have h := exp_ineq1_le (- c); have e0 := exp_pos c.
have E : exp (- c) * exp c = 1 by rewrite -exp_plus -exp_0; congr exp; ring.
have h2 : (1 - c) * exp c <= 1 by rewrite -E; apply: Rmult_le_compat_r; lra.
rewrite exp_0 in eq; suff : 0 <= (1 * (exp c + 1) + c * (exp c + 0) - (0 * (exp c - 1) + 2 * (exp c - 0))) * (y - 0) by lra.
by apply: Rmult_le_pos; lra.
Qed.

Lemma tanh_quarter_real o : tanh (o / 4) = (exp (o / 2) - 1) / (exp (o / 2) + 1).
Proof.
rewrite /tanh /sinh /cosh exp_Ropp.
have -> : exp (o / 2) = exp (o / 4) * exp (o / 4) by rewrite -exp_plus; congr exp; field.
have := exp_pos (o / 4); set u := exp _ => u0.
by field; split; nra.
Qed.
End Calculus.
From mathcomp Require Import ring.

Lemma exp_quadratic (w : R) : 0 <= w <= 1 -> exp w <= 1 + w + w * w.
Proof.
by case/andP => /RleP w0 /RleP w1; apply/RleP; exact: exp_quadratic_real.
Qed.

Lemma half_quarter (o : R) : o / 2%:R = Rdiv o (IZR 2) /\ o / 4%:R = Rdiv o (IZR 4).
Proof. by split; rewrite RdivE ?pnatr_eq0 // RnatE /=; congr Rdiv; lra. Qed.

Lemma tanh_quarter (o : R) : tanh (o / 4%:R) = (exp (o / 2%:R) - 1) / (exp (o / 2%:R) + 1).
Proof.
have [-> ->] := half_quarter o; rewrite tanh_quarter_real RdivE //.
by apply/eqP => h; have := exp_pos (Rdiv o (IZR 2)); rewrite -[exp _](addrK 1) h !RE; lra.
Qed.

(* 2 tanh(o/4) ≤ min(2, o/2). *)
Theorem two_tanh_le (o : R) : 0 <= o -> 2%:R * tanh (o / 4%:R) <= Num.min 2%:R (o / 2%:R).
Proof.
move=> o0; rewrite tanh_quarter; have [-> _] := half_quarter o.
set y := Rdiv o (IZR 2); have y0 : Rle 0 y by move/RleP: o0; rewrite /y !RE; lra.
have u0 : 0 < exp y + 1 by rewrite addr_gt0 ?exp_gt0 ?ltr01.
rewrite le_minr !mulrA !ler_pdivr_mulr //; apply/andP; split.
  by rewrite ler_wpmul2l ?ler0n // ler_add2l (le_trans (lerN10 _)) ?ler01.
apply/RleP; rewrite !RE /=; have := exp_tanh_real y0; lra.
Qed.

(* ---- softmax ---- *)

Section Softmax.
Variables (n : nat) (vis : pred 'I_n).
Implicit Types (x : 'I_n -> R) (j : 'I_n).

Definition weight x j : R := if vis j then exp (x j) else 0.
Definition softmax x j : R := share (weight x) j.

Lemma weight_ge0 x j : 0 <= weight x j.
Proof. by rewrite /weight; case: ifP => // _; rewrite ltW ?exp_gt0. Qed.

Variable j0 : 'I_n.
Hypothesis v0 : vis j0.

Lemma weight_sum_gt0 x : 0 < \sum_j weight x j.
Proof.
rewrite (bigD1 j0) //= ltr_paddr ?sumr_ge0 => // [j _|]; first exact: weight_ge0.
by rewrite /weight v0 exp_gt0.
Qed.

Lemma softmax_ge0 x j : 0 <= softmax x j.
Proof. by apply: share_ge0 => l; exact: weight_ge0. Qed.

Lemma softmax_sum x : \sum_j softmax x j = 1.
Proof. by rewrite share_sum // gt_eqF ?weight_sum_gt0. Qed.

Lemma softmax_neq0 x j : (softmax x j != 0) = vis j.
Proof.
rewrite /softmax /share mulf_eq0 invr_eq0 !(gt_eqF (weight_sum_gt0 x)) orbF /weight.
by case: ifP => _; rewrite ?eqxx // gt_eqF ?exp_gt0.
Qed.

Lemma softmax_hidden x j : ~~ vis j -> softmax x j = 0.
Proof. by rewrite -(softmax_neq0 x) negbK => /eqP. Qed.

Lemma softmax_ext x x' j : (forall l, vis l -> x l = x' l) -> softmax x j = softmax x' j.
Proof.
move=> e; have w l : weight x l = weight x' l by rewrite /weight; case: ifP => // /e ->.
by rewrite /softmax /share w; congr (_ / _); apply: eq_bigr.
Qed.

Lemma softmax_shift x c j : softmax (fun l => x l + c) j = softmax x j.
Proof.
have w l : weight (fun l => x l + c) l = weight x l * exp c.
  by rewrite /weight; case: ifP => _; rewrite ?expD ?mul0r.
rewrite /softmax /share w; under eq_bigr do rewrite w.
by rewrite -mulr_suml -mulf_div mulfV ?mulr1 // gt_eqF ?exp_gt0.
Qed.

Theorem softmax_tanh x x' :
  \sum_j `|softmax x' j - softmax x j| <= 2%:R * tanh (osc vis (fun j => x' j - x j) / 4%:R).
Proof.
set o := osc _ _; have o0 : 0 <= o := osc_ge0 _ _.
have [r vr hr] := osc_least (fun j => x' j - x j) v0; rewrite -/o in hr.
have o20 : 0 <= o / 2%:R by rewrite divr_ge0 ?ler0n.
rewrite tanh_quarter; apply: (@shares_ratio _ _ _ _ (exp (x' r - x r))).
- by move=> j; exact: weight_ge0.
- exact: weight_sum_gt0.
- exact: exp_gt0.
- exact: exp_ge1.
move=> j; rewrite /weight; case: ifP => [vj|_]; last by rewrite !mulr0 lexx.
have -> : exp (o / 2%:R) ^+ 2 = exp o.
  by rewrite expr2 -expD; congr exp; field.
case/andP: (hr j vj) => h1 h2; rewrite -!expD; apply/andP; split; apply: exp_mono.
  by rewrite -ler_subr_addr.
by rewrite -ler_subl_addr.
Qed.

Corollary softmax_osc x x' o : osc vis (fun j => x' j - x j) <= o ->
  \sum_j `|softmax x' j - softmax x j| <= 2%:R * tanh (o / 4%:R).
Proof.
move=> le; apply: le_trans (softmax_tanh x x') _; rewrite ler_wpmul2l ?ler0n //.
set p := osc _ _ in le *; have p0 : 0 <= p := osc_ge0 _ _.
rewrite !tanh_quarter; have e := exp_mono (_ : p / 2%:R <= o / 2%:R).
have {e} := e (ler_wpmul2r _ le); rewrite invr_ge0 ler0n => /(_ isT).
set u := exp (p / _); set v := exp (o / _) => uv.
have [u0 v0'] : 0 < u + 1 /\ 0 < v + 1 by rewrite !addr_gt0 ?exp_gt0 ?ltr01.
rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr // -subr_ge0.
have -> : (v - 1) * (u + 1) - (u - 1) * (v + 1) = 2%:R * (v - u) by ring.
by rewrite mulr_ge0 ?ler0n ?subr_ge0.
Qed.

Corollary softmax_min x x' o : osc vis (fun j => x' j - x j) <= o ->
  \sum_j `|softmax x' j - softmax x j| <= Num.min 2%:R (o / 2%:R).
Proof.
move=> le; apply: le_trans (softmax_osc le) (two_tanh_le _).
exact: le_trans (osc_ge0 _ _) le.
Qed.

Corollary softmax_uniform x x' c e : 0 <= e -> (forall j, vis j -> `|x' j - x j - c| <= e) ->
  \sum_j `|softmax x' j - softmax x j| <= e.
Proof.
move=> e0 le; have e2 : 0 <= e * 2%:R by rewrite mulr_ge0 ?ler0n.
have : osc vis (fun j => x' j - x j) <= e * 2%:R.
  apply/(osc_leP _ _ e2) => j l vj vl; rewrite mulr_natr mulr2n.
  have -> : x' j - x j - (x' l - x l) = (x' j - x j - c) - (x' l - x l - c) by ring.
  apply: le_trans (ler_norm _) _; apply: le_trans (ler_norm_sub _ _) _.
  by rewrite ler_add ?le.
by move/softmax_min; rewrite le_minr mulfK ?pnatr_eq0 // => /andP[].
Qed.

End Softmax.

(* Equality for two keys: x = (0, −o/2) and x′ = (0, o/2). *)
Theorem softmax_tanh_sharp (o : R) : 0 <= o ->
  exists x x' : 'I_2 -> R, osc xpredT (fun j => x' j - x j) = o /\
    \sum_j `|softmax xpredT x' j - softmax xpredT x j| = 2%:R * tanh (o / 4%:R).
Proof.
move=> o0; pose x c (j : 'I_2) : R := if j == 0 then 0 else c.
have two : o / 2%:R + o / 2%:R = o by field.
exists (x (- (o / 2%:R))), (x (o / 2%:R)); split.
  apply/eqP; rewrite eq_le; apply/andP; split.
    apply/(osc_leP _ _ o0) => j l _ _; rewrite /x.
    by do 2![case: ifP => _]; rewrite ?opprK ?two ?subrr ?sub0r ?subr0 ?subrr ?(ge0_cp o0) ?lexx.
  have := osc_ge (vis := xpredT) (fun j => x (o / 2%:R) j - x (- (o / 2%:R)) j) (j := 1) (l := 0) isT isT.
  by rewrite /x /= opprK two !subr0.
rewrite tanh_quarter; set h := o / 2%:R; have h0 : 0 <= h by rewrite divr_ge0 ?ler0n.
rewrite big_ord_recl big_ord1 /softmax /share !big_ord_recl !big_ord0 /weight /x /= !addr0 exp_zero.
have eh := exp_gt0 h; have e1 := exp_ge1 h0.
have -> : exp (- h) = (exp h)^-1 by apply: (mulIf (x := exp h)); rewrite ?gt_eqF // expN mulVf ?gt_eqF.
set u := exp h in eh e1 *; have u1 : 0 < u + 1 by rewrite addr_gt0 ?ltr01.
have v1 : 0 < 1 + u by rewrite addrC.
have w1 : 0 < 1 + u^-1 by rewrite addr_gt0 ?ltr01 ?invr_gt0.
have q0 : 0 <= (u - 1) / (u + 1) by rewrite divr_ge0 ?subr_ge0 // ltW.
have -> : 1 / (1 + u) - 1 / (1 + u^-1) = - ((u - 1) / (u + 1)).
  by field; rewrite !gt_eqF.
have -> : u / (1 + u) - u^-1 / (1 + u^-1) = (u - 1) / (u + 1).
  by field; rewrite !gt_eqF.
by rewrite normrN ger0_norm // mulr_natl mulr2n.
Qed.

(* ---- the Euclidean norm ---- *)

Section Euclid.
Variable d : nat.
Implicit Types u v : 'rV[R]_d.

Definition square_sum v : R := \sum_k v 0 k ^+ 2.
Definition euclid v : R := sqrt (square_sum v).

Lemma square_sum_ge0 v : 0 <= square_sum v.
Proof. by apply: sumr_ge0 => k _; exact: sqr_ge0. Qed.

Lemma euclid_ge0 v : 0 <= euclid v.
Proof. apply/RleP; exact: sqrt_pos. Qed.

Lemma euclid_square v : euclid v ^+ 2 = square_sum v.
Proof. by rewrite expr2; apply: sqrt_sqrt; apply/RleP; exact: square_sum_ge0. Qed.

Lemma le_square (x y : R) : 0 <= y -> x ^+ 2 <= y ^+ 2 -> x <= y.
Proof.
move=> y0; case: (lerP x 0) => [x0 _|x0]; first exact: le_trans x0 y0.
by rewrite ler_sqr // nnegrE ltW.
Qed.

(* Σ u_k v_k ≤ |u| |v|, from Σ_{k,l} (u_k v_l − u_l v_k)² ≥ 0. *)
Lemma cauchy_schwarz u v : \sum_k u 0 k * v 0 k <= euclid u * euclid v.
Proof.
set c := \sum_k _; apply: le_square; first by rewrite mulr_ge0 ?euclid_ge0.
rewrite exprMn !euclid_square -subr_ge0 -(pmulr_rge0 _ (ltr0Sn R_realField 1)).
have -> : 2%:R * (square_sum u * square_sum v - c ^+ 2) =
          \sum_k \sum_l (u 0 k * v 0 l - u 0 l * v 0 k) ^+ 2.
  have -> : \sum_k \sum_l (u 0 k * v 0 l - u 0 l * v 0 k) ^+ 2 =
      \sum_k \sum_l (u 0 k ^+ 2 * v 0 l ^+ 2) + \sum_k \sum_l (u 0 l ^+ 2 * v 0 k ^+ 2)
      - 2%:R * \sum_k \sum_l ((u 0 k * v 0 k) * (u 0 l * v 0 l)).
    rewrite mulr_sumr -big_split -sumrB; apply: eq_bigr => k _ /=.
    by rewrite mulr_sumr -big_split -sumrB; apply: eq_bigr => l _ /=; ring.
  have p (f g : 'I_d -> R) : \sum_k \sum_l f k * g l = (\sum_k f k) * (\sum_l g l).
    by rewrite mulr_suml; apply: eq_bigr => k _; rewrite mulr_sumr.
  rewrite (p (fun k => u 0 k ^+ 2) (fun l => v 0 l ^+ 2)).
  rewrite (p (fun k => u 0 k * v 0 k) (fun k => u 0 k * v 0 k)).
  have q (f g : 'I_d -> R) : \sum_k \sum_l f l * g k = (\sum_k f k) * (\sum_l g l).
    by rewrite exchange_big p.
  by rewrite (q (fun k => u 0 k ^+ 2) (fun l => v 0 l ^+ 2)) /square_sum /c;
     move: (\sum_k _ ^+ 2) (\sum_k _ ^+ 2) (\sum_k _ * _) => a b e; ring.
by apply: sumr_ge0 => k _; apply: sumr_ge0 => l _; exact: sqr_ge0.
Qed.
End Euclid.

Theorem euclidean_norm d : is_norm (@euclid d.+1).
Proof.
split=> [u v|c v|].
- apply: le_square; first by rewrite addr_ge0 ?euclid_ge0.
  rewrite sqrrD !euclid_square.
  have -> : square_sum (u + v) = square_sum u + (\sum_k u 0 k * v 0 k) *+ 2 + square_sum v.
    rewrite -mulr_natl mulr_sumr -!big_split; apply: eq_bigr => k _ /=.
    by rewrite mxE; move: (u 0 k) (v 0 k) => a b; ring.
  by rewrite ler_add2r ler_add2l ler_muln2r cauchy_schwarz orbT.
- have e : euclid (c *: v) ^+ 2 = (`|c| * euclid v) ^+ 2.
    rewrite exprMn !euclid_square real_normK ?num_real // /square_sum mulr_sumr.
    by apply: eq_bigr => k _; rewrite mxE exprMn.
  have h0 := mulr_ge0 (normr_ge0 c) (euclid_ge0 v).
  by apply/eqP; rewrite eq_le; apply/andP; split; apply: le_square; rewrite ?e //; exact: euclid_ge0.
exists (delta_mx 0 0); rewrite /euclid.
have -> : square_sum (delta_mx 0 0 : 'rV_d.+1) = 1.
  rewrite /square_sum (bigD1 ord0) //= mxE !eqxx expr1n big1 ?addr0 // => j /negPf j0.
  by rewrite mxE j0 andbF expr0n.
exact: sqrt_1.
Qed.
