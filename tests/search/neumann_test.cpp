#include <doctest/doctest.h>

#include "lower_exact.hpp"

using namespace rankcert;
using namespace rankcert::test;
using search::Matrix;
using search::propose_neumann;

namespace {

/// What the proposal proves in exact arithmetic; −1 where nothing was proposed. A proposal that proves
/// nothing is a failure.
Index neumann_rank(const Matrix& a, const Rational& epsilon) {
    const auto witness = propose_neumann(a, tolerance_for(epsilon));
    if (!witness) return -1;
    const Index rank = proved_rank(*witness, ExactMatrix::from_double(a), epsilon);
    CHECK(rank == witness->selection.rows());
    return rank;
}

}  // namespace

TEST_CASE("Neumann proves the full rank of the identity at every ε below one") {
    for (const Index n : {1, 2, 7, 64}) {
        for (const char* epsilon : {"0", "1/4", "0.999999"}) {
            CHECK(neumann_rank(Matrix::Identity(n, n), parse_rational(epsilon)) == n);
        }
        CHECK(neumann_rank(Matrix::Identity(n, n), 1) == -1);
    }
}

TEST_CASE("Neumann decides [[1, 0], [1 − a, a]] just below its threshold and not just above") {
    for (const double x : {0.5, 0.375, 1e-3}) {
        const Rational threshold = to_rational(x) / (2 - to_rational(x));
        const Rational step = to_rational(0x1p-40);
        CHECK(neumann_rank(two_rows(x), threshold * (1 - step)) == 2);
        CHECK(neumann_rank(two_rows(x), threshold * (1 + step)) == 1);
    }
}

TEST_CASE("Neumann groups tokens where attention is spread over many like keys") {
    // Four rows, each spread evenly over its own eight of 32 keys: single columns carry only 1/8.
    Matrix a = Matrix::Zero(4, 32);
    for (Index i = 0; i < 4; ++i) a.row(i).segment(8 * i, 8).setConstant(0.125);
    CHECK(neumann_rank(a, parse_rational("0.9")) == 4);
}

TEST_CASE("Neumann proposals on random attention prove what they say, whatever the shape") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        const Index m = 1 + seed % 9, n = 1 + (seed * 7) % 11;
        const Matrix a = random_attention(m, n, 0.5 + seed % 5, seed);
        for (const char* epsilon : {"1e-6", "1/10", "1/3", "0.8"}) {
            CHECK(neumann_rank(a, parse_rational(epsilon)) >=
                  1);  // rows sum to one, so rank 1 is always in reach
        }
    }
}

TEST_CASE("Neumann proposes no more than the rank of a deficient matrix") {
    Matrix a = random_attention(8, 8, 2, 5);
    a.row(3) = a.row(1);
    a.row(6) = a.row(1);
    const Index rank = neumann_rank(a, parse_rational("1e-9"));
    CHECK(rank == 6);
    CHECK(neumann_rank(Matrix::Constant(5, 5, 0.2), parse_rational("1e-3")) == 1);
}

TEST_CASE("Neumann has nothing to say on a zero matrix, an empty one, or one with a NaN") {
    CHECK(neumann_rank(Matrix::Zero(3, 3), parse_rational("1/10")) == -1);
    CHECK(!propose_neumann(Matrix(0, 0), 0.1));
    Matrix a = Matrix::Identity(2, 2);
    a(0, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK(!propose_neumann(a, 0.1));
    CHECK(!propose_neumann(Matrix::Identity(2, 2), std::numeric_limits<double>::quiet_NaN()));
}
