#pragma once
/// \file double_bits.hpp  Doubles taken apart and put together as integers.
///
/// Nothing here is a floating-point operation, so nothing here depends on the rounding mode, on flush-to-zero
/// or on denormals-are-zero.

#include <bit>
#include <cstdint>
#include <limits>

namespace rankcert::detail {

inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kFractionMask = (std::uint64_t{1} << 52) - 1;
inline constexpr std::uint64_t kInfinityBits = std::uint64_t{0x7ff} << 52;
inline constexpr int kMinExponent = -1074;  ///< every finite double is a multiple of 2^kMinExponent

/// A finite double: (negative ? −1 : 1) · mantissa · 2^exponent, mantissa < 2^53, exponent ≥ kMinExponent.
struct DoubleParts {
    bool negative;
    std::uint64_t mantissa;
    int exponent;
};

[[nodiscard]] constexpr bool bits_are_finite(double x) noexcept {
    return (std::bit_cast<std::uint64_t>(x) & kInfinityBits) != kInfinityBits;
}
[[nodiscard]] constexpr bool bits_are_nan(double x) noexcept {
    return (std::bit_cast<std::uint64_t>(x) & ~kSignBit) > kInfinityBits;
}
[[nodiscard]] constexpr bool bits_are_negative(double x) noexcept {
    return (std::bit_cast<std::uint64_t>(x) & kSignBit) != 0;
}
[[nodiscard]] constexpr bool bits_are_zero(double x) noexcept {
    return (std::bit_cast<std::uint64_t>(x) & ~kSignBit) == 0;
}

/// The parts of a finite double.
[[nodiscard]] constexpr DoubleParts take_apart(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto field = static_cast<int>((bits >> 52) & 0x7ff);
    const std::uint64_t fraction = bits & kFractionMask;
    if (field == 0) return {(bits & kSignBit) != 0, fraction, kMinExponent};
    return {(bits & kSignBit) != 0, fraction | (kFractionMask + 1), field - 1 + kMinExponent};
}

/// ± mantissa · 2^exponent, which must be a double (mantissa ≤ 2^53, exponent ≥ kMinExponent); infinity where
/// it is too large.
[[nodiscard]] constexpr double put_together(bool negative, std::uint64_t mantissa, long exponent) noexcept {
    const std::uint64_t sign = negative ? kSignBit : 0;
    if (mantissa == 0) return std::bit_cast<double>(sign);
    while (mantissa < kFractionMask + 1 && exponent > kMinExponent) {
        mantissa <<= 1;
        --exponent;
    }
    if (mantissa == (std::uint64_t{1} << 53)) {
        mantissa >>= 1;
        ++exponent;
    }
    if (exponent > 971) return std::bit_cast<double>(sign | kInfinityBits);
    if (mantissa < kFractionMask + 1) return std::bit_cast<double>(sign | mantissa);  // subnormal
    const auto field = static_cast<std::uint64_t>(exponent - kMinExponent + 1);
    return std::bit_cast<double>(sign | (field << 52) | (mantissa & kFractionMask));
}

/// The least double above x. x may be −infinity or finite; +infinity and NaN are returned as they are.
/// next_up(−2^−1074) is −0.
[[nodiscard]] constexpr double next_up(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    if ((bits & ~kSignBit) > kInfinityBits || bits == kInfinityBits) return x;
    if ((bits & ~kSignBit) == 0) return std::bit_cast<double>(std::uint64_t{1});
    return std::bit_cast<double>((bits & kSignBit) != 0 ? bits - 1 : bits + 1);
}

/// The greatest double below x.
[[nodiscard]] constexpr double next_down(double x) noexcept {
    const auto flip = [](double y) {
        return std::bit_cast<double>(std::bit_cast<std::uint64_t>(y) ^ kSignBit);
    };
    return flip(next_up(flip(x)));
}

}  // namespace rankcert::detail
