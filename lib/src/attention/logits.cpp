#include "rigor/trusted.hpp"
//
#include <cmath>

#include "attention/logits.hpp"

namespace rankcert::attention_detail {

ExactFactor exact_factor(const Scale& scale, const Rational& multiplier) {
    const Integer radicand(scale.sqrt_of);
    const Integer root = boost::multiprecision::sqrt(radicand);  // the integer part
    if (root * root == radicand) return {multiplier * scale.factor / Rational(root), 1};
    return {multiplier * scale.factor, scale.sqrt_of};
}

std::optional<double> approximate(const ExactFactor& factor) {
    if (factor.factor == 0) return 0.0;
    const double numerator = lower_double(factor.factor);
    const double value =
        factor.radicand == 1 ? numerator : numerator / std::sqrt(static_cast<double>(factor.radicand));
    if (!(numerator >= 0x1p-400 && value >= 0x1p-400 && numerator <= 0x1p400)) return std::nullopt;
    return value;
}

Rational middle_multiplier(const Head& head) { return (head.multiplier_low + head.multiplier_high) / 2; }

ExactLogits::ExactLogits(const Head& head, std::optional<Rational> softcap)
    : head_(&head),
      softcap_(std::move(softcap)),
      factor_(exact_factor(head.scale, middle_multiplier(head))),
      negate_(factor_.factor < 0),
      dots_(head.query * head.key.transpose()) {
    if (negate_) factor_.factor = -factor_.factor;
}

void ExactLogits::load_row(Eigen::Index i, LogitRow& row) const {
    row.keys.clear();
    row.dot.clear();
    row.bias.clear();
    for (Eigen::Index j = 0; j < head_->keys(); ++j) {
        if (!head_->visible(i, j)) continue;
        row.keys.push_back(j);
        row.dot.push_back(dots_.mantissa(i, j));
        if (negate_) row.dot.back() = -row.dot.back();
        if (has_bias()) row.bias.push_back(head_->mask.bias.mantissa(i, j));
    }
    const std::size_t reference = softcap_ ? 0 : largest(row);
    if (!softcap_) {
        const Integer dot = row.dot[reference];
        for (Integer& value : row.dot) value -= dot;
    }
    if (has_bias()) {
        const Integer bias = row.bias[reference];
        for (Integer& value : row.bias) value -= bias;
    }
}

std::size_t ExactLogits::largest(const LogitRow& row) const {
    std::size_t best = 0;
    for (std::size_t j = 1; j < row.keys.size(); ++j) {
        const bool greater = has_bias()
                                 ? is_positive(row.dot[j] - row.dot[best], row.bias[j] - row.bias[best])
                                 : factor_.factor != 0 && row.dot[j] > row.dot[best];
        if (greater) best = j;
    }
    return best;
}

bool ExactLogits::is_positive(const Integer& dot, const Integer& bias) const {
    const int dot_sign = factor_.factor == 0 ? 0 : dot.sign();
    const int bias_sign = bias.sign();
    if (dot_sign >= 0 && bias_sign >= 0) return dot_sign + bias_sign > 0;
    if (dot_sign <= 0 && bias_sign <= 0) return false;
    // Opposite signs: the larger magnitude decides, and squares rid us of the root.
    const Rational product = factor_.factor * to_rational(dot, dot_exponent());
    const Rational shift = to_rational(bias, bias_exponent());
    const Rational left = product * product;
    const Rational right = shift * shift * Rational(Integer(factor_.radicand));
    return dot_sign > 0 ? left > right : right > left;
}

}  // namespace rankcert::attention_detail
