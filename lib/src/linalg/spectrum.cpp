#include "rankcert/linalg/spectrum.hpp"

#include <algorithm>

#include "linalg/estimate.hpp"
#include "linalg/kernel.hpp"
#include "rankcert/linalg/norms.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert {
namespace {

using detail::Index;
using detail::upper_product;
using detail::upper_sum;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The ball midpoint ± radius = 2^exponent (midpoint' ± radius'), largest entry of the midpoint' in [1/2, 1).
struct Scaled {
    MatrixXd midpoint;
    double radius_norm;  ///< upper bound of the spectral norm of what radius and scaling may add
    int exponent;
};

Scaled scaled(const ConstMatrixRef& midpoint, const MatrixXd* radius) {
    Scaled result{midpoint, 0, detail::binary_exponent(largest_entry(midpoint))};
    if (result.exponent != 0) result.midpoint = detail::scaled_by_power_of_two(midpoint, -result.exponent);
    // Entries that became subnormal are wrong by at most η each: in norm, by at most η times the larger side.
    if (result.exponent > 0)
        result.radius_norm =
            static_cast<double>(std::max(midpoint.rows(), midpoint.cols())) * detail::kUnderflowUnit;
    if (radius != nullptr) {
        const double norm = upper_spectral_norm(*radius);
        result.radius_norm =
            upper_sum(result.radius_norm, detail::upper_times_power_of_two(norm, -result.exponent));
    }
    return result;
}

VectorXd ones(Index n) { return VectorXd::Ones(n); }

/// An upper bound of ‖B‖₂ where d = fl(B) entry by entry, each entry one subtraction: |B| ≤ (1 + u)|d|.
double upper_norm_of_difference(const MatrixXd& d) {
    if (!detail::all_finite(d)) return std::numeric_limits<double>::infinity();
    return upper_product(upper_spectral_norm(d), 1 + 0x1p-52);
}

/// An upper bound of ‖XᵀX − I‖₂. The product's error is at most c|X|ᵀ|X| + nη, a symmetric matrix, so that
/// its norm is at most its largest row sum.
double upper_defect(const ConstMatrixRef& x) {
    MatrixXd gram = detail::multiply(x, x, detail::Op::transposed);
    gram.diagonal().array() -= 1;
    const auto [relative, absolute] = detail::product_error(x.rows());
    const double sums =
        detail::largest(detail::upper_abs_transposed_times(x, detail::upper_abs_times(x, ones(x.cols()))));
    const double rest = upper_product(absolute, static_cast<double>(x.cols()));
    return upper_sum(upper_norm_of_difference(gram), upper_sum(upper_product(relative, sums), rest));
}

/// An upper bound of ‖A − U diag(values) Vᵀ‖₂, p = values.size(). With Y = fl(U diag(values)), the value of
/// fl(Y Vᵀ) is wrong by at most c|U||values||V|ᵀ + η(w + p) in each entry, c for length p + 2 and w the
/// largest row norm of V.
double upper_residual(const MatrixXd& a, const ConstMatrixRef& u, const VectorXd& values,
                      const ConstMatrixRef& v) {
    MatrixXd y(u.rows(), u.cols());
    for (Index j = 0; j < u.cols(); ++j) y.col(j) = u.col(j) * values[j];
    const MatrixXd difference = a - detail::multiply(y, v, detail::Op::plain, detail::Op::transposed);

    const auto weighted = [&](VectorXd sums) {
        for (Index j = 0; j < sums.size(); ++j) sums[j] = upper_product(sums[j], std::abs(values[j]));
        return sums;
    };
    const double row = detail::largest(
        detail::upper_abs_times(u, weighted(detail::upper_abs_transposed_times(v, ones(v.rows())))));
    const double column = detail::largest(
        detail::upper_abs_times(v, weighted(detail::upper_abs_transposed_times(u, ones(u.rows())))));
    const double mixed = upper_product(detail::upper_root(row), detail::upper_root(column));
    const double relative = detail::product_error(values.size() + 2).relative;
    const double width = upper_sum(detail::largest(detail::upper_abs_times(v, ones(v.cols()))),
                                   static_cast<double>(values.size()));
    const double rest = upper_product(upper_product(width, 4 * detail::kUnderflowUnit),
                                      static_cast<double>(std::max(a.rows(), a.cols())));
    return upper_sum(upper_norm_of_difference(difference), upper_sum(upper_product(relative, mixed), rest));
}

/// Each value ± (defect · |value| + residual), scaled back; floor is the least value that there can be.
std::optional<Spectrum> around(const VectorXd& values, double defect, double residual, int exponent,
                               double floor) {
    Spectrum result{VectorXd(values.size()), VectorXd(values.size()), defect, residual};
    if (!detail::bits_are_finite(defect) || !detail::bits_are_finite(residual)) return std::nullopt;
    for (Index i = 0; i < values.size(); ++i) {
        const double radius = upper_sum(upper_product(defect, std::abs(values[i])), residual);
        result.lower[i] = std::max(
            floor, detail::lower_times_power_of_two(detail::lower_difference(values[i], radius), exponent));
        result.upper[i] = detail::upper_times_power_of_two(detail::upper_sum(values[i], radius), exponent);
    }
    return result;
}

std::optional<VectorXd> scaled_values(const VectorXd& values, int exponent) {
    VectorXd result = detail::scaled_by_power_of_two(values, -exponent);
    if (!detail::all_finite(result)) return std::nullopt;
    return result;
}

std::optional<Spectrum> prove_symmetric(const Scaled& a, const ConstMatrixRef& x, const VectorXd& values) {
    if (!detail::all_finite(x) || !detail::all_finite(values)) return std::nullopt;
    const double defect = upper_defect(x);
    const double residual = upper_sum(upper_residual(a.midpoint, x, values, x), a.radius_norm);
    VectorXd sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return around(sorted, defect, residual, a.exponent, -std::numeric_limits<double>::infinity());
}

std::optional<Spectrum> prove_singular(const Scaled& a, const ConstMatrixRef& u, const VectorXd& values,
                                       const ConstMatrixRef& v) {
    if (!detail::all_finite(u) || !detail::all_finite(v) || !detail::all_finite(values)) return std::nullopt;
    VectorXd sorted = values;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    if (sorted.size() > 0 && !(sorted[sorted.size() - 1] >= 0)) return std::nullopt;
    // √((1+α)(1+β)) ≤ 1 + x(1+x)/2 and √((1−α)(1−β)) ≥ 1 − x(1+x)/2 for x = α + β (docs, "Spectra").
    const double x = upper_sum(upper_defect(u), upper_defect(v));
    const double defect = upper_product(upper_product(x, upper_sum(1, x)), 0.5);
    const double residual = upper_sum(upper_residual(a.midpoint, u, values, v), a.radius_norm);
    std::optional<Spectrum> result = around(sorted, defect, residual, a.exponent, 0);
    if (result) result->defect = x;
    return result;
}

void require_symmetric_ball(const BallMatrix& a) {
    validate(a);
    const FloatingPointGuard guard;
    detail::require_symmetric(a.midpoint, "the midpoint");
    detail::require_symmetric(a.radius, "the radius");
}

void require_symmetric_point(const ConstMatrixRef& a) {
    detail::require_finite(a, "the matrix");
    const FloatingPointGuard guard;
    detail::require_symmetric(a, "the matrix");
}

void require_decomposition(const ConstMatrixRef& a, Index p, const ConstMatrixRef& u, Index values,
                           const ConstMatrixRef& v) {
    detail::require_same_shape(a.rows(), p, u.rows(), u.cols(),
                               "a matrix of vectors and its place in the decomposition");
    detail::require_same_shape(a.cols(), p, v.rows(), v.cols(),
                               "a matrix of vectors and its place in the decomposition");
    detail::require_same_shape(p, 1, values, 1, "the values and their place in the decomposition");
    detail::require_inner(p + 2, p + 2, "decomposition");
}

std::optional<Spectrum> symmetric(const ConstMatrixRef& a, const MatrixXd* radius, const ConstMatrixRef* x,
                                  const VectorXd* values) {
    const FloatingPointGuard guard;
    const Scaled s = scaled(a, radius);
    if (x != nullptr) {
        require_decomposition(a, a.rows(), *x, values->size(), *x);
        const auto scaled_down = scaled_values(*values, s.exponent);
        return scaled_down ? prove_symmetric(s, *x, *scaled_down) : std::nullopt;
    }
    const auto found = detail::estimate_eigenvectors(s.midpoint);
    return found ? prove_symmetric(s, found->vectors, found->values) : std::nullopt;
}

struct Triple {
    const ConstMatrixRef& left;
    const VectorXd& values;
    const ConstMatrixRef& right;
};

std::optional<Spectrum> singular(const ConstMatrixRef& a, const MatrixXd* radius, const Triple* given) {
    const FloatingPointGuard guard;
    const Scaled s = scaled(a, radius);
    if (given != nullptr) {
        require_decomposition(a, std::min(a.rows(), a.cols()), given->left, given->values.size(),
                              given->right);
        const auto scaled_down = scaled_values(given->values, s.exponent);
        return scaled_down ? prove_singular(s, given->left, *scaled_down, given->right) : std::nullopt;
    }
    const auto found = detail::estimate_singular_vectors(s.midpoint);
    return found ? prove_singular(s, found->left, found->values, found->right) : std::nullopt;
}

}  // namespace

std::optional<Spectrum> prove_symmetric_spectrum(const ConstMatrixRef& a, const ConstMatrixRef& vectors,
                                                 const VectorXd& values) {
    require_symmetric_point(a);
    return symmetric(a, nullptr, &vectors, &values);
}

std::optional<Spectrum> prove_symmetric_spectrum(const BallMatrix& a, const ConstMatrixRef& vectors,
                                                 const VectorXd& values) {
    require_symmetric_ball(a);
    return symmetric(a.midpoint, &a.radius, &vectors, &values);
}

std::optional<Spectrum> enclose_symmetric_spectrum(const ConstMatrixRef& a) {
    require_symmetric_point(a);
    return symmetric(a, nullptr, nullptr, nullptr);
}

std::optional<Spectrum> enclose_symmetric_spectrum(const BallMatrix& a) {
    require_symmetric_ball(a);
    return symmetric(a.midpoint, &a.radius, nullptr, nullptr);
}

std::optional<Spectrum> prove_singular_values(const ConstMatrixRef& a, const ConstMatrixRef& left,
                                              const VectorXd& values, const ConstMatrixRef& right) {
    detail::require_finite(a, "the matrix");
    const Triple triple{left, values, right};
    return singular(a, nullptr, &triple);
}

std::optional<Spectrum> prove_singular_values(const BallMatrix& a, const ConstMatrixRef& left,
                                              const VectorXd& values, const ConstMatrixRef& right) {
    validate(a);
    const Triple triple{left, values, right};
    return singular(a.midpoint, &a.radius, &triple);
}

std::optional<Spectrum> enclose_singular_values(const ConstMatrixRef& a) {
    detail::require_finite(a, "the matrix");
    return singular(a, nullptr, nullptr);
}

std::optional<Spectrum> enclose_singular_values(const BallMatrix& a) {
    validate(a);
    return singular(a.midpoint, &a.radius, nullptr);
}

}  // namespace rankcert
