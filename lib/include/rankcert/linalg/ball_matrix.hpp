#pragma once
/// \file ball_matrix.hpp  Matrices of intervals given by midpoint and radius.
///
/// Every function here and in product.hpp, norms.hpp, inverse.hpp, spectrum.hpp and positive_definite.hpp
/// sets and restores the floating-point environment by itself (FloatingPointGuard): its bounds hold whatever
/// rounding mode or flush-to-zero setting the caller has, and for any order of summation. Proofs:
/// lib/docs/floating-point.md.

#include <Eigen/Core>

#include "rankcert/eigen_abi.hpp"
#include "rankcert/rigor/rational.hpp"

namespace rankcert {

using ConstMatrixRef = Eigen::Ref<const Eigen::MatrixXd>;

/// The set of all real matrices X with |x_ij − midpoint_ij| ≤ radius_ij. Midpoints are finite, radii
/// non-negative and never NaN; an infinite radius says "no information" (the midpoint is then 0).
struct BallMatrix {
    Eigen::MatrixXd midpoint;
    Eigen::MatrixXd radius;

    [[nodiscard]] Eigen::Index rows() const noexcept { return midpoint.rows(); }
    [[nodiscard]] Eigen::Index cols() const noexcept { return midpoint.cols(); }
};

/// {matrix}: radius zero. Throws Error that names the index of a NaN or an infinity.
[[nodiscard]] BallMatrix point_matrix(const ConstMatrixRef& matrix);

/// A ball that contains [lower_ij, upper_ij] entry by entry; infinite ends are allowed. Throws Error on
/// different shapes, NaN, or lower_ij > upper_ij, with the index. Radii exceed half the width by a few units
/// in the last place.
[[nodiscard]] BallMatrix matrix_from_bounds(const ConstMatrixRef& lower, const ConstMatrixRef& upper);

/// Throws Error, with the index, where the ball is not as described above. `name` says whose ball it is.
void validate(const BallMatrix& ball, const char* name = "ball matrix");

/// The largest double that is ≤ midpoint − radius or the one below it; the same above.
[[nodiscard]] Eigen::MatrixXd lower_bounds(const BallMatrix& ball);
[[nodiscard]] Eigen::MatrixXd upper_bounds(const BallMatrix& ball);

/// Whether |value − midpoint_ij| ≤ radius_ij, decided exactly.
[[nodiscard]] bool contains(const BallMatrix& ball, Eigen::Index i, Eigen::Index j, const Rational& value);
/// Whether every entry of a is a member: contains(ball, a) for finite doubles, decided exactly.
[[nodiscard]] bool contains(const BallMatrix& ball, const ConstMatrixRef& a);

/// Enclosures of X + Y and X − Y. Throw Error on different shapes. Cost: one pass.
[[nodiscard]] BallMatrix operator+(const BallMatrix& x, const BallMatrix& y);
[[nodiscard]] BallMatrix operator-(const BallMatrix& x, const BallMatrix& y);
[[nodiscard]] BallMatrix transpose(const BallMatrix& x);

}  // namespace rankcert
