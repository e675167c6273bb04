(* How far the logits of a family's members are from those of its middle member: lib/docs/softmax.md, section
   "Families". Over any ordered field; no exponential is involved.

   Keys j are visible in a row where vis j. osc vis h = max h − min h over the visible keys (0 if there are none).
   A head has queries Q (m×d), keys K (n×d), a scale s, a bias b, and logits x_ij = β s (q_i·k_j) + b_ij. The
   family: β in [β_low, β_high], |Q′ − Q| ≤ radQ and |K′ − K| ≤ radK entry by entry. The middle member has
   β_mid = (β_low + β_high)/2 and Q, K themselves.

   - osc_leP          osc vis h ≤ c says that h_j − h_l ≤ c for all visible j, l;
   - two_largest      the largest c_j + c_l over two different visible keys (0 if there are none);
   - dots_osc         q′·k′_j − q·k_j oscillates by at most D (dots_bound), as upper_rounding_oscillation has it;
   - family_osc       h = logits of a member − logits of the middle one:
                      osc h ≤ |s| (β_high − β_low)/2 · osc(q·k) + |s| β_high · D. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Require Import norms.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section BigMax.
Variables (F : realFieldType) (I : finType) (P : pred I) (f : I -> F).

Lemma bigmax_ge0 : 0 <= \big[Num.max/0]_(i | P i) f i.
Proof.
by elim/big_rec: _ => // i x _ x0; rewrite le_maxr x0 orbT.
Qed.

Lemma bigmax_ge i : P i -> f i <= \big[Num.max/0]_(i | P i) f i.
Proof.
move=> Pi; have: i \in index_enum I by exact: mem_index_enum.
elim: (index_enum I) => // k s IH; rewrite inE big_cons => /predU1P[<-|/IH le].
  by rewrite Pi le_maxr lexx.
by case: ifP => // _; rewrite le_maxr le orbT.
Qed.

Lemma bigmax_le c : 0 <= c -> (forall i, P i -> f i <= c) -> \big[Num.max/0]_(i | P i) f i <= c.
Proof. by move=> c0 h; elim/big_ind: _ => // x y xc yc; rewrite le_maxl xc. Qed.
End BigMax.

Section Oscillation.
Variable F : realFieldType.
Variables (n : nat) (vis : pred 'I_n).
Implicit Types (h c : 'I_n -> F) (j l : 'I_n).

Definition osc h : F := \big[Num.max/0]_(p : 'I_n * 'I_n | vis p.1 && vis p.2) (h p.1 - h p.2).
Definition two_largest c : F :=
  \big[Num.max/0]_(p : 'I_n * 'I_n | [&& vis p.1, vis p.2 & p.1 != p.2]) (c p.1 + c p.2).

Lemma osc_ge0 h : 0 <= osc h. Proof. exact: bigmax_ge0. Qed.

Lemma osc_ge h j l : vis j -> vis l -> h j - h l <= osc h.
Proof. by move=> vj vl; apply: (bigmax_ge (i := (j, l)) _); rewrite /= vj vl. Qed.

Lemma osc_norm h j l : vis j -> vis l -> `|h j - h l| <= osc h.
Proof. by move=> vj vl; rewrite ler_norml ler_oppl opprB !osc_ge. Qed.

Lemma osc_leP h b : 0 <= b -> osc h <= b <-> (forall j l, vis j -> vis l -> h j - h l <= b).
Proof.
move=> b0; split=> [le j l vj vl|le]; first exact: le_trans (osc_ge h vj vl) le.
by apply: bigmax_le => // -[j l] /= /andP[vj vl]; exact: le.
Qed.

Lemma two_largest_ge c j l : vis j -> vis l -> j != l -> c j + c l <= two_largest c.
Proof. by move=> vj vl jl; apply: (bigmax_ge (i := (j, l)) _); rewrite /= vj vl jl. Qed.

(* The least of the visible values, and all of them within the oscillation above it. *)
Lemma osc_least h j0 : vis j0 ->
  exists2 r, vis r & forall j, vis j -> h r <= h j <= h r + osc h.
Proof.
move=> v0; case: (@arg_minP _ _ _ j0 vis h v0) => r vr least; exists r => // j vj.
by rewrite least //= addrC -ler_subl_addr osc_ge.
Qed.
End Oscillation.

Section Family.
Variable F : realFieldType.
Variables m n d : nat.
Implicit Types (Q radQ : 'M[F]_(m, d)) (K radK : 'M[F]_(n, d)) (b : 'M[F]_(m, n)).

Definition dot Q K i j : F := \sum_l Q i l * K j l.
Definition logit (beta s : F) Q K b i j : F := beta * s * dot Q K i j + b i j.

Variable vis : 'I_m -> pred 'I_n.

(* D of row i. *)
Definition dots_bound Q K radQ radK i : F :=
  Num.min (\sum_l radQ i l * osc (vis i) (fun j => K j l))
          (two_largest (vis i) (fun j => \sum_l radQ i l * `|K j l|))
  + two_largest (vis i) (fun j => \sum_l (`|Q i l| + radQ i l) * radK j l).

Lemma dots_osc Q K Q' K' radQ radK i j l :
  (forall k, `|Q' i k - Q i k| <= radQ i k) -> (forall j k, `|K' j k - K j k| <= radK j k) ->
  vis i j -> vis i l -> j != l ->
  `|(dot Q' K' i j - dot Q K i j) - (dot Q' K' i l - dot Q K i l)| <= dots_bound Q K radQ radK i.
Proof.
move=> hQ hK vj vl jl; pose x j := \sum_k (Q' i k - Q i k) * K j k.
pose y j := \sum_k Q' i k * (K' j k - K j k).
have rad0 k : 0 <= radQ i k by apply: le_trans (hQ k).
have split t : dot Q' K' i t - dot Q K i t = x t + y t.
  by rewrite /dot /x /y -sumrB -big_split; apply: eq_bigr => k _ /=; ring.
have -> : (dot Q' K' i j - dot Q K i j) - (dot Q' K' i l - dot Q K i l) = (x j - x l) + (y j - y l).
  by rewrite !split; ring.
apply: le_trans (ler_norm_add _ _) _; apply: ler_add.
  rewrite le_minr; apply/andP; split.
    have -> : x j - x l = \sum_k (Q' i k - Q i k) * (K j k - K l k).
      by rewrite /x -sumrB; apply: eq_bigr => k _; rewrite mulrBr.
    apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => k _; rewrite normrM.
    apply: ler_pmul => //; exact: (osc_norm (fun j => K j k)).
  apply: le_trans (two_largest_ge _ vj vl jl); apply: le_trans (ler_norm_sub _ _) _.
  apply: ler_add; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => k _;
  by rewrite normrM ler_wpmul2r.
apply: le_trans (two_largest_ge _ vj vl jl); apply: le_trans (ler_norm_sub _ _) _.
apply: ler_add; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => k _;
rewrite normrM; apply: ler_pmul => //.
  by rewrite -[Q' i k](subrK (Q i k)) addrC; apply: le_trans (ler_norm_add _ _) _; rewrite ler_add2l.
by rewrite -[Q' i k](subrK (Q i k)) addrC; apply: le_trans (ler_norm_add _ _) _; rewrite ler_add2l.
Qed.

Theorem family_osc (lo hi beta s : F) Q K Q' K' radQ radK b i :
  0 <= lo -> lo <= beta <= hi ->
  (forall k, `|Q' i k - Q i k| <= radQ i k) -> (forall j k, `|K' j k - K j k| <= radK j k) ->
  osc (vis i) (fun j => logit beta s Q' K' b i j - logit ((lo + hi) / 2%:R) s Q K b i j)
    <= `|s| * ((hi - lo) / 2%:R) * osc (vis i) (dot Q K i) + `|s| * hi * dots_bound Q K radQ radK i.
Proof.
move=> lo0 /andP[lob bhi] hQ hK; set mid := (lo + hi) / 2%:R; set D := dots_bound _ _ _ _ _.
have b0 := le_trans lo0 lob; have hi0 := le_trans b0 bhi.
have rad0 k : 0 <= radQ i k by apply: le_trans (hQ k).
have D0 : 0 <= D.
  rewrite addr_ge0 ?le_minr ?bigmax_ge0 // andbT.
  by apply: sumr_ge0 => k _; rewrite mulr_ge0 ?osc_ge0.
have half : `|beta - mid| <= (hi - lo) / 2%:R.
  have e1 : beta - mid = (beta - lo) / 2%:R - (hi - beta) / 2%:R by rewrite /mid; field.
  have e2 : (hi - lo) / 2%:R = (beta - lo) / 2%:R + (hi - beta) / 2%:R by field.
  rewrite e1 e2; apply: le_trans (ler_norm_sub _ _) _.
  by rewrite !ger0_norm // divr_ge0 ?ler0n ?subr_ge0.
have w0 := le_trans (normr_ge0 _) half.
have right0 : 0 <= `|s| * ((hi - lo) / 2%:R) * osc (vis i) (dot Q K i) + `|s| * hi * D.
  by apply: addr_ge0; apply: mulr_ge0 => //; [exact: mulr_ge0|exact: osc_ge0|exact: mulr_ge0].
apply/(osc_leP _ _ right0) => j l vj vl; have [<-|jl] := eqVneq j l; first by rewrite subrr.
rewrite /logit.
have -> : beta * s * dot Q' K' i j + b i j - (mid * s * dot Q K i j + b i j)
  - (beta * s * dot Q' K' i l + b i l - (mid * s * dot Q K i l + b i l))
  = (s * (beta - mid)) * (dot Q K i j - dot Q K i l)
  + (s * beta) * ((dot Q' K' i j - dot Q K i j) - (dot Q' K' i l - dot Q K i l)) by ring.
apply: le_trans (ler_norm _) _; apply: le_trans (ler_norm_add _ _) _.
apply: ler_add; rewrite normrM; apply: ler_pmul => //; rewrite ?normrM.
- exact: ler_wpmul2l.
- exact: osc_norm.
- by rewrite (ger0_norm b0) ler_wpmul2l.
- exact: dots_osc.
Qed.

End Family.
