#include "rankcert/linalg/positive_definite.hpp"

#include <vector>

#include "linalg/estimate.hpp"
#include "linalg/kernel.hpp"
#include "rankcert/linalg/norms.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert {
namespace {

using detail::Index;
using detail::upper_product;
using detail::upper_sum;
using Eigen::MatrixXd;
using Eigen::VectorXd;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An upper bound of ‖A − t I − C Cᵀ‖, largest row ℓ1 norm.
double upper_remainder(const ConstMatrixRef& a, double t, const ConstMatrixRef& c) {
    const Index n = a.rows();
    MatrixXd rest = a;
    double shift_error = 0;  // the rounding of a_ii − t, at most u times the result
    for (Index i = 0; i < n; ++i) {
        rest(i, i) -= t;
        shift_error = std::max(shift_error, detail::nan_to_infinity(std::abs(rest(i, i))));
    }
    shift_error = upper_product(shift_error, detail::kUnitRoundoff);
    rest -= detail::multiply(c, c, detail::Op::plain, detail::Op::transposed);
    if (!detail::all_finite(rest)) return kInfinity;
    const double sums = upper_product(detail::largest(detail::row_sums(rest)), detail::sum_factor(n + 2));
    const auto [relative, absolute] = detail::product_error(c.cols());
    const VectorXd reach =
        detail::upper_abs_times(c, detail::upper_abs_transposed_times(c, VectorXd::Ones(c.rows())));
    const double product = upper_sum(upper_product(relative, detail::largest(reach)),
                                     upper_product(absolute, static_cast<double>(n)));
    return detail::nan_to_infinity(upper_sum(upper_sum(sums, shift_error), product));
}

/// t − ‖A − t I − C Cᵀ‖ from below.
double lower_from_factor(const ConstMatrixRef& a, double t, const ConstMatrixRef& c) {
    const double bound = detail::lower_difference(t, upper_remainder(a, t, c));
    return detail::bits_are_nan(bound) ? -kInfinity : bound;
}

MatrixXd shifted(MatrixXd a, double t) {
    a.diagonal().array() -= t;
    return a;
}

/// Variables scaled by powers of two so that the diagonal is in [1/2, 2): D a D is positive definite exactly
/// where a is. Nothing where the diagonal is not positive.
struct UnitDiagonal {
    MatrixXd matrix;
    std::vector<int> halves;  ///< D = diag(2^−halves)
};
std::optional<UnitDiagonal> unit_diagonal(const ConstMatrixRef& a) {
    UnitDiagonal result{a, std::vector<int>(static_cast<std::size_t>(a.rows()))};
    auto half = [&](Index i) -> int& { return result.halves[static_cast<std::size_t>(i)]; };
    for (Index i = 0; i < a.rows(); ++i) {
        if (!(a(i, i) > 0)) return std::nullopt;
        const int e = detail::binary_exponent(a(i, i));
        half(i) = e >= 0 ? e / 2 : -((1 - e) / 2);  // ⌊e/2⌋
    }
    for (Index j = 0; j < a.cols(); ++j)
        for (Index i = 0; i < a.rows(); ++i)
            result.matrix(i, j) = detail::times_power_of_two(a(i, j), -half(i) - half(j));
    if (!detail::all_finite(result.matrix)) return std::nullopt;
    return result;
}

Decision prove(const ConstMatrixRef& a, const MatrixXd* radius) {
    const Index n = a.rows();
    if (n == 0) return Decision::proved;
    const auto unit = unit_diagonal(a);
    if (!unit) return Decision::undecided;
    // What the members of the ball differ from unit->matrix by, largest row sum: scaling's η an entry, and
    // the radius.
    double spread = upper_product(static_cast<double>(n), detail::kUnderflowUnit);
    if (radius != nullptr) {
        MatrixXd scaled(n, n);
        for (Index j = 0; j < n; ++j)
            for (Index i = 0; i < n; ++i)
                scaled(i, j) = detail::upper_times_power_of_two(
                    (*radius)(i, j),
                    -unit->halves[static_cast<std::size_t>(i)] - unit->halves[static_cast<std::size_t>(j)]);
        spread = upper_sum(spread, upper_row_norm(ConstMatrixRef(scaled)));
    }
    // Any shift is sound; this one is about twice what the remainder of a Cholesky decomposition is bounded
    // by.
    const auto size = static_cast<double>(n);
    const double shift = 2.5 * (size + 4) * size * detail::kUnitRoundoff * 2 + 1.01 * spread;
    if (!detail::bits_are_finite(shift)) return Decision::undecided;
    const auto factor = detail::estimate_cholesky(shifted(unit->matrix, shift));
    if (!factor || !detail::all_finite(*factor)) return Decision::undecided;
    const double bound = detail::lower_difference(lower_from_factor(unit->matrix, shift, *factor), spread);
    return bound > 0 ? Decision::proved : Decision::undecided;
}

void require_symmetric(const ConstMatrixRef& a) {
    detail::require_finite(a, "the matrix");
    const FloatingPointGuard guard;
    detail::require_symmetric(a, "the matrix");
}

void require_shift(double shift) {
    if (!detail::bits_are_finite(shift)) throw Error("the shift is not a finite number: give one");
}

}  // namespace

double lower_smallest_eigenvalue(const ConstMatrixRef& a, double shift, const ConstMatrixRef& factor) {
    require_symmetric(a);
    require_shift(shift);
    detail::require_finite(factor, "the factor");
    detail::require_inner(a.rows(), factor.rows(), "decomposition");
    detail::require_inner(factor.cols(), factor.cols(), "decomposition");
    const FloatingPointGuard guard;
    return a.rows() == 0 ? kInfinity : detail::pinned(lower_from_factor(a, detail::pinned(shift), factor));
}

std::optional<double> lower_smallest_eigenvalue(const ConstMatrixRef& a, double shift) {
    require_symmetric(a);
    require_shift(shift);
    const FloatingPointGuard guard;
    if (a.rows() == 0) return kInfinity;
    const int exponent = detail::binary_exponent(largest_entry(a));
    const MatrixXd scaled = detail::scaled_by_power_of_two(a, -exponent);
    const double t = detail::times_power_of_two(detail::pinned(shift), -exponent);  // any t is sound
    if (!detail::bits_are_finite(t)) return std::nullopt;
    const auto factor = detail::estimate_cholesky(shifted(scaled, t));
    if (!factor || !detail::all_finite(*factor)) return std::nullopt;
    // Scaling may have changed an entry by η, a row sum by n η.
    const double spread = upper_product(static_cast<double>(a.rows()), detail::kUnderflowUnit);
    const double bound = detail::lower_difference(lower_from_factor(scaled, t, *factor), spread);
    return detail::pinned(detail::lower_times_power_of_two(bound, exponent));
}

Decision prove_positive_definite(const ConstMatrixRef& a) {
    require_symmetric(a);
    const FloatingPointGuard guard;
    return prove(a, nullptr);
}

Decision prove_positive_definite(const BallMatrix& a) {
    validate(a);
    require_symmetric(a.midpoint);
    require_symmetric(a.radius.unaryExpr([](double r) { return detail::bits_are_finite(r) ? r : 0.0; }));
    const FloatingPointGuard guard;
    return prove(a.midpoint, &a.radius);
}

}  // namespace rankcert
