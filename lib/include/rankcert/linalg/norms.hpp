#pragma once
/// \file norms.hpp  Norms of float64 and ball matrices, bounded from above and from below.
///
/// For a float64 matrix (point) and for every member of a ball. Independent of the order of summation.
/// Matrices without rows or without columns have norm 0. NaN entries throw Error with their index, infinite
/// ones give infinite bounds.

#include <Eigen/Core>

#include "rankcert/linalg/ball_matrix.hpp"

namespace rankcert {

/// Σ_j |a_ij| for every row i; upper bounds exceed it by a factor of at most 1 + (n + 1) 2^−51.
[[nodiscard]] Eigen::VectorXd upper_row_norms(const ConstMatrixRef& a);
[[nodiscard]] Eigen::VectorXd lower_row_norms(const ConstMatrixRef& a);
/// Σ_i |a_ij| for every column j.
[[nodiscard]] Eigen::VectorXd upper_column_norms(const ConstMatrixRef& a);
[[nodiscard]] Eigen::VectorXd lower_column_norms(const ConstMatrixRef& a);
/// The largest row ℓ1 norm: the operator norm ℓ∞→ℓ∞ (‖·‖ of this library).
[[nodiscard]] double upper_row_norm(const ConstMatrixRef& a);
[[nodiscard]] double lower_row_norm(const ConstMatrixRef& a);
/// The largest column ℓ1 norm: the operator norm ℓ1→ℓ1.
[[nodiscard]] double upper_column_norm(const ConstMatrixRef& a);
[[nodiscard]] double lower_column_norm(const ConstMatrixRef& a);
/// sqrt(Σ a_ij²), whatever the scale of the entries.
[[nodiscard]] double upper_frobenius_norm(const ConstMatrixRef& a);
[[nodiscard]] double lower_frobenius_norm(const ConstMatrixRef& a);
/// Σ a_ij² of entries as they are: it overflows to +∞ and underflows to a tiny positive bound.
[[nodiscard]] double upper_sum_of_squares(const ConstMatrixRef& a);
[[nodiscard]] double lower_sum_of_squares(const ConstMatrixRef& a);
/// The spectral norm: sqrt(largest row norm · largest column norm), or the Frobenius norm where that is less.
[[nodiscard]] double upper_spectral_norm(const ConstMatrixRef& a);
/// max |a_ij|, exactly.
[[nodiscard]] double largest_entry(const ConstMatrixRef& a);

/// The same over all members of a ball: sup from above, inf from below.
[[nodiscard]] Eigen::VectorXd upper_row_norms(const BallMatrix& a);
[[nodiscard]] Eigen::VectorXd lower_row_norms(const BallMatrix& a);
[[nodiscard]] double upper_row_norm(const BallMatrix& a);
[[nodiscard]] double lower_row_norm(const BallMatrix& a);
[[nodiscard]] double upper_column_norm(const BallMatrix& a);
[[nodiscard]] double upper_frobenius_norm(const BallMatrix& a);
[[nodiscard]] double upper_spectral_norm(const BallMatrix& a);

}  // namespace rankcert
