#pragma once
/// \file tensor.hpp  A named array as it stands in a file.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rankcert/eigen_abi.hpp"

namespace rankcert {

/// f8_e4m3 is the variant without infinities (exponent bias 7, NaN where all other bits are ones, largest
/// number 448); f8_e5m2 is laid out like the IEEE formats.
enum class DType { boolean, u8, i8, u16, i16, u32, i32, u64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64 };

/// "F16", "BF16", "F32", "F64", "BOOL", "U8", …: the names of the safetensors format.
[[nodiscard]] const char* to_string(DType dtype);
/// The inverse; nothing for any other text.
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);
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

/// (product of shape) · bits / 8; nothing where the product of the dimensions other than zero exceeds 2⁶³ − 1
/// bits (a zero dimension does not excuse a product that wraps) or the bits do not fill whole bytes.
[[nodiscard]] std::optional<std::uint64_t> byte_size(const std::vector<std::uint64_t>& shape,
                                                     unsigned bits_of_element);

/// "[2, 3]", "[]".
[[nodiscard]] std::string to_string(const std::vector<std::uint64_t>& shape);

/// The SHA-256, in lower-case hexadecimal, of the canonical form: dtype name, shape, bytes (the exact byte
/// string that is hashed is described in lib/docs/certificate-format.md). The name does not take part.
[[nodiscard]] std::string sha256(const Tensor& tensor);

/// A two-dimensional floating tensor as doubles, widened exactly by integer operations (so subnormals survive
/// whatever mode the processor is in). Throws Error that names the tensor, and the index where an entry is
/// NaN or infinite.
[[nodiscard]] Eigen::MatrixXd to_matrix(const Tensor& tensor);
/// All entries of a floating or boolean tensor in C order, widened exactly as above; NaN and infinities stay
/// what they are, true is 1. Throws Error that names the tensor where it holds other types, or a boolean byte
/// that is neither 0 nor 1.
[[nodiscard]] std::vector<double> to_doubles(const Tensor& tensor);

/// The inverse, for writers: float64.
[[nodiscard]] Tensor from_matrix(std::string name, const Eigen::Ref<const Eigen::MatrixXd>& matrix);
/// The same in another floating dtype. Throws Error that names the index of an entry that the dtype does not
/// hold exactly.
[[nodiscard]] Tensor from_matrix(std::string name, const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                                 DType dtype);

/// A two-dimensional BOOL tensor. Throws Error that names the tensor, and the index of a byte that is neither
/// 0 nor 1.
[[nodiscard]] Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> to_bool_matrix(
    const Tensor& tensor);

/// Part `index` along the first axis: of shape [h, n, d] the [n, d] array number `index`. Throws Error where
/// there is none.
[[nodiscard]] Tensor slice(const Tensor& tensor, std::uint64_t index);

}  // namespace rankcert
