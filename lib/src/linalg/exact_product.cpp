// The exact product of two integer matrices, in 64-bit slices with 128-bit accumulators.
//
// Let |a_ik| < 2^α, |b_kj| < 2^β, n the inner dimension. Write the integers in slices by base 2^w, sign and
// magnitude: a = Σ_p 2^(wp) a^(p), b = Σ_q 2^(wq) b^(q) with P and Q slices, |a^(p)|, |b^(q)| < 2^w, w <= 63,
// so each slice is an int64. Then
//     (AB)_ij = Σ_d 2^(wd) C^(d)_ij,   C^(d)_ij = Σ_{p+q=d} Σ_k a^(p)_ik b^(q)_kj,
// and at most min(P, Q) pairs (p, q) share one d, so every partial sum of C^(d), in any order, is below
//     n · min(P, Q) · 2^(2w) <= 2^(2w + ceil(log2(n · min(P, Q)))),
// which fits a signed 128-bit integer when the exponent is at most 127. Where one of the factors has a single
// slice its width need not be w: then |C^(d)| < n · 2^(w_a + w_b). The result is below 2^(α + β + ceil(log2
// n)); where that is at most 2^127, it is put together modulo 2^128, which determines it; otherwise in GMP.

#include <algorithm>
#include <optional>

#include "exact_storage.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {

using detail::ExactMatrixAccess;
using detail::Int128;
using detail::UInt128;
using Index = Eigen::Index;

namespace {

struct Slicing {
    unsigned count_a = 1;
    unsigned count_b = 1;
    unsigned width_a = 0;
    unsigned width_b = 0;
};

constexpr unsigned kMaxSlices = 6;

// The cheapest slicing that the bound at the top of the file allows, or nothing where one with at most
// kMaxSlices slices a factor does not exist.
std::optional<Slicing> choose_slicing(unsigned bits_a, unsigned bits_b, Index inner) {
    std::optional<Slicing> best;
    for (unsigned p = 1; p <= kMaxSlices; ++p) {
        for (unsigned q = 1; q <= kMaxSlices; ++q) {
            Slicing s{p, q, (bits_a + p - 1) / p, (bits_b + q - 1) / q};
            if (p > 1 && q > 1) s.width_a = s.width_b = std::max(s.width_a, s.width_b);
            const Index terms = inner * static_cast<Index>(std::min(p, q));
            if (s.width_a > 63 || s.width_b > 63 || s.width_a + s.width_b + detail::ceil_log2(terms) > 127)
                continue;
            if (!best || p * q < best->count_a * best->count_b) best = s;
        }
    }
    return best;
}

using Slice = std::vector<std::int64_t>;

void cut(std::int64_t value, unsigned width, std::vector<Slice>& slices, std::size_t at) {
    if (slices.size() == 1) {
        slices[0][at] = value;
        return;
    }
    const bool negative = value < 0;
    auto rest = static_cast<std::uint64_t>(negative ? -value : value);
    for (auto& slice : slices) {
        const auto digit = static_cast<std::int64_t>(rest & ((std::uint64_t{1} << width) - 1));
        slice[at] = negative ? -digit : digit;
        rest >>= width;
    }
}

void cut(Int128 value, unsigned width, std::vector<Slice>& slices, std::size_t at) {
    const bool negative = value < 0;
    auto rest = static_cast<UInt128>(negative ? -value : value);
    for (auto& slice : slices) {
        const auto digit = static_cast<std::int64_t>(rest & ((UInt128{1} << width) - 1));
        slice[at] = negative ? -digit : digit;
        rest >>= width;
    }
}

void cut(const Integer& value, unsigned width, std::vector<Slice>& slices, std::size_t at) {
    mpz_srcptr z = value.backend().data();
    const bool negative = mpz_sgn(z) < 0;
    for (std::size_t p = 0; p < slices.size(); ++p) {
        // `width` bits from position p·width on, out of two neighbouring limbs; beyond the last limb there
        // are zeros.
        const std::size_t position = p * width;
        const UInt128 limbs = (UInt128{mpz_getlimbn(z, static_cast<mp_size_t>(position / 64 + 1))} << 64) |
                              mpz_getlimbn(z, static_cast<mp_size_t>(position / 64));
        const auto digit =
            static_cast<std::int64_t>((limbs >> (position % 64)) & ((UInt128{1} << width) - 1));
        slices[p][at] = negative ? -digit : digit;
    }
}

// The slices of a matrix, row-major, or those of its transpose.
std::vector<Slice> slice(const ExactMatrix& a, unsigned count, unsigned width, bool transposed) {
    std::vector<Slice> slices(count, Slice(static_cast<std::size_t>(a.rows() * a.cols())));
    std::visit(
        [&](const auto& mantissas) {
            std::size_t at = 0;
            for (Index i = 0; i < a.rows(); ++i)
                for (Index j = 0; j < a.cols(); ++j, ++at)
                    cut(mantissas[at], width, slices,
                        transposed ? static_cast<std::size_t>(j * a.rows() + i) : at);
        },
        ExactMatrixAccess::mantissas(a));
    return slices;
}

// c_ij += Σ_k a_ik b_jk. Two rows by two columns at a time, so that the eight words of the sums stay in
// registers.
void add_products(const Slice& a, const Slice& b, Index rows, Index cols, Index inner,
                  std::vector<Int128>& c) {
    const std::int64_t* const pa = a.data();
    const std::int64_t* const pb = b.data();
    for (Index i = 0; i < rows; i += 2) {
        const bool pair_i = i + 1 < rows;
        const std::int64_t* const a0 = pa + i * inner;
        const std::int64_t* const a1 = pair_i ? a0 + inner : a0;
        for (Index j = 0; j < cols; j += 2) {
            const bool pair_j = j + 1 < cols;
            const std::int64_t* const b0 = pb + j * inner;
            const std::int64_t* const b1 = pair_j ? b0 + inner : b0;
            Int128 c00 = 0, c01 = 0, c10 = 0, c11 = 0;
            for (Index k = 0; k < inner; ++k) {
                c00 += Int128{a0[k]} * b0[k];
                c01 += Int128{a0[k]} * b1[k];
                c10 += Int128{a1[k]} * b0[k];
                c11 += Int128{a1[k]} * b1[k];
            }
            Int128* const out = c.data() + i * cols + j;
            out[0] += c00;
            if (pair_j) out[1] += c01;
            if (pair_i) out[cols] += c10;
            if (pair_i && pair_j) out[cols + 1] += c11;
        }
    }
}

void require_feasible(const ExactMatrix& a, const ExactMatrix& b) {
    const auto [fewer, more] = std::minmax({a.bits() / 64 + 1, b.bits() / 64 + 1});  // words
    const double entries = static_cast<double>(a.rows()) * static_cast<double>(b.cols());
    const double words = more * std::min<double>(fewer, detail::kFastMultiplication);
    if (entries * static_cast<double>(a.cols()) * words <= detail::kMaxLongProduct) return;
    throw TooMuchWork("the exact product of a " + detail::shape_text(a) + " matrix of " + std::to_string(a.bits()) +
                "-bit integers and a " + detail::shape_text(b) + " matrix of " + std::to_string(b.bits()) +
                "-bit integers is too much work: use fewer bits, or a narrower range of sizes.");
}

// For integers too long for slices: one GMP multiply-add at a time.
ExactMatrix long_product(const ExactMatrix& a, const ExactMatrix& b, long exponent) {
    const auto x = ExactMatrixAccess::as_integer(a);
    const auto y = ExactMatrixAccess::as_integer(b.transpose());
    const auto inner = static_cast<std::size_t>(a.cols());
    std::vector<Integer> result(static_cast<std::size_t>(a.rows() * b.cols()));
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); i += inner)
        for (std::size_t j = 0; j < y.size(); j += inner, ++at)
            for (std::size_t k = 0; k < inner; ++k)
                mpz_addmul(result[at].backend().data(), x[i + k].backend().data(), y[j + k].backend().data());
    return ExactMatrixAccess::make(a.rows(), b.cols(), exponent, std::move(result));
}

}  // namespace

ExactMatrix operator*(const ExactMatrix& a, const ExactMatrix& b) {
    if (a.cols() != b.rows())
        throw Error("a " + detail::shape_text(a) + " and a " + detail::shape_text(b) +
                    " matrix cannot be multiplied; the inner sizes must agree.");
    const Index rows = a.rows();
    const Index cols = b.cols();
    const Index inner = a.cols();
    if (a.bits() == 0 || b.bits() == 0) return ExactMatrix(rows, cols);  // empty inner size too
    const long exponent = detail::checked_exponent(a.exponent() + b.exponent());
    const long bits = static_cast<long>(a.bits()) + static_cast<long>(b.bits()) + detail::ceil_log2(inner);
    if (bits > 127) detail::require_room(rows, cols, bits, "a product of exact matrices");
    const std::optional<Slicing> slicing = choose_slicing(a.bits(), b.bits(), inner);
    if (!slicing) {
        require_feasible(a, b);
        return long_product(a, b, exponent);
    }
    const auto slices_a = slice(a, slicing->count_a, slicing->width_a, false);
    const auto slices_b = slice(b, slicing->count_b, slicing->width_b, true);
    // The digit d = p + q has the weight 2^(width·d), where width is that of the factor that is cut.
    const unsigned width = slicing->count_a > 1 ? slicing->width_a : slicing->width_b;
    const std::size_t digits = slices_a.size() + slices_b.size() - 1;
    const auto size = static_cast<std::size_t>(detail::checked_size(rows, cols));
    const auto digit_matrix = [&](std::size_t d) {
        std::vector<Int128> c(size);
        for (std::size_t p = 0; p < slices_a.size(); ++p)
            if (d >= p && d - p < slices_b.size())
                add_products(slices_a[p], slices_b[d - p], rows, cols, inner, c);
        return c;
    };
    std::vector<Int128> top = digit_matrix(digits - 1);
    if (digits == 1) return ExactMatrixAccess::make(rows, cols, exponent, std::move(top));
    if (a.bits() + b.bits() + detail::ceil_log2(inner) <= 127) {
        for (std::size_t d = digits - 1; d-- > 0;) {
            const std::vector<Int128> next = digit_matrix(d);
            for (std::size_t at = 0; at < size; ++at)
                top[at] = static_cast<Int128>((static_cast<UInt128>(top[at]) << width) +
                                              static_cast<UInt128>(next[at]));
        }
        return ExactMatrixAccess::make(rows, cols, exponent, std::move(top));
    }
    std::vector<Integer> result;
    result.reserve(size);
    for (const Int128 value : top) result.push_back(detail::to_integer(value));
    for (std::size_t d = digits - 1; d-- > 0;) {
        const std::vector<Int128> next = digit_matrix(d);
        for (std::size_t at = 0; at < size; ++at) {
            mpz_ptr z = result[at].backend().data();
            mpz_mul_2exp(z, z, width);
            result[at] += detail::to_integer(next[at]);
        }
    }
    return ExactMatrixAccess::make(rows, cols, exponent, std::move(result));
}

}  // namespace rankcert
