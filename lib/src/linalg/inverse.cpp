#include "rankcert/linalg/inverse.hpp"

#include <Eigen/LU>
#include <vector>

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

void require_square(const ConstMatrixRef& g) {
    if (g.rows() != g.cols())
        throw Error("a matrix to be inverted has shape " + std::to_string(g.rows()) + "×" +
                    std::to_string(g.cols()) + ": give a square one");
}

/// A ball in the variables 2^exponents: G = (midpoint ± (radius + every_entry)) · diag(2^exponents). Large
/// and small columns are made alike, which leaves I − R G unchanged but for a similarity, and rows of the
/// inverse are scaled back.
struct ColumnScaled {
    MatrixXd midpoint;
    const MatrixXd* radius;  ///< nullptr for none
    double every_entry;      ///< what scaling may have changed in any entry
    std::vector<int> exponents;
};

/// Row i of I − R G has an ℓ1 norm of at most the i-th entry, for every member G of the ball.
/// `product` holds r·G − I afterwards, of no further use but for its memory.
VectorXd upper_residuals(const ColumnScaled& g, const MatrixXd& r, MatrixXd& product) {
    const Index n = r.rows();
    product = detail::multiply(r, g.midpoint);
    product.diagonal().array() -= 1;
    const VectorXd sums = detail::row_sums(product);  // of numbers with one rounding each
    const auto [relative, absolute] = detail::product_error(n);
    // |R (G − midpoint)| + c|R||midpoint|, applied to the vector of ones.
    const VectorXd ones = VectorXd::Ones(n);
    VectorXd reach = detail::upper_abs_times(g.midpoint, ones);
    const double spread = upper_product(g.every_entry, static_cast<double>(n));
    for (Index i = 0; i < n; ++i) reach[i] = upper_sum(upper_product(reach[i], relative), spread);
    if (g.radius != nullptr) {
        const VectorXd radii = detail::upper_abs_times(*g.radius, ones);
        for (Index i = 0; i < n; ++i) reach[i] = upper_sum(reach[i], radii[i]);
    }
    VectorXd bounds = detail::upper_abs_times(r, reach);
    const double rest = upper_product(absolute, static_cast<double>(n));
    const double factor = detail::sum_factor(n + 2);
    for (Index i = 0; i < n; ++i) {
        const double whole = upper_sum(upper_sum(upper_product(sums[i], factor), bounds[i]), rest);
        bounds[i] = detail::nan_to_infinity(whole);
    }
    return bounds;
}

std::optional<InverseEnclosure> prove(const ColumnScaled& g, MatrixXd r) {
    const Index n = r.rows();
    if (n == 0) return InverseEnclosure{{MatrixXd(0, 0), MatrixXd(0, 0)}, 0, 0};
    // A row of r with a NaN or an infinity makes its row of r G so too (∞ · 0 is NaN): the residual is then
    // +∞.
    MatrixXd memory;  // fresh memory for large matrices costs as much as several passes over them
    const VectorXd residuals = upper_residuals(g, r, memory);
    const double residual = detail::largest(residuals);
    if (!(residual < 1)) return std::nullopt;
    const double gap = detail::lower_difference(1, residual);
    if (!(gap > 0)) return std::nullopt;

    VectorXd reach(n);  // max_k |(G⁻¹)_kj| ≤ reach_j
    for (Index j = 0; j < n; ++j) reach[j] = detail::upper_quotient(r.col(j).cwiseAbs().maxCoeff(), gap);
    const VectorXd row_norms = upper_row_norms(r);
    const double whole_norm = detail::upper_quotient(detail::largest(row_norms), gap);

    InverseEnclosure result{{std::move(r), std::move(memory)}, residual, 0};
    // Row i goes back to its scale by two factors 2^half with exponents of the same sign: each step rounds by
    // at most η/2.
    VectorXd first(n), second(n);
    for (Index i = 0; i < n; ++i) {
        const int e = -g.exponents[static_cast<std::size_t>(i)];
        first[i] = detail::put_together(false, 1, e / 2);
        second[i] = detail::put_together(false, 1, e - e / 2);
        // Row i of G⁻¹ = R + E G⁻¹ has a norm of at most ‖R_i‖ + α_i ‖G⁻¹‖.
        const double row = upper_sum(row_norms[i], upper_product(residuals[i], whole_norm));
        result.norm =
            std::max(result.norm, detail::nan_to_infinity(detail::upper_times_power_of_two(row, e)));
    }
    // α_i c_j/(1 − α) in four roundings, which 2^−49 = 16 u covers; 4η for the underflow of the radius and of
    // the midpoint.
    constexpr double kFactor = 1 + 0x1p-49;
    for (Index j = 0; j < n; ++j) {
        double* m = result.inverse.midpoint.data() + j * n;
        double* radius = result.inverse.radius.data() + j * n;
        for (Index i = 0; i < n; ++i) {
            m[i] = m[i] * first[i] * second[i];
            const double reached = (residuals[i] * reach[j] + detail::kUnderflowUnit) * kFactor;
            radius[i] = reached * first[i] * second[i] + 4 * detail::kUnderflowUnit;
        }
    }
    if (detail::all_finite(result.inverse.midpoint) && detail::all_finite(result.inverse.radius))
        return result;
    for (Index k = 0; k < n * n; ++k) {
        double& m = result.inverse.midpoint.data()[k];
        double& radius = result.inverse.radius.data()[k];
        if (detail::bits_are_finite(m) && detail::bits_are_finite(radius)) continue;
        m = 0;
        radius = std::numeric_limits<double>::infinity();
    }
    return result;
}

ColumnScaled unscaled(const MatrixXd& midpoint, const MatrixXd* radius) {
    return {midpoint, radius, 0, std::vector<int>(static_cast<std::size_t>(midpoint.cols()), 0)};
}

/// Columns scaled so that the largest entry of each is in [1/2, 1).
ColumnScaled scaled(const ConstMatrixRef& midpoint, const MatrixXd* radius, MatrixXd& radius_storage) {
    ColumnScaled result = unscaled(midpoint, nullptr);
    if (radius != nullptr) radius_storage.resizeLike(*radius);
    for (Index j = 0; j < midpoint.cols(); ++j) {
        const int e = detail::binary_exponent(midpoint.col(j).cwiseAbs().maxCoeff());
        result.exponents[static_cast<std::size_t>(j)] = e;
        result.midpoint.col(j) = detail::scaled_by_power_of_two(midpoint.col(j), -e);
        if (e > 0) result.every_entry = detail::kUnderflowUnit;
        if (radius == nullptr) continue;
        for (Index i = 0; i < midpoint.rows(); ++i)
            radius_storage(i, j) = detail::upper_times_power_of_two((*radius)(i, j), -e);
    }
    if (radius != nullptr) result.radius = &radius_storage;
    return result;
}

std::optional<InverseEnclosure> enclose(const ConstMatrixRef& midpoint, const MatrixXd* radius) {
    MatrixXd storage;
    const ColumnScaled g = scaled(midpoint, radius, storage);
    // Not trusted: any matrix would do. A singular one gives infinities, which `prove` turns away.
    MatrixXd r =
        g.midpoint.size() == 0 ? MatrixXd(g.midpoint) : MatrixXd(g.midpoint.partialPivLu().inverse());
    return prove(g, std::move(r));
}

void require_approximation(const ConstMatrixRef& g, const ConstMatrixRef& r) {
    detail::require_same_shape(g.rows(), g.cols(), r.rows(), r.cols(),
                               "a matrix and its approximate inverse");
}

}  // namespace

std::optional<InverseEnclosure> prove_inverse(const ConstMatrixRef& g,
                                              const ConstMatrixRef& approximate_inverse) {
    require_square(g);
    require_approximation(g, approximate_inverse);
    detail::require_finite(g, "the matrix");
    const FloatingPointGuard guard;
    return prove(unscaled(g, nullptr), approximate_inverse);
}

std::optional<InverseEnclosure> prove_inverse(const BallMatrix& g,
                                              const ConstMatrixRef& approximate_inverse) {
    validate(g);
    require_square(g.midpoint);
    require_approximation(g.midpoint, approximate_inverse);
    const FloatingPointGuard guard;
    return prove(unscaled(g.midpoint, &g.radius), approximate_inverse);
}

std::optional<InverseEnclosure> enclose_inverse(const ConstMatrixRef& g) {
    require_square(g);
    detail::require_finite(g, "the matrix");
    const FloatingPointGuard guard;
    return enclose(g, nullptr);
}

std::optional<InverseEnclosure> enclose_inverse(const BallMatrix& g) {
    validate(g);
    require_square(g.midpoint);
    const FloatingPointGuard guard;
    return enclose(g.midpoint, &g.radius);
}

}  // namespace rankcert
