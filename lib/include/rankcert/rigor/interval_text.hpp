#pragma once
/// \file interval_text.hpp  Intervals as text: printed outward, read as enclosures.
///
/// Both are done in exact arithmetic, so that neither the rounding mode nor the locale matters.

#include <string>
#include <string_view>

#include "rankcert/rigor/interval.hpp"

namespace rankcert {

/// "[lower, upper]", the ends as decimals of `digits` significant digits (at least 1), the lower one rounded
/// down and the upper one up, such as "[0.0998334, 0.0998335]"; "[empty]", "[entire]", "[-inf, 2]".
[[nodiscard]] std::string to_string(const Interval& x, int digits = 17);

/// The tightest interval of doubles that contains what the text means (IEEE 1788, interval literals):
///  * a number, "0.1", "1/3", "-2.5e-1", "0x1.8p-3" (hexadecimal), as a point;
///  * "[0.1, 1/3]", "[0.1]", "[-inf, 2]", "[1, inf]", "[empty]", "[]", "[entire]", "[,]";
///  * an uncertain number: "1.25?" is 1.25 ± half a unit of its last digit, "1.25?3" ± three units, "1.25?3u"
///  upward
///    only, "1.25?3d" downward only, "1.25??" without bound (also "??u", "??d"); an exponent may follow:
///    "1.25?3e10".
/// Throws Error on anything else, on ends in the wrong order, and on numbers that would need more than
/// 100,000 digits.
[[nodiscard]] Interval parse_interval(std::string_view text);

}  // namespace rankcert
