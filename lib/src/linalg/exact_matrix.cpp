#include "rankcert/linalg/exact_matrix.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "exact_storage.hpp"
#include "rankcert/rigor/error.hpp"
#include "rigor/double_bits.hpp"

namespace rankcert {

using detail::ExactMatrixAccess;
using detail::Int128;

namespace {

// A double is mantissa · 2^exponent. It is taken apart and put together by its bits: no floating-point
// operation is involved, so neither rounding modes nor flush-to-zero can touch it.
struct Parts {
    std::int64_t mantissa;
    long exponent;
};

Parts take_apart(double value) noexcept {
    const auto word = std::bit_cast<std::uint64_t>(value);
    const auto fraction = static_cast<std::int64_t>(word & ((std::uint64_t{1} << 52) - 1));
    const auto field = static_cast<long>((word >> 52) & 0x7FF);
    const std::int64_t magnitude = field == 0 ? fraction : fraction + (std::int64_t{1} << 52);
    return {(word >> 63) != 0 ? -magnitude : magnitude, field == 0 ? -1074 : field - 1075};
}

bool is_finite(double value) noexcept {
    return ((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7FF) != 0x7FF;
}

// The double nearest to value · 2^exponent, ties to even, an infinity beyond the range; `exact` tells whether
// it is that number.
double nearest_double(const Integer& value, long exponent, bool& exact) {
    exact = true;
    if (value == 0) return 0.0;
    const bool negative = value < 0;
    // By far the most frequent: one limb that is a double's significand as it is.
    const mpz_srcptr z = value.backend().data();
    if (mpz_size(z) == 1 && mpz_getlimbn(z, 0) < std::uint64_t{1} << 53 && exponent >= -1074 &&
        exponent <= 971) {
        return detail::put_together(negative, mpz_getlimbn(z, 0), exponent);
    }
    Integer magnitude = negative ? Integer(-value) : value;
    const long width = static_cast<long>(detail::bit_width(magnitude));
    // The last bit kept has the weight 2^last: 53 bits, fewer for a subnormal.
    long last = std::max(width + exponent - 53, -1074L);
    if (exponent >= last) {
        magnitude <<= static_cast<unsigned>(exponent - last);
    } else {
        const long drop = last - exponent;
        if (drop > width + 1) {  // below half of the smallest double
            magnitude = 0;
            exact = false;
        } else {
            const Integer kept = magnitude >> static_cast<unsigned>(drop);
            const Integer rest = magnitude - (kept << static_cast<unsigned>(drop));
            const Integer half = Integer(1) << static_cast<unsigned>(drop - 1);
            exact = rest == 0;
            const bool up = rest > half || (rest == half && bit_test(kept, 0));
            magnitude = up ? Integer(kept + 1) : kept;
        }
    }
    auto bits = static_cast<std::uint64_t>(magnitude);
    if (bits == std::uint64_t{1} << 53) {
        bits >>= 1;
        ++last;
    }
    std::uint64_t word = bits;  // subnormal: last = −1074 and the field is 0
    if (bits >= std::uint64_t{1} << 52) {
        if (last + 1075 >= 2047) {
            exact = false;
            word = std::uint64_t{2047} << 52;
        } else {
            word = (static_cast<std::uint64_t>(last + 1075) << 52) | (bits - (std::uint64_t{1} << 52));
        }
    }
    return std::bit_cast<double>(word | (negative ? std::uint64_t{1} << 63 : 0));
}

}  // namespace

ExactMatrix::ExactMatrix(Index rows, Index cols)
    : rows_(rows),
      cols_(cols),
      mantissas_(std::vector<std::int64_t>(static_cast<std::size_t>(detail::checked_size(rows, cols)))) {}

ExactMatrix ExactMatrix::from_double(const Eigen::Ref<const Eigen::MatrixXd>& values) {
    const Index rows = values.rows();
    const Index cols = values.cols();
    // The common exponent is the least weight of a last non-zero bit, the top the greatest weight of a first
    // one.
    long low = std::numeric_limits<long>::max();
    long high = std::numeric_limits<long>::min();
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) {
            if (!is_finite(values(i, j)))
                throw Error("entry (" + std::to_string(i) + ", " + std::to_string(j) +
                            ") of a matrix is not a finite number; remove NaN and infinities.");
            const Parts parts = take_apart(values(i, j));
            if (parts.mantissa == 0) continue;
            const auto magnitude =
                static_cast<std::uint64_t>(parts.mantissa < 0 ? -parts.mantissa : parts.mantissa);
            low = std::min(low, parts.exponent + std::countr_zero(magnitude));
            high = std::max(high, parts.exponent + static_cast<long>(std::bit_width(magnitude)));
        }
    }
    if (high < low) return ExactMatrix(rows, cols);
    const auto size = static_cast<std::size_t>(rows * cols);
    // mantissa · 2^shift for shift >= 0; for shift < 0 the bits dropped are zeros, because low is least.
    const auto shifted = [low](const Parts& parts) {
        const long shift = parts.exponent - low;
        const Int128 mantissa = parts.mantissa;
        return shift >= 0 ? mantissa * (Int128{1} << shift) : mantissa / (Int128{1} << -shift);
    };
    if (high - low <= 127) {  // every |mantissa| < 2^(high − low)
        std::vector<Int128> mantissas;
        mantissas.reserve(size);
        for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < cols; ++j) {
                const Parts parts = take_apart(values(i, j));
                mantissas.push_back(parts.mantissa == 0 ? Int128{0} : shifted(parts));
            }
        return ExactMatrixAccess::make(rows, cols, low, std::move(mantissas));
    }
    detail::require_room(rows, cols, high - low, "a matrix of doubles");
    std::vector<Integer> mantissas;
    mantissas.reserve(size);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) {
            const Parts parts = take_apart(values(i, j));
            if (parts.mantissa == 0)
                mantissas.emplace_back(0);
            else if (parts.exponent < low)
                mantissas.push_back(detail::to_integer(shifted(parts)));
            else
                mantissas.push_back(Integer(parts.mantissa) << static_cast<unsigned>(parts.exponent - low));
        }
    }
    return ExactMatrixAccess::make(rows, cols, low, std::move(mantissas));
}

ExactMatrix ExactMatrix::from_integers(Index rows, Index cols, std::vector<Integer> mantissas,
                                       long exponent) {
    if (static_cast<std::uint64_t>(detail::checked_size(rows, cols)) != mantissas.size())
        throw Error("a " + std::to_string(rows) + "×" + std::to_string(cols) + " exact matrix was given " +
                    std::to_string(mantissas.size()) + " integers; give rows·cols.");
    detail::checked_exponent(exponent, detail::kMaxGivenExponent);
    return ExactMatrixAccess::make(rows, cols, exponent, std::move(mantissas));
}

ExactMatrix ExactMatrix::identity(Index n) {
    std::vector<std::int64_t> mantissas(static_cast<std::size_t>(detail::checked_size(n, n)));
    for (Index i = 0; i < n; ++i) mantissas[static_cast<std::size_t>(i * n + i)] = 1;
    return ExactMatrixAccess::make(n, n, 0, std::move(mantissas));
}

Integer ExactMatrix::mantissa(Index i, Index j) const {
    if (i < 0 || i >= rows_ || j < 0 || j >= cols_)
        throw Error("entry (" + std::to_string(i) + ", " + std::to_string(j) + ") is outside a " +
                    detail::shape_text(*this) + " matrix.");
    const auto at = static_cast<std::size_t>(i * cols_ + j);
    if (const auto* small = std::get_if<0>(&mantissas_)) return Integer((*small)[at]);
    if (const auto* wide = std::get_if<1>(&mantissas_)) return detail::to_integer((*wide)[at]);
    return std::get<2>(mantissas_)[at];
}

Rational ExactMatrix::operator()(Index i, Index j) const { return to_rational(mantissa(i, j), exponent_); }

bool ExactMatrix::is_double() const {
    bool exact = true;
    for (Index i = 0; i < rows_ && exact; ++i)
        for (Index j = 0; j < cols_ && exact; ++j)
            static_cast<void>(nearest_double(mantissa(i, j), exponent_, exact));
    return exact;
}

Eigen::MatrixXd ExactMatrix::to_double() const {
    Eigen::MatrixXd result(rows_, cols_);
    for (Index i = 0; i < rows_; ++i) {
        for (Index j = 0; j < cols_; ++j) {
            bool exact = true;
            result(i, j) = nearest_double(mantissa(i, j), exponent_, exact);
            if (!exact)
                throw Error("entry (" + std::to_string(i) + ", " + std::to_string(j) +
                            ") of an exact matrix is not a float64 number; use the exact level.");
        }
    }
    return result;
}

Eigen::MatrixXd ExactMatrix::estimate_double() const {
    Eigen::MatrixXd result(rows_, cols_);
    bool exact = true;
    for (Index i = 0; i < rows_; ++i)
        for (Index j = 0; j < cols_; ++j) result(i, j) = nearest_double(mantissa(i, j), exponent_, exact);
    return result;
}

}  // namespace rankcert
