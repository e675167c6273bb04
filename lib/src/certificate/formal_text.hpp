#pragma once
/// \file formal_text.hpp  The writer of proofs/coq/formal/format.md.

#include "rankcert/certificate/formal.hpp"

namespace rankcert::detail {

/// The witnesses for which `use_lower` and `use_upper` hold, if there is a formal theorem for their kind, and
/// all rules. Precondition: the bundle is well formed; rho ≥ ‖A − Ã‖ for every member A of its subject.
[[nodiscard]] FormalText write_formal_text(const Bundle& bundle, const Rational& rho,
                                           const std::vector<bool>& use_lower,
                                           const std::vector<bool>& use_upper);

}  // namespace rankcert::detail
