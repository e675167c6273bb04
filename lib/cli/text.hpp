#pragma once
/// \file text.hpp  Small services for names and sentences.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankcert::cli {

/// "layer2.head1" before "layer10.head0": runs of digits compare as numbers.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

/// The candidate nearest to `name` by edits, or "" where none is near.
[[nodiscard]] std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// `text` at the separators; empty pieces are kept, so that a caller can refuse them.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// Puts `between` in front of `item` unless `list` is empty.
void append(std::string& list, std::string_view item, std::string_view between);
[[nodiscard]] std::string join(const std::vector<std::string>& items, std::string_view between);

/// Letters, digits, '.', '_' and '-' stay; all else, and a leading '.', becomes '_'.
[[nodiscard]] std::string as_file_name(std::string_view text);

/// Padded with spaces to `width` characters (code points, not bytes).
[[nodiscard]] std::string pad(std::string_view text, std::size_t width);
[[nodiscard]] std::size_t width_of(std::string_view text);

/// "64×15".
[[nodiscard]] std::string dimensions(const std::vector<std::uint64_t>& shape);

/// Control characters made visible and broken UTF-8 replaced, so that a name out of a hostile file cannot
/// steer a terminal or break a JSON line.
[[nodiscard]] std::string printable(std::string_view text);

/// "3 s", "2 min 05 s", "1 h 10 min".
[[nodiscard]] std::string duration(double seconds);

}  // namespace rankcert::cli
