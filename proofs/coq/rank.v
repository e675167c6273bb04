(* The rank r_ε(A) = min { rank B : ‖A − B‖ ≤ ε } of lib/docs/certificates.md, sections "The rank",
   "One exact matrix" and "Monotonicity".

   reps_ge A ε k says r_ε(A) ≥ k, and reps_le A ε k says r_ε(A) ≤ k, with no minimum to be taken.

   - reps_sandwich    a proved lower bound never exceeds a proved upper bound;
   - reps_exists      for ε ≥ 0 there is one number that both speak of;
   - reps_ge_mono_eps, reps_le_mono_eps, reps_ge_mono, reps_le_mono   monotonicity in ε and in k;
   - reps_ge_shift    ‖A − Ã‖ ≤ ρ and r_{ε+ρ}(Ã) ≥ k  give  r_ε(A) ≥ k;
   - reps_le_shift    ‖A − Ã‖ ≤ ρ and r_{ε−ρ}(Ã) ≤ k  give  r_ε(A) ≤ k. *)
From mathcomp Require Import all_ssreflect all_algebra.
Require Import norms.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Rank.
Variable F : realFieldType.
Variables m n : nat.
Implicit Types (A B : 'M[F]_(m, n)) (eps rho : F) (k l : nat).

Definition reps_ge A eps k : Prop := forall B, rnorm (A - B) <= eps -> (k <= \rank B)%N.
Definition reps_le A eps k : Prop := exists2 B, rnorm (A - B) <= eps & (\rank B <= k)%N.

Theorem reps_sandwich A eps k l : reps_ge A eps k -> reps_le A eps l -> (k <= l)%N.
Proof. by move=> hk [B hB]; apply: leq_trans (hk B hB). Qed.

(* No finite search decides whether some B is near and of rank ≤ k, so that "there is a least such k"
   is a classical statement: its double negation is what can be proved without an axiom. *)
Theorem reps_exists A eps : 0 <= eps -> ~ ~ exists r, reps_ge A eps r /\ reps_le A eps r.
Proof.
move=> e0 no; suff never k : ~ reps_le A eps k.
  by apply: (never (\rank A)); exists A; rewrite ?subrr ?rnorm0.
elim/ltn_ind: k => k IH hk; apply: no; exists k; split=> // B hB.
by rewrite leqNgt; apply/negP => /IH; apply; exists B.
Qed.

Theorem reps_ge_mono_eps A eps eps' k : eps <= eps' -> reps_ge A eps' k -> reps_ge A eps k.
Proof. by move=> le h B hB; apply: h; apply: le_trans hB le. Qed.

Theorem reps_le_mono_eps A eps eps' k : eps <= eps' -> reps_le A eps k -> reps_le A eps' k.
Proof. by move=> le [B hB rB]; exists B => //; apply: le_trans hB le. Qed.

Lemma reps_ge_mono A eps k l : (k <= l)%N -> reps_ge A eps l -> reps_ge A eps k.
Proof. by move=> kl h B /h; apply: leq_trans. Qed.

Lemma reps_le_mono A eps k l : (k <= l)%N -> reps_le A eps k -> reps_le A eps l.
Proof. by move=> kl [B hB rB]; exists B => //; apply: leq_trans rB kl. Qed.

Lemma reps_ge0 A eps : reps_ge A eps 0.
Proof. by []. Qed.

Theorem reps_ge_shift A A' eps rho k :
  rnorm (A - A') <= rho -> reps_ge A' (eps + rho) k -> reps_ge A eps k.
Proof.
move=> hA h B hB; apply: h.
have -> : A' - B = (A - B) + (A' - A) by rewrite [RHS]addrC addrA subrK.
by apply: le_trans (rnormD _ _) _; rewrite ler_add // rnormC.
Qed.

Theorem reps_le_shift A A' eps rho k :
  rnorm (A - A') <= rho -> reps_le A' (eps - rho) k -> reps_le A eps k.
Proof.
move=> hA [B hB rB]; exists B => //.
have -> : A - B = (A' - B) + (A - A') by rewrite [RHS]addrC addrA subrK.
by apply: le_trans (rnormD _ _) _; rewrite -[eps](subrK rho) ler_add.
Qed.

End Rank.
