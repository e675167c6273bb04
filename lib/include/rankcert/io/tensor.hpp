#pragma once
/// \file tensor.hpp  A named array as it stands in a file.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rankcert {

enum class DType { boolean, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64 };

/// "F16", "BF16", "F32", "F64", "BOOL", "U8", …: the names of the safetensors format.
[[nodiscard]] const char* to_string(DType dtype);
[[nodiscard]] std::size_t size_of(DType dtype);
[[nodiscard]] bool is_floating(DType dtype);

/// A dense array in canonical form: C order, little-endian, no padding. `data` holds exactly
/// (product of shape) · size_of(dtype) bytes.
struct Tensor {
    std::string name;
    DType dtype = DType::f64;
    std::vector<std::uint64_t> shape;
    std::vector<std::byte> data;
};

/// The SHA-256, in lower-case hexadecimal, of the canonical form: dtype name, shape, bytes (the exact byte string that
/// is hashed is described in lib/docs/certificate-format.md).
[[nodiscard]] std::string sha256(const Tensor& tensor);

/// A two-dimensional floating tensor (or a slice of one) as doubles, widened exactly. Throws Error that names the
/// tensor, and the index where an entry is NaN or infinite.
[[nodiscard]] Eigen::MatrixXd to_matrix(const Tensor& tensor);
/// The inverse, for writers: float64.
[[nodiscard]] Tensor from_matrix(std::string name, const Eigen::Ref<const Eigen::MatrixXd>& matrix);

}  // namespace rankcert
