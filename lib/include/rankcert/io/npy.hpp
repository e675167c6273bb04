#pragma once
/// \file npy.hpp  NumPy's .npy (versions 1–3, C and Fortran order, both byte orders) and .npz.

#include <span>

#include "rankcert/io/file.hpp"
#include "rankcert/io/tensor.hpp"

namespace rankcert {

/// Strict; throws Error with one sentence that names `file`. The result is in canonical form (C order,
/// little-endian), with an empty name.
[[nodiscard]] Tensor parse_npy(std::span<const std::byte> bytes, const std::string& file);
[[nodiscard]] Tensor read_npy(const std::filesystem::path& path);
[[nodiscard]] std::vector<std::byte> format_npy(const Tensor& tensor);

/// All arrays of an archive, stored or deflated, in the order of the central directory; names without ".npy".
[[nodiscard]] std::vector<Tensor> parse_npz(std::span<const std::byte> bytes, const std::string& file);
[[nodiscard]] std::vector<Tensor> read_npz(const std::filesystem::path& path);

}  // namespace rankcert
