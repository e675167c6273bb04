#pragma once
/// \file exp_kernel.hpp  A float64 exponential with a proved error bound, for all arguments.
///
/// Theorem. For every double x, with y = exp_approx(x):
///   * eˣ ≥ 2^−1022 and x not above the overflow threshold: |y − eˣ| ≤ kExpRelativeError · eˣ;
///   * eˣ < 2^−1022: |y − eˣ| ≤ kExpAbsoluteError;
///   * y = +infinity exactly where eˣ ≥ 2^1024 − 2^970, which is where the correctly rounded eˣ is +infinity
///     (IEEE 754, 4.3.1); for x = −infinity y = 0, and y is NaN exactly for a NaN x;
///   * y ≥ 0, and y = 1 exactly for x = ±0.
/// Formal: proofs/gappa/exp_kernel.v, from bounds of the rounding errors that Gappa finds and Coq rechecks.
/// In words, with what is left to the reader: lib/docs/softmax.md, section "The float64 kernel".
///
/// No libm, no table, no branch on data. The result is the same on every processor and at every level of
/// optimisation: no operation is fused, and each is an IEEE 754 one. Not promised: that it is the double
/// nearest to eˣ, or monotone.

namespace rankcert {

inline constexpr double kExpRelativeError = 0x1p-51;
inline constexpr double kExpAbsoluteError = 0x1p-1074;

/// eˣ within the bounds above.
///
/// Precondition: round to nearest, subnormal numbers kept (call it under a FloatingPointGuard).
[[nodiscard]] double exp_approx(double x) noexcept;

/// y[i] = exp_approx(x[i]) for 0 ≤ i < count; y may be x.
void exp_approx(const double* x, double* y, long count) noexcept;

/// |tanh_approx(x) − tanh x| ≤ kTanhError for every x but NaN, for which it is NaN; in [−1, 1], odd.
///
/// tanh a = F(e^−2a) with F(t) = (1 − t)/(1 + t), |F′| ≤ 2 on [0, 1]. For a = |x|, t = exp_approx(−2a) (−2a
/// is exact, or −∞) is within 2^−51 e^−2a + 2^−1074 of e^−2a and in [0, 1]: for t > 1 it would take 2a <
/// 2^−51, where the kernel rounds 1 − 2a + … to at most 1; the code does not rely on it but clamps. So F
/// moves by 2^−50 + 2^−1073 at most; difference, sum and quotient are rounded by u = 2^−53 each, and |F| ≤ 1:
/// 2^−50 + 3.01 u < 2^−49. Absolute, not relative: near 0 the result has no correct digits below 2^−49.
inline constexpr double kTanhError = 0x1p-49;
/// y[i] = tanh_approx(x[i]) for 0 ≤ i < count; y may be x. Precondition as above.
void tanh_approx(const double* x, double* y, long count) noexcept;

}  // namespace rankcert
