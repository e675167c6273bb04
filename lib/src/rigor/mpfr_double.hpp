#pragma once
/// \file mpfr_double.hpp  Between doubles and MPFR without a floating-point operation.
///
/// mpfr_set_d and mpfr_get_d compare and multiply doubles, so that denormals-are-zero changes what they do;
/// these work on the bits.

#include <mpfr.h>

#include <algorithm>

#include "rigor/double_bits.hpp"

namespace rankcert::detail {

/// target = value, rounded; value is not NaN. (The result is exact if target has 53 bits or more.)
inline int set_from_double(mpfr_ptr target, double value, mpfr_rnd_t rounding) {
    if (!bits_are_finite(value)) {
        mpfr_set_inf(target, bits_are_negative(value) ? -1 : 1);
        return 0;
    }
    const DoubleParts parts = take_apart(value);
    // The sign first: rounding is directed.
    if (parts.negative)
        return mpfr_set_si_2exp(target, -static_cast<long>(parts.mantissa), parts.exponent, rounding);
    return mpfr_set_ui_2exp(target, static_cast<unsigned long>(parts.mantissa), parts.exponent, rounding);
}

/// The greatest double ≤ value (rounding == MPFR_RNDD) or the least double ≥ value (MPFR_RNDU); NaN gives
/// NaN.
///
/// Rounding twice in the same direction is rounding once: first to the 53 or fewer bits that a double has at
/// value's exponent, then past the ends of the range.
inline double get_double(mpfr_srcptr value, mpfr_rnd_t rounding) {
    if (mpfr_nan_p(value)) return std::numeric_limits<double>::quiet_NaN();
    const bool negative = mpfr_signbit(value) != 0;
    if (mpfr_inf_p(value)) return put_together(negative, 1, 2000);
    if (mpfr_zero_p(value)) return put_together(negative, 0, 0);
    const bool away = (rounding == MPFR_RNDU) != negative;
    const mpfr_exp_t exponent = mpfr_get_exp(value);  // 2^(exponent−1) ≤ |value| < 2^exponent
    if (exponent > 1024)
        return away ? put_together(negative, 1, 2000) : put_together(negative, kFractionMask * 2 + 1, 971);
    if (exponent <= kMinExponent) {  // below the least positive double, 2^kMinExponent
        return put_together(negative, away ? 1 : 0, kMinExponent);
    }
    const auto bits = std::min<mpfr_prec_t>(53, static_cast<mpfr_prec_t>(exponent) - kMinExponent);
    mp_limb_t limbs[2];
    mpfr_t rounded;
    mpfr_custom_init(limbs, bits);
    mpfr_custom_init_set(rounded, MPFR_ZERO_KIND, 0, bits, limbs);
    mpfr_set(rounded, value, rounding);
    const mpfr_exp_t rounded_exponent = mpfr_get_exp(rounded);  // exponent, or one more
    // The significand is one limb with its highest bit set; its lowest 64 − bits bits are zero.
    static_assert(sizeof(mp_limb_t) == 8, "one limb must hold a significand");
    const std::uint64_t significand = static_cast<std::uint64_t>(limbs[0]) >> (64 - bits);
    const double result = put_together(negative, significand, static_cast<long>(rounded_exponent) - bits);
    if (!away && !bits_are_finite(result)) return put_together(negative, kFractionMask * 2 + 1, 971);
    return result;
}

}  // namespace rankcert::detail
