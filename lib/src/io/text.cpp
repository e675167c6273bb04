#include "io/text.hpp"

namespace rankcert::io {

std::string in_quotes(std::string_view text) {
    constexpr std::size_t kLongest = 64;
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string result = "'";
    for (const char c : text.substr(0, kLongest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f) {
            result += c;
        } else {
            result += "\\x";
            result += kHex[byte >> 4];
            result += kHex[byte & 15];
        }
    }
    if (text.size() > kLongest) result += "…";
    return result + "'";
}

}  // namespace rankcert::io
