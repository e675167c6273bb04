#include "rigor/trusted.hpp"
//
#include <algorithm>

#include "rankcert/attention/number_format.hpp"
#include "rankcert/attention/perturbation.hpp"

namespace rankcert {
namespace {

using Eigen::Index;

/// The rounding radius of every entry: |x′ − x| ≤ radius for every x′ that rounds to x.
ExactMatrix rounding_radii(const ExactMatrix& values, NumberFormat format) {
    std::vector<long> exponents;
    exponents.reserve(static_cast<std::size_t>(values.rows() * values.cols()));
    for (Index i = 0; i < values.rows(); ++i) {
        for (Index j = 0; j < values.cols(); ++j) {
            exponents.push_back(rounding_radius_exponent(values.mantissa(i, j), values.exponent(), format));
        }
    }
    const long least = *std::min_element(exponents.begin(), exponents.end());
    std::vector<Integer> mantissas;
    mantissas.reserve(exponents.size());
    for (const long exponent : exponents)
        mantissas.push_back(Integer(1) << static_cast<unsigned>(exponent - least));
    return ExactMatrix::from_integers(values.rows(), values.cols(), std::move(mantissas), least);
}

ExactMatrix magnitudes(const ExactMatrix& values) {
    std::vector<Integer> mantissas;
    mantissas.reserve(static_cast<std::size_t>(values.rows() * values.cols()));
    for (Index i = 0; i < values.rows(); ++i) {
        for (Index j = 0; j < values.cols(); ++j) {
            mantissas.push_back(boost::multiprecision::abs(values.mantissa(i, j)));
        }
    }
    return ExactMatrix::from_integers(values.rows(), values.cols(), std::move(mantissas), values.exponent());
}

/// The sum of the two largest entries of row i among `columns` (two or more), none of them negative.
Rational sum_of_two_largest(const ExactMatrix& values, Index i, const std::vector<Index>& columns) {
    Integer largest = 0;
    Integer second = 0;
    for (const Index j : columns) {
        Integer value = values.mantissa(i, j);
        if (value > largest) std::swap(value, largest);
        if (value > second) std::swap(value, second);
    }
    return to_rational(largest + second, values.exponent());
}

/// max_j k_jl − min_j k_jl over a set of rows j that mostly grows from one query to the next.
class ColumnRanges {
  public:
    explicit ColumnRanges(const ExactMatrix& key) : key_(&key) {}

    /// The ranges over `rows` (increasing, not empty), at the exponent of the matrix.
    const std::vector<Integer>& over(const std::vector<Index>& rows) {
        if (!std::includes(rows.begin(), rows.end(), rows_.begin(), rows_.end())) rows_.clear();
        std::vector<Index> fresh;
        std::set_difference(rows.begin(), rows.end(), rows_.begin(), rows_.end(), std::back_inserter(fresh));
        for (const Index j : fresh) include(j, rows_.empty() && j == fresh.front());
        rows_ = rows;
        ranges_.resize(highest_.size());
        for (std::size_t l = 0; l < highest_.size(); ++l) ranges_[l] = highest_[l] - lowest_[l];
        return ranges_;
    }

  private:
    void include(Index j, bool first) {
        highest_.resize(static_cast<std::size_t>(key_->cols()));
        lowest_.resize(highest_.size());
        for (Index l = 0; l < key_->cols(); ++l) {
            const auto at = static_cast<std::size_t>(l);
            const Integer value = key_->mantissa(j, l);
            if (first || value > highest_[at]) highest_[at] = value;
            if (first || value < lowest_[at]) lowest_[at] = value;
        }
    }

    const ExactMatrix* key_;
    std::vector<Index> rows_;
    std::vector<Integer> highest_, lowest_, ranges_;
};

/// Σ_l radius_il · range_l.
Rational weighted_range(const ExactMatrix& radii, Index i, const std::vector<Integer>& ranges,
                        long exponent) {
    Integer sum = 0;
    for (Index l = 0; l < radii.cols(); ++l)
        sum += radii.mantissa(i, l) * ranges[static_cast<std::size_t>(l)];
    return to_rational(sum, radii.exponent() + exponent);
}

}  // namespace

std::vector<Rational> upper_rounding_oscillation(const Head& head) {
    std::vector<Rational> bounds(static_cast<std::size_t>(head.queries()), Rational(0));
    if (!head.rounded_from) return bounds;
    // With q′ = q + δ, k′ = k + κ, |δ| ≤ a, |κ| ≤ b:  q′·k′ − q·k = δ·k + q′·κ, and
    //   osc_j(δ·k_j) ≤ min( Σ_l a_l (max_j k_jl − min_j k_jl),  the two largest Σ_l a_l |k_jl| ),
    //   osc_j(q′·κ_j) ≤ the two largest Σ_l (|q_l| + a_l) b_jl.
    const ExactMatrix a = rounding_radii(head.query, *head.rounded_from);
    const ExactMatrix b = rounding_radii(head.key, *head.rounded_from);
    const ExactMatrix of_query = a * magnitudes(head.key).transpose();
    const ExactMatrix of_key = (magnitudes(head.query) + a) * b.transpose();
    ColumnRanges ranges(head.key);
    std::vector<Index> visible;
    for (Index i = 0; i < head.queries(); ++i) {
        visible.clear();
        for (Index j = 0; j < head.keys(); ++j) {
            if (head.visible(i, j)) visible.push_back(j);
        }
        if (visible.size() < 2) continue;  // one logit has no oscillation
        const Rational by_range = weighted_range(a, i, ranges.over(visible), head.key.exponent());
        const Rational by_size = sum_of_two_largest(of_query, i, visible);
        bounds[static_cast<std::size_t>(i)] =
            std::min(by_range, by_size) + sum_of_two_largest(of_key, i, visible);
    }
    return bounds;
}

}  // namespace rankcert
