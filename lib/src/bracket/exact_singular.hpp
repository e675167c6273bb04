#pragma once
/// \file exact_singular.hpp  The nearest singular matrix in rational numbers: where even the last bit
/// decides.

#include <optional>

#include "rankcert/certificate/witness.hpp"

namespace rankcert::detail {

/// For a small square invertible matrix: factors of rank n − 1 whose distance from it is 1/‖a⁻¹‖, exactly: no
/// other singular matrix is nearer. Nothing where a is singular or not square. Cost: n³ operations with
/// rational numbers that grow to about n times the bits of a.
[[nodiscard]] std::optional<FactorWitness> propose_exact_nearest_singular(const ExactMatrix& a);

}  // namespace rankcert::detail
