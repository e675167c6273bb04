#include "rigor/trusted.hpp"
//
#include "attention/family.hpp"

#include <algorithm>

#include "rankcert/attention/perturbation.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace attention_detail {
namespace {

/// out ← an upper bound of |scale · multiplier|.
void upper_factor(MpfrNumber& out, const Scale& scale, const Rational& multiplier) {
    const ExactFactor factor = exact_factor(scale, multiplier);
    set(out, factor.factor * factor.factor / Rational(Integer(factor.radicand)), MPFR_RNDU);
    mpfr_sqrt(out.get(), out.get(), MPFR_RNDU);
}

}  // namespace

void upper_perturbation(MpfrNumber& out, const MpfrNumber& oscillation) {
    mpfr_div_2ui(out.get(), oscillation.get(), 2, MPFR_RNDU);
    mpfr_tanh(out.get(), out.get(), MPFR_RNDU);
    mpfr_mul_2ui(out.get(), out.get(), 1, MPFR_RNDU);
}

FamilyDistance::FamilyDistance(const ExactLogits& logits, unsigned bits)
    : logits_(&logits),
      single_(logits.head().is_single()),
      half_width_(bits),
      largest_(bits),
      oscillation_(bits),
      term_(bits) {
    if (single_) return;
    const Head& head = logits.head();
    rounding_ = upper_rounding_oscillation(head);
    upper_factor(half_width_, head.scale, (head.multiplier_high - head.multiplier_low) / 2);
    upper_factor(largest_, head.scale, head.multiplier_high);
}

void FamilyDistance::add_to(MpfrNumber& error, Eigen::Index i, const std::vector<Integer>& dot_differences) {
    if (single_) return;
    // Logits of a member less those of the middle one: (β − β_mid) s q·k + β s (q′·k′ − q·k).
    const auto [least, greatest] = std::minmax_element(dot_differences.begin(), dot_differences.end());
    const Integer range = *greatest - *least;
    mpfr_mul_z(oscillation_.get(), half_width_.get(), range.backend().data(), MPFR_RNDU);
    mpfr_mul_2si(oscillation_.get(), oscillation_.get(), logits_->dot_exponent(), MPFR_RNDU);
    mpfr_mul_q(term_.get(), largest_.get(), rounding_[static_cast<std::size_t>(i)].backend().data(), MPFR_RNDU);
    mpfr_add(oscillation_.get(), oscillation_.get(), term_.get(), MPFR_RNDU);
    upper_perturbation(term_, oscillation_);
    mpfr_add(error.get(), error.get(), term_.get(), MPFR_RNDU);
}

}  // namespace attention_detail

Rational upper_softmax_perturbation(const Rational& oscillation, unsigned working_bits) {
    using namespace attention_detail;
    if (oscillation < 0) throw Error("an oscillation is a difference max − min and cannot be negative: check its sign");
    const unsigned bits = std::max(working_bits, 64U);
    MpfrNumber value(bits);
    set(value, oscillation, MPFR_RNDU);
    upper_perturbation(value, value);
    return to_short_rational(value, -64L * static_cast<long>(bits), true);
}

}  // namespace rankcert
