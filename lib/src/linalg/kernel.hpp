#pragma once
/// \file kernel.hpp  The float64 product and the passes over matrices that the enclosures are made of.
///
/// For use under a FloatingPointGuard of the caller. Lemmas: lib/docs/floating-point.md.

#include "linalg/rounding.hpp"
//
#include <string>

#include "rankcert/linalg/ball_matrix.hpp"

namespace rankcert::detail {

enum class Op { plain, transposed };

/// op(a)·op(b) in float64: every entry is a dot product in some order of summation, perhaps with FMA. No
/// bound. An entry is finite only where no intermediate result of it overflowed (sums never leave infinity or
/// NaN).
[[nodiscard]] Eigen::MatrixXd multiply(const ConstMatrixRef& a, const ConstMatrixRef& b, Op a_op = Op::plain,
                                       Op b_op = Op::plain);

[[nodiscard]] bool all_finite(const ConstMatrixRef& a) noexcept;
/// Throw Error: "entry (2, 3) of <name> is NaN: …".
void require_finite(const ConstMatrixRef& a, const std::string& name);
void require_no_nan(const ConstMatrixRef& a, const std::string& name);
void require_inner(Index a_cols, Index b_rows, const std::string& what);
void require_same_shape(Index rows, Index cols, Index other_rows, Index other_cols, const std::string& what);
/// Throws Error where a is not square or not exactly symmetric, with the index.
void require_symmetric(const ConstMatrixRef& a, const std::string& name);

/// |a| v and |a|ᵀ v from above, v ≥ 0; an entry that is not finite, or not determined, is +∞. For error
/// terms: the bound exceeds the product by a relative 10⁻⁶ (Lemma 5).
[[nodiscard]] Eigen::VectorXd upper_abs_times(const ConstMatrixRef& a, const Eigen::VectorXd& v);
[[nodiscard]] Eigen::VectorXd upper_abs_transposed_times(const ConstMatrixRef& a, const Eigen::VectorXd& v);

/// Σ_j |a_ij| and Σ_i |a_ij| in float64, in any order: no bound before it is multiplied by sum_factor.
[[nodiscard]] Eigen::VectorXd row_sums(const ConstMatrixRef& a);
[[nodiscard]] Eigen::VectorXd column_sums(const ConstMatrixRef& a);

/// The largest entry of a non-negative vector, 0 for an empty one, +∞ where one is NaN.
[[nodiscard]] double largest(const Eigen::VectorXd& v) noexcept;
[[nodiscard]] inline double nan_to_infinity(double x) noexcept {
    return bits_are_nan(x) ? std::numeric_limits<double>::infinity() : x;
}

/// a·2^exponent entry by entry, each entry exact or (subnormal results only) wrong by at most η.
[[nodiscard]] Eigen::MatrixXd scaled_by_power_of_two(const ConstMatrixRef& a, int exponent);

}  // namespace rankcert::detail
