#pragma once
// The header of a .npy file: a Python dictionary literal with three keys.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rankcert/io/tensor.hpp"

namespace rankcert::io {

struct NpyHeader {
    DType dtype = DType::f64;
    bool big_endian = false;
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
};

/// Throws Error that begins with `file`.
[[nodiscard]] NpyHeader parse_npy_header(std::string_view text, const std::string& file);

}  // namespace rankcert::io
