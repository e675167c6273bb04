#pragma once
/// \file npy.hpp  NumPy's .npy (versions 1–3, C and Fortran order, both byte orders) and .npz.
///
/// Read: f2, f4, f8, i1 … i8, u1 … u8 and b1, with the byte order stated ('<' or '>'; for one-byte types any
/// of
/// '<', '>', '|', '='). '=f4' and '|f4' do not say in which order their bytes stand, NumPy never writes them,
/// and we refuse to guess. Everything else (structured, object, string, complex, date, long double) is
/// refused by name; an object array is never unpickled. Bytes after the array are refused.

#include <cstdint>
#include <span>

#include "rankcert/io/file.hpp"
#include "rankcert/io/tensor.hpp"

namespace rankcert {

/// Strict; throws Error with one sentence that names `file`. The result is in canonical form (C order,
/// little-endian), with an empty name. Memory: that of the data.
[[nodiscard]] Tensor parse_npy(std::span<const std::byte> bytes, const std::string& file);
[[nodiscard]] Tensor read_npy(const std::filesystem::path& path);
/// The bytes of a version 1.0 file. Throws Error where the header would not fit in 65535 bytes.
[[nodiscard]] std::vector<std::byte> format_npy(const Tensor& tensor);

/// Whether bytes of an unknown kind begin an archive. (The length that begins a .safetensors file may have the
/// same four bytes, but then its header follows with "{", where an archive has a compression method that nobody
/// uses, or a count of members that an empty one cannot have.)
[[nodiscard]] bool is_npz(std::span<const std::byte> bytes);

/// The most that the members of one archive may hold together, unpacked.
inline constexpr std::uint64_t kMaxNpzBytes = std::uint64_t{1} << 32;

/// All arrays of an archive, stored or deflated, in the order of the central directory; names without ".npy".
/// Refuses (Error) two members of one name, members that are not .npy, encryption, other compression methods,
/// sizes or checksums that do not match, sizes that deflate cannot reach from what is stored, and archives
/// that would unpack to more than `limit` bytes. No memory is taken on the word of a declared size.
[[nodiscard]] std::vector<Tensor> parse_npz(std::span<const std::byte> bytes, const std::string& file,
                                            std::uint64_t limit = kMaxNpzBytes);
[[nodiscard]] std::vector<Tensor> read_npz(const std::filesystem::path& path);

}  // namespace rankcert
