#include <doctest/doctest.h>

#include "certificate/decide.hpp"
#include "certificate/exact_checker.hpp"
#include "exact_oracle.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::test;

namespace {

ExactMatrix integers(Index rows, Index cols, std::vector<Integer> values, long exponent = 0) {
    return ExactMatrix::from_integers(rows, cols, std::move(values), exponent);
}

std::unique_ptr<Checker> checker_of(const ExactMatrix& a) {
    return detail::make_exact_checker({std::nullopt, a});
}

std::vector<Index> first_indices(Index n) {
    std::vector<Index> result;
    for (Index i = 0; i < n; ++i) result.push_back(i);
    return result;
}

FixedSpaceWitness whole_space(const ExactMatrix& inverse) {
    const Index n = inverse.rows();
    return {ExactMatrix::identity(n), inverse, first_indices(n)};
}

const Rational kJustBelow = 1 - two_to(-40);
const Rational kJustAbove = 1 + two_to(-40);

Decision lower(Checker& c, const LowerWitness& w, const Rational& eps) {
    const auto verdict = c.prove_rank_at_least(w, eps);
    CHECK(verdict.proof.has_value() == (verdict.decision == Decision::proved));
    CHECK_FALSE(verdict.reason.empty());
    return verdict.decision;
}

Decision upper(Checker& c, const UpperWitness& w, const Rational& eps) {
    const auto verdict = c.prove_rank_at_most(w, eps);
    CHECK(verdict.proof.has_value() == (verdict.decision == Decision::proved));
    CHECK_FALSE(verdict.reason.empty());
    return verdict.decision;
}

}  // namespace

TEST_CASE("the identity is proved of full rank below one and not at one") {
    for (const Index n : {1, 2, 7}) {
        const auto one = ExactMatrix::identity(n);
        const auto c = checker_of(one);
        const FixedSpaceWitness fixed = whole_space(one);
        const NeumannWitness neumann{one, one, one};
        for (const LowerWitness& w : {LowerWitness(fixed), LowerWitness(neumann)}) {
            CHECK(lower(*c, w, 0) == Decision::proved);
            CHECK(lower(*c, w, kJustBelow) == Decision::proved);
            CHECK((*c->prove_rank_at_least(w, kJustBelow).proof)->rank == n);
            CHECK((*c->prove_rank_at_least(w, kJustBelow).proof)->epsilon == kJustBelow);
            CHECK(lower(*c, w, 1) == Decision::refuted);
            CHECK(lower(*c, w, kJustAbove) == Decision::refuted);
            CHECK(c->lower_reach(w) == Rational(1));
        }
        CHECK(upper(*c, UpperRule::zero, 1) == Decision::proved);
        CHECK(upper(*c, UpperRule::zero, kJustBelow) == Decision::refuted);
        CHECK(lower(*c, LowerRule::nonzero, kJustBelow) == Decision::proved);
        CHECK(lower(*c, LowerRule::nonzero, 1) == Decision::refuted);
    }
}

TEST_CASE("a tail that equals the square of the tolerance proves nothing") {
    const auto one = ExactMatrix::identity(1);
    const auto c = checker_of(one);
    for (const GramSide side : {GramSide::rows, GramSide::columns}) {
        EckartYoungWitness w{0, one, one, side, one, ExactMatrix(1, 0), ExactMatrix(1, 0)};
        CHECK(lower(*c, w, 1) == Decision::refuted);
        CHECK(lower(*c, w, kJustBelow) == Decision::proved);
        CHECK(lower(*c, w, 0) == Decision::proved);
        CHECK((*c->prove_rank_at_least(w, 0).proof)->rank == 1);
        w.threshold = integers(1, 1, {-1});
        CHECK(lower(*c, w, 0) == Decision::refuted);
        // t = −3, L = 2, r = 2: E = 0 and 1 + 6 − 4 = 3 > 0, a bound of 3 for a 1×1 matrix but for the sign
        // of t.
        EckartYoungWitness negative = w;
        negative.threshold = integers(1, 1, {-3});
        negative.large_factor = integers(1, 1, {2});
        negative.rank = 2;
        CHECK(lower(*c, negative, 0) == Decision::refuted);
        w.threshold = ExactMatrix(1, 1);
        CHECK(lower(*c, w, 0) == Decision::refuted);  // δ = 1 eats the trace
        w.threshold = one;
        w.rank = 1;
        CHECK(lower(*c, w, 0) == Decision::refuted);  // r = p: nothing is left
        w.rank = -1;
        CHECK(lower(*c, w, 0) == Decision::refuted);
        w.rank = std::numeric_limits<Index>::max();
        CHECK(lower(*c, w, 0) == Decision::refuted);
    }
}

TEST_CASE("weights and groups of norm one are allowed and of more are refused") {
    // 2 I_2 with s = (3/5, 4/5) is not dyadic; s = (1, 0) is: K K^T = diag(4, 0).
    const auto a = ExactMatrix::identity(2).scale(2);
    const auto c = checker_of(a);
    EckartYoungWitness w;
    w.row_weights = integers(2, 1, {1, 0});
    w.grouping = ExactMatrix::identity(2);
    w.threshold = integers(1, 1, {4});
    w.large_factor = ExactMatrix(2, 0);
    w.small_factor = integers(2, 1, {0, 2});  // 4 I − diag(4, 0) = C C^T
    CHECK(lower(*c, w, 2 * kJustBelow) == Decision::proved);
    CHECK(lower(*c, w, 2) == Decision::refuted);
    CHECK(*c->lower_reach(w) == 2);  // the root is rounded down, and this one is exact
    auto heavy = w;
    heavy.row_weights = integers(2, 1, {Integer(1) << 40, 1}, -40);
    CHECK(lower(*c, heavy, 0) == Decision::refuted);
    heavy = w;
    heavy.grouping = integers(2, 2, {Integer(1) << 40, 1, 0, Integer(1) << 40}, -40);
    CHECK(lower(*c, heavy, 0) == Decision::refuted);
    heavy = w;
    heavy.small_factor = integers(3, 1, {0, 2, 0});
    CHECK(lower(*c, heavy, 0) == Decision::refuted);
}

TEST_CASE("an approximation whose error equals the tolerance is proved") {
    const auto a = integers(2, 2, {4, 0, 1, 3}, -2);
    const auto c = checker_of(a);
    // U V = [[1, 0], [1, 0]] / 1: errors 0 and 3/4 + 3/4.
    const FactorWitness f{integers(2, 1, {1, 1}), integers(1, 2, {1, 0}), 1};
    CHECK(c->upper_reach(f) == Rational(3, 2));
    CHECK(upper(*c, f, Rational(3, 2)) == Decision::proved);
    CHECK(upper(*c, f, Rational(3, 2) * kJustBelow) == Decision::refuted);
    const RepresentativeRowsWitness rows{{0, 0}};
    CHECK(upper(*c, rows, Rational(3, 2)) == Decision::proved);
    CHECK((*c->prove_rank_at_most(rows, 2).proof)->rank == 1);
    CHECK(upper(*c, rows, Rational(3, 2) * kJustBelow) == Decision::refuted);
    CHECK(upper(*c, RepresentativeRowsWitness{{0, 1}}, 0) == Decision::proved);
    CHECK(upper(*c, RepresentativeRowsWitness{{0, 2}}, 9) == Decision::refuted);
    CHECK(upper(*c, RepresentativeRowsWitness{{-1, 0}}, 9) == Decision::refuted);
    CHECK(upper(*c, RepresentativeRowsWitness{{0}}, 9) == Decision::refuted);
    // thirds, which no double holds: [[1/3, 0], [0, 0]] = [1, 0]^T [1, 0] / 3
    const auto third = FactorWitness{integers(2, 1, {1, 0}), integers(1, 2, {1, 0}), 3};
    CHECK(checker_of(integers(2, 2, {1, 0, 0, 0}, 0))->upper_reach(third) == Rational(2, 3));
    for (const int bad : {0, -3}) {
        auto w = third;
        w.denominator = bad;
        CHECK(upper(*c, w, 100) == Decision::refuted);
    }
    const FactorWitness none{ExactMatrix(2, 0), ExactMatrix(0, 2), 1};  // rank 0
    CHECK(upper(*c, none, 1) == Decision::proved);
    CHECK((*c->prove_rank_at_most(none, 1).proof)->rank == 0);
    CHECK(upper(*c, none, kJustBelow) == Decision::refuted);
}

TEST_CASE("the matrix [[1, 0], [1 - a, a]] changes rank at a / (2 - a)") {
    for (const Rational& a : {Rational(1, 2), Rational(3, 8), to_rational(1e-3), Rational(1)}) {
        const Shaped table{2, 2, {{Rational(1), Rational(0)}, {1 - a, a}}};
        const ExactMatrix matrix = on_grid(table, 80);  // the double 1e-3 is a multiple of 2^−62
        REQUIRE(matrix(1, 1) == a);
        const Rational threshold = a / (2 - a);
        const auto c = checker_of(matrix);
        const auto w = whole_space(on_grid(*inverse(table), 120));
        CHECK(lower(*c, w, threshold * kJustBelow) == Decision::proved);
        CHECK(lower(*c, w, threshold) == Decision::refuted);
        CHECK(lower(*c, w, threshold * kJustAbove) == Decision::refuted);
        // B = A − y e_0^T or e_1^T of the nearest singular matrix: B x = 0 with x = A⁻¹ y, x_i = 1, row i
        // = 1. x = (x_0, 1), x_0 = −a/(2 − a) … so column 1 of B is −x_0 times column 0, which A and B share.
        const Rational x0 = -threshold;
        const Integer denominator = boost::multiprecision::denominator(x0);
        const FactorWitness f{matrix.select_cols({0}), integers(1, 2, {denominator, Integer(-numerator(x0))}),
                              denominator};
        CHECK(c->upper_reach(f) == threshold);
        CHECK(upper(*c, f, threshold) == Decision::proved);
        CHECK(upper(*c, f, threshold * kJustBelow) == Decision::refuted);
    }
}

TEST_CASE("side conditions of the space are checked exactly") {
    const auto a = ExactMatrix::identity(3);
    const auto c = checker_of(a);
    FixedSpaceWitness w{a.select_cols({0, 2}), a, {0, 2}};
    CHECK(lower(*c, w, Rational(1, 2)) == Decision::proved);
    for (const std::vector<Index>& pivots :
         {std::vector<Index>{0, 1}, {2, 0}, {0, 0}, {0, 3}, {0, -1}, {0}, {0, 1, 2}, {}}) {
        auto bad = w;
        bad.pivots = pivots;
        CHECK(lower(*c, bad, 0) == Decision::refuted);
    }
    auto bad = w;
    bad.basis = integers(3, 2, {Integer(1) << 60, 1, 0, 0, 0, Integer(1) << 60}, -60);
    CHECK(lower(*c, bad, 0) == Decision::refuted);
    bad = w;
    bad.inverse = ExactMatrix::identity(2);
    CHECK(lower(*c, bad, 0) == Decision::refuted);
    NeumannWitness n{a, a, a};
    n.selection =
        integers(3, 3, {Integer(1) << 60, 1, 0, 0, Integer(1) << 60, 0, 0, 0, Integer(1) << 60}, -60);
    CHECK(lower(*c, n, 0) == Decision::refuted);
    n = {a, a.scale(2), a};
    CHECK(lower(*c, n, 0) == Decision::refuted);
    n = {a, a.scale(-1), a.scale(-1)};
    CHECK(lower(*c, n, Rational(1, 2)) == Decision::proved);
    n = {a, a, ExactMatrix::identity(2)};
    CHECK(lower(*c, n, 0) == Decision::refuted);
}

TEST_CASE("rules hold where they should") {
    const auto a = integers(3, 4, {2, 0, 0, 0, 1, 0, 1, 0, 2, 0, 0, 0}, -1);  // rank 2, two equal rows
    const auto c = checker_of(a);
    CHECK((*c->prove_rank_at_least(LowerRule::exact_rank, 0).proof)->rank == 2);
    CHECK(lower(*c, LowerRule::exact_rank, two_to(-1000)) == Decision::refuted);
    CHECK((*c->prove_rank_at_least(LowerRule::support, 0).proof)->rank == 2);
    CHECK(lower(*c, LowerRule::support, two_to(-1000)) == Decision::refuted);
    CHECK((*c->prove_rank_at_most(UpperRule::exact_rank, 0).proof)->rank == 2);
    CHECK((*c->prove_rank_at_most(UpperRule::distinct_rows, 0).proof)->rank == 2);
    CHECK((*c->prove_rank_at_most(UpperRule::shape, 0).proof)->rank == 3);
    CHECK(lower(*c, LowerRule::nonzero, kJustBelow) == Decision::proved);
    CHECK(lower(*c, LowerRule::nonzero, 1) == Decision::refuted);
    CHECK(upper(*c, UpperRule::zero, 1) == Decision::proved);
    CHECK(upper(*c, UpperRule::zero, kJustBelow) == Decision::refuted);
    CHECK(c->lower_reach(LowerRule::support) == Rational(0));
    CHECK(c->lower_reach(LowerRule::nonzero) == Rational(1));
    CHECK(c->upper_reach(UpperRule::shape) == Rational(0));
    CHECK(c->rho() == 0);
    CHECK_THROWS_AS((void)lower(*c, LowerRule::nonzero, -1), Error);
    CHECK_THROWS_AS((void)upper(*c, UpperRule::shape, Rational(-1, 1000000)), Error);
    CHECK_THROWS_AS((void)c->prove_top_k_budget(-1), Error);
}

TEST_CASE("a matrix of zeros has rank zero at every tolerance") {
    const auto c = checker_of(ExactMatrix(2, 3));
    CHECK(upper(*c, UpperRule::zero, 0) == Decision::proved);
    CHECK(lower(*c, LowerRule::nonzero, 0) == Decision::refuted);
    CHECK((*c->prove_rank_at_least(LowerRule::support, 0).proof)->rank == 0);
    CHECK_FALSE(c->lower_reach(LowerRule::nonzero).has_value());
}

TEST_CASE("the top-k budget counts exactly") {
    const auto c = checker_of(integers(2, 4, {8, 4, 3, 1, 16, 0, 0, 0}, -4));
    const auto budget = [&](const Rational& eps) {
        const auto verdict = c->prove_top_k_budget(eps);
        CHECK((*verdict.proof)->lower == (*verdict.proof)->upper);
        return (*verdict.proof)->upper;
    };
    CHECK(budget(0) == 4);
    CHECK(budget(Rational(1, 16)) == 3);  // equality carries
    CHECK(budget(Rational(1, 16) * kJustBelow) == 4);
    CHECK(budget(Rational(1, 4)) == 2);
    CHECK(budget(Rational(1, 2)) == 1);
    CHECK(budget(Rational(99, 100)) == 1);
    CHECK(budget(1) == 0);
}

TEST_CASE("a measure decides every tolerance and belongs to its checker") {
    const auto one = ExactMatrix::identity(2);
    const auto c = checker_of(one), other = checker_of(one);
    const auto measure = c->measure(LowerWitness(whole_space(one)));
    CHECK(measure->rank() == 2);
    for (int k = 0; k < 8; ++k)
        CHECK(c->decide(measure, Rational(k, 4)).decision == (k < 4 ? Decision::proved : Decision::refuted));
    CHECK_THROWS_AS((void)other->decide(measure, 0), std::logic_error);
    const auto above = c->measure(UpperWitness(RepresentativeRowsWitness{{0, 0}}));
    for (int k = 0; k < 12; ++k)
        CHECK(c->decide(above, Rational(k, 4)).decision == (k < 8 ? Decision::refuted : Decision::proved));
    CHECK_THROWS_AS((void)other->reach(above), std::logic_error);
}

TEST_CASE("the distance to the singular matrices is found from both sides on random matrices") {
    std::mt19937_64 random(17);
    int tried = 0;
    while (tried < 60) {
        const std::size_t n = 1 + below(6, random);
        const ExactMatrix a = random_matrix(n, n, (random() & 1) != 0, random);
        const Shaped table = widen(a);
        const auto inverted = inverse(table);
        if (!inverted) continue;
        ++tried;
        const Rational distance = 1 / largest_row(*inverted);
        const auto c = checker_of(a);
        const auto w = whole_space(on_grid(*inverted, 120));
        CHECK(lower(*c, w, distance * kJustBelow) == Decision::proved);
        CHECK(lower(*c, w, distance) == Decision::refuted);
        const NeumannWitness neumann{ExactMatrix::identity(static_cast<Index>(n)),
                                     ExactMatrix::identity(static_cast<Index>(n)), on_grid(*inverted, 120)};
        CHECK(lower(*c, neumann, distance * kJustBelow) == Decision::proved);
        CHECK(lower(*c, neumann, distance) == Decision::refuted);
        // The nearest singular matrix: x = A⁻¹ y, x_i = 1; column i of B is −Σ x_j (column j), j ≠ i.
        std::size_t i = 0;
        while (largest_row({1, n, {inverted->at[i]}}) != largest_row(*inverted)) ++i;
        Row x(n);
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = 0; q < n; ++q)
                x[p] += inverted->at[p][q] * distance * (inverted->at[i][q] < 0 ? -1 : 1);
        CHECK(x[i] == 1);
        Integer common = 1;
        for (const Rational& value : x) common = lcm(common, boost::multiprecision::denominator(value));
        std::vector<Index> others;
        std::vector<Integer> right;
        for (std::size_t p = 0; p < n; ++p) {
            if (p == i) continue;
            others.push_back(static_cast<Index>(p));
            for (std::size_t q = 0; q < n; ++q)
                right.push_back(q == p   ? common
                                : q == i ? numerator(Rational(-x[p] * Rational(common)))
                                         : Integer(0));
        }
        const FactorWitness f{a.select_cols(others),
                              integers(static_cast<Index>(n) - 1, static_cast<Index>(n), right), common};
        CHECK(c->upper_reach(f) == distance);
        CHECK(upper(*c, f, distance) == Decision::proved);
        CHECK(upper(*c, f, distance * kJustBelow) == Decision::refuted);
    }
}

TEST_CASE("between the bounds of the error nothing is decided") {
    const ErrorBounds rho{Rational(1, 8), Rational(1, 4)};
    const auto below = [&](const LowerMeasure& measure, const Rational& eps) {
        return detail::decide(measure, rho, eps).decision;
    };
    for (const LowerMeasure& measure :
         {LowerMeasure{LowerMeasure::Contraction{1, Rational(1, 2), Rational(1, 2)}, nullptr},
          LowerMeasure{LowerMeasure::Tail{1, Rational(1)}, nullptr}}) {  // both hold for ε + ρ < 1
        CHECK(below(measure, 0) == Decision::proved);
        CHECK(below(measure, Rational(3, 4) * kJustBelow) == Decision::proved);
        CHECK(below(measure, Rational(3, 4)) == Decision::undecided);
        CHECK(below(measure, Rational(7, 8) * kJustBelow) == Decision::undecided);
        CHECK(below(measure, Rational(7, 8)) == Decision::refuted);
        CHECK(detail::reach(measure, rho.upper) == Rational(3, 4));
        CHECK_THROWS_AS((void)below(measure, -1), Error);
    }
    const UpperMeasure error{UpperMeasure::Error{1, Rational(1, 2)}, nullptr};
    const auto above = [&](const Rational& eps) { return detail::decide(error, rho, eps).decision; };
    CHECK(above(Rational(3, 4)) == Decision::proved);
    CHECK(above(Rational(3, 4) * kJustBelow) == Decision::undecided);
    CHECK(above(Rational(5, 8)) == Decision::undecided);
    CHECK(above(Rational(5, 8) * kJustBelow) == Decision::refuted);
    CHECK(detail::reach(error, rho.upper) == Rational(3, 4));
}
