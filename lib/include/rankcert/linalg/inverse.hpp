#pragma once
/// \file inverse.hpp  Proved bounds of inverses from approximate ones.
///
/// Theorem. Let R be any n×n matrix and E = I − R G with ‖E‖ ≤ α < 1 (largest row ℓ1 norm). Then G is
/// invertible, ‖G⁻¹‖ ≤ ‖R‖/(1 − α), and |G⁻¹ − R|_ij ≤ α_i c_j/(1 − α), where α_i is the ℓ1 norm of row i of
/// E and c_j ≥ max_k |r_kj|. Proof: lib/docs/floating-point.md, "Inverses". Nothing is assumed of how R was
/// found.

#include <Eigen/Core>
#include <optional>

#include "rankcert/linalg/ball_matrix.hpp"

namespace rankcert {

/// What was proved of G⁻¹, for G a float64 matrix or for every member of a ball.
struct InverseEnclosure {
    BallMatrix inverse;  ///< contains G⁻¹
    double residual;     ///< α: an upper bound of ‖I − R G‖, < 1
    double norm;         ///< an upper bound of ‖G⁻¹‖, largest row ℓ1 norm
};

/// From an approximate inverse that the caller has. Nothing where the residual is not proved to be below 1.
/// Throws Error on shapes that disagree or on non-finite entries of g. Cost: one product.
[[nodiscard]] std::optional<InverseEnclosure> prove_inverse(const ConstMatrixRef& g,
                                                            const ConstMatrixRef& approximate_inverse);
[[nodiscard]] std::optional<InverseEnclosure> prove_inverse(const BallMatrix& g,
                                                            const ConstMatrixRef& approximate_inverse);

/// The same, with an approximate inverse by LU of a scaled by powers of two. Nothing for a singular matrix,
/// or for one that is not proved to be invertible.
[[nodiscard]] std::optional<InverseEnclosure> enclose_inverse(const ConstMatrixRef& g);
[[nodiscard]] std::optional<InverseEnclosure> enclose_inverse(const BallMatrix& g);

}  // namespace rankcert
