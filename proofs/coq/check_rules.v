(* Executable forms of the rules (lib/docs/certificates.md, section "Rules") and their soundness.

   - echelon_rank_sound: for the pattern of the non-zero entries of A, r_0(A) is at least the number of
     different last non-zero columns of its rows, and at least that of different first ones;
   - pattern_mx, norm_below, norm_reached, distinct_rowsz_sound: the other rules, of a matrix Ã = A / qA. *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import ssrZ zify.
Require Import norms rank zmatrix measure upper rules.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Definition pattern := seq (seq bool).
Definition pattern_of (A : zmat) : pattern := [seq [seq ~~ Z.eqb x Z0 | x <- r] | r <- A].

(* The first and the last column at which a row is true. *)
Definition first_true (r : seq bool) : option nat := if has id r then Some (find id r) else None.
Definition last_true (r : seq bool) : option nat :=
  if has id r then Some ((size r).-1 - find id (rev r)) else None.

Definition echelon_rank (P : pattern) : nat :=
  maxn (size (undup (pmap last_true P))) (size (undup (pmap first_true P))).

Definition distinct_of (A : zmat) : zmat :=
  foldr (fun r s => if has (all2 Z.eqb r) s then s else r :: s) [::] A.
Definition distinct_rowsz (A : zmat) : nat := size (distinct_of A).

Local Open Scope ring_scope.

Section Sound.
Variable F : realFieldType.
Local Notation zF := (zF F).
Local Notation mx := (mx F).

Lemma first_trueP r j : first_true r = Some j ->
  [/\ (j < size r)%N, nth false r j & forall l, (l < j)%N -> nth false r l = false].
Proof.
rewrite /first_true; case: ifP => // h [<-]; split=> [||l]; first by rewrite -has_find.
  exact: (nth_find false h).
exact: (before_find false).
Qed.

Lemma last_trueP r j : last_true r = Some j ->
  [/\ (j < size r)%N, nth false r j & forall l, (j < l)%N -> nth false r l = false].
Proof.
rewrite /last_true; case: ifP => // h [<-]; have hr : has id (rev r) by rewrite has_rev.
have fs : (find id (rev r) < size r)%N by rewrite -(size_rev r) -has_find.
have s0 : (0 < size r)%N by exact: leq_ltn_trans fs.
have eqn : ((size r).-1 - find id (rev r) = size r - (find id (rev r)).+1)%N.
  by rewrite -subn1 -subnDA add1n.
split=> [||l]; rewrite eqn; first by rewrite ltn_subrL.
  by rewrite -nth_rev //; exact: (nth_find false hr).
have [ls|ls] := ltnP l (size r); last by rewrite nth_default.
move=> lt; have -> : nth false r l = nth false (rev r) (size r - l.+1).
  rewrite nth_rev; last by rewrite ltn_subrL.
  by congr nth; rewrite subnSK // subKn // ltnW.
apply: (@before_find _ false id); lia.
Qed.

Section Echelon.
Variables (m n : nat) (A : 'M[F]_(m, n)) (P : pattern).
Hypotheses (Pm : size P = m) (Pn : all (fun r => size r == n) P).
Hypothesis PA : forall (i : 'I_m) (j : 'I_n), nth false (nth [::] P i) j = (A i j != 0).

Let row_size (i : 'I_m) : size (nth [::] P i) = n.
Proof. by apply/eqP; apply: (allP Pn); rewrite mem_nth // Pm. Qed.

(* f tells a column of a row; one row for each of its values, in increasing order. *)
Lemma choose_rows (f : seq bool -> option nat) :
  (forall r j, f r = Some j -> (j < size r)%N) ->
  let k := size (undup (pmap f P)) in
  exists (I : 'I_k -> 'I_m) (J : 'I_k -> 'I_n),
    (forall a, f (nth [::] P (I a)) = Some (J a : nat)) /\
    (forall a b : 'I_k, (a < b)%N -> (J a < J b)%N).
Proof.
move=> fr k; pose s := sort leq (undup (pmap f P)).
have sk : size s = k by rewrite size_sort.
have s_sorted : sorted ltn s.
  by rewrite ltn_sorted_uniq_leq sort_uniq undup_uniq sort_sorted //; exact: leq_total.
have ex (a : 'I_k) : exists i : 'I_m, f (nth [::] P i) == Some (nth 0%N s a).
  have : nth 0%N s a \in pmap f P by rewrite -mem_undup -(mem_sort leq) mem_nth // sk.
  rewrite mem_pmap => /mapP[r rP e]; have ri : (index r P < m)%N by rewrite -Pm index_mem.
  by exists (Ordinal ri); rewrite nth_index // -e.
pose I a := xchoose (ex a); have hI a : f (nth [::] P (I a)) = Some (nth 0%N s a).
  exact/eqP/(xchooseP (ex a)).
have hJ (a : 'I_k) : (nth 0%N s a < n)%N by rewrite -(row_size (I a)); exact: fr (hI a).
exists I, (fun a => Ordinal (hJ a)); split=> [a|a b ab] /=; first exact: hI.
by apply: (sorted_ltn_nth ltn_trans) => //; rewrite inE sk.
Qed.

Theorem echelon_rank_sound : reps_ge A 0 (echelon_rank P).
Proof.
rewrite /echelon_rank /maxn; case: ifP => _.
  have [|I [J [hI hJ]]] := choose_rows (f := first_true); first by move=> r j /first_trueP[].
  apply: (@first_columns_rule _ _ _ _ _ I J) => // a; have [_] := first_trueP (hI a).
    by rewrite PA.
  by move=> _ h j /h; rewrite PA => /negbFE/eqP.
have [|I [J [hI hJ]]] := choose_rows (f := last_true); first by move=> r j /last_trueP[].
apply: (@last_columns_rule _ _ _ _ _ I J) => // a; have [_] := last_trueP (hI a).
  by rewrite PA.
by move=> _ h j /h; rewrite PA => /negbFE/eqP.
Qed.

End Echelon.

Variables (m n : nat) (A : zmat) (qA : Z).
Hypotheses (dA : dims m n A) (qA0 : (0 <? qA)%Z).

Lemma pattern_mx : let P := pattern_of A in
  [/\ size P = m, all (fun r => size r == n) P
    & forall (i : 'I_m) (j : 'I_n), nth false (nth [::] P i) j = (mx m n A qA i j != 0)].
Proof.
split; first by rewrite size_map (dims_size dA).
  by apply/allP => _ /mapP[r rA ->]; rewrite size_map; case/andP: dA => _ /allP; apply.
move=> i j; rewrite (nth_map [::]) ?(dims_size dA) // (nth_map Z0) ?(dims_row dA) //.
rewrite mxE mulf_eq0 invr_eq0 (gt_eqF (zF_gt0 F qA0)) orbF; congr (~~ _).
by apply/idP/eqP => [/Z.eqb_eq|] h; [exact/(ent0 F)|apply/Z.eqb_eq; exact/(ent0 F)].
Qed.

Lemma norm_below : lower_holds (Below Z0 qA Z0 (normz A)) (mx m n A qA) 1.
Proof.
move=> t t0; rewrite zF0 mul0r add0r addr0 => lt; apply: nonzero_rule.
by rewrite rnorm_mx // ltr_pdivl_mulr ?zF_gt0 // mulrC.
Qed.

Lemma norm_reached : upper_holds (normz A) qA (mx m n A qA) 0.
Proof. by move=> t le; apply: zero_rule; rewrite rnorm_mx // ler_pdivr_mulr // zF_gt0. Qed.

Lemma mem_distinct_of (B : zmat) r : r \in B -> r \in distinct_of B.
Proof.
elim: B => //= s B IH; rewrite inE => /predU1P[->|/IH h]; case: ifP => //; last by rewrite inE h orbT.
  by case/hasP => x xB e; have [->] : [:: s] = [:: x] by apply: eqzP; rewrite /eqz /= e.
by rewrite mem_head.
Qed.

Lemma distinct_rowsz_sound : upper_holds Z0 1%Z (mx m n A qA) (distinct_rowsz A).
Proof.
move=> t; rewrite zF0 zF1 mulr1 => t0; exists (mx m n A qA); first by rewrite subrr rnorm0.
apply: (@rank_labels _ _ _ _ _ (fun i : 'I_m => nth [::] A i)) => [i|i i' e].
  by apply: mem_distinct_of; rewrite mem_nth // (dims_size dA).
by apply/rowP => j; rewrite !mxE /ent e.
Qed.

End Sound.
