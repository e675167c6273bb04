#pragma once
/// \file describe.hpp  A certificate's statement in words.

#include <string>
#include <vector>

#include "rankcert/certificate/bundle.hpp"

namespace rankcert::cli {

/// What the ranks are of: the operator with its sizes, scale, mask and family; a line each.
[[nodiscard]] std::vector<std::string> describe_subject(const Bundle& bundle);

/// "layer2.head1 of heads.safetensors", or the file alone.
[[nodiscard]] std::string describe_origin(const InputReference& input);

/// What r_ε(A) means, in a sentence.
[[nodiscard]] std::string meaning_of_rank();

/// "1/2", "1/2..2".
[[nodiscard]] std::string multiplier_text(const Head& head);

/// The bracket that a claim claims.
[[nodiscard]] std::string claim_text(const Claim& claim);

}  // namespace rankcert::cli
