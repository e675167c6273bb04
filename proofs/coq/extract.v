(* Extraction of the checker of formal.v to OCaml, with Zarith's integers.

   Trusted here: Coq's extraction, the standard mapping of Z to Zarith (ExtrOcamlZBigInt) and of nat to int
   (ExtrOcamlNatInt; the reader bounds every size, so that no int can overflow), and the mappings below,
   which only replace slow definitions by the library functions that they define. *)
From Coq Require Import ZArith Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZBigInt.
From mathcomp Require Import all_ssreflect.
Require Import formal.
Extraction Language OCaml.

Extract Constant Z.ltb => "Big_int_Z.lt_big_int".
Extract Constant Z.leb => "Big_int_Z.le_big_int".
Extract Constant Z.of_nat => "Big_int_Z.big_int_of_int".
Extract Constant Z.gcd => "Big_int_Z.gcd_big_int".
Extract Constant Z.lcm => "Big_int_Z.(fun x y ->
  if sign_big_int x = 0 || sign_big_int y = 0 then zero_big_int
  else abs_big_int (mult_big_int x (div_big_int y (gcd_big_int x y))))".
Extract Constant Z.log2 => "Big_int_Z.(fun x ->
  if sign_big_int x <= 0 then zero_big_int else big_int_of_int (Z.numbits x - 1))".
Extract Constant eqn => "(fun (x : int) (y : int) -> x = y)".
Extract Constant leq => "(fun (x : int) (y : int) -> x <= y)".
Extract Constant subn => "(fun x y -> Stdlib.max 0 (x - y))".

Extraction "checker.ml" well_formed measure_witness proves bracket.
