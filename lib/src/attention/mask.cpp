#include "rigor/trusted.hpp"
//
#include "rankcert/attention/mask.hpp"

#include "io/text.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace {

using Eigen::Index;

std::string title(const Tensor& tensor) {
    return tensor.name.empty() ? "the mask" : "the mask " + io::in_quotes(tensor.name);
}

std::string place(Index i, Index j) { return "[" + std::to_string(i) + ", " + std::to_string(j) + "]"; }

std::uint64_t load(const std::byte* from, std::size_t size) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < size; ++k) bits |= std::to_integer<std::uint64_t>(from[k]) << (8 * k);
    return bits;
}

/// The bits of −infinity: sign and exponent all ones, no fraction.
std::uint64_t minus_infinity(DType dtype) {
    switch (dtype) {
        case DType::f16:
            return 0xfc00;
        case DType::bf16:
            return 0xff80;
        case DType::f32:
            return 0xff800000;
        default:
            return std::uint64_t{0xfff} << 52;
    }
}

/// Takes each −infinity out of a floating tensor and leaves 0 in its place. Returns which entries are left.
BoolMatrix take_infinities(Tensor& tensor, Index rows, Index cols) {
    const std::size_t size = size_of(tensor.dtype);
    const std::uint64_t infinity = minus_infinity(tensor.dtype);
    BoolMatrix keep = BoolMatrix::Constant(rows, cols, true);
    std::byte* at = tensor.data.data();
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j, at += size) {
            if (load(at, size) != infinity) continue;
            keep(i, j) = false;
            std::fill(at, at + size, std::byte{0});
        }
    }
    return keep;
}

bool is_signed(DType dtype) {
    return dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64;
}

/// The whole numbers of a tensor of integers.
ExactMatrix whole_numbers(const Tensor& tensor, Index rows, Index cols) {
    const std::size_t size = size_of(tensor.dtype);
    std::vector<Integer> values;
    values.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    for (std::size_t at = 0; at < tensor.data.size(); at += size) {
        const std::uint64_t bits = load(tensor.data.data() + at, size);
        Integer value(bits);
        // Two's complement: the top bit counts −2^(8·size−1) instead of that.
        if (is_signed(tensor.dtype) && (bits >> (8 * size - 1)) != 0)
            value -= Integer(1) << static_cast<unsigned>(8 * size);
        values.push_back(std::move(value));
    }
    return ExactMatrix::from_integers(rows, cols, std::move(values), 0);
}

/// Rows and columns of a tensor whose data is as long as its shape says.
std::pair<Index, Index> shape_of(const Tensor& tensor) {
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 31;
    if (tensor.shape.size() != 2 || tensor.shape[0] >= kLargest || tensor.shape[1] >= kLargest) {
        throw Error(title(tensor) + ": has the shape " + to_string(tensor.shape) +
                    ", but a mask has a row for each query and a column for each key");
    }
    return {static_cast<Index>(tensor.shape[0]), static_cast<Index>(tensor.shape[1])};
}

ExactMatrix finite_numbers(const Tensor& tensor, Index rows, Index cols) {
    return is_floating(tensor.dtype) ? ExactMatrix::from_double(to_matrix(tensor))
                                     : whole_numbers(tensor, rows, cols);
}

Mask boolean_mask(const Tensor& tensor, Index rows, Index cols) {
    Mask mask;
    mask.kind = MaskKind::boolean;
    if (tensor.dtype == DType::boolean) {
        mask.keep = to_bool_matrix(tensor);
        return mask;
    }
    const ExactMatrix values = finite_numbers(tensor, rows, cols);
    mask.keep.resize(rows, cols);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) {
            const Rational value = values(i, j);
            if (value != 0 && value != 1) {
                throw Error(title(tensor) + ": entry " + place(i, j) +
                            " is neither 0 nor 1, as a boolean mask's must be: read it as an additive one if "
                            "it is added to the logits");
            }
            mask.keep(i, j) = value == 1;
        }
    }
    return mask;
}

Mask additive_mask(Tensor tensor, Index rows, Index cols) {
    if (tensor.dtype == DType::boolean) {
        throw Error(title(tensor) + ": holds booleans, which are not added to logits: read it as boolean");
    }
    Mask mask;
    mask.kind = MaskKind::additive;
    if (is_floating(tensor.dtype)) mask.keep = take_infinities(tensor, rows, cols);
    mask.bias = finite_numbers(tensor, rows, cols);
    const bool hides = mask.keep.size() != 0 && !mask.keep.all();
    if (!hides) {
        mask.keep.resize(0, 0);
    } else if (mask.bias.bits() == 0) {
        mask.kind = MaskKind::boolean;
        mask.bias = {};
    }
    return mask;
}

bool equal(const BoolMatrix& a, const BoolMatrix& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() && (a.size() == 0 || a == b);
}

}  // namespace

Mask to_mask(const Tensor& tensor, MaskReading reading) {
    const auto [rows, cols] = shape_of(tensor);
    return reading == MaskReading::boolean ? boolean_mask(tensor, rows, cols)
                                           : additive_mask(tensor, rows, cols);
}

bool is_same_mask(const Mask& a, const Mask& b, bool square) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
        case MaskKind::none:
            return true;
        case MaskKind::causal:
            return square || a.alignment == b.alignment;
        case MaskKind::boolean:
            return equal(a.keep, b.keep);
        case MaskKind::additive:
            break;
    }
    return equal(a.keep, b.keep) && a.bias == b.bias;
}

bool holds_mask(const Tensor& tensor, const Mask& mask) {
    for (const MaskReading reading : {MaskReading::boolean, MaskReading::additive}) {
        try {
            if (is_same_mask(to_mask(tensor, reading), mask, false)) return true;
        } catch (const Error&) {
            // Not a mask by this reading.
        }
    }
    return false;
}

}  // namespace rankcert
