#pragma once
// The JSON header of a .safetensors file, read without building a JSON value: a header of a hundred megabytes
// becomes the entries below and nothing else.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankcert::io {

struct HeaderEntry {
    std::string name;
    std::string dtype;
    std::vector<std::uint64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct SafetensorsHeader {
    std::map<std::string, std::string> metadata;
    std::vector<HeaderEntry> entries;  ///< in the order of the header; names not yet compared
};

/// Throws Error that begins with `file`. Checks the form alone: what the numbers say is the caller's to
/// judge.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view text, const std::string& file);

}  // namespace rankcert::io
