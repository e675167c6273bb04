#include "rigor/trusted.hpp"
//
#include <charconv>

#include "io/text.hpp"
#include "rankcert/attention/head.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {

Scale parse_scale(const std::string& text, Eigen::Index dimension) {
    constexpr std::string_view kRoot = "/sqrt(";
    Scale scale;
    std::string number = text;
    if (const std::size_t root = text.find(kRoot); root != std::string::npos && text.ends_with(")")) {
        number = text.substr(0, root);
        const std::string inside = text.substr(root + kRoot.size(), text.size() - root - kRoot.size() - 1);
        if (inside == "d") {
            scale.sqrt_of = static_cast<std::uint64_t>(dimension);
        } else {
            const auto [end, error] =
                std::from_chars(inside.data(), inside.data() + inside.size(), scale.sqrt_of);
            if (error != std::errc() || end != inside.data() + inside.size() || scale.sqrt_of == 0) {
                throw Error("The scale " + io::in_quotes(text) +
                            " is not understood: inside 1/sqrt( ) write d or a positive whole number.");
            }
        }
    }
    try {
        scale.factor = parse_rational(number);
    } catch (const Error&) {
        throw Error(
            "The scale " + io::in_quotes(text) +
            " is not a number: write it as a decimal or a fraction, such as 0.125, 1/8 or 1/sqrt(d).");
    }
    return scale;
}

std::string to_string(const Scale& scale) {
    const std::string factor = to_string(scale.factor);
    return scale.sqrt_of == 1 ? factor : factor + "/sqrt(" + std::to_string(scale.sqrt_of) + ")";
}

}  // namespace rankcert
