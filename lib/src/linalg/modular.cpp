#include "modular.hpp"

#include <algorithm>
#include <bit>

namespace rankcert::detail {
namespace {

using Wide = unsigned __int128;
using Vector = std::vector<std::uint64_t>;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t p) {
    return static_cast<std::uint64_t>(Wide{a} * b % p);
}

std::uint64_t power(std::uint64_t a, std::uint64_t e, std::uint64_t p) {
    std::uint64_t result = 1;
    for (; e != 0; e >>= 1, a = multiply(a, a, p))
        if ((e & 1) != 0) result = multiply(result, a, p);
    return result;
}

/// Miller and Rabin's test. With the first twelve primes as bases it errs on no number below 3.18 · 10^23
/// (J. Sorenson and J. Webster, Strong pseudoprimes to twelve prime bases, Math. Comp. 86 (2017), 985–1003).
bool is_prime(std::uint64_t n) {
    constexpr std::uint64_t kBases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (const std::uint64_t base : kBases)
        if (n % base == 0) return n == base;
    if (n < 2) return false;
    const int twos = std::countr_zero(n - 1);
    for (const std::uint64_t base : kBases) {
        std::uint64_t x = power(base, (n - 1) >> twos, n);
        if (x == 1 || x == n - 1) continue;
        bool passes = false;
        for (int i = 1; i < twos && !passes; ++i) {
            x = multiply(x, x, n);
            passes = x == n - 1;
        }
        if (!passes) return false;
    }
    return true;
}

/// Σ_k a_k b_k mod p. Terms are below 2^120, so 128 of them and what is left of earlier ones fit in 128 bits.
std::uint64_t dot(const std::uint64_t* a, const std::uint64_t* b, std::size_t count, std::uint64_t p) {
    Wide sum = 0;
    for (std::size_t begin = 0; begin < count; begin += 128) {
        const std::size_t end = std::min(count, begin + 128);
        for (std::size_t k = begin; k < end; ++k) sum += Wide{a[k]} * b[k];
        sum %= p;
    }
    return static_cast<std::uint64_t>(sum);
}

std::uint64_t subtract(std::uint64_t a, std::uint64_t b, std::uint64_t p) {
    return a >= b ? a - b : a + (p - b);
}

}  // namespace

std::uint64_t prime_below(std::uint64_t bound) {
    for (std::uint64_t n = bound - 1;; --n)
        if (is_prime(n)) return n;
}

// Gauss' elimination, a column at a time: with the pivots found so far, rows ≥ t (after exchanges) of a column
// less what those pivots explain are what elimination would leave there. `lower` keeps the multipliers, row by
// row; the upper factor is needed only for the column at hand.
std::size_t rank_modulo(const std::vector<Integer>& values, std::size_t rows, std::size_t cols,
                        std::uint64_t p) {
    std::vector<Vector> columns(cols, Vector(rows));
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < cols; ++j)
            columns[j][i] = mpz_fdiv_ui(values[i * cols + j].backend().data(), p);
    std::vector<Vector> lower(rows, Vector(std::min(rows, cols)));
    std::vector<std::size_t> order(rows);  // the row that stands at each place
    for (std::size_t i = 0; i < rows; ++i) order[i] = i;
    std::size_t rank = 0;
    Vector upper(std::min(rows, cols));
    for (std::size_t j = 0; j < cols && rank < rows; ++j) {
        const Vector& column = columns[j];
        for (std::size_t k = 0; k < rank; ++k)
            upper[k] = subtract(column[order[k]], dot(lower[order[k]].data(), upper.data(), k, p), p);
        std::size_t pivot = rows;
        std::uint64_t reciprocal = 0;
        for (std::size_t i = rank; i < rows; ++i) {
            Vector& multipliers = lower[order[i]];
            const std::uint64_t left =
                subtract(column[order[i]], dot(multipliers.data(), upper.data(), rank, p), p);
            if (pivot == rows && left != 0) {
                pivot = i;
                reciprocal = power(left, p - 2, p);
            }
            // Above the pivot there are zeros, so what stands there does not matter but for the pivot's own row.
            multipliers[rank] = pivot == rows ? 0 : multiply(left, reciprocal, p);
        }
        if (pivot == rows) continue;
        std::swap(order[rank], order[pivot]);
        ++rank;
    }
    return rank;
}

}  // namespace rankcert::detail
