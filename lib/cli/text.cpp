#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rankcert::cli {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

/// The length of the well-formed UTF-8 sequence at text[i], or 0.
std::size_t utf8_length(std::string_view text, std::size_t i) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char first = byte(i);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || i + length > text.size()) return 0;
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(i + k) & 0xC0) != 0x80) return 0;
    }
    const unsigned char second = byte(i + 1);
    if (first == 0xE0 && second < 0xA0) return 0;   // overlong
    if (first == 0xED && second >= 0xA0) return 0;  // surrogates
    if (first == 0xF0 && second < 0x90) return 0;   // overlong
    if (first == 0xF4 && second >= 0x90) return 0;  // beyond U+10FFFF
    return length;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (is_digit(a[i]) && is_digit(b[j])) {
            const auto number = [](std::string_view text, std::size_t& at) {
                while (at < text.size() && text[at] == '0') ++at;
                const std::size_t begin = at;
                while (at < text.size() && is_digit(text[at])) ++at;
                return text.substr(begin, at - begin);
            };
            const std::string_view x = number(a, i);
            const std::string_view y = number(b, j);
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
        } else {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i;
            ++j;
        }
    }
    if ((i < a.size()) != (j < b.size())) return j < b.size();
    return a < b;  // equal but for leading zeros
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
    if (name.size() > 200) return best;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > 200) continue;
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> pieces;
    for (;;) {
        const std::size_t at = text.find(separator);
        pieces.emplace_back(text.substr(0, at));
        if (at == std::string_view::npos) return pieces;
        text.remove_prefix(at + 1);
    }
}

void append(std::string& list, std::string_view item, std::string_view between) {
    if (!list.empty()) list += between;
    list += item;
}

std::string join(const std::vector<std::string>& items, std::string_view between) {
    std::string list;
    for (const std::string& item : items) append(list, item, between);
    return list;
}

std::string as_file_name(std::string_view text) {
    std::string name(text);
    for (char& c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !is_digit(c) && c != '.' && c != '_' && c != '-') c = '_';
    }
    if (!name.empty() && name.front() == '.') name.front() = '_';
    return name;
}

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string pad(std::string_view text, std::size_t width) {
    std::string padded(text);
    const std::size_t present = width_of(text);
    if (present < width) padded.append(width - present, ' ');
    return padded;
}

std::string dimensions(const std::vector<std::uint64_t>& shape) {
    if (shape.empty()) return "scalar";
    std::string text;
    for (const std::uint64_t size : shape) {
        if (!text.empty()) text += "×";
        text += std::to_string(size);
    }
    return text;
}

std::string printable(std::string_view text) {
    std::string safe;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool c1_control = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (length == 0 || byte < 0x20 || byte == 0x7F || c1_control) {
            safe += "\xEF\xBF\xBD";  // U+FFFD
            i += std::max<std::size_t>(length, 1);
        } else {
            safe += text.substr(i, length);
            i += length;
        }
    }
    return safe;
}

std::string duration(double seconds) {
    const auto whole = static_cast<long long>(std::ceil(std::min(std::max(seconds, 0.0), 1e12)));
    const auto two_digits = [](long long value) {
        std::string text = value < 10 ? "0" : "";
        return text += std::to_string(value);
    };
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600) return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
    return std::to_string(whole / 3600) + " h " + two_digits(whole / 60 % 60) + " min";
}

}  // namespace rankcert::cli
