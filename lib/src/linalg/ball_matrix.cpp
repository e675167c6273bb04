#include "rankcert/linalg/ball_matrix.hpp"

#include "linalg/kernel.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert {
namespace {

using detail::Index;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string at(Index i, Index j) { return "entry (" + std::to_string(i) + ", " + std::to_string(j) + ")"; }

/// Sums and differences: the midpoint's own rounding error joins the radius.
/// |m − (a ± b)| ≤ next_up(|m|) − |m|, at most one unit in the last place, which the next double above |m|
/// shows.
template <class Combine>
BallMatrix combine(const BallMatrix& x, const BallMatrix& y, Combine midpoint_of) {
    detail::require_same_shape(x.rows(), x.cols(), y.rows(), y.cols(), "the terms of a sum");
    validate(x);
    validate(y);
    const FloatingPointGuard guard;
    BallMatrix result{Eigen::MatrixXd(x.rows(), x.cols()), Eigen::MatrixXd(x.rows(), x.cols())};
    for (Index k = 0; k < x.midpoint.size(); ++k) {
        const double a = x.midpoint.data()[k];
        const double b = y.midpoint.data()[k];
        double m = midpoint_of(a, b);
        const double size = std::abs(m);
        const double error = a == 0 || b == 0 ? 0.0 : detail::next_up(size) - size;
        double r = detail::upper_sum(detail::upper_sum(x.radius.data()[k], y.radius.data()[k]), error);
        if (!detail::bits_are_finite(m) || !detail::bits_are_finite(r)) {
            m = 0;
            r = kInfinity;
        }
        result.midpoint.data()[k] = m;
        result.radius.data()[k] = r;
    }
    return result;
}

}  // namespace

BallMatrix point_matrix(const ConstMatrixRef& matrix) {
    detail::require_finite(matrix, "the matrix");
    return {matrix, Eigen::MatrixXd::Zero(matrix.rows(), matrix.cols())};
}

BallMatrix matrix_from_bounds(const ConstMatrixRef& lower, const ConstMatrixRef& upper) {
    detail::require_same_shape(lower.rows(), lower.cols(), upper.rows(), upper.cols(),
                               "lower and upper bounds");
    detail::require_no_nan(lower, "the lower bounds");
    detail::require_no_nan(upper, "the upper bounds");
    const FloatingPointGuard guard;
    BallMatrix result{Eigen::MatrixXd(lower.rows(), lower.cols()),
                      Eigen::MatrixXd(lower.rows(), lower.cols())};
    for (Index j = 0; j < lower.cols(); ++j) {
        for (Index i = 0; i < lower.rows(); ++i) {
            const double lo = lower(i, j);
            const double hi = upper(i, j);
            if (!(lo <= hi))
                throw Error(at(i, j) +
                            " of the lower bounds is above that of the upper bounds: exchange them");
            // Halves before the sum, so that it cannot overflow; the radius is then taken from the midpoint
            // as it is.
            double m = lo == hi ? lo : 0.5 * lo + 0.5 * hi;
            double r = std::max(detail::upper_difference(m, lo), detail::upper_difference(hi, m));
            if (lo == hi) r = 0;
            if (!detail::bits_are_finite(lo) || !detail::bits_are_finite(hi) || !detail::bits_are_finite(r)) {
                m = 0;
                r = kInfinity;
            }
            result.midpoint(i, j) = m;
            result.radius(i, j) = r;
        }
    }
    return result;
}

void validate(const BallMatrix& ball, const char* name) {
    const std::string whose = name;
    detail::require_same_shape(ball.midpoint.rows(), ball.midpoint.cols(), ball.radius.rows(),
                               ball.radius.cols(), "midpoint and radius of " + whose);
    detail::require_finite(ball.midpoint, "the midpoint of " + whose);
    detail::require_no_nan(ball.radius, "the radius of " + whose);
    for (Index j = 0; j < ball.cols(); ++j)
        for (Index i = 0; i < ball.rows(); ++i)
            if (detail::bits_are_negative(ball.radius(i, j)) && !detail::bits_are_zero(ball.radius(i, j)))
                throw Error(at(i, j) + " of the radius of " + whose +
                            " is negative: give radii of at least zero");
}

Eigen::MatrixXd lower_bounds(const BallMatrix& ball) {
    const FloatingPointGuard guard;
    return ball.midpoint.binaryExpr(ball.radius,
                                    [](double m, double r) { return detail::lower_difference(m, r); });
}

Eigen::MatrixXd upper_bounds(const BallMatrix& ball) {
    const FloatingPointGuard guard;
    return ball.midpoint.binaryExpr(ball.radius, [](double m, double r) { return detail::upper_sum(m, r); });
}

bool contains(const BallMatrix& ball, Index i, Index j, const Rational& value) {
    const double radius = ball.radius(i, j);
    if (!detail::bits_are_finite(radius)) return radius > 0;  // +∞; NaN contains nothing
    Rational distance = value - to_rational(ball.midpoint(i, j));
    if (distance < 0) distance = -distance;
    return distance <= to_rational(radius);
}

bool contains(const BallMatrix& ball, const ConstMatrixRef& a) {
    detail::require_same_shape(ball.rows(), ball.cols(), a.rows(), a.cols(), "a ball matrix and its member");
    detail::require_finite(a, "the matrix");
    for (Index j = 0; j < a.cols(); ++j)
        for (Index i = 0; i < a.rows(); ++i)
            if (!contains(ball, i, j, to_rational(a(i, j)))) return false;
    return true;
}

BallMatrix operator+(const BallMatrix& x, const BallMatrix& y) {
    return combine(x, y, [](double a, double b) { return a + b; });
}

BallMatrix operator-(const BallMatrix& x, const BallMatrix& y) {
    return combine(x, y, [](double a, double b) { return a - b; });
}

BallMatrix transpose(const BallMatrix& x) { return {x.midpoint.transpose(), x.radius.transpose()}; }

}  // namespace rankcert
