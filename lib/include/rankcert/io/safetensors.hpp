#pragma once
/// \file safetensors.hpp  The .safetensors format: 8-byte little-endian header length, JSON header, data.

#include <map>
#include <span>

#include "rankcert/io/file.hpp"
#include "rankcert/io/tensor.hpp"

namespace rankcert {

struct Safetensors {
    std::map<std::string, std::string> metadata;
    std::vector<Tensor> tensors;  ///< in the order of their offsets

    /// The tensor of that name, or nullptr.
    [[nodiscard]] const Tensor* find(std::string_view name) const;
};

/// Strict: duplicate keys, overlaps, holes, trailing bytes, sizes that disagree with shapes, wrapping products,
/// malformed numbers, bad UTF-8 and dtypes that we do not read are refused with one sentence that names `file`. Memory and
/// time are bounded by the size of the input.
[[nodiscard]] Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& file);
[[nodiscard]] Safetensors read_safetensors(const std::filesystem::path& path);

/// The bytes of a file with these tensors, in this order, header padded to a multiple of 8.
[[nodiscard]] std::vector<std::byte> format_safetensors(const Safetensors& contents);

}  // namespace rankcert
