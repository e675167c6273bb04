(* For signed row cycles (row_cycles.v; lib/docs/certificates.md, section of that name): signs along a segment.

   An m×d matrix U is `generic` where all minors of d rows in increasing order are non-zero. k = d + 1 of its rows
   then have one linear dependency, dep f U, without a zero (formula (∗) there).

   - path_parity     a path on the cube that flips each coordinate at most once, at different times: of the edges
                     that meet a given vertex there are oddly many where it is one end of the path and not the other;
   - ev_...          what holds for all large x, of polynomials too;
   - dep_kills       the dependency; dep_mix: it is affine along a segment on which one row moves;
   - cross_...       where and how a coordinate changes its sign on a segment;
   - matches v s     the signs of v are s, or all the opposite. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Require Import norms rank.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- a path on the cube ---- *)

Section Path.
Variables (F : realFieldType) (I : finType) (S E : pred I) (x : I -> F).
Hypothesis SE : forall a, S a -> E a -> False.
Hypothesis xinj : forall a b, S a || E a -> S b || E b -> x a = x b -> a = b.

Definition edge (j : I) : bool :=
  (S j || E j) && [forall a, (a != j) ==> (S a ==> (x j < x a)) && (E a ==> (x a < x j))].

Lemma edgeP j : reflect
  ((S j || E j) /\ forall a, a != j -> (S a -> x j < x a) /\ (E a -> x a < x j)) (edge j).
Proof.
apply: (iffP andP) => [[h /forallP H]|[h H]]; split=> //.
  by move=> a aj; have := H a; rewrite aj /= => /andP[/implyP h1 /implyP h2].
by apply/forallP => a; apply/implyP => aj; have [h1 h2] := H a aj; apply/andP; split; apply/implyP.
Qed.

Lemma path_parity : odd #|edge| = [forall a, ~~ E a] (+) [forall a, ~~ S a].
Proof.
have xlt a b : S a || E a -> S b || E b -> x a <= x b -> a != b -> x a < x b.
  by move=> ha hb le ab; rewrite lt_neqAle le andbT; apply: contraNneq ab => /(xinj ha hb) ->.
case: (pickP S) => [s0 S0|noS]; case: (pickP E) => [e0 E0|noE].
- have -> : [forall a, ~~ E a] = false by apply/forallP => /(_ e0); rewrite E0.
  have -> : [forall a, ~~ S a] = false by apply/forallP => /(_ s0); rewrite S0.
  case: (@arg_minP _ _ _ s0 S x S0) => s Ss smin0.
  case: (@arg_maxP _ _ _ e0 E x E0) => e Ee emax0.
  have smin a (Sa : S a) : x s <= x a := smin0 a Sa.
  have emax a (Ea : E a) : x a <= x e := emax0 a Ea.
  have se : s != e by apply/eqP => h; apply: (SE Ss); rewrite h.
  have [lt|ge] := ltP (x e) (x s).
    rewrite (@eq_card _ _ (pred2 s e)) ?card2 ?se // => j; rewrite !inE; apply/edgeP/idP => [[SEj h]|].
      case: (altP (j =P s)) => //= js; case: (altP (j =P e)) => //= je.
      rewrite eq_sym in js; rewrite eq_sym in je; have [h1 _] := h s js; have [_ h2] := h e je.
      case/orP: SEj => hj; first by have : x s <= x j := smin _ hj; rewrite leNgt h1.
      by have : x j <= x e := emax _ hj; rewrite leNgt h2.
    case/orP => /eqP ->; rewrite ?Ss ?Ee ?orbT; split=> // a na; split=> ha.
    + by apply: xlt => //; rewrite ?Ss ?ha ?smin // eq_sym.
    + exact: le_lt_trans (emax _ ha) lt.
    + exact: lt_le_trans lt (smin _ ha).
    + by apply: xlt => //; rewrite ?Ee ?ha ?orbT ?emax.
  rewrite (@eq_card0 _ _) // => j; apply/edgeP => -[SEj h].
  case: (altP (j =P s)) => [js|js].
    have ej : e != j by rewrite js eq_sym.
    by have [_ /(_ Ee)] := h e ej; rewrite js ltNge ge.
  case: (altP (j =P e)) => [je|je].
    have sj : s != j by rewrite je.
    by have [/(_ Ss)] := h s sj; rewrite je ltNge ge.
  rewrite eq_sym in js; rewrite eq_sym in je.
  have [/(_ Ss) h1 _] := h s js; have [_ /(_ Ee) h2] := h e je.
  by have := lt_trans h2 h1; rewrite ltNge ge.
- have -> : [forall a, ~~ E a] = true by apply/forallP => a; rewrite noE.
  have -> : [forall a, ~~ S a] = false by apply/forallP => /(_ s0); rewrite S0.
  case: (@arg_minP _ _ _ s0 S x S0) => s Ss smin0.
  have smin a (Sa : S a) : x s <= x a := smin0 a Sa.
  rewrite (@eq_card _ _ (pred1 s)) ?card1 // => j; rewrite !inE; apply/edgeP/eqP => [[SEj h]|->].
    apply/eqP; case: (altP (j =P s)) => // js.
    rewrite eq_sym in js; have [/(_ Ss) h1 _] := h s js.
    by move: SEj; rewrite noE orbF => /smin le; have : x s <= x j := le; rewrite leNgt h1.
  rewrite Ss; split=> // a na; split=> ha; last by rewrite noE in ha.
  by apply: xlt; rewrite ?Ss ?ha ?smin // eq_sym.
- have -> : [forall a, ~~ S a] = true by apply/forallP => a; rewrite noS.
  have -> : [forall a, ~~ E a] = false by apply/forallP => /(_ e0); rewrite E0.
  case: (@arg_maxP _ _ _ e0 E x E0) => e Ee emax0.
  have emax a (Ea : E a) : x a <= x e := emax0 a Ea.
  rewrite (@eq_card _ _ (pred1 e)) ?card1 // => j; rewrite !inE; apply/edgeP/eqP => [[SEj h]|->].
    apply/eqP; case: (altP (j =P e)) => // je.
    rewrite eq_sym in je; have [_ /(_ Ee) h1] := h e je.
    by move: SEj; rewrite noS /= => /emax le; have : x j <= x e := le; rewrite leNgt h1.
  rewrite Ee orbT; split=> // a na; split=> ha; first by rewrite noS in ha.
  by apply: xlt; rewrite ?Ee ?ha ?orbT ?emax.
have -> : [forall a, ~~ E a] = true by apply/forallP => a; rewrite noE.
have -> : [forall a, ~~ S a] = true by apply/forallP => a; rewrite noS.
by rewrite (@eq_card0 _ _) // => j; apply/edgeP => -[]; rewrite noS noE.
Qed.
End Path.

(* ---- for all large x ---- *)

Section Eventually.
Variable F : realFieldType.
Implicit Types (P Q : F -> Prop) (p : {poly F}).

Definition ev P : Prop := exists N, forall x, N <= x -> P x.

Lemma ev_ge N : ev (fun x => N <= x). Proof. by exists N. Qed.
Lemma ev_and P Q : ev P -> ev Q -> ev (fun x => P x /\ Q x).
Proof.
move=> [M hM] [N hN]; exists (Num.max M N) => x; rewrite le_maxl => /andP[h1 h2].
by split; [exact: hM|exact: hN].
Qed.
Lemma ev_imp P Q : (forall x, P x -> Q x) -> ev P -> ev Q.
Proof. by move=> h [N hN]; exists N => x /hN /h. Qed.
Lemma ev_true P : (forall x, P x) -> ev P. Proof. by move=> h; exists 0 => x _. Qed.
Lemma ev_seq (T : eqType) (s : seq T) (P : T -> F -> Prop) :
  (forall t, t \in s -> ev (P t)) -> ev (fun x => forall t, t \in s -> P t x).
Proof.
elim: s => [|t s IH] h; first by apply: ev_true.
have h1 := h t (mem_head _ _); have h2 : ev (fun x => forall t', t' \in s -> P t' x).
  by apply: IH => t' ts; apply: h; rewrite inE ts orbT.
apply: ev_imp (ev_and h1 h2) => x [p1 p2] t'; rewrite inE => /predU1P[->//|]; exact: p2.
Qed.
Lemma ev_all (T : finType) (P : T -> F -> Prop) : (forall t, ev (P t)) -> ev (fun x => forall t, P t x).
Proof.
move=> h; have := @ev_seq _ (enum T) P (fun t _ => h t).
by apply: ev_imp => x hx t; apply: hx; rewrite mem_enum.
Qed.
Lemma ev_some P : ev P -> exists x, P x. Proof. by case=> N h; exists N; exact: h. Qed.

Lemma ev_poly p : 0 < lead_coef p -> exists2 c, 0 < c & ev (fun x => c <= p.[x]).
Proof.
elim/poly_ind: p => [|p c IH]; first by rewrite lead_coef0 ltxx.
have [->|p0] := eqVneq p 0.
  rewrite mul0r add0r lead_coefC => c0; exists c => //; apply: ev_true => x; by rewrite hornerC.
rewrite lead_coefDl ?lead_coefMX => [/IH [e e0 [N hN]]|]; last first.
  by rewrite size_polyC size_mulX //; case: (c == 0); rewrite //= ltnS lt0n size_poly_eq0.
exists 1 => //; exists (Num.max N (Num.max 0 ((1 - c) / e))) => x; rewrite !le_maxl => /and3P[h1 h2 h3].
rewrite hornerD hornerMX hornerC -ler_subl_addr; apply: le_trans (_ : e * x <= _).
  by rewrite mulrC -ler_pdivr_mulr.
by rewrite ler_wpmul2r ?hN.
Qed.

Lemma ev_poly_neq p : p != 0 -> ev (fun x => p.[x] != 0).
Proof.
move=> p0; have l0 : lead_coef p != 0 by rewrite lead_coef_eq0.
have [l|l|l] := ltgtP 0 (lead_coef p); last by rewrite -l eqxx in l0.
  by have [c c0] := ev_poly l; apply: ev_imp => x h; rewrite gt_eqF // (lt_le_trans c0).
have l' : 0 < lead_coef (- p) by rewrite lead_coefN oppr_gt0.
have [c c0] := ev_poly l'; apply: ev_imp => x; rewrite hornerN => h.
by rewrite -oppr_eq0 gt_eqF // (lt_le_trans c0).
Qed.
End Eventually.

(* ---- rows and their dependencies ---- *)

Definition incr m k (f : 'I_k -> 'I_m) : Prop := forall a b : 'I_k, (a < b)%N -> (f a < f b)%N.

Lemma incr_inj m k (f : 'I_k -> 'I_m) : incr f -> injective f.
Proof.
move=> h a b e; apply/eqP/negPn/negP; rewrite -val_eqE /= neq_ltn => /orP[] /h; by rewrite e ltnn.
Qed.

Lemma incr_lift m k (f : 'I_k.+1 -> 'I_m) j : incr f -> incr (f \o lift j).
Proof.
move=> h a b ab; apply: h; rewrite /= /bump.
case: (leqP j a) => ja; case: (leqP j b) => jb; rewrite ?add1n ?add0n ?ltnS //.
  by have := leq_trans ja (ltnW ab); rewrite leqNgt jb.
exact: ltnW. Qed.

Section Dependency.
Variable F : realFieldType.
Variables m d : nat.
Implicit Types (U : 'M[F]_(m, d)) (i : 'I_m).

Definition minor (g : 'I_d -> 'I_m) U : F := \det (\matrix_(a, l) U (g a) l).
Definition dep (f : 'I_d.+1 -> 'I_m) U (a : 'I_d.+1) : F := (-1) ^+ a * minor (f \o lift a) U.
Definition generic U : Prop := forall g : 'I_d -> 'I_m, incr g -> minor g U != 0.

Lemma dep_kills f U l : \sum_a dep f U a * U (f a) l = 0.
Proof.
pose M : 'M[F]_d.+1 := \matrix_(a, b) if unlift ord0 b is Some c then U (f a) c else U (f a) l.
have D : \det M = 0.
  rewrite -det_tr; apply: (@determinant_alternate _ _ _ ord0 (lift ord0 l)) => // a.
  by rewrite !mxE unlift_none liftK.
rewrite -[RHS]D (expand_det_col M ord0); apply: eq_bigr => a _; rewrite mxE unlift_none mulrC; congr (_ * _).
rewrite /cofactor addn0; congr (_ * _); congr (\det _); apply/matrixP => b c.
by rewrite !mxE liftK.
Qed.

Lemma dep_neq0 f U a : generic U -> incr f -> dep f U a != 0.
Proof. by move=> gU hf; rewrite /dep mulf_neq0 ?signr_eq0 //; apply: gU; exact: incr_lift. Qed.

(* U and U′ differ in row i only, and x is between them. *)
Variables (i : 'I_m) (U U' : 'M[F]_(m, d)).
Hypothesis off : forall j l, j != i -> U' j l = U j l.
Definition mix (x : F) : 'M[F]_(m, d) := (1 - x) *: U + x *: U'.

Lemma mix_off x j l : j != i -> mix x j l = U j l.
Proof. by move=> ji; rewrite /mix !mxE off // -mulrDl subrK mul1r. Qed.

Lemma minor_off (g : 'I_d -> 'I_m) : (forall a, g a != i) -> minor g U' = minor g U.
Proof. by move=> gi; congr (\det _); apply/matrixP => a l; rewrite !mxE off. Qed.

Lemma minor_mix (g : 'I_d -> 'I_m) x : injective g -> minor g (mix x) = (1 - x) * minor g U + x * minor g U'.
Proof.
move=> ginj; case: (pickP (fun a => g a == i)) => [a0 /eqP ga0|no].
  have ne b : g (lift a0 b) != i by rewrite -ga0 (inj_eq ginj) eq_sym neq_lift.
  apply: (determinant_multilinear (i0 := a0)).
  - by apply/rowP => l; rewrite /mix !mxE ga0.
  - by apply/matrixP => b l; rewrite /mix !mxE off ?ne // -mulrDl subrK mul1r.
  - by apply/matrixP => b l; rewrite /mix !mxE !off ?ne // -mulrDl subrK mul1r.
rewrite minor_off => [|a]; last by rewrite no.
have -> : minor g (mix x) = minor g U.
  by congr (\det _); apply/matrixP => a l; rewrite /mix !mxE off ?no // -mulrDl subrK mul1r.
by ring.
Qed.

Lemma dep_mix f x a : injective f -> dep f (mix x) a = (1 - x) * dep f U a + x * dep f U' a.
Proof.
move=> finj; rewrite /dep minor_mix; last exact: inj_comp finj (@lift_inj _ _).
by ring.
Qed.

End Dependency.

(* ---- signs along a segment ---- *)

Section Signs.
Variable F : realFieldType.
Implicit Types x y t : F.

Lemma pos_neg x : x != 0 -> (0 < - x) = ~~ (0 < x).
Proof. by move=> x0; rewrite oppr_gt0 -leNgt le_eqVlt (negPf x0). Qed.

Lemma pos_sign n x : x != 0 -> (0 < (-1) ^+ n * x) = odd n (+) (0 < x).
Proof.
move=> x0; rewrite -signr_odd; case: (odd n); rewrite ?expr1 ?expr0 ?mul1r ?mulN1r ?pos_neg //.
Qed.

Lemma pos_mul x y : x != 0 -> y != 0 -> (0 < x * y) = ((0 < x) == (0 < y)).
Proof.
move=> x0 y0; case: (ltgtP 0 x) x0 => [xp|xn|<-]; rewrite ?eqxx // => _.
  by rewrite pmulr_rgt0 //; case: (0 < y).
by rewrite nmulr_rgt0 // ltNge le_eqVlt eq_sym (negPf y0) /=; case: (0 < y).
Qed.

Definition crossing x y : F := x / (x - y).

(* x and y have different signs: where the segment from x to y is zero, and its signs before and after. *)
Section Cross.
Variables x y : F.
Hypotheses (x0 : x != 0) (y0 : y != 0) (cr : (0 < x) != (0 < y)).
Lemma cross_neq : x - y != 0.
Proof. by rewrite subr_eq0; apply: contraNneq cr => ->. Qed.
Lemma cross_pos : (0 < x - y) = (0 < x).
Proof.
case: (ltgtP 0 x) x0 cr => [xp _ cr'|xn _ cr'|<-]; rewrite ?eqxx //.
  have yn : y <= 0 by rewrite leNgt; apply: contra cr' => ->.
  by rewrite subr_gt0 (le_lt_trans yn).
have yp : 0 < y by apply: contraR cr' => /negPf ->.
by apply/negP; rewrite subr_gt0 => /(lt_trans yp) /lt_trans /(_ xn); rewrite ltxx.
Qed.
Lemma cross_segment t : (1 - t) * x + t * y = (x - y) * (crossing x y - t).
Proof. rewrite /crossing; field; exact: cross_neq. Qed.
Lemma cross_zero : (1 - crossing x y) * x + crossing x y * y = 0.
Proof. by rewrite cross_segment subrr mulr0. Qed.
Lemma cross_sign t : t != crossing x y -> 
  (0 < (1 - t) * x + t * y) = if t < crossing x y then 0 < x else 0 < y.
Proof.
move=> tc; rewrite cross_segment pos_mul ?cross_neq ?subr_eq0 1?eq_sym // cross_pos subr_gt0.
by case: ltP => _; move: cr; case: (0 < x); case: (0 < y).
Qed.
Lemma cross_between : 0 < crossing x y < 1.
Proof.
have c0 : crossing x y != 0 by rewrite mulf_neq0 ?invr_eq0 ?cross_neq.
have c1 : 1 - crossing x y = - y / (x - y) by rewrite /crossing; field; exact: cross_neq.
rewrite -[crossing x y < 1]subr_gt0 c1 /crossing !pos_mul ?invr_eq0 ?cross_neq ?oppr_eq0 //.
by rewrite !invr_gt0 cross_pos pos_neg // eqxx; move: cr; case: (0 < x); case: (0 < y).
Qed.
End Cross.

Lemma same_sign x y t : x != 0 -> y != 0 -> (0 < x) = (0 < y) -> 0 < t < 1 -> 
  (0 < (1 - t) * x + t * y) = (0 < x) /\ (1 - t) * x + t * y != 0.
Proof.
move=> x0 y0 e /andP[t0 t1]; have t1' : 0 < 1 - t by rewrite subr_gt0.
case: (ltgtP 0 x) x0 e => [xp _ /esym yp|xn _ /esym yn|<-]; rewrite ?eqxx //.
  have h : 0 < (1 - t) * x + t * y by rewrite addr_gt0 ?mulr_gt0.
  by rewrite h gt_eqF.
have yn' : y < 0 by move: y0; rewrite neq_lt yn orbF.
have h : (1 - t) * x + t * y < 0 by rewrite -oppr_gt0 opprD -!mulrN addr_gt0 ?mulr_gt0 ?oppr_gt0.
by split; [rewrite ltNge (ltW h)|rewrite lt_eqF].
Qed.

Definition matches k (v : 'I_k -> F) (s : 'I_k -> bool) : bool :=
  [forall a, (0 < v a) == s a] || [forall a, (0 < v a) == ~~ s a].

Lemma matches_scale k (v w : 'I_k -> F) s z : z != 0 -> (forall a, v a != 0) ->
  (forall a, w a = z * v a) -> matches w s = matches v s.
Proof.
move=> z0 v0 e; rewrite /matches.
have h a : (0 < w a) = (0 < z) (+) ~~ (0 < v a).
  by rewrite e pos_mul //; case: (0 < z); case: (0 < v a).
case: (boolP (0 < z)) => zp.
  by congr (_ || _); apply: eq_forallb => a; rewrite h zp; case: (0 < v a); case: (s a).
by rewrite orbC; congr (_ || _); apply: eq_forallb => a; rewrite h (negPf zp); case: (0 < v a); case: (s a).
Qed.

Lemma matches_at k (v : 'I_k -> F) s a0 :
  matches v s = [forall a, (0 < v a) == s a (+) (s a0 (+) (0 < v a0))].
Proof.
apply/orP/forallP => [[] /forallP h a|h].
- by rewrite (eqP (h a)) (eqP (h a0)) addbb addbF.
- by rewrite (eqP (h a)) (eqP (h a0)); case: (s a0); case: (s a).
case E : (s a0 (+) (0 < v a0)); [right|left]; apply/forallP => a; have := h a; rewrite E ?addbT ?addbF //.
Qed.
End Signs.
