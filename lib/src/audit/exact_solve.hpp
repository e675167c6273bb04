#pragma once
/// \file exact_solve.hpp  Solutions of linear equations as fractions. Internal to the room.
///
/// Bareiss' elimination (Math. Comp. 22, 1968), of all other rows at each step: after step k, entries are
/// minors of order k of the matrix of integers [G | B], divisions are exact, and after n steps G has become
/// det G · I, so that what stands in the place of B is det G · G⁻¹ B (Cramer's rule). Rows of [G | B] and
/// columns of G are divided by powers of two first: the former leaves the solution as it is, the latter
/// multiplies an unknown by that power.

#include <optional>
#include <vector>

#include "rankcert/linalg/exact_matrix.hpp"

namespace rankcert::audit {

/// G⁻¹ B, row by row; nothing where G is singular, or where it would take more than `most_work` operations on
/// words.
[[nodiscard]] std::optional<std::vector<Rational>> solve_exactly(const ExactMatrix& g, const ExactMatrix& b,
                                                                 double most_work);

}  // namespace rankcert::audit
