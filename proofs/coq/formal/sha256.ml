(* SHA-256 (FIPS 180-4), fed line by line. Words are ints kept below 2^32. *)

let k =
  [| 0x428a2f98; 0x71374491; 0xb5c0fbcf; 0xe9b5dba5; 0x3956c25b; 0x59f111f1; 0x923f82a4; 0xab1c5ed5;
     0xd807aa98; 0x12835b01; 0x243185be; 0x550c7dc3; 0x72be5d74; 0x80deb1fe; 0x9bdc06a7; 0xc19bf174;
     0xe49b69c1; 0xefbe4786; 0x0fc19dc6; 0x240ca1cc; 0x2de92c6f; 0x4a7484aa; 0x5cb0a9dc; 0x76f988da;
     0x983e5152; 0xa831c66d; 0xb00327c8; 0xbf597fc7; 0xc6e00bf3; 0xd5a79147; 0x06ca6351; 0x14292967;
     0x27b70a85; 0x2e1b2138; 0x4d2c6dfc; 0x53380d13; 0x650a7354; 0x766a0abb; 0x81c2c92e; 0x92722c85;
     0xa2bfe8a1; 0xa81a664b; 0xc24b8b70; 0xc76c51a3; 0xd192e819; 0xd6990624; 0xf40e3585; 0x106aa070;
     0x19a4c116; 0x1e376c08; 0x2748774c; 0x34b0bcb5; 0x391c0cb3; 0x4ed8aa4a; 0x5b9cca4f; 0x682e6ff3;
     0x748f82ee; 0x78a5636f; 0x84c87814; 0x8cc70208; 0x90befffa; 0xa4506ceb; 0xbef9a3f7; 0xc67178f2 |]

type t = { state : int array; block : Bytes.t; mutable filled : int; mutable length : int; w : int array }

let create () =
  { state = [| 0x6a09e667; 0xbb67ae85; 0x3c6ef372; 0xa54ff53a; 0x510e527f; 0x9b05688c; 0x1f83d9ab; 0x5be0cd19 |];
    block = Bytes.create 64; filled = 0; length = 0; w = Array.make 64 0 }

let mask = 0xffffffff
let rotate x n = ((x lsr n) lor (x lsl (32 - n))) land mask

let compress t =
  let w = t.w and s = t.state in
  for i = 0 to 15 do
    w.(i) <- Int32.to_int (Bytes.get_int32_be t.block (4 * i)) land mask
  done;
  for i = 16 to 63 do
    let a = w.(i - 15) and b = w.(i - 2) in
    let s0 = rotate a 7 lxor rotate a 18 lxor (a lsr 3) in
    let s1 = rotate b 17 lxor rotate b 19 lxor (b lsr 10) in
    w.(i) <- (w.(i - 16) + s0 + w.(i - 7) + s1) land mask
  done;
  let rec round i a b c d e f g h =
    if i = 64 then begin
      List.iteri (fun j x -> s.(j) <- (s.(j) + x) land mask) [ a; b; c; d; e; f; g; h ]
    end else begin
      let s1 = rotate e 6 lxor rotate e 11 lxor rotate e 25 in
      let ch = (e land f) lxor (lnot e land mask land g) in
      let t1 = h + s1 + ch + k.(i) + w.(i) in
      let s0 = rotate a 2 lxor rotate a 13 lxor rotate a 22 in
      let maj = (a land b) lxor (a land c) lxor (b land c) in
      round (i + 1) ((t1 + s0 + maj) land mask) a b c ((d + t1) land mask) e f g
    end in
  round 0 s.(0) s.(1) s.(2) s.(3) s.(4) s.(5) s.(6) s.(7)

let rec add_substring t text pos len =
  let n = min len (64 - t.filled) in
  Bytes.blit_string text pos t.block t.filled n;
  t.filled <- t.filled + n;
  t.length <- t.length + n;
  if t.filled = 64 then begin
    compress t;
    t.filled <- 0
  end;
  if len > n then add_substring t text (pos + n) (len - n)

let add t text = if text <> "" then add_substring t text 0 (String.length text)

let hex t =
  let bits = 8 * t.length in
  add t "\x80";
  while t.filled <> 56 do add t "\x00" done;
  let tail = Bytes.create 8 in
  Bytes.set_int64_be tail 0 (Int64.of_int bits);
  add t (Bytes.to_string tail);
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08x") t.state))
