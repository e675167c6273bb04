#pragma once
/// \file file.hpp  Whole files in and out, and their SHA-256.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankcert {

/// All bytes of a regular file. Throws Error (file, reason) where it cannot be read or is larger than
/// `limit`.
[[nodiscard]] std::vector<std::byte> read_file(const std::filesystem::path& path,
                                               std::uint64_t limit = std::uint64_t{1} << 36);

/// Writes to a temporary name in the same folder, flushes to disk, renames: a reader sees the old file or the
/// whole new one, whatever kills us. Throws Error; leaves no temporary file behind unless killed.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// SHA-256 in lower-case hexadecimal.
[[nodiscard]] std::string sha256(std::span<const std::byte> bytes);

}  // namespace rankcert
