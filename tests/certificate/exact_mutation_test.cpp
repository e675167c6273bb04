#include <doctest/doctest.h>

#include "certificate/exact_checker.hpp"
#include "certificate/exact_mutants.hpp"
#include "certificate/exact_witnesses.hpp"

// Valid witnesses of random small matrices, their tolerance at or beside the very edge of what they prove,
// and mutants of all of these: each verdict is compared with the oracle's. The matrix is exact, so nothing
// may be undecided.

using namespace rankcert;
using namespace rankcert::test;

namespace {

struct Tally {
    int proved = 0;
    int refuted = 0;
};

Rational beside(const Rational& edge, std::mt19937_64& random) {
    switch (random() % 5) {
        case 0:
            return edge;
        case 1:
            return edge * (1 - two_to(-50));
        case 2:
            return edge * (1 + two_to(-50));
        case 3:
            return edge / 2;
        default:
            return Rational(static_cast<long>(random() % 128), 64);
    }
}

template <class Witness>
constexpr bool kIsLower = std::is_constructible_v<LowerWitness, Witness>;

template <class Witness>
Rational reach(Checker& checker, const Witness& witness) {
    if constexpr (kIsLower<Witness>)
        return checker.lower_reach(witness).value_or(0);
    else
        return checker.upper_reach(witness).value_or(0);
}

template <class Witness>
void compare_lower(Checker& checker, const Shaped& a, const Witness& w, const Rational& eps, Tally& tally) {
    const Answer expected = oracle(w, a, eps);
    const auto verdict = checker.prove_rank_at_least(w, eps);
    REQUIRE((verdict.decision == Decision::proved) == expected.holds);
    REQUIRE(verdict.decision != Decision::undecided);
    if (expected.holds) REQUIRE((*verdict.proof)->rank == expected.rank);
    // What is proved is true: never more than the exact rank, and full rank only short of the singular
    // matrices.
    if (expected.holds) {
        REQUIRE(static_cast<std::size_t>(expected.rank) <= rank_of(a));
        if (a.rows == a.cols && static_cast<std::size_t>(expected.rank) == a.rows)
            REQUIRE(eps < 1 / largest_row(*inverse(a)));
    }
    ++(expected.holds ? tally.proved : tally.refuted);
}

template <class Witness>
void compare_upper(Checker& checker, const Shaped& a, const Witness& w, const Rational& eps, Tally& tally) {
    const Answer expected = oracle(w, a, eps);
    const auto verdict = checker.prove_rank_at_most(w, eps);
    REQUIRE((verdict.decision == Decision::proved) == expected.holds);
    REQUIRE(verdict.decision != Decision::undecided);
    if (expected.holds) {
        REQUIRE((*verdict.proof)->rank == expected.rank);
        if (a.rows == a.cols && static_cast<std::size_t>(expected.rank) < a.rows)
            if (const auto inverted = inverse(a)) REQUIRE(eps >= 1 / largest_row(*inverted));
        if (eps == 0) REQUIRE(static_cast<std::size_t>(expected.rank) >= rank_of(a));
    }
    ++(expected.holds ? tally.proved : tally.refuted);
}

template <class Witness>
void compare(Checker& checker, const Shaped& a, const Witness& w, const Rational& eps, Tally& tally) {
    if constexpr (kIsLower<Witness>)
        compare_lower(checker, a, w, eps, tally);
    else
        compare_upper(checker, a, w, eps, tally);
}

/// `make` makes a witness of a matrix for a rank, or nothing.
template <class Make>
void mutate(unsigned seed, int matrices, int mutants, const Make& make) {
    std::mt19937_64 random(seed);
    Tally tally;
    for (int round = 0; round < matrices; ++round) {
        const std::size_t m = 1 + below(6, random), n = 1 + below(6, random);
        const ExactMatrix a = random_matrix(m, n, (random() & 1) != 0, random);
        const Shaped table = widen(a);
        const auto checker = detail::make_exact_checker({std::nullopt, a});
        const auto w = make(a, table, 1 + below(std::min(m, n), random), random);
        if (!w) continue;
        const Rational edge = reach(*checker, *w);
        for (int k = 0; k < 5; ++k) compare(*checker, table, *w, beside(edge, random), tally);
        for (int k = 0; k < mutants; ++k) {
            auto other = mutant(*w, random);
            if (random() % 4 == 0) other = mutant(other, random);
            compare(*checker, table, other, beside(edge, random), tally);
        }
    }
    MESSAGE(tally.proved << " proved, " << tally.refuted << " refuted");
    CHECK(10 * tally.proved > tally.refuted);
    CHECK(10 * tally.refuted > tally.proved);
}

}  // namespace

TEST_CASE("mutants of fixed-space witnesses are judged as the oracle judges them") {
    mutate(1, 300, 12, [](const ExactMatrix&, const Shaped& a, std::size_t k, std::mt19937_64& random) {
        return fixed_space(a, k, random);
    });
}

TEST_CASE("mutants of Neumann witnesses are judged as the oracle judges them") {
    mutate(2, 300, 12, [](const ExactMatrix&, const Shaped& a, std::size_t k, std::mt19937_64& random) {
        return neumann(a, k, random);
    });
}

TEST_CASE("mutants of Eckart–Young witnesses are judged as the oracle judges them") {
    mutate(3, 250, 12, [](const ExactMatrix& a, const Shaped&, std::size_t k, std::mt19937_64& random) {
        return std::optional(eckart_young(a, k - 1, random));
    });
}

TEST_CASE("mutants of factor witnesses are judged as the oracle judges them") {
    mutate(4, 300, 12, [](const ExactMatrix& a, const Shaped&, std::size_t r, std::mt19937_64& random) {
        return std::optional(factors(a, r, random));
    });
}

TEST_CASE("mutants of representative rows are judged as the oracle judges them") {
    mutate(5, 300, 12, [](const ExactMatrix& a, const Shaped&, std::size_t r, std::mt19937_64& random) {
        RepresentativeRowsWitness w;
        for (Index i = 0; i < a.rows(); ++i) w.representative.push_back(static_cast<Index>(below(r, random)));
        return std::optional(w);
    });
}

namespace {

// A small head with integer queries and keys, its centre on a grid that may be coarse.
Subject random_head(std::mt19937_64& random) {
    const auto integers = [&](std::size_t rows, std::size_t cols) {
        std::vector<Integer> values;
        for (std::size_t at = 0; at < rows * cols; ++at)
            values.push_back(static_cast<long>(random() % 9) - 4);
        return ExactMatrix::from_integers(static_cast<Index>(rows), static_cast<Index>(cols), values, -1);
    };
    const std::size_t m = 1 + below(4, random), n = m + below(3, random), d = 1 + below(3, random);
    Head head;
    head.query = integers(m, d);
    head.key = integers(n, d);
    head.scale.sqrt_of = 1 + below(3, random);
    if ((random() & 1) != 0) head.mask.kind = MaskKind::causal;
    if (random() % 4 == 0) head.multiplier_high = 1 + two_to(-12);
    const unsigned precision = random() % 2 == 0 ? 12 : 53;
    return {head, enclose_softmax(head, precision).centre};
}

// With ρ known only between bounds, the oracle says what must be proved, what must be refuted, and what may
// be either.
struct Expected {
    bool surely = false;
    bool possibly = false;
};

void compare(const Expected& expected, Decision decision, Tally& tally) {
    if (expected.surely) REQUIRE(decision == Decision::proved);
    if (!expected.possibly) REQUIRE(decision == Decision::refuted);
    tally.proved += decision == Decision::proved ? 1 : 0;
    tally.refuted += decision == Decision::refuted ? 1 : 0;
}

template <class Witness>
void mutate_on_head(const Subject& subject, const ErrorBounds& rho, Checker& checker, const Witness& witness,
                    std::mt19937_64& random, Tally& tally) {
    constexpr bool lower = kIsLower<Witness>;
    const Shaped a = widen(subject.centre);
    const Rational edge = reach(checker, witness);
    for (int k = 0; k < 8; ++k) {
        const Witness w = k < 3 ? witness : mutant(witness, random);
        Rational eps = beside(edge, random);
        if (random() % 3 == 0) eps += lower ? Rational(-rho.upper) : rho.upper;
        if (eps < 0) eps = 0;
        if constexpr (lower)
            compare({oracle(w, a, eps + rho.upper).holds, oracle(w, a, eps + rho.lower).holds},
                    checker.prove_rank_at_least(w, eps).decision, tally);
        else
            compare({oracle(w, a, eps - rho.upper).holds, oracle(w, a, eps - rho.lower).holds},
                    checker.prove_rank_at_most(w, eps).decision, tally);
    }
}

}  // namespace

TEST_CASE("mutants on softmax heads are judged with the error of the centre on the safe side") {
    std::mt19937_64 random(8);
    Tally below_edge, above_edge;
    for (int round = 0; round < 150; ++round) {
        const Subject subject = random_head(random);
        const auto checker = detail::make_exact_checker(subject);
        const ErrorBounds rho = enclose_softmax_error(*subject.head, subject.centre, 128);
        const Shaped a = widen(subject.centre);
        const std::size_t k = 1 + below(std::min(a.rows, a.cols), random);
        if (const auto w = fixed_space(a, k, random))
            mutate_on_head(subject, rho, *checker, *w, random, below_edge);
        if (const auto w = neumann(a, k, random))
            mutate_on_head(subject, rho, *checker, *w, random, below_edge);
        mutate_on_head(subject, rho, *checker, eckart_young(subject.centre, k - 1, random), random,
                       below_edge);
        mutate_on_head(subject, rho, *checker, factors(subject.centre, k, random), random, above_edge);
        RepresentativeRowsWitness p;
        for (std::size_t i = 0; i < a.rows; ++i)
            p.representative.push_back(static_cast<Index>(below(k, random)));
        mutate_on_head(subject, rho, *checker, p, random, above_edge);
    }
    for (const Tally& tally : {below_edge, above_edge}) {
        MESSAGE(tally.proved << " proved, " << tally.refuted << " refuted");
        CHECK(10 * tally.proved > tally.refuted);
        CHECK(10 * tally.refuted > tally.proved);
    }
}

TEST_CASE("a Gram matrix of the wrong side never proves more than the rank allows") {
    // Square shapes, where the sides fit each other's factors.
    std::mt19937_64 random(6);
    for (int round = 0; round < 200; ++round) {
        const std::size_t n = 2 + below(4, random);
        const ExactMatrix a = random_matrix(n, n, false, random);
        EckartYoungWitness w = eckart_young(a, below(n, random), random);
        w.grouping = ExactMatrix::identity(static_cast<Index>(n));
        w.side = w.side == GramSide::rows ? GramSide::columns : GramSide::rows;
        const auto checker = detail::make_exact_checker({std::nullopt, a});
        Tally tally;
        compare_lower(*checker, widen(a), w, 0, tally);
    }
}
