#pragma once
/// \file exp_kernel.hpp  A float64 exponential with a proved error bound.
///
/// Statement, proof and the choice of every constant: lib/docs/softmax.md, section "The float64 kernel".
/// No libm, no table, no data-dependent branch.

namespace rankcert {

/// For kExpLowest ≤ x ≤ kExpHighest: |exp_approx(x) − eˣ| ≤ kExpRelativeError · eˣ.
inline constexpr double kExpRelativeError = 0x1p-50;
inline constexpr double kExpLowest = -708;
inline constexpr double kExpHighest = 709;
/// For x < kExpLowest exp_approx(x) = 0, and 0 < eˣ < kExpUnderflow.
inline constexpr double kExpUnderflow = 0x1p-1021;

/// eˣ within the bounds above; +infinity above kExpHighest, NaN for NaN, exactly 1 for ±0.
///
/// Precondition: round to nearest (call it under a FloatingPointGuard). Valid with or without fused
/// multiply-add.
[[nodiscard]] double exp_approx(double x) noexcept;

/// y[i] = exp_approx(x[i]) for 0 ≤ i < count; y may be x.
void exp_approx(const double* x, double* y, long count) noexcept;

}  // namespace rankcert
