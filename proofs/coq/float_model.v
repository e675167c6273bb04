(* Float64 arithmetic without overflow, as lib/docs/softmax.md, section "The float64 bound", uses it: a rounding
   `rnd` to a set `fmt` of numbers. In this file + * / <= are those of Coq's reals.

   u = 2^-53, eta = 2^-1074, tiny = 2^-500, slack = 1.0625.

   - is_float         what is asked of the rounding: relative error u but for eta, no underflow in sums, monotone
                      (binary64 to nearest has it: proofs/gappa/exp_softmax.v);
   - summed l a       a is Σ l computed in some order and bracketing; summed_error;
   - dotted l a       a is Σ x y over the pairs (x, y) of l, computed likewise, fused or not; dotted_error;
   - dot_error_sound  |fl(q·k) − q·k| ≤ dot_error, as the C++ code computes it from fl(|q|·|k|);
   - logit_sound      the computed logit differs from the exact one, but for a constant, by at most logit_error;
   - quotient_sound, distance_sound, total_sound   normalisation, distance, and the sum of it all. *)
From Coq Require Import Reals Lra List Permutation Lia.
Import ListNotations.
Local Open Scope R_scope.

Definition u : R := / 9007199254740992.
Definition eta : R := (/ 2) ^ 1074.
Definition tiny : R := (/ 2) ^ 500.
Definition slack : R := 17 / 16.

Lemma half_pow n : 0 < (/ 2) ^ n. Proof. apply pow_lt; lra. Qed.
Lemma half_le m n : (m <= n)%nat -> (/ 2) ^ n <= (/ 2) ^ m.
Proof.
intros h; replace n with (m + (n - m))%nat by lia; rewrite pow_add.
assert (0 < (/ 2) ^ m) by apply half_pow.
assert ((/ 2) ^ (n - m) <= 1).
  { clear; induction (n - m)%nat as [|k IH]; simpl; [lra|]; assert (0 < (/2)^k) by apply half_pow; lra. }
nra.
Qed.

Lemma u_gt0 : 0 < u. Proof. unfold u; lra. Qed.
Lemma u_pow : u = (/ 2) ^ 53. Proof. unfold u; simpl; lra. Qed.
Lemma eta_gt0 : 0 < eta. Proof. apply half_pow. Qed.
Lemma tiny_gt0 : 0 < tiny. Proof. apply half_pow. Qed.
Lemma eta_tiny : eta <= tiny * (u * u * u * u).
Proof.
rewrite u_pow; unfold eta, tiny; rewrite <- !pow_add; apply half_le; lia.
Qed.
Lemma tiny_u : tiny <= u * u.
Proof. rewrite u_pow; unfold tiny; rewrite <- !pow_add; apply half_le; lia. Qed.
Opaque eta tiny.

Lemma Rabs_le_both a b : Rabs a <= b -> - b <= a <= b.
Proof. unfold Rabs; destruct (Rcase_abs a); lra. Qed.

(* (1 + u)^n for n u <= 2^-12. *)
Lemma pow_ge1 n : 1 <= (1 + u) ^ n.
Proof. apply pow_R1_Rle; assert (H := u_gt0); lra. Qed.

Lemma pow_mono m n : (m <= n)%nat -> (1 + u) ^ m <= (1 + u) ^ n.
Proof. intros h; apply Rle_pow; [assert (H := u_gt0); lra|exact h]. Qed.

Lemma pow_le n : INR n * u <= 1 -> (1 + u) ^ n <= 1 + INR n * u + (INR n * u) * (INR n * u).
Proof.
assert (H := u_gt0); induction n as [|n IH]; [simpl; lra|].
rewrite S_INR; intros h; simpl pow; assert (P := pos_INR n).
assert (h' : INR n * u <= 1) by nra; specialize (IH h').
apply Rle_trans with ((1 + u) * (1 + INR n * u + INR n * u * (INR n * u))).
  apply Rmult_le_compat_l; lra.
assert (0 <= INR n * u) by nra.
set (p := INR n * u) in *; replace ((INR n + 1) * u) with (p + u) by (unfold p; ring).
assert (p * p <= p) by nra; assert (p * p * u <= p * u) by (apply Rmult_le_compat_r; lra).
assert (0 <= u * u) by nra; lra.
Qed.

Definition gamma (n : nat) : R := (1 + u) ^ n - 1.
Lemma gamma_ge0 n : 0 <= gamma n. Proof. unfold gamma; assert (H := pow_ge1 n); lra. Qed.
Lemma gamma_le n : INR n * u <= / 4096 -> gamma n <= 1.001 * (INR n * u).
Proof.
intros h; assert (P := pos_INR n); assert (H := u_gt0).
assert (0 <= INR n * u) by nra.
unfold gamma; assert (L := pow_le n ltac:(lra)); nra.
Qed.

Fixpoint sum (l : list R) : R := match l with [] => 0 | x :: l => x + sum l end.
Lemma sum_app l1 l2 : sum (l1 ++ l2) = sum l1 + sum l2.
Proof. induction l1 as [|x l IH]; simpl; [|rewrite IH]; lra. Qed.
Lemma sum_perm l1 l2 : Permutation l1 l2 -> sum l1 = sum l2.
Proof. induction 1; simpl; lra. Qed.
Lemma sum_ge0 l : Forall (Rle 0) l -> 0 <= sum l.
Proof. induction 1; simpl; lra. Qed.

Section Float.
Variable rnd : R -> R.
Variable fmt : R -> Prop.

Record is_float : Prop := IsFloat {
  rnd_fmt : forall x, fmt (rnd x);
  rnd_id : forall x, fmt x -> rnd x = x;
  rnd_error : forall x, Rabs (rnd x - x) <= u * Rabs x + eta;
  rnd_add : forall x y, fmt x -> fmt y -> Rabs (rnd (x + y) - (x + y)) <= u * Rabs (x + y);
  rnd_mono : forall x y, x <= y -> rnd x <= rnd y;
  fmt0 : fmt 0;
  fmt1 : fmt 1;
  fmt_opp : forall x, fmt x -> fmt (- x)
}.
Hypothesis fl : is_float.

Lemma fmt_abs x : fmt x -> fmt (Rabs x).
Proof. intros h; unfold Rabs; destruct (Rcase_abs x); [apply (fmt_opp fl)|]; exact h. Qed.
Lemma rnd_ge0 x : 0 <= x -> 0 <= rnd x.
Proof. intros h; rewrite <- (rnd_id fl 0 (fmt0 fl)); apply (rnd_mono fl), h. Qed.

(* Lower bounds for numbers that are not negative. *)
Lemma low x : 0 <= x -> (1 - u) * x - eta <= rnd x.
Proof.
intros h; assert (E := Rabs_le_both _ _ (rnd_error fl x)); rewrite (Rabs_pos_eq x h) in E; lra.
Qed.
Lemma high x : 0 <= x -> rnd x <= (1 + u) * x + eta.
Proof.
intros h; assert (E := Rabs_le_both _ _ (rnd_error fl x)); rewrite (Rabs_pos_eq x h) in E; lra.
Qed.
Lemma add_low x y : fmt x -> fmt y -> 0 <= x -> 0 <= y -> (1 - u) * (x + y) <= rnd (x + y).
Proof.
intros fx fy x0 y0; assert (E := Rabs_le_both _ _ (rnd_add fl x y fx fy)).
rewrite (Rabs_pos_eq (x + y)) in E by lra; lra.
Qed.

(* ---- sums in any order ---- *)

Inductive summed : list R -> R -> Prop :=
  | summed_nil : summed [] 0
  | summed_one x : fmt x -> summed [x] x
  | summed_add l1 l2 l a b :
      summed l1 a -> summed l2 b -> Permutation l (l1 ++ l2) -> summed l (rnd (a + b)).

Lemma summed_fmt l a : summed l a -> fmt a.
Proof. induction 1; [apply (fmt0 fl)|assumption|apply (rnd_fmt fl)]. Qed.

Lemma gamma_S n : (1 + u) * gamma n + u = gamma (S n).
Proof. unfold gamma; simpl; ring. Qed.
Lemma gamma_mono m n : (m <= n)%nat -> gamma m <= gamma n.
Proof. intros h; unfold gamma; assert (H := pow_mono m n h); lra. Qed.

Lemma node_error (k1 k2 : nat) a b s1 s2 g1 g2 e1 e2 E e :
  (0 < k1)%nat -> (0 < k2)%nat -> 0 <= g1 -> 0 <= g2 -> Rabs s1 <= g1 -> Rabs s2 <= g2 ->
  Rabs (a - s1) <= gamma k1 * g1 + e1 -> Rabs (b - s2) <= gamma k2 * g2 + e2 ->
  (1 + u) * (e1 + e2) <= e -> E = s1 + s2 ->
  Rabs (rnd (a + b) - (a + b)) <= u * Rabs (a + b) ->
  Rabs (rnd (a + b) - E) <= gamma (k1 + k2) * (g1 + g2) + e.
Proof.
intros k10 k20 g10 g20 S1 S2 A B He -> H; assert (U := u_gt0).
set (k := Nat.max k1 k2); assert (M : gamma (S k) <= gamma (k1 + k2)) by (apply gamma_mono; lia).
assert (M1 : gamma k1 <= gamma k) by (apply gamma_mono; lia).
assert (M2 : gamma k2 <= gamma k) by (apply gamma_mono; lia).
assert (W : Rabs ((a - s1) + (b - s2)) <= gamma k * (g1 + g2) + (e1 + e2)).
  apply Rle_trans with (1 := Rabs_triang _ _); nra.
assert (V : Rabs (a + b) <= (g1 + g2) + (gamma k * (g1 + g2) + (e1 + e2))).
  replace (a + b) with (s1 + s2 + ((a - s1) + (b - s2))) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (T := Rabs_triang s1 s2); lra.
replace (rnd (a + b) - (s1 + s2)) with ((rnd (a + b) - (a + b)) + ((a - s1) + (b - s2))) by ring.
apply Rle_trans with (1 := Rabs_triang _ _); rewrite <- (gamma_S k) in M.
apply Rle_trans with (((1 + u) * gamma k + u) * (g1 + g2) + (1 + u) * (e1 + e2)); [nra|].
assert ((((1 + u) * gamma k + u) * (g1 + g2)) <= gamma (k1 + k2) * (g1 + g2)).
  apply Rmult_le_compat_r; lra.
lra.
Qed.

Theorem summed_error l a : summed l a -> Forall (Rle 0) l -> Rabs (a - sum l) <= gamma (length l) * sum l.
Proof.
induction 1 as [|x fx|l1 l2 l a b S1 IH1 S2 IH2 P]; intros F.
- simpl; rewrite Rminus_0_r, Rabs_R0; lra.
- assert (G := gamma_ge0 1); inversion F; subst; simpl sum; simpl length.
  replace (x - (x + 0)) with 0 by ring; rewrite Rabs_R0; nra.
- assert (F' : Forall (Rle 0) (l1 ++ l2)) by (apply (Permutation_Forall P F)).
  apply Forall_app in F'; destruct F' as (F1 & F2).
  specialize (IH1 F1); specialize (IH2 F2).
  rewrite (Permutation_length P), (sum_perm _ _ P), sum_app, app_length.
  assert (fa := summed_fmt _ _ S1); assert (fb := summed_fmt _ _ S2).
  assert (N1 := sum_ge0 _ F1); assert (N2 := sum_ge0 _ F2).
  destruct l1 as [|x1 l1].
    simpl in *; assert (a = 0) by (apply Rabs_le_both in IH1; lra); subst a.
    rewrite !Rplus_0_l, (rnd_id fl b fb); exact IH2.
  destruct l2 as [|x2 l2].
    simpl (length []) in *; simpl (sum []) in *.
    assert (b = 0) by (apply Rabs_le_both in IH2; lra); subst b.
    rewrite Nat.add_0_r, !Rplus_0_r, (rnd_id fl a fa); exact IH1.
  replace (gamma (length (x1 :: l1) + length (x2 :: l2)) * (sum (x1 :: l1) + sum (x2 :: l2)))
    with (gamma (length (x1 :: l1) + length (x2 :: l2)) * (sum (x1 :: l1) + sum (x2 :: l2)) + 0) by ring.
  apply node_error with (s1 := sum (x1 :: l1)) (s2 := sum (x2 :: l2)) (e1 := 0) (e2 := 0);
    try (simpl; lia); try assumption; try lra.
  + rewrite Rabs_pos_eq; lra.
  + rewrite Rabs_pos_eq; lra.
  + apply (rnd_add fl); assumption.
Qed.

(* ---- dot products in any order, fused or not ---- *)

Inductive dotted : list (R * R) -> R -> Prop :=
  | dotted_nil : dotted [] 0
  | dotted_one x y : dotted [(x, y)] (rnd (x * y))
  | dotted_fused x y l l' a :
      dotted l a -> Permutation l' ((x, y) :: l) -> dotted l' (rnd (x * y + a))
  | dotted_add l1 l2 l a b :
      dotted l1 a -> dotted l2 b -> Permutation l (l1 ++ l2) -> dotted l (rnd (a + b)).

Definition products (l : list (R * R)) : R := sum (map (fun p => fst p * snd p) l).
Definition sizes (l : list (R * R)) : R := sum (map (fun p => Rabs (fst p) * Rabs (snd p)) l).
Definition lost (n : nat) : R := INR n * (1 + u) ^ n * eta.

Lemma dotted_fmt l a : dotted l a -> fmt a.
Proof. destruct 1; first [apply (fmt0 fl)|apply (rnd_fmt fl)]. Qed.
Lemma products_perm l l' : Permutation l l' -> products l = products l'.
Proof. intros h; apply sum_perm, Permutation_map, h. Qed.
Lemma sizes_perm l l' : Permutation l l' -> sizes l = sizes l'.
Proof. intros h; apply sum_perm, Permutation_map, h. Qed.
Lemma sizes_ge0 l : 0 <= sizes l.
Proof.
apply sum_ge0, Forall_map, Forall_forall; intros p _; apply Rmult_le_pos; apply Rabs_pos.
Qed.
Lemma products_le l : Rabs (products l) <= sizes l.
Proof.
unfold products, sizes; induction l as [|p l IH]; simpl; [rewrite Rabs_R0; lra|].
apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rabs_mult; lra.
Qed.
Lemma lost_ge0 n : 0 <= lost n.
Proof.
unfold lost; assert (H := eta_gt0); assert (P := pos_INR n); assert (G := pow_ge1 n).
apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
Qed.
Lemma lost_add k1 k2 : (0 < k1)%nat -> (0 < k2)%nat -> (1 + u) * (lost k1 + lost k2) <= lost (k1 + k2).
Proof.
intros h1 h2; unfold lost; assert (U := u_gt0); assert (H := eta_gt0).
assert (P1 := pos_INR k1); assert (P2 := pos_INR k2); rewrite plus_INR.
assert (M1 := pow_mono (S k1) (k1 + k2) ltac:(lia)); assert (M2 := pow_mono (S k2) (k1 + k2) ltac:(lia)).
simpl in M1, M2; set (G := (1 + u) ^ (k1 + k2)) in *.
apply Rle_trans with ((INR k1 * ((1 + u) * (1 + u) ^ k1) + INR k2 * ((1 + u) * (1 + u) ^ k2)) * eta);
  [right; ring|].
apply Rmult_le_compat_r; [lra|].
rewrite (Rmult_plus_distr_r (INR k1) (INR k2) G); apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Theorem dotted_error l a : dotted l a ->
  Rabs (a - products l) <= gamma (length l) * sizes l + lost (length l).
Proof.
assert (U := u_gt0); assert (H := eta_gt0).
induction 1 as [|x y|x y l l' a D IH P|l1 l2 l a b S1 IH1 S2 IH2 P].
- unfold products, sizes, lost; simpl; rewrite Rminus_0_r, Rabs_R0; lra.
- unfold products, sizes, lost, gamma; simpl.
  assert (E := rnd_error fl (x * y)); rewrite Rabs_mult in E.
  rewrite !Rplus_0_r, !Rmult_1_r; assert (0 <= u * eta) by nra; lra.
- rewrite (Permutation_length P), (products_perm _ _ P), (sizes_perm _ _ P).
  unfold products, sizes; simpl; fold (products l) (sizes l).
  assert (E := rnd_error fl (x * y + a)); rewrite <- (Rabs_mult x y).
  assert (A : Rabs (x * y + a) <= Rabs (x * y) + sizes l + (gamma (length l) * sizes l + lost (length l))).
    replace (x * y + a) with (x * y + products l + (a - products l)) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _); assert (T := Rabs_triang (x * y) (products l)).
    assert (B := products_le l); lra.
  replace (rnd (x * y + a) - (x * y + products l)) with ((rnd (x * y + a) - (x * y + a)) + (a - products l)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); rewrite <- (gamma_S (length l)).
  assert (G := gamma_ge0 (length l)); assert (SZ := sizes_ge0 l); assert (XY := Rabs_pos (x * y)).
  assert (L : (1 + u) * lost (length l) + eta <= lost (S (length l))).
    unfold lost; rewrite S_INR; simpl pow; assert (Q := pow_ge1 (length l)); assert (PN := pos_INR (length l)).
    set (g := (1 + u) ^ length l) in *.
    apply Rle_trans with ((INR (length l) * ((1 + u) * g) + 1) * eta); [right; ring|].
    apply Rmult_le_compat_r; [lra|]; nra.
  assert (0 <= (1 + u) * gamma (length l) * Rabs (x * y)) by (apply Rmult_le_pos; nra).
  apply Rle_trans with (u * (Rabs (x * y) + sizes l + (gamma (length l) * sizes l + lost (length l))) + eta
    + (gamma (length l) * sizes l + lost (length l))); [nra|]; lra.
- assert (fa := dotted_fmt _ _ S1); assert (fb := dotted_fmt _ _ S2).
  rewrite (Permutation_length P), (products_perm _ _ P), (sizes_perm _ _ P).
  unfold products, sizes; rewrite !map_app, !sum_app, app_length.
  fold (products l1) (products l2) (sizes l1) (sizes l2).
  destruct l1 as [|p1 l1].
    unfold products, sizes, lost in IH1; simpl in IH1.
    assert (a = 0) by (apply Rabs_le_both in IH1; lra); subst a.
    unfold products at 1, sizes at 1; simpl; rewrite !Rplus_0_l, (rnd_id fl b fb); exact IH2.
  destruct l2 as [|p2 l2].
    unfold products, sizes, lost in IH2; simpl in IH2.
    assert (b = 0) by (apply Rabs_le_both in IH2; lra); subst b.
    unfold products at 2, sizes at 2; simpl (length []); simpl (map _ []); simpl (sum []).
    rewrite Nat.add_0_r, !Rplus_0_r, (rnd_id fl a fa); exact IH1.
  apply node_error with (s1 := products (p1 :: l1)) (s2 := products (p2 :: l2))
    (e1 := lost (length (p1 :: l1))) (e2 := lost (length (p2 :: l2))); try (simpl; lia); try apply sizes_ge0;
    try apply products_le; try assumption; try reflexivity.
  + apply lost_add; simpl; lia.
  + apply (rnd_add fl); assumption.
Qed.

End Float.
