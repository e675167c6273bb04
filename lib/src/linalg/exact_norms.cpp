// Norms as exact sums: |Σ| < 2^(bits + ceil(log2 terms)) decides between 128-bit integers and GMP.

#include <algorithm>

#include "exact_storage.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {

using detail::ExactMatrixAccess;
using detail::Int128;
using Index = Eigen::Index;

namespace {

// Σ_j f(mantissa_ij) for every row, where 0 <= f(x) < 2^bits_each; `wide` is f for Int128, `add_to` adds f(x)
// to an mpz_t.
template <class Wide, class AddTo>
std::vector<Integer> row_sums(const ExactMatrix& a, unsigned bits_each, const Wide& wide,
                              const AddTo& add_to) {
    std::vector<Integer> sums;
    sums.reserve(static_cast<std::size_t>(a.rows()));
    const auto cols = static_cast<std::size_t>(a.cols());
    const auto rows = static_cast<std::size_t>(a.rows());
    if (a.bits() == 0) return std::vector<Integer>(rows);
    if (bits_each + detail::ceil_log2(a.cols()) <= 127) {
        const auto values = ExactMatrixAccess::as_int128(a);
        for (std::size_t i = 0; i < rows; ++i) {
            Int128 sum = 0;
            for (std::size_t j = 0; j < cols; ++j) sum += wide(values[i * cols + j]);
            sums.push_back(detail::to_integer(sum));
        }
        return sums;
    }
    const auto values = ExactMatrixAccess::as_integer(a);
    for (std::size_t i = 0; i < rows; ++i) {
        Integer sum = 0;
        for (std::size_t j = 0; j < cols; ++j)
            add_to(sum.backend().data(), values[i * cols + j].backend().data());
        sums.push_back(sum);
    }
    return sums;
}

std::vector<Integer> row_absolute_sums(const ExactMatrix& a) {
    return row_sums(
        a, a.bits(), [](Int128 x) { return x < 0 ? -x : x; },
        [](mpz_ptr sum, mpz_srcptr x) { mpz_sgn(x) < 0 ? mpz_sub(sum, sum, x) : mpz_add(sum, sum, x); });
}

std::vector<Integer> row_square_sums(const ExactMatrix& a) {
    return row_sums(
        a, 2 * a.bits(), [](Int128 x) { return x * x; },
        [](mpz_ptr sum, mpz_srcptr x) { mpz_addmul(sum, x, x); });
}

std::vector<Rational> at_scale(const std::vector<Integer>& sums, long exponent) {
    std::vector<Rational> result;
    result.reserve(sums.size());
    for (const auto& sum : sums) result.push_back(to_rational(sum, exponent));
    return result;
}

}  // namespace

std::vector<Rational> ExactMatrix::row_norms() const { return at_scale(row_absolute_sums(*this), exponent_); }

Rational ExactMatrix::norm() const {
    const auto sums = row_absolute_sums(*this);
    const auto largest = std::max_element(sums.begin(), sums.end());
    return largest == sums.end() ? Rational(0) : to_rational(*largest, exponent_);
}

std::vector<Rational> ExactMatrix::row_squares() const {
    return at_scale(row_square_sums(*this), 2 * exponent_);
}

Rational ExactMatrix::squared_frobenius_norm() const {
    Integer total = 0;
    for (const auto& sum : row_square_sums(*this)) total += sum;
    return to_rational(total, 2 * exponent_);
}

Rational ExactMatrix::trace() const {
    if (rows_ != cols_)
        throw Error("a " + detail::shape_text(*this) + " matrix has no trace; give a square one.");
    Integer total = 0;
    for (Index i = 0; i < rows_; ++i) total += mantissa(i, i);
    return to_rational(total, exponent_);
}

}  // namespace rankcert
