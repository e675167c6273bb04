#pragma once
/// \file json.hpp  JSON, read strictly.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rankcert {

/// Parses one JSON text. Refuses (Error naming `what`) malformed text, bad UTF-8, duplicate keys at any depth, nesting
/// deeper than `max_depth`, and anything after the value.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& what, int max_depth = 64);

}  // namespace rankcert
