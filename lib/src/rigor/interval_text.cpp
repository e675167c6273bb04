#include "rankcert/rigor/interval_text.hpp"

#include <algorithm>
#include <optional>

#include "rankcert/rigor/error.hpp"
#include "rigor/double_bits.hpp"
#include "rigor/trusted.hpp"  // refuses unsafe compiler flags

namespace rankcert {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMaxLength = 1000000;

[[noreturn]] void refuse(std::string_view text, const char* reason) {
    std::string sentence = "\"";
    for (const char c : text.substr(0, 60)) sentence += (c >= ' ' && c <= '~') ? c : '?';
    if (text.size() > 60) sentence += "…";
    sentence.append("\" is not an interval: ").append(reason);
    sentence.append(
        "; write a number such as 0.1 or 1/3, two ends as in [0.1, 0.2], or 1.25?3 for 1.25 ± 0.03.");
    throw Error(sentence);
}

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

/// ASCII lower case, whatever the locale.
std::string lower_case(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/// "0x1.8p-3" after the sign, in lower case.
Rational parse_hexadecimal(std::string_view text, std::string_view whole) {
    text.remove_prefix(2);
    const auto p = text.find('p');
    long exponent = 0;
    if (p != std::string_view::npos) {
        // The exponent is read as the exact decimal that it is.
        const Rational value = parse_rational(text.substr(p + 1));
        constexpr long kLimit = 300000;  // about 100,000 decimal digits
        if (denominator(value) != 1 || value > kLimit || value < -kLimit)
            refuse(whole, "its exponent cannot be used");
        exponent = static_cast<long>(numerator(value));
        text = text.substr(0, p);
    }
    std::string digits;
    bool point = false;
    for (const char c : text) {
        if (c == '.' && !point) {
            point = true;
        } else if (hex_digit(c) >= 0) {
            digits += c;
            if (point) exponent -= 4;
        } else {
            refuse(whole, "it has characters that do not belong to a number");
        }
    }
    if (digits.empty()) refuse(whole, "digits are missing");
    if (digits.size() > 100000) refuse(whole, "it has more than 100000 digits");
    Integer mantissa;
    mpz_set_str(mantissa.backend().data(), digits.c_str(), 16);
    return to_rational(mantissa, exponent);
}

/// A number in lower case.
Rational parse_number(std::string_view text, std::string_view whole) {
    std::string_view rest = text;
    bool negative = false;
    if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
        negative = rest.front() == '-';
        rest.remove_prefix(1);
    }
    if (rest.size() > 2 && rest.substr(0, 2) == "0x") {
        const Rational value = parse_hexadecimal(rest, whole);
        return negative ? Rational(-value) : value;
    }
    return parse_rational(text);
}

/// An end of an interval: a number, or nothing where it is infinite in the given direction.
std::optional<Rational> parse_end(std::string_view text, bool lower, std::string_view whole) {
    if (text.empty()) return std::nullopt;
    if (text == (lower ? "-inf" : "inf") || text == (lower ? "-infinity" : "infinity")) return std::nullopt;
    if (!lower && (text == "+inf" || text == "+infinity")) return std::nullopt;
    return parse_number(text, whole);
}

Interval from_ends(const std::optional<Rational>& lower, const std::optional<Rational>& upper,
                   std::string_view whole) {
    if (lower && upper && *lower > *upper) refuse(whole, "its lower end is above its upper end");
    return make_interval(lower ? lower_double(*lower) : -kInfinity, upper ? upper_double(*upper) : kInfinity);
}

Interval parse_bracketed(std::string_view inside, std::string_view whole) {
    if (inside.empty() || inside == "empty") return empty_interval();
    if (inside == "entire") return entire_interval();
    const auto comma = inside.find(',');
    if (comma == std::string_view::npos) {
        const Rational value = parse_number(inside, whole);
        return from_ends(value, value, whole);
    }
    return from_ends(parse_end(trimmed(inside.substr(0, comma)), true, whole),
                     parse_end(trimmed(inside.substr(comma + 1)), false, whole), whole);
}

/// m?ruE: m a decimal without exponent, r the radius in units of its last digit, u a direction, E an
/// exponent.
Interval parse_uncertain(std::string_view text, std::string_view whole) {
    const auto mark = text.find('?');
    const std::string_view number = text.substr(0, mark);
    std::string_view rest = text.substr(mark + 1);
    if (number.find_first_of("e/x") != std::string_view::npos)
        refuse(whole, "the exponent belongs behind the radius");
    std::string scale = "1";
    if (const auto e = rest.find('e'); e != std::string_view::npos) {
        scale.append(rest.substr(e));
        rest = rest.substr(0, e);
    }
    bool down = true;
    bool up = true;
    if (!rest.empty() && (rest.back() == 'u' || rest.back() == 'd')) {
        (rest.back() == 'u' ? down : up) = false;
        rest.remove_suffix(1);
    }
    const Rational factor = parse_rational(scale);
    const Rational centre = parse_rational(number) * factor;
    std::optional<Rational> lower = centre;
    std::optional<Rational> upper = centre;
    if (rest == "?") {
        if (down) lower.reset();
        if (up) upper.reset();
        return from_ends(lower, upper, whole);
    }
    const auto point = number.find('.');
    const std::size_t fraction_digits = point == std::string_view::npos ? 0 : number.size() - point - 1;
    Rational unit = parse_rational("1e-" + std::to_string(fraction_digits)) * factor;
    if (rest.empty()) {
        unit /= 2;
    } else {
        if (rest.find_first_not_of("0123456789") != std::string_view::npos)
            refuse(whole, "its radius is not a whole number");
        unit *= parse_rational(rest);
    }
    if (down) *lower -= unit;
    if (up) *upper += unit;
    return from_ends(lower, upper, whole);
}

std::string decimal_end(double end, bool lower, int digits) {
    if (!detail::bits_are_finite(end)) return detail::bits_are_negative(end) ? "-inf" : "inf";
    return lower ? lower_decimal(to_rational(end), digits) : upper_decimal(to_rational(end), digits);
}

}  // namespace

std::string to_string(const Interval& x, int digits) {
    if (digits < 1) throw Error("A decimal needs at least one digit; ask for one or more.");
    if (is_empty(x)) return "[empty]";
    if (is_entire(x)) return "[entire]";
    std::string text(1, '[');
    text.append(decimal_end(x.lower(), true, digits)).append(", ");
    return text.append(decimal_end(x.upper(), false, digits)).append("]");
}

Interval parse_interval(std::string_view text) {
    if (text.size() > kMaxLength) refuse(text, "it is too long");
    const std::string lower = lower_case(trimmed(text));
    const std::string_view view = lower;
    if (!view.empty() && view.front() == '[') {
        if (view.back() != ']') refuse(text, "a bracket is not closed");
        return parse_bracketed(trimmed(view.substr(1, view.size() - 2)), text);
    }
    if (view.find('?') != std::string_view::npos) return parse_uncertain(view, text);
    const Rational value = parse_number(view, text);
    return from_ends(value, value, text);
}

}  // namespace rankcert
