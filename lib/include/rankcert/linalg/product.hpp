#pragma once
/// \file product.hpp  Enclosures of matrix products at the speed of ordinary ones.
///
/// Theorem. Let x, y be float64 vectors of length n ≤ 2^28 and s the float64 value of xᵀy, summed in any
/// order, with or without FMA, nothing overflowing. Then |s − xᵀy| ≤ n u (1 + n u) |x|ᵀ|y| + n η, u = 2^−53,
/// η = 2^−1074. Source: proved in lib/docs/floating-point.md, "Dot products"; the constant n u without its
/// second factor is Jeannerod and Rump, SIAM J. Matrix Anal. Appl. 34(2), 2013, Theorem 4.1 (no FMA, no
/// underflow), and Lange and Rump, BIT 57, 2017 (with FMA). So one product gives the midpoint and one product
/// of absolute values the radius.
///
/// All functions throw Error where shapes disagree, the inner dimension exceeds 2^28, or an entry is NaN or
/// infinite (with its index). Where a product overflows, the entry is 0 ± ∞.

#include <Eigen/Core>

#include "rankcert/linalg/ball_matrix.hpp"

namespace rankcert {

/// Encloses a·b, a m×n and b n×p. Cost: two products.
[[nodiscard]] BallMatrix enclose_product(const ConstMatrixRef& a, const ConstMatrixRef& b);
/// Encloses {X b} and {a Y}: two products.
[[nodiscard]] BallMatrix enclose_product(const BallMatrix& x, const ConstMatrixRef& b);
[[nodiscard]] BallMatrix enclose_product(const ConstMatrixRef& a, const BallMatrix& y);
/// Encloses {X Y}: three products. For thick balls up to 3/2 as wide as need be (and so possibly with
/// negative lower bounds for positive data: then take the next one).
[[nodiscard]] BallMatrix enclose_product(const BallMatrix& x, const BallMatrix& y);
/// Encloses {X Y}: five products. Where no ball of X or Y has zero inside, each entry is the hull of its
/// products but for rounding. (Nguyen 2011; Rump, BIT 52, 2012: midpoints shifted by the product of the
/// radii.)
[[nodiscard]] BallMatrix enclose_product_tightly(const BallMatrix& x, const BallMatrix& y);

/// A float64 product with what is known of its error E = a·b − value without a second product.
struct BoundedProduct {
    Eigen::MatrixXd value;         ///< m×p
    Eigen::VectorXd row_error;     ///< Σ_j |E_ij| ≤ row_error_i
    Eigen::VectorXd column_error;  ///< Σ_i |E_ij| ≤ column_error_j
};

/// a·b in float64 with bounds for the row and column ℓ1 norms of the error. Cost: one product and O(mn + np +
/// mp). A row or column in which something might overflow has the bound +∞ and unspecified values.
[[nodiscard]] BoundedProduct bounded_product(const ConstMatrixRef& a, const ConstMatrixRef& b);

}  // namespace rankcert
