#pragma once
/// \file eckart_young_witness.hpp  From a weighting and grouping to a witness that products can check.

#include "eckart_young_tail.hpp"
#include "rankcert/certificate/witness.hpp"

namespace rankcert::search {

/// The product form of tail_r(diag(s) a G) > tolerance², r = bound − 1, everything on the coarsest grid of a
/// short list on which it holds by estimate; nothing where it does on none.
[[nodiscard]] std::optional<EckartYoungWitness> round_grouping(const Matrix& a,
                                                               const WeightedGrouping& choice, Index bound,
                                                               double tolerance);

}  // namespace rankcert::search
