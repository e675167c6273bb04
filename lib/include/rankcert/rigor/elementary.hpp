#pragma once
/// \file elementary.hpp  Elementary functions of intervals.
///
/// Each gives the tightest interval of doubles that contains the function's values at the members of x that
/// lie in its domain (log of [−1, 1] is log of (0, 1], log of [−1, 0] is empty), and so is correctly rounded
/// outward; pow with a rational exponent that is not dyadic may be one unit wider where its numerator exceeds
/// 1000 or its denominator 1000000. The values come from MPFR with directed rounding (mp_interval.hpp), never
/// from libm. The functions may be called from any thread in any floating-point environment.
///
/// Cost: a few microseconds each.

#include "rankcert/rigor/interval.hpp"

namespace rankcert {

[[nodiscard]] Interval exp(const Interval& x);
[[nodiscard]] Interval exp2(const Interval& x);
[[nodiscard]] Interval exp10(const Interval& x);
[[nodiscard]] Interval expm1(const Interval& x);
[[nodiscard]] Interval log(const Interval& x);
[[nodiscard]] Interval log2(const Interval& x);
[[nodiscard]] Interval log10(const Interval& x);
[[nodiscard]] Interval log1p(const Interval& x);
[[nodiscard]] Interval tanh(const Interval& x);
[[nodiscard]] Interval sinh(const Interval& x);
[[nodiscard]] Interval cosh(const Interval& x);
[[nodiscard]] Interval asinh(const Interval& x);
[[nodiscard]] Interval acosh(const Interval& x);
[[nodiscard]] Interval atanh(const Interval& x);
[[nodiscard]] Interval sin(const Interval& x);
[[nodiscard]] Interval cos(const Interval& x);
[[nodiscard]] Interval tan(const Interval& x);  ///< entire if x contains a pole
[[nodiscard]] Interval asin(const Interval& x);
[[nodiscard]] Interval acos(const Interval& x);
[[nodiscard]] Interval atan(const Interval& x);
/// The angle of (x, y) in (−π, π]; [−π, π] where the box meets the cut from below.
[[nodiscard]] Interval atan2(const Interval& y, const Interval& x);

/// x^exponent, for x ≠ 0 where exponent < 0; x⁰ = 1.
[[nodiscard]] Interval pown(const Interval& x, long exponent);
/// x^exponent over x > 0, and over x = 0 (whose power is 0) where exponent > 0.
[[nodiscard]] Interval pow(const Interval& x, const Rational& exponent);
[[nodiscard]] Interval pow(const Interval& x, const Interval& exponent);

}  // namespace rankcert
