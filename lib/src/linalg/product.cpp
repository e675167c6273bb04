#include "rankcert/linalg/product.hpp"

#include "linalg/kernel.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert {
namespace {

using detail::Index;
using detail::kSlack;
using detail::kUnderflowUnit;
using detail::multiply;
using Eigen::MatrixXd;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Turns every entry without a finite midpoint and radius into 0 ± ∞. An overflow anywhere in the computation
/// of an entry leaves an infinity or a NaN in it, since sums and products never make finite numbers of those.
BallMatrix finished(MatrixXd midpoint, MatrixXd radius) {
    if (detail::all_finite(midpoint) && detail::all_finite(radius))
        return {std::move(midpoint), std::move(radius)};
    for (Index k = 0; k < midpoint.size(); ++k) {
        if (detail::bits_are_finite(midpoint.data()[k]) && detail::bits_are_finite(radius.data()[k]))
            continue;
        midpoint.data()[k] = 0;
        radius.data()[k] = kInfinity;
    }
    return {std::move(midpoint), std::move(radius)};
}

/// r + c|m| from above, up to the factor (1 − u)³ that kSlack covers later: the first factor of a radius. η
/// makes good the underflow of c|m|, which the other factor of the radius might magnify.
MatrixXd with_rounding(const MatrixXd& m, const MatrixXd& r, double c) {
    MatrixXd result(m.rows(), m.cols());
    for (Index k = 0; k < m.size(); ++k)
        result.data()[k] = (c * std::abs(m.data()[k]) + kUnderflowUnit) + r.data()[k];
    return result;
}

/// The radius whose main part was evaluated with at most 2^30 roundings on any path and `terms` products
/// whose underflow was not accounted for (Lemma 6).
void finish_radius(MatrixXd& radius, Index terms) {
    const double absolute = static_cast<double>(terms) * 0x1p-1070;
    for (Index k = 0; k < radius.size(); ++k) radius.data()[k] = radius.data()[k] * kSlack + absolute;
}

void require_factors(const BallMatrix& x, const BallMatrix& y) {
    validate(x, "the left factor");
    validate(y, "the right factor");
    detail::require_inner(x.cols(), y.rows(), "product");
}

}  // namespace

BallMatrix enclose_product(const ConstMatrixRef& a, const ConstMatrixRef& b) {
    detail::require_inner(a.cols(), b.rows(), "product");
    detail::require_finite(a, "the left factor");
    detail::require_finite(b, "the right factor");
    const FloatingPointGuard guard;
    // |fl(ab) − ab| ≤ relative · fl(|a||b|) + absolute, as evaluated (Lemma 4).
    const auto [relative, absolute] = detail::product_error(a.cols());
    MatrixXd radius = multiply(a.cwiseAbs(), b.cwiseAbs());
    for (Index k = 0; k < radius.size(); ++k) radius.data()[k] = radius.data()[k] * relative + absolute;
    return finished(multiply(a, b), std::move(radius));
}

BallMatrix enclose_product(const BallMatrix& x, const ConstMatrixRef& b) {
    validate(x, "the left factor");
    detail::require_inner(x.cols(), b.rows(), "product");
    detail::require_finite(b, "the right factor");
    const FloatingPointGuard guard;
    // |X b − fl(m b)| ≤ (r + c|m|)|b| + nη.
    const double c = detail::product_error(b.rows()).relative;
    MatrixXd radius = multiply(with_rounding(x.midpoint, x.radius, c), b.cwiseAbs());
    finish_radius(radius, b.rows());
    return finished(multiply(x.midpoint, b), std::move(radius));
}

BallMatrix enclose_product(const ConstMatrixRef& a, const BallMatrix& y) {
    validate(y, "the right factor");
    detail::require_inner(a.cols(), y.rows(), "product");
    detail::require_finite(a, "the left factor");
    const FloatingPointGuard guard;
    const double c = detail::product_error(a.cols()).relative;
    MatrixXd radius = multiply(a.cwiseAbs(), with_rounding(y.midpoint, y.radius, c));
    finish_radius(radius, a.cols());
    return finished(multiply(a, y.midpoint), std::move(radius));
}

BallMatrix enclose_product(const BallMatrix& x, const BallMatrix& y) {
    require_factors(x, y);
    const FloatingPointGuard guard;
    // With X = m + dm, Y = n + dn: |XY − fl(mn)| ≤ c|m||n| + |m|s + r|n| + r s + kη
    //                                             = |m|(s + c|n|) + r(|n| + s) + kη.
    const double c = detail::product_error(x.cols()).relative;
    MatrixXd radius = multiply(x.midpoint.cwiseAbs(), with_rounding(y.midpoint, y.radius, c));
    radius += multiply(x.radius, y.midpoint.cwiseAbs() + y.radius);
    finish_radius(radius, 2 * x.cols());
    return finished(multiply(x.midpoint, y.midpoint), std::move(radius));
}

BallMatrix enclose_product_tightly(const BallMatrix& x, const BallMatrix& y) {
    require_factors(x, y);
    const FloatingPointGuard guard;
    // One term, ball m ± r times ball n ± s, with p = sign(m) min(|m|, r) and q = sign(n) min(|n|, s): every
    // product lies within |m|s + r|n| + r s − |p||q| of mn + pq (docs, "Tight products"), and r s − |p||q| =
    // (r − |p|)s + |p|(s − |q|). The midpoint is a dot product of twice the length, so with c for that length
    // the radius is
    //     (|m| + r − |p|)(s + c|n|) + r|n| + |p|(s − |q| + c|q|), and 2kη for underflow.
    const double c = detail::product_error(2 * x.cols()).relative;
    const auto shift = [](double m, double r) { return std::copysign(std::min(std::abs(m), r), m); };
    const MatrixXd p = x.midpoint.binaryExpr(x.radius, shift);
    const MatrixXd q = y.midpoint.binaryExpr(y.radius, shift);
    const MatrixXd x_rest = x.radius - p.cwiseAbs();
    const MatrixXd y_rest = y.radius - q.cwiseAbs();
    MatrixXd radius = multiply(x.midpoint.cwiseAbs() + x_rest, with_rounding(y.midpoint, y.radius, c));
    radius += multiply(x.radius, y.midpoint.cwiseAbs());
    radius += multiply(p.cwiseAbs(), with_rounding(q, y_rest, c));
    finish_radius(radius, 3 * x.cols());
    MatrixXd midpoint = multiply(x.midpoint, y.midpoint);
    midpoint += multiply(p, q);
    return finished(std::move(midpoint), std::move(radius));
}

BoundedProduct bounded_product(const ConstMatrixRef& a, const ConstMatrixRef& b) {
    detail::require_inner(a.cols(), b.rows(), "product");
    const FloatingPointGuard guard;
    // |E| ≤ c|a||b| + nη entry by entry, so its row sums are at most c|a|(|b|1) + p nη; columns alike.
    const Eigen::VectorXd b_rows = detail::upper_abs_times(b, Eigen::VectorXd::Ones(b.cols()));
    const Eigen::VectorXd a_columns = detail::upper_abs_transposed_times(a, Eigen::VectorXd::Ones(a.rows()));
    // Finite sums have finite terms; infinite ones may have overflowed.
    if (!detail::all_finite(b_rows)) detail::require_finite(b, "the right factor");
    if (!detail::all_finite(a_columns)) detail::require_finite(a, "the left factor");
    BoundedProduct result{multiply(a, b), detail::upper_abs_times(a, b_rows),
                          detail::upper_abs_transposed_times(b, a_columns)};
    // A row of |a|(|b|1) that is finite, with its slack of 2^−20, bounds every sum of absolute values of
    // products in that row, and so every partial sum: nothing overflowed in it. An infinite one says that no
    // bound is known.
    const auto [c, absolute] = detail::product_error(a.cols());
    const auto error = [c = c](double sum, double rest) {
        return detail::upper_sum(detail::upper_product(c, sum), rest);
    };
    const double row_rest = detail::upper_product(absolute, static_cast<double>(b.cols()));
    const double column_rest = detail::upper_product(absolute, static_cast<double>(a.rows()));
    for (double& bound : result.row_error) bound = error(bound, row_rest);
    for (double& bound : result.column_error) bound = error(bound, column_rest);
    return result;
}

}  // namespace rankcert
