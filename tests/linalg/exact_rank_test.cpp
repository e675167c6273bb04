#include <doctest/doctest.h>

#include "exact_helpers.hpp"

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
