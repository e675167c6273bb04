#include "rankcert/io/tensor.hpp"

#include <array>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

#include "io/text.hpp"
#include "io/widen.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace {

struct DTypeInfo {
    DType dtype;
    const char* name;
    std::size_t size;
};

constexpr std::array<DTypeInfo, 15> kDTypes{{{DType::boolean, "BOOL", 1},
                                             {DType::u8, "U8", 1},
                                             {DType::i8, "I8", 1},
                                             {DType::u16, "U16", 2},
                                             {DType::i16, "I16", 2},
                                             {DType::u32, "U32", 4},
                                             {DType::i32, "I32", 4},
                                             {DType::u64, "U64", 8},
                                             {DType::i64, "I64", 8},
                                             {DType::f8_e4m3, "F8_E4M3", 1},
                                             {DType::f8_e5m2, "F8_E5M2", 1},
                                             {DType::f16, "F16", 2},
                                             {DType::bf16, "BF16", 2},
                                             {DType::f32, "F32", 4},
                                             {DType::f64, "F64", 8}}};

const DTypeInfo& info(DType dtype) {
    for (const DTypeInfo& entry : kDTypes) {
        if (entry.dtype == dtype) return entry;
    }
    throw std::logic_error("a DType outside its enumeration");
}

std::string title(const Tensor& tensor) {
    return tensor.name.empty() ? "the array" : "tensor " + io::in_quotes(tensor.name);
}

std::string place(Eigen::Index i, Eigen::Index j) {
    return "[" + std::to_string(i) + ", " + std::to_string(j) + "]";
}

std::uint64_t load(const std::byte* from, std::size_t size) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < size; ++k) bits |= std::to_integer<std::uint64_t>(from[k]) << (8 * k);
    return bits;
}

void store(std::byte* to, std::uint64_t bits, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) to[k] = static_cast<std::byte>((bits >> (8 * k)) & 0xff);
}

io::NarrowFormat narrow_format(DType dtype) {
    if (dtype == DType::f8_e5m2) return io::kFloat8E5M2;
    if (dtype == DType::f16) return io::kFloat16;
    if (dtype == DType::bf16) return io::kBfloat16;
    return io::kFloat32;
}

/// The bits of the float64 that equals the given bits of a floating dtype; nothing for NaN and infinities.
std::optional<std::uint64_t> widened(std::uint64_t bits, DType dtype) {
    constexpr std::uint64_t kAllOnes = std::uint64_t{0x7ff} << 52;
    if (dtype == DType::f64) return (bits & kAllOnes) != kAllOnes ? std::optional(bits) : std::nullopt;
    if (dtype == DType::f8_e4m3) return io::widen_e4m3(bits);
    return io::widen(bits, narrow_format(dtype));
}

/// The number of a floating dtype's bits that are NaN or an infinity.
double not_finite(std::uint64_t bits, DType dtype) {
    const std::size_t size = size_of(dtype);
    const int fraction_bits = dtype == DType::f64 ? 52 : narrow_format(dtype).fraction_bits;
    const bool nan = dtype == DType::f8_e4m3 || (bits & ((std::uint64_t{1} << fraction_bits) - 1)) != 0;
    if (nan) return std::numeric_limits<double>::quiet_NaN();
    const bool negative = (bits >> (8 * size - 1)) != 0;
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

/// Rows and columns of a two-dimensional tensor whose data is as long as its shape says.
std::pair<Eigen::Index, Eigen::Index> matrix_shape(const Tensor& tensor) {
    if (tensor.shape.size() != 2) {
        throw Error(title(tensor) + ": has the shape " + to_string(tensor.shape) +
                    ", but a matrix has two dimensions");
    }
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
    if (tensor.shape[0] > kLargest || tensor.shape[1] > kLargest) {
        throw Error(title(tensor) + ": has the shape " + to_string(tensor.shape) +
                    ", and dimensions over 2147483647 are not supported");
    }
    const auto bytes = byte_size(tensor.shape, static_cast<unsigned>(8 * size_of(tensor.dtype)));
    if (bytes != tensor.data.size()) throw std::logic_error("a Tensor whose data does not fit its shape");
    return {static_cast<Eigen::Index>(tensor.shape[0]), static_cast<Eigen::Index>(tensor.shape[1])};
}

}  // namespace

const char* to_string(DType dtype) { return info(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
    for (const DTypeInfo& entry : kDTypes) {
        if (name == entry.name) return entry.dtype;
    }
    return std::nullopt;
}

std::size_t size_of(DType dtype) { return info(dtype).size; }

bool is_floating(DType dtype) {
    return dtype == DType::f8_e4m3 || dtype == DType::f8_e5m2 || dtype == DType::f16 ||
           dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
}

std::optional<std::uint64_t> byte_size(const std::vector<std::uint64_t>& shape, unsigned bits_of_element) {
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::uint64_t bits = bits_of_element;
    bool empty = false;
    for (const std::uint64_t dimension : shape) {
        if (dimension == 0) {
            empty = true;
            continue;
        }
        if (bits > kLargest / dimension) return std::nullopt;
        bits *= dimension;
    }
    if (empty) return 0;
    if (bits % 8 != 0) return std::nullopt;
    return bits / 8;
}

std::string to_string(const std::vector<std::uint64_t>& shape) {
    std::string text = "[";
    for (std::size_t k = 0; k < shape.size(); ++k) text += (k == 0 ? "" : ", ") + std::to_string(shape[k]);
    return text + "]";
}

Eigen::MatrixXd to_matrix(const Tensor& tensor) {
    if (!is_floating(tensor.dtype)) {
        throw Error(title(tensor) + ": holds " + to_string(tensor.dtype) +
                    " where floating-point numbers (F8_E4M3, F8_E5M2, F16, BF16, F32, F64) are needed");
    }
    const auto [rows, cols] = matrix_shape(tensor);
    const std::size_t size = size_of(tensor.dtype);
    Eigen::MatrixXd matrix(rows, cols);
    const std::byte* from = tensor.data.data();
    for (Eigen::Index i = 0; i < rows; ++i) {
        for (Eigen::Index j = 0; j < cols; ++j, from += size) {
            const auto wide = widened(load(from, size), tensor.dtype);
            if (!wide) {
                throw Error(title(tensor) + ": entry " + place(i, j) +
                            " is NaN or infinite; every entry must be a finite number");
            }
            matrix(i, j) = std::bit_cast<double>(*wide);
        }
    }
    return matrix;
}

std::vector<double> to_doubles(const Tensor& tensor) {
    const bool boolean = tensor.dtype == DType::boolean;
    if (!boolean && !is_floating(tensor.dtype)) {
        throw Error(title(tensor) + ": holds " + to_string(tensor.dtype) +
                    " where floating-point numbers or booleans are needed");
    }
    const std::size_t size = size_of(tensor.dtype);
    std::vector<double> values(tensor.data.size() / size);
    const std::byte* from = tensor.data.data();
    for (std::size_t k = 0; k < values.size(); ++k, from += size) {
        const std::uint64_t bits = load(from, size);
        if (boolean && bits > 1) {
            throw Error(title(tensor) + ": entry " + std::to_string(k) + " (in C order) is the byte " +
                        std::to_string(bits) + ", but a boolean is 0 or 1");
        }
        if (boolean) {
            values[k] = bits == 1 ? 1 : 0;
        } else {
            const auto wide = widened(bits, tensor.dtype);
            values[k] = wide ? std::bit_cast<double>(*wide) : not_finite(bits, tensor.dtype);
        }
    }
    return values;
}

Tensor from_matrix(std::string name, const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
    return from_matrix(std::move(name), matrix, DType::f64);
}

Tensor from_matrix(std::string name, const Eigen::Ref<const Eigen::MatrixXd>& matrix, DType dtype) {
    if (!is_floating(dtype)) throw std::logic_error("from_matrix writes floating-point dtypes only");
    Tensor tensor;
    tensor.name = std::move(name);
    tensor.dtype = dtype;
    tensor.shape = {static_cast<std::uint64_t>(matrix.rows()), static_cast<std::uint64_t>(matrix.cols())};
    const std::size_t size = size_of(dtype);
    tensor.data.resize(static_cast<std::size_t>(matrix.rows()) * static_cast<std::size_t>(matrix.cols()) *
                       size);
    std::byte* to = tensor.data.data();
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        for (Eigen::Index j = 0; j < matrix.cols(); ++j, to += size) {
            const auto wide = std::bit_cast<std::uint64_t>(matrix(i, j));
            const auto bits = dtype == DType::f64       ? std::optional(wide)
                              : dtype == DType::f8_e4m3 ? io::narrow_e4m3(wide)
                                                        : io::narrow(wide, narrow_format(dtype));
            if (!bits) {
                throw Error(title(tensor) + ": entry " + place(i, j) +
                            " is not exactly a number of the format " + to_string(dtype));
            }
            store(to, *bits, size);
        }
    }
    return tensor;
}

Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> to_bool_matrix(const Tensor& tensor) {
    if (tensor.dtype != DType::boolean) {
        throw Error(title(tensor) + ": holds " + to_string(tensor.dtype) + " where BOOL is needed");
    }
    const auto [rows, cols] = matrix_shape(tensor);
    Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> matrix(rows, cols);
    const std::byte* from = tensor.data.data();
    for (Eigen::Index i = 0; i < rows; ++i) {
        for (Eigen::Index j = 0; j < cols; ++j, ++from) {
            if (*from != std::byte{0} && *from != std::byte{1}) {
                throw Error(title(tensor) + ": entry " + place(i, j) + " is the byte " +
                            std::to_string(std::to_integer<int>(*from)) + ", but a boolean is 0 or 1");
            }
            matrix(i, j) = *from == std::byte{1};
        }
    }
    return matrix;
}

Tensor slice(const Tensor& tensor, std::uint64_t index) {
    if (tensor.shape.empty() || index >= tensor.shape.front()) {
        throw Error(title(tensor) + ": has the shape " + to_string(tensor.shape) +
                    ", so there is no part number " + std::to_string(index) + " along its first axis");
    }
    const std::size_t size = tensor.data.size() / static_cast<std::size_t>(tensor.shape.front());
    const auto begin = tensor.data.begin() + static_cast<std::ptrdiff_t>(index * size);
    Tensor part;
    part.name = tensor.name + "[" + std::to_string(index) + "]";
    part.dtype = tensor.dtype;
    part.shape.assign(tensor.shape.begin() + 1, tensor.shape.end());
    part.data.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    return part;
}

}  // namespace rankcert
