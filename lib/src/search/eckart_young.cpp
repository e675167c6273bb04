#include <algorithm>
#include <cmath>

#include "eckart_young_tail.hpp"
#include "eckart_young_witness.hpp"
#include "grid.hpp"
#include "rankcert/search/lower.hpp"
#include "rankcert/search/work.hpp"

namespace rankcert::search {
namespace {

/// Whether G is one-hot: it then stands on every grid, and its rows have norm one exactly.
bool is_selection(const Matrix& g) {
    return (g.array() == 0 || g.array() == 1).all() && g.rowwise().sum().maxCoeff() <= 1;
}

/// Rows of norm at most one after rounding: a shade shorter, then towards zero.
constexpr double kShorter = 1 - 0x1p-40;

/// L and C of the product form for H at the threshold t, on a grid, with what they prove by estimate.
struct ProductForm {
    double threshold = 0;
    Matrix large;
    Matrix small;
    double tail = 0;  ///< tr H − r t − ‖L‖_F² − p δ, less a bound of the rounding errors of this estimate
};

ProductForm product_form(const Matrix& h, const SymmetricEigen& eigen, Index r, Index length, int digits) {
    const Index p = h.rows();
    const Vector& lambda = eigen.values;  // ascending: the last r are the large ones
    const Index rest = p - r;
    double threshold = 0;
    if (rest > 0) threshold = r > 0 ? (lambda(rest - 1) + lambda(rest)) / 2 : lambda(rest - 1);
    ProductForm form;
    const Matrix spread = Matrix::Constant(1, 1, std::max(0.0, threshold));
    form.threshold = round_to_grid(spread, relative_grid(spread, 30))(0, 0);
    const Vector over = (lambda.tail(r).array() - form.threshold).max(0).sqrt().matrix();
    const Vector under = (form.threshold - lambda.head(rest).array()).max(0).sqrt().matrix();
    form.large = eigen.vectors.rightCols(r) * over.asDiagonal();
    form.small = eigen.vectors.leftCols(rest) * under.asDiagonal();
    const int bits = std::max(relative_grid(form.large, digits), relative_grid(form.small, digits));
    form.large = round_to_grid(form.large, bits);
    form.small = round_to_grid(form.small, bits);
    Matrix defect = -h;
    gemm(1, form.large, Op::none, form.large, Op::transpose, 1, defect);
    gemm(-1, form.small, Op::none, form.small, Op::transpose, 1, defect);
    defect.diagonal().array() += form.threshold;
    const double trace = h.trace();
    // Entries of H, L Lᵀ and C Cᵀ are at most tr H, t + tr H or so in absolute value; row sums have p of
    // them.
    const double rounding = estimate_rounding(length + p, 1) * (trace + form.threshold);
    const double delta = estimate_norm(defect) + rounding * std::sqrt(static_cast<double>(p));
    form.tail = trace - static_cast<double>(r) * form.threshold - form.large.squaredNorm() -
                static_cast<double>(p) * delta - rounding;
    return form;
}

}  // namespace

std::optional<EckartYoungWitness> round_grouping(const Matrix& a, const WeightedGrouping& choice, Index bound,
                                                 double tolerance) {
    if (bound < 1) return std::nullopt;
    const Index r = bound - 1;
    const bool one_hot = is_selection(choice.grouping);
    for (const int digits : {20, 26, 34, 42}) {
        const Matrix g = one_hot ? choice.grouping : truncate_to_grid(choice.grouping * kShorter, digits);
        const Matrix s = truncate_to_grid(choice.weights * kShorter, digits + 4);
        const Matrix k = s.col(0).asDiagonal() * multiply(a, g);
        const bool by_rows = k.rows() <= k.cols();
        const Matrix h = by_rows ? multiply_nt(k, k) : multiply_tn(k, k);
        const Index length = a.cols() + std::max(k.rows(), k.cols());
        if (h.rows() < r) return std::nullopt;
        const auto eigen = symmetric_eigen(h);
        if (!eigen) return std::nullopt;
        if (!(eigen->values.head(h.rows() - r).sum() > tolerance * tolerance)) continue;
        for (const int factor_digits : {26, 34, 42, 50}) {
            const ProductForm form = product_form(h, *eigen, r, length, factor_digits);
            if (!(form.tail > tolerance * tolerance)) continue;
            EckartYoungWitness witness;
            witness.rank = r;
            witness.row_weights = ExactMatrix::from_double(s);
            witness.grouping = ExactMatrix::from_double(g);
            witness.side = by_rows ? GramSide::rows : GramSide::columns;
            witness.threshold = ExactMatrix::from_double(Matrix::Constant(1, 1, form.threshold));
            witness.large_factor = ExactMatrix::from_double(form.large);
            witness.small_factor = ExactMatrix::from_double(form.small);
            return witness;
        }
    }
    return std::nullopt;
}

std::optional<EckartYoungWitness> propose_eckart_young(const Matrix& a, double tolerance,
                                                       const Options& options) {
    if (a.size() == 0 || !a.allFinite() || !(tolerance > 0)) return std::nullopt;
    TailSearchOptions search;
    search.deadline = work_seconds() + options.seconds;
    const WeightedGrouping plain = plain_grouping(a);
    const Index most = std::min(a.rows(), a.cols());
    const GroupingBound found = optimise_grouping(a, tolerance, plain, most, search);
    for (Index bound = found.bound; bound > 0; --bound) {
        if (auto witness = round_grouping(a, found.choice, bound, tolerance)) return witness;
    }
    return std::nullopt;
}

}  // namespace rankcert::search
