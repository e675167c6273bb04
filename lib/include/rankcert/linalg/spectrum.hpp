#pragma once
/// \file spectrum.hpp  All eigenvalues of symmetric matrices and all singular values, enclosed.
///
/// Theorem (symmetric). Let A be symmetric, X square, Λ diagonal, ‖Xᵀ X − I‖₂ ≤ α, ‖A − X Λ Xᵀ‖₂ ≤ ρ. Then,
/// both sides sorted, |λ_i(A) − Λ_i| ≤ α |Λ_i| + ρ. Theorem (singular values). Let A be m×n, p = min(m, n), U
/// m×p, V n×p, Σ ≥ 0 diagonal, x = ‖UᵀU − I‖₂ + ‖VᵀV − I‖₂, ‖A − U Σ Vᵀ‖₂ ≤ ρ. Then |σ_i(A) − Σ_i| ≤ x (1 +
/// x) Σ_i / 2 + ρ. Proof: Ostrowski's theorem and Weyl's, lib/docs/floating-point.md, "Spectra". No gap
/// between values is needed, so clusters, multiple values and zero are ordinary; nothing is said about
/// vectors.

#include <Eigen/Core>
#include <optional>

#include "rankcert/linalg/ball_matrix.hpp"

namespace rankcert {

/// lower_i ≤ λ_i ≤ upper_i.
struct Spectrum {
    Eigen::VectorXd lower;
    Eigen::VectorXd upper;
    double defect;    ///< α, or x for singular values
    double residual;  ///< ρ, relative to the power of two above the largest entry of A
};

/// Eigenvalues in ascending order, from an approximate decomposition a ≈ vectors · diag(values) · vectorsᵀ in
/// any order. a must be exactly symmetric. Throws Error on shapes that disagree, on non-finite entries of a,
/// and where a is not symmetric (with the index); nothing where no finite bound results. Cost: two products.
[[nodiscard]] std::optional<Spectrum> prove_symmetric_spectrum(const ConstMatrixRef& a,
                                                               const ConstMatrixRef& vectors,
                                                               const Eigen::VectorXd& values);
/// The same for every symmetric member of a ball with a symmetric midpoint and a symmetric radius.
[[nodiscard]] std::optional<Spectrum> prove_symmetric_spectrum(const BallMatrix& a,
                                                               const ConstMatrixRef& vectors,
                                                               const Eigen::VectorXd& values);

/// Singular values in descending order, from a ≈ left · diag(values) · rightᵀ, thin. Cost: three products.
[[nodiscard]] std::optional<Spectrum> prove_singular_values(const ConstMatrixRef& a,
                                                            const ConstMatrixRef& left,
                                                            const Eigen::VectorXd& values,
                                                            const ConstMatrixRef& right);
[[nodiscard]] std::optional<Spectrum> prove_singular_values(const BallMatrix& a, const ConstMatrixRef& left,
                                                            const Eigen::VectorXd& values,
                                                            const ConstMatrixRef& right);

/// The same, with Eigen's decomposition as the approximate one. Nothing where that does not converge.
[[nodiscard]] std::optional<Spectrum> enclose_symmetric_spectrum(const ConstMatrixRef& a);
[[nodiscard]] std::optional<Spectrum> enclose_symmetric_spectrum(const BallMatrix& a);
[[nodiscard]] std::optional<Spectrum> enclose_singular_values(const ConstMatrixRef& a);
[[nodiscard]] std::optional<Spectrum> enclose_singular_values(const BallMatrix& a);

}  // namespace rankcert
