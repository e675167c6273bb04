// Exact matrices as tensors.

#include <algorithm>
#include <limits>

#include "bundle_format.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::detail {
namespace {

constexpr std::size_t kLimbBytes = 8;

/// The number of zero bits below the lowest one bit; value ≠ 0.
long trailing_zeros(const Integer& value) { return static_cast<long>(mpz_scan1(value.backend().data(), 0)); }

/// value in `limbs` little-endian 64-bit words of two's complement; needs |value| < 2^(64·limbs − 1).
void store_limbs(const Integer& value, std::size_t limbs, std::byte* to) {
    // 2^(64·limbs) + value has the same words and is not negative.
    const Integer unsigned_value =
        value < 0 ? Integer((Integer(1) << static_cast<unsigned>(64 * limbs)) + value) : value;
    std::size_t written = 0;
    // -1, 1: least significant word first, words of one byte.
    mpz_export(to, &written, -1, 1, 0, 0, unsigned_value.backend().data());
    std::fill(to + written, to + kLimbBytes * limbs, std::byte{0});
}

Integer load_limbs(const std::byte* from, std::size_t limbs) {
    Integer value;
    mpz_import(value.backend().data(), kLimbBytes * limbs, -1, 1, 0, 0, from);
    if ((from[kLimbBytes * limbs - 1] & std::byte{0x80}) != std::byte{0}) {
        value -= Integer(1) << static_cast<unsigned>(64 * limbs);
    }
    return value;
}

}  // namespace

StoredMatrix store_matrix(const std::string& name, const ExactMatrix& matrix) {
    if (matrix.is_double()) return {from_matrix(name, matrix.to_double()), std::nullopt};
    // Some entry is no double, so some entry is not zero: its lowest bits give the largest exponent that
    // keeps all entries whole, and the largest entry gives the number of limbs.
    long zeros = std::numeric_limits<long>::max();
    std::size_t bits = 0;
    for (Index i = 0; i < matrix.rows(); ++i) {
        for (Index j = 0; j < matrix.cols(); ++j) {
            const Integer value = matrix.mantissa(i, j);
            if (value == 0) continue;
            zeros = std::min(zeros, trailing_zeros(value));
            bits = std::max(bits, mpz_sizeinbase(value.backend().data(), 2));
        }
    }
    const long exponent = matrix.exponent() + zeros;
    const std::size_t needed = bits - static_cast<std::size_t>(zeros);
    if (exponent < -kMaxExponent || exponent > kMaxExponent ||
        needed > static_cast<std::size_t>(2 * kMaxExponent)) {
        throw Error("the matrix '" + name +
                    "' has entries too large or too fine for a certificate (beyond 2^±" +
                    std::to_string(kMaxExponent) + "); use a smaller precision");
    }
    const std::size_t limbs = needed / 64 + 1;  // the least with |mantissa| < 2^needed ≤ 2^(64·limbs − 1)
    StoredMatrix stored;
    stored.exponent = exponent;
    stored.tensor.name = name;
    stored.tensor.dtype = DType::i64;
    stored.tensor.shape = {static_cast<std::uint64_t>(matrix.rows()),
                           static_cast<std::uint64_t>(matrix.cols()), limbs};
    stored.tensor.data.resize(static_cast<std::size_t>(matrix.rows() * matrix.cols()) * limbs * kLimbBytes);
    std::byte* to = stored.tensor.data.data();
    for (Index i = 0; i < matrix.rows(); ++i) {
        for (Index j = 0; j < matrix.cols(); ++j, to += limbs * kLimbBytes) {
            store_limbs(Integer(matrix.mantissa(i, j) >> static_cast<unsigned>(zeros)), limbs, to);
        }
    }
    return stored;
}

ExactMatrix load_matrix(const Tensor& tensor, std::optional<long> exponent) {
    const auto fail = [&tensor](const std::string& what) {
        throw Error("tensor '" + tensor.name + "' " + what);
    };
    if (tensor.shape.size() < 2 || tensor.shape[0] > static_cast<std::uint64_t>(kMaxDimension) ||
        tensor.shape[1] > static_cast<std::uint64_t>(kMaxDimension)) {
        fail("has the shape " + to_string(tensor.shape) + ", which no matrix of a certificate has");
    }
    if (!exponent) {
        if (tensor.dtype != DType::f64 || tensor.shape.size() != 2) {
            fail("is " + std::string(to_string(tensor.dtype)) + " " + to_string(tensor.shape) +
                 " where F64 [rows, cols], or an exponent, is needed");
        }
        return ExactMatrix::from_double(to_matrix(tensor));
    }
    constexpr auto kMaxLimbs = static_cast<std::uint64_t>(2 * kMaxExponent / 64 + 1);
    if (tensor.dtype != DType::i64 || tensor.shape.size() != 3 || tensor.shape[2] < 1 ||
        tensor.shape[2] > kMaxLimbs) {
        fail("is " + std::string(to_string(tensor.dtype)) + " " + to_string(tensor.shape) +
             " where I64 [rows, cols, limbs] is needed");
    }
    if (*exponent < -kMaxExponent || *exponent > kMaxExponent) fail("has an exponent out of range");
    const auto limbs = static_cast<std::size_t>(tensor.shape[2]);
    std::vector<Integer> mantissas;
    mantissas.reserve(tensor.data.size() / (limbs * kLimbBytes));
    for (std::size_t at = 0; at < tensor.data.size(); at += limbs * kLimbBytes) {
        mantissas.push_back(load_limbs(tensor.data.data() + at, limbs));
    }
    return ExactMatrix::from_integers(static_cast<Index>(tensor.shape[0]),
                                      static_cast<Index>(tensor.shape[1]), std::move(mantissas), *exponent);
}

DType dtype_of(NumberFormat format) {
    switch (format) {
        case NumberFormat::float16:
            return DType::f16;
        case NumberFormat::bfloat16:
            return DType::bf16;
        case NumberFormat::float32:
            return DType::f32;
        case NumberFormat::float64:
            break;
    }
    return DType::f64;
}

}  // namespace rankcert::detail
