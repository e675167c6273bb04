#include "rigor/trusted.hpp"
//
#include <bit>
#include <cstdint>
#include <limits>

#include "rankcert/rigor/exp_kernel.hpp"

namespace rankcert {
namespace {

// x = k ln 2 + r. kLn2High has 29 bits, so k · kLn2High is exact for |k| < 2^24;
// |kLn2High + kLn2Low − ln 2| ≤ 2^−89.
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
constexpr double kLn2High = 372130559 * 0x1p-29;
constexpr double kLn2Low = -3250300606318355 * 0x1p-86;
constexpr double kRoundToInteger = 0x1.8p52;  // adding it leaves no fraction bits: the sum's low bits are k

/// eˣ for kExpLowest ≤ x ≤ kExpHighest; for any other x a number without meaning (but no undefined
/// behaviour).
inline double exp_in_range(double x) noexcept {
    const double shifted = x * kInverseLn2 + kRoundToInteger;
    const double k = shifted - kRoundToInteger;
    const double r = (x - k * kLn2High) - k * kLn2Low;
    // Σ_{j=2}^{13} r^{j−2} / j!, each coefficient rounded to nearest
    double q = 1.0 / 6227020800.0;
    q = 1.0 / 479001600.0 + r * q;
    q = 1.0 / 39916800.0 + r * q;
    q = 1.0 / 3628800.0 + r * q;
    q = 1.0 / 362880.0 + r * q;
    q = 1.0 / 40320.0 + r * q;
    q = 1.0 / 5040.0 + r * q;
    q = 1.0 / 720.0 + r * q;
    q = 1.0 / 120.0 + r * q;
    q = 1.0 / 24.0 + r * q;
    q = 1.0 / 6.0 + r * q;
    q = 0.5 + r * q;
    const double y = 1.0 + (r + (r * r) * q);
    // y · 2^k by adding k to the exponent field: y is in (0.7, 1.42), −1021 ≤ k ≤ 1023, so the result is
    // normal.
    const std::uint64_t bits_of_k = std::bit_cast<std::uint64_t>(shifted) << 52;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(y) + bits_of_k);
}

inline double exp_anywhere(double x) noexcept {
    const double y = exp_in_range(x);
    const double bounded =
        x < kExpLowest ? 0.0 : (x > kExpHighest ? std::numeric_limits<double>::infinity() : y);
    return x == x ? bounded : x;
}

}  // namespace

double exp_approx(double x) noexcept { return exp_anywhere(x); }

void exp_approx(const double* x, double* y, long count) noexcept {
    for (long i = 0; i < count; ++i) y[i] = exp_anywhere(x[i]);
}

}  // namespace rankcert
