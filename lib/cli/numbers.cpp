#include "numbers.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "rankcert/attention/number_format.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

Rational parse_number(const std::string& text, const std::string& what, const std::string& example) {
    try {
        return parse_rational(text);
    } catch (const Error&) {
        throw Error(what + " \"" + printable(text) +
                    "\" is not a number: write it as a decimal or a fraction, such as " + example + ".");
    }
}

std::vector<std::string> items(const std::vector<std::string>& lists, const std::string& what,
                               const std::string& example) {
    std::vector<std::string> all;
    for (const std::string& list : lists) {
        for (std::string& item : split(list, ',')) {
            const std::size_t first = item.find_first_not_of(' ');
            const std::size_t last = item.find_last_not_of(' ');
            if (first == std::string::npos) {
                throw Error("The list \"" + printable(list) + "\" of " + what +
                            " is empty or has an empty item: write it like " + example + ".");
            }
            all.push_back(item.substr(first, last - first + 1));
        }
    }
    if (all.empty()) throw Error("The list of " + what + " is empty: write it like " + example + ".");
    return all;
}

}  // namespace

std::vector<Epsilon> parse_epsilons(const std::vector<std::string>& lists) {
    std::vector<Epsilon> epsilons;
    for (const std::string& text : items(lists, "--epsilon", "1/4,0.15")) {
        const Rational value = parse_number(text, "The tolerance", "1/4 or 0.15");
        if (value < 0) throw Error("The tolerance " + text + " is negative: --epsilon takes numbers ≥ 0.");
        for (const Epsilon& earlier : epsilons) {
            if (earlier.value == value) {
                throw Error("--epsilon names the same tolerance twice, as " + earlier.text + " and as " +
                            text + ": give it once.");
            }
        }
        epsilons.push_back({text, value});
    }
    return epsilons;
}

std::vector<Multiplier> parse_multipliers(const std::vector<std::string>& lists) {
    std::vector<Multiplier> multipliers;
    for (const std::string& text : items(lists, "--beta-multiplier", "1/2,1,2 or 1/2..2")) {
        Multiplier multiplier;
        const std::size_t dots = text.find("..");
        const auto number = [&](const std::string& part) {
            return parse_number(part, "The temperature multiplier", "1/2, 0.5 or the interval 1/2..2");
        };
        if (dots == std::string::npos) {
            multiplier.low = multiplier.high = number(text);
            multiplier.text = to_string(multiplier.low);
        } else {
            multiplier.low = number(text.substr(0, dots));
            multiplier.high = number(text.substr(dots + 2));
            multiplier.text = to_string(multiplier.low) + ".." + to_string(multiplier.high);
            if (multiplier.low == multiplier.high) multiplier.text = to_string(multiplier.low);
        }
        if (multiplier.low < 0) {
            throw Error("The temperature multiplier " + text +
                        " is negative: --beta-multiplier takes numbers ≥ 0.");
        }
        if (multiplier.low > multiplier.high) {
            throw Error("The interval " + text +
                        " of --beta-multiplier is empty: its lower end comes first.");
        }
        for (const Multiplier& earlier : multipliers) {
            if (earlier.low == multiplier.low && earlier.high == multiplier.high) {
                throw Error("--beta-multiplier names " + multiplier.text + " twice: give it once.");
            }
        }
        multipliers.push_back(multiplier);
    }
    return multipliers;
}

Rational nearest_double_of(const std::string& text, const std::string& what) {
    const Rational exact = parse_number(text, what, "0.125");
    const double low = lower_double(exact);
    const double high = upper_double(exact);
    if (!std::isfinite(low) || !std::isfinite(high)) {
        throw Error(what + " \"" + printable(text) + "\" is outside the range of a float64 number.");
    }
    if (low == high) return exact;
    const Rational below = exact - to_rational(low);
    const Rational above = to_rational(high) - exact;
    const bool low_is_even = (std::bit_cast<std::uint64_t>(low) & 1U) == 0;
    return to_rational(below < above || (below == above && low_is_even) ? low : high);
}

NumberFormat parse_number_format(const std::string& text) {
    for (const NumberFormat format :
         {NumberFormat::float16, NumberFormat::bfloat16, NumberFormat::float32, NumberFormat::float64}) {
        if (text == to_string(format)) return format;
    }
    throw Error("The number format \"" + printable(text) +
                "\" is not known: --rounded-from takes float16, bfloat16, float32 or float64.");
}

std::string decimal_or_fraction(const Rational& value, int digits) {
    // A denominator 2^a 5^b has an exact decimal of max(a, b) places.
    Integer rest = denominator(value);
    int twos = 0;
    int fives = 0;
    const int limit = 2 * digits + 64;
    while (rest % 2 == 0 && twos < limit) rest /= 2, ++twos;
    while (rest % 5 == 0 && fives < limit) rest /= 5, ++fives;
    const int places = std::max(twos, fives);
    if (rest != 1 || places > limit) return to_string(value);
    Integer power = 1;
    for (int i = 0; i < places; ++i) power *= 10;
    const Integer whole = abs(numerator(value)) * (power / denominator(value));
    std::string figures = whole.str();
    const int point = places;
    if (static_cast<int>(figures.size()) <= point) {
        figures.insert(0, static_cast<std::size_t>(point) + 1 - figures.size(), '0');
    }
    const std::string fraction = to_string(value);
    if (static_cast<int>(figures.size()) > digits) return fraction;
    if (point > 0) figures.insert(figures.size() - static_cast<std::size_t>(point), 1, '.');
    if (value < 0) figures.insert(0, 1, '-');
    return fraction.size() <= figures.size() ? fraction : figures;
}

std::string describe(const Scale& scale) {
    if (scale.sqrt_of == 1) {
        const std::string exact = decimal_or_fraction(scale.factor);
        if (exact.find('/') == std::string::npos || exact.size() <= 12) return exact;
        const double near = estimate_double(scale.factor);
        std::ostringstream text;
        text.precision(std::numeric_limits<double>::max_digits10);
        text << near;
        return exact + " (about " + text.str() + ")";
    }
    const std::string root = "sqrt(" + std::to_string(scale.sqrt_of) + ")";
    return decimal_or_fraction(scale.factor) + "/" + root;
}

}  // namespace rankcert::cli
