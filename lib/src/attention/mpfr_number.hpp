#pragma once
/// \file mpfr_number.hpp  One MPFR number that frees itself, and its exact conversions.
///
/// The inner loops of the softmax enclosure call mpfr_* on `get()` with a rounding direction each time; nothing here
/// rounds to nearest by default, and MPFR's default precision is never used.

#include <mpfr.h>

#include <utility>

#include "rankcert/rigor/rational.hpp"

namespace rankcert::attention_detail {

/// An mpfr_t of fixed precision; zero at first.
class MpfrNumber {
  public:
    explicit MpfrNumber(mpfr_prec_t bits) {
        mpfr_init2(value_, bits);
        mpfr_set_zero(value_, 1);
    }
    MpfrNumber(MpfrNumber&& other) noexcept {
        mpfr_init2(value_, MPFR_PREC_MIN);
        mpfr_swap(value_, other.value_);
    }
    MpfrNumber& operator=(MpfrNumber&& other) noexcept {
        mpfr_swap(value_, other.value_);
        return *this;
    }
    MpfrNumber(const MpfrNumber&) = delete;
    MpfrNumber& operator=(const MpfrNumber&) = delete;
    ~MpfrNumber() { mpfr_clear(value_); }

    [[nodiscard]] mpfr_ptr get() noexcept { return value_; }
    [[nodiscard]] mpfr_srcptr get() const noexcept { return value_; }

  private:
    mpfr_t value_;
};

/// out ← mantissa · 2^exponent, rounded in the direction given. Returns MPFR's ternary value (0 = exact).
inline int set(MpfrNumber& out, const Integer& mantissa, long exponent, mpfr_rnd_t direction) {
    return mpfr_set_z_2exp(out.get(), mantissa.backend().data(), exponent, direction);
}

/// out ← value, rounded in the direction given.
inline int set(MpfrNumber& out, const Rational& value, mpfr_rnd_t direction) {
    return mpfr_set_q(out.get(), value.backend().data(), direction);
}

/// The exact value of a finite number ≥ 2^least_exponent or 0; a smaller positive one becomes 2^least_exponent where
/// `upward`, else 0, so that the rational stays short. Negative values are not for this function.
[[nodiscard]] Rational to_short_rational(const MpfrNumber& value, long least_exponent, bool upward);

}  // namespace rankcert::attention_detail
