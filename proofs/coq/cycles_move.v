(* For signed row cycles (row_cycles.v): one row of a generic matrix moves on a segment, to another generic one, so that no
   two minors of a set of d + 1 rows vanish at the same time (`clean`).

   - edge_matches    the dependency of d rows, where they become dependent, is that of d + 1 rows without its zero;
   - move_parity     a signed set of d + 1 rows has the signs of the dependency before and not after, or after and
                     not before, exactly where an odd number of its faces have the signs of a dependency that
                     occurs on the way. (certificates.md: part (c) of the proof.) *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Require Import norms rank cycles.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- one row moves ---- *)

Section Move.
Variable F : realFieldType.
Variables m d : nat.
Variables (i : 'I_m) (U U' : 'M[F]_(m, d)).
Hypothesis off : forall j l, j != i -> U' j l = U j l.
Hypotheses (gU : generic U) (gU' : generic U').
Hypothesis clean : forall (f : 'I_d.+1 -> 'I_m) a0 a b, incr f -> f a0 = i -> a != a0 -> b != a0 -> a != b ->
  dep f U a * dep f U' b != dep f U b * dep f U' a.

Definition crosses (g : 'I_d -> 'I_m) : bool := (0 < minor g U) != (0 < minor g U').
Definition time (g : 'I_d -> 'I_m) : F := crossing (minor g U) (minor g U').
Definition relation (g : 'I_d -> 'I_m) : 'rV[F]_d :=
  nz_row (kermx (\matrix_(a, l) mix U U' (time g) (g a) l)).
Definition flips (g : 'I_d -> 'I_m) (s : 'I_d -> bool) : bool := crosses g && matches (fun a => relation g 0 a) s.

Variables (f : 'I_d.+1 -> 'I_m) (s : 'I_d.+1 -> bool).
Hypothesis hf : incr f.
Let finj : injective f := incr_inj hf.
Let x a := dep f U a.
Let y a := dep f U' a.
Let x0 a : x a != 0 := dep_neq0 a gU hf.
Let y0 a : y a != 0 := dep_neq0 a gU' hf.
Let at_ t a := (1 - t) * x a + t * y a.

Lemma at_dep t a : at_ t a = dep f (mix U U' t) a.
Proof. by rewrite (dep_mix off). Qed.

Lemma minor_dep (V : 'M[F]_(m, d)) j : minor (f \o lift j) V = (-1) ^+ j * dep f V j.
Proof. by rewrite /dep signrMK. Qed.

Lemma crosses_dep j : crosses (f \o lift j) = ((0 < x j) != (0 < y j)).
Proof.
rewrite /crosses !minor_dep (pos_sign j (x0 j)) (pos_sign j (y0 j)).
by case: (odd j); case: (0 < x j); case: (0 < y j).
Qed.

Lemma time_dep j : time (f \o lift j) = crossing (x j) (y j).
Proof.
rewrite /time /crossing !minor_dep -mulrBr invfM mulrACA mulfV ?signr_eq0 ?mul1r //.
Qed.

Lemma row_kills (V : 'M[F]_(m, d)) (e : 'I_d.+1 -> F) a0 :
  minor (f \o lift a0) V != 0 -> e a0 = 0 -> (forall l, \sum_a e a * V (f a) l = 0) -> forall a, e a = 0.
Proof.
move=> nz ea0 ker; pose N := \matrix_(a < d, l < d) V ((f \o lift a0) a) l.
have Nu : N \in unitmx by rewrite unitmxE unitfE.
have z : \row_a e (lift a0 a) = 0.
  rewrite -(mulmxK Nu (\row_a e (lift a0 a))); suff -> : \row_a e (lift a0 a) *m N = 0 by rewrite mul0mx.
  apply/rowP => l; rewrite !mxE -[RHS](ker l) (bigD1_ord a0) //= ea0 mul0r add0r.
  by apply: eq_bigr => a _; rewrite !mxE.
move=> a; case: (unliftP a0 a) => [b ->|->] //.
by have := congr1 (fun v : 'rV_d => v 0 b) z; rewrite !mxE.
Qed.

Section Edge.
Variables a0 j : 'I_d.+1.
Hypotheses (fa0 : f a0 = i) (ja0 : j != a0) (cr : (0 < x j) != (0 < y j)).
Let t := crossing (x j) (y j).

Lemma at_neq0 a : a != j -> at_ t a != 0.
Proof.
move=> aj; have [->|aa0] := eqVneq a a0.
  have e : y a0 = x a0 by rewrite /x /y /dep (minor_off off) // => b; rewrite -fa0 (inj_eq finj) eq_sym neq_lift.
  by rewrite /at_ e -mulrDl subrK mul1r.
have := clean hf fa0 aa0 ja0 aj; apply: contraNneq => h.
have n0 := cross_neq cr; have : at_ t a * (x j - y j) = x j * y a - x a * y j.
  by rewrite /at_ /t /crossing; field.
by rewrite h mul0r => /esym/eqP; rewrite subr_eq0 => /eqP ->.
Qed.

Lemma edge_matches : flips (f \o lift j) (s \o lift j) = matches (fun b => at_ t (lift j b)) (s \o lift j).
Proof.
rewrite /flips crosses_dep cr /=; set r := relation _.
pose V := \matrix_(a < d, l < d) mix U U' t ((f \o lift j) a) l.
have rE : r = nz_row (kermx V) by rewrite /r /relation time_dep.
have yj : at_ t j = 0 by exact: cross_zero.
have killV (c : 'rV[F]_d) : c *m V = 0 -> forall l,
    \sum_a (if unlift j a is Some b then c 0 b else 0) * mix U U' t (f a) l = 0.
  move=> cV l; rewrite (bigD1_ord j) //= unlift_none mul0r add0r.
  have h : (c *m V) 0 l = 0 by rewrite cV mxE.
  by rewrite -[RHS]h mxE; apply: eq_bigr => b _; rewrite liftK [V b l]mxE.
pose c : 'rV[F]_d := \row_b at_ t (lift j b).
have cV : c *m V = 0.
  apply/rowP => l; rewrite mxE [RHS]mxE; have := dep_kills f (mix U U' t) l.
  rewrite (bigD1_ord j) //= -at_dep yj mul0r add0r => h; rewrite -[RHS]h.
  by apply: eq_bigr => b _; rewrite !mxE -at_dep.
have [b0 eb0] : exists b0, a0 = lift j b0 by case: (unliftP j a0) ja0 => [b0 ->|->]; [exists b0|rewrite eqxx].
have cb0 : c 0 b0 != 0 by rewrite mxE -eb0 at_neq0 // eq_sym.
have only (e : 'rV[F]_d) : e *m V = 0 -> e 0 b0 = 0 -> e = 0.
  move=> eV e0; have nz : minor (f \o lift a0) (mix U U' t) != 0.
    by have := at_neq0 (_ : a0 != j); rewrite eq_sym ja0 at_dep /dep mulf_eq0 signr_eq0 => /(_ isT).
  apply/rowP => b; rewrite mxE.
  have := row_kills nz (_ : (fun a => if unlift j a is Some b then e 0 b else 0) a0 = 0) (killV _ eV) (lift j b).
  by rewrite /= liftK eb0 liftK; apply.
have r0 : r != 0.
  rewrite rE nz_row_eq0; apply: contraNneq cb0 => k0.
  have : (c <= kermx V)%MS by apply/sub_kermxP.
  by rewrite k0 submx0 => /eqP ->; rewrite mxE.
have rV : r *m V = 0 by apply/sub_kermxP; rewrite rE nz_row_sub.
have e : r - (r 0 b0 / c 0 b0) *: c = 0.
  apply: only; first by rewrite mulmxBl rV -scalemxAl cV scaler0 subr0.
  by rewrite !mxE -[at_ t (lift j b0)](_ : c 0 b0 = _) ?mxE // divfK ?subrr // -eb0 at_neq0 // eq_sym.
have z0 : r 0 b0 / c 0 b0 != 0.
  apply: contraNneq r0 => z; move/eqP: e; by rewrite z scale0r subr0.
apply: (matches_scale _ z0) => b; first by rewrite at_neq0 // eq_sym neq_lift.
by move/eqP: e; rewrite subr_eq0 => /eqP {1}->; rewrite !mxE.
Qed.
End Edge.

Theorem move_parity :
  matches x s (+) matches y s = \big[addb/false]_j flips (f \o lift j) (s \o lift j).
Proof.
case: (pickP (fun a => f a == i)) => [a0 /eqP fa0|no]; last first.
  have same j : minor (f \o lift j) U' = minor (f \o lift j) U by apply: (minor_off off) => b; rewrite no.
  rewrite big1 => [|j _]; last by rewrite /flips /crosses same eqxx.
  have -> : matches y s = matches x s.
    by rewrite /matches /x /y /dep; congr (_ || _); apply: eq_forallb => a; rewrite same.
  by rewrite addbb.
have ya0 : y a0 = x a0.
  by rewrite /x /y /dep (minor_off off) // => b; rewrite -fa0 (inj_eq finj) eq_sym neq_lift.
pose s' a := s a (+) (s a0 (+) (0 < x a0)).
have -> : matches x s = [forall a, (0 < x a) == s' a] by rewrite (matches_at _ _ a0).
have -> : matches y s = [forall a, (0 < y a) == s' a] by rewrite (matches_at _ _ a0) ya0.
pose cr a := (0 < x a) != (0 < y a); pose T a := crossing (x a) (y a).
have cra0 : cr a0 = false by rewrite /cr ya0 eqxx.
have neq a : cr a -> a != a0 by move=> h; apply: contraTneq h => ->; rewrite cra0.
have fl j : flips (f \o lift j) (s \o lift j) =
    cr j && [forall a, (a != j) ==> ((0 < at_ (T j) a) == s' a)].
  case crj : (cr j); last by rewrite /flips crosses_dep -/(cr j) crj.
  have ja0 := neq j crj; rewrite (edge_matches fa0 ja0 crj) /=.
  have [b0 eb0] : exists b0, a0 = lift j b0 by case: (unliftP j a0) ja0 => [b0 ->|->]; [exists b0|rewrite eqxx].
  have aa0 : at_ (T j) a0 = x a0 by rewrite /at_ ya0 -mulrDl subrK mul1r.
  rewrite (matches_at _ _ b0) /= -eb0 aa0; apply/forallP/forallP => h a.
    by apply/implyP => aj; case: (unliftP j a) aj => [b -> _|->]; [exact: h|rewrite eqxx].
  by have := h (lift j a); rewrite eq_sym neq_lift.
under eq_bigr do rewrite fl.
case: (pickP (fun a => ~~ cr a && ((0 < x a) != s' a))) => [a /andP[na bad]|good].
  have bad' : (0 < y a) != s' a by move: na; rewrite negbK => /eqP <-.
  have -> : [forall a, (0 < x a) == s' a] = false by apply/forallP => /(_ a); rewrite (negPf bad).
  have -> : [forall a, (0 < y a) == s' a] = false by apply/forallP => /(_ a); rewrite (negPf bad').
  rewrite big1 // => j _; case crj : (cr j) => //=; apply/forallP => /(_ a).
  have -> : a != j by apply: contraNneq na => ->; rewrite crj.
  have [-> _] := same_sign (x0 a) (y0 a) (eqP (negbNE na)) (cross_between (x0 j) (y0 j) crj).
  by rewrite (negPf bad).
have {}good a : ~~ cr a -> (0 < x a) = s' a by move=> na; have := good a; rewrite na /= => /negbFE/eqP.
pose S a := cr a && (s' a == (0 < x a)); pose E a := cr a && (s' a == (0 < y a)).
have SE a : S a -> E a -> False.
  by case/andP => c1 /eqP e1 /andP[_ /eqP e2]; move: c1; rewrite /cr -e1 -e2 eqxx.
have SEcr a : S a || E a = cr a.
  by rewrite /S /E /cr; case: (s' a); case: (0 < x a); case: (0 < y a).
have apart a b : cr a -> cr b -> a != b -> T b != T a.
  move=> ca cb ab; have := at_neq0 fa0 (neq b cb) cb ab; rewrite -/(T b) /at_ (cross_segment ca).
  by apply: contraNneq => ->; rewrite subrr mulr0.
have xinj a b : S a || E a -> S b || E b -> T a = T b -> a = b.
  rewrite !SEcr => ca cb e; apply/eqP/negPn/negP => ab; have := apart _ _ ca cb ab; by rewrite e eqxx.
have -> : [forall a, (0 < x a) == s' a] = [forall a, ~~ E a].
  apply: eq_forallb => a; rewrite /E; case ca : (cr a) => /=; last by rewrite good ?ca ?eqxx.
  by move: ca; rewrite /cr; case: (s' a); case: (0 < x a); case: (0 < y a).
have -> : [forall a, (0 < y a) == s' a] = [forall a, ~~ S a].
  apply: eq_forallb => a; rewrite /S; case ca : (cr a) => /=.
    by move: ca; rewrite /cr; case: (s' a); case: (0 < x a); case: (0 < y a).
  by move/negbT: ca => ca; rewrite -(good _ ca); move: ca; rewrite negbK => /eqP ->; rewrite eqxx.
rewrite -(path_parity SE xinj) -sum1_card (big_morph odd oddD (erefl _)) big_mkcond /=.
apply: eq_bigr => j _; rewrite unfold_in /edge SEcr; case cj : (cr j) => //=.
have -> : [forall a, (a != j) ==> ((0 < at_ (T j) a) == s' a)] =
          [forall a, (a != j) ==> (S a ==> (T j < T a)) && (E a ==> (T a < T j))].
  apply: eq_forallb => a; case aj : (a != j) => //=; rewrite /S /E; case ca : (cr a) => /=; last first.
    move/negbT: ca => ca; have [h _] := same_sign (x0 a) (y0 a) (eqP (negbNE ca)) (cross_between (x0 j) (y0 j) cj).
    by rewrite /at_ h good ?eqxx.
  have tt := apart _ _ ca cj aj; rewrite /at_ (cross_sign (x0 a) ca tt) -/(T a).
  move: ca; rewrite /cr; case: (ltgtP (T j) (T a)) => [lt|gt|e]; last (by rewrite e eqxx in tt);
  by case: (s' a); case: (0 < x a); case: (0 < y a).
by case: [forall a, _].
Qed.

End Move.
