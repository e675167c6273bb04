(* The float64 bound of lib/docs/softmax.md, sections "The float64 bound" and "Families": ‖A − Ã‖ is at most what
   upper_softmax_error_fast and enclose_softmax_fast compute, for all members A of a head's family.

   `row_computed` says what the C++ code computes for a row, operation by operation in the arithmetic of
   float_model.v (no overflow); dot products and sums are in any order, and dot products fused or not. The
   exponential's error is the only numerical hypothesis (`float_kernel`; proofs/gappa/exp_softmax.v has it).

   - float_row_sound      one row of the middle member: the distance that is left for the family;
   - float_rho_sound      rho ≥ the computed bounds of all rows: ‖A − Ã‖ ≤ rho for all members A;
   - float_bracket_sound  Q, K → Ã ± rho → the bracket of the extracted checker (formal.v).

   Assumed: what Coq's reals assume, and Epsilon.epsilon_statement (real_field.v). *)
From Coq Require Import ZArith Reals Lra.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Require Import norms rank zmatrix measure formal output_error weights family real_field softmax_real.
Require Import float_model enclosure_real.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Arguments exp _ : clear scopes.
Arguments tanh _ : clear scopes.
Local Notation listed f s := (List.map f s).

(* ---- sums of lists ---- *)

Lemma sum_listed (I : Type) (f : I -> R) (s : seq I) : float_model.sum (listed f s) = \sum_(i <- s) f i.
Proof. by elim: s => [|i s IH] /=; rewrite ?big_nil // big_cons IH. Qed.

Lemma length_size (I : Type) (s : seq I) : length s = size s.
Proof. by elim: s => //= i s ->. Qed.

Section Row.
Variables (rnd : R -> R) (fmt : R -> Prop) (e : R -> R) (highest : R).
Hypotheses (fl : is_float rnd fmt) (ek : float_kernel fmt e highest).

Variables (n d : nat) (vis : pred 'I_n).
Implicit Types j : 'I_n.

(* A row's numbers: q and the keys k_j, the bias, the factor; what is computed of them. *)
Record float_row := FloatRow {
  reference : 'I_n;
  computed_dot : 'I_n -> R;    (* of q and k_j, negated where the scale is negative *)
  computed_size : 'I_n -> R;   (* of |q| and |k_j| *)
  largest_size : R;
  largest_product : R;
  largest_shift : R;
  weight_sum : R;
  distance : R;
  dot_range : R;               (* of the computed dot products *)
  rounding : R                 (* ≥ the bound D of "Families" *)
}.

Variables (q : 'I_d -> R) (k : 'I_n -> 'I_d -> R) (b centre : 'I_n -> R) (negative : bool).
Variables (c : R) (x : float_row).

Definition pairs j : seq (R * R) := listed (fun l => (q l, k j l)) (index_enum (ordinal_finType d)).
Definition row_keys : seq 'I_n := [seq j <- index_enum (ordinal_finType n) | vis j].
Definition row_product j : R := product rnd c (computed_dot x j) (computed_dot x (reference x)).
Definition row_shift j : R := rnd (Rplus (b j) (Ropp (b (reference x)))).
Definition row_argument j : R := rnd (Rplus (row_product j) (row_shift j)).
Definition row_weight j : R := e (row_argument j).
Definition row_entry j : R := if vis j then rnd (Rdiv (row_weight j) (weight_sum x)) else 0.
Definition row_dot_error : R := dot_error rnd d (largest_size x).
Definition row_logit_error : R := logit_error rnd c row_dot_error (largest_product x) (largest_shift x).

Record row_computed : Prop := RowComputed {
  reference_visible : vis (reference x);
  dot_computed : forall j, vis j -> exists2 D, dotted rnd (pairs j) D &
    computed_dot x j = if negative then Ropp D else D;
  size_computed : forall j, vis j -> dotted rnd (magnitudes (pairs j)) (computed_size x j);
  size_largest : Rle 0 (largest_size x) /\ forall j, vis j -> Rle (computed_size x j) (largest_size x);
  product_largest : Rle 0 (largest_product x) /\ forall j, vis j -> Rle (Rabs (row_product j)) (largest_product x);
  shift_largest : [/\ fmt (largest_shift x), Rle 0 (largest_shift x) &
    (forall j, vis j -> Rle (rnd (Rplus (Rabs (row_shift j)) (Rabs (row_argument j)))) (largest_shift x)) \/
    (forall j, vis j -> b j = 0)];
  argument_highest : forall j, vis j -> Rle (row_argument j) highest;
  weights_summed : summed rnd fmt (listed row_weight row_keys) (weight_sum x);
  distance_summed : summed rnd fmt
    (listed (fun j => gap rnd (row_entry j, centre j)) (index_enum (ordinal_finType n))) (distance x)
}.

Variables (ce : R).  (* the exact factor: |β s| *)
Hypotheses (rc : row_computed) (nc : near c ce) (fb : forall j, fmt (b j)) (fc : forall j, fmt (centre j)).
Hypotheses (dn : few d) (nn : few (n + 1)).

Definition exact_dot j : R := \sum_l q l * k j l.
Definition exact_logit j : R := (if negative then - ce else ce) * exact_dot j + b j.

Lemma products_pairs j : products (pairs j) = exact_dot j.
Proof. by rewrite /products /pairs List.map_map sum_listed. Qed.

Lemma pairs_length j : length (pairs j) = d.
Proof. by rewrite /pairs List.map_length length_size /index_enum -enumT size_enum_ord. Qed.

Lemma computed_dot_fmt j : vis j -> fmt (computed_dot x j).
Proof.
move=> /(dot_computed rc) [D hD ->]; have f := dotted_fmt fl hD.
by case: negative => //; exact: (fmt_opp fl).
Qed.

Lemma row_dot_error_ge0 : Rle 0 row_dot_error.
Proof. exact: (dot_error_ge0 fl d (proj1 (size_largest rc))). Qed.

Lemma computed_dot_error j : vis j ->
  Rle (Rabs (Rminus (computed_dot x j) ((if negative then -1 else 1) * exact_dot j))) row_dot_error.
Proof.
move=> vj; have [D hD ->] := dot_computed rc vj; have [G0 Gle] := size_largest rc.
have h : Rle (Rabs (Rminus D (exact_dot j))) row_dot_error.
  have := dot_error_sound fl _ hD (size_computed rc vj) (Gle _ vj) G0.
  rewrite pairs_length products_pairs => h.
  exact: (h dn).
case: negative; rewrite ?mul1r // mulN1r.
rewrite (_ : Rminus (Ropp D) _ = Ropp (Rminus D (exact_dot j))) ?Rabs_Ropp //.
by rewrite !RE; Lra.lra.
Qed.

Lemma row_logit_error_ge0 : Rle 0 row_logit_error.
Proof.
have [P0 _] := product_largest rc; have [_ S0 _] := shift_largest rc.
have [c0 _] := near_low nc; exact: (logit_error_ge0 fl c0 row_dot_error_ge0 P0 S0).
Qed.

(* The computed arguments are the logits, but for a constant and the error. *)
Lemma row_argument_error j : vis j ->
  `|row_argument j - exact_logit j
    - - (ce * computed_dot x (reference x) + b (reference x))| <= row_logit_error.
Proof.
move=> vj; have vr := reference_visible rc; apply/RleP.
have [P0 Ple] := product_largest rc; have [fS S0 Sle] := shift_largest rc.
have pf : Rle (rnd (Rplus (Rabs (row_shift j)) (Rabs (row_argument j)))) (largest_shift x) \/
    b j = 0 /\ b (reference x) = 0 by case: Sle => h; [left; exact: h|right; rewrite !h].
have := logit_sound fl nc (computed_dot_fmt vj) (computed_dot_fmt vr) (fb j) (fb (reference x)) fS
  row_dot_error_ge0 P0 S0 (computed_dot_error vj) (Ple _ vj) pf.
congr (Rle (Rabs _) _); rewrite -/(row_product j) -/(row_shift j) -/(row_argument j) /exact_logit /Rminus.
by case: negative; rewrite ?mulN1r ?mul1r ?mulNr !RE; Lra.lra.
Qed.

Lemma row_logit_sound :
  \sum_j `|softmax vis row_argument j - softmax vis exact_logit j| <= row_logit_error.
Proof.
apply: (softmax_uniform (c := - (ce * computed_dot x (reference x) + b (reference x))) (reference_visible rc)).
  exact/RleP/row_logit_error_ge0.
by move=> j vj; exact: row_argument_error.
Qed.

Lemma row_argument_fmt j : fmt (row_argument j). Proof. exact: (rnd_fmt fl). Qed.

Lemma row_argument_reference : row_argument (reference x) = 0.
Proof.
rewrite /row_argument /row_product (product_reference fl) /row_shift Rplus_opp_r.
by rewrite (rnd_id fl (fmt0 fl)) Rplus_0_r (rnd_id fl (fmt0 fl)).
Qed.

Definition visible_weight j : R := if vis j then row_weight j else 0.

Lemma visible_weight_ge0 j : 0 <= visible_weight j.
Proof.
rewrite /visible_weight; case: ifP => // vj; apply/RleP.
exact: (kernel_ge0 ek (row_argument_fmt j) (argument_highest rc vj)).
Qed.

Lemma visible_weight_sum_gt0 : 0 < \sum_j visible_weight j.
Proof.
have vr := reference_visible rc; rewrite (bigD1 (reference x)) //=.
apply: ltr_paddr; first by apply: sumr_ge0 => j _; exact: visible_weight_ge0.
rewrite /visible_weight vr; apply/RltP; apply: kernel_one.
rewrite -[exp _](congr1 exp row_argument_reference).
exact: (kernel_error ek (row_argument_fmt _) (argument_highest rc vr)).
Qed.

Lemma exponentials_sound :
  Rle (\sum_j `|share visible_weight j - softmax vis row_argument j|) (exponential_loss n).
Proof.
have vr := reference_visible rc; pose E := \sum_j weight vis row_argument j.
have E0 : 0 < E := weight_sum_gt0 vr _.
apply/RleP; apply: le_trans (shares_distance visible_weight_ge0 E0 visible_weight_sum_gt0) _.
rewrite -/E ler_pdivr_mulr //; set X := \sum_j _; apply/RleP.
have E1 : Rle (IZR 1) E.
  apply/RleP; rewrite /E (bigD1 (reference x)) //= {1}/weight vr row_argument_reference exp_zero.
  by rewrite ler_addl sumr_ge0 // => j _; exact: weight_ge0.
apply: (exponential_scalar E1); apply/RleP.
have step j : `|visible_weight j - weight vis row_argument j| <= pow (Rinv (IZR 2)) 51 * weight vis row_argument j + eta.
  rewrite /visible_weight /weight; case: ifP => vj; last by rewrite mulr0 subrr normr0 add0r; apply/RleP/Rlt_le/eta_gt0.
  by apply/RleP; exact: (kernel_error ek (row_argument_fmt j) (argument_highest rc vj)).
apply: le_trans (ler_sum _ (fun j _ => step j)) _; rewrite big_split /= -mulr_sumr sumr_const card_ord.
by rewrite -mulr_natl RnatE.
Qed.

Lemma quotients_sound :
  Rle (\sum_j `|row_entry j - share visible_weight j|) (quotient_loss n).
Proof.
have W0 := visible_weight_sum_gt0.
have sumE : float_model.sum (listed row_weight row_keys) = \sum_j visible_weight j.
  by rewrite sum_listed /row_keys big_filter big_mkcond.
have pos : List.Forall (Rle (IZR 0)) (listed row_weight row_keys).
  apply/List.Forall_map/List.Forall_forall => j; rewrite /row_keys.
  elim: (index_enum _) => //= l s IH; case: ifP => // vl; case=> [<-|]; last exact: IH.
  exact: (kernel_ge0 ek (row_argument_fmt _) (argument_highest rc vl)).
have len : (length (listed row_weight row_keys) <= n)%coq_nat.
  apply/ssrnat.leP; rewrite List.map_length length_size size_filter; apply: leq_trans (count_size _ _) _.
  by rewrite /index_enum -enumT size_enum_ord.
have W0' : Rlt 0 (float_model.sum (listed row_weight row_keys)) by rewrite sumE; exact/RltP.
have := quotient_sound fl pos (weights_summed rc) W0' len nn.
rewrite List.map_map sum_listed sumE /row_keys big_filter big_mkcond /=; congr (Rle _ _).
apply: eq_bigr => j _; rewrite /row_entry /share {2}/visible_weight; case: ifP => vj.
  by rewrite RdivE // gt_eqF.
by rewrite mul0r subrr normr0.
Qed.

Lemma row_entry_fmt j : fmt (row_entry j).
Proof. by rewrite /row_entry; case: ifP => _; [exact: (rnd_fmt fl)|exact: (fmt0 fl)]. Qed.

Lemma distance_bound : Rle 0 (distance x) /\
  Rle (\sum_j `|row_entry j - centre j|)
      (distance_loss n (distance x)).
Proof.
pose l := listed (fun j => (row_entry j, centre j)) (index_enum (ordinal_finType n)).
have f p : List.In p l -> fmt p.1 /\ fmt p.2.
  by rewrite /l => /List.in_map_iff [j [<- _]]; split; [exact: row_entry_fmt|exact: fc].
have len : (length l <= n)%coq_nat.
  by apply/ssrnat.leP; rewrite List.map_length length_size /index_enum -enumT size_enum_ord.
have hs : summed rnd fmt (listed (gap rnd) l) (distance x) by rewrite /l List.map_map; exact: (distance_summed rc).
have [h0 h] := distance_sound fl f hs len nn; split => //.
by move: h; rewrite /l List.map_map sum_listed.
Qed.

Theorem float_row_sound (fam f : R) :
  fmt fam -> Rle 0 fam -> Rle f (Rplus fam (Rdiv tiny (IZR 16))) ->
  \sum_j `|softmax vis exact_logit j - centre j| + f <= total rnd n (distance x) row_logit_error fam.
Proof.
move=> ffam fam0 hf; have [T0 hT] := distance_bound.
have fle : fmt row_logit_error by exact: (rnd_fmt fl).
have /RleP := losses_sound fl T0 row_logit_error_ge0 fam0 fle ffam nn (elimT (RleP _ _) row_logit_sound)
  exponentials_sound quotients_sound hT hf.
apply: le_trans; rewrite !RE -!RaddE ler_add2r -!big_split /=; apply: ler_sum => j _.
apply: le_trans (ler_dist_add (row_entry j) _ _) _; rewrite ler_add2r.
apply: le_trans (ler_dist_add (share visible_weight j) _ _) _; apply: ler_add; last by rewrite distrC.
apply: le_trans (ler_dist_add (softmax vis row_argument j) _ _) _.
by apply: ler_add; rewrite distrC.
Qed.

End Row.

(* ---- heads ---- *)

Section Head.
Variables (rnd : R -> R) (fmt : R -> Prop) (e : R -> R) (highest : R).
Hypotheses (fl : is_float rnd fmt) (ek : float_kernel fmt e highest).

Variables (m n d : nat) (h : head m n d) (centre : 'M[R]_(m, n)).
Implicit Types (i : 'I_m) (j : 'I_n) (A : 'M[R]_(m, n)).

(* The factors |β_mid s|, |s| (β_high − β_low)/2 and |s| β_high, and the rows' numbers. *)
Variables (c half_width largest : R) (xs : 'I_m -> float_row n).

Definition factors_approximated : Prop :=
  [/\ approximated rnd c `|beta_middle h * scale h|,
      approximated rnd half_width (`|scale h| * ((beta_high h - beta_low h) / 2%:R))
    & approximated rnd largest (`|scale h| * beta_high h)].

Definition range_computed i : Prop :=
  exists high low, let D := computed_dot (xs i) in
    [/\ visible h i high, visible h i low, forall j, visible h i j -> D low <= D j <= D high
      & dot_range (xs i) = rnd (Rplus (D high) (Ropp (D low)))].

Definition family_computed i (fam : R) : Prop :=
  fam = 0 /\ (single h \/ forall j, visible h i j -> j = reference (xs i)) \/
  [/\ range_computed i,
      dots_bound (visible h) (query h) (key h) (query_radius h) (key_radius h) i <= rounding (xs i)
    & fam = family_distance rnd (oscillation rnd half_width largest (dot_range (xs i))
                                   (row_dot_error rnd d (xs i)) (rounding (xs i)))].

Definition float_row_computed i : Prop :=
  row_computed rnd fmt e highest (visible h i) (query h i) (key h) (bias h i) (centre i)
    (beta_middle h * scale h < 0) c (xs i).

Definition float_row_total i (fam : R) : R :=
  total rnd n (distance (xs i)) (row_logit_error rnd d c (xs i)) fam.

Hypothesis beta0 : 0 <= beta_low h.
Hypotheses (hf : factors_approximated) (hr : forall i, float_row_computed i).
Hypotheses (fb : forall i j, fmt (bias h i j)) (fc : forall i j, fmt (centre i j)).
Hypotheses (dn : few d) (nn : few (n + 1)).

Lemma exact_logit_middle i j :
  exact_logit (query h i) (key h) (bias h i) (beta_middle h * scale h < 0) `|beta_middle h * scale h| j
  = middle_logit h i j.
Proof.
rewrite /exact_logit /middle_logit /logit /exact_dot /dot.
by case: ltP => s0; [rewrite ltr0_norm // opprK|rewrite ger0_norm].
Qed.

Lemma dot_osc i high low : let D := computed_dot (xs i) in
  visible h i high -> visible h i low -> (forall j, visible h i j -> D low <= D j <= D high) ->
  osc (visible h i) (dot (query h) (key h) i) <= D high - D low + 2%:R * row_dot_error rnd d (xs i).
Proof.
move=> D vh vl hD; set de := row_dot_error _ _ _.
have de0 : 0 <= de by apply/RleP; exact: (row_dot_error_ge0 fl (hr i)).
have b0 : 0 <= D high - D low + 2%:R * de.
  by rewrite addr_ge0 ?subr_ge0 ?mulr_ge0 ?ler0n //; case/andP: (hD _ vh).
apply/(osc_leP _ _ b0) => j l vj vl'; set E := dot _ _ _.
pose sg : R := if beta_middle h * scale h < 0 then -1 else 1.
have near j' : visible h i j' -> `|D j' - sg * E j'| <= de.
  by move=> vj'; apply/RleP; exact: (computed_dot_error fl (hr i) dn vj').
have sg1 : `|sg| = 1 by rewrite /sg; case: ifP => _; rewrite ?normrN normr1.
apply: le_trans (ler_norm _) _; rewrite -[X in X <= _]mul1r -[X in X * _ <= _]sg1 -normrM mulrBr.
have -> : sg * E j - sg * E l = (D j - D l) - ((D j - sg * E j) - (D l - sg * E l)) by ring.
apply: le_trans (ler_norm_sub _ _) _; apply: ler_add.
  by case/andP: (hD _ vj) => j1 j2; case/andP: (hD _ vl') => l1 l2; rewrite ler_norml opprB !ler_sub.
by rewrite mulr_natl mulr2n; apply: le_trans (ler_norm_sub _ _) _; rewrite ler_add ?near.
Qed.

Lemma dot_error_half i : Rle (Rdiv tiny (IZR 2)) (row_dot_error rnd d (xs i)).
Proof.
have G0 := proj1 (size_largest (hr i)).
apply: Rle_trans (dot_error_low fl d G0); set z := Rmult (Rmult (INR d) u) _.
have z0 : Rle (IZR 0) z.
  by apply: Rmult_le_pos => //; apply: Rmult_le_pos; [exact: pos_INR|exact: Rlt_le u_gt0].
by Lra.lra.
Qed.

Lemma two_tanh_min (o : R) : 0 <= o -> Rle (2%:R * tanh (o / 4%:R)) (Rmin (IZR 2) (Rdiv o (IZR 2))).
Proof.
move=> o0; have := two_tanh_le o0; rewrite le_minr => /andP[/RleP h1 /RleP h2].
have [e1 _] := half_quarter o; rewrite e1 in h2; exact: Rmin_glb.
Qed.

Lemma range_le i high low : let D := computed_dot (xs i) in
  visible h i high -> visible h i low -> (forall j, visible h i j -> D low <= D j <= D high) ->
  Rle (osc (visible h i) (dot (query h) (key h) i))
      (Rplus (Rminus (D high) (D low)) (Rmult (IZR 2) (row_dot_error rnd d (xs i)))).
Proof.
move=> D vh vl hD; have /RleP := dot_osc vh vl hD.
by rewrite !RE /= (_ : Rplus (IZR 1) (IZR 1) = IZR 2) //; Lra.lra.
Qed.

(* The family's part of the bound of row i. *)
Lemma family_part i fam (beta : R) (Q : 'M[R]_(m, d)) (K : 'M[R]_(n, d)) :
  family_computed i fam -> beta_low h <= beta <= beta_high h ->
  (forall i k, `|Q i k - query h i k| <= query_radius h i k) ->
  (forall j k, `|K j k - key h j k| <= key_radius h j k) ->
  [/\ fmt fam, Rle 0 fam & Rle
    (\sum_j `|softmax (visible h i) (logit beta (scale h) Q K (bias h) i) j
              - softmax (visible h i) (middle_logit h i) j|) (Rplus fam (Rdiv tiny (IZR 16)))].
Proof.
move=> hfam hb hQ hK; have vr := reference_visible (hr i).
have t0 : Rlt 0 (Rdiv tiny (IZR 16)) by apply: Rdiv_lt_0_compat; [exact: tiny_gt0|Lra.lra].
have zero (X : R) : X <= 0 -> Rle X (Rplus 0 (Rdiv tiny (IZR 16))).
  by move/RleP => X0; rewrite Rplus_0_l; apply: Rle_trans X0 _; exact: Rlt_le.
case: hfam => [[-> hs]|[[high [low [vh vl hD hrange]]] hround ->]].
  split; [exact: (fmt0 fl)|exact: Rle_refl|apply: zero; case: hs => [hs|one]].
    have [-> -> ->] := single_member hs hb hQ hK.
    by rewrite big1 // => j _; rewrite subrr normr0.
  apply: le_trans (softmax_tanh vr _ _) _.
  have -> : osc (visible h i) (fun j => logit beta (scale h) Q K (bias h) i j - middle_logit h i j) = 0.
    apply/eqP; rewrite eq_le osc_ge0 andbT; apply/(osc_leP _ _ (lexx _)) => j l /one -> /one ->.
    by rewrite subrr.
  by rewrite tanh_quarter mul0r exp_zero subrr mul0r mulr0.
have [_ /(approximated_near fl) hw /(approximated_near fl) hl] := hf.
have de0 := row_dot_error_ge0 fl (hr i).
have [r0 hrg] := range_sound fl (computed_dot_fmt fl (hr i) vh) (computed_dot_fmt fl (hr i) vl)
  (elimT (RleP _ _) (proj1 (andP (hD _ vh)))) de0 (range_le vh vl hD).
have rad0 k : 0 <= query_radius h i k by apply: le_trans (hQ i k).
have D0 := dots_bound_ge0 rad0.
rewrite -hrange in r0 hrg.
have [o0 le] := family_sound fl hw hl (eq_ind_r fmt (rnd_fmt fl _) hrange) (dot_error_half i) r0
  (elimT (RleP _ _) D0) hrg (elimT (RleP _ _) hround).
split; [exact: (family_distance_fmt fl)|exact: (family_distance_ge0 fl o0)|].
apply: Rle_trans le; apply: Rle_trans (two_tanh_min _).
  by apply/RleP; exact: (family_shift beta0 vr hb (hQ i) hK).
have lohi : beta_low h <= beta_high h by case/andP: hb; exact: le_trans.
have half0 : 0 <= (beta_high h - beta_low h) / 2%:R by rewrite divr_ge0 ?ler0n ?subr_ge0.
by rewrite addr_ge0 // mulr_ge0 ?osc_ge0 // mulr_ge0 // (le_trans beta0 lohi).
Qed.

Theorem float_rho_sound (rho : R) A :
  0 <= rho -> (forall i, exists2 fam, family_computed i fam & float_row_total i fam <= rho) ->
  head_member h A -> rnorm (A - centre) <= rho.
Proof.
move=> rho0 le [beta [Q [K [hb hQ hK ->]]]]; apply: rnorm_le => // i.
have [fam hfam] := le i; apply: le_trans; have [ffam fam0 hf'] := family_part hfam hb hQ hK.
have [/(approximated_near fl) nc _ _] := hf.
apply: le_trans (float_row_sound fl ek (hr i) nc (fb i) (fc i) dn nn ffam fam0 hf').
rewrite -big_split; apply: ler_sum => j _; rewrite !mxE /= [X in _ <= X]addrC.
rewrite (softmax_ext (x' := middle_logit h i) j (fun l _ => exact_logit_middle i l)).
exact: ler_dist_add.
Qed.

End Head.

(* ---- the whole chain ---- *)

Local Notation zR := (zF R_realField).

Theorem float_bracket_sound (rnd : R -> R) (fmt : R -> Prop) (e : R -> R) (highest : R) (P : problem) d
    (h : head (rows P) (cols P) d) (c half_width largest : R) (xs : 'I_(rows P) -> float_row (cols P))
    (ws : seq witness) (en ed : Z) (A : 'M[R]_(rows P, cols P)) :
  let centre := mx R_realField (rows P) (cols P) (centre P) (denominator P) in
  is_float rnd fmt -> float_kernel fmt e highest ->
  well_formed P -> (0 <=? en)%Z -> (0 <? ed)%Z ->
  (if members P is Softmax V then forall i j, visible h i j = nth false (nth [::] V i) j else True) ->
  0 <= beta_low h -> factors_approximated rnd h c half_width largest ->
  (forall i j, fmt (bias h i j)) -> (forall i j, fmt (centre i j)) -> few d -> few (cols P + 1) ->
  (forall i, float_row_computed rnd fmt e highest h centre c xs i) ->
  (forall i, exists2 fam, family_computed rnd h half_width largest xs i fam &
     float_row_total rnd d c xs i fam <= zR (rho_num P) / zR (rho_den P)) ->
  head_member h A ->
  let b := bracket P [seq measure_witness P w | w <- ws] en ed in
  reps_ge A (zR en / zR ed) b.1 /\ reps_le A (zR en / zR ed) b.2.
Proof.
move=> C fl ek wf en0 ed0 same beta0 hf fb fc dn nn hr le hA.
apply: (members_bracket (h := h)) => // [i|rho0 hA']; first by exists (reference (xs i)); exact: reference_visible (hr i).
exact: (float_rho_sound fl ek beta0 hf hr fb fc dn nn rho0 le).
Qed.
