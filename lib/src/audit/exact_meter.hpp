#pragma once
/// \file exact_meter.hpp  The arithmetic of a RowMeter whose exact entries are rationals, so that every
/// comparison decides, and of one whose entries may lie beyond the range of doubles. Internal to the room.

#include <algorithm>

#include "audit/row_meter.hpp"

namespace rankcert::audit {

/// Beyond the range of doubles ulp(t) is that of the largest of them.
inline constexpr long kLargestExponent = 1023;

struct WideMpfr : Mpfr {
    [[nodiscard]] static long lower_exponent(const MpInterval& x, long least) {
        return std::min(Mpfr::lower_exponent(x, least), kLargestExponent);
    }
    [[nodiscard]] static long upper_exponent(const MpInterval& x, long least) {
        return std::min(Mpfr::upper_exponent(x, least), kLargestExponent);
    }
};

struct Fractions {
    using Number = Rational;
    /// low = high, since all sizes are known.
    [[nodiscard]] static Rational make(double low, double) { return to_rational(low); }
    [[nodiscard]] static Rational make(const Rational& value) { return value; }
    [[nodiscard]] static bool above(const Rational& x, double bound) { return x > to_rational(bound); }
    [[nodiscard]] static bool at_least(const Rational& x, double bound) { return x >= to_rational(bound); }
    [[nodiscard]] static bool below(const Rational& x, double bound) { return x < to_rational(bound); }
    [[nodiscard]] static bool at_most(const Rational& x, double bound) { return x <= to_rational(bound); }
    [[nodiscard]] static Rational larger(const Rational& a, const Rational& b) { return a < b ? b : a; }
    [[nodiscard]] static bool lower_exceeds(const Rational& a, const Rational& b) { return a > b; }
    [[nodiscard]] static long lower_exponent(const Rational& x, long least) { return exponent(x, least); }
    [[nodiscard]] static long upper_exponent(const Rational& x, long least) { return exponent(x, least); }
    static void store(MpInterval& out, const Rational& x) { out.set(x); }

  private:
    /// e with 2^e ≤ x < 2^(e+1).
    [[nodiscard]] static long exponent(const Rational& x, long least) {
        if (x <= 0) return least;
        const auto e = static_cast<long>(msb(numerator(x))) - static_cast<long>(msb(denominator(x)));
        return std::min(x < to_rational(Integer(1), e) ? e - 1 : e, kLargestExponent);
    }
};

}  // namespace rankcert::audit
