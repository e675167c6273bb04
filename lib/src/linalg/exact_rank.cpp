// The rank over the rationals.
//
// Modulo a prime the rank can only fall (a minor that is not zero may vanish, never the reverse), so a full
// rank modulo a prime is the rank. Otherwise Bareiss' fraction-free elimination decides: after step t every
// remaining entry is a (t+1)×(t+1) minor of the matrix (Sylvester's identity; E. H. Bareiss, Math. Comp. 22
// (1968), 565–578), the divisions are exact, and the elimination ends when all remaining minors that extend
// the pivot minor vanish, that is, at the rank. Powers of two are taken out of rows and columns first: they
// do not change the rank.

#include <algorithm>

#include "exact_storage.hpp"

namespace rankcert {

using detail::ExactMatrixAccess;
using Index = Eigen::Index;

namespace {

using Grid = std::vector<std::vector<Integer>>;  // rows

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<detail::UInt128>(a) * b % kPrime);
}

std::uint64_t inverse(std::uint64_t a) {  // a^(p−2)
    std::uint64_t result = 1;
    for (std::uint64_t e = kPrime - 2; e != 0; e >>= 1, a = multiply(a, a))
        if ((e & 1) != 0) result = multiply(result, a);
    return result;
}

std::size_t rank_modulo_prime(const Grid& a) {
    const std::size_t rows = a.size();
    const std::size_t cols = a.front().size();
    std::vector<std::vector<std::uint64_t>> m(rows, std::vector<std::uint64_t>(cols));
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < cols; ++j) m[i][j] = mpz_fdiv_ui(a[i][j].backend().data(), kPrime);
    std::size_t rank = 0;
    for (std::size_t j = 0; j < cols && rank < rows; ++j) {
        std::size_t pivot = rank;
        while (pivot < rows && m[pivot][j] == 0) ++pivot;
        if (pivot == rows) continue;
        std::swap(m[rank], m[pivot]);
        const std::uint64_t reciprocal = inverse(m[rank][j]);
        for (std::size_t i = rank + 1; i < rows; ++i) {
            if (m[i][j] == 0) continue;
            const std::uint64_t factor =
                kPrime - multiply(m[i][j], reciprocal);  // in 1 … p−1, as m[i][j] is not 0
            for (std::size_t k = j; k < cols; ++k)
                m[i][k] = (m[i][k] + multiply(factor, m[rank][k])) % kPrime;
        }
        ++rank;
    }
    return rank;
}

// Divides each row (or column) by the greatest power of two that divides all its entries.
void strip_powers_of_two(Grid& a, bool columns) {
    const std::size_t outer = columns ? a.front().size() : a.size();
    const std::size_t inner = columns ? a.size() : a.front().size();
    const auto entry = [&](std::size_t o, std::size_t i) -> Integer& { return columns ? a[i][o] : a[o][i]; };
    for (std::size_t o = 0; o < outer; ++o) {
        mp_bitcnt_t zeros = ~mp_bitcnt_t{0};  // what mpz_scan1 gives for 0
        for (std::size_t i = 0; i < inner; ++i)
            zeros = std::min(zeros, mpz_scan1(entry(o, i).backend().data(), 0));
        if (zeros == 0 || zeros == ~mp_bitcnt_t{0}) continue;
        for (std::size_t i = 0; i < inner; ++i) {
            mpz_ptr z = entry(o, i).backend().data();
            mpz_tdiv_q_2exp(z, z, zeros);
        }
    }
}

std::size_t rank_by_bareiss(Grid& a) {
    const std::size_t rows = a.size();
    const std::size_t cols = a.front().size();
    Integer previous = 1;
    std::size_t rank = 0;
    for (; rank < std::min(rows, cols); ++rank) {
        // Full pivoting on the shortest non-zero entry: any pivot is valid, a short one keeps the numbers
        // short.
        std::size_t best_i = rows;
        std::size_t best_j = cols;
        for (std::size_t i = rank; i < rows; ++i)
            for (std::size_t j = rank; j < cols; ++j)
                if (a[i][j] != 0 &&
                    (best_i == rows || detail::bit_width(a[i][j]) < detail::bit_width(a[best_i][best_j]))) {
                    best_i = i;
                    best_j = j;
                }
        if (best_i == rows) break;
        if (best_i != rank) std::swap(a[rank], a[best_i]);
        if (best_j != rank)
            for (auto& row : a) std::swap(row[rank], row[best_j]);
        const Integer pivot = a[rank][rank];
        for (std::size_t i = rank + 1; i < rows; ++i) {
            for (std::size_t j = rank + 1; j < cols; ++j) {
                mpz_ptr z = a[i][j].backend().data();
                mpz_mul(z, z, pivot.backend().data());
                mpz_submul(z, a[i][rank].backend().data(), a[rank][j].backend().data());
                mpz_divexact(z, z, previous.backend().data());
            }
        }
        previous = pivot;
    }
    return rank;
}

}  // namespace

Index exact_rank(const ExactMatrix& a) {
    if (a.bits() == 0) return 0;
    const auto values = ExactMatrixAccess::as_integer(a);
    const auto cols = static_cast<std::ptrdiff_t>(a.cols());
    Grid grid;
    for (auto row = values.begin(); row != values.end(); row += cols) grid.emplace_back(row, row + cols);
    strip_powers_of_two(grid, false);
    strip_powers_of_two(grid, true);
    const std::size_t modular = rank_modulo_prime(grid);
    const auto full = static_cast<std::size_t>(std::min(a.rows(), a.cols()));
    return static_cast<Index>(modular == full ? full : rank_by_bareiss(grid));
}

}  // namespace rankcert
