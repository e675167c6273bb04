#include "rankcert/linalg/norms.hpp"

#include <algorithm>

#include "linalg/kernel.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert {
namespace {

using detail::Index;
using Eigen::VectorXd;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A float sum of n non-negative numbers, made a bound (Lemma 2): Σ ≤ fl(f · s) and fl(s / f) ≤ Σ with f =
/// sum_factor(n).
double upper_of_sum(double sum, Index n) { return detail::nan_to_infinity(sum * detail::sum_factor(n)); }
double lower_of_sum(double sum, Index n) {
    return n <= 1 ? sum : detail::next_down(sum / detail::sum_factor(n));
}

VectorXd upper_of_sums(VectorXd sums, Index n) {
    for (Index i = 0; i < sums.size(); ++i) sums[i] = upper_of_sum(sums[i], n);
    return sums;
}
VectorXd lower_of_sums(VectorXd sums, Index n) {
    for (Index i = 0; i < sums.size(); ++i) {
        const double bound = lower_of_sum(sums[i], n);
        sums[i] = bound > 0 ? bound : 0.0;
    }
    return sums;
}

/// Σ x² in floating point, in some order.
double squares(const ConstMatrixRef& a) {
    double sum = 0;
    for (Index j = 0; j < a.cols(); ++j) sum += a.rows() == 0 ? 0.0 : a.col(j).squaredNorm();
    return sum;
}

/// Bounds of Σ x² from its float value: each square loses at most a factor 1 ± u and η/2 (Lemma 3).
double upper_of_squares(double sum, Index n) {
    const auto terms = static_cast<double>(n);
    return detail::nan_to_infinity(detail::upper_product(
        detail::upper_sum(sum, terms * detail::kUnderflowUnit), detail::sum_factor(n + 2)));
}
double lower_of_squares(double sum, Index n) {
    const auto terms = static_cast<double>(n);
    const double bound = detail::next_down(detail::lower_difference(sum, terms * detail::kUnderflowUnit) /
                                           detail::sum_factor(n + 2));
    return bound > 0 ? bound : 0.0;
}

/// The exponent to scale by before squaring: 0 where squares neither overflow nor are lost to underflow.
int exponent_of(const ConstMatrixRef& a) {
    const int exponent = detail::binary_exponent(largest_entry(a));
    return exponent > -300 && exponent < 300 ? 0 : exponent;
}
double scaled_squares(const ConstMatrixRef& a, int exponent) {
    return exponent == 0 ? squares(a) : squares(detail::scaled_by_power_of_two(a, -exponent));
}

void require_length(const ConstMatrixRef& a) {
    detail::require_no_nan(a, "the matrix");
    detail::require_inner(a.size(), a.size(), "norm");
}

}  // namespace

VectorXd upper_row_norms(const ConstMatrixRef& a) {
    require_length(a);
    const FloatingPointGuard guard;
    return upper_of_sums(detail::row_sums(a), a.cols());
}

VectorXd lower_row_norms(const ConstMatrixRef& a) {
    require_length(a);
    const FloatingPointGuard guard;
    return lower_of_sums(detail::row_sums(a), a.cols());
}

VectorXd upper_column_norms(const ConstMatrixRef& a) {
    require_length(a);
    const FloatingPointGuard guard;
    return upper_of_sums(detail::column_sums(a), a.rows());
}

VectorXd lower_column_norms(const ConstMatrixRef& a) {
    require_length(a);
    const FloatingPointGuard guard;
    return lower_of_sums(detail::column_sums(a), a.rows());
}

// The guards are for the comparisons: with denormals read as zero, a subnormal norm would be lost.
double upper_row_norm(const ConstMatrixRef& a) {
    const FloatingPointGuard guard;
    return detail::pinned(detail::largest(upper_row_norms(a)));
}
double lower_row_norm(const ConstMatrixRef& a) {
    const FloatingPointGuard guard;
    return detail::pinned(detail::largest(lower_row_norms(a)));
}
double upper_column_norm(const ConstMatrixRef& a) {
    const FloatingPointGuard guard;
    return detail::pinned(detail::largest(upper_column_norms(a)));
}
double lower_column_norm(const ConstMatrixRef& a) {
    const FloatingPointGuard guard;
    return detail::pinned(detail::largest(lower_column_norms(a)));
}

double upper_sum_of_squares(const ConstMatrixRef& a) {
    require_length(a);
    const FloatingPointGuard guard;
    if (largest_entry(a) == 0) return 0;
    return detail::pinned(upper_of_squares(squares(a), a.size()));
}

double lower_sum_of_squares(const ConstMatrixRef& a) {
    require_length(a);
    const FloatingPointGuard guard;
    return detail::pinned(lower_of_squares(squares(a), a.size()));
}

double upper_frobenius_norm(const ConstMatrixRef& a) {
    require_length(a);
    const FloatingPointGuard guard;
    if (largest_entry(a) == 0) return 0;
    if (largest_entry(a) == kInfinity) return kInfinity;
    // Scaled, where need be, so that the largest entry is in [1/2, 1): an entry that becomes subnormal is
    // wrong by at most η, its square by at most 2η + η², which a further factor of 8 in the underflow term
    // covers (docs, "Norms").
    const int e = exponent_of(a);
    const double underflow = 8 * static_cast<double>(a.size()) * detail::kUnderflowUnit;
    const double sum = detail::upper_sum(scaled_squares(a, e), underflow);
    return detail::pinned(
        detail::upper_times_power_of_two(detail::upper_root(upper_of_squares(sum, a.size())), e));
}

double lower_frobenius_norm(const ConstMatrixRef& a) {
    require_length(a);
    const FloatingPointGuard guard;
    if (largest_entry(a) == 0) return 0;
    if (largest_entry(a) == kInfinity) return std::numeric_limits<double>::max();
    const int e = exponent_of(a);
    const double underflow = 8 * static_cast<double>(a.size()) * detail::kUnderflowUnit;
    const double sum = detail::lower_difference(scaled_squares(a, e), underflow);
    const double norm = detail::lower_root(lower_of_squares(sum, a.size()));
    const double bound = detail::lower_times_power_of_two(norm, e);
    return detail::pinned(bound > 0 ? bound : 0.0);
}

double upper_spectral_norm(const ConstMatrixRef& a) {
    const double rows = upper_row_norm(a);
    const double columns = upper_column_norm(a);
    const double frobenius = upper_frobenius_norm(a);
    const FloatingPointGuard guard;
    // √rows · √columns rather than √(rows · columns), which might overflow or underflow.
    const double mixed = detail::upper_product(detail::upper_root(detail::pinned(rows)),
                                               detail::upper_root(detail::pinned(columns)));
    return detail::pinned(mixed < frobenius ? mixed : frobenius);
}

double largest_entry(const ConstMatrixRef& a) {
    detail::require_no_nan(a, "the matrix");
    const FloatingPointGuard guard;  // comparisons must see subnormal numbers
    return detail::pinned(a.size() == 0 ? 0.0 : a.cwiseAbs().maxCoeff());
}

// ---- balls: |X_ij| is between max(|m| − r, 0) and |m| + r -------------------------------------------------

namespace {

Eigen::MatrixXd upper_sizes(const BallMatrix& a) {
    validate(a);
    const FloatingPointGuard guard;
    return a.midpoint.binaryExpr(a.radius,
                                 [](double m, double r) { return detail::upper_sum(std::abs(m), r); });
}
Eigen::MatrixXd lower_sizes(const BallMatrix& a) {
    validate(a);
    const FloatingPointGuard guard;
    return a.midpoint.binaryExpr(
        a.radius, [](double m, double r) { return std::max(detail::lower_difference(std::abs(m), r), 0.0); });
}

}  // namespace

VectorXd upper_row_norms(const BallMatrix& a) { return upper_row_norms(upper_sizes(a)); }
VectorXd lower_row_norms(const BallMatrix& a) { return lower_row_norms(lower_sizes(a)); }
double upper_row_norm(const BallMatrix& a) { return upper_row_norm(upper_sizes(a)); }
double lower_row_norm(const BallMatrix& a) { return lower_row_norm(lower_sizes(a)); }
double upper_column_norm(const BallMatrix& a) { return upper_column_norm(upper_sizes(a)); }
double upper_frobenius_norm(const BallMatrix& a) { return upper_frobenius_norm(upper_sizes(a)); }
double upper_spectral_norm(const BallMatrix& a) { return upper_spectral_norm(upper_sizes(a)); }

}  // namespace rankcert
