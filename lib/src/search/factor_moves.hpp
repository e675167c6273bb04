#pragma once
/// \file factor_moves.hpp  Starts for the optimised factors, and moves out of a local optimum.
///
/// The error of factors is a maximum over rows, and an optimum is stuck where a few rows would need a
/// direction that the factors do not have. What helps is measured in lib/docs/search.md.

#include "random.hpp"
#include "rankcert/search/dense.hpp"
#include "rankcert/search/upper.hpp"

namespace rankcert::search {

/// 1/√(the largest entry of the column), for columns that are not tiny: rare tokens get a say.
[[nodiscard]] Vector rare_column_weights(const Matrix& a);

/// The truncated decomposition of diag(row_weights) a diag(column_weights), unscaled again.
[[nodiscard]] std::optional<Factors> weighted_start(const Matrix& a, Index rank, const Vector& row_weights,
                                                    const Vector& column_weights);

/// One of the rows with the largest errors becomes a direction of its own; in its place goes the direction
/// whose loss costs least.
[[nodiscard]] std::optional<Factors> insert_bad_row(const Matrix& a, const Factors& factors, Random& random);

/// The product with some of the worst rows set right, cut back to its rank under random row weights.
[[nodiscard]] std::optional<Factors> forget_rows(const Matrix& a, const Factors& factors, Random& random);

/// A decomposition of a with random weights, larger for rows that the factors serve badly.
[[nodiscard]] std::optional<Factors> reweighted_start(const Matrix& a, const Factors& factors,
                                                      Random& random);

}  // namespace rankcert::search
