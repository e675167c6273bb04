#pragma once
/// \file exp_kernel_constants.hpp  Every constant of the float64 exponential, each exactly.
///
/// proofs/gappa reads this file: a line "inline constexpr double kName = integer * 0x1pexponent;" becomes the
/// same number in the Gappa scripts and in Coq. The polynomial's coefficients are from Sollya
/// (proofs/gappa/exp_coefficients.sollya); that they serve is proved, not assumed.

namespace rankcert::detail {

// x = k ln 2 + r. kLn2High has 29 bits, so k · kLn2High is exact for |k| < 2^24;
// |kLn2High + kLn2Low − ln 2| ≤ 2^−89.
inline constexpr double kInverseLn2 = 3248660424278399 * 0x1p-51;
inline constexpr double kLn2High = 372130559 * 0x1p-29;
inline constexpr double kLn2Low = -3250300606318355 * 0x1p-86;
// 1.5 · 2^52: adding it leaves no fraction bits, and the sum's low bits are k.
inline constexpr double kRoundToInteger = 3 * 0x1p51;

// e^r ≈ 1 + r + r² (c2 + c3 r + … + c11 r⁹) for |r| ≤ 0.3468.
inline constexpr double kExpC2 = 4503599627370497 * 0x1p-53;
inline constexpr double kExpC3 = 750599937895083 * 0x1p-52;
inline constexpr double kExpC4 = 1501199875788593 * 0x1p-55;
inline constexpr double kExpC5 = 300239975157645 * 0x1p-55;
inline constexpr double kExpC6 = 6405119483270157 * 0x1p-62;
inline constexpr double kExpC7 = 3660068276794701 * 0x1p-64;
inline constexpr double kExpC8 = 3660058461515067 * 0x1p-67;
inline constexpr double kExpC9 = 6506770074106239 * 0x1p-71;
inline constexpr double kExpC10 = 5217321523987455 * 0x1p-74;
inline constexpr double kExpC11 = 7588963482252503 * 0x1p-78;

// Below kExpZero eˣ is less than 2^−1074, and the result is 0; below kExpGradual the result is put together
// on the grid of the subnormal numbers; above kExpHighest eˣ rounds to infinity.
inline constexpr double kExpZero = -2979 * 0x1p-2;                 // −744.75
inline constexpr double kExpGradual = -175 * 0x1p2;                // −700
inline constexpr double kExpHighest = 6243314768165359 * 0x1p-43;  // 709.78…

}  // namespace rankcert::detail
