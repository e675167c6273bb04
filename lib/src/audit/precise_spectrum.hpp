#pragma once
/// \file precise_spectrum.hpp  The theorems of linalg/spectrum.hpp in exact arithmetic, from Jacobi's
/// decompositions. Internal to the room.
///
/// U, V and Σ are rounded to multiples of a power of two, so that UᵀU − I, VᵀV − I and A − U Σ Vᵀ are
/// matrices of integers at a scale, and their Frobenius norms, which bound their spectral norms, square roots
/// of exact numbers.
///
/// Theorem (fewer columns). The theorem for singular values holds as well for U m×r, V n×r with r < min(m,
/// n), and Σ_i = 0 for i > r: U Σ Vᵀ has rank r at most, so its values beyond the r-th are 0, and Weyl's
/// theorem does the rest; the others are compared as before, with r in the place of p. So columns of tiny
/// values, which need not be orthogonal to anything, are left out.

#include <optional>
#include <vector>

#include "rankcert/linalg/exact_matrix.hpp"
#include "rankcert/rigor/mp_interval.hpp"

namespace rankcert::audit {

/// a ≈ left · diag(values) · rightᵀ with exact numbers, in descending order of the values, and what was
/// proved of it.
struct ExactSvd {
    ExactMatrix left, right;  ///< m×r, n×r
    std::vector<Rational> values;
    MpInterval defect{64};    ///< x = ‖UᵀU − I‖_F + ‖VᵀV − I‖_F
    MpInterval residual{64};  ///< ‖A − U Σ Vᵀ‖_F
};
/// a is m×n, m ≥ n ≥ 1. Nothing is proved by `start` (jacobi.hpp).
[[nodiscard]] ExactSvd precise_svd(const Eigen::MatrixXd& a, unsigned bits, const Eigen::MatrixXd& start);

/// The same from a float64 decomposition, whose errors are so small that float64 bounds of them are a hundred
/// times too large. Nothing where a value is negative, or the values do not descend.
[[nodiscard]] std::optional<ExactSvd> evaluate_svd(const Eigen::MatrixXd& a, const Eigen::MatrixXd& left,
                                                   const Eigen::VectorXd& values,
                                                   const Eigen::MatrixXd& right);

/// Enclosures of all min(m, n) singular values, descending.
[[nodiscard]] std::vector<MpInterval> enclose_values(const ExactSvd& svd, Eigen::Index count, unsigned bits);

/// Enclosures of the eigenvalues of a symmetric matrix, ascending.
[[nodiscard]] std::vector<MpInterval> precise_eigenvalues(const Eigen::MatrixXd& a, unsigned bits,
                                                          const Eigen::MatrixXd& start);

}  // namespace rankcert::audit
