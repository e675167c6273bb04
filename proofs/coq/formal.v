(* The whole checker: what the program rankcert-formal runs, and what it proves.

   - bracket_sound: for every matrix A of the problem, over any ordered field, L ≤ r_ε(A) ≤ U, where
     (L, U) is what `bracket` makes of the witnesses' measures.

   A problem is an exact matrix Ã, ρ ≥ 0 and a family: every A with ‖A − Ã‖ ≤ ρ, or those of them that are
   softmax matrices with given visible keys (non-negative, rows that sum to one, non-zero exactly where
   visible: what softmax makes of finite logits). lib/docs/certificates.md, sections "One exact matrix" and
   "What the exact checker computes". *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import ssrZ.
From mathcomp Require Import ring.
Require Import norms rank zmatrix measure rules.
Require Import check_contraction check_eckart_young check_upper check_rules.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Inductive family := AnyMatrix | Softmax of pattern.

Record problem := Problem {
  rows : nat;
  cols : nat;
  centre : zmat;       (* Ã is centre / denominator *)
  denominator : Z;
  rho_num : Z;         (* ρ *)
  rho_den : Z;
  members : family
}.

Inductive witness :=
  | FixedSpace (k : nat) (D S : zmat) (qD qS : Z) (J : seq nat)
  | Neumann (M : nat) (S D R : zmat) (qS qD qR : Z)
  | EckartYoung (of_rows : bool) (k u v r : nat) (s : zrow) (G L C : zmat) (tau qs qG qL qC qt : Z)
  | Nonzero
  | Support
  | Factors (r : nat) (U V : zmat) (qU qV : Z)
  | RepresentativeRows (p : seq nat)
  | Zero
  | Shape
  | DistinctRows.

(* What a witness proves, and of what: of the centre (then at ε + ρ or ε − ρ), or of every member (at ε). *)
Inductive measured :=
  | Lower of bool & nat & condition
  | Upper of bool & nat & Z & Z
  | Nothing.

Definition well_formed (P : problem) : bool :=
  [&& dims (rows P) (cols P) (centre P), Z.ltb Z0 (denominator P), Z.leb Z0 (rho_num P), Z.ltb Z0 (rho_den P)
    & if members P is Softmax V then
        [&& 0 < rows P, size V == rows P & all (fun r => size r == cols P) V] else true].

Definition lower_of (k : nat) (c : option condition) : measured :=
  if c is Some c then Lower true k c else Nothing.

Definition measure_witness (P : problem) (w : witness) : measured :=
  let m := rows P in let n := cols P in let A := centre P in let qA := denominator P in
  match w with
  | FixedSpace k D T qD qT J => lower_of k (measure_fixed_space m n k A D T qA qD qT J)
  | Neumann M T D R qT qD qR => lower_of M (measure_neumann m n M A T D R qA qT qD qR)
  | EckartYoung b k u v r s G L C tau qs qG qL qC qt =>
      lower_of r.+1 (measure_eckart_young b m n k u v r A s G L C tau qA qs qG qL qC qt)
  | Nonzero => if members P is Softmax _ then Lower false 1 (Below Z0 1%Z Z0 1%Z)
               else Lower true 1 (Below Z0 qA Z0 (normz A))
  | Support => if members P is Softmax V then Lower false (echelon_rank V) AtZero
               else Lower true (echelon_rank (pattern_of A)) AtZero
  | Factors r U V qU qV =>
      if measure_factors m n r A U V qA qU qV is Some (e, d) then Upper true r e d else Nothing
  | RepresentativeRows p =>
      if measure_representatives m n A qA p is Some (r, e, d) then Upper true r e d else Nothing
  | Zero => if members P is Softmax _ then Upper false 0 1%Z 1%Z else Upper true 0 (normz A) qA
  | Shape => Upper false (minn m n) Z0 1%Z
  | DistinctRows => Upper true (distinct_rowsz A) Z0 1%Z
  end.

(* Whether the bound is proved at ε = en / ed. *)
Definition proves (P : problem) (en ed : Z) (x : measured) : bool :=
  let rn := rho_num P in let rd := rho_den P in
  match x with
  | Lower true _ c => satisfied c (en * rd + rn * ed)%Z (ed * rd)%Z
  | Lower false _ c => satisfied c en ed
  | Upper true _ e d => reached e d (en * rd - rn * ed)%Z (ed * rd)%Z
  | Upper false _ e d => reached e d en ed
  | Nothing => false
  end.

(* The largest lower and the smallest upper bound that are proved; 0 and min(m, N) need no witness. *)
Definition bracket (P : problem) (xs : seq measured) (en ed : Z) : nat * nat :=
  foldr (fun x b => if proves P en ed x then
                      match x with
                      | Lower _ k _ => (maxn k b.1, b.2)
                      | Upper _ k _ _ => (b.1, minn k b.2)
                      | Nothing => b
                      end
                    else b)
        (0, minn (rows P) (cols P)) xs.

Local Open Scope ring_scope.

Section Sound.
Variable F : realFieldType.
Local Notation zF := (zF F).
Variable P : problem.
Let m := rows P.
Let n := cols P.
Let centre_mx : 'M[F]_(m, n) := mx F m n (centre P) (denominator P).

Definition member (A : 'M[F]_(m, n)) : Prop :=
  rnorm (A - centre_mx) <= zF (rho_num P) / zF (rho_den P) /\
  if members P is Softmax V then
    [/\ forall i j, 0 <= A i j, forall i, \sum_j A i j = 1
      & forall i j, (A i j != 0) = nth false (nth [::] V i) j]
  else True.

Definition holds (x : measured) (A : 'M[F]_(m, n)) (eps : F) : Prop :=
  match x with
  | Lower _ k _ => reps_ge A eps k
  | Upper _ k _ _ => reps_le A eps k
  | Nothing => True
  end.

Hypothesis wf : well_formed P.

(* What each measure says of the centre or of a member. *)
Lemma measure_sound w A : member A ->
  match measure_witness P w with
  | Lower b k c => lower_holds c (if b then centre_mx else A) k
  | Upper b k e d => upper_holds e d (if b then centre_mx else A) k
  | Nothing => True
  end.
Proof.
case/and5P: wf => dA q0 _ _; rewrite /member /measure_witness -/m -/n /centre_mx => wV [_ hA].
case: w => [k D S qD qS J|M S D R qS qD qR|b k u v r s G L C tau qs qG qL qC qt|||r U V qU qV|p|||].
- by case e: measure_fixed_space => [c|] //=; exact: measure_fixed_space_sound e.
- by case e: measure_neumann => [c|] //=; exact: measure_neumann_sound e.
- by case e: measure_eckart_young => [c|] //=; exact: measure_eckart_young_sound e.
- case: (members P) wV hA => [|V] wV hA; first exact: norm_below.
  case/and3P: wV hA => m0 _ _ [A0 A1 _] t t0; rewrite zF0 zF1 mul1r mul0r add0r addr0 => lt.
  by apply: nonzero_rule; rewrite stochastic_norm.
- case: (members P) wV hA => [|V] wV hA t t0 /= /eqP ->.
    by have [h1 h2 h3] := pattern_mx F dA q0; exact: echelon_rank_sound.
  by case/and3P: wV hA => m0 /eqP Vm Vn [_ _ hV]; apply: echelon_rank_sound.
- by case e: measure_factors => [[x d]|] //; exact: measure_factors_sound e.
- by case e: measure_representatives => [[[k x] d]|] //; exact: measure_representatives_sound e.
- case: (members P) wV hA => [|V] wV hA; first exact: norm_reached.
  case/and3P: wV hA => m0 _ _ [A0 A1 _] t; rewrite zF1 mulr1 => le.
  by apply: zero_rule; rewrite stochastic_norm.
- by move=> t; rewrite zF0 zF1 mulr1 => t0; exact: shape_rule.
- exact: distinct_rowsz_sound.
Qed.

Variables (en ed : Z).
Hypotheses (en0 : (0 <=? en)%Z) (ed0 : (0 <? ed)%Z).

Theorem witness_sound w A :
  member A -> proves P en ed (measure_witness P w) -> holds (measure_witness P w) A (zF en / zF ed).
Proof.
move=> hA; have := measure_sound w hA; case: hA => hA _; case/and5P: wf => _ _ rn0 rd0 _.
have n0 : (0 <=? en * rho_den P + rho_num P * ed)%Z.
  by apply/Z.leb_le; move/Z.leb_le: en0 rn0 => ? /Z.leb_le ?; move/Z.ltb_lt: ed0 rd0 => ? /Z.ltb_lt ?; nia.
have d0 := zpos_mul ed0 rd0.
have [e0 r0] : zF ed != 0 /\ zF (rho_den P) != 0 by rewrite !gt_eqF ?zF_gt0.
case: (measure_witness P w) => [[] k c|[] k e d|] //= h hp.
- apply: reps_ge_shift hA _; have := satisfied_reps_ge h n0 d0 hp; congr (reps_ge _ _ _).
  by rewrite !zFE; field; rewrite e0 r0.
- exact: satisfied_reps_ge h en0 ed0 hp.
- apply: reps_le_shift hA _; have := reached_reps_le h d0 hp; congr (reps_le _ _ _).
  by rewrite !zFE; field; rewrite e0 r0.
- exact: reached_reps_le h ed0 hp.
Qed.

Theorem bracket_sound (ws : seq witness) A :
  member A ->
  let b := bracket P [seq measure_witness P w | w <- ws] en ed in
  reps_ge A (zF en / zF ed) b.1 /\ reps_le A (zF en / zF ed) b.2.
Proof.
move=> hA; elim: ws => [|w ws [IHl IHu]] /=.
  by split=> //; apply: shape_rule; apply: divr_ge0; [exact: zF_ge0|exact: ltW (zF_gt0 F ed0)].
case: ifP => // /(witness_sound hA); case: (measure_witness P w) => [b k c|b k e d|] //= h; split=> //.
  by rewrite /maxn; case: ifP.
by rewrite /minn; case: ifP.
Qed.

End Sound.
