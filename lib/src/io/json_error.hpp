#pragma once
// What a JSON parser's exception says, without the library's prefixes and without an echo of the input.

#include <string>

namespace rankcert::io {

/// From "[json.exception…] parse error at line 1, column 5: syntax error while parsing value - REASON; last
/// read: …" the words REASON; the token that it echoes may be a megabyte long.
[[nodiscard]] inline std::string json_reason(const std::string& what) {
    std::string text = what;
    if (const auto cut = text.find("; last read:"); cut != std::string::npos) text.resize(cut);
    if (const auto cut = text.find(" - "); cut != std::string::npos) {
        text.erase(0, cut + 3);
    } else if (const auto bracket = text.find("] "); bracket != std::string::npos) {
        text.erase(0, bracket + 2);
    }
    constexpr std::size_t kLongest = 160;
    if (text.size() > kLongest) text.resize(kLongest);
    for (char& c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7f) c = '?';
    }
    return text;
}

}  // namespace rankcert::io
