#include <algorithm>
#include <limits>
#include <string>

#include "exact_storage.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {

using detail::ExactMatrixAccess;
using detail::Int128;
using Index = Eigen::Index;

namespace {

// a + sign · b. With e the smaller exponent and shifts s_a, s_b >= 0 to it, each entry of the result is below
// 2^(bits_a + s_a) + 2^(bits_b + s_b) <= 2^(max + 1): at most 127 bits are computed in 128-bit integers.
ExactMatrix add(const ExactMatrix& a, const ExactMatrix& b, bool subtract) {
    if (a.rows() != b.rows() || a.cols() != b.cols())
        throw Error("a " + detail::shape_text(a) + " and a " + detail::shape_text(b) +
                    " matrix cannot be added; give equal shapes.");
    if (b.bits() == 0) return a;
    const long exponent = a.bits() == 0 ? b.exponent() : std::min(a.exponent(), b.exponent());
    const long shift_a = a.bits() == 0 ? 0 : a.exponent() - exponent;
    const long shift_b = b.exponent() - exponent;
    const long shift = std::max(shift_a, shift_b);
    if (shift > detail::kMaxShift)
        throw Error("the exponents of two exact matrices are " + std::to_string(shift) +
                    " apart, too far to add them exactly; scale the numbers.");
    const long width =
        std::max(static_cast<long>(a.bits()) + shift_a, static_cast<long>(b.bits()) + shift_b) + 1;
    if (width <= 127) {
        std::vector<Int128> result = ExactMatrixAccess::as_int128(a);
        const std::vector<Int128> other = ExactMatrixAccess::as_int128(b);
        const Int128 scale_a = Int128{1} << shift_a;
        const Int128 scale_b = subtract ? -(Int128{1} << shift_b) : Int128{1} << shift_b;
        for (std::size_t at = 0; at < result.size(); ++at)
            result[at] = result[at] * scale_a + other[at] * scale_b;
        return ExactMatrixAccess::make(a.rows(), a.cols(), exponent, std::move(result));
    }
    detail::require_room(a.rows(), a.cols(), width, "a sum of exact matrices");
    std::vector<Integer> result = ExactMatrixAccess::as_integer(a);
    std::vector<Integer> other = ExactMatrixAccess::as_integer(b);
    for (std::size_t at = 0; at < result.size(); ++at) {
        mpz_ptr x = result[at].backend().data();
        mpz_ptr y = other[at].backend().data();
        if (shift_a > 0) mpz_mul_2exp(x, x, static_cast<mp_bitcnt_t>(shift_a));
        if (shift_b > 0) mpz_mul_2exp(y, y, static_cast<mp_bitcnt_t>(shift_b));
        if (subtract)
            mpz_sub(x, x, y);
        else
            mpz_add(x, x, y);
    }
    return ExactMatrixAccess::make(a.rows(), a.cols(), exponent, std::move(result));
}

// The number of zero bits that every non-zero mantissa ends with; the matrix is not zero.
unsigned common_trailing_zeros(const std::vector<Integer>& mantissas) {
    mp_bitcnt_t zeros = std::numeric_limits<mp_bitcnt_t>::max();
    for (const auto& mantissa : mantissas)
        if (mantissa != 0) zeros = std::min(zeros, mpz_scan1(mantissa.backend().data(), 0));
    return static_cast<unsigned>(zeros);
}

// A new matrix from entries picked by `source(i, j)`, an index into the mantissas of a.
template <class Source>
ExactMatrix gather(const ExactMatrix& a, Index rows, Index cols, const Source& source) {
    const auto size = static_cast<std::size_t>(detail::checked_size(rows, cols));
    return std::visit(
        [&](const auto& mantissas) {
            std::decay_t<decltype(mantissas)> picked;
            picked.reserve(size);
            for (Index i = 0; i < rows; ++i)
                for (Index j = 0; j < cols; ++j)
                    picked.push_back(mantissas[static_cast<std::size_t>(source(i, j))]);
            return ExactMatrixAccess::make(rows, cols, a.exponent(), std::move(picked));
        },
        ExactMatrixAccess::mantissas(a));
}

void require_indices(const std::vector<Index>& indices, Index end, const char* what) {
    for (const Index index : indices)
        if (index < 0 || index >= end)
            throw Error(std::string("there is no ") + what + " " + std::to_string(index) +
                        " in a matrix with " + std::to_string(end) + " of them.");
}

}  // namespace

ExactMatrix operator+(const ExactMatrix& a, const ExactMatrix& b) { return add(a, b, false); }
ExactMatrix operator-(const ExactMatrix& a, const ExactMatrix& b) { return add(a, b, true); }

bool operator==(const ExactMatrix& a, const ExactMatrix& b) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
    if (a.bits() == 0 || b.bits() == 0) return a.bits() == b.bits();
    if (a.exponent() == b.exponent())  // the narrowest storage is used, so equal values are stored alike
        return ExactMatrixAccess::mantissas(a) == ExactMatrixAccess::mantissas(b);
    // Without aligning: equal values have equal exponents once common trailing zeros are stripped.
    const auto x = ExactMatrixAccess::as_integer(a);
    const auto y = ExactMatrixAccess::as_integer(b);
    const unsigned zeros_x = common_trailing_zeros(x);
    const unsigned zeros_y = common_trailing_zeros(y);
    if (a.exponent() + static_cast<long>(zeros_x) != b.exponent() + static_cast<long>(zeros_y)) return false;
    for (std::size_t at = 0; at < x.size(); ++at)
        if ((x[at] >> zeros_x) != (y[at] >> zeros_y)) return false;  // exact: the bits dropped are zeros
    return true;
}

ExactMatrix ExactMatrix::transpose() const {
    return gather(*this, cols_, rows_, [this](Index i, Index j) { return j * cols_ + i; });
}

ExactMatrix ExactMatrix::select_rows(const std::vector<Index>& rows) const {
    require_indices(rows, rows_, "row");
    return gather(*this, static_cast<Index>(rows.size()), cols_,
                  [&](Index i, Index j) { return rows[static_cast<std::size_t>(i)] * cols_ + j; });
}

ExactMatrix ExactMatrix::select_cols(const std::vector<Index>& cols) const {
    require_indices(cols, cols_, "column");
    return gather(*this, rows_, static_cast<Index>(cols.size()),
                  [&](Index i, Index j) { return i * cols_ + cols[static_cast<std::size_t>(j)]; });
}

ExactMatrix ExactMatrix::scale_rows(const ExactMatrix& weights) const {
    if (weights.rows() != rows_ || weights.cols() != 1)
        throw Error("the rows of a " + detail::shape_text(*this) + " matrix cannot be scaled by a " +
                    detail::shape_text(weights) + " matrix; give one weight a row.");
    const long exponent = exponent_ + weights.exponent_;
    const auto cols = static_cast<std::size_t>(cols_);
    // |w a| < 2^(bits_w + bits_a)
    if (bits_ + weights.bits_ <= 127) {
        std::vector<Int128> result = ExactMatrixAccess::as_int128(*this);
        const std::vector<Int128> factors = ExactMatrixAccess::as_int128(weights);
        for (std::size_t at = 0; at < result.size(); ++at) result[at] *= factors[at / cols];
        return ExactMatrixAccess::make(rows_, cols_, exponent, std::move(result));
    }
    detail::require_room(rows_, cols_, static_cast<long>(bits_) + static_cast<long>(weights.bits_),
                         "a matrix with scaled rows");
    std::vector<Integer> result = ExactMatrixAccess::as_integer(*this);
    const std::vector<Integer> factors = ExactMatrixAccess::as_integer(weights);
    for (std::size_t at = 0; at < result.size(); ++at) result[at] *= factors[at / cols];
    return ExactMatrixAccess::make(rows_, cols_, exponent, std::move(result));
}

ExactMatrix ExactMatrix::scale(const Integer& factor) const {
    if (bits_ + detail::bit_width(factor) <= 127) {
        std::vector<Int128> result = ExactMatrixAccess::as_int128(*this);
        const Int128 small = detail::to_int128(factor);
        for (auto& value : result) value *= small;
        return ExactMatrixAccess::make(rows_, cols_, exponent_, std::move(result));
    }
    detail::require_room(rows_, cols_, static_cast<long>(bits_) + static_cast<long>(detail::bit_width(factor)),
                         "a multiple of a matrix");
    std::vector<Integer> result = ExactMatrixAccess::as_integer(*this);
    for (auto& value : result) value *= factor;
    return ExactMatrixAccess::make(rows_, cols_, exponent_, std::move(result));
}

}  // namespace rankcert
