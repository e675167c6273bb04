#include <doctest/doctest.h>

#include "exact_helpers.hpp"
#include "linalg/modular.hpp"

using namespace rankcert;
using namespace rankcert::test;
using Index = Eigen::Index;

namespace {

// Gauss' elimination in rationals.
Index naive_rank(Table a) {
    std::size_t rank = 0;
    const std::size_t cols = a.empty() ? 0 : a.front().size();
    for (std::size_t j = 0; j < cols; ++j) {
        std::size_t pivot = rank;
        while (pivot < a.size() && a[pivot][j] == 0) ++pivot;
        if (pivot == a.size()) continue;
        std::swap(a[pivot], a[rank]);
        for (std::size_t i = rank + 1; i < a.size(); ++i) {
            const Rational factor = a[i][j] / a[rank][j];
            for (std::size_t k = j; k < cols; ++k) a[i][k] -= factor * a[rank][k];
        }
        ++rank;
    }
    return static_cast<Index>(rank);
}

}  // namespace

TEST_CASE("the exact rank agrees with rational elimination") {
    std::mt19937_64 random(11);
    int deficient = 0;
    for (int round = 0; round < 600; ++round) {
        const Index m = 1 + static_cast<Index>(random() % 7), n = 1 + static_cast<Index>(random() % 7),
                    r = static_cast<Index>(random() % 7);
        const unsigned bits = 1 + static_cast<unsigned>(random() % 3) * 40;
        const ExactMatrix a = random_matrix(m, r, bits, 0, random) * random_matrix(r, n, bits, -9, random);
        const Index rank = exact_rank(a);
        CHECK(rank == naive_rank(table(a)));
        CHECK(exact_rank(a.transpose()) == rank);
        if (rank < std::min(m, n)) ++deficient;
    }
    CHECK(deficient > 100);
    CHECK(deficient < 500);
}

TEST_CASE("a determinant that the prime divides does not lower the rank") {
    const Integer p = (Integer(1) << 61) - 1;
    CHECK(exact_rank(ExactMatrix::from_integers(1, 1, {p}, 0)) == 1);
    CHECK(exact_rank(ExactMatrix::from_integers(2, 2, {p, 0, 0, p}, 0)) == 2);
    CHECK(exact_rank(ExactMatrix::from_integers(2, 2, {1, 2, 3, 6 + p}, 0)) == 2);
    CHECK(exact_rank(ExactMatrix::from_integers(2, 2, {1, 2, 3, 6}, 0)) == 1);
}

TEST_CASE("one part in 2^200 decides a rank") {
    const Integer big = Integer(1) << 200;
    CHECK(exact_rank(ExactMatrix::from_integers(2, 2, {big, big, big, big + 1}, -200)) == 2);
    CHECK(exact_rank(ExactMatrix::from_integers(2, 2, {big, big, big, big}, -200)) == 1);
}

TEST_CASE("badly scaled doubles have their exact rank") {
    Eigen::MatrixXd a(3, 3);
    a << 1e300, 1e-300, 0, 5e-324, 1, 1e-10, 0, 0, 1e-320;
    CHECK(exact_rank(ExactMatrix::from_double(a)) == 3);
    a.row(2) = a.row(0) * 0.5;
    CHECK(exact_rank(ExactMatrix::from_double(a)) == 2);
}

TEST_CASE("products of thin factors have the rank of the factors") {
    std::mt19937_64 random(13);
    for (const Index r : {0, 1, 5, 19, 20}) {
        const auto a = random_matrix(20, r, 26, 0, random) * random_matrix(r, 24, 26, 0, random);
        CHECK(exact_rank(a) == r);
    }
}

TEST_CASE("numbers below a bound are told prime exactly, also those that fool other tests") {
    for (std::uint64_t bound = 4; bound < 3000; ++bound) {
        const std::uint64_t p = detail::prime_below(bound);
        std::uint64_t expected = bound - 1;
        const auto is_prime = [](std::uint64_t n) {
            for (std::uint64_t d = 2; d * d <= n; ++d)
                if (n % d == 0) return false;
            return n > 1;
        };
        while (!is_prime(expected)) --expected;
        REQUIRE(p == expected);
    }
    // Strong pseudoprimes to the first four and the first nine prime bases; Carmichael numbers.
    for (const std::uint64_t composite : {3215031751ULL, 3825123056546413051ULL, 561ULL, 1729ULL})
        CHECK(detail::prime_below(composite + 1) < composite);
    std::uint64_t p = std::uint64_t{1} << 60;
    for (int k = 0; k < 40; ++k) {
        const std::uint64_t before = p;
        p = detail::prime_below(p);
        const Integer value(p);
        CHECK(mpz_probab_prime_p(value.backend().data(), 50) > 0);
        for (std::uint64_t between = p + 1; between < before; ++between) {
            const Integer other(between);
            CHECK(mpz_probab_prime_p(other.backend().data(), 25) == 0);
        }
    }
}

TEST_CASE("minors that several primes divide do not lower the rank") {
    const Integer p(detail::prime_below(std::uint64_t{1} << 60));
    const Integer q(detail::prime_below(static_cast<std::uint64_t>(p)));
    CHECK(detail::rank_modulo({Integer(1), Integer(2), Integer(3), Integer(6 + p)}, 2, 2,
                              static_cast<std::uint64_t>(p)) == 1);
    CHECK(detail::rank_modulo({Integer(1), Integer(2), Integer(3), Integer(6 + p)}, 2, 2,
                              static_cast<std::uint64_t>(q)) == 2);
    // A 12×12 identity with the block [1 2; 3 6 + pq]: too large for fraction-free elimination to be chosen, and
    // both primes see rank 11. The determinant is p q, below what a third prime must rule out.
    for (const Integer& factor : {p, q, Integer(p * q), Integer(p * q * 7)}) {
        constexpr std::size_t n = 12;
        std::vector<Integer> values(n * n, Integer(0));
        for (std::size_t i = 0; i < n; ++i) values[i * n + i] = 1;
        values[1] = 2;
        values[n] = 3;
        values[n + 1] = 6 + factor;
        CHECK(exact_rank(ExactMatrix::from_integers(n, n, values, 3)) == 12);
        values[n + 1] = 6;
        CHECK(exact_rank(ExactMatrix::from_integers(n, n, values, 3)) == 11);
    }
}

TEST_CASE("the rank of a large matrix that nearly has full rank is found in seconds") {
    std::mt19937_64 random(17);
    constexpr Index n = 200;
    const ExactMatrix a = random_matrix(n, n - 1, 24, 0, random) * random_matrix(n - 1, n, 24, -53, random);
    const RankBounds rank = enclose_rank(a);
    CHECK(rank.lower == n - 1);
    CHECK(rank.upper == n - 1);
}

TEST_CASE("too little allowed work leaves bounds that hold") {
    std::mt19937_64 random(19);
    int open = 0;
    for (int round = 0; round < 60; ++round) {
        const Index m = 1 + static_cast<Index>(random() % 9), n = 1 + static_cast<Index>(random() % 9),
                    r = static_cast<Index>(random() % 9);
        const ExactMatrix a = random_matrix(m, r, 100, 0, random) * random_matrix(r, n, 100, 0, random);
        const Index truth = exact_rank(a);
        for (const double work : {0.0, 300.0, 3000.0}) {
            const RankBounds rank = enclose_rank(a, work);
            CHECK(rank.lower <= truth);
            CHECK(truth <= rank.upper);
            if (rank.lower < rank.upper) ++open;
        }
    }
    CHECK(open > 30);
    const ExactMatrix long_integers =
        ExactMatrix::from_integers(2, 2, std::vector<Integer>(4, (Integer(1) << (1U << 22)) + 1), 0);
    CHECK(exact_rank(long_integers) == 1);
}
