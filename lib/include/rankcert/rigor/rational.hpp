#pragma once
/// \file rational.hpp  Exact integers and rationals, and their texts.

#include <boost/multiprecision/gmp.hpp>
#include <string>
#include <string_view>

namespace rankcert {

using Integer = boost::multiprecision::number<boost::multiprecision::gmp_int, boost::multiprecision::et_off>;
using Rational =
    boost::multiprecision::number<boost::multiprecision::gmp_rational, boost::multiprecision::et_off>;

/// The exact value of "0.25", "-2.5e-1", "1/3", "7": never by way of a double.
/// Throws Error on anything else, on a zero denominator, and on a text whose value would need more than
/// 100,000 digits ("1e999999999").
[[nodiscard]] Rational parse_rational(std::string_view text);

/// "p/q" in lowest terms, or "p" where q = 1. parse_rational(to_string(x)) == x.
[[nodiscard]] std::string to_string(const Rational& value);

/// The exact value of a finite double. Throws Error on NaN and infinities.
[[nodiscard]] Rational to_rational(double value);

/// mantissa · 2^exponent, exactly.
[[nodiscard]] Rational to_rational(const Integer& mantissa, long exponent);

/// The largest double ≤ value (−infinity where there is none that is finite).
[[nodiscard]] double lower_double(const Rational& value);
/// The smallest double ≥ value.
[[nodiscard]] double upper_double(const Rational& value);
/// A double near value, for search and progress only: no bound.
[[nodiscard]] double estimate_double(const Rational& value);

/// value as a decimal of `digits` significant digits that is not below (upper) or not above (lower) it,
/// such as "6.9196e-88".
[[nodiscard]] std::string upper_decimal(const Rational& value, int digits = 5);
[[nodiscard]] std::string lower_decimal(const Rational& value, int digits = 5);

}  // namespace rankcert
