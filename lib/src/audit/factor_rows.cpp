#include "rigor/trusted.hpp"
//
#include "audit/factor_rows.hpp"
#include "audit/residual.hpp"
#include "rankcert/linalg/ball_matrix.hpp"
#include "rankcert/linalg/product.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::audit {
namespace {

BallMatrix enclose(const Approximation& b) {
    const auto& f = b.factors;
    if (f.size() == 1) return point_matrix(f[0]);
    if (f.size() == 2) return enclose_product(f[0], f[1]);
    // From the side that makes the smaller matrix in between.
    if (f[0].rows() * f[1].cols() <= f[1].rows() * f[2].cols())
        return enclose_product(enclose_product(f[0], f[1]), f[2]);
    return enclose_product(f[0], enclose_product(f[1], f[2]));
}

std::string shape_of(const Eigen::MatrixXd& a) {
    return std::to_string(a.rows()) + "×" + std::to_string(a.cols());
}

}  // namespace

Approximation explicit_matrix(Eigen::MatrixXd b) {
    Approximation result;
    result.factors.push_back(std::move(b));
    return result;
}

Approximation product(Eigen::MatrixXd u, Eigen::MatrixXd v) {
    Approximation result = explicit_matrix(std::move(u));
    result.factors.push_back(std::move(v));
    return result;
}

Approximation product(Eigen::MatrixXd u, Eigen::MatrixXd w, Eigen::MatrixXd v) {
    Approximation result = product(std::move(u), std::move(w));
    result.factors.push_back(std::move(v));
    return result;
}

Approximation kernel_features(Eigen::MatrixXd query_features, const Eigen::MatrixXd& key_features,
                              std::optional<CausalAlignment> causal) {
    Approximation result = product(std::move(query_features), key_features.transpose());
    result.normalised = true;
    result.causal = causal;
    return result;
}

void validate(const Approximation& b) {
    if (b.factors.empty() || b.factors.size() > 3)
        throw Error("an approximation has one, two or three factors, not " +
                    std::to_string(b.factors.size()));
    static constexpr const char* kNames[] = {"the first factor", "the second factor", "the third factor"};
    for (std::size_t k = 0; k < b.factors.size(); ++k) {
        require_finite_entries(b.factors[k], kNames[k]);
        if (k > 0 && b.factors[k - 1].cols() != b.factors[k].rows())
            throw Error("factors of shapes " + shape_of(b.factors[k - 1]) + " and " + shape_of(b.factors[k]) +
                        " have no product: give the second as many rows as the first has columns");
    }
}

FactorRows::FactorRows(const Approximation& b) : b_(&b) {
    const BallMatrix p = audit::enclose(b);
    low_ = lower_bounds(p);
    high_ = upper_bounds(p);
    if (!b.causal) return;
    for (Index i = 0; i < rows(); ++i) {
        for (Index j = 0; j < cols(); ++j) {
            if (is_hidden(i, j)) low_(i, j) = high_(i, j) = 0;
        }
    }
}

bool FactorRows::is_hidden(Index i, Index j) const {
    return b_->causal && j > position(i, rows(), cols(), *b_->causal);
}

std::optional<RowState> FactorRows::enclose(Index i, std::vector<Interval>& entries) const {
    entries.clear();
    Interval sum(0, 0);
    for (Index j = 0; j < cols(); ++j) {
        entries.push_back(make_interval(low_(i, j), high_(i, j)));
        if (is_normalised()) sum = sum + entries.back();
    }
    if (!is_normalised()) return RowState::defined;
    if (sum.upper() <= 0) return RowState::undefined;
    if (!(sum.lower() > 0)) return std::nullopt;
    for (Interval& entry : entries) entry = entry / sum;
    return RowState::defined;
}

ExactRows FactorRows::exact(const std::vector<Index>& rows) {
    if (factors_.empty())
        for (const Eigen::MatrixXd& f : b_->factors) factors_.push_back(ExactMatrix::from_double(f));
    ExactRows result;
    result.numerator = factors_.front().select_rows(rows);
    for (std::size_t k = 1; k < factors_.size(); ++k) result.numerator = result.numerator * factors_[k];
    const auto count = static_cast<Index>(rows.size());
    if (b_->causal) {
        std::vector<Integer> mantissas;
        for (Index k = 0; k < count; ++k)
            for (Index j = 0; j < cols(); ++j)
                mantissas.push_back(is_hidden(rows[as_size(k)], j) ? Integer(0)
                                                                   : result.numerator.mantissa(k, j));
        result.numerator =
            ExactMatrix::from_integers(count, cols(), std::move(mantissas), result.numerator.exponent());
    }
    result.denominator = is_normalised() ? exact_row_sums(result.numerator)
                                         : ExactMatrix::from_double(Eigen::MatrixXd::Ones(count, 1));
    return result;
}

ExactMatrix exact_row_sums(const ExactMatrix& a) {
    return a * ExactMatrix::from_double(Eigen::MatrixXd::Ones(a.cols(), 1));
}

}  // namespace rankcert::audit
