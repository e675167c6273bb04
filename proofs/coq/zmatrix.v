(* Matrices of integers as lists of rows, which the extracted checker computes with, and what they mean
   over an ordered field F: `mx m n A q` is the matrix with the entries A_ij / q.

   Every operation has a lemma that says which matrix it gives:
     mx_mulz (product), mx_subz, mx_addz, mx_scalez (same matrix at a finer denominator), mx_trz,
     rnorm_mx (the norm), mx_rowsz (selected rows).

   The product packs a row of B into one integer, one entry every w bits, so that a row of A B is a sum of
   products of a short integer with a long one. That is where GMP is at its best: it is some twenty times
   faster than as many products of short integers. Wide rows are packed in blocks of columns. `mulzE` proves
   that the digits come back right: w is chosen so that no entry of the product can reach half of 2^w. *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import ssrZ.
From mathcomp Require Import ring.
Require Import norms.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Definition zrow := seq Z.
Definition zmat := seq zrow.

(* ---------------- executable part ---------------- *)
Section Executable.
Local Open Scope Z_scope.

Definition dims (m n : nat) (A : zmat) : bool := (size A == m) && all (fun r => size r == n) A.

Definition scale_row (c : Z) (r : zrow) : zrow := [seq c * x | x <- r].
Fixpoint add_rows (u v : zrow) : zrow :=
  match u, v with x :: u', y :: v' => (x + y) :: add_rows u' v' | _, _ => [::] end.
Fixpoint sub_rows (u v : zrow) : zrow :=
  match u, v with x :: u', y :: v' => (x - y) :: sub_rows u' v' | _, _ => [::] end.
Fixpoint zip_rows (f : zrow -> zrow -> zrow) (A B : zmat) : zmat :=
  match A, B with r :: A', s :: B' => f r s :: zip_rows f A' B' | _, _ => [::] end.

Definition scalez (c : Z) (A : zmat) : zmat := [seq scale_row c r | r <- A].
Definition addz (A B : zmat) : zmat := zip_rows add_rows A B.
Definition subz (A B : zmat) : zmat := zip_rows sub_rows A B.
Definition rowsz (I : seq nat) (A : zmat) : zmat := [seq nth [::] A i | i <- I].

Fixpoint cons_column (r : zrow) (A : zmat) : zmat :=
  match r, A with x :: r', s :: A' => (x :: s) :: cons_column r' A' | _, _ => [::] end.
Definition trz (n : nat) (A : zmat) : zmat := foldr cons_column (nseq n [::]) A.

Definition rowsum (r : zrow) : Z := foldr (fun x s => Z.abs x + s) 0 r.
Definition zmax (l : seq Z) : Z := foldr Z.max 0 l.
Definition normz (A : zmat) : Z := zmax [seq rowsum r | r <- A].
(* With an accumulator, so that no product waits for the others; zeros cost nothing. *)
Fixpoint dot_onto (s : Z) (u v : zrow) : Z :=
  match u, v with
  | x :: u', y :: v' => dot_onto (if Z.eqb x 0 then s else s + x * y) u' v'
  | _, _ => s
  end.
Definition dotz (u v : zrow) : Z := dot_onto 0 u v.

(* Longer integers than OCaml's minor heap takes (256 words) would each be work for its collector. *)
Definition block_bits : Z := 16000.
Definition pack (w : Z) (r : zrow) : Z := foldr (fun x s => x + Z.shiftl s w) 0 r.
Fixpoint unpack (w half : Z) (n : nat) (v : Z) : zrow :=
  match n with
  | O => [::]
  | n'.+1 => let rest := Z.shiftr (v + half) w in (v - Z.shiftl rest w) :: unpack w half n' rest
  end.
Definition mul_packed (w half : Z) (n : nat) (A B : zmat) : zmat :=
  let P := [seq pack w r | r <- B] in
  [seq unpack w half n (dotz a P) | a <- A].
(* Blocks of c columns, as many as `fuel` allows and the rest at once. *)
Fixpoint mul_blocks (fuel : nat) (w half : Z) (c n : nat) (A B : zmat) : zmat :=
  if fuel is f.+1 then
    if (c < n)%N then
      zip_rows cat (mul_packed w half c A [seq take c r | r <- B])
                   (mul_blocks f w half c (n - c) A [seq drop c r | r <- B])
    else mul_packed w half n A B
  else mul_packed w half n A B.
Definition mulz (n : nat) (A B : zmat) : zmat :=
  let bound := normz A * zmax [seq zmax [seq Z.abs x | x <- r] | r <- B] in
  let w := Z.log2 bound + 2 in
  mul_blocks n w (Z.shiftl 1 (w - 1)) (Z.to_nat (block_bits / w)).+1 n A B.

(* What mulz computes, row by row. *)
Fixpoint comb (n : nat) (a : zrow) (B : zmat) : zrow :=
  match a, B with
  | x :: a', r :: B' => add_rows (scale_row x r) (comb n a' B')
  | _, _ => nseq n 0
  end.
End Executable.

(* ---------------- packing ---------------- *)
Section Packing.
Local Open Scope Z_scope.

Lemma size_add_rows n u v : size u = n -> size v = n -> size (add_rows u v) = n.
Proof. by elim: u v n => [|x u IH] [|y v] [|n] //= [hu] [hv]; rewrite (IH _ n). Qed.

Lemma size_sub_rows n u v : size u = n -> size v = n -> size (sub_rows u v) = n.
Proof. by elim: u v n => [|x u IH] [|y v] [|n] //= [hu] [hv]; rewrite (IH _ n). Qed.

Lemma size_scale_row c r : size (scale_row c r) = size r.
Proof. exact: size_map. Qed.

Lemma size_comb n a B : all (fun r => size r == n) B -> size (comb n a B) = n.
Proof.
elim: a B => [|x a IH] [|r B] /=; rewrite ?size_nseq // => /andP[/eqP rn Bn].
by rewrite (@size_add_rows n) ?size_scale_row // IH.
Qed.

Lemma dotz_cons x u y v : dotz (x :: u) (y :: v) = x * y + dotz u v.
Proof.
have onto s a b : dot_onto s a b = s + dotz a b.
  rewrite /dotz; elim: a b s => [|z a IH] [|t b] s /=; try lia.
  rewrite (IH _ (if z =? 0 then s else s + z * t)) (IH _ (if z =? 0 then 0 else 0 + z * t)).
  by case: Z.eqb_spec => h; rewrite ?h; lia.
by rewrite {1}/dotz /= onto; case: Z.eqb_spec => h; rewrite ?h; lia.
Qed.

Lemma dotz_nil u : dotz u [::] = 0.
Proof. by case: u. Qed.

Lemma shiftl_mul x w : 0 <= w -> Z.shiftl x w = x * 2 ^ w.
Proof. exact: Z.shiftl_mul_pow2. Qed.

Lemma pack_add w u v : 0 <= w -> size u = size v -> pack w (add_rows u v) = pack w u + pack w v.
Proof.
move=> w0; elim: u v => [|x u IH] [|y v] //= [e]; rewrite IH // !shiftl_mul //; lia.
Qed.

Lemma pack_scale w c r : 0 <= w -> pack w (scale_row c r) = c * pack w r.
Proof. by move=> w0; elim: r => [|x r IH] /=; rewrite ?shiftl_mul ?IH //; lia. Qed.

Lemma pack_comb w n a B : 0 <= w -> all (fun r => size r == n) B ->
  pack w (comb n a B) = dotz a [seq pack w r | r <- B].
Proof.
move=> w0; have z k : pack w (nseq k 0) = 0 by elim: k => //= k ->; rewrite shiftl_mul //; lia.
elim: a B => [|x a IH] [|r B] //= /andP[/eqP rn Bn].
by rewrite dotz_cons pack_add ?pack_scale ?IH // size_scale_row size_comb.
Qed.

Lemma unpack_pack w half c : 0 < w -> half = 2 ^ (w - 1) ->
  all (fun x => Z.abs x <? half) c -> unpack w half (size c) (pack w c) = c.
Proof.
move=> w0 eh; have e2 : 2 ^ w = 2 * half.
  by rewrite eh -Z.pow_succ_r; [congr (2 ^ _); lia|lia].
have h0 : 0 < half by rewrite eh; apply: Z.pow_pos_nonneg; lia.
elim: c => //= x c IH /andP[/Z.ltb_lt hx hc].
have -> : Z.shiftr (x + Z.shiftl (pack w c) w + half) w = pack w c.
  rewrite shiftl_mul; last by lia.
  rewrite Z.shiftr_div_pow2; last by lia.
  have -> : x + pack w c * 2 ^ w + half = (x + half) + pack w c * 2 ^ w by lia.
  by rewrite Z.div_add ?Z.div_small; lia.
rewrite IH //; congr (_ :: _); lia.
Qed.

Lemma zmax_le x l : x \in l -> x <= zmax l.
Proof. by elim: l => //= y l IH; rewrite inE => /predU1P[->|/IH]; lia. Qed.

Lemma zmax_nneg l : 0 <= zmax l.
Proof. by elim: l => //= x l; lia. Qed.

Lemma rowsum_nneg r : 0 <= rowsum r.
Proof. by elim: r => //= x r; lia. Qed.

(* Every digit of a row of the product is at most rowsum a · max |B|. *)
Lemma comb_bound n (a : zrow) (B : zmat) b : 0 <= b ->
  (forall r x, r \in B -> x \in r -> Z.abs x <= b) ->
  forall x, x \in comb n a B -> Z.abs x <= rowsum a * b.
Proof.
move=> b0; elim: a B => [|y a IH] [|r B] /= hB x.
- by rewrite mem_nseq => /andP[_ /eqP ->].
- by rewrite mem_nseq => /andP[_ /eqP ->].
- by rewrite mem_nseq => /andP[_ /eqP ->]; have := @rowsum_nneg a; nia.
have {}IH : forall x, x \in comb n a B -> Z.abs x <= rowsum a * b.
  by apply: IH => s z sB; apply: hB; rewrite inE sB orbT.
have hr : forall x, x \in r -> Z.abs x <= b by move=> z; apply: hB; rewrite inE eqxx.
elim: r (comb n a B) hr IH {hB} => [|z r IHr] [|s t] //= hr ht.
rewrite inE => /predU1P[->|].
  have := hr z (mem_head _ _); have := ht s (mem_head _ _); nia.
by apply: IHr => u hu; [apply: hr|apply: ht]; rewrite inE hu orbT.
Qed.

Lemma mul_packedE w half n A B : 0 < w -> half = 2 ^ (w - 1) -> all (fun r => size r == n) B ->
  (forall a x, a \in A -> x \in comb n a B -> Z.abs x < half) ->
  mul_packed w half n A B = [seq comb n a B | a <- A].
Proof.
move=> w0 eh Bn small; apply/eq_in_map => a aA; rewrite -(@pack_comb _ n) //; last by lia.
rewrite -{1}(@size_comb n a B Bn) unpack_pack //.
by apply/allP => x /(small a _ aA) h; apply/Z.ltb_lt.
Qed.

Lemma add_rows_cat u v u' v' : size u = size u' -> add_rows (u ++ v) (u' ++ v') = add_rows u u' ++ add_rows v v'.
Proof. by elim: u u' => [|x u IH] [|y u'] //= [e]; rewrite IH. Qed.

Lemma comb_blocks c n a B : (c <= n)%N -> all (fun r => size r == n) B ->
  comb n a B = comb c a [seq take c r | r <- B] ++ comb (n - c) a [seq drop c r | r <- B].
Proof.
move=> cn; have z : nseq n 0 = nseq c 0 ++ nseq (n - c) 0 by rewrite -nseqD subnKC.
have tk r : size r = n -> size (take c r) = c by move=> e; rewrite size_takel ?e.
elim: a B => [|x a IH] [|r B] //= /andP[/eqP rn Bn]; rewrite (IH B Bn) -add_rows_cat.
  by rewrite -map_cat cat_take_drop.
rewrite size_scale_row tk // size_comb // all_map; apply/allP => s /(allP Bn) /eqP sn.
by rewrite /= tk.
Qed.

Lemma mul_blocksE fuel w half c n A B : 0 < w -> half = 2 ^ (w - 1) -> all (fun r => size r == n) B ->
  (forall a x, a \in A -> x \in comb n a B -> Z.abs x < half) ->
  mul_blocks fuel w half c n A B = [seq comb n a B | a <- A].
Proof.
move=> w0 eh; elim: fuel n B => [|f IH] n B Bn small /=; first exact: mul_packedE.
case: ifP => [cn|_]; last exact: mul_packedE.
have e a := comb_blocks a (ltnW cn) Bn.
have zip (g h : zrow -> zrow) (s : zmat) : zip_rows cat (map g s) (map h s) = [seq g a ++ h a | a <- s].
  by elim: s => //= a s ->.
rewrite mul_packedE ?IH //; first by rewrite zip; apply: eq_map => a; rewrite e.
- by rewrite all_map; apply/allP => r /(allP Bn) /eqP rn; rewrite /= size_drop rn.
- by move=> a x aA xc; apply: (small a x aA); rewrite e mem_cat xc orbT.
- by rewrite all_map; apply/allP => r /(allP Bn) /eqP rn; rewrite /= size_takel // rn ltnW.
- by move=> a x aA xc; apply: (small a x aA); rewrite e mem_cat xc.
Qed.

Theorem mulzE n A B : all (fun r => size r == n) B -> mulz n A B = [seq comb n a B | a <- A].
Proof.
move=> Bn; rewrite /mulz; set b := zmax [seq zmax _ | _ <- _]; set bound := normz A * b.
set w := Z.log2 bound + 2.
have b0 : 0 <= b by exact: zmax_nneg.
have A0 : 0 <= normz A by exact: zmax_nneg.
have bd0 : 0 <= bound by rewrite /bound; nia.
have w2 : 2 <= w by rewrite /w; have := Z.log2_nonneg bound; lia.
have lt : bound < 2 ^ (w - 1).
  have [/Z.log2_spec[_]|->] : 0 < bound \/ bound = 0 by lia.
    by rewrite /w; have -> : Z.log2 bound + 2 - 1 = Z.succ (Z.log2 bound) by lia.
  by apply: Z.pow_pos_nonneg; lia.
rewrite shiftl_mul ?Z.mul_1_l; last by lia.
apply: mul_blocksE => // [|a x aA /(comb_bound b0) h]; first by lia.
apply: Z.le_lt_trans lt.
have {}h : Z.abs x <= rowsum a * b.
  apply: h => r y rB yr; apply: (Z.le_trans _ (zmax [seq Z.abs x | x <- r])).
    by apply: zmax_le; apply: map_f.
  by apply: zmax_le; apply: (map_f (fun r => zmax [seq Z.abs x | x <- r])).
have : rowsum a <= normz A by apply: zmax_le; apply: map_f.
by rewrite /bound; nia.
Qed.

End Packing.

(* ---------------- meaning ---------------- *)
Local Open Scope ring_scope.
(* ssrint takes the key Z for its own integers; in the checker it stands for those of Coq. *)
Delimit Scope Z_scope with Z.

Section Meaning.
Variable F : realFieldType.

Definition zF (z : Z) : F := (int_of_Z z)%:~R.
Lemma zF0 : zF Z0 = 0. Proof. by []. Qed.
Lemma zF1 : zF 1%Z = 1. Proof. by []. Qed.
Lemma zFD x y : zF (x + y)%Z = zF x + zF y.
Proof. by rewrite -[(x + y)%Z]/(x + y) /zF raddfD /= rmorphD. Qed.
Lemma zFN x : zF (Z.opp x) = - zF x.
Proof. by rewrite -[Z.opp x]/(- x) /zF raddfN /= rmorphN. Qed.
Lemma zFB x y : zF (x - y)%Z = zF x - zF y.
Proof. by rewrite -zFN -zFD. Qed.
Lemma zFM x y : zF (x * y)%Z = zF x * zF y.
Proof. by rewrite -[(x * y)%Z]/(x * y) /zF rmorphM /= rmorphM. Qed.
Definition zFE := (zFD, zFB, zFN, zFM).

Lemma zF_ge0 x : (0 <=? x)%Z -> 0 <= zF x.
Proof. by case: x => [|p|p] // _; rewrite ler0z. Qed.
Lemma zF_gt0 x : (0 <? x)%Z -> 0 < zF x.
Proof.
by case: x => [|p|p] // _; rewrite ltr0z /=; have := Pos2Nat.is_pos p; case: Pos.to_nat => // /Nat.lt_irrefl.
Qed.
Lemma zF_le x y : (x <=? y)%Z -> zF x <= zF y.
Proof. by move/Z.leb_le => h; rewrite -subr_ge0 -zFB zF_ge0 //; apply/Z.leb_le; lia. Qed.
Lemma zF_lt x y : (x <? y)%Z -> zF x < zF y.
Proof. by move/Z.ltb_lt => h; rewrite -subr_gt0 -zFB zF_gt0 //; apply/Z.ltb_lt; lia. Qed.
Lemma zF_abs x : zF (Z.abs x) = `|zF x|.
Proof.
case: x => [|p|p]; first by rewrite normr0.
  by rewrite ger0_norm // zF_ge0.
by rewrite -[Z.neg p]/(Z.opp (Z.pos p)) zFN normrN /= ger0_norm // zF_ge0.
Qed.
Lemma zF_max x y : zF (Z.max x y) = Num.max (zF x) (zF y).
Proof.
have [h|h] : (x <= y)%Z \/ (y <= x)%Z by lia.
  by rewrite Z.max_r // max_r // zF_le //; apply/Z.leb_le.
by rewrite Z.max_l // max_l // zF_le //; apply/Z.leb_le.
Qed.
Lemma zF_nat k : zF (Z.of_nat k) = k%:R.
Proof. by elim: k => // k IH; rewrite Nat2Z.inj_succ -Z.add_1_l zFD IH mulrS. Qed.

Lemma zpos_mul x y : (0 <? x)%Z -> (0 <? y)%Z -> (0 <? x * y)%Z.
Proof. by move=> /Z.ltb_lt x0 /Z.ltb_lt y0; apply/Z.ltb_lt; nia. Qed.

Definition ent (A : zmat) (i j : nat) : F := zF (nth Z0 (nth [::] A i) j).
Definition mx m n (A : zmat) (q : Z) : 'M[F]_(m, n) := \matrix_(i, j) (ent A i j / zF q).

Lemma dims_row m n A i : dims m n A -> (i < m)%N -> size (nth [::] A i) = n.
Proof. by case/andP => /eqP <- /allP h im; apply/eqP/h; rewrite mem_nth. Qed.

Lemma dims_size m n A : dims m n A -> size A = m.
Proof. by case/andP => /eqP. Qed.

Lemma nth_add_rows u v j : size u = size v ->
  zF (nth Z0 (add_rows u v) j) = zF (nth Z0 u j) + zF (nth Z0 v j).
Proof.
elim: u v j => [|x u IH] [|y v] //= [|j] e; rewrite ?nth_nil ?addr0 ?zFD //=.
by apply: IH; case: e.
Qed.

Lemma nth_sub_rows u v j : size u = size v ->
  zF (nth Z0 (sub_rows u v) j) = zF (nth Z0 u j) - zF (nth Z0 v j).
Proof.
elim: u v j => [|x u IH] [|y v] //= [|j] e; rewrite ?nth_nil ?subr0 ?zFB //=.
by apply: IH; case: e.
Qed.

Lemma nth_scale_row c r j : zF (nth Z0 (scale_row c r) j) = zF c * zF (nth Z0 r j).
Proof.
have [h|h] := ltnP j (size r); first by rewrite (nth_map Z0) // zFM.
by rewrite !nth_default ?size_map // mulr0.
Qed.

Lemma nth_zip_rows f m A B i : size A = m -> size B = m -> (i < m)%N ->
  nth [::] (zip_rows f A B) i = f (nth [::] A i) (nth [::] B i).
Proof. by elim: A B m i => [|r A IH] [|s B] [|m] [|i] //= [ea] [eb] im; exact: (IH _ m). Qed.

Lemma dims_zip f m n A B :
  (forall u v, size u = n -> size v = n -> size (f u v) = n) ->
  dims m n A -> dims m n B -> dims m n (zip_rows f A B).
Proof.
move=> hf; rewrite /dims; elim: A B m => [|r A IH] [|s B] [|m] //=.
case/and3P=> mA /eqP rn An /and3P[mB /eqP sn Bn].
by rewrite eqSS hf // eqxx /=; apply: IH; apply/andP.
Qed.

Lemma dims_addz m n A B : dims m n A -> dims m n B -> dims m n (addz A B).
Proof. by apply: dims_zip => u v; exact: size_add_rows. Qed.
Lemma dims_subz m n A B : dims m n A -> dims m n B -> dims m n (subz A B).
Proof. by apply: dims_zip => u v; exact: size_sub_rows. Qed.
Lemma dims_scalez m n c A : dims m n A -> dims m n (scalez c A).
Proof.
case/andP => mA /allP An; rewrite /dims size_map mA; apply/allP => _ /mapP[r rA ->].
by rewrite size_scale_row An.
Qed.

Lemma mx_addz m n A B q : dims m n A -> dims m n B ->
  mx m n (addz A B) q = mx m n A q + mx m n B q.
Proof.
move=> dA dB; apply/matrixP => i j; rewrite !mxE /ent (@nth_zip_rows _ m) ?(dims_size dA) ?(dims_size dB) //.
by rewrite nth_add_rows ?mulrDl // (dims_row dA) // (dims_row dB).
Qed.

Lemma mx_subz m n A B q : dims m n A -> dims m n B ->
  mx m n (subz A B) q = mx m n A q - mx m n B q.
Proof.
move=> dA dB; apply/matrixP => i j; rewrite !mxE /ent (@nth_zip_rows _ m) ?(dims_size dA) ?(dims_size dB) //.
by rewrite nth_sub_rows ?mulrBl // (dims_row dA) // (dims_row dB).
Qed.

Lemma ent_scalez c A i j : ent (scalez c A) i j = zF c * ent A i j.
Proof.
rewrite /ent; have [h|h] := ltnP i (size A); first by rewrite (nth_map [::]) // nth_scale_row.
by rewrite !(nth_default [::]) ?size_map // nth_nil mulr0.
Qed.

(* Two readings of c A: the matrix A at a finer denominator, and the multiple c A. *)
Lemma mx_scalez m n c A q : (0 <? c)%Z -> mx m n (scalez c A) (c * q)%Z = mx m n A q.
Proof.
move=> /zF_gt0 c0; apply/matrixP => i j; rewrite !mxE ent_scalez zFM invfM mulrACA.
by rewrite mulfV ?gt_eqF // mul1r.
Qed.

Lemma mx_scalezE m n c A q : mx m n (scalez c A) q = zF c *: mx m n A q.
Proof. by apply/matrixP => i j; rewrite !mxE ent_scalez mulrA. Qed.

Lemma nth_comb n a B j (k : nat) : size a = k -> size B = k -> all (fun r => size r == n) B ->
  zF (nth Z0 (comb n a B) j) = \sum_(l < k) zF (nth Z0 a l) * ent B l j.
Proof.
elim: a B k => [|x a IH] [|r B] [|k] //=.
  by move=> _ _ _; rewrite big_ord0 nth_nseq; case: ifP.
move=> [ea] [eb] /andP[/eqP rn Bn]; rewrite nth_add_rows ?size_scale_row ?size_comb //.
by rewrite big_ord_recl nth_scale_row (IH B k).
Qed.

Lemma dims_mulz m k n A B : dims m k A -> dims k n B -> dims m n (mulz n A B).
Proof.
case/andP => mA _ /andP[_ Bn]; rewrite mulzE // /dims size_map mA; apply/allP => _ /mapP[a _ ->].
by rewrite size_comb.
Qed.

Lemma mx_mulz m k n A B qa qb : dims m k A -> dims k n B ->
  mx m n (mulz n A B) (qa * qb)%Z = mx m k A qa *m mx k n B qb.
Proof.
move=> dA dB; have /andP[/eqP kB Bn] := dB; rewrite mulzE //; apply/matrixP => i j.
rewrite !mxE /ent (nth_map [::]) ?(dims_size dA) // (@nth_comb _ _ _ _ k) ?(dims_row dA) //.
by rewrite mulr_suml; apply: eq_bigr => l _; rewrite !mxE zFM invfM mulrACA.
Qed.

Lemma dims_trz m n A : dims m n A -> dims n m (trz n A).
Proof.
rewrite /dims; elim: A m => [|r A IH] [|m] //=; first by rewrite size_nseq eqxx all_nseq orbT.
rewrite eqSS => /and3P[mA rn An]; have /andP[] := IH m (introT andP (conj mA An)).
rewrite -/(trz _ _) -(eqP rn) => {rn IH mA An} e; move: e.
elim: r (trz _ _) => [|x r IHr] [|s T] //=; rewrite !eqSS => rT /andP[/eqP -> hT].
by rewrite eqxx /=; exact: IHr.
Qed.

Lemma nth_trz m n A i j : dims m n A -> (i < m)%N -> (j < n)%N ->
  nth Z0 (nth [::] (trz n A) j) i = nth Z0 (nth [::] A i) j.
Proof.
have cc r T l : (l < size r)%N -> size r = size T ->
    nth [::] (cons_column r T) l = nth Z0 r l :: nth [::] T l.
  by elim: r T l => [|x r IH] [|s T] [|l] //= lr [e]; apply: IH.
elim: A m i => [|r A IH] [|m] i // dA im jn; have /andP[/= mA /andP[/eqP rn An]] := dA.
have dA' : dims m n A by rewrite /dims An andbT.
rewrite /trz /= -/(trz n A) cc ?rn ?(dims_size (dims_trz dA')) //.
by case: i im => // i im; apply: (IH m).
Qed.

Lemma mx_trz m n A q : dims m n A -> mx n m (trz n A) q = (mx m n A q)^T.
Proof. by move=> dA; apply/matrixP => i j; rewrite !mxE /ent (nth_trz dA). Qed.

Lemma zF_rowsum n r : size r = n -> zF (rowsum r) = \sum_(j < n) `|zF (nth Z0 r j)|.
Proof.
elim: r n => [|x r IH] [|n] //= => [_|[e]]; first by rewrite big_ord0.
by rewrite big_ord_recl zFD zF_abs (IH n).
Qed.

Lemma zF_zmax n l : size l = n -> zF (zmax l) = \big[Num.max/0]_(i < n) zF (nth Z0 l i).
Proof.
elim: l n => [|x l IH] [|n] //= => [_|[e]]; first by rewrite big_ord0.
by rewrite big_ord_recl zF_max (IH n).
Qed.

Lemma zF_dotz n u v : size u = n -> size v = n ->
  zF (dotz u v) = \sum_(j < n) zF (nth Z0 u j) * zF (nth Z0 v j).
Proof.
elim: u v n => [|x u IH] [|y v] [|n] //= => [_ _|[eu] [ev]]; first by rewrite big_ord0.
by rewrite dotz_cons big_ord_recl zFD zFM (IH v n).
Qed.

Lemma rnorm_mx m n A q : dims m n A -> (0 <? q)%Z -> rnorm (mx m n A q) = zF (normz A) / zF q.
Proof.
move=> dA /zF_gt0 q0; have qi : 0 <= (zF q)^-1 by rewrite invr_ge0 ltW.
rewrite /normz (@zF_zmax m) ?size_map ?(dims_size dA) // /rnorm.
elim/big_ind2: _ => [|x x' y y' -> ->|i _]; rewrite ?mul0r ?maxr_pmull //.
rewrite (nth_map [::]) ?(dims_size dA) // (@zF_rowsum n) ?(dims_row dA) // mulr_suml.
by apply: eq_bigr => j _; rewrite mxE normrM (ger0_norm qi).
Qed.

Lemma dims_rowsz m n k I A : dims m n A -> size I = k -> all (fun i => i < m)%N I -> dims k n (rowsz I A).
Proof.
move=> dA <- /allP Im; rewrite /dims size_map eqxx; apply/allP => _ /mapP[i iI ->].
by rewrite (dims_row dA) // Im.
Qed.

Lemma ent_rowsz I A i j : (i < size I)%N -> ent (rowsz I A) i j = ent A (nth 0%N I i) j.
Proof. by move=> h; rewrite /ent (nth_map 0%N). Qed.

Lemma ent0 A i j : ent A i j = 0 <-> nth Z0 (nth [::] A i) j = Z0.
Proof.
rewrite /ent; split=> [|->] //; case: (nth Z0 _ j) => // p h; exfalso.
  by have := @zF_gt0 (Z.pos p) isT; rewrite h ltxx.
by have := @zF_gt0 (Z.pos p) isT; rewrite -[Z.pos p]/(Z.opp (Z.neg p)) zFN h oppr0 ltxx.
Qed.

End Meaning.

Arguments zF_ge0 F [x] _.
Arguments zF_gt0 F [x] _.
Arguments zF_le F [x y] _.
Arguments zF_lt F [x y] _.

(* The lemmas above are all that is needed of these; to unfold them makes unification explode. *)
Global Opaque mulz dotz.
