#include "rigor/trusted.hpp"
//
#include "attention/softmax_rows.hpp"

#include <algorithm>

namespace rankcert::attention_detail {
namespace {

/// Bits of arguments beyond those of results: |t| 2^−bits−64 stays small wherever e^t is not negligible.
constexpr mpfr_prec_t kArgumentBits = 64;

mpfr_prec_t bits_of_bias(const Head& head) {
    return head.mask.kind == MaskKind::additive ? std::max<mpfr_prec_t>(head.mask.bias.bits() + 1, MPFR_PREC_MIN)
                                                : MPFR_PREC_MIN;
}

/// [low, high] ∋ factor / √radicand.
void enclose_factor(const ExactFactor& factor, MpfrNumber& low, MpfrNumber& high) {
    if (factor.radicand == 1) {
        set(low, factor.factor, MPFR_RNDD);
        set(high, factor.factor, MPFR_RNDU);
        return;
    }
    // f/√q = f √q / q = √(f² / q), f ≥ 0: one rounding of the rational, one of the root.
    const Rational square = factor.factor * factor.factor / Rational(Integer(factor.radicand));
    set(low, square, MPFR_RNDD);
    set(high, square, MPFR_RNDU);
    mpfr_sqrt(low.get(), low.get(), MPFR_RNDD);
    mpfr_sqrt(high.get(), high.get(), MPFR_RNDU);
}

}  // namespace

SoftmaxRows::SoftmaxRows(const ExactLogits& logits, unsigned bits)
    : logits_(&logits),
      bits_(static_cast<mpfr_prec_t>(bits)),
      factor_low_(bits_ + kArgumentBits),
      factor_high_(bits_ + kArgumentBits),
      argument_low_(bits_ + kArgumentBits),
      argument_high_(bits_ + kArgumentBits),
      bias_(bits_of_bias(logits.head())),
      width_(bits_),
      growth_(bits_),
      sum_low_(bits_),
      sum_high_(bits_) {
    enclose_factor(logits.factor(), factor_low_, factor_high_);
}

void SoftmaxRows::enclose_row(Eigen::Index i) {
    logits_->load_row(i, row_);
    const std::size_t count = row_.keys.size();
    while (lower_.size() < count) {
        lower_.emplace_back(bits_);
        upper_.emplace_back(bits_);
    }
    mpfr_set_zero(sum_low_.get(), 1);
    mpfr_set_zero(sum_high_.get(), 1);
    for (std::size_t k = 0; k < count; ++k) {
        const bool exact = enclose_argument(row_.dot[k], row_.bias.empty() ? nullptr : &row_.bias[k]);
        enclose_exponential(lower_[k], upper_[k], exact);
        mpfr_add(sum_low_.get(), sum_low_.get(), lower_[k].get(), MPFR_RNDD);
        mpfr_add(sum_high_.get(), sum_high_.get(), upper_[k].get(), MPFR_RNDU);
    }
    // The reference key contributes e^0 = 1 exactly, so both sums are at least 1.
    mpfr_ui_div(sum_low_.get(), 1, sum_low_.get(), MPFR_RNDU);    // now an upper bound of 1/Σ
    mpfr_ui_div(sum_high_.get(), 1, sum_high_.get(), MPFR_RNDD);  // now a lower bound of 1/Σ
    for (std::size_t k = 0; k < count; ++k) {
        mpfr_mul(lower_[k].get(), lower_[k].get(), sum_high_.get(), MPFR_RNDD);
        mpfr_mul(upper_[k].get(), upper_[k].get(), sum_low_.get(), MPFR_RNDU);
        if (mpfr_cmp_ui(upper_[k].get(), 1) > 0) mpfr_set_ui(upper_[k].get(), 1, MPFR_RNDU);
    }
}

bool SoftmaxRows::enclose_argument(const Integer& dot, const Integer* bias) {
    const bool up = dot > 0;  // possible only where a bias outweighs it
    const mpz_srcptr z = dot.backend().data();
    const long exponent = logits_->dot_exponent();
    int inexact = mpfr_mul_z(argument_low_.get(), (up ? factor_low_ : factor_high_).get(), z, MPFR_RNDD);
    inexact |= mpfr_mul_2si(argument_low_.get(), argument_low_.get(), exponent, MPFR_RNDD);
    bool exact = inexact == 0 && (dot == 0 || mpfr_equal_p(factor_low_.get(), factor_high_.get()) != 0);
    if (exact) {
        mpfr_set(argument_high_.get(), argument_low_.get(), MPFR_RNDU);
    } else {
        mpfr_mul_z(argument_high_.get(), (up ? factor_high_ : factor_low_).get(), z, MPFR_RNDU);
        mpfr_mul_2si(argument_high_.get(), argument_high_.get(), exponent, MPFR_RNDU);
    }
    if (bias != nullptr && *bias != 0) {
        set(bias_, *bias, logits_->bias_exponent(), MPFR_RNDN);  // exact: bias_ has the bits of every difference
        inexact = mpfr_add(argument_low_.get(), argument_low_.get(), bias_.get(), MPFR_RNDD);
        mpfr_add(argument_high_.get(), argument_high_.get(), bias_.get(), MPFR_RNDU);
        exact = exact && inexact == 0;
    }
    // The argument is a difference from the largest logit.
    if (mpfr_sgn(argument_high_.get()) > 0) mpfr_set_zero(argument_high_.get(), 1);
    return exact;
}

void SoftmaxRows::enclose_exponential(MpfrNumber& low, MpfrNumber& high, bool argument_is_exact) {
    const int inexact = mpfr_exp(low.get(), argument_low_.get(), MPFR_RNDD);
    if (argument_is_exact) {
        mpfr_set(high.get(), low.get(), MPFR_RNDU);
        if (inexact != 0) mpfr_nextabove(high.get());
        return;
    }
    mpfr_sub(width_.get(), argument_high_.get(), argument_low_.get(), MPFR_RNDU);
    if (mpfr_zero_p(low.get()) != 0 || mpfr_cmp_ui(width_.get(), 1) > 0) {
        mpfr_exp(high.get(), argument_high_.get(), MPFR_RNDU);
        return;
    }
    // e^(t+w) ≤ e^t (1 + w + w²) for 0 ≤ w ≤ 1. The second step above is for nesting only (docs, "More bits").
    mpfr_mul(growth_.get(), width_.get(), width_.get(), MPFR_RNDU);
    mpfr_add(growth_.get(), growth_.get(), width_.get(), MPFR_RNDU);
    mpfr_add_ui(growth_.get(), growth_.get(), 1, MPFR_RNDU);
    mpfr_set(high.get(), low.get(), MPFR_RNDU);
    mpfr_nextabove(high.get());
    mpfr_nextabove(high.get());
    mpfr_mul(high.get(), high.get(), growth_.get(), MPFR_RNDU);
    if (mpfr_cmp_ui(high.get(), 1) > 0) mpfr_set_ui(high.get(), 1, MPFR_RNDU);
}

}  // namespace rankcert::attention_detail
