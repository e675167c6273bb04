// The rank over the rationals.
//
// Modulo a prime the rank can only fall (a minor that is not zero may vanish, never the reverse): each prime
// proves a lower bound. Let r be the largest rank modulo some primes of a matrix of integers. All its
// (r + 1)×(r + 1) minors vanish modulo each of these primes, so each minor is divisible by their product. Such a
// minor is at most the product of the ℓ2 norms of its rows (Hadamard), so at most that of the r + 1 largest norms
// of rows, and likewise of columns. Where the product of the primes exceeds that bound, all those minors are zero:
// the rank is r.
//
// For few rows or columns of very long integers, Bareiss' fraction-free elimination is cheaper: after step t
// every remaining entry is a (t+1)×(t+1) minor of the matrix (Sylvester's identity; E. H. Bareiss, Math. Comp. 22
// (1968), 565–578), the divisions are exact, and the elimination ends when all remaining minors that extend
// the pivot minor vanish, that is, at the rank. Powers of two are taken out of rows and columns first: they
// do not change the rank.

#include <algorithm>
#include <cmath>
#include <functional>

#include "exact_storage.hpp"
#include "modular.hpp"

namespace rankcert {

using detail::ExactMatrixAccess;
using Index = Eigen::Index;

namespace {

using Grid = std::vector<std::vector<Integer>>;  // rows

/// Primes are taken downwards from here; each is above 2^59.
constexpr std::uint64_t kPrimesBelow = std::uint64_t{1} << 60;
constexpr double kBitsOfPrime = 59;

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

/// An upper bound of log2 of the magnitude of every order×order minor, from the norms of rows or of columns.
double upper_minor_bits(const Grid& a, std::size_t order, bool columns) {
    const std::size_t outer = columns ? a.front().size() : a.size();
    const std::size_t inner = columns ? a.size() : a.front().size();
    std::vector<unsigned> bits;  // norm² < 2^bits
    for (std::size_t o = 0; o < outer; ++o) {
        Integer square = 0;
        for (std::size_t i = 0; i < inner; ++i) {
            mpz_srcptr z = (columns ? a[i][o] : a[o][i]).backend().data();
            mpz_addmul(square.backend().data(), z, z);
        }
        bits.push_back(detail::bit_width(square));
    }
    std::sort(bits.begin(), bits.end(), std::greater<>());
    double sum = 0;  // exact: whole numbers far below 2^53
    for (std::size_t o = 0; o < std::min(order, outer); ++o) sum += bits[o];
    return sum / 2;
}

struct Size {
    double rows = 0, cols = 0, limbs = 0;  ///< limbs: of the longest integer
};

/// Multiply-adds of words, roughly.
double work_of_prime(const Size& size, double rank) { return size.rows * size.cols * (rank + size.limbs + 8); }
double work_of_bareiss(const Size& size, double rank) {
    const double limbs = (rank + 1) * size.limbs;  // of a minor
    return size.rows * size.cols * (rank + 1) * limbs * std::min(limbs, detail::kFastMultiplication);
}

std::vector<Integer> flat(const Grid& a) {
    std::vector<Integer> values;
    for (const auto& row : a) values.insert(values.end(), row.begin(), row.end());
    return values;
}

}  // namespace

RankBounds enclose_rank(const ExactMatrix& a, double most_work) {
    if (a.bits() == 0) return {0, 0};
    const auto full = static_cast<std::size_t>(std::min(a.rows(), a.cols()));
    const auto bounds = [](std::size_t lower, std::size_t upper) {
        return RankBounds{static_cast<Index>(lower), static_cast<Index>(upper)};
    };
    Size size{static_cast<double>(a.rows()), static_cast<double>(a.cols()), std::ceil(a.bits() / 64.0)};
    if (!(work_of_prime(size, static_cast<double>(full)) <= most_work)) return bounds(1, full);

    const auto values = ExactMatrixAccess::as_integer(a);
    const auto cols = static_cast<std::ptrdiff_t>(a.cols());
    Grid grid;
    for (auto row = values.begin(); row != values.end(); row += cols) grid.emplace_back(row, row + cols);
    strip_powers_of_two(grid, false);
    strip_powers_of_two(grid, true);
    const std::vector<Integer> stripped = flat(grid);

    std::size_t rank = 0;
    double known_bits = 0;  // the product of the primes so far is above 2^known_bits
    double needed_bits = 0;
    for (std::uint64_t prime = kPrimesBelow; known_bits == 0 || known_bits < needed_bits;) {
        prime = detail::prime_below(prime);
        const std::size_t modular =
            detail::rank_modulo(stripped, grid.size(), static_cast<std::size_t>(cols), prime);
        if (modular == full) return bounds(full, full);
        if (known_bits == 0 || modular > rank) {
            rank = std::max(rank, modular);
            needed_bits = std::min(upper_minor_bits(grid, rank + 1, false), upper_minor_bits(grid, rank + 1, true));
            const auto r = static_cast<double>(rank);
            const double by_primes = std::ceil(needed_bits / kBitsOfPrime) * work_of_prime(size, r);
            const double by_bareiss = work_of_bareiss(size, r);
            if (!(std::min(by_primes, by_bareiss) <= most_work)) return bounds(rank, full);
            if (by_bareiss < by_primes) {
                rank = rank_by_bareiss(grid);
                return bounds(rank, rank);
            }
        }
        known_bits += kBitsOfPrime;
    }
    return bounds(rank, rank);
}

Index exact_rank(const ExactMatrix& a) {
    const RankBounds rank = enclose_rank(a);
    if (rank.lower == rank.upper) return rank.lower;
    throw TooMuchWork("the exact rank of a " + detail::shape_text(a) + " matrix of " + std::to_string(a.bits()) +
                "-bit integers, between " + std::to_string(rank.lower) + " and " + std::to_string(rank.upper) +
                ", is too much work; bound it by a witness.");
}

}  // namespace rankcert
