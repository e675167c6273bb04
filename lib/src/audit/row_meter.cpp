#include "rigor/trusted.hpp"
//
#include "audit/row_meter.hpp"

namespace rankcert::audit {

Spacing spacing_at(double c, const FormatLimits& format) {
    Spacing spacing;
    if (c == 0) {
        spacing.above = spacing.below = format.least_exponent;
        return spacing;
    }
    const long e = std::ilogb(c);
    spacing.above = std::max(e - format.digits + 1, format.least_exponent);
    const double whole = std::ldexp(c, static_cast<int>(-spacing.above));  // an integer below 2^digits: exact
    const bool power = c == std::ldexp(1.0, static_cast<int>(e));
    spacing.below = power && spacing.above > format.least_exponent ? spacing.above - 1 : spacing.above;
    spacing.even = std::fmod(whole, 2.0) == 0;
    spacing.largest =
        e + 1 == format.end_exponent && whole == std::ldexp(1.0, static_cast<int>(format.digits)) - 1;
    return spacing;
}

bool is_of_format(double c, const FormatLimits& format) {
    if (!std::isfinite(c)) return false;
    if (c == 0) return true;
    const long e = std::ilogb(c);
    if (e + 1 > format.end_exponent) return false;
    const long last = std::max(e - format.digits + 1, format.least_exponent);
    // c / 2^last is exact: it may only lose bits where c is subnormal, and then last = −1074 and nothing is
    // lost.
    const double whole = std::ldexp(c, static_cast<int>(-last));
    return whole == std::trunc(whole);
}

}  // namespace rankcert::audit
