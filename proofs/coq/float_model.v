(* Float64 arithmetic without overflow, as lib/docs/softmax.md, section "The float64 bound", uses it: a rounding
   `rnd` to a set `fmt` of numbers. In this file + * / <= are those of Coq's reals.

   u = 2^-53, eta = 2^-1074, tiny = 2^-500, slack = 1.0625.

   - is_float         what is asked of the rounding: relative error u but for eta, no underflow in sums, monotone
                      (binary64 to nearest has it: proofs/gappa/exp_softmax.v);
   - summed l a       a is Σ l computed in some order and bracketing; summed_error;
   - dotted l a       a is Σ x y over the pairs (x, y) of l, computed likewise, fused or not; dotted_error;
   - dot_error_sound  |fl(q·k) − q·k| ≤ dot_error, as the C++ code computes it from fl(|q|·|k|);
   - approximated_near  the computed factor is within 6 u of f/√g;
   - logit_sound      the computed logit differs from the exact one, but for a constant, by at most logit_error;
   - quotient_sound, distance_sound, family_sound, total_sound
                      normalisation, distance, the distance of a family, and the sum of it all;
   - losses_sound     ... of which the parts of a row's error are at most the computed one. *)
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
Lemma tiny_pow : tiny = (/ 2) ^ 500. Proof. reflexivity. Qed.
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

(* So few that n u <= 2^-12. *)
Definition few (n : nat) : Prop := INR n * u <= / 4096.

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
  fmt_half : forall n, (n <= 1074)%nat -> fmt ((/ 2) ^ n);
  fmt_two : fmt 2;
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

(* ---- the numbers of a row ---- *)

Lemma eta_small : eta <= tiny * / 2 ^ 200 /\ eta <= u * / 2 ^ 100.
Proof.
assert (T := tiny_gt0); assert (L := tiny_u); assert (E := eta_tiny).
assert (A : u * u * u * u <= / 2 ^ 200) by (unfold u; simpl; lra).
assert (B : tiny * (u * u * u * u) <= tiny * / 2 ^ 200) by (apply Rmult_le_compat_l; lra).
split; [lra|].
assert (C : tiny * / 2 ^ 200 <= u * u * / 2 ^ 200) by (apply Rmult_le_compat_r; [simpl; lra|lra]).
assert (D : u * u * / 2 ^ 200 <= u * / 2 ^ 100) by (unfold u; simpl; lra); lra.
Qed.

Lemma fmt_tiny : fmt tiny. Proof. rewrite tiny_pow; apply (fmt_half fl); lia. Qed.

Ltac numbers := assert (eta0 := eta_gt0); assert (tiny0 := tiny_gt0); assert (tinyu := tiny_u);
  destruct eta_small as (etat & etau); simpl pow in etat, etau; unfold slack, u in *.

Definition unit_factor (n : nat) : R := rnd (slack * rnd (u * INR n)).

Lemma unit_factor_low n : 1.06 * (INR n * u) <= unit_factor n.
Proof.
unfold unit_factor; assert (U := u_gt0); assert (S0 : 0 < slack) by (unfold slack; lra).
destruct n as [|n].
  simpl INR; rewrite Rmult_0_l, !Rmult_0_r; apply rnd_ge0, Rmult_le_pos; [lra|].
  apply rnd_ge0; lra.
assert (N := pos_INR n); rewrite S_INR.
assert (A : 0 <= u * (INR n + 1)) by (apply Rmult_le_pos; lra).
assert (L := low _ A); assert (G := rnd_ge0 _ A); set (x := rnd (u * (INR n + 1))) in *.
assert (B : 0 <= slack * x) by (apply Rmult_le_pos; lra).
assert (M := low _ B); numbers; lra.
Qed.

Definition dot_error (d : nat) (G : R) : R := rnd (rnd (unit_factor d * G) + tiny).

Lemma unit_factor_ge0 n : 0 <= unit_factor n.
Proof.
apply rnd_ge0, Rmult_le_pos; [unfold slack; lra|]; apply rnd_ge0, Rmult_le_pos; [unfold u; lra|apply pos_INR].
Qed.

Lemma dot_error_low d G : 0 <= G -> 1.05 * (INR d * u * G) + tiny / 2 <= dot_error d G.
Proof.
intros G0; assert (L := unit_factor_low d); assert (F0 := unit_factor_ge0 d).
unfold dot_error; set (c := unit_factor d) in *.
assert (A : 0 <= c * G) by (apply Rmult_le_pos; lra).
assert (B : 1.06 * (INR d * u * G) <= c * G) by (rewrite <- !Rmult_assoc in *; apply Rmult_le_compat_r; lra).
assert (M := low _ A); assert (M0 := rnd_ge0 _ A); assert (fm := rnd_fmt fl (c * G)).
assert (P : 0 <= INR d * u * G).
  apply Rmult_le_pos; [apply Rmult_le_pos; [apply pos_INR|unfold u]|]; lra.
assert (T := tiny_gt0); assert (K := add_low _ _ fm fmt_tiny M0 ltac:(lra)).
set (m := rnd (c * G)) in *; set (z := INR d * u * G) in *; numbers; lra.
Qed.

Definition magnitudes (l : list (R * R)) : list (R * R) := map (fun p => (Rabs (fst p), Rabs (snd p))) l.

Theorem dot_error_sound l D G Gmax :
  INR (length l) * u <= / 4096 -> dotted l D -> dotted (magnitudes l) G -> G <= Gmax -> 0 <= Gmax ->
  Rabs (D - products l) <= dot_error (length l) Gmax.
Proof.
intros h hD hG le G0; apply Rle_trans with (2 := dot_error_low (length l) Gmax G0).
assert (ED := dotted_error _ _ hD); assert (EG := dotted_error _ _ hG).
assert (e1 : products (magnitudes l) = sizes l) by (unfold products, sizes, magnitudes; rewrite map_map; reflexivity).
assert (e2 : sizes (magnitudes l) = sizes l).
  unfold sizes, magnitudes; rewrite map_map; f_equal.
  apply map_ext; intros [x y]; simpl; rewrite !Rabs_Rabsolu; reflexivity.
assert (e3 : length (magnitudes l) = length l) by apply map_length.
rewrite e1, e2, e3 in EG; apply Rabs_le_both in EG; clear e1 e2 e3 hD hG.
assert (Gl := gamma_le _ h); assert (G1 := gamma_ge0 (length l)); assert (SZ := sizes_ge0 l).
set (S := sizes l) in *; set (g := gamma (length l)) in *; set (E := Rabs (D - products l)) in *.
assert (PN := pos_INR (length l)).
assert (L : lost (length l) <= tiny / 100).
  unfold lost; assert (Q : (1 + u) ^ length l <= 2) by (unfold g, gamma in Gl; lra).
  assert (Q1 := pow_ge1 (length l)); set (k := (1 + u) ^ length l) in *.
  assert (INR (length l) * k <= INR (length l) * 2) by (apply Rmult_le_compat_l; lra).
  assert (INR (length l) * k <= 2 ^ 60) by (unfold u in h; simpl pow; lra).
  apply Rle_trans with (2 ^ 60 * eta); [apply Rmult_le_compat_r; [apply Rlt_le, eta_gt0|assumption]|].
  simpl pow; numbers; lra.
set (e := lost (length l)) in *; set (p := INR (length l) * u) in *.
assert (p0 : 0 <= p) by (unfold p, u in *; lra).
assert (A : g * S <= / 4000 * S) by (apply Rmult_le_compat_r; lra).
assert (B : S <= 1.001 * (Gmax + tiny / 100)) by lra.
assert (C : g * S <= 1.001 * p * (1.001 * (Gmax + tiny / 100))) by (apply Rmult_le_compat; lra).
assert (p * tiny <= / 4096 * tiny) by (apply Rmult_le_compat_r; [apply Rlt_le, tiny_gt0|lra]).
assert (0 <= p * Gmax) by (apply Rmult_le_pos; lra).
assert (T := tiny_gt0); set (pG := p * Gmax) in *; set (pt := p * tiny) in *.
replace (1.001 * p * (1.001 * (Gmax + tiny / 100))) with (1.001 * 1.001 * (pG + pt / 100)) in C
  by (unfold pG, pt; field).
lra.
Qed.

Lemma dot_error_fmt d G : fmt (dot_error d G). Proof. apply (rnd_fmt fl). Qed.
Lemma dot_error_ge0 d G : 0 <= G -> 0 <= dot_error d G.
Proof.
intros G0; apply rnd_ge0; assert (T := tiny_gt0).
assert (0 <= rnd (unit_factor d * G)); [|lra].
apply rnd_ge0, Rmult_le_pos; [apply unit_factor_ge0|exact G0].
Qed.

Definition product (c D Dr : R) : R := rnd (c * rnd (D + - Dr)).
Definition logit_error (c de P Sh : R) : R :=
  rnd (rnd (slack * rnd (rnd (c * de) + rnd (u * rnd (rnd (10 * P) + Sh)))) + tiny).

Lemma logit_error_ge0 c de P Sh : 0 <= c -> 0 <= de -> 0 <= P -> 0 <= Sh -> 0 <= logit_error c de P Sh.
Proof.
intros; assert (T := tiny_gt0); assert (U := u_gt0); unfold logit_error.
assert (0 <= rnd (10 * P)) by (apply rnd_ge0; lra).
assert (0 <= rnd (c * de)) by (apply rnd_ge0, Rmult_le_pos; lra).
assert (0 <= rnd (rnd (10 * P) + Sh)) by (apply rnd_ge0; lra).
assert (0 <= rnd (u * rnd (rnd (10 * P) + Sh))) by (apply rnd_ge0, Rmult_le_pos; lra).
assert (0 <= rnd (rnd (c * de) + rnd (u * rnd (rnd (10 * P) + Sh)))) by (apply rnd_ge0; lra).
apply rnd_ge0; assert (0 <= rnd (slack * rnd (rnd (c * de) + rnd (u * rnd (rnd (10 * P) + Sh))))); [|lra].
apply rnd_ge0, Rmult_le_pos; [unfold slack|]; lra.
Qed.

(* c is within 6 u of ce: then so is ce of c, nearly. *)
Definition near (c ce : R) : Prop := 0 <= ce /\ Rabs (c - ce) <= 6 * u * ce.
Lemma near_low c ce : near c ce -> 0 <= c /\ ce <= (1 + 7 * u) * c.
Proof.
intros (h & n); apply Rabs_le_both in n; unfold u in *; split; lra.
Qed.

(* v is computed for x = f/√g ≥ 0: the numerator is rounded downward, relative error 2 u (it is a normal number);
   where the root is rational, g = 1. *)
Definition approximated (v x : R) : Prop :=
  exists f g, 1 <= g /\ 0 <= f /\ x = f / sqrt g /\
    (f = 0 /\ v = 0 \/
     exists nr, (1 - 2 * u) * f <= nr <= f /\
       (g = 1 /\ v = nr \/ v = rnd (nr / rnd (sqrt (rnd g))) /\ (/ 2) ^ 400 <= v)).

Theorem approximated_near v x : approximated v x -> near v x.
Proof.
intros (f & g & g1 & f0 & -> & h).
assert (U := u_gt0); assert (S1 : 1 <= sqrt g) by (rewrite <- sqrt_1; apply sqrt_le_1_alt, g1).
assert (S0 : 0 < / sqrt g) by (apply Rinv_0_lt_compat; lra).
assert (x0 : 0 <= f / sqrt g) by (apply Rmult_le_pos; lra).
split; [exact x0|].
destruct h as [(-> & ->)|(nr & hn & [(-> & ->)|(hv & big)])].
- unfold Rdiv; rewrite Rmult_0_l, Rmult_0_r, Rminus_0_r, Rabs_R0; lra.
- rewrite sqrt_1; replace (f / 1) with f by field; apply Rabs_le; unfold u in *; lra.
- assert (e0 := eta_gt0); destruct eta_small as (_ & eu); simpl pow in eu.
  assert (G := Rabs_le_both _ _ (rnd_error fl g)); rewrite (Rabs_pos_eq g) in G by lra.
  set (g' := rnd g) in *; set (s := sqrt g) in *.
  assert (s2 : s * s = g) by (apply sqrt_sqrt; lra).
  assert (lo : (1 - 0.51 * u) * s <= sqrt g').
    rewrite <- (sqrt_square ((1 - 0.51 * u) * s)) by (apply Rmult_le_pos; unfold u; lra).
    apply sqrt_le_1_alt.
    replace ((1 - 0.51 * u) * s * ((1 - 0.51 * u) * s)) with ((1 - 0.51 * u) * (1 - 0.51 * u) * (s * s)) by ring.
    rewrite s2; unfold u in *; lra.
  assert (hi : sqrt g' <= (1 + 0.51 * u) * s).
    rewrite <- (sqrt_square ((1 + 0.51 * u) * s)) by (apply Rmult_le_pos; unfold u; lra).
    apply sqrt_le_1_alt.
    replace ((1 + 0.51 * u) * s * ((1 + 0.51 * u) * s)) with ((1 + 0.51 * u) * (1 + 0.51 * u) * (s * s)) by ring.
    rewrite s2; unfold u in *; lra.
  assert (P := sqrt_pos g'); assert (Q := Rabs_le_both _ _ (rnd_error fl (sqrt g'))).
  rewrite (Rabs_pos_eq _ P) in Q; set (r := sqrt g') in *; set (r' := rnd r) in *.
  assert (L : (1 - 1.52 * u) * s <= r') by (unfold u in *; lra).
  assert (H : r' <= (1 + 1.52 * u) * s) by (unfold u in *; lra).
  assert (r0 : 0 < r') by (unfold u in *; lra).
  assert (I0 : 0 < / r') by (apply Rinv_0_lt_compat; exact r0).
  assert (n0 : 0 <= nr) by (unfold u in *; lra).
  set (x := f / s) in *; assert (xs : f = x * s) by (unfold x; field; lra).
  set (y := nr / r') in *; assert (yr : nr = y * r') by (unfold y; field; lra).
  assert (y0 : 0 <= y) by (apply Rmult_le_pos; lra).
  assert (A : y <= (1 + 1.53 * u) * x).
    apply Rmult_le_reg_r with s; [lra|].
    assert (y * ((1 - 1.52 * u) * s) <= y * r') by (apply Rmult_le_compat_l; lra).
    set (z := y * s) in *; replace (y * ((1 - 1.52 * u) * s)) with ((1 - 1.52 * u) * z) in * by (unfold z; ring).
    replace ((1 + 1.53 * u) * x * s) with ((1 + 1.53 * u) * f) by (rewrite xs; ring).
    assert (z0 : 0 <= z) by (apply Rmult_le_pos; lra); unfold u in *; lra.
  assert (B : (1 - 3.53 * u) * x <= y).
    apply Rmult_le_reg_r with s; [lra|].
    assert (y * r' <= y * ((1 + 1.52 * u) * s)) by (apply Rmult_le_compat_l; lra).
    set (z := y * s) in *; replace (y * ((1 + 1.52 * u) * s)) with ((1 + 1.52 * u) * z) in * by (unfold z; ring).
    replace ((1 - 3.53 * u) * x * s) with ((1 - 3.53 * u) * f) by (rewrite xs; ring).
    unfold u in *; lra.
  assert (V := Rabs_le_both _ _ (rnd_error fl y)); rewrite (Rabs_pos_eq y y0), <- hv in V.
  assert (tt : tiny <= (/ 2) ^ 400) by (rewrite tiny_pow; apply half_le; lia).
  destruct eta_small as (et & _); simpl pow in et; set (w := (/ 2) ^ 400) in *.
  clear - V A B tt et big e0 x0 y0; apply Rabs_le; unfold u in *; lra.
Qed.

Lemma logit_error_low c de P Sh : 0 <= c -> 0 <= de -> 0 <= P -> 0 <= Sh -> fmt Sh ->
  (1 + 100 * u) * (c * de + u * (10 * P + Sh)) + tiny / 2 <= logit_error c de P Sh.
Proof.
intros c0 de0 P0 Sh0 fS; unfold logit_error.
assert (U := u_gt0); assert (A : 0 <= c * de) by (apply Rmult_le_pos; lra).
assert (L1 := low _ A); assert (Z1 := rnd_ge0 _ A); assert (F1 := rnd_fmt fl (c * de)).
set (a1 := rnd (c * de)) in *; set (z := c * de) in *.
assert (B : 0 <= 10 * P) by lra.
assert (L2 := low _ B); assert (Z2 := rnd_ge0 _ B); assert (F2 := rnd_fmt fl (10 * P)).
set (a2 := rnd (10 * P)) in *.
assert (L3 := add_low _ _ F2 fS Z2 Sh0); assert (Z3 := rnd_ge0 (a2 + Sh) ltac:(lra)).
set (a3 := rnd (a2 + Sh)) in *.
assert (C : 0 <= u * a3) by (apply Rmult_le_pos; lra).
assert (L4 := low _ C); assert (Z4 := rnd_ge0 _ C); assert (F4 := rnd_fmt fl (u * a3)).
set (a4 := rnd (u * a3)) in *.
assert (L5 := add_low _ _ F1 F4 Z1 Z4); assert (Z5 := rnd_ge0 (a1 + a4) ltac:(lra)).
set (a5 := rnd (a1 + a4)) in *.
assert (D : 0 <= slack * a5) by (apply Rmult_le_pos; [unfold slack|]; lra).
assert (L6 := low _ D); assert (Z6 := rnd_ge0 _ D); assert (F6 := rnd_fmt fl (slack * a5)).
set (a6 := rnd (slack * a5)) in *.
assert (T := tiny_gt0).
assert (L7 := add_low _ _ F6 fmt_tiny Z6 ltac:(lra)).
numbers; lra.
Qed.

(* D, Dr: computed dot products of a key and of the reference; E: the exact one of the key; b, br: biases. *)
Theorem logit_sound c ce D Dr E b br de P Sh :
  near c ce -> fmt D -> fmt Dr -> fmt b -> fmt br -> fmt Sh -> 0 <= de -> 0 <= P -> 0 <= Sh ->
  Rabs (D - E) <= de ->
  let m := product c D Dr in let s := rnd (b + - br) in let t := rnd (m + s) in
  Rabs m <= P -> rnd (Rabs s + Rabs t) <= Sh \/ b = 0 /\ br = 0 ->
  Rabs (t - (ce * E + b) + (ce * Dr + br)) <= logit_error c de P Sh.
Proof.
intros nc fD fDr fb fbr fS de0 P0 Sh0 hE m s t hm hs.
destruct (near_low _ _ nc) as (c0 & nc'); destruct nc as (ce0 & nc); assert (U := u_gt0).
apply Rle_trans with (2 := logit_error_low c de P Sh c0 de0 P0 Sh0 fS).
assert (E1 := rnd_add fl _ _ fD (fmt_opp fl _ fDr)); assert (E2 := rnd_error fl (c * rnd (D + - Dr))).
change (rnd (c * rnd (D + - Dr))) with m in E2; set (s1 := rnd (D + - Dr)) in *; set (de1 := D + - Dr) in *.
rewrite Rabs_mult, (Rabs_pos_eq c c0) in E2.
assert (Q1 : (1 - u) * Rabs de1 <= Rabs s1).
  assert (T := Rabs_triang s1 (- (s1 - de1))); rewrite Rabs_Ropp in T.
  replace (s1 + - (s1 - de1)) with de1 in T by ring; lra.
assert (X1 : (1 - u) * (c * Rabs de1) <= c * Rabs s1).
  replace ((1 - u) * (c * Rabs de1)) with (c * ((1 - u) * Rabs de1)) by ring.
  apply Rmult_le_compat_l; lra.
assert (Y1 : ce * Rabs de1 <= (1 + 7 * u) * (c * Rabs de1)).
  rewrite <- Rmult_assoc; apply Rmult_le_compat_r; [apply Rabs_pos|lra].
assert (M1 : c * Rabs s1 - (u * (c * Rabs s1) + eta) <= Rabs m).
  assert (T := Rabs_triang m (- (m - c * s1))); rewrite Rabs_Ropp in T.
  replace (m + - (m - c * s1)) with (c * s1) in T by ring.
  rewrite Rabs_mult, (Rabs_pos_eq c c0) in T; lra.
assert (K1 : Rabs (m - ce * de1) <= u * (c * Rabs s1) + eta + u * (c * Rabs de1) + 6 * u * (ce * Rabs de1)).
  replace (m - ce * de1) with ((m - c * s1) + c * (s1 - de1) + (c - ce) * de1) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (T := Rabs_triang (m - c * s1) (c * (s1 - de1))).
  rewrite !Rabs_mult, (Rabs_pos_eq c c0) in *.
  assert (c * Rabs (s1 - de1) <= c * (u * Rabs de1)) by (apply Rmult_le_compat_l; lra).
  assert (Rabs (c - ce) * Rabs de1 <= 6 * u * ce * Rabs de1) by (apply Rmult_le_compat_r; [apply Rabs_pos|lra]).
  lra.
assert (W : ce * Rabs (D - E) <= (1 + 7 * u) * (c * de)).
  apply Rle_trans with (ce * de); [apply Rmult_le_compat_l; lra|].
  rewrite <- Rmult_assoc; apply Rmult_le_compat_r; lra.
assert (Bi : Rabs (t - (m + (b + - br))) <= u * (1 + 4 * u) * Sh).
{ destruct hs as [hs|(-> & ->)].
  - assert (E3 := rnd_add fl _ _ fb (fmt_opp fl _ fbr)); fold s in E3.
    assert (E4 := rnd_add fl m s (rnd_fmt fl _) (rnd_fmt fl _)); fold t in E4.
    assert (A := Rabs_pos s); assert (A' := Rabs_pos t).
    assert (L := add_low _ _ (fmt_abs _ (rnd_fmt fl (b + - br))) (fmt_abs _ (rnd_fmt fl (m + s))) A A').
    fold s t in L; replace (t - (m + (b + - br))) with ((t - (m + s)) + (s - (b + - br))) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _).
    assert (T1 := Rabs_triang s (- (s - (b + - br)))); rewrite Rabs_Ropp in T1.
    replace (s + - (s - (b + - br))) with (b + - br) in T1 by ring.
    assert (T2 := Rabs_triang t (- (t - (m + s)))); rewrite Rabs_Ropp in T2.
    replace (t + - (t - (m + s))) with (m + s) in T2 by ring.
    unfold u in *; lra.
  - assert (s0 : s = 0) by (unfold s; rewrite Ropp_0, Rplus_0_l; apply (rnd_id fl), (fmt0 fl)).
    assert (tm : t = m) by (unfold t; rewrite s0, Rplus_0_r; apply (rnd_id fl), (rnd_fmt fl)).
    rewrite tm; replace (m - (m + (0 + - 0))) with 0 by ring; rewrite Rabs_R0.
    apply Rmult_le_pos; [unfold u|]; lra. }
replace (t - (ce * E + b) + (ce * Dr + br))
  with ((t - (m + (b + - br))) + (m - ce * de1) + ce * (D - E)) by (unfold de1; ring).
apply Rle_trans with (1 := Rabs_triang _ _).
assert (T := Rabs_triang (t - (m + (b + - br))) (m - ce * de1)).
rewrite (Rabs_mult ce), (Rabs_pos_eq ce ce0).
assert (0 <= c * de) by (apply Rmult_le_pos; lra).
assert (0 <= c * Rabs de1) by (apply Rmult_le_pos; [lra|apply Rabs_pos]).
assert (0 <= c * Rabs s1) by (apply Rmult_le_pos; [lra|apply Rabs_pos]).
generalize dependent (c * de); generalize dependent (c * Rabs s1); generalize dependent (ce * Rabs de1);
generalize dependent (c * Rabs de1); generalize dependent (ce * Rabs (D - E));
generalize dependent (Rabs (m - ce * de1)); generalize dependent (Rabs (t - (m + (b + - br)))); intros.
clear E1 E2 nc hE; numbers; lra.
Qed.

(* ---- normalisation and distance ---- *)

Lemma sum_map_le (f : R -> R) a b l :
  (forall x, In x l -> f x <= a * x + b) -> sum (map f l) <= a * sum l + INR (length l) * b.
Proof.
induction l as [|x l IH]; intros h; [simpl; lra|].
simpl sum; simpl length; rewrite S_INR; assert (H := h x (or_introl eq_refl)).
assert (H' : forall y, In y l -> f y <= a * y + b) by (intros y hy; apply h; right; exact hy).
specialize (IH H'); lra.
Qed.

Theorem quotient_sound l S n :
  Forall (Rle 0) l -> summed l S -> 0 < sum l -> (length l <= n)%nat -> INR (n + 1) * u <= / 4096 ->
  sum (map (fun w => Rabs (rnd (w / S) - w / sum l)) l) <= 1.01 * (INR (n + 1) * u) + INR (n + 1) * eta.
Proof.
intros F hS W0 ln h; assert (E := summed_error _ _ hS F); rewrite plus_INR in *; simpl (INR 1) in *.
assert (LN := le_INR _ _ ln); assert (PL := pos_INR (length l)); assert (U := u_gt0); assert (eta0 := eta_gt0).
assert (H : INR (length l) * u <= INR n * u) by (apply Rmult_le_compat_r; lra).
assert (GL := gamma_le (length l) ltac:(lra)); assert (G0 := gamma_ge0 (length l)).
set (g := gamma (length l)) in *; set (W := sum l) in *.
assert (GW : g * W <= / 4000 * W) by (apply Rmult_le_compat_r; lra).
assert (S0 : / 2 * W < S) by (apply Rabs_le_both in E; lra).
assert (Sne : S <> 0) by lra; assert (Wne : W <> 0) by lra.
assert (I0 : 0 < / S) by (apply Rinv_0_lt_compat; lra); assert (J0 : 0 < / W) by (apply Rinv_0_lt_compat; lra).
set (D := Rabs (S - W)) in *.
apply Rle_trans with ((u * / S + D * / S * / W) * W + INR (length l) * eta).
  apply sum_map_le; intros w hw; rewrite Forall_forall in F; specialize (F w hw).
  assert (Q : 0 <= w * / S) by (apply Rmult_le_pos; lra).
  assert (A := rnd_error fl (w * / S)); rewrite (Rabs_pos_eq _ Q) in A; unfold Rdiv.
  replace (rnd (w * / S) - w * / W) with ((rnd (w * / S) - w * / S) + (- (S - W)) * (w * / S * / W)) by (field; lra).
  apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rabs_mult, Rabs_Ropp; fold D.
  rewrite (Rabs_pos_eq (w * / S * / W)) by (apply Rmult_le_pos; lra); lra.
replace ((u * / S + D * / S * / W) * W) with ((u * W + D) * / S) by (field; lra).
assert (A : (u * W + D) * / S <= 1.01 * ((INR n + 1) * u)).
  apply Rmult_le_reg_r with S; [lra|]; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by exact Sne.
  assert (g * W <= 1.001 * (INR n * u) * W) by (apply Rmult_le_compat_r; lra).
  apply Rle_trans with ((u + 1.001 * (INR n * u)) * W); [lra|].
  apply Rle_trans with (1.01 * ((INR n + 1) * u) * ((1 - / 4000) * W)).
    rewrite <- (Rmult_assoc (1.01 * ((INR n + 1) * u))); apply Rmult_le_compat_r; [lra|].
    assert (0 <= INR n * u) by (apply Rmult_le_pos; lra); lra.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]|].
  apply Rabs_le_both in E; lra.
assert (INR (length l) * eta <= (INR n + 1) * eta) by (apply Rmult_le_compat_r; lra); lra.
Qed.

Definition gap (p : R * R) : R := Rabs (rnd (fst p + - snd p)).

Theorem distance_sound l T n :
  (forall p, In p l -> fmt (fst p) /\ fmt (snd p)) -> summed (map gap l) T -> (length l <= n)%nat ->
  INR (n + 1) * u <= / 4096 ->
  0 <= T /\ sum (map (fun p => Rabs (fst p - snd p)) l) <= T * (1 + 1.05 * (INR (n + 1) * u)).
Proof.
intros F hT ln h; rewrite plus_INR in *; simpl (INR 1) in *.
assert (P : Forall (Rle 0) (map gap l)) by (apply Forall_map, Forall_forall; intros p _; apply Rabs_pos).
assert (E := summed_error _ _ hT P); rewrite map_length in E; assert (S0 := sum_ge0 _ P).
assert (LN := le_INR _ _ ln); assert (PL := pos_INR (length l)); assert (U := u_gt0).
assert (H : INR (length l) * u <= INR n * u) by (apply Rmult_le_compat_r; lra).
assert (GL := gamma_le (length l) ltac:(lra)); assert (G0 := gamma_ge0 (length l)).
assert (D : (1 - u) * sum (map (fun p => Rabs (fst p - snd p)) l) <= sum (map gap l)).
  clear - F fl U; induction l as [|p l IH]; [simpl; lra|].
  assert (IH' := IH (fun q hq => F q (or_intror hq))); destruct (F p (or_introl eq_refl)) as (f1 & f2).
  assert (A := rnd_add fl _ _ f1 (fmt_opp fl _ f2)); unfold Rminus in *; unfold gap in *; simpl.
  set (x := fst p + - snd p) in *; assert (T := Rabs_triang (rnd x) (- (rnd x + - x))); rewrite Rabs_Ropp in T.
  replace (rnd x + - (rnd x + - x)) with x in T by ring; lra.
assert (D0 : 0 <= sum (map (fun p => Rabs (fst p - snd p)) l)).
  apply sum_ge0, Forall_map, Forall_forall; intros p _; apply Rabs_pos.
set (s := sum (map gap l)) in *; set (dd := sum (map (fun p : R * R => Rabs (fst p - snd p)) l)) in *.
set (g := gamma (length l)) in *.
apply Rabs_le_both in E; set (q := (INR n + 1) * u) in *.
assert (gq : g <= 1.001 * (q - u)) by (unfold q; lra).
assert (q0 : 0 <= q) by (unfold q; apply Rmult_le_pos; lra).
assert (T1 : (1 - 1.001 * (q - u)) * s <= T).
  assert (g * s <= 1.001 * (q - u) * s) by (apply Rmult_le_compat_r; lra); lra.
assert (T0 : 0 <= T).
  apply Rle_trans with (2 := T1); apply Rmult_le_pos; lra.
split; [exact T0|].
assert (T2 : (1 - 1.001 * q) * dd <= T).
  apply Rle_trans with (2 := T1).
  apply Rle_trans with ((1 - 1.001 * (q - u)) * ((1 - u) * dd)); [|apply Rmult_le_compat_l; [lra|exact D]].
  rewrite <- Rmult_assoc; apply Rmult_le_compat_r; [exact D0|]; unfold u in *; lra.
apply Rle_trans with ((1 - 1.001 * q) * dd * (1 + 1.05 * q)); [|apply Rmult_le_compat_r; lra].
replace ((1 - 1.001 * q) * dd * (1 + 1.05 * q)) with ((1 - 1.001 * q) * (1 + 1.05 * q) * dd) by ring.
apply Rle_trans with (1 * dd); [lra|apply Rmult_le_compat_r; [exact D0|]].
assert (q * q <= / 4096 * q) by (apply Rmult_le_compat_r; lra); lra.
Qed.

(* ---- families ---- *)

Definition oscillation (hw lg range de Dr : R) : R :=
  rnd (slack * rnd (rnd (hw * rnd (range + rnd (2 * de))) + rnd (lg * Dr))).
Definition family_distance (o : R) : R := if Rle_dec 4 o then 2 else rnd (o / 2).

Lemma family_distance_ge0 o : 0 <= o -> 0 <= family_distance o.
Proof. intros h; unfold family_distance; destruct (Rle_dec 4 o); [lra|apply rnd_ge0; lra]. Qed.
Lemma family_distance_fmt o : fmt (family_distance o).
Proof. unfold family_distance; destruct (Rle_dec 4 o); [apply (fmt_two fl)|apply (rnd_fmt fl)]. Qed.

(* range: the computed largest minus least dot product; rg: the exact one. *)
Theorem family_sound hw hwe lg lge range rg de Dr De :
  near hw hwe -> near lg lge -> fmt range -> tiny / 2 <= de -> 0 <= range -> 0 <= De ->
  (1 - u) * rg <= range + 2 * de -> De <= Dr ->
  let o := oscillation hw lg range de Dr in
  0 <= o /\ Rmin 2 ((hwe * rg + lge * De) / 2) <= family_distance o + tiny / 16.
Proof.
intros nh nl fr hde r0 De0 hr hD o.
destruct (near_low _ _ nh) as (hw0 & nh'); destruct (near_low _ _ nl) as (lg0 & nl').
destruct nh as (hwe0 & _); destruct nl as (lge0 & _).
assert (U := u_gt0); assert (Dr0 : 0 <= Dr) by lra; assert (T0 := tiny_gt0).
assert (L1 := low (2 * de) ltac:(lra)); assert (Z1 := rnd_ge0 (2 * de) ltac:(lra)).
assert (F1 := rnd_fmt fl (2 * de)); unfold o, oscillation; set (a1 := rnd (2 * de)) in *.
assert (L2 := add_low _ _ fr F1 r0 Z1); assert (Z2 := rnd_ge0 (range + a1) ltac:(lra)).
set (a2 := rnd (range + a1)) in *.
assert (B2 : (1 - 6 * u) * rg <= a2) by (clear nh' nl'; numbers; lra).
assert (A3 : 0 <= hw * a2) by (apply Rmult_le_pos; lra).
assert (L3 := low _ A3); assert (Z3 := rnd_ge0 _ A3); assert (F3 := rnd_fmt fl (hw * a2)).
set (a3 := rnd (hw * a2)) in *.
assert (A4 : 0 <= lg * Dr) by (apply Rmult_le_pos; lra).
assert (L4 := low _ A4); assert (Z4 := rnd_ge0 _ A4); assert (F4 := rnd_fmt fl (lg * Dr)).
set (a4 := rnd (lg * Dr)) in *.
assert (L5 := add_low _ _ F3 F4 Z3 Z4); assert (Z5 := rnd_ge0 (a3 + a4) ltac:(lra)).
set (a5 := rnd (a3 + a4)) in *.
assert (A6 : 0 <= slack * a5) by (apply Rmult_le_pos; [unfold slack|]; lra).
assert (L6 := low _ A6); assert (Z6 := rnd_ge0 _ A6); set (a6 := rnd (slack * a5)) in *.
split; [exact Z6|].
assert (M1 : (1 - 6 * u) * (hwe * rg) <= (1 + 7 * u) * (hw * a2)).
  apply Rle_trans with (hwe * a2).
    replace ((1 - 6 * u) * (hwe * rg)) with (hwe * ((1 - 6 * u) * rg)) by ring; apply Rmult_le_compat_l; lra.
  rewrite <- (Rmult_assoc (1 + 7 * u)); apply Rmult_le_compat_r; lra.
assert (M2 : lge * De <= (1 + 7 * u) * (lg * Dr)).
  rewrite <- (Rmult_assoc (1 + 7 * u)); apply Rmult_le_compat; lra.
assert (N2 : 0 <= lge * De) by (apply Rmult_le_pos; lra).
set (x := hwe * rg) in *; set (y := lge * De) in *; set (x' := hw * a2) in *; set (y' := lg * Dr) in *.
assert (K : (x + y) * (1 + 10 * u) <= a6 + tiny / 64).
  clear nh' nl' hr L1 L2 B2; numbers; lra.
unfold family_distance; destruct (Rle_dec 4 a6) as [h|h].
  apply Rle_trans with (1 := Rmin_l _ _); lra.
apply Rle_trans with (1 := Rmin_r _ _); assert (L7 := low (a6 / 2) ltac:(lra)).
clear nh' nl' hr L1 L2 L3 L4 L5 L6 B2; numbers; lra.
Qed.

Lemma range_sound a b rg de :
  fmt a -> fmt b -> b <= a -> 0 <= de -> rg <= a - b + 2 * de ->
  0 <= rnd (a + - b) /\ (1 - u) * rg <= rnd (a + - b) + 2 * de.
Proof.
intros fa fb ab de0 h; assert (U := u_gt0); split; [apply rnd_ge0; lra|].
assert (E := rnd_add fl _ _ fa (fmt_opp fl _ fb)); rewrite (Rabs_pos_eq (a + - b)) in E by lra.
apply Rabs_le_both in E; unfold u in *; lra.
Qed.

(* ---- the sum of it all ---- *)

Definition final : R := 1 + / 2 ^ 45.
Definition row_rest (n : nat) (le fam : R) : R :=
  rnd (rnd (rnd (rnd (unit_factor (n + 1) + (/ 2) ^ 50) + le) + fam) + tiny).
Definition total (n : nat) (T le fam : R) : R :=
  rnd (final * rnd (rnd (T * rnd (1 + unit_factor (n + 1))) + row_rest n le fam)).

Theorem total_sound n T le fam :
  0 <= T -> 0 <= le -> 0 <= fam -> fmt le -> fmt fam -> INR (n + 1) * u <= / 4096 ->
  T * (1 + 1.05 * (INR (n + 1) * u)) + 1.01 * (INR (n + 1) * u) + / 2 ^ 50 + le + fam + tiny / 4 <= total n T le fam.
Proof.
intros T0 le0 fam0 fle ffam h; unfold total, row_rest.
assert (U := u_gt0); assert (N0 := pos_INR (n + 1)); assert (t0 := tiny_gt0).
assert (L1 := unit_factor_low (n + 1)); assert (Z1 := unit_factor_ge0 (n + 1)).
assert (F1 : fmt (unit_factor (n + 1))) by apply (rnd_fmt fl).
set (a1 := unit_factor (n + 1)) in *; set (q := INR (n + 1) * u) in *.
assert (q0 : 0 <= q) by (apply Rmult_le_pos; lra).
assert (FK := fmt_half fl 50 ltac:(lia)); assert (FO := fmt_half fl 0 ltac:(lia)); change ((/ 2) ^ 0) with 1 in FO.
assert (K0 := half_pow 50); assert (KE : (/ 2) ^ 50 = / 2 ^ 50) by (simpl; lra).
rewrite <- KE; set (k := (/ 2) ^ 50) in *.
assert (L2 := add_low _ _ FO F1 ltac:(lra) Z1); assert (Z2 := rnd_ge0 (1 + a1) ltac:(lra)).
set (a2 := rnd (1 + a1)) in *.
assert (A3 : 0 <= T * a2) by (apply Rmult_le_pos; lra).
assert (L3 := low _ A3); assert (Z3 := rnd_ge0 _ A3); assert (F3 := rnd_fmt fl (T * a2)).
assert (B3 : (1 - u) * (T + 1.06 * (T * q)) <= T * a2).
  replace ((1 - u) * (T + 1.06 * (T * q))) with (T * ((1 - u) * (1 + 1.06 * q))) by ring.
  apply Rmult_le_compat_l; [exact T0|]; apply Rle_trans with (2 := L2).
  apply Rmult_le_compat_l; unfold u in *; lra.
assert (Tq0 : 0 <= T * q) by (apply Rmult_le_pos; lra).
set (Ta := T * a2) in *; set (a3 := rnd Ta) in *.
assert (L4 := add_low _ _ F1 FK Z1 ltac:(lra)); assert (Z4 := rnd_ge0 (a1 + k) ltac:(lra)).
assert (F4 := rnd_fmt fl (a1 + k)); set (a4 := rnd (a1 + k)) in *.
assert (L5 := add_low _ _ F4 fle Z4 le0); assert (Z5 := rnd_ge0 (a4 + le) ltac:(lra)).
assert (F5 := rnd_fmt fl (a4 + le)); set (a5 := rnd (a4 + le)) in *.
assert (L6 := add_low _ _ F5 ffam Z5 fam0); assert (Z6 := rnd_ge0 (a5 + fam) ltac:(lra)).
assert (F6 := rnd_fmt fl (a5 + fam)); set (a6 := rnd (a5 + fam)) in *.
assert (L7 := add_low _ _ F6 fmt_tiny Z6 ltac:(lra)); assert (Z7 := rnd_ge0 (a6 + tiny) ltac:(lra)).
assert (F7 := rnd_fmt fl (a6 + tiny)); set (a7 := rnd (a6 + tiny)) in *.
assert (L8 := add_low _ _ F3 F7 Z3 Z7); assert (Z8 := rnd_ge0 (a3 + a7) ltac:(lra)).
set (a8 := rnd (a3 + a7)) in *.
assert (A9 : 0 <= final * a8) by (apply Rmult_le_pos; [unfold final; simpl|]; lra).
assert (L9 := low _ A9); set (a9 := rnd (final * a8)) in *.
replace (T * (1 + 1.05 * q)) with (T + 1.05 * (T * q)) by ring; set (Tq := T * q) in *.
assert (T8 : (1 - 12 * u) * (T + 1.06 * Tq + 1.06 * q + k + le + fam + tiny) - 4 * eta <= a8).
  clear h L9 A9; numbers; lra.
assert (FE : final = 1 + 256 * u) by (unfold final, u; simpl; lra).
rewrite FE in L9; clear L1 L2 L3 L4 L5 L6 L7 L8 B3 FE A9 KE; numbers; lra.
Qed.

(* The exponential: its relative error, and an absolute one where it is subnormal. *)
Record float_kernel (e : R -> R) (highest : R) : Prop := FloatKernel {
  kernel_fmt : forall t, fmt t -> t <= highest -> fmt (e t);
  kernel_ge0 : forall t, fmt t -> t <= highest -> 0 <= e t;
  kernel_error : forall t, fmt t -> t <= highest -> Rabs (e t - exp t) <= (/ 2) ^ 51 * exp t + eta
}.

(* What the exponentials and the quotients of n keys add. *)
Definition exponential_loss (n : nat) : R := / 2 ^ 50 + 2 * INR n * eta.
Definition quotient_loss (n : nat) : R := 1.01 * (INR (n + 1) * u) + INR (n + 1) * eta.

Definition distance_loss (n : nat) (T : R) : R := T * (1 + 1.05 * (INR (n + 1) * u)).

Theorem losses_sound n T le fam s1 s2 s3 s4 f :
  0 <= T -> 0 <= le -> 0 <= fam -> fmt le -> fmt fam -> INR (n + 1) * u <= / 4096 ->
  s1 <= le -> s2 <= exponential_loss n -> s3 <= quotient_loss n -> s4 <= T * (1 + 1.05 * (INR (n + 1) * u)) ->
  f <= fam + tiny / 16 ->
  s1 + s2 + s3 + s4 + f <= total n T le fam.
Proof.
intros T0 le0 fam0 fle ffam h h1 h2 h3 h4 hf.
assert (H := total_sound n T le fam T0 le0 fam0 fle ffam h).
unfold exponential_loss, quotient_loss in *; rewrite plus_INR in *; simpl (INR 1) in *.
assert (N0 := pos_INR n).
assert (B : (4 * INR n + 4) * eta <= 2 ^ 60 * eta).
  apply Rmult_le_compat_r; [apply Rlt_le, eta_gt0|]; unfold u in h; simpl pow; lra.
assert (E : 2 ^ 60 * eta <= tiny / 100) by (clear - fl; simpl pow; numbers; lra).
assert (T1 := tiny_gt0); lra.
Qed.

Lemma exponential_scalar n X E :
  1 <= E -> X <= (/ 2) ^ 51 * E + INR n * eta -> 2 * X <= exponential_loss n * E.
Proof.
intros h hx; unfold exponential_loss; assert (K : (/ 2) ^ 51 = / 2 ^ 50 / 2) by (simpl; lra).
rewrite K in hx; assert (H := eta_gt0); assert (N := pos_INR n).
assert (A : 0 <= INR n * eta) by (apply Rmult_le_pos; lra); set (k := / 2 ^ 50) in *.
set (z := INR n * eta) in *; replace ((k + 2 * INR n * eta) * E) with (k * E + 2 * (z * E)) by (unfold z; ring).
assert (z * 1 <= z * E) by (apply Rmult_le_compat_l; lra); lra.
Qed.

Lemma kernel_one w : Rabs (w - exp 0) <= (/ 2) ^ 51 * exp 0 + eta -> 0 < w.
Proof.
rewrite exp_0; intros h; apply Rabs_le_both in h; simpl pow in h; clear - fl h; numbers; lra.
Qed.

Lemma product_reference c D : product c D D = 0.
Proof.
unfold product; rewrite Rplus_opp_r, (rnd_id fl 0 (fmt0 fl)), Rmult_0_r; apply (rnd_id fl), (fmt0 fl).
Qed.

End Float.

Arguments rnd_fmt {rnd fmt}.
Arguments rnd_id {rnd fmt} _ {x}.
Arguments fmt0 {rnd fmt}.
Arguments fmt_opp {rnd fmt} _ {x}.
Arguments fmt_half {rnd fmt} _ {n}.
Arguments rnd_add {rnd fmt} _ {x y}.
Arguments dotted_fmt {rnd fmt} _ {l a}.
Arguments summed_fmt {rnd fmt} _ {l a}.
Arguments dot_error_ge0 {rnd fmt} _ d {G}.
Arguments dot_error_low {rnd fmt} _ d {G}.
Arguments dot_error_sound {rnd fmt} _ {l D G Gmax}.
Arguments logit_error_ge0 {rnd fmt} _ {c de P Sh}.
Arguments logit_sound {rnd fmt} _ {c ce D Dr E b br de P Sh}.
Arguments near_low {c ce}.
Arguments approximated_near {rnd fmt} _ {v x}.
Arguments product_reference {rnd fmt}.
Arguments quotient_sound {rnd fmt} _ {l S n}.
Arguments distance_sound {rnd fmt} _ {l T n}.
Arguments range_sound {rnd fmt} _ {a b rg de}.
Arguments family_sound {rnd fmt} _ {hw hwe lg lge range rg de Dr De}.
Arguments family_distance_ge0 {rnd fmt} _ {o}.
Arguments family_distance_fmt {rnd fmt}.
Arguments losses_sound {rnd fmt} _ {n T le fam s1 s2 s3 s4 f}.
Arguments kernel_one {w}.
Arguments exponential_scalar {n X E}.
Arguments kernel_fmt {fmt e highest} _ {t}.
Arguments kernel_ge0 {fmt e highest} _ {t}.
Arguments kernel_error {fmt e highest} _ {t}.
Arguments sum_map_le f {a b l}.
