#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <numeric>

#include "attention/logits.hpp"
#include "rankcert/attention/softmax.hpp"

namespace rankcert {
namespace {

using attention_detail::ExactFactor;
using attention_detail::ExactLogits;
using attention_detail::LogitRow;
using Eigen::Index;

/// Two rows with equal keys are equal rows of A for every member of the family.
struct RowKey {
    std::vector<Index> visible;
    std::vector<Integer> differences;  ///< of logits from the first visible key's, in an unspoken common unit

    friend bool operator==(const RowKey&, const RowKey&) = default;
    friend bool operator<(const RowKey& a, const RowKey& b) {
        return a.visible != b.visible ? a.visible < b.visible : a.differences < b.differences;
    }
};

/// The integers u, v with  u / v = factor · 2^exponent  (v > 0).
std::pair<Integer, Integer> as_fraction(const Rational& factor, long exponent) {
    const Rational value = factor * to_rational(Integer(1), exponent);
    return {boost::multiprecision::numerator(value), boost::multiprecision::denominator(value)};
}

}  // namespace

Index count_distinct_rows(const Head& head) {
    validate(head);
    if (head.rounded_from) return head.queries();
    const ExactLogits logits(head);
    const ExactFactor& factor = logits.factor();
    const bool constant_dots = factor.factor == 0;  // then multiplier_high = 0 or scale = 0 for all members
    // One rational factor: dot and bias add up, since only the sum counts. Else both parts must be equal.
    const bool adds_up = factor.radicand == 1 && head.multiplier_low == head.multiplier_high;
    const auto [u, v] = as_fraction(factor.factor, logits.dot_exponent());
    const auto [x, y] = as_fraction(Rational(1), logits.has_bias() ? logits.bias_exponent() : 0);

    std::vector<RowKey> keys(static_cast<std::size_t>(head.queries()));
    LogitRow row;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        logits.load_row(static_cast<Index>(i), row);
        std::vector<Integer>& differences = keys[i].differences;
        for (std::size_t j = 0; j < row.keys.size(); ++j) {
            const Integer dot = constant_dots ? Integer(0) : row.dot[j] - row.dot[0];
            if (!logits.has_bias()) {
                differences.push_back(dot);
            } else if (adds_up) {  // in units of 1 / (v y)
                differences.push_back(u * y * dot + x * v * (row.bias[j] - row.bias[0]));
            } else {
                differences.push_back(dot);
                differences.push_back(row.bias[j] - row.bias[0]);
            }
        }
        keys[i].visible = std::move(row.keys);
    }
    std::sort(keys.begin(), keys.end());
    return std::unique(keys.begin(), keys.end()) - keys.begin();
}

}  // namespace rankcert
