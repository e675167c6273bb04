#include "rigor/trusted.hpp"
//
#include <algorithm>

#include "rankcert/attention/number_format.hpp"

namespace rankcert {
namespace {

/// The e with 2^(e−1) ≤ |mantissa| < 2^e; mantissa ≠ 0.
long bit_length(const Integer& mantissa) {
    return static_cast<long>(boost::multiprecision::msb(boost::multiprecision::abs(mantissa))) + 1;
}

}  // namespace

FormatLimits limits_of(NumberFormat format) noexcept {
    switch (format) {
        case NumberFormat::float16:
            return {11, -24, 16};
        case NumberFormat::bfloat16:
            return {8, -133, 128};
        case NumberFormat::float32:
            return {24, -149, 128};
        case NumberFormat::float64:
            break;
    }
    return {53, -1074, 1024};
}

const char* to_string(NumberFormat format) noexcept {
    switch (format) {
        case NumberFormat::float16:
            return "float16";
        case NumberFormat::bfloat16:
            return "bfloat16";
        case NumberFormat::float32:
            return "float32";
        case NumberFormat::float64:
            break;
    }
    return "float64";
}

bool is_representable(const Integer& mantissa, long exponent, NumberFormat format) {
    if (mantissa == 0) return true;
    const FormatLimits limits = limits_of(format);
    const long end = exponent + bit_length(mantissa);  // |x| < 2^end
    const long lowest_bit =
        exponent + static_cast<long>(boost::multiprecision::lsb(boost::multiprecision::abs(mantissa)));
    return end <= limits.end_exponent && lowest_bit >= limits.least_exponent &&
           end - lowest_bit <= limits.digits;
}

long rounding_radius_exponent(const Integer& mantissa, long exponent, NumberFormat format) {
    const FormatLimits limits = limits_of(format);
    if (mantissa == 0) return limits.least_exponent - 1;
    // 2^(end−1) ≤ |x| < 2^end: the next number away from zero is 2^(end − digits) further, or
    // 2^least_exponent.
    const long end = exponent + bit_length(mantissa);
    return std::max(end - limits.digits, limits.least_exponent) - 1;
}

}  // namespace rankcert
