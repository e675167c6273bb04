#pragma once
// From a cycle in float64 to a witness.

#include "rankcert/certificate/witness.hpp"
#include "row_cycle_complex.hpp"

namespace rankcert::search {

/// The sets of the state's cycle with vectors on the coarsest grid of a short list that serves the tolerance,
/// by estimate; as few vectors as come of asking for each set whether an earlier vector serves it. Nothing
/// where a set's value is not above the tolerance.
[[nodiscard]] std::optional<RowCycleWitness> make_row_cycle(SetValues& values, const CycleFinder& finder,
                                                            const CycleState& state, double tolerance);

}  // namespace rankcert::search
