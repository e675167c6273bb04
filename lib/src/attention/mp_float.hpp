#pragma once
/// \file mp_float.hpp  Exact ways into and out of MPFR numbers.

#include "rankcert/rigor/mp_interval.hpp"

namespace rankcert::attention_detail {

/// out ← mantissa · 2^exponent, rounded in the direction given. Returns MPFR's ternary value (0 = exact).
inline int set(MpFloat& out, const Integer& mantissa, long exponent, mpfr_rnd_t direction) {
    return mpfr_set_z_2exp(out, mantissa.backend().data(), exponent, direction);
}

/// out ← value, rounded in the direction given.
inline int set(MpFloat& out, const Rational& value, mpfr_rnd_t direction) {
    return mpfr_set_q(out, value.backend().data(), direction);
}

/// The exact value of a number that is 0 or at least 2^least_exponent; a smaller positive one becomes
/// 2^least_exponent where `upward`, else 0, so that the rational stays short. It must not be negative.
[[nodiscard]] Rational to_short_rational(const MpFloat& value, long least_exponent, bool upward);

}  // namespace rankcert::attention_detail
