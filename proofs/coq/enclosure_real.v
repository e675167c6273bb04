(* From the exact numbers of a head to brackets of r_ε of its attention matrix: lib/docs/softmax.md, sections
   "The enclosure of a row", "The error of a row" and "Families", step by step over the reals.

   attention s β Q K b is the matrix of softmax of the logits β s (q_i·k_j) + b_ij over the visible keys. An
   `arithmetic` is a set of roundings, of which `directed` says only the side on which they err (MPFR's at any
   precision do), with an exponential and a tanh, of which `kernel` says only the side on which they err.

   - factor_enclosed       step 1: |f/√g| lies between the computed ends;
   - argument_enclosed     step 2: t = c u + v ≤ 0 lies between the computed ends;
   - exponential_enclosed  step 3: so does e^t;
   - row_enclosed          steps 4 and 5: so do the entries of a row of softmax;
   - row_error_sound       the computed error of a row is at least Σ_j |A_ij − Ã_ij|;
   - family_shift          a member of a family differs in row i by at most 2 tanh(oscillation_bound i / 4);
   - family_term_sound     ... and by the computed bound of that;
   - rho_sound             rho ≥ the computed errors of all rows: ‖A − Ã‖ ≤ rho for all members A;
   - head_bracket_sound    the whole chain: Q, K → Ã ± rho → the bracket of the extracted checker (formal.v),
                           which holds of all members. The kernel is the only numerical hypothesis.

   Assumed: what Coq's reals assume, and Epsilon.epsilon_statement (real_field.v). *)
From Coq Require Import ZArith Reals Lra.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Require Import norms rank zmatrix measure formal output_error weights family real_field softmax_real.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Arguments exp _ : clear scopes.
Arguments tanh _ : clear scopes.
Arguments sqrt _ : clear scopes.

Bind Scope ring_scope with R.

Record arithmetic := Arithmetic {
  argument_down : R -> R;  (* of the factor and the arguments *)
  argument_up : R -> R;
  down : R -> R;           (* of the exponentials, sums and quotients *)
  up : R -> R;
  next : R -> R;           (* the number after x *)
  error_up : R -> R;       (* of the sums of errors *)
  exp_down : R -> R;
  exp_up : R -> R;
  tanh_up : R -> R
}.

Record directed (a : arithmetic) : Prop := Directed {
  argument_down_le : forall x, argument_down a x <= x;
  argument_down0 : argument_down a 0 = 0;
  argument_up_ge : forall x, x <= argument_up a x;
  down_le : forall x, down a x <= x;
  down_mono : forall x y, x <= y -> down a x <= down a y;
  down0 : down a 0 = 0;
  down1 : down a 1 = 1;
  up_ge : forall x, x <= up a x;
  next_ge : forall x, x <= next a x;
  error_up_ge : forall x, x <= error_up a x
}.

Record kernel (a : arithmetic) : Prop := Kernel {
  exp_down_ge0 : forall x, 0 <= exp_down a x;
  exp_down_le : forall x, exp_down a x <= exp x;
  exp_next_ge : forall x, exp x <= next a (exp_down a x);
  exp_down0 : exp_down a 0 = 1;
  exp_up_ge : forall x, exp x <= exp_up a x;
  tanh_up_ge : forall x, tanh x <= tanh_up a x
}.

(* ---- one row ---- *)

Section Row.
Variable a : arithmetic.
Hypotheses (da : directed a) (ka : kernel a).

(* |β f| / √g from its square, which is rational. *)
Definition factor_low (square : R) : R := argument_down a (sqrt (argument_down a square)).
Definition factor_high (square : R) : R := argument_up a (sqrt (argument_up a square)).

Lemma sqrt_mono (x y : R) : x <= y -> sqrt x <= sqrt y.
Proof. by move=> /RleP h; apply/RleP; exact: sqrt_le_1_alt. Qed.

Lemma root_square (f g : R) : 0 < g -> `|f / sqrt g| = sqrt (f ^+ 2 / g).
Proof.
move=> g0; have g1 : sqrt g != 0 by apply/eqP; apply: Rgt_not_eq; apply: sqrt_lt_R0; exact/RltP.
have -> : f ^+ 2 / g = (f / sqrt g) ^+ 2.
  have {1}<- : sqrt g * sqrt g = g by apply: sqrt_sqrt; exact/RleP/ltW.
  by field.
by rewrite -[LHS]/(Rabs _) -sqrt_Rsqr_abs /Rsqr -RmulE expr2.
Qed.

Theorem factor_enclosed (f g : R) : 0 < g -> factor_low (f ^+ 2 / g) <= `|f / sqrt g| <= factor_high (f ^+ 2 / g).
Proof.
move=> g0; rewrite root_square //; apply/andP; split.
  apply: le_trans (argument_down_le da _) _; apply: sqrt_mono; exact: argument_down_le.
by apply: le_trans (argument_up_ge da _); apply: sqrt_mono; exact: argument_up_ge.
Qed.

(* The two ends of |x| for x = ± f/√g; where the root is rational, g = 1. *)
Definition factor_computed (x lo hi : R) : Prop :=
  exists f g, [/\ 0 < g, `|x| = `|f / sqrt g|
    & lo = factor_low (f ^+ 2 / g) /\ hi = factor_high (f ^+ 2 / g) \/
      [/\ g = 1, lo = argument_down a `|f| & hi = argument_up a `|f|]].
(* ... and an upper bound alone. *)
Definition upper_factor_computed (x hi : R) : Prop :=
  exists f g, [/\ 0 < g, `|x| = `|f / sqrt g| & hi = up a (sqrt (up a (f ^+ 2 / g)))].

Lemma factor_computed_sound x lo hi : factor_computed x lo hi -> lo <= `|x| <= hi.
Proof.
case=> f [g [g0 -> h]]; have := factor_enclosed f g0.
case: h => [[-> ->] //|[-> -> ->] _].
have -> : sqrt 1 = 1 := sqrt_1.
by rewrite divr1 (argument_down_le da) (argument_up_ge da).
Qed.

Lemma upper_factor_sound x hi : upper_factor_computed x hi -> `|x| <= hi.
Proof.
case=> f [g [g0 -> ->]]; rewrite root_square //; apply: le_trans (up_ge da _); apply: sqrt_mono.
exact: up_ge.
Qed.

Section Entry.
Variables cl ch : R.    (* enclose the factor c *)

Definition product_low (u : R) : R := (if 0 < u then cl else ch) * u.
Definition product_high (u : R) : R := (if 0 < u then ch else cl) * u.
Definition product_exact (u : R) : bool :=
  ((u == 0) || (cl == ch)) && (argument_down a (product_low u) == product_low u).
Definition argument_low (u v : R) : R :=
  let p := argument_down a (product_low u) in if v == 0 then p else argument_down a (p + v).
Definition argument_high (u v : R) : R :=
  let p := if product_exact u then argument_down a (product_low u) else argument_up a (product_high u) in
  Num.min 0 (if v == 0 then p else argument_up a (p + v)).
Definition argument_exact (u v : R) : bool :=
  let p := argument_down a (product_low u) in
  product_exact u && ((v == 0) || (argument_down a (p + v) == p + v)).

Variable c : R.
Hypothesis hc : cl <= c <= ch.

Lemma product_enclosed u : product_low u <= c * u <= product_high u.
Proof.
case/andP: hc => h1 h2; rewrite /product_low /product_high; case: ltP => u0.
  by rewrite !ler_wpmul2r // ltW.
by rewrite !ler_wnmul2r.
Qed.

Lemma product_exactE u : product_exact u -> argument_down a (product_low u) = c * u.
Proof.
case/andP => h /eqP ->; rewrite /product_low; case/orP: h => /eqP h; first by rewrite h !mulr0.
by case/andP: hc; rewrite -h if_same => h1 h2; congr (_ * _); apply/eqP; rewrite eq_le h1 h2.
Qed.

Theorem argument_enclosed u v : c * u + v <= 0 ->
  argument_low u v <= c * u + v <= argument_high u v /\
  (argument_exact u v -> argument_low u v = c * u + v).
Proof.
move=> t0; case/andP: (product_enclosed u) => h1 h2; split.
  have low : argument_down a (product_low u) <= c * u by exact: le_trans (argument_down_le da _) h1.
  apply/andP; split.
    rewrite /argument_low; case: eqP => [->|_]; first by rewrite addr0.
    by apply: le_trans (argument_down_le da _) _; rewrite ler_add2r.
  rewrite /argument_high; set p := if product_exact u then _ else _; rewrite le_minr t0 /=.
  have hp : c * u <= p.
    rewrite /p; case: ifP => [h|_]; first by rewrite (product_exactE h).
    by apply: le_trans (argument_up_ge da _).
  case: eqP => [->|_]; first by rewrite addr0.
  by apply: le_trans (argument_up_ge da _); rewrite ler_add2r.
case/andP => h; have e := product_exactE h; rewrite /argument_low e.
by case: eqP => [->|_ /eqP ->]; rewrite ?addr0.
Qed.

Definition exponential_low (u v : R) : R := exp_down a (argument_low u v).
Definition exponential_high (u v : R) : R :=
  let t := argument_low u v in let y := exp_down a t in
  let w := up a (argument_high u v - t) in
  if argument_exact u v then (if y == exp t then y else next a y)
  else if (y == 0) || (1 < w) then exp_up a (argument_high u v)
  else Num.min 1 (up a (next a (next a y) * up a (up a (up a (w * w) + w) + 1))).

Theorem exponential_enclosed u v : c * u + v <= 0 ->
  exponential_low u v <= exp (c * u + v) <= exponential_high u v.
Proof.
move=> t0; have [/andP[h1 h2] ex] := argument_enclosed t0.
rewrite /exponential_low /exponential_high; set t := argument_low u v in h1 ex *.
set th := argument_high u v in h2 *; apply/andP; split.
  by apply: le_trans (exp_down_le ka _) _; exact: exp_mono.
case: ifP => [/ex <-|_]; first by case: eqP => [->//|_]; exact: exp_next_ge.
case: ifP => [_|/negbT]; first by apply: le_trans (exp_mono h2) _; exact: exp_up_ge.
set w := up a (th - t); rewrite negb_or -leNgt => /andP[_ w1]; rewrite le_minr exp_le1 //=.
have w2 : c * u + v - t <= w by apply: le_trans (up_ge da _); rewrite ler_add2r.
have w0 : 0 <= w by apply: le_trans w2; rewrite subr_ge0.
apply: le_trans (up_ge da _); have -> : c * u + v = t + (c * u + v - t) by ring.
rewrite expD; apply: ler_pmul; rewrite ?(ltW (exp_gt0 _)) //.
  exact: le_trans (exp_next_ge ka _) (next_ge da _).
apply: le_trans (exp_mono w2) _; apply: le_trans (exp_quadratic _) _; first by rewrite w0.
apply: le_trans (up_ge da _); rewrite -addrA addrC ler_add2r addrC.
apply: le_trans (up_ge da _); rewrite ler_add2r; exact: up_ge.
Qed.

End Entry.

(* The row's logits are β s d_j + b_j, up to a constant; r is the first of the largest. *)
Variables (n : nat) (vis : pred 'I_n) (r : 'I_n).
Variables (bs cl ch : R) (dots bias : 'I_n -> R).
Implicit Types j : 'I_n.

Definition row_u j : R := (if bs < 0 then -1 else 1) * (dots j - dots r).
Definition row_v j : R := bias j - bias r.
Definition row_yl j : R := exponential_low cl ch (row_u j) (row_v j).
Definition row_yh j : R := exponential_high cl ch (row_u j) (row_v j).
Definition keys : seq 'I_n := [seq j <- index_enum (ordinal_finType n) | vis j].
Definition sum_low : R := foldl (fun s j => down a (s + row_yl j)) 0 keys.
Definition sum_high : R := foldl (fun s j => up a (s + row_yh j)) 0 keys.
Definition entry_low j : R := down a (row_yl j * down a (sum_high^-1)).
Definition entry_high j : R := Num.min 1 (up a (row_yh j * up a (sum_low^-1))).
Definition row_logit j : R := bs * dots j + bias j.

Definition entry_bound (centre : 'I_n -> R) j : R :=
  Num.max (error_up a (entry_high j - centre j)) (error_up a (centre j - entry_low j)).
Definition add_error (centre : 'I_n -> R) (s : R) j : R :=
  if vis j then error_up a (s + entry_bound centre j)
  else if centre j == 0 then s else error_up a (s + `|centre j|).
Definition row_error (centre : 'I_n -> R) : R := foldl (add_error centre) 0 (index_enum (ordinal_finType n)).

Hypotheses (vr : vis r) (top : forall j, vis j -> row_logit j <= row_logit r).
Hypothesis hc : cl <= `|bs| <= ch.

Lemma row_argument j : `|bs| * row_u j + row_v j = row_logit j - row_logit r.
Proof.
rewrite /row_u /row_v /row_logit; case: ltP => b0; [rewrite ltr0_norm|rewrite ger0_norm] => //; ring.
Qed.

Lemma row_argument_le0 j : vis j -> `|bs| * row_u j + row_v j <= 0.
Proof. by move=> vj; rewrite row_argument subr_le0 top. Qed.

Lemma row_yl_ge0 j : 0 <= row_yl j. Proof. exact: exp_down_ge0. Qed.

Lemma row_yl_r : row_yl r = 1.
Proof.
rewrite /row_yl /exponential_low /argument_low /product_low /row_u /row_v !subrr !mulr0 eqxx.
by rewrite (argument_down0 da) (exp_down0 ka).
Qed.

Lemma sum_low_ge1 : 1 <= sum_low.
Proof.
have: r \in keys by rewrite mem_filter vr mem_index_enum.
have stay s0 l : 1 <= s0 -> 1 <= foldl (fun s j => down a (s + row_yl j)) s0 l.
  elim: l s0 => //= j l IH s0 s1; apply: IH; rewrite -(down1 da); apply: (down_mono da).
  by rewrite -[X in X <= _]addr0 ler_add ?row_yl_ge0.
suff go s0 l : 0 <= s0 -> r \in l -> 1 <= foldl (fun s j => down a (s + row_yl j)) s0 l by exact: go.
elim: l s0 => //= j l IH s0 s0_ge; rewrite inE => /predU1P[<-|jl].
  apply: stay; rewrite -[X in X <= _](down1 da); apply: (down_mono da).
  by rewrite row_yl_r ler_addr.
by apply: IH => //; rewrite -(down0 da); apply: (down_mono da); rewrite addr_ge0 ?row_yl_ge0.
Qed.

Lemma sum_low_le : sum_low <= \sum_(j | vis j) row_yl j.
Proof.
have go s l : foldl (fun s j => down a (s + row_yl j)) s l <= s + \sum_(j <- l) row_yl j.
  elim: l s => [|j l IH] s /=; first by rewrite big_nil addr0.
  by rewrite big_cons addrA; apply: le_trans (IH _) _; rewrite ler_add2r (down_le da).
by rewrite -big_filter -[X in _ <= X]add0r; exact: go.
Qed.

Lemma sum_high_ge : \sum_(j | vis j) row_yh j <= sum_high.
Proof.
have go s l : s + \sum_(j <- l) row_yh j <= foldl (fun s j => up a (s + row_yh j)) s l.
  elim: l s => [|j l IH] s /=; first by rewrite big_nil addr0.
  by rewrite big_cons addrA; apply: le_trans (IH _); rewrite ler_add2r (up_ge da).
by rewrite -big_filter -[X in X <= _]add0r; exact: go.
Qed.

Theorem row_enclosed j : vis j -> entry_low j <= softmax vis row_logit j <= entry_high j.
Proof.
move=> vj; pose w l := exp (row_logit l + - row_logit r).
have -> : softmax vis row_logit j = share (fun l => if vis l then w l else 0) j.
  by rewrite -(softmax_shift vis row_logit (- row_logit r)).
have hy l : vis l -> row_yl l <= w l <= row_yh l.
  by move=> vl; rewrite /w -row_argument; apply: exponential_enclosed => //; exact: row_argument_le0.
have s1 := sum_low_ge1; have sl := sum_low_le; have sh := sum_high_ge.
apply: (@shares_enclosed _ _ _ (fun l => if vis l then row_yl l else 0) (fun l => if vis l then row_yh l else 0)
  sum_low sum_high (down a sum_high^-1) (up a sum_low^-1)); rewrite ?vj -?big_mkcond //=.
- by move=> l; case: ifP => // _; exact: row_yl_ge0.
- by move=> l; case: ifP => [/hy //|_]; rewrite lexx.
- exact: lt_le_trans ltr01 s1.
- exact: down_le.
- exact: up_ge.
- exact: down_le.
- by rewrite /entry_high le_minr !le_minl lexx /= (up_ge da) orbT.
Qed.

Theorem row_error_sound (centre : 'I_n -> R) :
  \sum_j `|softmax vis row_logit j - centre j| <= row_error centre.
Proof.
suff go s l : s + \sum_(j <- l) `|softmax vis row_logit j - centre j| <= foldl (add_error centre) s l.
  by rewrite -[X in X <= _]add0r; exact: go.
elim: l s => [|j l IH] s /=; first by rewrite big_nil addr0.
rewrite big_cons addrA; apply: le_trans (IH _); rewrite ler_add2r /add_error.
case: ifP => [vj|/negbT vj].
  apply: le_trans (error_up_ge da _); rewrite ler_add2l.
  apply: le_trans (entry_error (centre j) (row_enclosed vj)) _.
  by rewrite le_maxl !le_maxr !(error_up_ge da) orbT.
rewrite (softmax_hidden vr) // sub0r normrN; case: eqP => [->|_]; first by rewrite normr0 addr0.
exact: error_up_ge.
Qed.

End Row.

(* ---- heads ---- *)

Definition attention m n d (beta s : R) (Q : 'M[R]_(m, d)) (K : 'M_(n, d)) (b : 'M_(m, n))
    (vis : 'I_m -> pred 'I_n) : 'M[R]_(m, n) :=
  \matrix_(i, j) softmax (vis i) (logit beta s Q K b i) j.

Record head m n d := Head {
  query : 'M[R]_(m, d);
  key : 'M[R]_(n, d);
  scale : R;
  bias : 'M[R]_(m, n);
  visible : 'I_m -> pred 'I_n;
  beta_low : R;
  beta_high : R;
  query_radius : 'M[R]_(m, d);  (* how far a member's numbers may be from query and key *)
  key_radius : 'M[R]_(n, d)
}.

Section Head.
Variables (m n d : nat) (h : head m n d).
Implicit Types (i : 'I_m) (j : 'I_n) (A : 'M[R]_(m, n)).

Definition beta_middle : R := (beta_low h + beta_high h) / 2%:R.

Definition head_member A : Prop :=
  exists (beta : R) (Q : 'M[R]_(m, d)) (K : 'M[R]_(n, d)),
    [/\ beta_low h <= beta <= beta_high h,
        forall i k, `|Q i k - query h i k| <= query_radius h i k,
        forall j k, `|K j k - key h j k| <= key_radius h j k
      & A = attention beta (scale h) Q K (bias h) (visible h)].

(* One member: the computation leaves out what belongs to families. *)
Definition single : Prop := [/\ beta_low h = beta_high h, query_radius h = 0 & key_radius h = 0].

Definition middle_logit i j : R := logit beta_middle (scale h) (query h) (key h) (bias h) i j.

Definition oscillation_bound i : R :=
  `|scale h| * ((beta_high h - beta_low h) / 2%:R) * osc (visible h i) (dot (query h) (key h) i)
  + `|scale h| * beta_high h * dots_bound (visible h) (query h) (key h) (query_radius h) (key_radius h) i.

Hypothesis beta0 : 0 <= beta_low h.

(* r i is a visible key with the row's largest logit. *)
Definition references (r : 'I_m -> 'I_n) : Prop :=
  forall i, visible h i (r i) /\ forall j, visible h i j -> middle_logit i j <= middle_logit i (r i).

Theorem family_shift (beta : R) (Q : 'M[R]_(m, d)) (K : 'M[R]_(n, d)) i j0 :
  visible h i j0 -> beta_low h <= beta <= beta_high h ->
  (forall k, `|Q i k - query h i k| <= query_radius h i k) ->
  (forall j k, `|K j k - key h j k| <= key_radius h j k) ->
  \sum_j `|softmax (visible h i) (logit beta (scale h) Q K (bias h) i) j - softmax (visible h i) (middle_logit i) j|
    <= 2%:R * tanh (oscillation_bound i / 4%:R).
Proof. by move=> v0 hb hQ hK; apply: (softmax_osc v0); exact: family_osc. Qed.

Lemma single_member (beta : R) (Q : 'M[R]_(m, d)) (K : 'M[R]_(n, d)) :
  single -> beta_low h <= beta <= beta_high h ->
  (forall i k, `|Q i k - query h i k| <= query_radius h i k) ->
  (forall j k, `|K j k - key h j k| <= key_radius h j k) ->
  [/\ beta = beta_middle, Q = query h & K = key h].
Proof.
move=> [eb eQ eK] hb hQ hK.
have zero p q (X Y : 'M[R]_(p, q)) : (forall u v, `|X u v - Y u v| <= (0 : 'M[R]_(p, q)) u v) -> X = Y.
  move=> e; apply/matrixP => u v; apply/eqP; rewrite -subr_eq0 -normr_le0.
  by apply: le_trans (e u v) _; rewrite mxE.
rewrite eQ in hQ; rewrite eK in hK; rewrite (zero _ _ _ _ hQ) (zero _ _ _ _ hK).
split=> //; rewrite /beta_middle -eb; move: hb; rewrite -eb => /le_anti <-; by field.
Qed.

Variable a : arithmetic.
Hypotheses (da : directed a) (ka : kernel a).

(* The computed numbers: ends of |β_mid s|, bounds of the family's two factors, the references. *)
Variables (cl ch half_width largest : R) (r : 'I_m -> 'I_n).

Definition factors_computed : Prop :=
  [/\ factor_computed a (beta_middle * scale h) cl ch,
      upper_factor_computed a (`|scale h| * ((beta_high h - beta_low h) / 2%:R)) half_width
    & upper_factor_computed a (`|scale h| * beta_high h) largest].

Definition family_term i : R :=
  let o := up a (up a (half_width * osc (visible h i) (dot (query h) (key h) i))
                 + up a (largest * dots_bound (visible h) (query h) (key h) (query_radius h) (key_radius h) i)) in
  up a (2%:R * tanh_up a (up a (o / 4%:R))).

Definition middle_error (centre : 'M[R]_(m, n)) i : R :=
  row_error a (visible h i) (r i) (beta_middle * scale h) cl ch (dot (query h) (key h) i) (bias h i) (centre i).
Definition row_total (centre : 'M[R]_(m, n)) i : R := error_up a (middle_error centre i + family_term i).

Hypotheses (hr : references r) (hf : factors_computed).

Lemma tanh_mono (x y : R) : x <= y -> tanh (x / 4%:R) <= tanh (y / 4%:R).
Proof.
move=> le; rewrite !tanh_quarter; have e := exp_mono (_ : x / 2%:R <= y / 2%:R).
have {e} := e (ler_wpmul2r _ le); rewrite invr_ge0 ler0n => /(_ isT).
set u := exp (x / _); set v := exp (y / _) => uv.
have [u0 v0'] : 0 < u + 1 /\ 0 < v + 1 by rewrite !addr_gt0 ?exp_gt0 ?ltr01.
rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr // -subr_ge0.
have -> : (v - 1) * (u + 1) - (u - 1) * (v + 1) = 2%:R * (v - u) by ring.
by rewrite mulr_ge0 ?ler0n ?subr_ge0.
Qed.

Lemma dots_bound_ge0 i : (forall k, 0 <= query_radius h i k) ->
  0 <= dots_bound (visible h) (query h) (key h) (query_radius h) (key_radius h) i.
Proof.
move=> rad0; rewrite addr_ge0 ?le_minr ?bigmax_ge0 // andbT.
by apply: sumr_ge0 => k _; rewrite mulr_ge0 ?osc_ge0.
Qed.

Theorem family_term_sound i : (forall k, 0 <= query_radius h i k) ->
  2%:R * tanh (oscillation_bound i / 4%:R) <= family_term i.
Proof.
move=> rad0; case: hf => _ hw hl.
have {hw}hw := le_trans (ler_norm _) (upper_factor_sound da hw).
have {hl}hl := le_trans (ler_norm _) (upper_factor_sound da hl).
apply: le_trans (up_ge da _); rewrite ler_wpmul2l ?ler0n //.
set o := up a (up a _ + _); have le : oscillation_bound i <= o.
  apply: le_trans (up_ge da _); apply: ler_add; apply: le_trans (up_ge da _); apply: ler_wpmul2r => //.
    exact: osc_ge0.
  exact: dots_bound_ge0.
have q : o / 4%:R <= up a (o / 4%:R) := up_ge da _.
apply: le_trans (tanh_up_ge ka _); apply: le_trans (tanh_mono le) _.
have := tanh_mono (x := o) (y := up a (o / 4%:R) * 4%:R); rewrite mulfK ?pnatr_eq0 //; apply.
by rewrite -ler_pdivr_mulr ?ltr0n.
Qed.

Lemma middle_error_sound (centre : 'M[R]_(m, n)) i :
  \sum_j `|softmax (visible h i) (middle_logit i) j - centre i j| <= middle_error centre i.
Proof.
have [vr top] := hr i; case: hf => hc _ _.
exact: (row_error_sound da ka vr top (factor_computed_sound da hc)).
Qed.

Theorem rho_sound (centre : 'M[R]_(m, n)) (rho : R) A :
  0 <= rho -> (forall i, row_total centre i <= rho) -> head_member A -> rnorm (A - centre) <= rho.
Proof.
move=> rho0 le [beta [Q [K [hb hQ hK ->]]]]; apply: rnorm_le => // i; have [vr _] := hr i.
apply: le_trans (le i); apply: le_trans (error_up_ge da _).
have rad0 k : 0 <= query_radius h i k by apply: le_trans (hQ i k).
apply: le_trans (ler_add (middle_error_sound centre i) (family_term_sound rad0)).
apply: le_trans (ler_add (lexx _) (family_shift vr hb (hQ i) hK)); rewrite -big_split /=.
apply: ler_sum => j _; rewrite !mxE [X in _ <= X]addrC; exact: ler_dist_add.
Qed.

Theorem rho_sound_single (centre : 'M[R]_(m, n)) (rho : R) A :
  single -> 0 <= rho -> (forall i, middle_error centre i <= rho) -> head_member A -> rnorm (A - centre) <= rho.
Proof.
move=> hs rho0 le [beta [Q [K [hb hQ hK ->]]]]; apply: rnorm_le => // i.
have [-> -> ->] := single_member hs hb hQ hK.
apply: le_trans (le i); apply: le_trans (middle_error_sound centre i).
by apply: ler_sum => j _; rewrite !mxE.
Qed.

End Head.

(* ---- the whole chain ---- *)

Local Notation zR := (zF R_realField).

(* Where ρ is proved for the members of a head, the checker's bracket holds of them. *)
Lemma members_bracket (P : problem) d (h : head (rows P) (cols P) d) (ws : seq witness) (en ed : Z)
    (A : 'M[R]_(rows P, cols P)) :
  well_formed P -> (0 <=? en)%Z -> (0 <? ed)%Z ->
  (if members P is Softmax V then forall i j, visible h i j = nth false (nth [::] V i) j else True) ->
  (forall i, exists j, visible h i j) ->
  (0 <= zR (rho_num P) / zR (rho_den P) -> head_member h A ->
   rnorm (A - mx R_realField _ _ (centre P) (denominator P)) <= zR (rho_num P) / zR (rho_den P)) ->
  head_member h A ->
  let b := bracket P [seq measure_witness P w | w <- ws] en ed in
  reps_ge A (zR en / zR ed) b.1 /\ reps_le A (zR en / zR ed) b.2.
Proof.
move=> wf en0 ed0 same some hrho hA; apply: bracket_sound => //.
have rho0 : 0 <= zR (rho_num P) / zR (rho_den P).
  by case/and5P: wf => _ _ /(zF_ge0 R_realField) n0 /(zF_gt0 R_realField) d0 _; rewrite divr_ge0 // ltW.
split; first exact: hrho.
case: (members P) same => // V same; case: hA => beta [Q [K [_ _ _ ->]]].
split=> [i j|i|i j]; rewrite ?mxE; have [j0 v0] := some i.
- exact: softmax_ge0.
- by under eq_bigr do rewrite mxE; exact: (softmax_sum v0).
- by rewrite (softmax_neq0 v0).
Qed.

Theorem head_bracket_sound (a : arithmetic) (P : problem) d (h : head (rows P) (cols P) d)
    (cl ch half_width largest : R) (r : 'I_(rows P) -> 'I_(cols P)) (ws : seq witness) (en ed : Z)
    (A : 'M[R]_(rows P, cols P)) :
  directed a -> kernel a ->
  well_formed P -> (0 <=? en)%Z -> (0 <? ed)%Z ->
  (if members P is Softmax V then forall i j, visible h i j = nth false (nth [::] V i) j else True) ->
  0 <= beta_low h -> references h r -> factors_computed h a cl ch half_width largest ->
  (forall i, row_total h a cl ch half_width largest r (mx R_realField _ _ (centre P) (denominator P)) i
               <= zR (rho_num P) / zR (rho_den P)) \/
  single h /\
  (forall i, middle_error h a cl ch r (mx R_realField _ _ (centre P) (denominator P)) i
               <= zR (rho_num P) / zR (rho_den P)) ->
  head_member h A ->
  let b := bracket P [seq measure_witness P w | w <- ws] en ed in
  reps_ge A (zR en / zR ed) b.1 /\ reps_le A (zR en / zR ed) b.2.
Proof.
move=> da ka wf en0 ed0 same beta0 hr hf hrho hA; apply: (members_bracket (h := h)) => // [i|rho0 hA'].
  by exists (r i); exact: (hr i).1.
case: hrho => [le|[hs le]]; first exact: (rho_sound beta0 da ka hr hf).
exact: (rho_sound_single da ka hr hf hs).
Qed.
