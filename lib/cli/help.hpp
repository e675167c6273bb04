#pragma once
/// \file help.hpp  The longer help texts, which teach by examples.

namespace rankcert::cli {

inline constexpr const char* kAbout =
    "rankcert proves how low the rank of softmax attention can be made.\n"
    "\n"
    "For an attention matrix A and a tolerance ε, r_ε(A) is the least rank of any real matrix B\n"
    "with Σ_j |A_ij − B_ij| ≤ ε in every row i. rankcert proves L ≤ r_ε(A) ≤ U, and writes a\n"
    "certificate that holds a witness for each side, to be checked again by anyone.\n";

inline constexpr const char* kMainExamples =
    "Examples:\n"
    "  rankcert bracket heads.safetensors --epsilon 1/4 -o proofs     prove brackets of all heads\n"
    "  rankcert check proofs/*.cert.safetensors                       prove them again, exactly\n"
    "  rankcert info heads.safetensors                                see what a file holds\n"
    "  rankcert bracket --help                                        read on\n"
    "\n"
    "Exit codes: 0 proved, 1 refuted, 2 undecided, 3 bad input, 4 internal fault,\n"
    "130 or 143 stopped by Ctrl-C or a termination request.";

inline constexpr const char* kBracketAbout =
    "Prove L ≤ r_ε(A) ≤ U for attention heads and write one certificate for each.\n"
    "\n"
    "A head is a query Q and a key K; A = softmax(scale · Q Kᵀ), row by row over the keys that the\n"
    "mask leaves visible. Where L < U the answer is that interval. Search proposes, a checker proves:\n"
    "every number printed here was proved.\n";

inline constexpr const char* kBracketExamples =
    "Examples:\n"
    "  rankcert bracket heads.safetensors --epsilon 1/4,0.15 -o proofs\n"
    "      every head of the file (tensors NAME.q and NAME.k), at two tolerances, taken exactly;\n"
    "      scale and mask come from the file's metadata (\"beta\", \"mask\")\n"
    "  rankcert bracket heads.safetensors --head layer2.head1 --epsilon 1/4 --effort thorough -v\n"
    "      one head, searched for longer, with the methods that proved each side\n"
    "  rankcert bracket --query Q.npy --key K.npy --scale '1/sqrt(d)' --mask causal --epsilon 0.1\n"
    "      a head of your own\n"
    "  rankcert bracket heads.safetensors --epsilon 1/4 --mask M.npy --mask-kind additive\n"
    "      with biases on the logits, such as ALiBi's; a bias of -infinity hides the key\n"
    "  rankcert bracket heads.safetensors --epsilon 1/4 --beta-multiplier 1/2,1,1/2..2\n"
    "      at half the temperature factor, at the factor itself, and one bracket that holds for\n"
    "      every factor from 1/2 to 2\n"
    "  rankcert bracket heads.safetensors --epsilon 1/4 --rounded-from bfloat16\n"
    "      a bracket that holds for all real Q, K that round to the given ones in bfloat16\n"
    "  rankcert bracket --matrix A.npy --epsilon 1/3\n"
    "      any matrix, taken exactly as it stands; its rows need not sum to one\n"
    "\n"
    "In the folder: NAME.cert.safetensors for each head, brackets.jsonl and brackets.csv with all\n"
    "brackets. The same command again goes on where a stopped one ended: a certificate that is about\n"
    "the same head, covers the tolerances and was searched for as long is checked again, not made again.\n"
    "\n"
    "--json prints one object a line and cell, with the keys file, head, n, beta_multiplier, epsilon, "
    "lower,\n"
    "upper, lower_method, upper_method, verdict, rho, seconds, certificate. rho bounds the distance of A "
    "from\n"
    "the exact matrix in the certificate.";

inline constexpr const char* kCheckAbout =
    "Prove the claims of certificates again, from the certificates alone.\n"
    "\n"
    "Nothing that a certificate says of its own truth is believed. Level exact computes in integers and\n"
    "directed multiprecision; level fast in float64 with proved error bounds, and never refutes. Level\n"
    "formal hands the exact numbers to rankcert-formal, a checker that is extracted from a proof in Coq of\n"
    "its soundness (make -C proofs/coq builds it), and says what is proved and what must be trusted. Where "
    "a\n"
    "witness has no formal theorem (row cycles), the claim is undecided there unless other witnesses prove\n"
    "it, and the best bracket that is formally proved is printed.\n";

inline constexpr const char* kCheckExamples =
    "Examples:\n"
    "  rankcert check proofs/layer2.head1.cert.safetensors\n"
    "  rankcert check proofs/*.cert.safetensors --input heads.safetensors --level fast\n"
    "      also makes sure that Q and K are those of the file (its SHA-256 and the numbers)\n"
    "  rankcert check proofs/Q.cert.safetensors --input Q.npy --input K.npy --input M.npy\n"
    "      the same where query, key and mask came in files of their own\n"
    "  rankcert check proofs/layer2.head1.cert.safetensors --level formal\n"
    "      by the formally verified checker\n"
    "\n"
    "A claim is proved, refuted (its witness does not prove it) or undecided. The exit code is the worst "
    "over\n"
    "all claims and files: 4 internal fault, 3 malformed file, 1 refuted, 2 undecided, 0 all proved.\n"
    "\n"
    "--json prints one object a line and claim, with the keys certificate, level, verdict, lower, upper,\n"
    "epsilon, reason; lower and upper are what was proved now, else null. At level formal they are the best\n"
    "bounds that are proved, whatever was claimed, and matrix_sha256 names the matrix.";

inline constexpr const char* kInfoAbout =
    "Show what a file holds: heads, tensors, shapes, first values, hashes; for a certificate its statement.\n"
    "Nothing is proved here.\n";

inline constexpr const char* kInfoExamples =
    "Examples:\n"
    "  rankcert info heads.safetensors\n"
    "  rankcert info proofs/layer2.head1.cert.safetensors\n"
    "  rankcert info Q.npy --json";

inline constexpr const char* kCompletionExamples =
    "Examples:\n"
    "  rankcert completion bash > ~/.local/share/bash-completion/completions/rankcert\n"
    "  rankcert completion zsh  > ~/.zfunc/_rankcert      (with ~/.zfunc in fpath)\n"
    "  rankcert completion fish > ~/.config/fish/completions/rankcert.fish";

}  // namespace rankcert::cli
