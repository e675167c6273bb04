#pragma once
/// \file report.hpp  All that a checker says of one certificate file, as text and for comparison.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "rankcert/certificate/bundle.hpp"

namespace rankcert::tests {

/// The decision on one side of a claim, on its top-k budget, or on the whole claim.
struct Row {
    std::string label;  ///< "claim 3 upper"
    Decision decision = Decision::undecided;
    Index rank = 0;  ///< where proved: the bound that was proved
};

struct Report {
    /// One line a witness and one a row, each beginning with the file's name, every number with all its
    /// digits; the reasons as one hash.
    std::string text;
    std::vector<Row> rows;
    /// Measures: the larger one of these is, the less is proved ("lower 0 residual", "upper 2 error", "rho").
    std::map<std::string, Rational> costs;
    /// The smaller one of these is, the less is proved ("lower 1 tail").
    std::map<std::string, Rational> gains;
};

/// Never throws: what is thrown becomes a line of the text, without rows.
[[nodiscard]] Report report(const std::filesystem::path& certificate, Level level);

/// The certificate files of a folder (NAME.cert.safetensors), sorted by name.
[[nodiscard]] std::vector<std::filesystem::path> certificates_in(const std::filesystem::path& folder);

/// "proved", "refuted", "undecided" or "open" for each claim: what the maker of the file expected of the
/// exact checker ("open": nothing in particular).
[[nodiscard]] std::vector<std::string> expected_of(const Bundle& bundle);

/// "0x3p-4" for 3/16; "0x1/0x3" where the denominator is no power of two.
[[nodiscard]] std::string exact_digits(const Rational& value);

}  // namespace rankcert::tests
