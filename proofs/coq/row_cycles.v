(* Signed row cycles: lib/docs/certificates.md, section of that name, over any ordered field.

   - vandermonde_gt0   det (y_a^l) > 0 for increasing y: all minors of rows (1, x, …, x^(d−1)), x increasing, are;
   - ev_generic, ev_clean   a row moved to (1, x, …, x^(d−1)) with x large enough makes a generic matrix again, and
                       no two minors vanish at the same time on the way;
   - move_even         such a move keeps the parity of the number of members of a set of signed sets, of which each
                       face is in evenly many, that have the signs of the dependency (part (c) of the proof there);
   - chain             so that parity is the one at a matrix of powers, where these members are those that
                       alternate (part (b): parity_powers);
   - no_match          a matrix near A of rank < k would have none (part (a));
   - row_cycles        the theorem. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Require Import norms rank cycles cycles_move.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Vandermonde.
Variable F : realFieldType.

Definition powers e (y : 'I_e -> F) : 'M[F]_e := \matrix_(a, l) y a ^+ l.

Lemma vandermonde_gt0 e (y : 'I_e -> F) :
  (forall a b : 'I_e, (a < b)%N -> y a < y b) -> 0 < \det (powers y).
Proof.
elim: e y => [|e IH] y incy; first by rewrite det_mx00 ltr01.
pose B t := powers (fun a : 'I_e.+1 => if a == ord_max then t else y a).
pose c l := cofactor (B 0) ord_max l.
have cE t l : cofactor (B t) ord_max l = c l.
  rewrite /c /cofactor; congr (_ * \det _); apply/matrixP => a b; rewrite !mxE.
  by rewrite eq_sym (negPf (neq_lift _ _)).
have detB t : \det (B t) = \sum_(l < e.+1) c l * t ^+ l.
  rewrite (expand_det_row _ ord_max); apply: eq_bigr => l _.
  by rewrite cE mxE eqxx mulrC.
pose p := \poly_(l < e.+1) c (inord l).
have pE t : p.[t] = \det (B t).
  by rewrite detB horner_poly; apply: eq_bigr => l _; rewrite inord_val.
have lead : 0 < c ord_max.
  rewrite /c /cofactor -signr_odd oddD addbb expr0 mul1r.
  have -> : row' ord_max (col' ord_max (B 0)) = powers (fun a : 'I_e => y (lift ord_max a)).
    by apply/matrixP => a l; rewrite !mxE eq_sym (negPf (neq_lift _ _)) lift_max.
  by apply: IH => a b ab; apply: incy; rewrite !lift_max.
have inmax : inord e = ord_max :> 'I_e.+1 by apply: val_inj; rewrite /= inordK.
have size_p : size p = e.+1 by apply: size_poly_eq; rewrite /= inmax gt_eqF.
have lc : lead_coef p = c ord_max by rewrite lead_coefE size_p coef_poly ltnSn inmax.
pose rs := [seq y (lift ord_max a) | a <- enum 'I_e].
have yinj : injective y.
  move=> a b eab; apply/eqP/negPn/negP; rewrite -val_eqE /= neq_ltn => /orP[] /incy; by rewrite eab ltxx.
have roots : all (root p) rs.
  apply/allP => _ /mapP[a _ ->]; apply/rootP; rewrite pE.
  apply: (@determinant_alternate _ _ _ (lift ord_max a) ord_max); first by rewrite eq_sym neq_lift.
  by move=> l; rewrite !mxE eqxx eq_sym (negPf (neq_lift _ _)).
have uniq_rs : uniq rs by rewrite map_inj_uniq ?enum_uniq // => a b /yinj /lift_inj.
have size_rs : size p = (size rs).+1 by rewrite size_map size_enum_ord.
have eqp := all_roots_prod_XsubC size_rs roots; rewrite uniq_rootsE in eqp; have {eqp} eqp := eqp uniq_rs.
have -> : powers y = B (y ord_max).
  by apply/matrixP => a l; rewrite !mxE; case: eqP => [->|].
rewrite -pE eqp hornerZ lc mulr_gt0 // horner_prod /rs big_map; apply: prodr_gt0 => a _.
by rewrite hornerXsubC subr_gt0 incy // lift_max.
Qed.

End Vandermonde.

Section Replace.
Variable F : realFieldType.
Variables m e : nat.
Local Notation d := e.+1.
Implicit Types (U : 'M[F]_(m, d)) (i : 'I_m) (u : 'I_d -> F).

Definition repl U i u : 'M[F]_(m, d) := \matrix_(j, l) if j == i then u l else U j l.
Definition pw (t : F) : 'I_d -> F := fun l => t ^+ l.

Lemma repl_off U i u j l : j != i -> repl U i u j l = U j l.
Proof. by rewrite mxE => /negPf ->. Qed.
Lemma repl_at U i u l : repl U i u i l = u l. Proof. by rewrite mxE eqxx. Qed.

Lemma minor_repl (g : 'I_d -> 'I_m) U i u b : injective g -> g b = i ->
  minor g (repl U i u) = \sum_l u l * cofactor (\matrix_(a, l) U (g a) l) b l.
Proof.
move=> ginj gb; rewrite /minor (expand_det_row _ b); apply: eq_bigr => l _.
rewrite [X in X * _]mxE gb repl_at; congr (_ * (_ * \det _)); apply/matrixP => a c; rewrite !mxE.
by rewrite -gb (inj_eq ginj) eq_sym (negPf (neq_lift _ _)).
Qed.

Lemma ev_linear (E u0 : 'I_d -> F) : \sum_l u0 l * E l != 0 -> ev (fun t => \sum_l pw t l * E l != 0).
Proof.
move=> h; pose p := \poly_(l < d) E (inord l).
have pE t : p.[t] = \sum_l pw t l * E l.
  by rewrite horner_poly; apply: eq_bigr => l _; rewrite inord_val mulrC.
have p0 : p != 0.
  apply: contraNneq h => p0; rewrite big1 // => l _.
  have := congr1 (fun q : {poly F} => q`_l) p0; rewrite coef_poly ltn_ord inord_val coef0 => ->.
  by rewrite mulr0.
by apply: ev_imp (ev_poly_neq p0) => t; rewrite pE.
Qed.

Definition incrb k (h : 'I_k -> 'I_m) : bool := [forall a : 'I_k, forall b : 'I_k, (a < b)%N ==> (h a < h b)%N].
Lemma incrP k (h : 'I_k -> 'I_m) : reflect (incr h) (incrb h).
Proof.
apply: (iffP forallP) => [H a b ab|H a]; first by have /forallP/(_ b) := H a; rewrite ab.
by apply/forallP => b; apply/implyP; exact: H.
Qed.

Lemma minor_ext (g g' : 'I_d -> 'I_m) U : g =1 g' -> minor g U = minor g' U.
Proof. by move=> eg; congr (\det _); apply/matrixP => a l; rewrite !mxE eg. Qed.

Lemma dep_ext (f f' : 'I_d.+1 -> 'I_m) U a : f =1 f' -> dep f U a = dep f' U a.
Proof. by move=> ef; rewrite /dep; congr (_ * \det _); apply/matrixP => b l; rewrite !mxE /= ef. Qed.

Lemma ev_generic U i : generic U -> ev (fun t => generic (repl U i (pw t))).
Proof.
move=> gU; have : ev (fun t => forall h : {ffun 'I_d -> 'I_m}, incrb h -> minor h (repl U i (pw t)) != 0).
  apply: ev_all => h; case: (boolP (incrb h)) => [/incrP hh|_]; last by exact: ev_true.
  have hinj := incr_inj hh.
  case: (pickP (fun b => h b == i)) => [b /eqP hb|no].
    have nz : \sum_l U i l * cofactor (\matrix_(a, l) U (h a) l) b l != 0.
      have := gU h hh; rewrite /minor (expand_det_row _ b).
      by under eq_bigr do rewrite mxE hb.
    by apply: ev_imp (ev_linear nz) => t ht _; rewrite (minor_repl _ _ hinj hb).
  apply: ev_true => t _; rewrite (minor_off (U := U) (i := i)) ?gU // => [j l|b].
    exact: repl_off.
  by rewrite no.
apply: ev_imp => t ht g hg; have eg : g =1 [ffun a => g a] by move=> a; rewrite ffunE.
by rewrite (minor_ext _ eg); apply: ht; apply/incrP => a b ab; rewrite !ffunE hg.
Qed.

Lemma dep_linear (f : 'I_d.+1 -> 'I_m) U i a0 a : incr f -> f a0 = i -> a != a0 ->
  exists E, forall u, dep f (repl U i u) a = \sum_l u l * E l.
Proof.
move=> hf fa0 aa0; have [c ec] : exists c, a0 = lift a c by case: (unliftP a a0) aa0 => [c ->|->]; [exists c|rewrite eqxx].
exists (fun l => (-1) ^+ a * cofactor (\matrix_(a', l) U ((f \o lift a) a') l) c l) => u.
rewrite /dep (minor_repl U u (b := c)); last by rewrite /= -ec.
  by rewrite mulr_sumr; apply: eq_bigr => l _; rewrite mulrCA.
exact: inj_comp (incr_inj hf) (@lift_inj _ _).
Qed.

(* Two equal rows. *)
Lemma dep_twice (f : 'I_d.+1 -> 'I_m) (V : 'M[F]_(m, d)) a b c :
  a != b -> a != c -> b != c -> (forall l, V (f a) l = V (f b) l) -> dep f V c = 0.
Proof.
move=> ab ac bc e1.
have [a' ea] : exists a', a = lift c a' by case: (unliftP c a) ac => [a' ->|->]; [exists a'|rewrite eqxx].
have [b' eb] : exists b', b = lift c b' by case: (unliftP c b) bc => [b' ->|->]; [exists b'|rewrite eqxx].
rewrite /dep /minor (@determinant_alternate _ _ _ a' b') ?mulr0 //.
  by apply: contraNneq ab => h; rewrite ea eb h.
by move=> l; rewrite !mxE /= -ea -eb e1.
Qed.

Definition clean_at U i (U' : 'M[F]_(m, d)) : Prop :=
  forall (f : 'I_d.+1 -> 'I_m) a0 a b, incr f -> f a0 = i -> a != a0 -> b != a0 -> a != b ->
    dep f U a * dep f U' b != dep f U b * dep f U' a.

Lemma ev_clean U i : generic U -> ev (fun t => clean_at U i (repl U i (pw t))).
Proof.
move=> gU.
have : ev (fun t => forall p : {ffun 'I_d.+1 -> 'I_m} * ('I_d.+1 * ('I_d.+1 * 'I_d.+1)),
    let: (f, (a0, (a, b))) := p in
    [&& incrb f, f a0 == i, a != a0, b != a0 & a != b] ->
    dep f U a * dep f (repl U i (pw t)) b != dep f U b * dep f (repl U i (pw t)) a).
  apply: ev_all => -[f [a0 [a b]]].
  case: (boolP [&& incrb f, f a0 == i, a != a0, b != a0 & a != b]) => [|_]; last by exact: ev_true.
  case/and5P => /incrP hf /eqP fa0 aa0 ba0 ab.
  have [Ea hEa] := dep_linear U hf fa0 aa0; have [Eb hEb] := dep_linear U hf fa0 ba0.
  have finj := incr_inj hf; have fai : f a != i by rewrite -fa0 (inj_eq finj).
  pose u0 l := U (f a) l; pose V := repl U i u0.
  have Va l : V (f a) l = V (f a0) l by rewrite repl_off // fa0 repl_at.
  have Lb : dep f V b = 0 by apply: (dep_twice (a := a) (b := a0)); rewrite // eq_sym.
  have La : dep f V a = - dep f U a0.
    have ea0 : dep f V a0 = dep f U a0.
      rewrite /dep (minor_off (U := U) (i := i)) // => [j l|c]; first exact: repl_off.
      by rewrite /= -fa0 (inj_eq finj) eq_sym neq_lift.
    have k l : (dep f V a + dep f V a0) * U (f a) l = 0.
      rewrite -[RHS](dep_kills f V l) (bigD1 a) //= (bigD1 a0) 1?eq_sym //= big1 ?addr0.
        by rewrite -Va repl_off // -mulrDl.
      move=> c /andP[ca ca0]; rewrite (dep_twice (a := a) (b := a0)) ?mul0r // eq_sym //.
    have [l Ul] : exists l, U (f a) l != 0.
      case: (pickP (fun l => U (f a) l != 0)) => [l h|no]; first by exists l.
      have [c ec] : exists c, a = lift a0 c by case: (unliftP a0 a) aa0 => [c ->|->]; [exists c|rewrite eqxx].
      have := gU _ (incr_lift a0 hf); rewrite /minor (expand_det_row _ c) big1 ?eqxx // => l _.
      by rewrite mxE /= -ec; have /negbFE/eqP -> := no l; rewrite mul0r.
    have /eqP := k l; rewrite mulf_eq0 (negPf Ul) orbF addr_eq0 => /eqP ->; by rewrite ea0.
  have nz : \sum_l u0 l * (dep f U a * Eb l - dep f U b * Ea l) != 0.
    have -> : \sum_l u0 l * (dep f U a * Eb l - dep f U b * Ea l) = dep f U a * dep f V b - dep f U b * dep f V a.
      rewrite hEa hEb !mulr_sumr -sumrB; apply: eq_bigr => l _; ring.
    by rewrite Lb La mulr0 sub0r mulrN opprK mulf_neq0 ?dep_neq0.
  apply: ev_imp (ev_linear nz) => t ht _; rewrite -subr_eq0.
  have -> : dep f U a * dep f (repl U i (pw t)) b - dep f U b * dep f (repl U i (pw t)) a =
      \sum_l pw t l * (dep f U a * Eb l - dep f U b * Ea l).
    by rewrite hEa hEb !mulr_sumr -sumrB; apply: eq_bigr => l _; ring.
  exact: ht.
apply: ev_imp => t ht f a0 a b hf fa0 aa0 ba0 ab.
have := ht ([ffun c => f c], (a0, (a, b))) => /=; rewrite ffunE fa0 eqxx aa0 ba0 ab.
have -> : incrb [ffun c => f c] by apply/incrP => c c' cc; rewrite !ffunE hf.
by move=> /(_ isT); rewrite !(@dep_ext [ffun c => f c] f) // => c; rewrite ffunE.
Qed.

End Replace.

(* ---- signed sets of rows ---- *)

Lemma addb_card (I : finType) (Q : pred I) : \big[addb/false]_(p | Q p) true = odd #|Q|.
Proof. by rewrite -sum1_card (big_morph odd oddD (erefl _)); apply: eq_bigr. Qed.

Section Cycles.
Variable F : realFieldType.
Variables m e : nat.
Local Notation d := e.+1.

(* Signed sets of rows, their signs being determined up to a change of all of them. *)
Definition same_signed k (g h : 'I_k -> 'I_m) (r s : 'I_k -> bool) : bool :=
  [forall a, g a == h a] && ([forall a, r a == s a] || [forall a, r a == ~~ s a]).
Definition alternates (s : 'I_d.+1 -> bool) : bool := [forall a, s a == odd a (+) s ord0].

(* A finite set T of signed sets (f σ, s σ) of k = d + 1 rows. *)
Variables (T : finType) (f : T -> 'I_d.+1 -> 'I_m) (s : T -> 'I_d.+1 -> bool).
Definition faces (g : 'I_d -> 'I_m) (r : 'I_d -> bool) : pred (T * 'I_d.+1) :=
  fun p => same_signed (f p.1 \o lift p.2) g (s p.1 \o lift p.2) r.
Hypotheses (incr_f : forall sigma, incr (f sigma)).
Hypothesis even_faces : forall g r, odd #|faces g r| = false.

Definition parity (U : 'M[F]_(m, d)) : bool := \big[addb/false]_sigma matches (dep (f sigma) U) (s sigma).

Lemma flips_ext (i : 'I_m) (U U' : 'M[F]_(m, d)) g h r s' : same_signed g h r s' ->
  flips U U' g r = flips U U' h s'.
Proof.
case/andP => /forallP eg er; have eg' : g =1 h by move=> a; apply/eqP.
have em V : minor g V = minor h V by exact: minor_ext.
have er' : relation U U' g = relation U U' h.
  by rewrite /relation /time !em; congr (nz_row (kermx _)); apply/matrixP => a l; rewrite !mxE eg'.
rewrite /flips /crosses !em er'; congr (_ && _); rewrite /matches.
case/orP: er => /forallP er; [|rewrite orbC]; congr (_ || _); apply: eq_forallb => a;
by rewrite (eqP (er a)) ?negbK.
Qed.

Lemma move_even (i : 'I_m) (U U' : 'M[F]_(m, d)) : (forall j l, j != i -> U' j l = U j l) ->
  generic U -> generic U' -> clean_at U i U' -> parity U' = parity U.
Proof.
move=> off gU gU' cl.
suff : parity U (+) parity U' = false by case: (parity U); case: (parity U').
rewrite /parity -big_split /=.
under eq_bigr => sigma _ do rewrite (move_parity off gU gU' cl (s sigma) (incr_f sigma)).
rewrite pair_big /=.
pose norm (p : T * 'I_d.+1) : {ffun 'I_d -> 'I_m} * {ffun 'I_d -> bool} :=
  ([ffun a => f p.1 (lift p.2 a)], [ffun a => s p.1 (lift p.2 a) (+) s p.1 (lift p.2 ord0)]).
rewrite (partition_big norm xpredT) //= big1 // => -[g r] _.
have facesE p : norm p == (g, r) -> flips U U' (f p.1 \o lift p.2) (s p.1 \o lift p.2) = flips U U' g r.
  move=> /eqP [<- <-]; apply: (flips_ext i); apply/andP; split; first by apply/forallP => a; rewrite ffunE.
  case E : (s p.1 (lift p.2 ord0)); apply/orP; [right|left]; apply/forallP => a; rewrite ffunE /=.
    by rewrite addbT negbK.
  by rewrite addbF.
rewrite (eq_bigr (fun=> flips U U' g r)) => [|p /facesE //].
case: (flips U U' g r); last by rewrite big1.
rewrite addb_card; case r0 : (r ord0).
  rewrite eq_card0 // => p; apply/eqP => -[_ /ffunP/(_ ord0)]; by rewrite ffunE addbb r0.
rewrite -[RHS](even_faces g r); congr (odd _); apply: eq_card => p; rewrite !unfold_in /faces /same_signed.
apply/eqP/andP => [[<- <-]|[/forallP eg er]].
  split; first by apply/forallP => a; rewrite ffunE.
  case E : (s p.1 (lift p.2 ord0)); apply/orP; [right|left]; apply/forallP => a; rewrite ffunE /=.
    by rewrite addbT negbK.
  by rewrite addbF.
congr (_, _); apply/ffunP => a; rewrite ffunE; first by apply/eqP; exact: eg.
by case/orP: er => /forallP er; have /eqP /= := er a; have /eqP /= := er ord0; rewrite r0 => -> ->; case: (r a).
Qed.

Definition mixed (U : 'M[F]_(m, d)) (n : nat) (x : 'I_m -> F) : 'M[F]_(m, d) :=
  \matrix_(j, l) if (j < n)%N then x j ^+ l else U j l.

Lemma chain U n : generic U -> (n <= m)%N -> exists x, [/\ forall a b : 'I_m, (a < b)%N -> (b < n)%N -> x a < x b,
  generic (mixed U n x) & parity (mixed U n x) = parity U].
Proof.
move=> gU; elim: n => [_|n IH lt].
  have e0 : mixed U 0 (fun=> 0) = U by apply/matrixP => j l; rewrite mxE.
  by exists (fun=> 0); rewrite e0.
have [x [incx gx px]] := IH (ltnW lt); pose i := Ordinal lt; set V := mixed U n x in gx px.
have [t [gt [ct bt]]] := ev_some (ev_and (ev_generic i gx) (ev_and (ev_clean i gx)
  (ev_all (fun j : 'I_m => ev_ge (x j + 1))))).
pose x' j := if j == i then t else x j.
have eV : mixed U n.+1 x' = repl V i (pw t).
  apply/matrixP => j l; rewrite !mxE /x' ltnS leq_eqVlt -[j == i]/(val j == n).
  by case: eqP => //= _; rewrite /V mxE.
exists x'; rewrite eV; split=> // [a b ab|]; last first.
  rewrite -px; apply: (move_even (i := i)) => // j l; exact: repl_off.
rewrite /x' -![_ == i]/(val _ == n) ltnS leq_eqVlt => /predU1P[eb|bn].
  by rewrite -eb (ltn_eqF ab) eqxx -subr_gt0 (lt_le_trans ltr01) // ler_subr_addl bt.
by rewrite (ltn_eqF (ltn_trans ab bn)) (ltn_eqF bn) incx.
Qed.

Lemma powers_minor (x : 'I_m -> F) (V : 'M[F]_(m, d)) g :
  (forall j l, V j l = x j ^+ l) -> (forall a b : 'I_m, (a < b)%N -> x a < x b) -> incr g -> 0 < minor g V.
Proof.
move=> eV incx hg; have -> : minor g V = \det (powers (x \o g)).
  by congr (\det _); apply/matrixP => a l; rewrite !mxE eV.
by apply: vandermonde_gt0 => a b ab; apply: incx; apply: hg.
Qed.

Lemma parity_powers (x : 'I_m -> F) (V : 'M[F]_(m, d)) :
  (forall j l, V j l = x j ^+ l) -> (forall a b : 'I_m, (a < b)%N -> x a < x b) ->
  parity V = odd #|[pred sigma | alternates (s sigma)]|.
Proof.
move=> eV incx; rewrite /parity -addb_card [RHS]big_mkcond; apply: eq_bigr => sigma _ /=.
have sg a : (0 < dep (f sigma) V a) = ~~ odd a.
  have h := powers_minor eV incx (incr_lift a (incr_f sigma)).
  by rewrite /dep pos_sign ?gt_eqF // h addbT.
have -> : matches (dep (f sigma) V) (s sigma) = alternates (s sigma).
  rewrite (matches_at _ _ ord0) /alternates; apply: eq_forallb => a; rewrite !sg /=.
  by case: (odd a); case: (s sigma a); case: (s sigma ord0).
by case: (alternates _).
Qed.

Definition sg (b : bool) : F := if b then 1 else -1.

Lemma no_match (V : 'M[F]_(m, d)) (w : 'I_d -> F) sigma :
  (forall a, 0 < sg (s sigma a) * \sum_l V (f sigma a) l * w l) -> generic V ->
  matches (dep (f sigma) V) (s sigma) = false.
Proof.
move=> hw gV; pose z a := \sum_l V (f sigma a) l * w l; pose D a := dep (f sigma) V a.
have D0 a : D a != 0 := dep_neq0 a gV (incr_f sigma).
have sum0 : \sum_a D a * z a = 0.
  under eq_bigr do rewrite mulr_sumr; rewrite exchange_big big1 // => l _.
  under eq_bigr do rewrite mulrA; by rewrite -mulr_suml dep_kills mul0r.
have pos (v : 'I_d.+1 -> F) : (forall a, 0 < v a) -> \sum_a v a != 0.
  move=> v0; rewrite gt_eqF // (bigD1 ord0) //= ltr_paddr ?v0 //.
  by apply: sumr_ge0 => a _; rewrite ltW.
have zs a : (z a != 0) /\ (0 < z a) = s sigma a.
  have := hw a; rewrite /sg -/(z a); case: (s sigma a); rewrite ?mul1r ?mulN1r.
    by move=> h; rewrite gt_eqF.
  by rewrite oppr_gt0 => h; rewrite lt_eqF // ltNge ltW.
apply/orP => -[] /forallP h.
  suff : \sum_a D a * z a != 0 by rewrite sum0 eqxx.
  apply: pos => a; have [z0 za] := zs a.
  by rewrite (pos_mul (D0 a) z0) za (eqP (h a)).
suff : \sum_a - (D a * z a) != 0 by rewrite sumrN sum0 oppr0 eqxx.
apply: pos => a; have [z0 za] := zs a; rewrite pos_neg; last by rewrite mulf_neq0.
by rewrite (pos_mul (D0 a) z0) za (eqP (h a)); case: (s sigma a).
Qed.

Lemma ev_generic_sum (U V : 'M[F]_(m, d)) : generic V -> ev (fun y => generic (y *: U + V)).
Proof.
move=> gV; have : ev (fun y => forall h : {ffun 'I_d -> 'I_m}, incrb h -> minor h (y *: U + V) != 0).
  apply: ev_all => h; case: (boolP (incrb h)) => [/incrP hh|_]; last by exact: ev_true.
  pose p : {poly F} := \det (\matrix_(a, l) ((U (h a) l)%:P * 'X + (V (h a) l)%:P) : 'M_d).
  have pE y : p.[y] = minor h (y *: U + V).
    rewrite -/(horner_eval y p) /p -det_map_mx; congr (\det _); apply/matrixP => a l.
    by rewrite !mxE /= horner_evalE !hornerE mulrC.
  have p0 : p != 0.
    apply: contraNneq (gV _ hh) => p0; have := pE 0; by rewrite p0 horner0 scale0r add0r => <-.
  by apply: ev_imp (ev_poly_neq p0) => y; rewrite pE.
apply: ev_imp => y hy g hg; have eg : g =1 [ffun a => g a] by move=> a; rewrite ffunE.
by rewrite (minor_ext _ eg); apply: hy; apply/incrP => a b ab; rewrite !ffunE hg.
Qed.

Lemma ev_affine (a b : F) : 0 < a -> ev (fun y => 0 < y * a + b).
Proof.
move=> a0; exists ((1 - b) / a) => y; rewrite ler_pdivr_mulr // ler_subl_addr => h.
exact: lt_le_trans ltr01 h.
Qed.

Lemma cycles_bound n (A : 'M[F]_(m, n)) (t : F) (v : T -> 'cV[F]_n) :
  (forall sigma, rnorm (v sigma) <= 1) ->
  (forall sigma a, t < sg (s sigma a) * (A *m v sigma) (f sigma a) 0) ->
  odd #|[pred sigma | alternates (s sigma)]| -> reps_ge A t d.+1.
Proof.
move=> v1 hv odd_alt B hB; rewrite ltnNge; apply/negP => rB.
pose U : 'M[F]_(m, d) := col_ebase B *m pid_mx (\rank B).
pose W : 'M[F]_(d, n) := pid_mx (\rank B) *m row_ebase B.
have BE : B = U *m W.
  rewrite /U /W -mulmxA [pid_mx _ *m (_ *m _)]mulmxA mul_pid_mx.
  by rewrite minnn (minn_idPr rB) mulmxA mulmx_ebase.
pose w sigma : 'I_d -> F := fun l => (W *m v sigma) l 0.
have hw sigma a : 0 < sg (s sigma a) * \sum_l U (f sigma a) l * w sigma l.
  have -> : \sum_l U (f sigma a) l * w sigma l = (B *m v sigma) (f sigma a) 0.
    by rewrite BE -mulmxA mxE.
  have e1 : (B *m v sigma) (f sigma a) 0 = (A *m v sigma) (f sigma a) 0 - ((A - B) *m v sigma) (f sigma a) 0.
    by rewrite mulmxBl !mxE opprB addrCA subrr addr0.
  have le : `|((A - B) *m v sigma) (f sigma a) 0| <= t.
    apply: le_trans (rnorm_col _ _) _; apply: le_trans (rnormM _ _) _.
    apply: le_trans (ler_wpmul2l (rnorm_ge0 _) (v1 sigma)) _; by rewrite mulr1.
  rewrite e1 mulrBr subr_gt0; apply: le_lt_trans (hv sigma a); apply: le_trans (ler_norm _) _.
  by rewrite normrM /sg; case: (s sigma a); rewrite ?normrN normr1 mul1r.
pose V0 : 'M[F]_(m, d) := \matrix_(j, l) (j%:R : F) ^+ l.
have gV0 : generic V0.
  move=> g hg; rewrite gt_eqF // (powers_minor (x := fun j : 'I_m => j%:R)) // => [j l|a b ab]; first by rewrite mxE.
  by rewrite ltr_nat.
have pos : ev (fun y => forall p : T * 'I_d.+1, 0 < sg (s p.1 p.2) * \sum_l (y *: U + V0) (f p.1 p.2) l * w p.1 l).
  apply: ev_all => -[sigma a] /=; have := ev_affine (sg (s sigma a) * \sum_l V0 (f sigma a) l * w sigma l) (hw sigma a).
  apply: ev_imp => y; congr (0 < _); rewrite mulrCA -mulrDr; congr (_ * _).
  by rewrite mulr_sumr -big_split; apply: eq_bigr => l _; rewrite !mxE mulrDl mulrA.
have [y [gy py]] := ev_some (ev_and (ev_generic_sum U gV0) pos); set U' := y *: U + V0 in gy py.
have zero : parity U' = false.
  by rewrite /parity big1 // => sigma _; apply: (no_match (w := w sigma)) => // a; exact: (py (sigma, a)).
have [x [incx gx px]] := chain gy (leqnn m).
move: px; rewrite zero (parity_powers (x := x)) ?odd_alt // => [j l|a b ab]; first by rewrite mxE ltn_ord.
exact: incx.
Qed.

End Cycles.

Theorem row_cycles (F : realFieldType) m n e (A : 'M[F]_(m, n)) (t : F) (T : finType)
    (f : T -> 'I_e.+2 -> 'I_m) (s : T -> 'I_e.+2 -> bool) (v : T -> 'cV[F]_n) :
  (forall sigma, incr (f sigma)) ->
  (forall g r, odd #|faces f s g r| = false) ->
  odd #|[pred sigma | alternates (s sigma)]| ->
  (forall sigma, rnorm (v sigma) <= 1) ->
  (forall sigma a, t < sg F (s sigma a) * (A *m v sigma) (f sigma a) 0) ->
  reps_ge A t e.+2.
Proof. by move=> hf even odd_alt v1 hv; exact: (cycles_bound hf even v1 hv odd_alt). Qed.
