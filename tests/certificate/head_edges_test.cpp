#include <doctest/doctest.h>

#include "certificate/head_oracle.hpp"
#include "certificate/head_samples.hpp"

// Heads whose attention is known exactly, at the ε where an inequality holds with equality: lower bounds and
// their look-alikes stop short of it, upper bounds begin with it. Where the edge is that of the rank itself,
// a checker that erred by the least amount would prove something false.

using namespace rankcert;
using namespace rankcert::test;

namespace {

const Rational kPart = 1 / parse_rational("1e15");

Subject exactly(const Head& head) {
    const SoftmaxEnclosure enclosure = enclose_softmax(head, 53);
    REQUIRE(enclosure.error.upper == 0);
    return {head, enclosure.centre};
}

ExactMatrix ones(Index rows, Index cols) {
    return ExactMatrix::from_double(Eigen::MatrixXd::Ones(rows, cols));
}

ExactMatrix unit_row(Index cols) {
    Eigen::MatrixXd e = Eigen::MatrixXd::Zero(1, cols);
    e(0, 0) = 1;
    return ExactMatrix::from_double(e);
}

/// 1 = Σ_j of row 0, spread over all keys: rank at least 1 below ε = 1.
FixedSpaceWitness one_dimension(const Subject& subject) {
    return {ones(subject.cols(), 1), ones(subject.cols(), 1) * unit_row(subject.rows()), {0}};
}

/// The oracle's and both levels' word on a lower witness whose inequality is an equality at `edge`.
template <class Witness>
void check_lower_edge(const Subject& subject, const Witness& witness, Index rank, const Rational& edge) {
    HeadOracle oracle(*subject.head);
    const Shaped centre = widen(subject.centre);
    const Bounds error = oracle.error(centre);
    REQUIRE(error.high == 0);
    const auto exact = make_checker(subject, Level::exact), fast = make_checker(subject, Level::fast);
    for (const Rational& beyond : {edge, Rational(edge * (1 + kPart)), Rational(2 * edge)}) {
        CHECK_FALSE(expect(LowerWitness(witness), oracle, centre, error, beyond).possibly);
        CHECK(exact->prove_rank_at_least(witness, beyond).decision == Decision::refuted);
        CHECK(fast->prove_rank_at_least(witness, beyond).decision == Decision::undecided);
        CHECK(oracle.members().front().denies_at_least(rank, beyond));
    }
    const Rational below = edge * (1 - kPart);
    CHECK(expect(LowerWitness(witness), oracle, centre, error, below).surely);
    const auto verdict = exact->prove_rank_at_least(witness, below);
    REQUIRE(verdict.decision == Decision::proved);
    CHECK((*verdict.proof)->rank == rank);
    CHECK_FALSE(oracle.members().front().denies_at_least(rank, below));
    CHECK(fast->prove_rank_at_least(witness, edge * (1 - 100 * kPart)).decision == Decision::proved);
}

/// The same of an upper witness. The fast level's numbers may err by a few parts in 10^15.
template <class Witness>
void check_upper_edge(const Subject& subject, const Witness& witness, Index rank, const Rational& edge) {
    HeadOracle oracle(*subject.head);
    const Shaped centre = widen(subject.centre);
    const Bounds error = oracle.error(centre);
    REQUIRE(error.high == 0);
    const auto exact = make_checker(subject, Level::exact), fast = make_checker(subject, Level::fast);
    for (const Rational& enough : {edge, Rational(edge * (1 + kPart)), Rational(2 * edge)}) {
        CHECK(expect(UpperWitness(witness), oracle, centre, error, enough).surely);
        const auto verdict = exact->prove_rank_at_most(witness, enough);
        REQUIRE(verdict.decision == Decision::proved);
        CHECK((*verdict.proof)->rank == rank);
        CHECK_FALSE(oracle.members().front().denies_at_most(rank, enough));
    }
    if (edge == 0) return;
    const Rational below = edge * (1 - kPart);
    CHECK_FALSE(expect(UpperWitness(witness), oracle, centre, error, below).possibly);
    CHECK(exact->prove_rank_at_most(witness, below).decision == Decision::refuted);
    CHECK(fast->prove_rank_at_most(witness, below).decision == Decision::undecided);
    CHECK(oracle.members().front().denies_at_most(rank, below));
    CHECK(fast->prove_rank_at_most(witness, edge * (1 + 100 * kPart)).decision == Decision::proved);
}

template <class Witness>
void check_refused(const Subject& subject, const Witness& witness) {
    for (const Level level : {Level::exact, Level::fast})
        CHECK(make_checker(subject, level)->prove_rank_at_least(witness, 0).decision != Decision::proved);
}

/// s, G = a column of ones, t = ‖K‖_F², and what is left of t I: for K of rank one the tail beyond 0 is
/// ‖K‖_F².
EckartYoungWitness one_singular_value(const ExactMatrix& weights, Index keys, const ExactMatrix& threshold,
                                      GramSide side, const ExactMatrix& rest) {
    EckartYoungWitness w;
    w.row_weights = weights;
    w.grouping = ones(keys, 1);
    w.side = side;
    w.threshold = threshold;
    w.large_factor = ExactMatrix(rest.rows(), 0);
    w.small_factor = rest;
    return w;
}

Head equal_keys() {
    Head head = samples::uniform(4, 4, MaskKind::none);
    head.multiplier_low = head.multiplier_high = 1;
    head.scale.sqrt_of = 2;
    head.key = ones(4, 1);
    return head;
}

Head cancelled_by_bias() {
    Head head = equal_keys();
    head.scale = {};
    head.key = samples::matrix(4, 1, {1, -2, 3, 0.5});
    head.mask.kind = MaskKind::additive;
    head.mask.bias = (head.query * head.key.transpose()).scale(-1);
    return head;
}

}  // namespace

TEST_CASE("on heads with equal rows of quarters every witness stops at the exact edge") {
    for (const Head& head : {samples::uniform(4, 4, MaskKind::none), equal_keys(), cancelled_by_bias()}) {
        const Subject s = exactly(head);
        check_lower_edge(s, one_dimension(s), 1, 1);
        // residual 1/2, gain 1/2
        FixedSpaceWitness half = one_dimension(s);
        half.inverse = half.inverse * samples::diagonal(4, 1, -1);
        check_lower_edge(s, half, 1, 1);
        check_lower_edge(s, NeumannWitness{unit_row(4), ones(4, 1), ones(1, 1)}, 1, 1);
        check_lower_edge(s, LowerRule::nonzero, 1, 1);
        const ExactMatrix weights = samples::matrix(4, 1, {0.5, 0.5, 0.5, 0.5});
        check_lower_edge(s, one_singular_value(weights, 4, ones(1, 1), GramSide::columns, ExactMatrix(1, 0)),
                         1, 1);
        const ExactMatrix rest =  // I − K Kᵀ, a projector, so its own square
            ExactMatrix::identity(4) - ones(4, 4) * samples::diagonal(4, 1, -2);
        check_lower_edge(s, one_singular_value(weights, 4, ones(1, 1), GramSide::rows, rest), 1, 1);
        check_upper_edge(s, UpperRule::zero, 0, 1);
        check_upper_edge(s, UpperRule::distinct_rows, 1, 0);
        check_upper_edge(s, RepresentativeRowsWitness{{2, 2, 2, 2}}, 1, 0);
        check_upper_edge(s, FactorWitness{ExactMatrix(4, 0), ExactMatrix(0, 4), 1}, 0, 1);
        check_upper_edge(s, FactorWitness{ones(4, 1), ones(1, 4), 4}, 1, 0);
    }
}

TEST_CASE("on a head of one key every witness stops at the exact edge") {
    const Subject s = exactly(samples::one_key());
    const ExactMatrix one = ones(1, 1);
    check_lower_edge(s, one_dimension(s), 1, 1);
    check_lower_edge(s, NeumannWitness{one, one, one}, 1, 1);
    check_lower_edge(s, NeumannWitness{one, one, one.scale(-1) * samples::diagonal(1, -1, -1)}, 1, 1);
    check_lower_edge(s, LowerRule::nonzero, 1, 1);
    for (const GramSide side : {GramSide::rows, GramSide::columns})
        check_lower_edge(s, one_singular_value(one, 1, one, side, ExactMatrix(1, 0)), 1, 1);
    check_upper_edge(s, UpperRule::zero, 0, 1);
    check_upper_edge(s, FactorWitness{ExactMatrix(1, 0), ExactMatrix(0, 1), 1}, 0, 1);
    check_upper_edge(s, FactorWitness{one.scale(3), one, 3}, 1, 0);
}

TEST_CASE("the causal head of two equal logits changes its rank at one third, exactly") {
    const Subject s = exactly(samples::uniform(2, 2, MaskKind::causal));  // [[1, 0], [1/2, 1/2]]
    const ExactMatrix unit = ExactMatrix::identity(2), inverse = samples::matrix(2, 2, {1, 0, -1, 2});
    const Rational third(1, 3);
    check_lower_edge(s, FixedSpaceWitness{unit, inverse, {0, 1}}, 2, third);
    check_lower_edge(s, NeumannWitness{unit, unit, inverse}, 2, third);
    // The nearest singular matrix: column 1 is a third of column 0.
    check_upper_edge(s, FactorWitness{samples::matrix(2, 1, {1, 0.5}), samples::matrix(1, 2, {3, 1}), 3}, 1,
                     third);
}

TEST_CASE("rows that see different keys are different rows, however alike their logits") {
    Head head = samples::uniform(2, 3, MaskKind::boolean);
    head.mask.keep = BoolMatrix::Constant(2, 3, true);
    head.mask.keep(0, 2) = head.mask.keep(1, 0) = false;
    const Subject s = exactly(head);  // [[1/2, 1/2, 0], [0, 1/2, 1/2]]
    check_upper_edge(s, UpperRule::distinct_rows, 2, 0);
    const ExactMatrix unit = ExactMatrix::identity(2);
    check_lower_edge(s, NeumannWitness{unit, samples::matrix(3, 2, {1, 0, 0, 0, 0, 1}), unit.scale(2)}, 2,
                     Rational(1, 2));
}

TEST_CASE("side conditions hold with equality and not beyond it") {
    const Subject s = exactly(samples::uniform(4, 4, MaskKind::none));
    const ExactMatrix beyond = ExactMatrix::from_double(Eigen::MatrixXd::Constant(1, 1, 1 + 0x1p-52));
    check_refused(s, NeumannWitness{beyond * unit_row(4), ones(4, 1), ones(1, 1)});
    check_refused(s, NeumannWitness{unit_row(4), ones(4, 1) * beyond, ones(1, 1)});
    const ExactMatrix weights = samples::matrix(4, 1, {0.5, 0.5, 0.5, 0.5});
    check_refused(s,
                  one_singular_value(weights * beyond, 4, ones(1, 1), GramSide::columns, ExactMatrix(1, 0)));
    EckartYoungWitness w = one_singular_value(weights, 4, ones(1, 1), GramSide::columns, ExactMatrix(1, 0));
    w.grouping = w.grouping * beyond;
    check_refused(s, w);
    // A threshold below 0 would give a tail away for nothing.
    w = one_singular_value(weights, 4, ones(1, 1).scale(-1), GramSide::columns, ExactMatrix(1, 0));
    w.rank = 1;
    w.large_factor = ExactMatrix(1, 0);
    check_refused(s, w);
    FixedSpaceWitness d = one_dimension(s);
    d.basis = d.basis * beyond;
    check_refused(s, d);
}

TEST_CASE("the error of thirds on a grid is charged to the last bit") {
    const Head head = samples::uniform(3, 3, MaskKind::none);
    const Subject s{head, enclose_softmax(head, 53).centre};
    HeadOracle oracle(head);
    const Bounds error = oracle.error(widen(s.centre));
    REQUIRE(error.low == error.high);  // the entries are 1/3
    const Rational rho = error.low;
    REQUIRE(rho == 3 * abs(Rational(1, 3) - s.centre(0, 0)));
    const Rational fine = two_to(-55);
    const auto exact = make_checker(s, Level::exact), fast = make_checker(s, Level::fast);
    // The residual is |1 − 3ã| = ρ, so ρ + (ε + ρ) < 1.
    const Rational lower_edge = 1 - 2 * rho;
    const FixedSpaceWitness w = one_dimension(s);
    CHECK(exact->prove_rank_at_least(w, lower_edge).decision != Decision::proved);
    CHECK(exact->prove_rank_at_least(w, lower_edge + rho * fine).decision == Decision::refuted);
    CHECK(exact->prove_rank_at_least(w, lower_edge - rho * fine).decision == Decision::proved);
    CHECK(fast->prove_rank_at_least(w, lower_edge).decision == Decision::undecided);
    // Equal rows cost nothing but ρ.
    for (const UpperWitness& upper :
         {UpperWitness(RepresentativeRowsWitness{{1, 1, 1}}),
          UpperWitness(FactorWitness{ones(3, 1), s.centre.select_rows({0}), 1})}) {
        CHECK(exact->prove_rank_at_most(upper, rho).decision != Decision::refuted);
        CHECK(exact->prove_rank_at_most(upper, rho * (1 + fine)).decision == Decision::proved);
        CHECK(exact->prove_rank_at_most(upper, rho * (1 - fine)).decision == Decision::refuted);
        CHECK(fast->prove_rank_at_most(upper, rho * (1 - fine)).decision == Decision::undecided);
    }
}

TEST_CASE("the top-k budget of quarters changes at multiples of a quarter, exactly") {
    const Subject s = exactly(samples::uniform(4, 4, MaskKind::none));
    for (const Level level : {Level::exact, Level::fast}) {
        const auto checker = make_checker(s, level);
        for (long k = 1; k <= 4; ++k) {
            const Rational edge(4 - k, 4);  // k entries leave exactly that
            const TopKBudget at = **checker->prove_top_k_budget(edge).proof;
            CHECK(at.lower <= k);
            CHECK(at.upper >= k);
            if (level == Level::exact) CHECK(at.lower == at.upper);
            if (k == 4) continue;
            const TopKBudget below = **checker->prove_top_k_budget(edge * (1 - kPart)).proof;
            CHECK(below.upper >= k + 1);
            if (level == Level::exact) CHECK(below.lower == k + 1);
        }
    }
}
