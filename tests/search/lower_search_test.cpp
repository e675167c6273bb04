#include <doctest/doctest.h>

#include <thread>

#include "lower_exact.hpp"
#include "rankcert/search/work.hpp"

using namespace rankcert;
using namespace rankcert::test;
using search::LowerSearch;
using search::Matrix;
using search::proposed_rank;

namespace {

Index best_rank(LowerSearch& search, const Matrix& a, const Rational& epsilon, Index upper,
                double seconds = .3) {
    const auto witness = search.propose(tolerance_for(epsilon), upper, seconds);
    if (!witness) return 0;
    const Index rank = proved_rank(*witness, ExactMatrix::from_double(a), epsilon);
    CHECK(rank == proposed_rank(*witness));
    return rank;
}

}  // namespace

TEST_CASE("the lower search closes the identity at every ε below one") {
    for (const Index n : {1, 2, 7, 64}) {
        const Matrix a = Matrix::Identity(n, n);
        LowerSearch search(a);
        for (const char* epsilon : {"0", "1/3", "0.999999999999"}) {
            CHECK(best_rank(search, a, parse_rational(epsilon), n) == n);
        }
        CHECK(best_rank(search, a, 1, n) == 0);
    }
}

TEST_CASE("the lower search decides [[1, 0], [1 − a, a]] on both sides of its threshold") {
    for (const double x : {0.5, 0.375, 1e-3}) {
        const Rational threshold = to_rational(x) / (2 - to_rational(x));
        LowerSearch search(two_rows(x));
        CHECK(best_rank(search, two_rows(x), threshold * (1 - to_rational(0x1p-40)), 2) == 2);
        CHECK(best_rank(search, two_rows(x), threshold * (1 + to_rational(0x1p-40)), 2) == 1);
    }
}

TEST_CASE("every proposal on random matrices of any shape proves what it says") {
    for (unsigned seed = 0; seed < 12; ++seed) {
        const Index m = 1 + (seed * 5) % 13, n = 1 + (seed * 7) % 11;
        const Matrix a = random_attention(m, n, 0.5 + seed % 4, seed);
        LowerSearch search(a);
        Index last = std::min(m, n);
        for (const char* epsilon : {"1/20", "1/4", "0.6"}) {
            for (const auto& witness : search.propose_quick(tolerance_for(parse_rational(epsilon)))) {
                CHECK(proved_rank(witness, ExactMatrix::from_double(a), parse_rational(epsilon)) ==
                      proposed_rank(witness));
            }
            const Index rank = best_rank(search, a, parse_rational(epsilon), last);
            CHECK(rank >= 1);
            last = std::max<Index>(
                rank, 1);  // what is true at this ε bounds nothing above, but it is a fair `upper`
        }
    }
}

TEST_CASE("optimised searches reach beyond the quick ones and below the exact answer") {
    // A causal-like staircase: row i spreads evenly over its first i + 1 keys. Its exact rank is n.
    const Index n = 24;
    Matrix a = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i) a.row(i).head(i + 1).setConstant(1.0 / static_cast<double>(i + 1));
    LowerSearch search(a);
    const double tolerance = 0.1;
    const auto quick = search.propose_quick(tolerance);
    REQUIRE(!quick.empty());
    const auto best = search.propose(tolerance, n, 2);
    REQUIRE(best);
    CHECK(proposed_rank(*best) > proposed_rank(quick.front()));
    CHECK(proved_rank(*best, ExactMatrix::from_double(a), to_rational(tolerance)) == proposed_rank(*best));
    CHECK(proposed_rank(*best) < n);
    CHECK(std::holds_alternative<FixedSpaceWitness>(*best));
}

TEST_CASE("a space found at one ε serves smaller ones at once") {
    const Matrix a = random_attention(20, 20, 2, 4);
    LowerSearch search(a);
    const auto first = search.propose_optimised(0.3, 0, 20, .5);
    REQUIRE(first);
    for (const auto& [k, reach] : search.reach_curve()) {
        if (!(reach > 0.1)) continue;
        const auto quick = search.propose_quick(std::min(reach, 0.3) * 0.99);
        REQUIRE(!quick.empty());
        CHECK(proposed_rank(quick.front()) >= k);
    }
}

TEST_CASE("the search does not look above the given upper bound, nor when there is no time") {
    const Matrix a = random_attention(20, 20, 2, 4);
    LowerSearch search(a);
    CHECK(!search.propose_optimised(0.3, 5, 5, .5));
    CHECK(!search.propose_optimised(0.3, 0, 20, .5, [] { return true; }));
    const auto capped = search.propose_optimised(0.1, 0, 3, .5);
    REQUIRE(capped);
    CHECK(proposed_rank(*capped) <= 3);
}

TEST_CASE("searches on parallel threads find what one thread finds") {
    std::vector<Matrix> inputs;
    for (unsigned seed = 0; seed < 4; ++seed) inputs.push_back(random_attention(12, 12, 2, seed));
    std::vector<Index> alone, together(4, -1);
    for (const Matrix& a : inputs) {
        const auto witness = LowerSearch(a).propose(0.25, 12, .5);
        alone.push_back(witness ? proposed_rank(*witness) : 0);
    }
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const auto witness = LowerSearch(inputs[t]).propose(0.25, 12, .5);
            together[t] = witness ? proposed_rank(*witness) : 0;
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(alone == together);
}

TEST_CASE("a watch ends a search in the middle of an attempt, and only as long as it lives") {
    struct Stop {};
    const Matrix a = random_attention(24, 24, 2, 5);
    LowerSearch search(a);
    int looks = 0;
    {
        const search::WorkWatch outer([] { FAIL("the innermost watch alone counts"); });
        const search::WorkWatch watch([&] {
            if (++looks == 50) throw Stop{};
        });
        CHECK_THROWS_AS((void)search.propose(0.2, 24, 60), Stop);
    }
    CHECK(looks == 50);
    (void)LowerSearch(a).propose(0.2, 24, .05);
    CHECK(looks == 50);
}

TEST_CASE("a zero, empty or non-finite matrix gets no proposals") {
    Matrix bad = Matrix::Identity(3, 3);
    bad(2, 0) = std::numeric_limits<double>::infinity();
    for (const Matrix& a : {Matrix(Matrix::Zero(3, 4)), Matrix(0, 0), bad}) {
        LowerSearch search(a);
        CHECK(search.propose_quick(0.1).empty());
        CHECK(!search.propose(0.1, 3, .2));
    }
}
