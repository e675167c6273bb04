(* rankcert-formal: reads certificates in the form of format.md, runs the checker that is extracted from
   proofs/coq/formal.v, and says what it proved. Everything that decides is in the extracted code; this file
   reads, hashes and prints. *)

exception Malformed of int * string
exception Too_large of int * string

(* ---- bounded reading ---- *)

let max_input = 1 lsl 30
let max_line = 1 lsl 27
let max_digits = 1 lsl 17
let max_size = 1 lsl 14
let max_entries = 1 lsl 24
let max_witnesses = 1 lsl 16
let max_decisions = 1 lsl 24 (* witnesses times claims *)
let max_words = max_size + 8
let max_bits = 1 lsl 34 (* in a matrix that comes up while a witness is measured *)

type source = { channel : in_channel; mutable line : int; mutable taken : int; buffer : Buffer.t }

let fail source message = raise (Malformed (source.line, message))
(* For what is well formed but beyond a limit of this program. *)
let too_large source message = raise (Too_large (source.line, message))

(* The next line without its newline, which must be there. *)
let next_line s =
  Buffer.clear s.buffer;
  s.line <- s.line + 1;
  let rec go () =
    match input_char s.channel with
    | exception End_of_file -> fail s "the file ends too early"
    | '\n' -> ()
    | c ->
      if Buffer.length s.buffer >= max_line then too_large s "the line is too long";
      Buffer.add_char s.buffer c;
      go () in
  go ();
  s.taken <- s.taken + Buffer.length s.buffer + 1;
  if s.taken > max_input then too_large s "the file is too long";
  Buffer.contents s.buffer

(* The words of a line: single spaces between them, none at its ends; an empty line has none. *)
let words s text =
  if text = "" then [] else
  let spaces = ref 0 in
  String.iter (fun c -> if c = ' ' then incr spaces) text;
  if !spaces >= max_words then fail s "there are too many words";
  let list = String.split_on_char ' ' text in
  if List.mem "" list then fail s "a space too many";
  list

(* A size or an index: decimal digits, no leading zero. *)
let natural s limit word =
  let n = String.length word in
  if n = 0 || (n > 1 && word.[0] = '0') then fail s "not a size: a decimal number without leading zeros is needed";
  String.iter (fun c -> if c < '0' || c > '9' then fail s "not a size: decimal digits are needed") word;
  if n > 9 || int_of_string word > limit then too_large s (Printf.sprintf "%s is beyond the limit %d" word limit);
  int_of_string word

(* An integer: an optional minus sign and lower-case hexadecimal digits, no leading zero, no -0. *)
let integer s word =
  let n = String.length word in
  let start = if n > 0 && word.[0] = '-' then 1 else 0 in
  let digits = n - start in
  if digits = 0 then fail s "not an integer: hexadecimal digits are needed";
  if digits > max_digits then too_large s "the integer is too long";
  if word.[start] = '0' && (digits > 1 || start = 1) then fail s "not an integer: a leading zero, or -0";
  let short = ref 0 in
  for i = start to n - 1 do
    let c = word.[i] in
    let d =
      if c >= '0' && c <= '9' then Char.code c - 48
      else if c >= 'a' && c <= 'f' then Char.code c - 87
      else fail s "not an integer: lower-case hexadecimal digits are needed" in
    if digits <= 15 then short := (!short lsl 4) lor d
  done;
  let value = if digits <= 15 then Z.of_int !short else Z.of_substring_base 16 word ~pos:start ~len:digits in
  if start = 1 then Z.neg value else value

let positive s word =
  let value = integer s word in
  if Z.sign value <= 0 then fail s "a positive integer is needed";
  value

let count s n list what =
  if List.compare_length_with list n <> 0 then fail s (Printf.sprintf "%d %s are needed" n what);
  list

let rec times n f = if n = 0 then [] else let x = f () in x :: times (n - 1) f

(* ---- matrices ---- *)

type matrix = { rows : int; cols : int; denominator : Z.t; entries : Z.t list list }

(* `name rows cols denominator` and a line for each row; `seen` is told each line. *)
let matrix ?(seen = ignore) s name =
  let text = next_line s in
  match words s text with
  | [ word; rows; cols; denominator ] when word = name ->
    seen text;
    let rows = natural s max_size rows and cols = natural s max_size cols in
    if rows * cols > max_entries then too_large s "the matrix has too many entries";
    let denominator = positive s denominator in
    let entries = times rows (fun () ->
      let text = next_line s in
      seen text;
      count s cols (List.map (integer s) (words s text)) "integers") in
    { rows; cols; denominator; entries }
  | _ -> fail s (Printf.sprintf "`%s ROWS COLS DENOMINATOR` is needed" name)

let matrix_of s name rows cols =
  let a = matrix s name in
  if (rows >= 0 && a.rows <> rows) || (cols >= 0 && a.cols <> cols) then
    fail s (Printf.sprintf "`%s` has the wrong shape" name);
  a

(* Ã itself: its text is the only one of these numbers, so that one matrix has one hash. *)
let centre s =
  let sha = Sha256.create () in
  let a = matrix s "matrix" ~seen:(fun line -> Sha256.add sha line; Sha256.add sha "\n") in
  if a.rows = 0 || a.cols = 0 then fail s "the matrix has no entries";
  let common = List.fold_left (List.fold_left (fun g x -> if Z.equal g Z.one then g else Z.gcd g x)) a.denominator a.entries in
  if not (Z.equal common Z.one) then fail s "the matrix and its denominator have a common divisor";
  (a, Sha256.hex sha)

(* Digits of the longest entry and of the denominator, in bits. *)
let bits a =
  let longest = List.fold_left (List.fold_left (fun b x -> max b (Z.numbits x))) 0 a.entries in
  longest + Z.numbits a.denominator

(* Refuses a witness that comes to a matrix of so many entries, with products of these matrices in them. *)
let bounded s entries matrices =
  let each = List.fold_left (fun sum a -> sum + bits a) 128 matrices in
  if entries > max_bits / each then too_large s "the witness needs numbers that are too long for its size"

(* ---- the parts of a file ---- *)

let rational s p q =
  let p = integer s p and q = positive s q in
  if Z.sign p < 0 then fail s "a number that is not negative is needed";
  (p, q)

(* The visible keys, and what to call them. *)
let visible s m n kind =
  let row f = List.init n f in
  let sha = Sha256.create () in
  let pattern = match kind with
  | "full" -> List.init m (fun _ -> row (fun _ -> true))
  | "bottom_right" ->
    if n < m then fail s "bottom_right needs as many keys as queries at least";
    List.init m (fun i -> row (fun j -> j <= i + n - m))
  | "top_left" -> List.init m (fun i -> row (fun j -> j <= i))
  | "listed" ->
    times m (fun () ->
      let text = next_line s in
      Sha256.add sha text;
      Sha256.add sha "\n";
      if String.length text <> n then fail s "a line of 0 and 1, one for each column, is needed";
      List.init n (fun j -> match text.[j] with '0' -> false | '1' -> true | _ -> fail s "0 or 1 is needed"))
  | _ -> fail s "full, bottom_right, top_left or listed is needed" in
  (pattern, if kind = "listed" then "lines of SHA-256 " ^ Sha256.hex sha else kind)

let indices s name limit n =
  match words s (next_line s) with
  | word :: rest when word = name -> List.map (natural s limit) (count s n rest "indices")
  | _ -> fail s (Printf.sprintf "`%s INDEX …` is needed" name)

let witness s (a : matrix) kind arguments =
  let m = a.rows and n = a.cols in
  match (kind, arguments) with
  | "fixed_space", [ k ] ->
    let k = natural s max_size k in
    let pivots = indices s "pivots" max_size k in
    let d = matrix_of s "basis" n k in
    let t = matrix_of s "inverse" n m in
    bounded s (max m n * k) [ a; d; t ];
    Checker.FixedSpace (k, d.entries, t.entries, d.denominator, t.denominator, pivots)
  | "neumann", [ k ] ->
    let k = natural s max_size k in
    let t = matrix_of s "selection" k m in
    let d = matrix_of s "decoder" n k in
    let r = matrix_of s "inverse" k k in
    bounded s (max m k * k) [ a; t; d; r ];
    Checker.Neumann (k, t.entries, d.entries, r.entries, t.denominator, d.denominator, r.denominator)
  | "eckart_young", [ side; r ] ->
    let of_rows = match side with "rows" -> true | "columns" -> false | _ -> fail s "rows or columns is needed" in
    let r = natural s max_size r in
    let weights = matrix_of s "row_weights" 1 m in
    let g = matrix_of s "grouping" n (-1) in
    let p = if of_rows then m else g.cols in
    let tau = matrix_of s "threshold" 1 1 in
    let l = matrix_of s "large_factor" p (-1) in
    let c = matrix_of s "small_factor" p (-1) in
    let all = [ a; weights; g; tau; l; c ] in
    bounded s (max (m * g.cols) (p * p)) (all @ all);
    Checker.EckartYoung
      (of_rows, g.cols, l.cols, c.cols, r, List.hd weights.entries, g.entries, l.entries, c.entries,
       List.hd (List.hd tau.entries), weights.denominator, g.denominator, l.denominator, c.denominator, tau.denominator)
  | "nonzero", [] -> Checker.Nonzero
  | "support", [] -> Checker.Support
  | "factors", [ r ] ->
    let r = natural s max_size r in
    let u = matrix_of s "left" m r in
    let v = matrix_of s "right" r n in
    bounded s (m * n) [ a; u; v ];
    Checker.Factors (r, u.entries, v.entries, u.denominator, v.denominator)
  | "representative_rows", [] -> Checker.RepresentativeRows (indices s "representatives" max_size m)
  | "zero", [] -> Checker.Zero
  | "shape", [] -> Checker.Shape
  | "distinct_rows", [] -> Checker.DistinctRows
  | _ -> fail s "there is no such kind of witness"

type claim = { num : Z.t; den : Z.t; lower : int option; upper : int option }

let claim s en ed lower upper =
  let num, den = rational s en ed in
  let bound word = if word = "-" then None else Some (natural s max_size word) in
  { num; den; lower = bound lower; upper = bound upper }

(* ---- printing ---- *)

let show_rational p q =
  let g = Z.gcd p q in
  let p = Z.divexact p g and q = Z.divexact q g in
  if Z.equal q Z.one then Z.to_string p else Z.to_string p ^ "/" ^ Z.to_string q

let show_measure = function
  | Checker.Lower (_, k, _) -> Printf.sprintf "accepted, a lower bound of %d where its condition holds" k
  | Checker.Upper (_, k, _, _) -> Printf.sprintf "accepted, an upper bound of %d where its condition holds" k
  | Checker.Nothing -> "rejected: it proves nothing at any ε"

(* The first witness that gives the bound, for the reader's eyes; 0 where none is needed. *)
let source_of problem measures c is_it =
  let rec go i = function
    | [] -> 0
    | x :: rest -> if is_it x && Checker.proves problem c.num c.den x then i else go (i + 1) rest in
  go 1 measures

let by = function 0 -> "" | i -> Printf.sprintf " (witness %d)" i

let check_claim problem measures c =
  let l, u = Checker.bracket problem measures c.num c.den in
  let by_lower = source_of problem measures c (function Checker.Lower (_, k, _) -> k = l | _ -> false) in
  let by_upper = source_of problem measures c (function Checker.Upper (_, k, _, _) -> k = u | _ -> false) in
  let ok = (match c.lower with None -> true | Some k -> k <= l) && (match c.upper with None -> true | Some k -> u <= k) in
  let asked = function None -> "-" | Some k -> string_of_int k in
  Printf.printf "claim ε = %s, asked %s and %s: %s, %d%s ≤ r_ε(A) ≤ %d%s\n" (show_rational c.num c.den)
    (asked c.lower) (asked c.upper) (if ok then "proved" else "NOT PROVED") l (by by_lower) u (by by_upper);
  (ok, l, u, by_lower, by_upper)

let run s =
  if next_line s <> "rankcert-formal 1" then fail s "`rankcert-formal 1` is needed: this is no such file, or one of another version";
  let promised = match words s (next_line s) with
    | [ "sha256"; hash ] -> hash
    | _ -> fail s "`sha256 HASH` is needed" in
  let a, hash = centre s in
  if hash <> promised then fail s ("the matrix has the SHA-256 " ^ hash ^ ", not the one that the file names");
  let rho_num, rho_den = match words s (next_line s) with
    | [ "rho"; p; q ] -> rational s p q
    | _ -> fail s "`rho P Q` is needed" in
  let members, which = match words s (next_line s) with
    | [ "subject"; "any" ] -> (Checker.AnyMatrix, "real matrix A")
    | [ "subject"; "softmax"; kind ] ->
      let pattern, name = visible s a.rows a.cols kind in
      (Checker.Softmax pattern, "matrix A of softmax rows with the given visible keys (" ^ name ^ ") and")
    | _ -> fail s "`subject any` or `subject softmax KIND` is needed" in
  let problem =
    { Checker.rows = a.rows; cols = a.cols; centre = a.entries; denominator = a.denominator; rho_num; rho_den; members } in
  if not (Checker.well_formed problem) then fail s "the problem is not well formed";
  Printf.printf "matrix %d×%d, SHA-256 %s\nρ = %s\n%!" a.rows a.cols hash (show_rational rho_num rho_den);
  (* A witness is measured as soon as it is read, and forgotten. *)
  let rec go i j measures claims =
    match words s (next_line s) with
    | "witness" :: kind :: arguments ->
      if i > max_witnesses then too_large s "there are too many witnesses";
      let x = Checker.measure_witness problem (witness s a kind arguments) in
      Printf.printf "witness %d %s: %s\n%!" i kind (show_measure x);
      go (i + 1) j (x :: measures) claims
    | [ "claim"; en; ed; lower; upper ] ->
      if j > max_witnesses then too_large s "there are too many claims";
      go i (j + 1) measures (claim s en ed lower upper :: claims)
    | [ "end" ] ->
      if (i - 1) * (j - 1) > max_decisions then too_large s "there are too many claims for so many witnesses";
      (List.rev measures, List.rev claims)
    | _ -> fail s "`witness KIND …`, `claim EPSILON_NUMERATOR EPSILON_DENOMINATOR L U` or `end` is needed" in
  let measures, claims = go 1 1 [] [] in
  (match input_char s.channel with
   | exception End_of_file -> ()
   | _ -> fail s "there is something after `end`");
  if claims = [] then fail s "there is no claim";
  let results = List.map (fun c -> (c, check_claim problem measures c)) claims in
  Printf.printf "Proved, by the theorem bracket_sound of proofs/coq/formal.v: for every %s with ‖A − Ã‖ ≤ ρ = %s, Ã the %d×%d matrix of SHA-256 %s,\n"
    which (show_rational rho_num rho_den) a.rows a.cols hash;
  List.iter (fun (c, (_, l, u, _, _)) -> Printf.printf "  %d ≤ r_ε(A) ≤ %d for ε = %s\n" l u (show_rational c.num c.den)) results;
  (* The same for a program. *)
  let hex = Z.format "%x" in
  Printf.printf "sha256 %s\nrho %s %s\n" hash (hex rho_num) (hex rho_den);
  List.iter (fun (c, (_, l, u, i, j)) -> Printf.printf "bracket %s %s %d %d %d %d\n" (hex c.num) (hex c.den) l u i j) results;
  print_string "end\n";
  if List.for_all (fun (_, (ok, _, _, _, _)) -> ok) results then 0 else 1

let () =
  let code =
    try
      let channel = match Sys.argv with
        | [| _ |] | [| _; "-" |] -> stdin
        | [| _; path |] when path <> "" && path.[0] <> '-' -> open_in_bin path
        | _ -> raise (Malformed (0, "usage: rankcert-formal [FILE], `-` or nothing for standard input")) in
      set_binary_mode_in channel true;
      run { channel; line = 0; taken = 0; buffer = Buffer.create 4096 }
    with
    | Malformed (line, message) ->
      Printf.eprintf "rankcert-formal: line %d: %s\n" line message;
      3
    | Too_large (line, message) ->
      Printf.eprintf "rankcert-formal: line %d: %s\n" line message;
      2
    | Sys_error message ->
      Printf.eprintf "rankcert-formal: %s\n" message;
      3
    | Stack_overflow | Out_of_memory ->
      prerr_endline "rankcert-formal: not enough memory for this certificate; nothing is proved or refuted";
      4
    | e ->
      prerr_endline ("rankcert-formal: internal error: " ^ Printexc.to_string e);
      4 in
  exit code
