#pragma once
/// \file formal.hpp  A certificate as the formally verified checker reads it.
///
/// The program rankcert-formal is extracted from proofs/coq, where `bracket_sound` is proved of it. It reads
/// the text form of proofs/coq/formal/format.md. The writer here is trusted: what is proved, is proved of the
/// matrix, ρ and family that stand in the text.
///
/// Not covered by a formal theorem: row cycles, exact ranks, the distinct rows of a head by its logits, the
/// top-k budget, and that ρ bounds ‖A − Ã‖.

#include <string>
#include <vector>

#include "rankcert/certificate/bundle.hpp"

namespace rankcert {

/// A certificate's matrix, family, ρ, witnesses and claims as text.
struct FormalText {
    std::string text;
    bool is_too_long = false;           ///< beyond the format's limit: then there is nothing else here
    std::string matrix_sha256;          ///< of the part of the text that is Ã
    std::string rho;                    ///< "P Q" as it stands in the text
    std::vector<std::string> epsilons;  ///< likewise, one a claim
    /// What is called witness 1, 2, … there: the witnesses of the certificate that have a formal theorem, and
    /// every rule, which needs no numbers.
    std::vector<std::string> methods;
    /// The number of each of the certificate's witnesses there; 0 where it has been left out.
    std::vector<int> lower_number;
    std::vector<int> upper_number;
};

/// What the exact checker says of a certificate, with the text that puts the same to the formal one.
struct FormalRequest {
    std::vector<ClaimVerdict> exact;
    FormalText formal;
};

/// Checks the bundle exactly, and writes the text with the ρ that the exact checker had at the end. Witnesses
/// that are too much work for the exact checker are left out. Throws Error as check does.
[[nodiscard]] FormalRequest request_formal_check(const Bundle& bundle);

/// Whether a formal theorem says of a witness of this kind what the exact checker does.
[[nodiscard]] bool has_formal_theorem(const LowerWitness& witness);
[[nodiscard]] bool has_formal_theorem(const UpperWitness& witness, const Subject& subject);

}  // namespace rankcert
