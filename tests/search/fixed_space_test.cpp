#include <doctest/doctest.h>

#include <algorithm>

#include "lower_exact.hpp"
#include "search/fixed_space_optimise.hpp"

using namespace rankcert;
using namespace rankcert::test;
using search::FixedSpace;
using search::Matrix;
using search::Vector;

namespace {

Index rounded_rank(const Matrix& a, const FixedSpace& space, const Rational& epsilon) {
    const auto witness = search::round_fixed_space(a, space, tolerance_for(epsilon));
    if (!witness) return -1;
    const Index rank = proved_rank(*witness, ExactMatrix::from_double(a), epsilon);
    CHECK(rank == space.rank());
    return rank;
}

double defect(const Matrix& a, const FixedSpace& space) {
    return search::estimate_norm(space.basis - space.inverse * (a * space.basis));
}

}  // namespace

TEST_CASE("the whole space proves full rank up to 1/‖A⁻¹‖ and not beyond") {
    for (const Index n : {1, 2, 7, 64}) {
        const auto space = search::full_fixed_space(Matrix::Identity(n, n));
        REQUIRE(space);
        CHECK(space->reach == 1);
        CHECK(rounded_rank(Matrix::Identity(n, n), *space, 1 - to_rational(0x1p-40)) == n);
        CHECK(rounded_rank(Matrix::Identity(n, n), *space, 1) == -1);
    }
    for (const double x : {0.5, 0.375, 1e-3}) {
        const auto space = search::full_fixed_space(two_rows(x));
        REQUIRE(space);
        const Rational threshold = to_rational(x) / (2 - to_rational(x));
        CHECK(rounded_rank(two_rows(x), *space, threshold * (1 - to_rational(0x1p-40))) == 2);
        CHECK(rounded_rank(two_rows(x), *space, threshold * (1 + to_rational(0x1p-40))) == -1);
    }
}

TEST_CASE("the whole space of a wide or tall matrix has as many dimensions as its shorter side") {
    for (const auto& [m, n] : {std::pair<Index, Index>{5, 9}, {9, 5}, {1, 6}, {6, 1}}) {
        const Matrix a = random_attention(m, n, 2, 3);
        const auto space = search::full_fixed_space(a);
        REQUIRE(space);
        CHECK(space->rank() == std::min(m, n));
        CHECK(defect(a, *space) <= 1e-10);
        CHECK(rounded_rank(a, *space, parse_rational("1e-9")) == std::min(m, n));
    }
}

TEST_CASE("a singular matrix has no inverse on the whole space") {
    const auto zero = search::full_fixed_space(Matrix::Zero(3, 3));
    CHECK(!zero);
    CHECK(!search::full_fixed_space(Matrix(0, 0)));
    const auto equal = search::full_fixed_space(Matrix::Constant(4, 4, 0.25));
    if (equal) CHECK(rounded_rank(Matrix::Constant(4, 4, 0.25), *equal, parse_rational("1/10")) == -1);
}

TEST_CASE("minimising the inverse never makes it worse, and keeps S A D = D") {
    for (unsigned seed = 0; seed < 8; ++seed) {
        const Matrix a = random_attention(18, 15, 1 + seed % 3, seed);
        const auto start = search::space_from_grouping(a, search::plain_grouping(a), 6);
        REQUIRE(start);
        CHECK(defect(a, *start) <= 1e-9);
        search::FixedSpaceOptions options;
        options.stages = {{0.3, 0.5}, {0.1, 0.2}, {0.03, 0.1}};
        options.iterations = 30;
        const double before = search::estimate_norm(start->inverse);
        const FixedSpace better = search::minimize_inverse(a, *start, before, options);
        CHECK(better.rank() == 6);
        CHECK(defect(a, better) <= 1e-9);
        CHECK(1 / better.reach == doctest::Approx(search::estimate_norm(better.inverse)));
        CHECK(1 / better.reach < before);
        CHECK(rounded_rank(a, better, to_rational(better.reach * 0.9999)) == 6);
    }
}

TEST_CASE("dropping and adding directions keeps S A D = D") {
    const Matrix a = random_attention(16, 16, 2, 11);
    const auto start = search::space_from_grouping(a, search::plain_grouping(a), 7);
    REQUIRE(start);
    const auto fewer = search::drop_direction(a, *start);
    REQUIRE(fewer);
    CHECK(fewer->rank() == 6);
    CHECK(defect(a, *fewer) <= 1e-9);
    const auto more = search::add_direction(a, *start, Vector::Constant(16, 0.25));
    REQUIRE(more);
    CHECK(more->rank() == 8);
    CHECK(defect(a, *more) <= 1e-9);
}

TEST_CASE("without the rows that are too large, a space proves what is left of it") {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const Matrix a = random_attention(20, 17, 2, seed);
        const auto start = search::space_from_grouping(a, search::plain_grouping(a), 9);
        REQUIRE(start);
        const Vector rows = start->inverse.cwiseAbs().rowwise().sum();
        Vector sorted = rows;
        std::sort(sorted.begin(), sorted.end());
        CHECK_FALSE(search::without_large_rows(*start, .99 / sorted(16)));
        for (const Index count : {1, 3, 8}) {
            // Between the row sums: `count` of the 17 rows are beyond 1/tolerance.
            const double tolerance = 2 / (sorted(16 - count) + sorted(17 - count));
            const auto fewer = search::without_large_rows(*start, tolerance);
            REQUIRE(fewer);
            CHECK(fewer->rank() == 9 - count);
            CHECK(fewer->reach > tolerance);
            CHECK(defect(a, *fewer) <= 1e-9);
            CHECK(rounded_rank(a, *fewer, to_rational(tolerance)) == 9 - count);
        }
        CHECK_FALSE(search::without_large_rows(*start, 2 / (sorted(7) + sorted(8))));
    }
}

TEST_CASE("one space proves its rank at its reach, whatever basis it comes in") {
    const Matrix a = random_attention(12, 12, 3, 2);
    auto space = search::space_from_grouping(a, search::plain_grouping(a), 5);
    REQUIRE(space);
    const double reach = 1 / search::estimate_norm(space->inverse);
    const Matrix mix = random_attention(5, 5, 1, 8) + 2 * Matrix::Identity(5, 5);
    space->basis *= 1e5 * mix;
    CHECK(rounded_rank(a, *space, to_rational(reach * 0.999)) == 5);
    CHECK(rounded_rank(a, *space, to_rational(reach * 1.001)) == -1);
}

TEST_CASE("a space whose basis is deficient or not finite is refused") {
    const Matrix a = Matrix::Identity(4, 4);
    FixedSpace space{Matrix::Zero(4, 2), Matrix::Zero(4, 4), 1};
    CHECK(!search::round_fixed_space(Matrix::Zero(4, 4), space, 0.5));
    space = {Matrix::Identity(4, 2), Matrix::Identity(4, 4), 1};
    CHECK(search::round_fixed_space(a, space, 0.5));
    space.basis(2, 1) = std::numeric_limits<double>::infinity();
    CHECK(!search::round_fixed_space(a, space, 0.5));
    CHECK(!search::round_fixed_space(a, FixedSpace{Matrix(4, 0), Matrix::Identity(4, 4), 1}, 0.5));
}
