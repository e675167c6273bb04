#include "rigor/trusted.hpp"
//
#include <cstdint>
#include <cstring>
#include <limits>

#include "rankcert/rigor/exp_kernel.hpp"
#include "rigor/exp_kernel_constants.hpp"

// proofs/gappa proves the error bounds for exactly the operations of `exp_of`, in this order and with these
// constants: exp_kernel.v defines `kernel` line by line alike. Whoever changes a line here changes it there.
// It is proved without fused multiply-add: our flags have -ffp-contract=off, and a test knows the bits of
// results.

namespace rankcert {
namespace {

using namespace detail;

// The compiler's vectors: two lanes are in the baseline of x86-64 and of Arm; elsewhere they become scalars.
constexpr long kLanes = 2;
using Doubles = double __attribute__((vector_size(kLanes * sizeof(double))));
using Bits = std::uint64_t __attribute__((vector_size(kLanes * sizeof(double))));
constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline Doubles exp_of(Doubles x) noexcept {
    // k is the integer nearest to x / ln 2, or next to nearest where that is close; r ≈ x − k ln 2.
    const Doubles shifted = x * kInverseLn2 + kRoundToInteger;
    const Doubles k = shifted - kRoundToInteger;
    const Doubles r = (x - k * kLn2High) - k * kLn2Low;
    Doubles q = kExpC10 + r * kExpC11;
    q = kExpC9 + r * q;
    q = kExpC8 + r * q;
    q = kExpC7 + r * q;
    q = kExpC6 + r * q;
    q = kExpC5 + r * q;
    q = kExpC4 + r * q;
    q = kExpC3 + r * q;
    q = kExpC2 + r * q;
    const Doubles tail = r + (r * r) * q;  // e^r − 1
    // The low bits of `shifted` are those of k, so powers of two can be put together from them. Where 2^k is
    // too small, or the result too large, for that power to be a normal number, another one near is taken.
    const Bits exponent = reinterpret_cast<Bits>(shifted) << 52;
    const Doubles half = reinterpret_cast<Doubles>(exponent + (std::uint64_t{1022} << 52));    // 2^(k−1)
    const Doubles raised = reinterpret_cast<Doubles>(exponent + (std::uint64_t{1151} << 52));  // 2^(k+128)
    const Doubles normal = 2 * (half * tail + half);
    // Adding 2^k last rounds once, to the spacing of the subnormal numbers: 1 + tail, scaled, would be
    // rounded twice.
    const Doubles gradual = (raised * tail) * 0x1p-128 + raised * 0x1p-128;
    // Comparisons with NaN are false: it takes the way of `normal`, as r and so tail are NaN.
    const Doubles zero{};
    Doubles y = x < kExpGradual ? gradual : normal;
    y = x < kExpZero ? zero : y;
    return x > kExpHighest ? zero + kInfinity : y;
}

}  // namespace

double exp_approx(double x) noexcept { return exp_of(Doubles{x, x})[0]; }

void exp_approx(const double* x, double* y, long count) noexcept {
    long i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Doubles lanes;
        std::memcpy(&lanes, x + i, sizeof lanes);
        lanes = exp_of(lanes);
        std::memcpy(y + i, &lanes, sizeof lanes);
    }
    for (; i < count; ++i) y[i] = exp_approx(x[i]);
}

void tanh_approx(const double* x, double* y, long count) noexcept {
    constexpr long kBlock = 256;
    double t[kBlock];
    for (long first = 0; first < count; first += kBlock) {
        const long size = count - first < kBlock ? count - first : kBlock;
        for (long i = 0; i < size; ++i) t[i] = -2 * __builtin_fabs(x[first + i]);
        exp_approx(t, t, size);
        for (long i = 0; i < size; ++i) {
            const double power = t[i] > 1 ? 1 : t[i];
            y[first + i] = __builtin_copysign((1 - power) / (1 + power), x[first + i]);
        }
    }
}

}  // namespace rankcert
