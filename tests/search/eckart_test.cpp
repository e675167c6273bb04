#include <doctest/doctest.h>

#include "lower_exact.hpp"
#include "search/eckart_young_tail.hpp"

using namespace rankcert;
using namespace rankcert::test;
using search::Matrix;
using search::propose_eckart_young;

namespace {

Index eckart_rank(const Matrix& a, const Rational& epsilon) {
    const auto witness = propose_eckart_young(a, tolerance_for(epsilon), {1, 2});
    if (!witness) return -1;
    const Index rank = proved_rank(*witness, ExactMatrix::from_double(a), epsilon);
    CHECK(rank == witness->rank + 1);
    return rank;
}

}  // namespace

TEST_CASE("Eckart–Young on the identity proves n where the plain tail 1/n allows no more than a little") {
    // Uniform weights: tail_r = (n − r)/n, so r_ε ≥ r + 1 while (n − r)/n > ε².
    CHECK(eckart_rank(Matrix::Identity(1, 1), parse_rational("0.99")) == 1);
    CHECK(eckart_rank(Matrix::Identity(8, 8), parse_rational("0.25")) == 8);
    CHECK(eckart_rank(Matrix::Identity(64, 64), parse_rational("0.1")) == 64);
    CHECK(eckart_rank(Matrix::Identity(8, 8), 1) == -1);
}

TEST_CASE("Eckart–Young proposals on random attention prove what they say, whatever the shape") {
    for (unsigned seed = 0; seed < 24; ++seed) {
        const Index m = 1 + seed % 9, n = 1 + (seed * 7) % 11;
        const Matrix a = random_attention(m, n, 0.5 + seed % 5, seed);
        for (const char* epsilon : {"1e-3", "1/10", "1/3"})
            CHECK(eckart_rank(a, parse_rational(epsilon)) >= 1);
    }
}

TEST_CASE("a grouping finds the rank of attention that is spread over like keys") {
    Matrix a = Matrix::Zero(4, 32);
    for (Index i = 0; i < 4; ++i) a.row(i).segment(8 * i, 8).setConstant(0.125);
    const Rational epsilon = parse_rational("0.45");
    // Plain: σ_4² = 1/(4 · 8), far below ε²; grouped it is 1/4.
    CHECK(*search::count_tail(a, search::plain_grouping(a), 0.45) == 0);
    CHECK(eckart_rank(a, epsilon) == 4);
}

TEST_CASE("optimised weights and groupings never fall behind the plain ones") {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const Matrix a = random_attention(20, 20, 1 + seed % 3, seed);
        const auto plain = search::plain_grouping(a);
        const auto found = search::optimise_grouping(a, 0.2, plain, 20, {});
        CHECK(found.bound >= *search::count_tail(a, plain, 0.2 * (1 + 1e-4)));
        CHECK(found.choice.weights.squaredNorm() == doctest::Approx(1));
        CHECK(found.choice.grouping.rowwise().norm().maxCoeff() == doctest::Approx(1));
    }
}

TEST_CASE("Eckart–Young has nothing to say on a zero matrix, an empty one, or one with a NaN") {
    CHECK(eckart_rank(Matrix::Zero(3, 3), parse_rational("1/10")) == -1);
    CHECK(!propose_eckart_young(Matrix(0, 0), 0.1));
    Matrix a = Matrix::Identity(2, 2);
    a(0, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK(!propose_eckart_young(a, 0.1));
    CHECK(!propose_eckart_young(Matrix::Identity(2, 2), 0));
}
