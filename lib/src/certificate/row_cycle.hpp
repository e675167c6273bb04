#pragma once
/// \file row_cycle.hpp  The combinatorial half of a row cycle: shapes, parity of faces, alternation. Integers
/// only.
///
/// Theorem: lib/docs/certificates.md, section "Signed row cycles".

#include <string>

#include "rankcert/certificate/witness.hpp"

namespace rankcert::detail {

/// What is wrong with the form of the witness for a matrix of this size (ranges, order, limits, shape), as
/// the end of a sentence that begins with the witness's name; empty where nothing is. Judges no condition of
/// the theorem.
[[nodiscard]] std::string fault_of_form(const RowCycleWitness& witness, Index rows, Index cols);

/// Which of the theorem's combinatorial conditions fails (2: every face in an even number of sets; 3: an odd
/// number of alternating sets), as a sentence; empty where both hold. Precondition: fault_of_form is empty.
/// Exact: faces are sorted and compared in full, so no input makes it slow or wrong. O(E k log E) for E =
/// k · sets.
[[nodiscard]] std::string fault_of_cycle(const RowCycleWitness& witness);

/// The rows of Ã that some set with this vector names, increasing; one list a vector. Precondition as above.
[[nodiscard]] std::vector<std::vector<Index>> rows_of_vectors(const RowCycleWitness& witness);

}  // namespace rankcert::detail
