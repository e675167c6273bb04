#include <doctest/doctest.h>

#include <cfenv>
#include <type_traits>

#include "certificate/exact_checker.hpp"
#include "exact_oracle.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::test;

namespace {

ExactMatrix column(std::vector<Integer> values, long exponent = 0) {
    const auto rows = static_cast<Index>(values.size());
    return ExactMatrix::from_integers(rows, 1, std::move(values), exponent);
}

// The causal head with the logits [0] and [0, −x]: A = [[1, 0], [1 − a, a]] with a = 1/(1 + e^x).
Head two_by_two(const Integer& x) {
    Head head;
    head.query = column({0, 1});
    head.key = column({0, Integer(-x)});
    head.mask.kind = MaskKind::causal;
    return head;
}

FixedSpaceWitness whole_space(const ExactMatrix& centre, unsigned bits) {
    const auto n = static_cast<std::size_t>(centre.rows());
    std::vector<Index> pivots;
    for (std::size_t i = 0; i < n; ++i) pivots.push_back(static_cast<Index>(i));
    return {ExactMatrix::identity(centre.rows()), on_grid(*inverse(widen(centre)), bits), pivots};
}

Rational decimal(const char* text) { return parse_rational(text); }

}  // namespace

TEST_CASE("an entry near 1e-87 decides a rank at its threshold") {
    const Head head = two_by_two(200);
    const Subject subject{head, enclose_softmax(head, 500).centre};
    const auto c = detail::make_exact_checker(subject);
    CHECK(c->rho() < two_to(-490));
    const Rational a = subject.centre(1, 1), threshold = a / (2 - a);
    CHECK(threshold > decimal("6.9194e-88"));
    CHECK(threshold < decimal("6.9196e-88"));
    const auto w = whole_space(subject.centre, 200);
    CHECK(c->prove_rank_at_least(w, threshold * (1 - two_to(-40))).decision == Decision::proved);
    CHECK(c->prove_rank_at_least(w, threshold * (1 + two_to(-40))).decision == Decision::refuted);
    CHECK((*c->prove_rank_at_least(w, 0).proof)->rank == 2);
    // Column 1 of the nearest singular matrix is `threshold` times column 0.
    const Integer denominator = boost::multiprecision::denominator(threshold);
    const FactorWitness f{subject.centre.select_cols({0}),
                          ExactMatrix::from_integers(1, 2, {denominator, numerator(threshold)}, 0),
                          denominator};
    CHECK(c->prove_rank_at_most(f, threshold * (1 + two_to(-40))).decision == Decision::proved);
    CHECK(c->prove_rank_at_most(f, threshold * (1 - two_to(-40))).decision == Decision::refuted);
    // On the grid 2^-53 that entry is lost in ρ: nothing is proved, and nothing false.
    const Subject coarse{head, enclose_softmax(head, 53).centre};
    CHECK(coarse.centre(1, 1) == 0);
    const auto weak = detail::make_exact_checker(coarse);
    const FixedSpaceWitness any{ExactMatrix::identity(2), ExactMatrix::identity(2), {0, 1}};
    CHECK(weak->prove_rank_at_least(any, 0).decision == Decision::refuted);
}

TEST_CASE("the error of the centre shifts both sides") {
    const Head head = two_by_two(1);
    for (const unsigned precision : {4U, 10U, 53U}) {
        const Subject subject{head, enclose_softmax(head, precision).centre};
        const ErrorBounds rho = enclose_softmax_error(head, subject.centre, 200);
        REQUIRE(rho.lower > 0);
        const auto c = detail::make_exact_checker(subject);
        CHECK(c->rho() >= rho.lower);
        const Rational distance = 1 / largest_row(*inverse(widen(subject.centre)));
        const auto w = whole_space(subject.centre, 200);
        CHECK(c->prove_rank_at_least(w, distance - rho.upper * (1 + two_to(-40))).decision ==
              Decision::proved);
        CHECK(c->prove_rank_at_least(w, distance - rho.lower * (1 - two_to(-40))).decision ==
              Decision::refuted);
        const RepresentativeRowsWitness p{{0, 0}};
        const Rational error = 2 * subject.centre(1, 1);
        REQUIRE(*c->upper_reach(p) - error == c->rho());
        CHECK(c->prove_rank_at_most(p, error + rho.upper * (1 + two_to(-40))).decision == Decision::proved);
        CHECK(c->prove_rank_at_most(p, error + rho.lower * (1 - two_to(-40))).decision == Decision::refuted);
        const RepresentativeRowsWitness own{{0, 1}};
        CHECK(c->prove_rank_at_most(own, rho.lower * (1 - two_to(-40))).decision == Decision::refuted);
        CHECK(c->prove_rank_at_most(own, rho.upper * (1 + two_to(-40))).decision == Decision::proved);
    }
}

TEST_CASE("a tolerance between the bounds of the error is undecided") {
    const Head head = two_by_two(1);
    const Subject subject{head, enclose_softmax(head, 53).centre};
    const ErrorBounds rho = enclose_softmax_error(head, subject.centre, 4096);
    REQUIRE(rho.lower < rho.upper);  // the error is a transcendental number
    const RepresentativeRowsWitness own{{0, 1}};
    const auto c = detail::make_exact_checker(subject);
    const auto verdict = c->prove_rank_at_most(own, (rho.lower + rho.upper) / 2);
    CHECK(verdict.decision == Decision::undecided);
    CHECK_FALSE(verdict.proof.has_value());
    CHECK_FALSE(verdict.reason.empty());
    CHECK(c->prove_rank_at_most(own, rho.upper).decision == Decision::proved);
    CHECK(c->prove_rank_at_most(own, rho.lower * (1 - two_to(-900))).decision == Decision::refuted);
}

TEST_CASE("a family of temperatures is shifted by its widest member") {
    Head head = two_by_two(1);
    head.multiplier_low = Rational(1, 2);
    head.multiplier_high = 2;
    Head middle = two_by_two(1);
    const Subject subject{head, enclose_softmax(middle, 53).centre};
    const auto c = detail::make_exact_checker(subject);
    const auto w = whole_space(subject.centre, 100);
    const auto reach = c->lower_reach(w);
    Rational widest = 0;
    for (const Rational& beta : {Rational(1, 2), Rational(1), Rational(2)}) {
        Head member = middle;
        member.multiplier_low = member.multiplier_high = beta;
        widest = std::max(widest, enclose_softmax_error(member, subject.centre, 128).lower);
    }
    CHECK(c->rho() >= widest);
    CHECK(c->rho() < 2 * widest);
    // a(2) = 1/(1 + e^2) = 0.1192…: no lower bound for all members can reach beyond its threshold 0.0634…
    if (reach) CHECK(*reach < decimal("0.0634"));
    CHECK(c->prove_rank_at_least(LowerRule::support, 0).decision == Decision::proved);
    CHECK((*c->prove_rank_at_least(LowerRule::support, 0).proof)->rank == 2);
}

TEST_CASE("rules of a head speak of its support and its row sums") {
    const auto rank_at_zero = [](const Head& head) {
        const auto c = detail::make_exact_checker({head, enclose_softmax(head, 8).centre});
        CHECK(c->prove_rank_at_least(LowerRule::nonzero, Rational(1) - two_to(-300)).decision ==
              Decision::proved);
        CHECK(c->prove_rank_at_least(LowerRule::nonzero, 1).decision == Decision::refuted);
        CHECK(c->prove_rank_at_most(UpperRule::zero, 1).decision == Decision::proved);
        CHECK(c->prove_rank_at_most(UpperRule::zero, Rational(1) - two_to(-300)).decision ==
              Decision::refuted);
        CHECK(c->prove_rank_at_least(LowerRule::exact_rank, 0).decision == Decision::refuted);
        CHECK(c->prove_rank_at_most(UpperRule::exact_rank, 0).decision == Decision::refuted);
        CHECK(c->prove_rank_at_least(LowerRule::support, two_to(-3000)).decision == Decision::refuted);
        return (*c->prove_rank_at_least(LowerRule::support, 0).proof)->rank;
    };
    Head head;
    head.query = column({1, -2, 3});
    head.key = column({1, 2, -1, 5, 4});
    CHECK(rank_at_zero(head) == 1);
    head.mask.kind = MaskKind::causal;
    CHECK(rank_at_zero(head) == 3);
    head.mask.alignment = CausalAlignment::top_left;
    CHECK(rank_at_zero(head) == 3);
    std::swap(head.query, head.key);  // five queries, three keys
    CHECK(rank_at_zero(head) == 3);
    head.mask.alignment = CausalAlignment::bottom_right;
    CHECK_THROWS_AS((void)detail::make_exact_checker({head, ExactMatrix(5, 3)}), Error);
    head.mask = {};
    head.mask.kind = MaskKind::boolean;
    head.mask.keep = BoolMatrix::Constant(5, 3, true);
    CHECK(rank_at_zero(head) == 1);
    head.mask.keep.row(1) << true, false, false;
    CHECK(rank_at_zero(head) == 2);
    head.mask.keep.row(2) << true, true, false;
    head.mask.keep.row(3) << false, true, false;
    CHECK(rank_at_zero(head) == 3);
}

TEST_CASE("equal queries give one distinct row") {
    Head head;
    head.query = column({3, 3, 3, 3});
    head.key = column({1, 2, -1, 5});
    const auto c = detail::make_exact_checker({head, enclose_softmax(head, 53).centre});
    CHECK((*c->prove_rank_at_most(UpperRule::distinct_rows, 0).proof)->rank == 1);
    CHECK((*c->prove_rank_at_most(UpperRule::shape, 0).proof)->rank == 4);
    head.mask.kind = MaskKind::causal;
    const auto masked = detail::make_exact_checker({head, enclose_softmax(head, 53).centre});
    CHECK((*masked->prove_rank_at_most(UpperRule::distinct_rows, 0).proof)->rank == 4);
}

TEST_CASE("the top-k budget of a head brackets the true one") {
    Head head;
    head.query = column({1, 0, 4});
    head.key = column({0, 1, 2, 3});
    const auto c = detail::make_exact_checker({head, enclose_softmax(head, 53).centre});
    const auto budget = [&](const Rational& eps) {
        const auto verdict = c->prove_top_k_budget(eps);
        REQUIRE(verdict.decision == Decision::proved);
        return **verdict.proof;
    };
    CHECK(budget(0).lower == 4);
    CHECK(budget(0).upper == 4);
    CHECK(budget(1).upper == 0);
    CHECK(budget(1).lower == 0);
    CHECK(budget(Rational(249, 1000)).upper == 4);  // row 1 is uniform: 4 · 1/4
    CHECK(budget(Rational(249, 1000)).lower == 4);
    CHECK(budget(Rational(251, 1000)).upper == 3);
    CHECK(budget(Rational(251, 1000)).lower == 3);
    CHECK(budget(Rational(1) - two_to(-200)).lower == 1);
    head.mask.kind = MaskKind::causal;
    head.mask.alignment = CausalAlignment::top_left;
    const auto masked = detail::make_exact_checker({head, enclose_softmax(head, 53).centre});
    CHECK((*masked->prove_top_k_budget(0).proof)->upper == 3);
    CHECK((*masked->prove_top_k_budget(0).proof)->lower == 3);
}

TEST_CASE("the top-k budget on a coarse grid brackets the one on a fine grid") {
    Head head;
    head.query = column({1, 2, -1, 3});
    head.key = column({0, 1, 2, 3, -2, 5}, -2);
    const auto coarse = detail::make_exact_checker({head, enclose_softmax(head, 5).centre});
    const auto fine = detail::make_exact_checker({head, enclose_softmax(head, 300).centre});
    int open = 0;
    for (int k = 0; k < 64; ++k) {
        const Rational eps(k, 64);
        const TopKBudget wide = **coarse->prove_top_k_budget(eps).proof;
        const TopKBudget truth = **fine->prove_top_k_budget(eps).proof;
        CHECK(truth.lower == truth.upper);
        CHECK(wide.lower <= truth.lower);
        CHECK(truth.upper <= wide.upper);
        open += wide.lower < wide.upper ? 1 : 0;
    }
    CHECK(open > 0);
}

TEST_CASE("a subject that is not well formed is refused") {
    const Head head = two_by_two(1);
    CHECK_THROWS_AS((void)make_checker({head, ExactMatrix(2, 3)}, Level::exact), Error);
    Head bad = head;
    bad.key = ExactMatrix(2, 2);
    CHECK_THROWS_AS((void)make_checker({bad, ExactMatrix(2, 2)}, Level::exact), Error);
    const Rational poor = make_checker({head, ExactMatrix(2, 2)}, Level::exact)->rho();  // is not an error
    CHECK(poor >= 1);
    CHECK(poor < 1 + two_to(-40));
}

TEST_CASE("the answers do not depend on the rounding mode") {
    const auto answers = [] {
        const Head head = two_by_two(3);
        const Subject subject{head, enclose_softmax(head, 53).centre};
        const auto c = detail::make_exact_checker(subject);
        const auto w = whole_space(subject.centre, 60);
        const RepresentativeRowsWitness p{{0, 0}};
        std::vector<std::string> texts{to_string(c->rho()), to_string(*c->lower_reach(w)),
                                       to_string(*c->upper_reach(p))};
        for (int k = 0; k <= 40; ++k) {
            texts.push_back(c->prove_rank_at_least(w, Rational(k, 400)).reason);
            texts.push_back(to_string(c->prove_rank_at_most(p, Rational(k, 400)).decision));
        }
        return texts;
    };
    const auto expected = answers();
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        const auto got = answers();
        std::fesetround(FE_TONEAREST);
        CHECK(got == expected);
    }
}

TEST_CASE("a proof cannot be made outside the checkers") {
    CHECK_FALSE(std::is_default_constructible_v<detail::CheckerKey>);
    CHECK_FALSE(std::is_aggregate_v<detail::CheckerKey>);
    CHECK_FALSE(std::is_constructible_v<Proved<RankAtLeast>, RankAtLeast>);
    CHECK_FALSE(std::is_default_constructible_v<Proved<RankAtLeast>>);
}
