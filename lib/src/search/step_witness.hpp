#pragma once
/// \file step_witness.hpp  Witnesses from a step function whose image equioscillates.

#include <optional>
#include <vector>

#include "equioscillation.hpp"
#include "rankcert/certificate/witness.hpp"

namespace rankcert::search {

/// Rows or columns of a head of one dimension in order: classes of equal ones.
using Classes = std::vector<std::vector<Index>>;

/// D: the shares of the cells (columns of one class are one cell) in the n + 1 intervals between the knots;
/// S = D C_J⁻¹ on the rows J of the extremes, C = Ã D. ‖S‖ = 1/v. Entries on grids that keep 1/‖S‖ above the
/// tolerance where v is.
[[nodiscard]] std::optional<FixedSpaceWitness> interval_space(const ExactMatrix& centre, const Classes& rows,
                                                              const Classes& cols, const StepFunction& step,
                                                              double log2_value, double log2_tolerance);

/// U: the columns ξ of Ã at the cells of the knots; V = (Z U)⁻¹ Z Ã, Z the n mixes of neighbouring rows that
/// vanish on y = Ã x. ‖Ã − U V‖ = v.
[[nodiscard]] std::optional<FactorWitness> interpolation(const ExactMatrix& centre, const Classes& rows,
                                                         const Classes& cols, const StepFunction& step,
                                                         double log2_value, double log2_tolerance);

/// U: one column of each class; V: which class a column is in. No error where Ã has equal columns in a class.
[[nodiscard]] FactorWitness distinct_columns(const ExactMatrix& centre, const Classes& cols);

}  // namespace rankcert::search
