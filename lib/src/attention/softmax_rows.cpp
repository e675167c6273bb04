#include "rigor/trusted.hpp"
//
#include <algorithm>

#include "attention/softmax_rows.hpp"

namespace rankcert::attention_detail {
namespace {

/// Bits of arguments beyond those of results: |t| 2^−bits−64 stays small wherever e^t is not negligible.
constexpr mpfr_prec_t kArgumentBits = 64;

/// Enough to hold every difference of two biases.
mpfr_prec_t bits_of_bias(const Head& head) {
    return head.mask.kind == MaskKind::additive
               ? std::max<mpfr_prec_t>(head.mask.bias.bits() + 1, MPFR_PREC_MIN)
               : MPFR_PREC_MIN;
}

/// [low, high] ∋ factor / √radicand.
void enclose_factor(const ExactFactor& factor, MpFloat& low, MpFloat& high) {
    if (factor.radicand == 1) {
        set(low, factor.factor, MPFR_RNDD);
        set(high, factor.factor, MPFR_RNDU);
        return;
    }
    // f/√q = f √q / q = √(f² / q), f ≥ 0: one rounding of the rational, one of the root.
    const Rational square = factor.factor * factor.factor / Rational(Integer(factor.radicand));
    set(low, square, MPFR_RNDD);
    set(high, square, MPFR_RNDU);
    mpfr_sqrt(low, low, MPFR_RNDD);
    mpfr_sqrt(high, high, MPFR_RNDU);
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

void SoftmaxRows::adapt_argument_bits() {
    // A bias v may cancel most of factor · dot; what is left must still be known to 2^−bits−60. So for a
    // softcap, whose logits are not taken as differences.
    long bits_before_point = 0;
    if (const auto& cap = logits_->softcap()) {
        const Integer whole = numerator(*cap) / denominator(*cap);
        if (whole > 0) bits_before_point = static_cast<long>(boost::multiprecision::msb(whole)) + 1;
    }
    for (const Integer& v : row_.bias) {
        if (v == 0) continue;
        const auto length = static_cast<long>(boost::multiprecision::msb(boost::multiprecision::abs(v))) + 1;
        bits_before_point = std::max(bits_before_point, length + logits_->bias_exponent());
    }
    const mpfr_prec_t needed = bits_ + kArgumentBits + bits_before_point;
    if (mpfr_get_prec(argument_low_) == needed) return;
    for (MpFloat* number : {&argument_low_, &argument_high_, &factor_low_, &factor_high_}) {
        mpfr_set_prec(*number, needed);
    }
    enclose_factor(logits_->factor(), factor_low_, factor_high_);
}

void SoftmaxRows::enclose_row(Eigen::Index i) {
    logits_->load_row(i, row_);
    adapt_argument_bits();
    const std::size_t count = row_.keys.size();
    while (lower_.size() < count) {
        lower_.emplace_back(bits_);
        upper_.emplace_back(bits_);
    }
    mpfr_set_zero(sum_low_, 1);
    mpfr_set_zero(sum_high_, 1);
    const bool capped = logits_->softcap().has_value();
    const std::size_t reference = capped ? enclose_capped() : 0;
    for (std::size_t k = 0; k < count; ++k) {
        bool exact = false;
        if (!capped) {
            exact = enclose_argument(row_.dot[k], row_.bias.empty() ? nullptr : &row_.bias[k]);
        } else if (k == reference) {
            exact = true;
            mpfr_set_zero(argument_low_, 1);
            mpfr_set_zero(argument_high_, 1);
        } else {
            mpfr_sub(argument_low_, capped_[k].lower_mpfr(), capped_[reference].upper_mpfr(), MPFR_RNDD);
            mpfr_sub(argument_high_, capped_[k].upper_mpfr(), capped_[reference].lower_mpfr(), MPFR_RNDU);
        }
        enclose_exponential(lower_[k], upper_[k], exact);
        mpfr_add(sum_low_, sum_low_, lower_[k], MPFR_RNDD);
        mpfr_add(sum_high_, sum_high_, upper_[k], MPFR_RNDU);
    }
    // The reference key contributes e^0 = 1 exactly, so both sums are at least 1.
    mpfr_ui_div(sum_low_, 1, sum_low_, MPFR_RNDU);    // now an upper bound of 1/Σ
    mpfr_ui_div(sum_high_, 1, sum_high_, MPFR_RNDD);  // now a lower bound of 1/Σ
    for (std::size_t k = 0; k < count; ++k) {
        mpfr_mul(lower_[k], lower_[k], sum_high_, MPFR_RNDD);
        mpfr_mul(upper_[k], upper_[k], sum_low_, MPFR_RNDU);
        if (mpfr_cmp_ui(upper_[k], 1) > 0) mpfr_set_ui(upper_[k], 1, MPFR_RNDU);
    }
}

bool SoftmaxRows::enclose_argument(const Integer& dot, const Integer* bias) {
    const bool up = dot > 0;  // possible only where a bias outweighs it
    const mpz_srcptr z = dot.backend().data();
    const long exponent = logits_->dot_exponent();
    int inexact = mpfr_mul_z(argument_low_, up ? factor_low_ : factor_high_, z, MPFR_RNDD);
    inexact |= mpfr_mul_2si(argument_low_, argument_low_, exponent, MPFR_RNDD);
    bool exact = inexact == 0 && (dot == 0 || mpfr_equal_p(factor_low_, factor_high_) != 0);
    if (exact) {
        mpfr_set(argument_high_, argument_low_, MPFR_RNDU);
    } else {
        mpfr_mul_z(argument_high_, up ? factor_high_ : factor_low_, z, MPFR_RNDU);
        mpfr_mul_2si(argument_high_, argument_high_, exponent, MPFR_RNDU);
    }
    if (bias != nullptr && *bias != 0) {
        set(bias_, *bias, logits_->bias_exponent(), MPFR_RNDN);  // exact: bits_of_bias
        inexact = mpfr_add(argument_low_, argument_low_, bias_, MPFR_RNDD);
        mpfr_add(argument_high_, argument_high_, bias_, MPFR_RNDU);
        exact = exact && inexact == 0;
    }
    // The argument is a difference from the largest logit.
    if (mpfr_cmp_ui(argument_high_, 0) > 0) mpfr_set_zero(argument_high_, 1);
    return exact;
}

std::size_t SoftmaxRows::enclose_capped() {
    const Rational& cap = *logits_->softcap();
    const auto bits = static_cast<unsigned>(mpfr_get_prec(argument_low_));
    const MpInterval enclosed_cap(cap, bits);
    MpInterval rate(bits), bias(bits);
    mpfr_set(rate.mutable_lower(), factor_low_, MPFR_RNDD);
    mpfr_set(rate.mutable_upper(), factor_high_, MPFR_RNDU);
    div_into(rate, rate, enclosed_cap);
    while (capped_.size() < row_.keys.size()) capped_.emplace_back(bits);
    std::size_t largest = 0;
    for (std::size_t k = 0; k < row_.keys.size(); ++k) {
        if (capped_[k].precision() != bits) capped_[k] = MpInterval(bits);
        MpInterval& x = capped_[k];
        x.set(row_.dot[k], logits_->dot_exponent());
        mul_into(x, x, rate);
        tanh_into(x, x);
        mul_into(x, x, enclosed_cap);
        if (!row_.bias.empty()) {
            bias.set(row_.bias[k], logits_->bias_exponent());
            add_into(x, x, bias);
        }
        if (mpfr_greater_p(x.lower_mpfr(), capped_[largest].lower_mpfr()) != 0) largest = k;
    }
    return largest;
}

void SoftmaxRows::enclose_exponential(MpFloat& low, MpFloat& high, bool argument_is_exact) {
    const int inexact = mpfr_exp(low, argument_low_, MPFR_RNDD);
    if (argument_is_exact) {
        mpfr_set(high, low, MPFR_RNDU);
        if (inexact != 0) mpfr_nextabove(high);
        return;
    }
    mpfr_sub(width_, argument_high_, argument_low_, MPFR_RNDU);
    if (mpfr_zero_p(low) != 0 || mpfr_cmp_ui(width_, 1) > 0) {
        mpfr_exp(high, argument_high_, MPFR_RNDU);
        return;
    }
    // e^(t+w) ≤ e^t (1 + w + w²) for 0 ≤ w ≤ 1. The second nextabove serves nesting only (docs, "More bits").
    mpfr_mul(growth_, width_, width_, MPFR_RNDU);
    mpfr_add(growth_, growth_, width_, MPFR_RNDU);
    mpfr_add_ui(growth_, growth_, 1, MPFR_RNDU);
    mpfr_set(high, low, MPFR_RNDU);
    mpfr_nextabove(high);
    mpfr_nextabove(high);
    mpfr_mul(high, high, growth_, MPFR_RNDU);
    if (mpfr_cmp_ui(high, 1) > 0 && mpfr_cmp_ui(argument_high_, 0) <= 0) mpfr_set_ui(high, 1, MPFR_RNDU);
}

}  // namespace rankcert::attention_detail
