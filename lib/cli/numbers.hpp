#pragma once
/// \file numbers.hpp  The numbers that a user writes, exactly.

#include <string>
#include <vector>

#include "rankcert/attention/head.hpp"

namespace rankcert::cli {

/// ε with the text that it was given as.
struct Epsilon {
    std::string text;
    Rational value;
};

/// A multiplier of the temperature, or an interval of them, with its text in lowest terms ("1/2", "1/2..2").
struct Multiplier {
    std::string text;
    Rational low = 1;
    Rational high = 1;
};

/// "1/4,0.15" → two values, in this order. Throws Error for an empty list, an empty or malformed item, a
/// negative one, and one given twice.
[[nodiscard]] std::vector<Epsilon> parse_epsilons(const std::vector<std::string>& lists);

/// "1/2,1,1/2..2" → one run each. Throws Error as above, and for an interval whose ends are in the wrong
/// order.
[[nodiscard]] std::vector<Multiplier> parse_multipliers(const std::vector<std::string>& lists);

/// The double nearest to the number that `text` writes, ties to even: what a model that read the text used.
/// Exact, by way of the rational; `what` names the place for the error.
[[nodiscard]] Rational nearest_double_of(const std::string& text, const std::string& what);

/// "float16", "bfloat16", "float32", "float64".
[[nodiscard]] NumberFormat parse_number_format(const std::string& text);

/// "1/sqrt(15)", or the number: a short decimal where that is exact, else the fraction.
[[nodiscard]] std::string describe(const Scale& scale);

/// A rational as a reader likes it: the shorter of its fraction "p/q" and its decimal, where that is exact
/// and has at most `digits` figures.
[[nodiscard]] std::string decimal_or_fraction(const Rational& value, int digits = 24);

}  // namespace rankcert::cli
