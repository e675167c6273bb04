#pragma once
/// \file bundle.hpp  The certificate file: one subject, several claims, the witnesses that prove them.
///
/// Normative description: lib/docs/certificate-format.md.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rankcert/certificate/checker.hpp"

namespace rankcert {

/// Where the subject came from. Informative, but for the hashes, which `check --input` compares.
struct InputReference {
    std::string file;                            ///< name without folders
    std::string file_sha256;                     ///< of the whole file; empty where there is no one file
    std::map<std::string, std::string> tensors;  ///< role ("query", "key", "matrix", "mask") → tensor name
    std::string head;                            ///< "layer2.head1", or empty
    /// role → sha256(Tensor) of the tensor as it stood in the input (its own dtype). Roles may be left out.
    std::map<std::string, std::string> tensor_sha256;
    /// role → SHA-256 of the file that holds this role's tensor alone, where query, key or mask came as files
    /// of their own (then file_sha256 is empty). Roles may be left out.
    std::map<std::string, std::string> role_file_sha256;
};

/// L ≤ r_ε(A) ≤ U as claimed, with the witness of each side (indices into Bundle's lists; −1 = side not
/// claimed).
struct Claim {
    Rational epsilon;
    Index lower = 0;
    Index upper = 0;
    int lower_witness = -1;
    int upper_witness = -1;
    std::optional<TopKBudget> top_k;  ///< as claimed, for the same ε
};

struct Bundle {
    Subject subject;
    NumberFormat format = NumberFormat::float64;  ///< of Q and K, or of the matrix, in the input
    InputReference input;
    std::vector<LowerWitness> lower_witnesses;
    std::vector<UpperWitness> upper_witnesses;
    std::vector<Claim> claims;
    /// Texts for a reader (which tool, when, how long). Never believed, never used. The writer adds "tool".
    std::map<std::string, std::string> information;
};

/// The bytes of the certificate file. Throws Error where the bundle is not well formed (see parse_bundle) or
/// holds what the format has no place for: Q or K that are not numbers of `format`, exponents beyond the
/// format's limits.
[[nodiscard]] std::vector<std::byte> format_bundle(const Bundle& bundle);

/// Written to a temporary name beside `path` and renamed. Throws Error where the disk refuses.
void write_bundle(const Bundle& bundle, const std::filesystem::path& path);

/// Throws Error (one sentence that names `file`) on anything that is not exactly a well-formed certificate:
/// shapes and indices that do not fit, texts or matrices that are not in canonical form, unknown or missing
/// keys and tensors, a digest that differs. What it accepts is, byte for byte, what format_bundle makes of
/// the result. Memory-safe and bounded on hostile files. It judges no inequality: that is check's work.
[[nodiscard]] Bundle parse_bundle(std::span<const std::byte> bytes, const std::string& file);
[[nodiscard]] Bundle read_bundle(const std::filesystem::path& path);

/// What a checker says of one claim.
struct ClaimVerdict {
    Rational epsilon;
    Decision decision = Decision::undecided;
    std::optional<Proved<RankAtLeast>> lower;
    std::optional<Proved<RankAtMost>> upper;
    std::optional<Proved<TopKBudget>> top_k;
    std::string reason;
    /// The proved bound ρ ≥ ‖A − Ã‖ that the checker had at the end, the same for every claim; 0 for a matrix.
    Rational rho;
};

/// One verdict a claim. A claim is proved where each part that it names (lower, upper, top-k) is proved at
/// least as strongly as it says; refuted where a part is; else undecided. The proofs carry the checker's own
/// numbers, which may be stronger than the claim. Throws Error where the bundle is not well formed.
[[nodiscard]] std::vector<ClaimVerdict> check(const Bundle& bundle, Level level);

/// Throws Error where `file` is not the input that the bundle names, or one of them: its hash, where one is
/// recorded, or the tensors' values differ. Returns the roles whose values were compared: {"key", "query"} or
/// {"matrix"} for the one file that holds them, {"mask"} for a mask's own file, and, where no hash of one whole
/// file is recorded (query and key came as files of their own), those that `file` holds.
std::vector<std::string> require_input(const Bundle& bundle, const std::filesystem::path& file);

}  // namespace rankcert
