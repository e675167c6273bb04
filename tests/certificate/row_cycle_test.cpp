#include <doctest/doctest.h>

#include <string>

#include "certificate/exact_checker.hpp"
#include "certificate/fast_checker.hpp"
#include "certificate/row_cycles.hpp"
#include "rigor/hostile_environment.hpp"

// The theorem "Signed row cycles" at its edges: by construction valid witnesses, and what breaks each of its
// conditions alone.

using namespace rankcert;
using namespace rankcert::test;

namespace {

Subject matrix_subject(const ExactMatrix& a) { return {std::nullopt, a}; }
Subject matrix_subject(const Eigen::MatrixXd& a) { return {std::nullopt, ExactMatrix::from_double(a)}; }

std::vector<long> first_rows(Index k) {
    std::vector<long> rows;
    for (long i = 0; i < k; ++i) rows.push_back(i);
    return rows;
}

/// Each set of the cross-polytope on the rows of the identity, with v = its signs: all products are 1.
RowCycleWitness identity_cycle(Index k) {
    const auto n = static_cast<Index>(k);
    return *with_vectors(cross_polytope(first_rows(k)), Eigen::MatrixXd::Identity(n, n), 4);
}

std::string refusal_of(const Subject& subject, const RowCycleWitness& w, const Rational& epsilon) {
    const auto exact = detail::make_exact_checker(subject)->prove_rank_at_least(w, epsilon);
    const auto fast = detail::make_fast_checker(subject)->prove_rank_at_least(w, epsilon);
    CHECK(exact.decision == Decision::refuted);
    CHECK(fast.decision == Decision::undecided);
    return exact.reason;
}

Index proved_by_both(const Subject& subject, const RowCycleWitness& w, const Rational& epsilon) {
    const auto exact = detail::make_exact_checker(subject)->prove_rank_at_least(w, epsilon);
    const auto fast = detail::make_fast_checker(subject)->prove_rank_at_least(w, epsilon);
    REQUIRE(exact.proof);
    REQUIRE(fast.proof);
    CHECK((*exact.proof)->rank == (*fast.proof)->rank);
    return (*exact.proof)->rank;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// v' with one more unit of its scale in one entry.
ExactMatrix nudged(const ExactMatrix& v, Index row, Index col, long units) {
    std::vector<Integer> values;
    for (Index i = 0; i < v.rows(); ++i)
        for (Index j = 0; j < v.cols(); ++j) values.push_back(v.mantissa(i, j));
    values[static_cast<std::size_t>(row * v.cols() + col)] += units;
    return ExactMatrix::from_integers(v.rows(), v.cols(), values, v.exponent());
}

}  // namespace

TEST_CASE("all signs of k rows of the identity prove rank k below 1, and nothing at 1") {
    for (Index k = 2; k <= 9; ++k) {
        const Subject subject = matrix_subject(ExactMatrix::identity(k));
        const RowCycleWitness w = identity_cycle(k);
        REQUIRE(w.sets.size() == std::size_t{1} << static_cast<unsigned>(k - 1));
        CHECK(proved_by_both(subject, w, Rational(99, 100)) == k);
        CHECK(contains(refusal_of(subject, w, 1), "not proved to exceed"));
        const auto checker = detail::make_exact_checker(subject);
        CHECK(*checker->lower_reach(w) == 1);
    }
}

TEST_CASE("the least product itself is refused and one unit below it is proved") {
    std::mt19937_64 random(41);
    for (int round = 0; round < 20; ++round) {
        const ExactMatrix a = random_matrix(7, 9, round % 2 == 0, random);
        const auto w = with_vectors(random_cycle(3, 7, 4, random), a.to_double(), 12);
        if (!w) continue;
        const Rational value = least_product(*w, widen(a));
        if (!(value > 0)) continue;
        const auto checker = detail::make_exact_checker(matrix_subject(a));
        const Rational unit = two_to(-18);  // entries of a and of v on the grids 2^−6 and 2^−12
        CHECK(denominator(Rational(value / unit)) == 1);
        CHECK(checker->prove_rank_at_least(*w, value).decision == Decision::refuted);
        CHECK(checker->prove_rank_at_least(*w, value - unit).decision == Decision::proved);
        CHECK(checker->prove_rank_at_least(*w, value - two_to(-400)).decision == Decision::proved);
        CHECK(checker->prove_rank_at_least(*w, value + two_to(-400)).decision == Decision::refuted);
        CHECK(*checker->lower_reach(*w) == value);
        // The fast level proves what is not at the edge, and not the edge.
        const auto fast = detail::make_fast_checker(matrix_subject(a));
        CHECK(fast->prove_rank_at_least(*w, value - two_to(-40)).decision == Decision::proved);
        CHECK(fast->prove_rank_at_least(*w, value).decision == Decision::undecided);
    }
}

TEST_CASE("a cycle of more sets than the cross-polytope proves as much") {
    std::mt19937_64 random(42);
    int larger = 0;
    for (int round = 0; round < 30; ++round) {
        const Index k = 2 + round % 4;
        const auto family = random_cycle(k, 9, 1 + round % 7, random);
        if (family.size() > std::size_t{1} << static_cast<unsigned>(k - 1)) ++larger;
        const auto w = with_vectors(family, Eigen::MatrixXd::Identity(9, 9), 20);
        REQUIRE(w);
        CHECK(proved_by_both(matrix_subject(ExactMatrix::identity(9)), *w, Rational(1, 2)) == k);
    }
    CHECK(larger > 15);
}

TEST_CASE("sets may share a vector") {
    // The vectors are all choices of signs, up to one; each set takes the first that has its signs.
    std::mt19937_64 random(45);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(6, 6);
    int shared = 0;
    for (int round = 0; round < 10; ++round) {
        RowCycleWitness w = *with_vectors(random_cycle(4, 6, 5, random), one, 4);
        std::map<std::uint64_t, Index> place;  // negative columns → row of `vectors`
        std::vector<std::uint64_t> patterns;
        for (SignedRowSet& set : w.sets) {
            std::uint64_t pattern = 0;
            for (std::size_t j = 0; j < set.rows.size(); ++j)
                pattern |= (set.negative >> j & 1) << static_cast<unsigned>(set.rows[j]);
            const auto [at, added] = place.try_emplace(pattern, static_cast<Index>(patterns.size()));
            if (added) patterns.push_back(pattern);
            set.vector = at->second;
        }
        Eigen::MatrixXd vectors(static_cast<Index>(patterns.size()), 6);
        for (std::size_t p = 0; p < patterns.size(); ++p)
            for (Index j = 0; j < 6; ++j)
                vectors(static_cast<Index>(p), j) =
                    (patterns[p] >> static_cast<unsigned>(j) & 1) != 0 ? -1 : 1;
        w.vectors = ExactMatrix::from_double(vectors);
        if (patterns.size() < w.sets.size()) ++shared;
        CHECK(proved_by_both(matrix_subject(one), w, Rational(99, 100)) == 4);
        // Every product of a vector counts for each of its sets: one entry turned is one product of −1.
        RowCycleWitness turned = w;
        for (const SignedRowSet& set : w.sets) {
            if (set.vector != 0) continue;
            vectors = w.vectors.to_double();
            vectors(0, set.rows[2]) *= -1;
            turned.vectors = ExactMatrix::from_double(vectors);
            CHECK(contains(refusal_of(matrix_subject(one), turned, 0), "not proved to exceed"));
        }
    }
    CHECK(shared > 5);
}

TEST_CASE("a set that is missing, doubled, or of other signs or rows is refused") {
    const Subject subject = matrix_subject(ExactMatrix::identity(5));
    const RowCycleWitness good =
        *with_vectors(cross_polytope({0, 1, 3, 4}), Eigen::MatrixXd::Identity(5, 5), 4);
    const Rational epsilon(1, 2);
    CHECK(proved_by_both(subject, good, epsilon) == 4);
    for (std::size_t i = 0; i < good.sets.size(); ++i) {
        CAPTURE(i);
        RowCycleWitness w = good;
        w.sets.erase(w.sets.begin() + static_cast<std::ptrdiff_t>(i));
        CHECK(contains(refusal_of(subject, w, epsilon), "more vectors than sets"));
        // With the vectors that are needed, the parity of the faces or of the alternating sets is what fails.
        std::vector<Index> kept;
        for (SignedRowSet& set : w.sets) {
            kept.push_back(set.vector);
            set.vector = static_cast<Index>(kept.size()) - 1;
        }
        w.vectors = good.vectors.select_rows(kept);
        CHECK(contains(refusal_of(subject, w, epsilon),
                       good.sets[i].negative == 0b1010 ? "alternate" : "face of an odd number"));
        w = good;
        w.sets.insert(w.sets.begin() + static_cast<std::ptrdiff_t>(i), w.sets[i]);
        CHECK(contains(refusal_of(subject, w, epsilon), "twice the same"));
        for (int j = 1; j < 4; ++j) {
            w = good;
            w.sets[i].negative ^= std::uint64_t{1} << j;
            CHECK(contains(refusal_of(subject, w, epsilon), "out of order, or twice"));
        }
        w = good;
        w.sets[i].rows = {0, 1, 2, 4};
        std::sort(w.sets.begin(), w.sets.end(), precedes);
        refusal_of(subject, w, epsilon);
    }
}

TEST_CASE("one sign flipped in a set is refused though every product is above the tolerance") {
    // In the larger cycle the flipped set is not there yet, so it is the parity that refuses it.
    std::mt19937_64 random(43);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(8, 8);
    int parity = 0;
    for (int round = 0; round < 60; ++round) {
        auto family = random_cycle(4, 8, 6, random);
        auto member = family.begin();
        std::advance(member, static_cast<std::ptrdiff_t>(below(family.size(), random)));
        SignedRows set = *member;
        set[1 + below(3, random)] *= -1;
        if (family.contains(set)) continue;
        family.erase(member);
        family.insert(set);
        const auto w = with_vectors(family, one, 10);
        const std::string reason = refusal_of(matrix_subject(one), *w, Rational(1, 16));
        if (contains(reason, "face of an odd number")) ++parity;
        CHECK((contains(reason, "face of an odd number") || contains(reason, "alternate")));
    }
    CHECK(parity > 10);
}

TEST_CASE("an even number of alternating sets is refused though every face is even") {
    // Two cross-polytopes on disjoint rows: two alternating sets; one cycle twice is nothing.
    auto family = cross_polytope({0, 1, 2});
    const auto other = cross_polytope({3, 4, 5});
    family.insert(other.begin(), other.end());
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(6, 6);
    CHECK(contains(refusal_of(matrix_subject(one), *with_vectors(family, one, 4), Rational(1, 2)),
                   "alternate"));
    // Three of them are odd again.
    const auto third = cross_polytope({0, 2, 4});
    family.insert(third.begin(), third.end());
    CHECK(proved_by_both(matrix_subject(one), *with_vectors(family, one, 4), Rational(1, 2)) == 3);
    // The boundary of a signed (k+1)-set, and no sets at all.
    std::set<SignedRows> boundary;
    add_boundary(boundary, {1, -2, 3, -4});
    CHECK(contains(refusal_of(matrix_subject(one), *with_vectors(boundary, one, 4), Rational(1, 2)),
                   "alternate"));
    RowCycleWitness empty;
    empty.rank = 3;
    empty.vectors = ExactMatrix(0, 6);
    CHECK(contains(refusal_of(matrix_subject(one), empty, 0), "alternate"));
}

TEST_CASE("vectors may reach the faces of the cube, and not one unit beyond") {
    const RowCycleWitness good = identity_cycle(3);
    const Subject subject = matrix_subject(ExactMatrix::identity(3));
    CHECK(proved_by_both(subject, good, 0) == 3);
    // The same numbers on a fine grid, so that one unit is 2^−40.
    const ExactMatrix fine = ExactMatrix::from_integers(1, 1, {Integer(1)}, -40);
    for (Index i = 0; i < good.vectors.rows(); ++i) {
        for (Index j = 0; j < 3; ++j) {
            std::vector<Integer> values;
            for (Index p = 0; p < good.vectors.rows(); ++p)
                for (Index q = 0; q < 3; ++q)
                    values.push_back(Integer(good.vectors(p, q) > 0 ? 1 : -1) << 40U);
            RowCycleWitness w = good;
            w.vectors = ExactMatrix::from_integers(good.vectors.rows(), 3, values, -40);
            CHECK(w.vectors == good.vectors);
            CHECK(proved_by_both(subject, w, Rational(1, 2)) == 3);
            const long outward = w.vectors(i, j) > 0 ? 1 : -1;
            w.vectors = nudged(w.vectors, i, j, outward);
            CHECK(contains(refusal_of(subject, w, Rational(1, 2)), "above 1"));
            w.vectors = nudged(w.vectors, i, j, -2 * outward);
            CHECK(proved_by_both(subject, w, Rational(1, 2)) == 3);
        }
    }
    // Entries of 2 on a grid whose exponent is positive, and zeros there.
    RowCycleWitness w = good;
    w.vectors = ExactMatrix::from_integers(4, 3, std::vector<Integer>(12, Integer(1)), 1);
    CHECK(contains(refusal_of(subject, w, 0), "above 1"));
    w.vectors = ExactMatrix::from_integers(4, 3, std::vector<Integer>(12, Integer(0)), 5);
    CHECK(contains(refusal_of(subject, w, 0), "not proved to exceed"));
}

TEST_CASE("ranks below 2, and the limits") {
    const Subject subject = matrix_subject(ExactMatrix::identity(3));
    RowCycleWitness w;
    w.rank = 1;
    w.sets = {{{0}, 0, 0}};
    w.vectors = ExactMatrix::from_double(Eigen::MatrixXd::Ones(1, 3));
    CHECK(contains(refusal_of(subject, w, 0), "rank 1"));
    w.rank = 63;
    CHECK(contains(refusal_of(subject, w, 0), "rank 63"));
    w.rank = 0;
    CHECK(contains(refusal_of(subject, w, 0), "rank 0"));
    w = identity_cycle(2);
    w.sets.assign(static_cast<std::size_t>(kMaxRowCycleEntries / 2) + 1, w.sets.front());
    CHECK(contains(refusal_of(subject, w, 0), "rows in all"));
    // k rows are needed.
    w = identity_cycle(4);
    CHECK(contains(refusal_of(matrix_subject(Eigen::MatrixXd::Ones(3, 4)), w, 0), "row 3"));
    CHECK(contains(refusal_of(matrix_subject(Eigen::MatrixXd::Ones(4, 3)), w, 0), "length 4"));
}

TEST_CASE("the face that two sets share is found whichever row and sign were taken away") {
    // k = 2: the edges of a graph, each + + or + −; faces are single rows. A closed path with an odd number
    // of + −.
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(6, 6);
    const std::set<SignedRows> loop = {{1, 4}, {4, -6}, {2, 6}, {2, -5}, {1, 5}};
    CHECK(
        contains(refusal_of(matrix_subject(one), *with_vectors(loop, one, 4), Rational(1, 4)), "alternate"));
    const std::set<SignedRows> twisted = {{1, 4}, {4, -6}, {2, 6}, {2, -5}, {1, -5}};
    CHECK(proved_by_both(matrix_subject(one), *with_vectors(twisted, one, 4), Rational(1, 4)) == 2);
}

TEST_CASE("the fast checker is not misled by rounding modes, flush to zero, or large entries") {
    std::mt19937_64 random(44);
    const ExactMatrix a = random_matrix(6, 8, true, random);
    const auto w = with_vectors(random_cycle(3, 6, 3, random), a.to_double(), 30);
    REQUIRE(w);
    const Rational value = least_product(*w, widen(a));
    REQUIRE(value > 0);
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        CAPTURE(mode);
        const tests::HostileEnvironment hostile(mode, true);
        const auto fast = detail::make_fast_checker(matrix_subject(a));
        CHECK(fast->prove_rank_at_least(*w, value * Rational(999999, 1000000)).decision == Decision::proved);
        CHECK(fast->prove_rank_at_least(*w, value).decision == Decision::undecided);
    }
    // Entries near the end of the range: products overflow, and nothing is proved.
    Eigen::MatrixXd large = a.to_double() * 0x1p1023;
    large = large.cwiseMax(0x1p1021);
    const auto verdict = detail::make_fast_checker(matrix_subject(large))->prove_rank_at_least(*w, 0);
    CHECK(verdict.decision == Decision::undecided);
    // A centre that is no float64: what its rounding may change is taken off.
    std::vector<Integer> values;
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < a.cols(); ++j) values.push_back((a.mantissa(i, j) << 80U) + 1);
    const ExactMatrix fine = ExactMatrix::from_integers(a.rows(), a.cols(), values, a.exponent() - 80);
    CHECK_FALSE(fine.is_double());
    CHECK(detail::make_fast_checker(matrix_subject(fine))
              ->prove_rank_at_least(*w, value * Rational(999999, 1000000))
              .decision == Decision::proved);
}
