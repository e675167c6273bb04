#include "rigor/trusted.hpp"
//
#include <algorithm>

#include "attention/family.hpp"
#include "rankcert/attention/perturbation.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace attention_detail {
namespace {

/// out ← an upper bound of |scale · multiplier|.
void upper_factor(MpFloat& out, const Scale& scale, const Rational& multiplier) {
    const ExactFactor factor = exact_factor(scale, multiplier);
    set(out, factor.factor * factor.factor / Rational(Integer(factor.radicand)), MPFR_RNDU);
    mpfr_sqrt(out, out, MPFR_RNDU);
}

}  // namespace

void upper_perturbation(MpFloat& out, const MpFloat& oscillation) {
    mpfr_div_2ui(out, oscillation, 2, MPFR_RNDU);
    mpfr_tanh(out, out, MPFR_RNDU);
    mpfr_mul_2ui(out, out, 1, MPFR_RNDU);
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

void FamilyDistance::add_to(MpFloat& error, Eigen::Index i, const std::vector<Integer>& dot_differences) {
    if (single_) return;
    // Logits of a member less those of the middle one: (β − β_mid) s q·k + β s (q′·k′ − q·k).
    const auto [least, greatest] = std::minmax_element(dot_differences.begin(), dot_differences.end());
    const Integer range = *greatest - *least;
    mpfr_mul_z(oscillation_, half_width_, range.backend().data(), MPFR_RNDU);
    mpfr_mul_2si(oscillation_, oscillation_, logits_->dot_exponent(), MPFR_RNDU);
    mpfr_mul_q(term_, largest_, rounding_[static_cast<std::size_t>(i)].backend().data(), MPFR_RNDU);
    mpfr_add(oscillation_, oscillation_, term_, MPFR_RNDU);
    upper_perturbation(term_, oscillation_);
    mpfr_add(error, error, term_, MPFR_RNDU);
}

}  // namespace attention_detail

Rational upper_softmax_perturbation(const Rational& oscillation, unsigned working_bits) {
    using namespace attention_detail;
    if (oscillation < 0)
        throw Error("an oscillation is a difference max − min and cannot be negative: check its sign");
    const unsigned bits = std::max(working_bits, 64U);
    MpFloat value(bits);
    set(value, oscillation, MPFR_RNDU);
    upper_perturbation(value, value);
    return to_short_rational(value, -64L * static_cast<long>(bits), true);
}

}  // namespace rankcert
