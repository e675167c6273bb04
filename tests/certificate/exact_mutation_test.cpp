#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "certificate/exact_checker.hpp"
#include "exact_oracle.hpp"

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

std::vector<Index> some_indices(std::size_t count, std::size_t end, std::mt19937_64& random) {
    std::vector<Index> all;
    for (std::size_t i = 0; i < end; ++i) all.push_back(static_cast<Index>(i));
    for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + below(end - i, random)]);
    all.resize(count);
    return all;
}

// ---- mutants of the parts ---------------------------------------------------------------------------------

ExactMatrix mutant(const ExactMatrix& a, std::mt19937_64& random) {
    std::vector<Integer> values;
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < a.cols(); ++j) values.push_back(a.mantissa(i, j));
    switch (random() % 12) {
        case 0:
            return a.scale(2);
        case 1:
            return a.scale(-1);
        case 2:
            return a.transpose();
        case 3:
            return ExactMatrix(a.rows(), a.cols());
        case 4: {
            if (a.rows() == 0) return a;
            std::vector<Index> rows =
                some_indices(static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.rows()), random);
            if ((random() & 1) != 0) rows.pop_back();
            return a.select_rows(rows);
        }
        case 5: {
            if (a.cols() == 0) return a;
            std::vector<Index> cols =
                some_indices(static_cast<std::size_t>(a.cols()), static_cast<std::size_t>(a.cols()), random);
            if ((random() & 1) != 0) cols.push_back(0);
            return a.select_cols(cols);
        }
        default:
            break;
    }
    if (values.empty()) return a;
    Integer& entry = values[below(values.size(), random)];
    const auto bit = static_cast<unsigned>(below(a.bits() + 2, random));
    if ((random() & 7) == 0)
        entry = -entry;
    else
        entry += (random() & 1) != 0 ? Integer(1) << bit : Integer(-(Integer(1) << bit));
    return ExactMatrix::from_integers(a.rows(), a.cols(), values, a.exponent());
}

std::vector<Index> mutant(std::vector<Index> indices, std::mt19937_64& random) {
    switch (random() % 4) {
        case 0:
            indices.push_back(static_cast<Index>(random() % 5));
            break;
        case 1:
            if (!indices.empty()) indices.pop_back();
            break;
        default:
            if (!indices.empty())
                indices[below(indices.size(), random)] =
                    (random() & 7) == 0 ? static_cast<Index>(random()) : static_cast<Index>(random() % 8) - 1;
    }
    return indices;
}

FixedSpaceWitness mutant(FixedSpaceWitness w, std::mt19937_64& random) {
    switch (random() % 3) {
        case 0:
            w.basis = mutant(w.basis, random);
            break;
        case 1:
            w.inverse = mutant(w.inverse, random);
            break;
        default:
            w.pivots = mutant(w.pivots, random);
    }
    return w;
}

NeumannWitness mutant(NeumannWitness w, std::mt19937_64& random) {
    switch (random() % 4) {
        case 0:
            w.selection = mutant(w.selection, random);
            break;
        case 1:
            w.decoder = mutant(w.decoder, random);
            break;
        case 2:
            w.inverse = mutant(w.inverse, random);
            break;
        default:
            std::swap(w.selection, w.inverse);
    }
    return w;
}

EckartYoungWitness mutant(EckartYoungWitness w, std::mt19937_64& random) {
    switch (random() % 8) {
        case 0:
            w.rank += static_cast<Index>(random() % 5) - 2;
            break;
        case 1:
            w.row_weights = mutant(w.row_weights, random);
            break;
        case 2:
            w.grouping = mutant(w.grouping, random);
            break;
        case 3:
            w.side = w.side == GramSide::rows ? GramSide::columns : GramSide::rows;
            break;
        case 4:
            w.threshold = mutant(w.threshold, random);
            break;
        case 5:
            w.large_factor = mutant(w.large_factor, random);
            break;
        case 6:
            w.small_factor = mutant(w.small_factor, random);
            break;
        default:
            std::swap(w.large_factor, w.small_factor);
    }
    return w;
}

FactorWitness mutant(FactorWitness w, std::mt19937_64& random) {
    switch (random() % 4) {
        case 0:
            w.left = mutant(w.left, random);
            break;
        case 1:
            w.right = mutant(w.right, random);
            break;
        case 2:
            w.denominator += static_cast<long>(random() % 7) - 3;
            break;
        default:
            std::swap(w.left, w.right);
    }
    return w;
}

RepresentativeRowsWitness mutant(const RepresentativeRowsWitness& w, std::mt19937_64& random) {
    return {mutant(w.representative, random)};
}

// ---- valid witnesses --------------------------------------------------------------------------------------

// D on k columns with the identity at J and small fractions elsewhere; S = D (Ã_I D)⁻¹ on k rows I.
std::optional<FixedSpaceWitness> fixed_space(const Shaped& a, std::size_t k, std::mt19937_64& random) {
    FixedSpaceWitness w;
    w.pivots = some_indices(k, a.cols, random);
    Shaped d = zeros(a.cols, k);
    for (Row& row : d.at)
        for (Rational& x : row)
            if (random() % 3 == 0) x = Rational(static_cast<long>(random() % 65) - 32, 64);
    for (std::size_t c = 0; c < k; ++c) {
        Row& row = d.at[static_cast<std::size_t>(w.pivots[c])];
        std::fill(row.begin(), row.end(), Rational(0));
        row[c] = 1;
    }
    const std::vector<Index> chosen = some_indices(k, a.rows, random);
    Shaped part = zeros(k, a.cols);
    for (std::size_t i = 0; i < k; ++i) part.at[i] = a.at[static_cast<std::size_t>(chosen[i])];
    const auto inverted = inverse(times(part, d));
    if (!inverted) return std::nullopt;
    const Shaped small = times(d, *inverted);
    Shaped s = zeros(a.cols, a.rows);
    for (std::size_t i = 0; i < s.rows; ++i)
        for (std::size_t c = 0; c < k; ++c) s.at[i][static_cast<std::size_t>(chosen[c])] = small.at[i][c];
    w.basis = on_grid(d, 6);
    w.inverse = on_grid(s, 30);
    return w;
}

std::optional<NeumannWitness> neumann(const Shaped& a, std::size_t k, std::mt19937_64& random) {
    Shaped s = zeros(k, a.rows), d = zeros(a.cols, k);
    const auto rows = some_indices(k, a.rows, random), cols = some_indices(k, a.cols, random);
    for (std::size_t c = 0; c < k; ++c) {
        s.at[c][static_cast<std::size_t>(rows[c])] = Rational(random() % 2 == 0 ? 4 : -3, 4);
        d.at[static_cast<std::size_t>(cols[c])][c] = Rational(random() % 2 == 0 ? -1 : 1);
    }
    const auto inverted = inverse(times(times(s, a), d));
    if (!inverted) return std::nullopt;
    return NeumannWitness{on_grid(s, 2), on_grid(d, 0), on_grid(*inverted, 30)};
}

ExactMatrix rounded(const Eigen::MatrixXd& a, int bits) {
    return ExactMatrix::from_double((a * std::ldexp(1.0, bits)).array().round().matrix() *
                                    std::ldexp(1.0, -bits));
}

EckartYoungWitness eckart_young(const ExactMatrix& a, std::size_t r, std::mt19937_64& random) {
    EckartYoungWitness w;
    w.rank = static_cast<Index>(r);
    w.side = random() % 2 == 0 ? GramSide::rows : GramSide::columns;
    const Eigen::MatrixXd dense = a.to_double();
    w.row_weights =
        rounded(Eigen::MatrixXd::Constant(a.rows(), 1, 0.999 / std::sqrt(static_cast<double>(a.rows()))), 12);
    const Index groups = 1 + static_cast<Index>(below(static_cast<std::size_t>(a.cols()), random));
    Eigen::MatrixXd g = Eigen::MatrixXd::Zero(a.cols(), groups);
    for (Index j = 0; j < a.cols(); ++j) g(j, static_cast<Index>(random()) & 1 ? j % groups : 0) = 1;
    if (random() % 2 == 0) g = Eigen::MatrixXd::Identity(a.cols(), a.cols());
    w.grouping = rounded(g, 0);
    const Eigen::MatrixXd k = w.row_weights.to_double().asDiagonal() * dense * g;
    const Eigen::MatrixXd h =
        w.side == GramSide::rows ? Eigen::MatrixXd(k * k.transpose()) : Eigen::MatrixXd(k.transpose() * k);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(h);
    const Index p = h.rows(), large = std::min<Index>(w.rank, p);
    const Eigen::VectorXd values = eigen.eigenvalues();
    const double t = std::max(0.0, large == p ? 0.0 : values(p - 1 - large));
    w.threshold = rounded(Eigen::MatrixXd::Constant(1, 1, t), 50);
    w.large_factor = rounded(eigen.eigenvectors().rightCols(large) *
                                 (values.tail(large).array() - t).max(0.0).sqrt().matrix().asDiagonal(),
                             40);
    w.small_factor = rounded(eigen.eigenvectors().leftCols(p - large) *
                                 (t - values.head(p - large).array()).max(0.0).sqrt().matrix().asDiagonal(),
                             40);
    return w;
}

FactorWitness factors(const ExactMatrix& a, std::size_t r, std::mt19937_64& random) {
    // r columns of A times a coarse guess of how the others depend on them.
    const auto cols = some_indices(std::min(r, static_cast<std::size_t>(a.cols())),
                                   static_cast<std::size_t>(a.cols()), random);
    const Integer denominator = 1 + static_cast<long>(random() % 9);
    std::vector<Integer> right;
    for (const Index c : cols)
        for (Index j = 0; j < a.cols(); ++j)
            right.push_back(j == c ? denominator : Integer(static_cast<long>(random() % 3) - 1));
    return {a.select_cols(cols),
            ExactMatrix::from_integers(static_cast<Index>(cols.size()), a.cols(), right, 0), denominator};
}

// ---- the comparison ---------------------------------------------------------------------------------------

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

template <class Make>
void mutate_lower(unsigned seed, int matrices, int mutants, const Make& make) {
    std::mt19937_64 random(seed);
    Tally tally;
    for (int round = 0; round < matrices; ++round) {
        const std::size_t m = 1 + below(6, random), n = 1 + below(6, random);
        const ExactMatrix a = random_matrix(m, n, (random() & 1) != 0, random);
        const Shaped table = widen(a);
        const auto checker = detail::make_exact_checker({std::nullopt, a});
        const auto w = make(a, table, 1 + below(std::min(m, n), random), random);
        if (!w) continue;
        const Rational edge = checker->lower_reach(*w).value_or(0);
        for (int k = 0; k < 5; ++k) compare_lower(*checker, table, *w, beside(edge, random), tally);
        for (int k = 0; k < mutants; ++k) {
            auto other = mutant(*w, random);
            if (random() % 4 == 0) other = mutant(other, random);
            compare_lower(*checker, table, other, beside(edge, random), tally);
        }
    }
    MESSAGE(tally.proved << " proved, " << tally.refuted << " refuted");
    CHECK(10 * tally.proved > tally.refuted);
    CHECK(10 * tally.refuted > tally.proved);
}

template <class Make>
void mutate_upper(unsigned seed, int matrices, int mutants, const Make& make) {
    std::mt19937_64 random(seed);
    Tally tally;
    for (int round = 0; round < matrices; ++round) {
        const std::size_t m = 1 + below(6, random), n = 1 + below(6, random);
        const ExactMatrix a = random_matrix(m, n, (random() & 1) != 0, random);
        const Shaped table = widen(a);
        const auto checker = detail::make_exact_checker({std::nullopt, a});
        const auto w = make(a, 1 + below(std::min(m, n), random), random);
        const Rational edge = checker->upper_reach(w).value_or(0);
        for (int k = 0; k < 5; ++k) compare_upper(*checker, table, w, beside(edge, random), tally);
        for (int k = 0; k < mutants; ++k) {
            auto other = mutant(w, random);
            if (random() % 4 == 0) other = mutant(other, random);
            compare_upper(*checker, table, other, beside(edge, random), tally);
        }
    }
    MESSAGE(tally.proved << " proved, " << tally.refuted << " refuted");
    CHECK(10 * tally.proved > tally.refuted);
    CHECK(10 * tally.refuted > tally.proved);
}

}  // namespace

TEST_CASE("mutants of fixed-space witnesses are judged as the oracle judges them") {
    mutate_lower(1, 300, 12, [](const ExactMatrix&, const Shaped& a, std::size_t k, std::mt19937_64& random) {
        return fixed_space(a, k, random);
    });
}

TEST_CASE("mutants of Neumann witnesses are judged as the oracle judges them") {
    mutate_lower(2, 300, 12, [](const ExactMatrix&, const Shaped& a, std::size_t k, std::mt19937_64& random) {
        return neumann(a, k, random);
    });
}

TEST_CASE("mutants of Eckart–Young witnesses are judged as the oracle judges them") {
    mutate_lower(3, 250, 12, [](const ExactMatrix& a, const Shaped&, std::size_t k, std::mt19937_64& random) {
        return std::optional(eckart_young(a, k - 1, random));
    });
}

TEST_CASE("mutants of factor witnesses are judged as the oracle judges them") {
    mutate_upper(4, 300, 12, factors);
}

TEST_CASE("mutants of representative rows are judged as the oracle judges them") {
    mutate_upper(5, 300, 12, [](const ExactMatrix& a, std::size_t r, std::mt19937_64& random) {
        RepresentativeRowsWitness w;
        for (Index i = 0; i < a.rows(); ++i) w.representative.push_back(static_cast<Index>(below(r, random)));
        return w;
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
    constexpr bool lower = std::is_constructible_v<LowerWitness, Witness>;
    const Shaped a = widen(subject.centre);
    Rational edge = 0;
    if constexpr (lower)
        edge = checker.lower_reach(witness).value_or(0);
    else
        edge = checker.upper_reach(witness).value_or(0);
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
