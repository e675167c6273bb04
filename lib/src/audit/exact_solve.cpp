#include "rigor/trusted.hpp"
//
#include <algorithm>

#include "audit/exact_solve.hpp"

namespace rankcert::audit {
namespace {

using Index = Eigen::Index;
using Grid = std::vector<std::vector<Integer>>;

/// [G | B] as integers: both at the smaller of their exponents.
Grid augmented(const ExactMatrix& g, const ExactMatrix& b) {
    const long exponent = std::min(g.exponent(), b.exponent());
    const auto copy = [exponent](const ExactMatrix& a, Index i, std::vector<Integer>& row) {
        for (Index j = 0; j < a.cols(); ++j) {
            Integer entry = a.mantissa(i, j);
            if (entry != 0) entry <<= static_cast<unsigned>(a.exponent() - exponent);
            row.push_back(std::move(entry));
        }
    };
    Grid grid(static_cast<std::size_t>(g.rows()));
    for (Index i = 0; i < g.rows(); ++i) {
        copy(g, i, grid[static_cast<std::size_t>(i)]);
        copy(b, i, grid[static_cast<std::size_t>(i)]);
    }
    return grid;
}

/// Divides numbers by the greatest power of two that divides all of them; returns its exponent.
long strip(const std::vector<Integer*>& numbers) {
    mp_bitcnt_t zeros = ~mp_bitcnt_t{0};
    for (const Integer* number : numbers) zeros = std::min(zeros, mpz_scan1(number->backend().data(), 0));
    if (zeros == 0 || zeros == ~mp_bitcnt_t{0}) return 0;
    for (Integer* number : numbers)
        mpz_tdiv_q_2exp(number->backend().data(), number->backend().data(), zeros);
    return static_cast<long>(zeros);
}

double work_of(const Grid& a, std::size_t n) {
    double bits = 1;
    for (const auto& row : a)
        for (const Integer& entry : row)
            if (entry != 0)
                bits = std::max(bits, static_cast<double>(msb(boost::multiprecision::abs(entry)) + 1));
    const double order = static_cast<double>(n), limbs = 1 + order * (bits + 4) / 64 / 2;
    return 3 * order * order * static_cast<double>(a.front().size()) * limbs * std::min(limbs, 300.0);
}

}  // namespace

std::optional<std::vector<Rational>> solve_exactly(const ExactMatrix& g, const ExactMatrix& b,
                                                   double most_work) {
    const auto n = static_cast<std::size_t>(g.rows());
    std::vector<Rational> solution;
    if (n == 0 || b.cols() == 0) return solution;
    Grid a = augmented(g, b);
    const std::size_t width = a.front().size();
    for (auto& row : a) {
        std::vector<Integer*> numbers;
        for (Integer& entry : row) numbers.push_back(&entry);
        strip(numbers);
    }
    std::vector<long> exponents;  // column j of G was 2^exponents[j] times as large
    for (std::size_t j = 0; j < n; ++j) {
        std::vector<Integer*> numbers;
        for (auto& row : a) numbers.push_back(&row[j]);
        exponents.push_back(strip(numbers));
    }
    if (!(work_of(a, n) <= most_work)) return std::nullopt;
    Integer previous = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = n;
        for (std::size_t i = k; i < n; ++i) {
            if (a[i][k] != 0 &&
                (best == n || mpz_cmpabs(a[i][k].backend().data(), a[best][k].backend().data()) < 0))
                best = i;
        }
        if (best == n) return std::nullopt;
        std::swap(a[k], a[best]);
        if (best != k)  // an exchange changes the sign of all minors: keep them those of one matrix
            for (Integer& entry : a[k]) entry = -entry;
        const Integer pivot = a[k][k];
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const Integer factor = a[i][k];
            for (std::size_t j = k; j < width; ++j) {
                mpz_ptr z = a[i][j].backend().data();
                mpz_mul(z, z, pivot.backend().data());
                mpz_submul(z, factor.backend().data(), a[k][j].backend().data());
                mpz_divexact(z, z, previous.backend().data());
            }
            if (i < k) a[i][i] = pivot;
        }
        previous = pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = n; j < width; ++j)
            solution.push_back(Rational(a[i][j], previous) * to_rational(Integer(1), -exponents[i]));
    }
    return solution;
}

}  // namespace rankcert::audit
