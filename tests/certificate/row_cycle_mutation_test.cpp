#include <doctest/doctest.h>

#include "certificate/exact_checker.hpp"
#include "certificate/fast_checker.hpp"
#include "certificate/row_cycles.hpp"

// Seeded mutants of valid row cycles against the oracle; and matrices whose rank is known to be smaller,
// where nothing may be proved whatever the witness.

using namespace rankcert;
using namespace rankcert::test;

namespace {

Subject matrix_subject(const ExactMatrix& a) { return {std::nullopt, a}; }

struct Tally {
    int proved = 0;
    int refuted = 0;
    int fast = 0;
};

void compare(const RowCycleWitness& w, const ExactMatrix& a, const Rational& epsilon, Tally& tally) {
    const Answer expected = oracle(w, widen(a), epsilon);
    const auto exact = detail::make_exact_checker(matrix_subject(a))->prove_rank_at_least(w, epsilon);
    REQUIRE(exact.decision == (expected.holds ? Decision::proved : Decision::refuted));
    if (expected.holds) REQUIRE((*exact.proof)->rank == expected.rank);
    const auto fast = detail::make_fast_checker(matrix_subject(a))->prove_rank_at_least(w, epsilon);
    REQUIRE(fast.decision != Decision::refuted);
    if (fast.proof) {
        REQUIRE(expected.holds);
        REQUIRE((*fast.proof)->rank == expected.rank);
        ++tally.fast;
    }
    ++(expected.holds ? tally.proved : tally.refuted);
}

}  // namespace

TEST_CASE("exact, fast and oracle agree on row cycles and their mutants") {
    std::mt19937_64 random(51);
    Tally valid, mutants;
    for (int round = 0; round < 150; ++round) {
        const Index k = 2 + static_cast<Index>(below(3, random));
        const auto m = static_cast<std::size_t>(k) + below(4, random);
        const ExactMatrix a = random_matrix(m, m + below(4, random), (random() & 1) != 0, random);
        const auto w =
            with_vectors(random_cycle(k, static_cast<Index>(m), static_cast<int>(below(5, random)), random),
                         a.to_double(), 14);
        if (!w) continue;
        const Rational value = least_product(*w, widen(a));
        if (!(value > 0)) continue;
        const Rational below_value = value * Rational(4095, 4096);
        compare(*w, a, below_value, valid);
        compare(*w, a, value, mutants);
        for (int change = 0; change < 12; ++change) {
            RowCycleWitness x = mutant(*w, static_cast<Index>(m), random);
            if (random() % 4 == 0) x = mutant(x, static_cast<Index>(m), random);
            compare(x, a, (random() & 1) != 0 ? below_value : Rational(value / 2), mutants);
        }
    }
    CHECK(valid.proved > 80);
    CHECK(valid.refuted == 0);
    CHECK(valid.fast == valid.proved);
    CHECK(mutants.refuted > 500);
    CHECK(mutants.proved > 60);  // some changes of a vector harm nothing
}

TEST_CASE("no row cycle and no mutant of one proves more than a rank that is known") {
    // A = X Y + E with X of k − 1 columns and ‖E‖ ≤ e: r_e(A) ≤ k − 1. The vectors come from A itself, where
    // noise makes every A_I regular, so for t a little below e only the theorem stands in the way.
    std::mt19937_64 random(52);
    int tried = 0, open_sets = 0;
    for (int round = 0; round < 120; ++round) {
        const Index k = 2 + static_cast<Index>(below(3, random));
        const Index m = k + static_cast<Index>(below(4, random)), n = m + 2;
        Eigen::MatrixXd x(m, k - 1), y(k - 1, n), e(m, n);
        const auto small = [&] { return static_cast<double>(below(33, random)) - 16; };
        x = x.unaryExpr([&](double) { return small(); });
        y = y.unaryExpr([&](double) { return small(); });
        e = e.unaryExpr([&](double) { return small() / 64; });
        const ExactMatrix a = ExactMatrix::from_double(x * y + e);
        const Rational noise = ExactMatrix::from_double(e).norm();
        const auto family = random_cycle(k, m, static_cast<int>(below(6, random)), random);
        auto w = with_vectors(family, a.to_double(), 20);
        if (!w) continue;
        const Subject subject = matrix_subject(a);
        const auto exact = detail::make_exact_checker(subject);
        const auto fast = detail::make_fast_checker(subject);
        // Only the sets whose products are above e: what is left must not be a cycle.
        RowCycleWitness kept = *w;
        kept.sets.clear();
        std::vector<Index> vectors;
        for (SignedRowSet set : w->sets) {
            RowCycleWitness alone = *w;
            alone.sets = {set};
            if (!(least_product(alone, widen(a)) > noise)) continue;
            vectors.push_back(set.vector);
            set.vector = static_cast<Index>(vectors.size()) - 1;
            kept.sets.push_back(set);
        }
        kept.vectors = w->vectors.select_rows(vectors);
        open_sets += static_cast<int>(kept.sets.size());
        CHECK(exact->prove_rank_at_least(kept, noise).decision == Decision::refuted);
        CHECK(fast->prove_rank_at_least(kept, noise).decision == Decision::undecided);
        for (int change = 0; change < 20; ++change) {
            const RowCycleWitness& from = change % 2 == 0 ? *w : kept;
            const RowCycleWitness mutated = change == 0 ? from : mutant(from, m, random);
            const auto said = exact->prove_rank_at_least(mutated, noise);
            if (said.proof) CHECK((*said.proof)->rank < k);  // a mutant may speak of a smaller rank
            const auto quick = fast->prove_rank_at_least(mutated, noise);
            if (quick.proof) CHECK((*quick.proof)->rank < k);
            ++tried;
        }
    }
    CHECK(tried > 1500);
    CHECK(open_sets > 100);  // many sets alone are above e
}
