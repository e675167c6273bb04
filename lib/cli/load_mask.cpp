#include "load_mask.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "rankcert/io/npy.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

/// Entry `at` of a tensor of one-byte or floating numbers; −infinity is an ordinary value here.
double entry(const Tensor& tensor, std::size_t at) {
    const std::byte* bytes = tensor.data.data() + at * size_of(tensor.dtype);
    switch (tensor.dtype) {
        case DType::boolean:
        case DType::u8:
            return std::to_integer<unsigned>(*bytes);
        case DType::i8:
            return static_cast<signed char>(std::to_integer<unsigned char>(*bytes));
        case DType::f32: {
            float value = 0;
            std::memcpy(&value, bytes, sizeof value);
            return value;
        }
        case DType::f64: {
            double value = 0;
            std::memcpy(&value, bytes, sizeof value);
            return value;
        }
        case DType::f16: {
            unsigned char raw[2];
            std::memcpy(raw, bytes, 2);
            const unsigned bits = raw[0] | unsigned{raw[1]} << 8;
            if ((bits & 0x7FFF) == 0x7C00) {
                return (bits & 0x8000) != 0 ? -std::numeric_limits<double>::infinity()
                                            : std::numeric_limits<double>::infinity();
            }
            if ((bits & 0x7C00) == 0x7C00) return std::numeric_limits<double>::quiet_NaN();
            Tensor one{tensor.name, tensor.dtype, {1, 1}, {bytes[0], bytes[1]}};
            return to_matrix(one)(0, 0);
        }
        default:
            return std::numeric_limits<double>::quiet_NaN();
    }
}

std::string place(std::size_t at, Eigen::Index keys) {
    const auto columns = static_cast<std::size_t>(keys);
    return "[" + std::to_string(at / columns) + ", " + std::to_string(at % columns) + "]";
}

}  // namespace

Mask read_mask(const std::string& path, const std::string& kind, Eigen::Index queries, Eigen::Index keys) {
    if (!path.ends_with(".npy")) {
        throw Error("--mask \"" + printable(path) +
                    "\" is neither none nor causal nor the name of an .npy file.");
    }
    const Tensor tensor = read_npy(path);
    const std::string file = printable(path);
    const std::vector<std::uint64_t> wanted = {static_cast<std::uint64_t>(queries),
                                               static_cast<std::uint64_t>(keys)};
    if (tensor.shape != wanted) {
        throw Error(file + " is " + dimensions(tensor.shape) + ", but the head needs a mask of " +
                    dimensions(wanted) + " (queries by keys).");
    }
    switch (tensor.dtype) {
        case DType::boolean:
        case DType::u8:
        case DType::i8:
        case DType::f16:
        case DType::f32:
        case DType::f64:
            break;
        default:
            throw Error(file + " is a mask of type " + to_string(tensor.dtype) +
                        ": store masks as bool, uint8, float16, float32 or float64.");
    }
    if (tensor.dtype == DType::boolean && kind == "additive") {
        throw Error(file + " is a boolean mask: --mask-kind additive does not go with it.");
    }
    if (tensor.dtype != DType::boolean && kind.empty()) {
        throw Error(file + " is a mask of type " + to_string(tensor.dtype) +
                    ": say with --mask-kind boolean (1 keeps a key, 0 hides it) or additive (added to the "
                    "logits) how to read it.");
    }
    const std::size_t size = static_cast<std::size_t>(queries) * static_cast<std::size_t>(keys);
    Mask mask;
    Eigen::MatrixXd bias(queries, keys);
    BoolMatrix keep(queries, keys);
    bool hides = false;
    bool shifts = false;
    std::size_t shift_at = 0;
    for (std::size_t at = 0; at < size; ++at) {
        const double value = entry(tensor, at);
        const auto i = static_cast<Eigen::Index>(at / static_cast<std::size_t>(keys));
        const auto j = static_cast<Eigen::Index>(at % static_cast<std::size_t>(keys));
        if (tensor.dtype == DType::boolean || kind == "boolean") {
            if (!(value == 0 || value == 1)) {
                throw Error(file + ": entry " + place(at, keys) +
                            " of the boolean mask is neither 0 nor 1: use --mask-kind additive if it is "
                            "added to the logits.");
            }
            keep(i, j) = value == 1;
        } else {
            if (std::isnan(value) || value == std::numeric_limits<double>::infinity()) {
                throw Error(file + ": entry " + place(at, keys) +
                            " of the additive mask is not a number or +infinity: a bias is finite, or "
                            "-infinity to hide a key.");
            }
            const bool hidden = std::isinf(value);
            keep(i, j) = !hidden;
            bias(i, j) = hidden ? 0 : value;
            hides = hides || hidden;
            if (!hidden && value != 0 && !shifts) {
                shifts = true;
                shift_at = at;
            }
        }
    }
    if (tensor.dtype == DType::boolean || kind == "boolean" || (hides && !shifts)) {
        mask.kind = MaskKind::boolean;  // a bias of 0 or −infinity is the same operator
        mask.keep = std::move(keep);
        return mask;
    }
    if (hides) {
        throw Error(file + ": the additive mask hides keys with -infinity and also has the finite bias at " +
                    place(shift_at, keys) + ", which this version cannot combine: use one or the other.");
    }
    mask.kind = MaskKind::additive;
    mask.bias = ExactMatrix::from_double(bias);
    return mask;
}

}  // namespace rankcert::cli
