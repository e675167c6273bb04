#pragma once
/// \file safetensors.hpp  The .safetensors format: 8-byte little-endian header length, JSON header, data.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rankcert/io/file.hpp"
#include "rankcert/io/tensor.hpp"

namespace rankcert {

/// The longest header, as in the format's reference reader.
inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;

/// A tensor of a dtype that the format knows and we do not read (F8_E4M3, C64, …). Its size and place were
/// checked like any other's, so a file may hold some beside the tensors that are wanted.
struct UnreadTensor {
    std::string name;
    std::string dtype;
    std::vector<std::uint64_t> shape;
};

struct Safetensors {
    std::map<std::string, std::string> metadata;
    std::vector<Tensor> tensors;       ///< in the order of their offsets
    std::vector<UnreadTensor> unread;  ///< likewise

    /// The tensor of that name, or nullptr. Throws Error where it is one of `unread`.
    [[nodiscard]] const Tensor* find(std::string_view name) const;
};

/// Strict: duplicate keys, overlaps, holes, trailing bytes, sizes that disagree with shapes, wrapping
/// products (a zero dimension does not excuse them), negative, fractional or exponent numbers, unknown keys,
/// bad UTF-8 and dtypes that the format does not know are refused with one sentence that names `file`. Empty
/// tensors may share an offset. Memory and time are bounded by the size of the input: O(size · log size).
[[nodiscard]] Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& file);
[[nodiscard]] Safetensors read_safetensors(const std::filesystem::path& path);

/// The bytes of a file with these tensors, in this order, header padded with spaces to a multiple of 8.
/// Throws Error where two names are equal, one is "__metadata__", or a tensor's data does not fit its shape.
[[nodiscard]] std::vector<std::byte> format_safetensors(const Safetensors& contents);

}  // namespace rankcert
