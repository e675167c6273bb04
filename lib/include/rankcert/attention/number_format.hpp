#pragma once
/// \file number_format.hpp  The floating-point formats of stored tensors, and what rounds to their numbers.

#include <optional>

#include "rankcert/attention/head.hpp"

namespace rankcert {

/// "float16", "bfloat16", "float32" or "float64".
[[nodiscard]] const char* to_string(NumberFormat format) noexcept;

/// IEEE 754 (and bfloat16): numbers are integers of at most `digits` bits times 2^e, e ≥ least_exponent, below
/// 2^end_exponent in magnitude.
struct FormatLimits {
    long digits;
    long least_exponent;
    long end_exponent;
};
[[nodiscard]] FormatLimits limits_of(NumberFormat format) noexcept;

/// Whether mantissa · 2^exponent is a finite number of the format (zero and subnormal numbers are).
[[nodiscard]] bool is_representable(const Integer& mantissa, long exponent, NumberFormat format);

/// The exponent h of the rounding radius 2^h of a finite number x = mantissa · 2^exponent of the format:
/// every real x′ that rounds to x (to nearest, ties in any manner) has |x′ − x| ≤ 2^h.
///
/// 2^h is half the spacing on the side away from zero: the larger of the two sides at a power of two; the
/// half of the subnormal spacing at zero and at subnormal numbers; at the largest finite number what rounds
/// to it ends half a spacing beyond it too. Precondition: is_representable.
[[nodiscard]] long rounding_radius_exponent(const Integer& mantissa, long exponent, NumberFormat format);

}  // namespace rankcert
