#include "exact_storage.hpp"

#include <algorithm>
#include <bit>

#include "rankcert/rigor/error.hpp"

namespace rankcert::detail {

namespace {

UInt128 magnitude(Int128 value) noexcept {
    return value < 0 ? UInt128{0} - static_cast<UInt128>(value) : static_cast<UInt128>(value);
}

// The bit width of the bitwise or of the magnitudes is the largest of their bit widths.
unsigned width_of(const std::vector<std::int64_t>& values) noexcept {
    UInt128 all = 0;
    for (const auto value : values) all |= magnitude(value);
    return bit_width(all);
}
unsigned width_of(const std::vector<Int128>& values) noexcept {
    UInt128 all = 0;
    for (const auto value : values) all |= magnitude(value);
    return bit_width(all);
}
unsigned width_of(const std::vector<Integer>& values) {
    unsigned width = 0;
    for (const auto& value : values) width = std::max(width, bit_width(value));
    return width;
}

std::int64_t narrow(std::int64_t value, std::int64_t) noexcept { return value; }
std::int64_t narrow(Int128 value, std::int64_t) noexcept { return static_cast<std::int64_t>(value); }
std::int64_t narrow(const Integer& value, std::int64_t) {
    return static_cast<std::int64_t>(to_int128(value));
}
Int128 narrow(std::int64_t value, Int128) noexcept { return value; }
Int128 narrow(Int128 value, Int128) noexcept { return value; }
Int128 narrow(const Integer& value, Int128) { return to_int128(value); }
Integer narrow(std::int64_t value, const Integer&) { return Integer(value); }
Integer narrow(Int128 value, const Integer&) { return to_integer(value); }
Integer narrow(const Integer& value, const Integer&) { return value; }

template <class To, class From>
std::vector<To> convert(const std::vector<From>& values) {
    std::vector<To> result;
    result.reserve(values.size());
    for (const auto& value : values) result.push_back(narrow(value, To{}));
    return result;
}

template <class To>
std::vector<To> convert(const ExactMatrixAccess::Storage& storage) {
    return std::visit([](const auto& values) { return convert<To>(values); }, storage);
}

}  // namespace

Integer to_integer(Int128 value) {
    const UInt128 m = magnitude(value);
    Integer result = static_cast<unsigned long>(m >> 64);
    mpz_ptr z = result.backend().data();
    mpz_mul_2exp(z, z, 64);
    mpz_add_ui(z, z, static_cast<unsigned long>(m));
    if (value < 0) mpz_neg(z, z);
    return result;
}

Int128 to_int128(const Integer& value) {
    mpz_srcptr z = value.backend().data();
    // mpz_getlimbn gives 0 beyond the last limb.
    const auto m = static_cast<Int128>((UInt128{mpz_getlimbn(z, 1)} << 64) | mpz_getlimbn(z, 0));
    return mpz_sgn(z) < 0 ? -m : m;
}

unsigned bit_width(const Integer& value) {
    mpz_srcptr z = value.backend().data();
    return mpz_sgn(z) == 0 ? 0U : static_cast<unsigned>(mpz_sizeinbase(z, 2));
}

unsigned bit_width(UInt128 value) noexcept {
    const auto high = static_cast<std::uint64_t>(value >> 64);
    const auto low = static_cast<std::uint64_t>(value);
    return static_cast<unsigned>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

unsigned ceil_log2(Index value) noexcept {
    return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(value) - 1));
}

std::string shape_text(const ExactMatrix& a) {
    return std::to_string(a.rows()) + "×" + std::to_string(a.cols());
}

long checked_exponent(long exponent, long limit) {
    if (exponent > limit || exponent < -limit)
        throw Error("the exponent " + std::to_string(exponent) + " of an exact matrix is beyond ±" +
                    std::to_string(limit) + "; scale the numbers.");
    return exponent;
}

void require_room(Index rows, Index cols, long bits, const char* what) {
    const Index entries = std::max<Index>(1, checked_size(rows, cols));
    if (bits <= kMaxTotalBits / entries) return;
    throw TooMuchWork(std::string(what) + " would need " + std::to_string(entries) + " integers of " +
                std::to_string(bits) + " bits, more than half a gigabyte: its entries differ too much in size.");
}

Index checked_size(Index rows, Index cols) {
    Index size = 0;
    if (rows < 0 || cols < 0 || __builtin_mul_overflow(rows, cols, &size))
        throw Error("an exact matrix cannot have the shape " + std::to_string(rows) + "×" +
                    std::to_string(cols) + ".");
    return size;
}

ExactMatrix ExactMatrixAccess::make(Index rows, Index cols, long exponent, Storage mantissas) {
    ExactMatrix result;
    result.rows_ = rows;
    result.cols_ = cols;
    result.bits_ = std::visit([](const auto& values) { return width_of(values); }, mantissas);
    // Zero has no exponent of its own: at exponent 0 it never makes anything align to it.
    result.exponent_ = result.bits_ == 0 ? 0 : checked_exponent(exponent);
    const std::size_t kind = result.bits_ <= 63 ? 0 : result.bits_ <= 127 ? 1 : 2;
    if (kind == mantissas.index())
        result.mantissas_ = std::move(mantissas);
    else if (kind == 0)
        result.mantissas_ = convert<std::int64_t>(mantissas);
    else if (kind == 1)
        result.mantissas_ = convert<Int128>(mantissas);
    else
        result.mantissas_ = convert<Integer>(mantissas);
    return result;
}

std::vector<Int128> ExactMatrixAccess::as_int128(const ExactMatrix& a) {
    return convert<Int128>(a.mantissas_);
}

std::vector<Integer> ExactMatrixAccess::as_integer(const ExactMatrix& a) {
    return convert<Integer>(a.mantissas_);
}

}  // namespace rankcert::detail
