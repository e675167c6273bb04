#pragma once
/// \file directed.hpp  Double arithmetic rounded downward or upward, without touching the rounding mode.
///
/// x_down(…) is the greatest double ≤ the exact result and x_up(…) the least double ≥ it: what IEEE 754 gives
/// with roundTowardNegative and roundTowardPositive, bit for bit (an exact zero sum is −0 downward and +0
/// upward; a finite result beyond the largest double is ±infinity or the largest double; 0·∞, ∞ − ∞, 0/0, ∞/∞
/// and the root of a negative number are NaN).
///
/// The functions compute on the bits of their operands in integers. So they do not depend on the rounding
/// mode, on flush-to-zero or denormals-are-zero, or on the flags that a user of this header compiles with,
/// and they raise no floating-point exception.
///
/// Exactness: a finite double is m·2^e with an integer m < 2^53. Sums, products, quotients and roots of such
/// numbers are formed in 128-bit integers, exactly or with a remembered remainder, and rounded once. See
/// directed.cpp.

namespace rankcert {

[[nodiscard]] double add_down(double a, double b) noexcept;
[[nodiscard]] double add_up(double a, double b) noexcept;
[[nodiscard]] double sub_down(double a, double b) noexcept;
[[nodiscard]] double sub_up(double a, double b) noexcept;
[[nodiscard]] double mul_down(double a, double b) noexcept;
[[nodiscard]] double mul_up(double a, double b) noexcept;
[[nodiscard]] double div_down(double a, double b) noexcept;
[[nodiscard]] double div_up(double a, double b) noexcept;
[[nodiscard]] double fma_down(double a, double b, double c) noexcept;  ///< a·b + c, rounded once
[[nodiscard]] double fma_up(double a, double b, double c) noexcept;
[[nodiscard]] double sqrt_down(double a) noexcept;
[[nodiscard]] double sqrt_up(double a) noexcept;

/// (a + b)/2 rounded to nearest, ties to even, without overflow on the way.
[[nodiscard]] double midpoint_nearest(double a, double b) noexcept;

/// The neighbours of a double; next_up of the largest finite one is +infinity, of +infinity itself.
[[nodiscard]] double next_up(double a) noexcept;
[[nodiscard]] double next_down(double a) noexcept;

/// a < b, a ≤ b, a = b as numbers, right for subnormal numbers even where the machine takes them for zero
/// (false on NaN).
[[nodiscard]] bool less(double a, double b) noexcept;
[[nodiscard]] bool less_equal(double a, double b) noexcept;
[[nodiscard]] bool equal(double a, double b) noexcept;

}  // namespace rankcert
