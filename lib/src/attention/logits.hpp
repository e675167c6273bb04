#pragma once
/// \file logits.hpp  The logits of a head as exact differences from each row's largest one.

#include <optional>
#include <vector>

#include "rankcert/attention/head.hpp"

namespace rankcert::attention_detail {

/// factor / √radicand, exactly; radicand = 1 where the root is rational.
struct ExactFactor {
    Rational factor = 1;
    std::uint64_t radicand = 1;
};

/// multiplier · head.scale, with a perfect square drawn out of the root.
[[nodiscard]] ExactFactor exact_factor(const Scale& scale, const Rational& multiplier);

/// A double c ≥ 0 with |c − f| ≤ 6u f for the exact factor f ≥ 0; nothing where c is not within [2^−400,
/// 2^400]. 0 is exact.
[[nodiscard]] std::optional<double> approximate(const ExactFactor& factor);

/// (multiplier_low + multiplier_high) / 2, the member of the family that the centre is computed for.
[[nodiscard]] Rational middle_multiplier(const Head& head);

/// Row i of the logits of the middle member, less its largest logit: for the visible keys, in increasing
/// order,
///     x_j − x_r = factor · (dot[j] · 2^dot_exponent) + bias[j] · 2^bias_exponent ≤ 0,
/// where r is the first visible key with the largest logit, and factor = |multiplier · scale|.
///
/// With a softcap c, where differences of dot products say nothing, for the first visible key r
///     x_j − bias_r = c · tanh(factor · dot[j] · 2^dot_exponent / c) + bias[j] · 2^bias_exponent.
struct LogitRow {
    std::vector<Eigen::Index> keys;
    std::vector<Integer> dot;   ///< sign of the scale included
    std::vector<Integer> bias;  ///< empty where there is no additive mask
};

/// All of it is integer arithmetic: the differences are exact, so that a constant added to a row's logits
/// leaves no trace.
class ExactLogits {
  public:
    /// Cost: one exact m×d×N product. The head must be valid and outlive the object; a softcap, by which scaled dot
    /// products x become c · tanh(x/c) before the bias is added, is positive.
    explicit ExactLogits(const Head& head, std::optional<Rational> softcap = std::nullopt);

    /// |multiplier · scale|; zero is possible.
    [[nodiscard]] const ExactFactor& factor() const noexcept { return factor_; }
    [[nodiscard]] bool has_bias() const noexcept { return head_->mask.kind == MaskKind::additive; }
    [[nodiscard]] long dot_exponent() const noexcept { return dots_.exponent(); }
    [[nodiscard]] long bias_exponent() const noexcept { return head_->mask.bias.exponent(); }
    [[nodiscard]] const Head& head() const noexcept { return *head_; }
    [[nodiscard]] const std::optional<Rational>& softcap() const noexcept { return softcap_; }
    /// Q Kᵀ.
    [[nodiscard]] const ExactMatrix& dots() const noexcept { return dots_; }

    void load_row(Eigen::Index i, LogitRow& row) const;

  private:
    [[nodiscard]] std::size_t largest(const LogitRow& row) const;
    /// Whether factor · dot · 2^dot_exponent + bias · 2^bias_exponent > 0, decided exactly.
    [[nodiscard]] bool is_positive(const Integer& dot, const Integer& bias) const;

    const Head* head_;
    std::optional<Rational> softcap_;
    ExactFactor factor_;
    bool negate_ = false;  // the scale is negative: the dot products are negated instead
    ExactMatrix dots_;
};

}  // namespace rankcert::attention_detail
