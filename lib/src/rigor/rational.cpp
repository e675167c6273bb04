#include "rigor/trusted.hpp"  // refuses unsafe compiler flags
#include <algorithm>
#include <cstdlib>

#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/rational.hpp"
#include "rigor/double_bits.hpp"

namespace rankcert {
namespace {

constexpr long kMaxDigits = 100000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text as it may stand in an error message: short, and printable.
std::string quote(std::string_view text) {
    std::string shown = "\"";
    for (const char c : text.substr(0, 40)) shown += (c >= ' ' && c <= '~') ? c : '?';
    if (text.size() > 40) shown += "…";
    shown += '"';
    return shown;
}

[[noreturn]] void refuse(std::string_view text, const char* reason) {
    throw Error(quote(text) + " is not a number that can be read exactly: " + reason +
                "; write a decimal or a fraction such as 0.25, 2.5e-1 or 1/4.");
}

/// The integer with these decimal digits. (Base ten is named: a leading zero must not mean octal.)
Integer integer_from_digits(const std::string& digits) {
    Integer result;
    mpz_set_str(result.backend().data(), digits.empty() ? "0" : digits.c_str(), 10);
    return result;
}

Integer power_of_ten(unsigned long exponent) {
    Integer result;
    mpz_ui_pow_ui(result.backend().data(), 10, exponent);
    return result;
}

std::size_t bit_length(const Integer& positive) { return mpz_sizeinbase(positive.backend().data(), 2); }

/// The digits of a whole number, without leading zeros.
std::string read_digits(std::string_view text, std::string_view whole) {
    if (text.empty()) refuse(whole, "digits are missing");
    for (const char c : text) {
        if (!is_digit(c)) refuse(whole, "it has characters that do not belong to a number");
    }
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    if (text.size() > static_cast<std::size_t>(kMaxDigits)) refuse(whole, "it has more than 100000 digits");
    return std::string(text);
}

Rational parse_fraction(std::string_view numerator, std::string_view denominator, std::string_view whole) {
    const Integer p = integer_from_digits(read_digits(numerator, whole));
    const Integer q = integer_from_digits(read_digits(denominator, whole));
    if (q == 0) refuse(whole, "its denominator is zero");
    return Rational(p, q);
}

/// The value of an exponent text such as "-12", cut off where it is larger than any that can be allowed.
long read_exponent(std::string_view text, std::string_view whole) {
    bool negative = false;
    if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
        negative = text.front() == '-';
        text.remove_prefix(1);
    }
    if (text.empty()) refuse(whole, "its exponent is missing");
    constexpr long kCutOff = 1000000000;
    long value = 0;
    for (const char c : text) {
        if (!is_digit(c)) refuse(whole, "it has characters that do not belong to a number");
        value = std::min(kCutOff, value * 10 + (c - '0'));
    }
    return negative ? -value : value;
}

Rational parse_decimal(std::string_view text, std::string_view whole) {
    long exponent = 0;
    if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
        exponent = read_exponent(text.substr(e + 1), whole);
        text = text.substr(0, e);
    }
    std::string digits;
    bool point = false;
    bool any = false;
    long fraction_digits = 0;
    for (const char c : text) {
        if (c == '.') {
            if (point) refuse(whole, "it has two decimal points");
            point = true;
        } else if (is_digit(c)) {
            any = true;
            if (!(digits.empty() && c == '0')) digits += c;
            if (point) ++fraction_digits;
        } else {
            refuse(whole, "it has characters that do not belong to a number");
        }
    }
    if (!any) refuse(whole, "digits are missing");
    const std::size_t kept = digits.find_last_not_of('0') + 1;  // npos + 1 == 0
    const long trailing_zeros = static_cast<long>(digits.size() - kept);
    digits.resize(kept);
    if (digits.empty()) return Rational(0);
    exponent += trailing_zeros - fraction_digits;
    const long size = static_cast<long>(digits.size());
    if ((exponent >= 0 ? size + exponent : std::max(size, -exponent)) > kMaxDigits)
        refuse(whole, "it has more than 100000 digits");
    const Integer mantissa = integer_from_digits(digits);
    if (exponent >= 0)
        return Rational(Integer(mantissa * power_of_ten(static_cast<unsigned long>(exponent))));
    return Rational(mantissa, power_of_ten(static_cast<unsigned long>(-exponent)));
}

enum class Direction { down, up, nearest };

/// |value| rounded to a double: toward zero (down), away from zero (up) or to nearest, ties to even.
///
/// With s such that 2^52 ≤ |value|·2^s < 2^53, or s = 1074 where that would be larger, the doubles next to
/// |value| are ⌊|value|·2^s⌋·2^−s and, where that is not exact, one more unit: integer arithmetic decides
/// everything.
double round_magnitude(const Rational& value, bool negative, Direction direction) {
    Integer p = numerator(value);
    if (p < 0) p = -p;
    if (p == 0) return 0.0;
    const Integer q = denominator(value);
    // 2^(magnitude−1) < |value| < 2^(magnitude+1)
    const long magnitude = static_cast<long>(bit_length(p)) - static_cast<long>(bit_length(q));
    long shift = std::min<long>(53 - magnitude, -detail::kMinExponent);
    Integer scaled_q;
    Integer quotient;
    Integer remainder;
    const auto divide = [&] {
        const Integer scaled_p = shift >= 0 ? Integer(p << static_cast<unsigned long>(shift)) : p;
        scaled_q = shift >= 0 ? q : Integer(q << static_cast<unsigned long>(-shift));
        divide_qr(scaled_p, scaled_q, quotient, remainder);
    };
    divide();
    if (bit_length(quotient) > 53) {
        --shift;
        divide();
    }
    if (direction == Direction::up && remainder != 0) ++quotient;
    if (direction == Direction::nearest) {
        const Integer twice = remainder * 2;
        const bool odd = mpz_odd_p(quotient.backend().data()) != 0;
        if (twice > scaled_q || (twice == scaled_q && odd)) ++quotient;
    }
    const auto mantissa = static_cast<std::uint64_t>(quotient);
    const double result = detail::put_together(negative, mantissa, -shift);
    if (direction == Direction::down && !detail::bits_are_finite(result))
        return detail::put_together(negative, (std::uint64_t{1} << 53) - 1, 971);
    return result;
}

/// |value| as a decimal of `digits` digits, rounded away from zero or toward it, with the sign.
std::string decimal(const Rational& value, int digits, bool away) {
    if (digits < 1) throw Error("A decimal needs at least one digit; ask for one or more.");
    if (value == 0) return "0";
    const bool negative = value < 0;
    const Rational magnitude = negative ? Rational(-value) : value;
    const Integer p = numerator(magnitude);
    const Integer q = denominator(magnitude);
    const auto at_least_power_of_ten = [&](long e) {  // magnitude ≥ 10^e
        return e >= 0 ? p >= q * power_of_ten(static_cast<unsigned long>(e))
                      : p * power_of_ten(static_cast<unsigned long>(-e)) >= q;
    };
    long exponent = (static_cast<long>(bit_length(p)) - static_cast<long>(bit_length(q))) * 30103 / 100000;
    while (!at_least_power_of_ten(exponent)) --exponent;
    while (at_least_power_of_ten(exponent + 1)) ++exponent;
    // Now 10^exponent ≤ magnitude < 10^(exponent+1).
    const long scale = static_cast<long>(digits) - 1 - exponent;
    const Integer scaled_p = scale >= 0 ? Integer(p * power_of_ten(static_cast<unsigned long>(scale))) : p;
    const Integer scaled_q = scale >= 0 ? q : Integer(q * power_of_ten(static_cast<unsigned long>(-scale)));
    Integer quotient;
    Integer remainder;
    divide_qr(scaled_p, scaled_q, quotient, remainder);
    if (away && remainder != 0) ++quotient;
    std::string text = quotient.str();
    exponent += static_cast<long>(text.size()) - digits;  // 99999.5 became 100000
    text.resize(text.find_last_not_of('0') + 1);
    if (exponent < -5 || exponent > 15) {
        if (text.size() > 1) text.insert(1, 1, '.');
        text += 'e';
        text += std::to_string(exponent);
    } else if (exponent < 0) {
        const std::string zeros(static_cast<std::size_t>(-exponent), '0');
        text.insert(0, zeros).insert(1, 1, '.');
    } else {
        const auto whole = static_cast<std::size_t>(exponent) + 1;
        if (text.size() <= whole) {
            text.append(whole - text.size(), '0');
        } else {
            text.insert(whole, 1, '.');
        }
    }
    if (negative) text.insert(text.begin(), '-');
    return text;
}

}  // namespace

Rational parse_rational(std::string_view text) {
    std::string_view rest = text;
    bool negative = false;
    if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
        negative = rest.front() == '-';
        rest.remove_prefix(1);
    }
    const auto slash = rest.find('/');
    Rational value = slash == std::string_view::npos
                         ? parse_decimal(rest, text)
                         : parse_fraction(rest.substr(0, slash), rest.substr(slash + 1), text);
    if (negative) value = -value;
    return value;
}

std::string to_string(const Rational& value) { return value.str(); }

Rational to_rational(double value) {
    if (!detail::bits_are_finite(value)) {
        throw Error(std::string(detail::bits_are_nan(value) ? "NaN" : "An infinity") +
                    " has no exact value; a finite number is needed here.");
    }
    const detail::DoubleParts parts = detail::take_apart(value);
    const Integer mantissa = parts.mantissa;
    return to_rational(parts.negative ? Integer(-mantissa) : mantissa, parts.exponent);
}

Rational to_rational(const Integer& mantissa, long exponent) {
    Rational result(mantissa);
    mpq_t& data = result.backend().data();
    if (exponent >= 0) {
        mpq_mul_2exp(data, data, static_cast<mp_bitcnt_t>(exponent));
    } else {
        mpq_div_2exp(data, data, static_cast<mp_bitcnt_t>(-(exponent + 1)) + 1);
    }
    return result;
}

double lower_double(const Rational& value) {
    return value < 0 ? round_magnitude(value, true, Direction::up)
                     : round_magnitude(value, false, Direction::down);
}

double upper_double(const Rational& value) {
    return value < 0 ? round_magnitude(value, true, Direction::down)
                     : round_magnitude(value, false, Direction::up);
}

double estimate_double(const Rational& value) {
    return round_magnitude(value, value < 0, Direction::nearest);
}

std::string upper_decimal(const Rational& value, int digits) { return decimal(value, digits, value > 0); }

std::string lower_decimal(const Rational& value, int digits) { return decimal(value, digits, value < 0); }

}  // namespace rankcert
