#include <doctest/doctest.h>

#include <set>

#include "search/upper_support.hpp"

using namespace rankcert;
using namespace rankcert::search;
using namespace upper_support;

namespace {

double distance(const Eigen::MatrixXd& a, Index i, Index j) { return (a.row(i) - a.row(j)).lpNorm<1>(); }

std::size_t count(const RepresentativeRowsWitness& witness) {
    return std::set<Index>(witness.representative.begin(), witness.representative.end()).size();
}

/// The size of the least cover, by trying all.
std::size_t least_cover(const Eigen::MatrixXd& a, double tolerance) {
    const auto m = static_cast<unsigned>(a.rows());
    std::size_t best = m;
    for (unsigned chosen = 1; chosen < (1U << m); ++chosen) {
        bool all = true;
        for (unsigned i = 0; i < m && all; ++i) {
            bool covered = false;
            for (unsigned j = 0; j < m; ++j)
                covered |= (chosen >> j & 1U) != 0 && distance(a, i, j) <= tolerance;
            all = covered;
        }
        if (all) best = std::min<std::size_t>(best, static_cast<unsigned>(__builtin_popcount(chosen)));
    }
    return best;
}

}  // namespace

TEST_CASE("representative rows are within the tolerance of the rows they stand for") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const Eigen::MatrixXd a = random_stochastic(70, 20, 2.0 * seed, seed);
        const auto witness = propose_representative_rows(a, .3);
        REQUIRE(witness);
        REQUIRE(witness->representative.size() == 70);
        for (Index i = 0; i < 70; ++i) {
            const Index p = witness->representative[static_cast<std::size_t>(i)];
            REQUIRE(p >= 0);
            REQUIRE(p < 70);
            CHECK(distance(a, i, p) <= .3);
        }
    }
}

TEST_CASE("for few rows there are no fewer representatives than the search finds") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const Eigen::MatrixXd a = random_stochastic(2 + seed % 9, 6, 1.5 * seed, seed);
        for (const double tolerance : {.1, .4, .8}) {
            const auto witness = propose_representative_rows(a, tolerance);
            REQUIRE(witness);
            CHECK(count(*witness) == least_cover(a, tolerance));
        }
    }
}

TEST_CASE("equal rows have one representative, and distant ones all") {
    const auto equal = propose_representative_rows(Eigen::MatrixXd::Constant(64, 8, .125), 0);
    REQUIRE(equal);
    CHECK(count(*equal) == 1);
    const auto distant = propose_representative_rows(Eigen::MatrixXd::Identity(64, 64), 1.99);
    REQUIRE(distant);
    CHECK(count(*distant) == 64);
    const auto touching = propose_representative_rows(Eigen::MatrixXd::Identity(65, 65), 2);
    REQUIRE(touching);
    CHECK(count(*touching) == 1);
}
