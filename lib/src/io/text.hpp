#pragma once
// Texts from a file that go into an error message.

#include <string>
#include <string_view>

namespace rankcert::io {

/// The text between single quotes, cut after 64 bytes, with every byte that is not printable ASCII escaped: a
/// name that a hostile file chose can neither flood nor steer a terminal.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace rankcert::io
