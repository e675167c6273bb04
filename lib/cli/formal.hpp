#pragma once
/// \file formal.hpp  The formal level: the program rankcert-formal, asked and understood.

#include <optional>
#include <string>
#include <vector>

#include "rankcert/certificate/formal.hpp"

namespace rankcert::cli {

/// What is proved of one claim at the formal level.
struct FormalVerdict {
    Decision decision = Decision::undecided;
    /// The best bounds that rankcert-formal has proved at this ε, whatever was claimed.
    Index lower = 0;
    Index upper = 0;
    std::string lower_method;  ///< "none" where the bound needs no witness
    std::string upper_method;
    std::string reason;
};

/// What is proved of one certificate.
struct FormalReport {
    std::vector<FormalVerdict> verdicts;  ///< one a claim
    std::vector<ClaimVerdict> exact;      ///< the exact level's, for ε and ρ
    std::string matrix_sha256;            ///< empty where the certificate is beyond a limit
};

/// The path of rankcert-formal: `option` where it is not empty, else $RANKCERT_FORMAL, else beside this
/// program, else on the PATH. Throws Error, one sentence that says what to do, where there is none.
[[nodiscard]] std::string find_formal_checker(const std::string& option);

/// Asks `program`. A claim is proved where the exact level proves it and rankcert-formal proves its bounds
/// too, by any witnesses of the certificate and the rules; refuted where the exact level refutes it; else
/// undecided. Throws Error on a certificate that is not well formed, std::runtime_error where the program
/// fails, answers nonsense, or contradicts the exact level.
[[nodiscard]] FormalReport check_formally(const Bundle& bundle, const std::string& program);

/// For which A the brackets are proved, in words.
[[nodiscard]] std::string formal_statement(const Bundle& bundle, const FormalReport& report);
/// What one must believe for it.
[[nodiscard]] std::string formal_trust(const Bundle& bundle);

}  // namespace rankcert::cli
