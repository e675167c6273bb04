#include <limits>
#include <string>
#include <vector>

#include "certificate/fast_chain.hpp"
#include "certificate/fast_measure.hpp"
#include "rankcert/linalg/norms.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::detail {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

LowerMeasure nothing(const std::string& reason) { return {LowerMeasure::Nothing{reason}, nullptr}; }
LowerMeasure wrong_shape() {
    return nothing("the shapes of the witness do not fit the matrix or each other");
}
LowerMeasure not_double() {
    return nothing("a number of the witness is not a float64: the exact level can tell");
}
LowerMeasure overflow() { return nothing("float64 overflows on this witness: the exact level can tell"); }

bool has_shape(const ExactMatrix& a, Index rows, Index cols) { return a.rows() == rows && a.cols() == cols; }

/// Whether d has the identity in these rows, which must be distinct and exist.
bool has_identity(const MatrixXd& d, const std::vector<Index>& pivots) {
    if (static_cast<Index>(pivots.size()) != d.cols()) return false;
    for (Index k = 0; k < d.cols(); ++k) {
        const Index row = pivots[static_cast<std::size_t>(k)];
        if (row < 0 || row >= d.rows()) return false;
        for (Index j = 0; j < d.cols(); ++j)
            if (!(d(row, j) == (j == k ? 1.0 : 0.0))) return false;
    }
    return true;  // equal pivots would need one row with two ones
}

/// A contraction whose residual is bounded by `residual` + what the centre's shift may add, gain·shift·‖D‖.
LowerMeasure contraction(Index rank, double residual, const Rational& gain, double shift,
                         const Rational& d_norm) {
    if (!bits_are_finite(residual)) return overflow();
    Rational bound = to_rational(residual);
    if (shift > 0) bound += gain * to_rational(shift) * d_norm;
    return {LowerMeasure::Contraction{rank, bound, gain}, nullptr};
}

}  // namespace

// Theorem "Fixed space": D_J = I_k and ‖D − S Ã D‖ + t ‖S‖ < 1 imply r_t(Ã) ≥ k. S (Ã D), from the right.
LowerMeasure measure_fast(const FixedSpaceWitness& witness, const FastCentre& centre) {
    const FloatingPointGuard guard;
    const MatrixXd& a = centre.values;
    const Index k = witness.basis.cols();
    if (!has_shape(witness.basis, a.cols(), k) || !has_shape(witness.inverse, a.cols(), a.rows()))
        return wrong_shape();
    if (!witness.basis.is_double() || !witness.inverse.is_double()) return not_double();
    const MatrixXd d = witness.basis.to_double();
    if (!has_identity(d, witness.pivots))
        return nothing("the pivot rows of the basis D are not the identity");
    const Tracked product = witness.inverse.to_double() * (a * tracked(d));
    const double residual = upper_distance(d - product.value, product.row_error);
    return contraction(k, residual, witness.inverse.norm(), centre.shift, witness.basis.norm());
}

// Theorem "Neumann": ‖S‖ ≤ 1, ‖D‖ ≤ 1 and ‖I − R S Ã D‖ + t ‖R‖ < 1 imply r_t(Ã) ≥ M. R (S (Ã D)), from the
// right.
LowerMeasure measure_fast(const NeumannWitness& witness, const FastCentre& centre) {
    const FloatingPointGuard guard;
    const MatrixXd& a = centre.values;
    const Index size = witness.selection.rows();
    if (!has_shape(witness.selection, size, a.rows()) || !has_shape(witness.decoder, a.cols(), size) ||
        !has_shape(witness.inverse, size, size))
        return wrong_shape();
    if (!witness.selection.is_double() || !witness.decoder.is_double() || !witness.inverse.is_double())
        return not_double();
    if (witness.selection.norm() > 1) return nothing("the selection S has a row of ℓ1 norm above 1");
    const Rational d_norm = witness.decoder.norm();
    if (d_norm > 1) return nothing("the decoder D has a row of ℓ1 norm above 1");
    const Tracked product = witness.inverse.to_double() *
                            (witness.selection.to_double() * (a * tracked(witness.decoder.to_double())));
    MatrixXd difference = product.value;
    difference.diagonal().array() -= 1;
    return contraction(size, upper_distance(difference, product.row_error), witness.inverse.norm(),
                       centre.shift, d_norm);
}

namespace {

/// What is known of K = diag(s) Ã G: F = K − value has row ℓ1 norms of at most error_i.
struct Weighted {
    MatrixXd value;
    VectorXd error;
    VectorXd sizes;  ///< max_j |value_ij|
};

Weighted weighted_product(const MatrixXd& s, const MatrixXd& a, const MatrixXd& g) {
    Tracked product = a * tracked(g);
    Weighted k{std::move(product.value), std::move(product.row_error), VectorXd::Zero(a.rows())};
    if (!all_finite(k.value)) return k;  // its errors are infinite
    const double columns = static_cast<double>(g.cols());
    for (Index i = 0; i < a.rows(); ++i) {
        // |fl(s x) − s x| ≤ u |fl(s x)| (1 + 2u) + η.
        k.value.row(i) *= s(i, 0);  // |s_i| ≤ 1: finite stays finite
        k.sizes[i] = largest_entry(k.value.row(i));
        const double rounding = upper_product(upper_product(k.sizes[i], columns), 0x1p-52);
        const double scaled = upper_product(std::abs(s(i, 0)), k.error[i]);
        k.error[i] = nan_to_infinity(upper_sum(upper_sum(scaled, rounding), columns * kUnderflowUnit));
    }
    return k;
}

double upper_dot(const VectorXd& x, const VectorXd& y) {
    double sum = 0;
    for (Index i = 0; i < x.size(); ++i) sum = upper_sum(sum, upper_product(x[i], y[i]));
    return nan_to_infinity(sum);
}

/// A bound of every row sum of |H − Ĥ|, where H and Ĥ are the Gram matrices of K and of its float64 value:
/// with F = K − value, rows:    F valueᵀ + value Fᵀ + F Fᵀ: at most f_i max_l Σ_j|value_jl| + max_l|value_il|
/// Σ_j f_j + f_i Σ_j f_j; columns: Fᵀ value + valueᵀ F + Fᵀ F: at most Σ_i f_i ‖value_i‖₁ + Σ_i
/// max_l|value_il| f_i + Σ_i f_i².
double upper_gram_error(const Weighted& k, GramSide side) {
    const VectorXd ones = VectorXd::Ones(k.error.size());
    if (side == GramSide::rows) {
        const double total = upper_dot(k.error, ones);
        const double most = largest(k.error);
        const double columns = largest(upper_abs_transposed_times(k.value, ones));
        return upper_sum(upper_product(most, upper_sum(columns, total)),
                         upper_product(largest(k.sizes), total));
    }
    return upper_sum(upper_sum(upper_dot(k.error, upper_row_reach(k.value)), upper_dot(k.error, k.sizes)),
                     upper_dot(k.error, k.error));
}

/// δ: an upper bound of ‖t I + L Lᵀ − Ĥ − C Cᵀ‖ with Ĥ = X Xᵀ. One product: Z Wᵀ with Z = [L X C], W = [L −X
/// −C], so that every entry is one dot product, of length q, wrong by at most c|Z||Z|ᵀ + qη.
double upper_gram_defect(double t, const MatrixXd& l, const MatrixXd& x, const MatrixXd& c) {
    const Index order = l.rows();
    MatrixXd z(order, l.cols() + x.cols() + c.cols());
    z << l, x, c;
    MatrixXd w = z;
    w.rightCols(x.cols() + c.cols()) *= -1;
    MatrixXd e = multiply(z, w, Op::plain, Op::transposed);
    e.diagonal().array() += t;
    const auto [relative, absolute] = product_error(z.cols());
    VectorXd error = upper_abs_times(z, upper_abs_transposed_times(z, VectorXd::Ones(order)));
    const double rest = upper_product(absolute, static_cast<double>(order));
    for (Index i = 0; i < order; ++i) error[i] = upper_sum(upper_product(relative, error[i]), rest);
    return upper_distance(e, error);
}

}  // namespace

// Theorem "Weighted, grouped Eckart–Young", product form: tail_r(K) ≥ tr H − r t − ‖L‖_F² − p δ. Here tr H
// comes out too small and δ too large; t, ‖L‖_F² and the side conditions are exact.
LowerMeasure measure_fast(const EckartYoungWitness& witness, const FastCentre& centre) {
    const FloatingPointGuard guard;
    const MatrixXd& a = centre.values;
    const ExactMatrix& grouping = witness.grouping;
    const bool rows = witness.side == GramSide::rows;
    const Index order = rows ? a.rows() : grouping.cols();
    const ExactMatrix& large = witness.large_factor;
    const ExactMatrix& small = witness.small_factor;
    if (!has_shape(witness.row_weights, a.rows(), 1) || grouping.rows() != a.cols() ||
        !has_shape(witness.threshold, 1, 1) || large.rows() != order || small.rows() != order)
        return wrong_shape();
    if (witness.rank < 0 || witness.rank == std::numeric_limits<Index>::max())
        return nothing("the rank r is negative or absurdly large");
    for (const ExactMatrix* number : {&witness.row_weights, &grouping, &witness.threshold, &large, &small})
        if (!number->is_double()) return not_double();
    const Rational t = witness.threshold(0, 0);
    if (t < 0) return nothing("the threshold t is negative");
    if (witness.row_weights.squared_frobenius_norm() > 1)
        return nothing("the squares of the row weights s sum to more than 1");
    for (const Rational& square : grouping.row_squares())
        if (square > 1) return nothing("the grouping G has a row of ℓ2 norm above 1");

    Weighted k = weighted_product(witness.row_weights.to_double(), a, grouping.to_double());
    // What the centre's shift adds to row i is at most |s_i| shift max_j ‖G_j‖₁, and no |s_i| and no |G_jl|
    // is above 1.
    if (centre.shift > 0)
        for (Index i = 0; i < k.error.size(); ++i)
            k.error[i] =
                upper_sum(k.error[i], upper_product(centre.shift, static_cast<double>(grouping.cols())));
    if (!all_finite(k.value) || !bits_are_finite(largest(k.error))) return overflow();

    const double delta =
        upper_sum(upper_gram_defect(witness.threshold.to_double()(0, 0), large.to_double(),
                                    rows ? k.value : MatrixXd(k.value.transpose()), small.to_double()),
                  upper_gram_error(k, witness.side));
    // tr H = Σ (value + F)² ≥ Σ value² − 2 Σ_i max_j|value_ij| f_i.
    const double cross = 2 * upper_dot(k.sizes, k.error);
    const double trace = lower_sum_of_squares(k.value);
    if (!bits_are_finite(delta) || !bits_are_finite(cross) || !bits_are_finite(trace)) return overflow();
    const Rational tail = to_rational(trace) - to_rational(cross) - Rational(witness.rank) * t -
                          large.squared_frobenius_norm() - Rational(order) * to_rational(delta);
    return {LowerMeasure::Tail{witness.rank + 1, tail}, nullptr};
}

}  // namespace rankcert::detail
