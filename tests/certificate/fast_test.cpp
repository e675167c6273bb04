#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "certificate/exact_checker.hpp"
#include "certificate/exact_mutants.hpp"
#include "certificate/fast_checker.hpp"
#include "certificate/fast_witnesses.hpp"
#include "rankcert/rigor/error.hpp"
#include "rigor/hostile_environment.hpp"

// The fast checker against the exact one: what the fast one proves, the exact one proves too, at the very
// edge and on mutants; and it proves nearly all that is not at the edge.

using namespace rankcert;
using namespace rankcert::test;

namespace {

Rational power(long e) { return to_rational(Integer(1), e); }

struct Tally {
    int fast = 0;   ///< proved by both
    int exact = 0;  ///< proved by the exact checker
    int neither = 0;
};

/// The two checkers' answers to one question; rank = −1 where it is not proved.
template <class Witness>
void compare(Checker& fast, Checker& exact, const Witness& w, const Rational& epsilon, Tally& tally) {
    Index fast_rank = -1, exact_rank = -1;
    Decision decision{};
    if constexpr (std::is_convertible_v<Witness, LowerWitness>) {
        const auto f = fast.prove_rank_at_least(w, epsilon);
        const auto e = exact.prove_rank_at_least(w, epsilon);
        if (f.proof) fast_rank = (*f.proof)->rank;
        if (e.proof) exact_rank = (*e.proof)->rank;
        decision = f.decision;
    } else {
        const auto f = fast.prove_rank_at_most(w, epsilon);
        const auto e = exact.prove_rank_at_most(w, epsilon);
        if (f.proof) fast_rank = (*f.proof)->rank;
        if (e.proof) exact_rank = (*e.proof)->rank;
        decision = f.decision;
    }
    REQUIRE(decision != Decision::refuted);
    if (fast_rank >= 0) REQUIRE(fast_rank == exact_rank);
    ++(fast_rank >= 0 ? tally.fast : (exact_rank >= 0 ? tally.exact : tally.neither));
}

/// Where the exact checker's proofs of this witness end.
template <class Witness>
std::optional<Rational> edge_of(Checker& checker, const Witness& w) {
    if constexpr (std::is_convertible_v<Witness, LowerWitness>)
        return checker.lower_reach(w);
    else
        return checker.upper_reach(w);
}

/// Witnesses and mutants of them, at and beside their edge.
template <class Make>
void compare_many(unsigned seed, int matrices, int mutants, const Make& make) {
    Random random(seed);
    Tally at_edge, clear, mutant;
    for (int round = 0; round < matrices; ++round) {
        const Index m = 1 + index_below(12, random);
        const Index n = 1 + index_below(12, random);
        const MatrixXd a = random_attention(m, n, random() % 2 == 0, random);
        const Subject subject{std::nullopt, ExactMatrix::from_double(a)};
        const auto fast = detail::make_fast_checker(subject);
        const auto exact = detail::make_exact_checker(subject);
        const auto w = make(a, 1 + index_below(std::min(m, n), random), random);
        if (!w) continue;
        const std::optional<Rational> edge = edge_of(*exact, *w);
        constexpr bool is_lower = std::is_convertible_v<decltype(*w), LowerWitness>;
        if (edge) {
            for (const long e : {-60, -52, -50, -48, -46, -44})
                for (const int sign : {-1, 0, 1})
                    compare(*fast, *exact, *w, *edge * (1 + sign * power(e)), at_edge);
            // Well inside, the fast checker must succeed: its bounds are worth n u times the size of the
            // witness.
            compare(*fast, *exact, *w,
                    *edge * (is_lower ? 1 - power(-14) : 1 + power(-14)) + (is_lower ? 0 : power(-40)),
                    clear);
        }
        for (int k = 0; k < mutants; ++k) {
            auto other = test::mutant(*w, random, mutated);
            if (random() % 4 == 0) other = test::mutant(other, random, mutated);
            const Rational base = edge.value_or(Rational(1, 4));
            const std::optional<Rational> own = edge_of(*exact, other);
            compare(*fast, *exact, other, base, mutant);
            if (own)
                compare(*fast, *exact, other, *own * (1 + (static_cast<long>(random() % 3) - 1) * power(-50)),
                        mutant);
            if (own)
                compare(*fast, *exact, other, *own * (is_lower ? Rational(3, 4) : Rational(5, 4)), mutant);
        }
    }
    MESSAGE("edge: " << at_edge.fast << " fast, " << at_edge.exact << " exact only, " << at_edge.neither
                     << " neither; clear: " << clear.fast << " fast, " << clear.exact
                     << " exact only; mutants: " << mutant.fast << " fast, " << mutant.exact
                     << " exact only, " << mutant.neither << " neither");
    CHECK(at_edge.exact > 0);  // the edge is where they differ
    CHECK(clear.fast > 30 * clear.exact);
    CHECK(mutant.fast > 200);
    CHECK(mutant.neither > 200);
}

Head small_head(Index n, Index d, double scale, bool causal, Random& random) {
    const auto entries = [&](Index rows) {
        MatrixXd x(rows, d);
        for (Index k = 0; k < x.size(); ++k)
            x.data()[k] = std::ldexp(std::round(256 * scale * (2 * unit_double(random) - 1)), -8);
        return ExactMatrix::from_double(x);
    };
    Head head;
    head.query = entries(n);
    head.key = entries(n);
    if (causal) head.mask.kind = MaskKind::causal;
    return head;
}

ExactMatrix single(double x) { return ExactMatrix::from_double(MatrixXd::Constant(1, 1, x)); }

}  // namespace

TEST_CASE("fixed spaces: what is proved fast is proved exactly, and nearly everything is proved fast") {
    compare_many(1, 150, 20, make_fixed_space);
}
TEST_CASE("Neumann: what is proved fast is proved exactly, and nearly everything is proved fast") {
    compare_many(2, 150, 20, make_neumann);
}
TEST_CASE("Eckart–Young: what is proved fast is proved exactly, and nearly everything is proved fast") {
    compare_many(3, 150, 20, [](const MatrixXd& a, Index k, Random& random) {
        return make_eckart_young(a, k - 1, random);
    });
}
TEST_CASE("factors: what is proved fast is proved exactly, and nearly everything is proved fast") {
    compare_many(4, 150, 20, [](const MatrixXd& a, Index r, Random& random) {
        return std::optional(make_factors(a, r, random));
    });
}
TEST_CASE(
    "representative rows: what is proved fast is proved exactly, and nearly everything is proved fast") {
    compare_many(5, 150, 20, [](const MatrixXd& a, Index r, Random& random) {
        return std::optional(make_rows(a, r, random));
    });
}

TEST_CASE("equality where a theorem is strict is never proved fast") {
    const auto identity = [](Index n) { return ExactMatrix::identity(n); };
    for (const Index n : {1, 2, 7, 64}) {
        const Subject subject{std::nullopt, identity(n)};
        const auto fast = detail::make_fast_checker(subject);
        std::vector<Index> pivots(static_cast<std::size_t>(n));
        std::iota(pivots.begin(), pivots.end(), Index{0});
        const FixedSpaceWitness space{identity(n), identity(n), pivots};
        const NeumannWitness neumann{identity(n), identity(n), identity(n)};
        for (const LowerWitness& w : {LowerWitness(space), LowerWitness(neumann)}) {
            CHECK(fast->prove_rank_at_least(w, 1).decision == Decision::undecided);
            CHECK(fast->prove_rank_at_least(w, 1 - power(-53)).decision == Decision::undecided);
            const auto verdict = fast->prove_rank_at_least(w, 1 - power(-30));
            REQUIRE(verdict.proof);
            CHECK((*verdict.proof)->rank == n);
        }
    }
    // [1] with s = G = 1, r = 0: the tail is 1, which is not above ε² at ε = 1.
    const Subject one{std::nullopt, single(1)};
    const auto fast = detail::make_fast_checker(one);
    EckartYoungWitness w{0,         single(1),         single(1),        GramSide::rows,
                         single(1), ExactMatrix(1, 0), ExactMatrix(1, 0)};
    CHECK(fast->prove_rank_at_least(w, 1).decision == Decision::undecided);
    CHECK(fast->prove_rank_at_least(w, 1 - power(-40)).decision == Decision::proved);
    w.row_weights = single(1 + 0x1p-52);  // Σ s² ≤ 1 fails by the least that a double can
    CHECK(fast->prove_rank_at_least(w, Rational(1, 2)).decision == Decision::undecided);
    w.row_weights = single(1);
    w.grouping = single(1 + 0x1p-52);
    CHECK(fast->prove_rank_at_least(w, Rational(1, 2)).decision == Decision::undecided);
    NeumannWitness large{single(1 + 0x1p-52), single(1), single(1)};
    CHECK(fast->prove_rank_at_least(large, Rational(1, 2)).decision == Decision::undecided);
    std::swap(large.selection, large.decoder);
    CHECK(fast->prove_rank_at_least(large, Rational(1, 2)).decision == Decision::undecided);
    FixedSpaceWitness off{single(1 + 0x1p-52), single(1), {0}};
    CHECK(fast->prove_rank_at_least(off, Rational(1, 2)).decision == Decision::undecided);
}

TEST_CASE("hostile rounding modes and flushed subnormals change nothing") {
    Random random(7);
    for (int round = 0; round < 20; ++round) {
        MatrixXd a = random_attention(9, 8, true, random);
        if (round % 2 == 0) a *= 0x1p-1040;  // subnormal entries
        const Subject subject{std::nullopt, ExactMatrix::from_double(a)};
        const auto space = make_fixed_space(a, 3, random);
        const auto tail = make_eckart_young(a, 2, random);
        const FactorWitness factors = make_factors(a, 4, random);
        const auto all = [&] {
            const auto fast = detail::make_fast_checker(subject);
            std::vector<std::optional<Rational>> reaches{fast->lower_reach(*tail),
                                                         fast->upper_reach(factors)};
            if (space) reaches.push_back(fast->lower_reach(*space));
            return reaches;
        };
        const auto reference = all();
        for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
            std::vector<std::optional<Rational>> there;
            {
                const tests::HostileEnvironment hostile(mode, true);
                there = all();
            }
            CHECK(there == reference);
        }
    }
}

TEST_CASE("what float64 cannot hold is undecided, not an error and not a proof") {
    const Subject subject{std::nullopt, ExactMatrix::identity(2)};
    const auto fast = detail::make_fast_checker(subject);
    const ExactMatrix huge = ExactMatrix::from_double(MatrixXd::Constant(2, 2, 1e300));
    const ExactMatrix fine = ExactMatrix::from_integers(2, 2, {(Integer(1) << 80) + 1, 0, 0, 1}, -80);
    const ExactMatrix one = ExactMatrix::identity(2);
    CHECK(fast->prove_rank_at_least(FixedSpaceWitness{one, fine, {0, 1}}, 0).decision == Decision::undecided);
    CHECK(fast->prove_rank_at_most(FactorWitness{huge, huge, 1}, 1).decision == Decision::undecided);
    CHECK(fast->prove_rank_at_most(FactorWitness{one, one, (Integer(1) << 80) + 1}, 1).decision ==
          Decision::undecided);
    CHECK(fast->prove_rank_at_least(NeumannWitness{one, one, huge}, 0).decision == Decision::undecided);
    EckartYoungWitness w{0, ExactMatrix(2, 1), one, GramSide::rows, single(0), huge, one};
    CHECK(fast->prove_rank_at_least(w, 0).decision == Decision::undecided);

    const Subject beyond{std::nullopt, ExactMatrix::from_integers(1, 1, {1}, 2000)};
    const auto blind = detail::make_fast_checker(beyond);
    CHECK(blind->prove_rank_at_least(FixedSpaceWitness{single(1), single(1), {0}}, 0).decision ==
          Decision::undecided);
    CHECK(blind->prove_rank_at_most(RepresentativeRowsWitness{{0}}, 0).decision == Decision::undecided);
    CHECK(blind->prove_rank_at_most(UpperRule::shape, 0).decision == Decision::proved);
    CHECK_THROWS_AS((void)fast->prove_rank_at_most(UpperRule::shape, -1), Error);
}

TEST_CASE("on softmax heads fast proves nothing that exact does not, at any precision of the centre") {
    Random random(8);
    Tally tally;
    for (int round = 0; round < 30; ++round) {
        const Head head =
            small_head(4 + index_below(10, random), 3, round % 3 == 0 ? 6 : 2, round % 2 == 0, random);
        for (const unsigned precision : {53U, 90U}) {
            const Subject subject{head, enclose_softmax(head, precision).centre};
            const MatrixXd a = subject.centre.estimate_double();
            const auto fast = detail::make_fast_checker(subject);
            const auto exact = detail::make_exact_checker(subject);
            CHECK(fast->rho() >= exact->rho());
            CHECK(fast->rho() < power(-36));
            const Index k = 1 + index_below(3, random);
            const auto beside = [&](const std::optional<Rational>& edge) {
                const Rational at = edge.value_or(Rational(1, 10));
                const Rational factors[] = {1, 1 - power(-44), 1 + power(-44), 1 - power(-20),
                                            1 + power(-20)};
                return Rational(at * factors[random() % 5]);
            };
            for (int k2 = 0; k2 < 4; ++k2) {
                if (const auto w = make_fixed_space(a, k, random))
                    compare(*fast, *exact, *w, beside(edge_of(*exact, *w)), tally);
                if (const auto w = make_neumann(a, k, random))
                    compare(*fast, *exact, *w, beside(edge_of(*exact, *w)), tally);
                if (const auto w = make_eckart_young(a, k, random))
                    compare(*fast, *exact, *w, beside(edge_of(*exact, *w)), tally);
                const FactorWitness factors = make_factors(a, k, random);
                compare(*fast, *exact, factors, beside(edge_of(*exact, factors)), tally);
                const RepresentativeRowsWitness rows = make_rows(a, k, random);
                compare(*fast, *exact, rows, beside(edge_of(*exact, rows)), tally);
            }
            for (const Rational& epsilon : {Rational(0), Rational(1, 4), Rational(1)}) {
                compare(*fast, *exact, LowerRule::nonzero, epsilon, tally);
                compare(*fast, *exact, LowerRule::support, epsilon, tally);
                compare(*fast, *exact, UpperRule::zero, epsilon, tally);
                compare(*fast, *exact, UpperRule::distinct_rows, epsilon, tally);
                const auto f = fast->prove_top_k_budget(epsilon);
                const auto e = exact->prove_top_k_budget(epsilon);
                REQUIRE(f.proof);
                REQUIRE(e.proof);
                CHECK((*f.proof)->lower <= (*e.proof)->lower);
                CHECK((*f.proof)->upper >= (*e.proof)->upper);
            }
        }
    }
    CHECK(tally.fast > 500);
}
