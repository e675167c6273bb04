#pragma once
/// \file json.hpp  JSON, read strictly.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rankcert {

/// The longest JSON text that parse_json takes. A value of one or two characters becomes an object of some
/// dozens of bytes, so this is what bounds the memory that a hostile text can claim.
inline constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 24;

/// Parses one JSON text (RFC 8259). Refuses (Error that begins with `what`) malformed text, bad UTF-8, lone
/// surrogates, a byte order mark, duplicate keys at any depth (compared after unescaping), numbers that
/// overflow a double, nesting deeper than `max_depth`, texts over kMaxJsonBytes, and anything after the
/// value.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& what, int max_depth = 64);

}  // namespace rankcert
