#pragma once
/// \file bundle.hpp  The certificate file: one subject, several claims, the witnesses that prove them.
///
/// Normative description: lib/docs/certificate-format.md.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "rankcert/certificate/checker.hpp"

namespace rankcert {

/// Where the subject came from. Informative, but for the hashes, which `check --input` compares.
struct InputReference {
    std::string file;                           ///< name without folders
    std::string file_sha256;                    ///< of the whole file; empty where there is no one file
    std::map<std::string, std::string> tensors; ///< role ("query", "key", "matrix", "mask") → tensor name
    std::string head;                           ///< "layer2.head1", or empty
};

/// L ≤ r_ε(A) ≤ U as claimed, with the witness of each side (indices into Bundle's lists; −1 = side not claimed).
struct Claim {
    Rational epsilon;
    Index lower = 0;
    Index upper = 0;
    int lower_witness = -1;
    int upper_witness = -1;
    std::optional<TopKBudget> top_k;  ///< as claimed
};

struct Bundle {
    Subject subject;
    NumberFormat format = NumberFormat::float64;  ///< of Q and K, or of the matrix, in the input
    InputReference input;
    std::vector<LowerWitness> lower_witnesses;
    std::vector<UpperWitness> upper_witnesses;
    std::vector<Claim> claims;
};

/// Written to a temporary name beside `path` and renamed. Throws Error where the disk refuses.
void write_bundle(const Bundle& bundle, const std::filesystem::path& path);

/// Throws Error (one sentence) on anything that is not exactly a well-formed certificate: memory-safe and bounded
/// on hostile files.
[[nodiscard]] Bundle read_bundle(const std::filesystem::path& path);

/// What a checker says of one claim.
struct ClaimVerdict {
    Rational epsilon;
    Decision decision = Decision::undecided;
    std::optional<Proved<RankAtLeast>> lower;
    std::optional<Proved<RankAtMost>> upper;
    std::optional<Proved<TopKBudget>> top_k;
    std::string reason;
};

/// One verdict a claim. A claim is proved where each side that it names is proved with the rank that it names.
[[nodiscard]] std::vector<ClaimVerdict> check(const Bundle& bundle, Level level);

/// Throws Error where `file` is not the input that the bundle names: its hash, or the tensors' values, differ.
void require_input(const Bundle& bundle, const std::filesystem::path& file);

}  // namespace rankcert
