#pragma once
/// \file positive_definite.hpp  Lower bounds of the smallest eigenvalue of a symmetric matrix.
///
/// Theorem. Let A be symmetric, C any matrix with as many rows, ‖A − t I − C Cᵀ‖ ≤ δ (largest row ℓ1 norm).
/// Then λ_min(A) ≥ t − δ. Proof: A − t I − C Cᵀ is symmetric, so its eigenvalues are at least −δ, and C Cᵀ is
/// positive semidefinite. Nothing is assumed of how C was found.

#include <Eigen/Core>
#include <optional>

#include "rankcert/linalg/ball_matrix.hpp"
#include "rankcert/rigor/decision.hpp"

namespace rankcert {

/// t − δ from the caller's witness, rounded down. Throws Error on shapes that disagree, non-finite entries or
/// a matrix that is not exactly symmetric; −∞ where something overflows. Cost: one product.
[[nodiscard]] double lower_smallest_eigenvalue(const ConstMatrixRef& a, double shift,
                                               const ConstMatrixRef& factor);

/// The same with C from a Cholesky decomposition of a − shift·I. Nothing where that breaks down: shift is
/// then above the smallest eigenvalue, or too near below it.
[[nodiscard]] std::optional<double> lower_smallest_eigenvalue(const ConstMatrixRef& a, double shift);

/// Whether the symmetric matrix a (or every symmetric member of the ball) is positive definite: proved or
/// undecided. Rows and columns are scaled by powers of two first, so that bad scaling of the variables does
/// not matter.
[[nodiscard]] Decision prove_positive_definite(const ConstMatrixRef& a);
[[nodiscard]] Decision prove_positive_definite(const BallMatrix& a);

}  // namespace rankcert
