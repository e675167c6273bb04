#pragma once
/// \file rounding.hpp  Bounds of float64 arithmetic that no rounding mode has to be switched for.
///
/// Everything here assumes round to nearest without flush-to-zero (FloatingPointGuard) and is proved in
/// lib/docs/floating-point.md; "Lemma 1" and so on are the lemmas of that page. u = 2^−53, η = 2^−1074.

#include "rigor/trusted.hpp"
//
#include <Eigen/Core>
#include <cmath>

#include "rigor/double_bits.hpp"

namespace rankcert::detail {

using Index = Eigen::Index;

inline constexpr double kUnitRoundoff = 0x1p-53;     ///< u
inline constexpr double kUnderflowUnit = 0x1p-1074;  ///< η
/// Inner dimensions and lengths of sums for which the lemmas are proved: n u ≤ 2^−25.
inline constexpr Index kLargestInner = Index{1} << 28;
/// Covers (1 − u)^−k for every k ≤ 2^31, twice over. For radii, where a relative 10^−6 is nothing.
inline constexpr double kSlack = 1 + 0x1p-20;

/// Keeps the compiler from moving arithmetic on a scalar argument or result across the guard: it does not
/// know that the guard's constructor and destructor change how arithmetic rounds.
[[nodiscard]] inline double pinned(double x) noexcept {
    asm volatile("" : "+m"(x));
    return x;
}

// ---- one operation: the true result of an operation on the given doubles is at most (at least) what is
// returned. NaN arguments, and the indeterminate forms, give NaN: every comparison with the result fails, as
// it should.

[[nodiscard]] inline double upper_sum(double a, double b) noexcept {
    if (a == 0) return b;
    if (b == 0) return a;
    return next_up(a + b);
}
[[nodiscard]] inline double lower_sum(double a, double b) noexcept {
    if (a == 0) return b;
    if (b == 0) return a;
    return next_down(a + b);
}
[[nodiscard]] inline double upper_difference(double a, double b) noexcept { return upper_sum(a, -b); }
[[nodiscard]] inline double lower_difference(double a, double b) noexcept { return lower_sum(a, -b); }
[[nodiscard]] inline double upper_product(double a, double b) noexcept {
    const double product = a * b;
    if (a == 0 || b == 0 || a == 1 || b == 1) return product;  // exact (or NaN)
    return next_up(product);
}
[[nodiscard]] inline double lower_product(double a, double b) noexcept {
    const double product = a * b;
    if (a == 0 || b == 0 || a == 1 || b == 1) return product;
    return next_down(product);
}
[[nodiscard]] inline double upper_quotient(double a, double b) noexcept {
    const double quotient = a / b;
    if (a == 0 || b == 1) return quotient;
    return next_up(quotient);
}
[[nodiscard]] inline double upper_root(double a) noexcept {
    const double root = std::sqrt(a);  // IEEE 754: correctly rounded
    return a == 0 || a == 1 ? root : next_up(root);
}
[[nodiscard]] inline double lower_root(double a) noexcept {
    const double root = std::sqrt(a);
    return a == 0 || a == 1 ? root : next_down(root);
}

// ---- sums and products of many ---------------------------------------------------------------------------

/// f with (1 − u)^−(n−1) ≤ f: n non-negative doubles have a sum of at most f · (their float sum), in any
/// order (Lemma 2). n ≤ kLargestInner.
[[nodiscard]] inline double sum_factor(Index n) noexcept {
    return n <= 1 ? 1.0 : 1 + (static_cast<double>(n) + 1) * 0x1p-52;
}

/// |fl(xᵀy) − xᵀy| ≤ relative · fl(|x|ᵀ|y|) + absolute, in any order of summation, with or without FMA, where
/// the right side too is evaluated in floating point (Lemma 4).
struct ProductError {
    double relative;
    double absolute;
};
[[nodiscard]] inline ProductError product_error(Index inner) noexcept {
    const auto n = static_cast<double>(inner);
    return {n * kUnitRoundoff * kSlack, n * 0x1p-1071};
}

// ---- powers of two ---------------------------------------------------------------------------------------

/// x · 2^exponent for |exponent| ≤ 2200: exact unless the result is subnormal, then wrong by at most η.
[[nodiscard]] inline double times_power_of_two(double x, int exponent) noexcept {
    while (exponent > 1000) {
        x *= 0x1p1000;
        exponent -= 1000;
    }
    while (exponent < -1000) {
        x *= 0x1p-1000;
        exponent += 1000;
    }
    return x * put_together(false, 1, exponent);
}
/// The same, rounded up and rounded down.
[[nodiscard]] inline double upper_times_power_of_two(double x, int exponent) noexcept {
    const double y = times_power_of_two(x, exponent);
    return times_power_of_two(y, -exponent) == x ? y : next_up(y);
}
[[nodiscard]] inline double lower_times_power_of_two(double x, int exponent) noexcept {
    const double y = times_power_of_two(x, exponent);
    return times_power_of_two(y, -exponent) == x ? y : next_down(y);
}
/// e with 2^(e−1) ≤ |x| < 2^e; 0 for x = 0. x is finite.
[[nodiscard]] inline int binary_exponent(double x) noexcept {
    const DoubleParts parts = take_apart(x);
    return parts.mantissa == 0 ? 0 : parts.exponent + static_cast<int>(std::bit_width(parts.mantissa));
}

}  // namespace rankcert::detail
