#pragma once
// Binary floating formats as bits, widened to float64 and narrowed from it by integer operations alone. A
// conversion instruction would give zero for a subnormal while the processor is in a flush-to-zero or
// denormals-are-zero mode, which libraries built with fast-math switch on for a whole process.

#include <bit>
#include <cstdint>
#include <optional>

namespace rankcert::io {

/// An IEEE interchange format narrower than float64: 1 sign bit, `exponent_bits`, `fraction_bits`.
struct NarrowFormat {
    int exponent_bits;
    int fraction_bits;

    [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    [[nodiscard]] constexpr std::uint64_t all_ones_exponent() const {
        return (std::uint64_t{1} << exponent_bits) - 1;
    }
};

inline constexpr NarrowFormat kFloat8E5M2{5, 2};
inline constexpr NarrowFormat kFloat16{5, 10};
inline constexpr NarrowFormat kBfloat16{8, 7};
inline constexpr NarrowFormat kFloat32{8, 23};

/// The bits of the float64 that equals the given finite number; nothing for NaN and infinities.
///
/// A normal number keeps its fraction (shifted up) and has its exponent rebiased. A subnormal fraction
/// f·2^(1−bias−F) is normalised: with b = position of its leading one it is (1 + rest/2^b)·2^(b+1−bias−F),
/// and that exponent is at least −149, well inside the normal range of float64.
[[nodiscard]] constexpr std::optional<std::uint64_t> widen(std::uint64_t bits, NarrowFormat format) {
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.fraction_bits) - 1);
    const std::uint64_t exponent = (bits >> format.fraction_bits) & format.all_ones_exponent();
    const std::uint64_t sign = (bits >> (format.fraction_bits + format.exponent_bits)) & 1;
    if (exponent == format.all_ones_exponent()) return std::nullopt;
    std::uint64_t wide = sign << 63;
    if (exponent != 0) {
        wide |= (exponent + static_cast<std::uint64_t>(1023 - format.bias())) << 52;
        wide |= fraction << (52 - format.fraction_bits);
    } else if (fraction != 0) {
        const int leading = 63 - std::countl_zero(fraction);
        const int wide_exponent = leading + 1 - format.bias() - format.fraction_bits + 1023;
        wide |= static_cast<std::uint64_t>(wide_exponent) << 52;
        wide |= (fraction ^ (std::uint64_t{1} << leading)) << (52 - leading);
    }
    return wide;
}

/// The bits of the narrow number that equals the given float64 (finite), or nothing where there is none.
[[nodiscard]] constexpr std::optional<std::uint64_t> narrow(std::uint64_t wide, NarrowFormat format) {
    const std::uint64_t sign = (wide >> 63) << (format.fraction_bits + format.exponent_bits);
    const std::uint64_t fraction = wide & ((std::uint64_t{1} << 52) - 1);
    const int exponent = static_cast<int>((wide >> 52) & 0x7ff);
    if (exponent == 0) {  // zero, or a float64 subnormal, which no narrower format holds
        return fraction == 0 ? std::optional(sign) : std::nullopt;
    }
    const int unbiased = exponent - 1023;
    if (unbiased > format.bias()) return std::nullopt;  // too large, infinite or NaN
    const int smallest = 1 - format.bias();
    // The significand 1.f as an integer of 53 bits; in the narrow format it loses `drop` low bits.
    const std::uint64_t significand = (std::uint64_t{1} << 52) | fraction;
    int drop = 52 - format.fraction_bits;
    if (unbiased < smallest) drop += smallest - unbiased;
    if (drop > 52 || (significand & ((std::uint64_t{1} << drop) - 1)) != 0) return std::nullopt;
    const std::uint64_t kept = significand >> drop;
    if (unbiased < smallest) return sign | kept;
    const auto biased = static_cast<std::uint64_t>(unbiased + format.bias());
    return sign | (biased << format.fraction_bits) | (kept ^ (std::uint64_t{1} << format.fraction_bits));
}

// E4M3 without infinities (OCP 8-bit floating point, 1.0, section 5.1): its largest exponent holds numbers
// too, but for the one NaN. Read with a bit more of exponent, 0 0xxxx fff, it is an IEEE format of 5 bits of
// exponent but with bias 7 instead of 15: a factor 2^8.

/// The bits of the float64 that equals the given E4M3 number; nothing for NaN.
[[nodiscard]] constexpr std::optional<std::uint64_t> widen_e4m3(std::uint64_t bits) {
    if ((bits & 0x7f) == 0x7f) return std::nullopt;
    const std::uint64_t as_five_bits = ((bits & 0x80) << 1) | (bits & 0x7f);
    const auto wide = widen(as_five_bits, NarrowFormat{5, 3});
    if (!wide || (bits & 0x7f) == 0) return wide;
    return *wide + (std::uint64_t{8} << 52);
}

/// The bits of the E4M3 number that equals the given float64, or nothing where there is none.
[[nodiscard]] constexpr std::optional<std::uint64_t> narrow_e4m3(std::uint64_t wide) {
    const auto exponent = (wide >> 52) & 0x7ff;
    if ((wide << 1) == 0) return (wide >> 63) << 7;
    if (exponent <= 8) return std::nullopt;
    const auto bits = narrow(wide - (std::uint64_t{8} << 52), NarrowFormat{5, 3});
    if (!bits || (*bits & 0xff) >= 0x7f) return std::nullopt;
    return ((*bits >> 8) << 7) | (*bits & 0x7f);
}

}  // namespace rankcert::io
