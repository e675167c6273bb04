#include "rankcert/search/row_cycle.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "search/lower_exact.hpp"
#include "search/row_cycle_climb.hpp"

// The search for row cycles. What it proposes is checked exactly; what it says of cycles on few rows is
// compared with elimination over F₂ of all sets.

using namespace rankcert;
using namespace rankcert::search;

namespace {

using Random = std::mt19937_64;

double unit(Random& random) { return std::ldexp(static_cast<double>(random() >> 11), -53); }

/// Softmax of random logits of few dimensions, times `sharpness`.
Matrix attention(Index m, Index n, Index d, double sharpness, Random& random) {
    const auto entry = [&] {
        return std::sqrt(-2 * std::log(1 - unit(random))) * std::cos(6.283185307179586 * unit(random));
    };
    Matrix q(m, d), k(n, d);
    q = q.unaryExpr([&](double) { return entry(); });
    k = k.unaryExpr([&](double) { return entry(); });
    Matrix a = (sharpness * q * k.transpose()).array().exp();
    for (Index i = 0; i < m; ++i) a.row(i) /= a.row(i).sum();
    return a;
}

/// Whether the alive sets among all on these rows carry an odd cycle, by elimination of every column.
bool has_odd_cycle(const SignedSets& sets, const std::vector<char>& alive, const SignedSets& faces) {
    std::vector<std::vector<char>> columns;  // the boundary, then whether the set alternates
    std::vector<int> pivots;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (alive[i] == 0) continue;
        std::vector<char> column(faces.size() + 1);
        const auto [mask, negative] = sets[i];
        bool alternates = true, first = true, before = false;
        for (int p = 0; p < sets.n(); ++p) {
            const auto bit = SignedSets::Mask{1} << static_cast<unsigned>(p);
            if ((mask & bit) == 0) continue;
            column[faces.index({mask ^ bit, negative & ~bit})] ^= 1;
            const bool sign = (negative & bit) != 0;
            if (!first && sign == before) alternates = false;
            first = false;
            before = sign;
        }
        column[faces.size()] = alternates ? 1 : 0;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (column[static_cast<std::size_t>(pivots[c])] == 0) continue;
            for (std::size_t x = 0; x < column.size(); ++x) column[x] ^= columns[c][x];
        }
        std::size_t pivot = 0;
        while (pivot < column.size() && column[pivot] == 0) ++pivot;
        if (pivot == faces.size()) return true;
        if (pivot == column.size()) continue;
        pivots.push_back(static_cast<int>(pivot));
        columns.push_back(std::move(column));
    }
    return false;
}

}  // namespace

TEST_CASE("the value of a signed set lies between its estimates, and these meet") {
    Random random(71);
    for (int round = 0; round < 60; ++round) {
        const Index n = 3 + static_cast<Index>(random() % 40);
        const Matrix a = attention(6, n, 3, 1.5, random);
        SetValues values(a);
        const std::vector<Index> rows = {0, 2, 3, 5};
        const std::uint64_t negative = (random() % 8) << 1U;
        std::vector<float> weights(4, .25F);
        const SetBounds bounds = values.evaluate(rows, negative, NAN, weights, 1e-5);
        CHECK(bounds.lower <= bounds.upper + 1e-12);
        CHECK(bounds.upper - bounds.lower < 2e-3 * bounds.upper);
        // The vector and the weights are what they are said to be.
        const Eigen::Map<const Vector> v(values.vector().data(), n);
        CHECK(v.cwiseAbs().maxCoeff() <= 1);
        double least = HUGE_VAL;
        Vector mixed = Vector::Zero(n);
        for (std::size_t i = 0; i < 4; ++i) {
            const double sign = (negative >> i & 1) != 0 ? -1 : 1;
            least = std::min(least, sign * a.row(rows[i]).dot(v));
            mixed += sign * static_cast<double>(weights[i]) * a.row(rows[i]).transpose();
        }
        CHECK(least == doctest::Approx(bounds.lower));
        if (negative != 0) CHECK(mixed.lpNorm<1>() == doctest::Approx(bounds.upper).epsilon(1e-5));
    }
}

TEST_CASE("cycles on few rows are found exactly where elimination finds one") {
    Random random(72);
    int yes = 0, no = 0;
    for (int round = 0; round < 120; ++round) {
        const int k = 2 + static_cast<int>(random() % 3);
        const int n = k + static_cast<int>(random() % 3);
        const Matrix a = attention(n, 12, 3, 1 + unit(random), random);
        SetValues values(a);
        const auto sets = std::make_shared<const SignedSets>(k, n);
        CycleFinder finder(values, sets);
        std::vector<Index> rows;
        for (Index i = 0; i < n; ++i) rows.push_back(i);
        const CycleState start = finder.start(rows);
        // Any value may be the threshold; between two, so that estimates do not matter.
        std::vector<double> all;
        for (std::size_t i = 0; i < sets->size(); ++i) {
            std::uint64_t negative = 0;
            const auto members = finder.rows_of(start, i, negative);
            std::vector<float> weights(static_cast<std::size_t>(k), 1);
            all.push_back(values.evaluate(members, negative, NAN, weights, 1e-6).lower);
        }
        std::vector<double> sorted = all;
        std::sort(sorted.begin(), sorted.end());
        const std::size_t at = random() % (sorted.size() - 1);
        const double threshold = (sorted[at] + sorted[at + 1]) / 2;
        if (!(sorted[at + 1] > 1.02 * sorted[at])) continue;
        std::vector<char> alive;
        for (const double value : all) alive.push_back(value > threshold ? 1 : 0);
        const bool expected = has_odd_cycle(*sets, alive, SignedSets(k - 1, n));
        CycleState state = start;
        CHECK(finder.find(state, threshold, 10) == expected);
        ++(expected ? yes : no);
        if (!expected) continue;
        for (std::size_t i = 0; i < sets->size(); ++i) {
            if (state.in[i] != 0) CHECK(alive[i] != 0);
        }
    }
    CHECK(yes > 10);
    CHECK(no > 10);
}

TEST_CASE("every proposal is proved in exact arithmetic, and a second run gives the same one") {
    Random random(73);
    int found = 0;
    for (int round = 0; round < 12; ++round) {
        const Index n = 10 + static_cast<Index>(random() % 20);
        Matrix a = attention(n, n + 3, 2, 2, random);
        a = a.unaryExpr([](double x) { return std::ldexp(std::nearbyint(std::ldexp(x, 50)), -50); });
        const Index k = 2 + static_cast<Index>(round % 4);
        const double tolerance = .3 / static_cast<double>(k * k) + .05;
        Options options;
        options.seed = static_cast<unsigned>(round);
        const auto witness = RowCycleSearch(a, options).propose(tolerance, k, .2);
        const auto again = RowCycleSearch(a, options).propose(tolerance, k, .2);
        REQUIRE(witness.has_value() == again.has_value());
        if (!witness) continue;
        ++found;
        CHECK(witness->vectors == again->vectors);
        CHECK(witness->rank == k);
        CHECK(proposed_rank(*witness) == k);
        CHECK(test::proved_rank(*witness, ExactMatrix::from_double(a), to_rational(tolerance)) == k);
    }
    CHECK(found > 6);
}

TEST_CASE("what was found for a rank serves a smaller tolerance at no cost") {
    Random random(74);
    const Matrix a = attention(20, 20, 2, 2, random);
    RowCycleSearch search(a);
    REQUIRE(search.propose(.1, 3, 1));
    const double work = search.work();
    CHECK(search.propose(.05, 3, 0));
    CHECK(search.reach_curve().at(3) > .1);
    CHECK(search.work() - work < .1);
}

TEST_CASE("no cycle is found beyond a rank that is known") {
    // Rank r and noise of norm e: no cycle of rank r + 1 has a value above e.
    Random random(75);
    for (int round = 0; round < 10; ++round) {
        const Index r = 1 + round % 4, m = 12;
        Matrix x(m, r), y(r, 14), e(m, 14);
        for (Matrix* matrix : {&x, &y, &e}) *matrix = matrix->unaryExpr([&](double) { return unit(random); });
        for (Index i = 0; i < m; ++i) x.row(i) /= x.row(i).sum();
        for (Index i = 0; i < r; ++i) y.row(i) /= y.row(i).sum();
        e = (e.array() - .5) * .02;
        const Matrix a = x * y + e;
        RowCycleSearch search(a);
        CHECK_FALSE(search.propose(estimate_norm(e) * (1 + 1e-9), r + 1, .3));
        CHECK(search.reach_curve()[r + 1] < estimate_norm(e) * (1 + 1e-5));
    }
}

TEST_CASE("nothing is proposed where nothing can be") {
    Random random(76);
    const Matrix a = attention(8, 8, 2, 1, random);
    RowCycleSearch search(a);
    CHECK_FALSE(search.propose(.1, 1, 1));
    CHECK_FALSE(search.propose(.1, 9, 1));
    CHECK_FALSE(search.propose(.1, kMaxProposedRowCycle + 1, 1));
    CHECK_FALSE(search.propose(0, 2, 1));
    CHECK_FALSE(search.propose(NAN, 2, 1));
    CHECK_FALSE(search.propose(2, 2, .05));
    CHECK_FALSE(RowCycleSearch(a).propose(.1, 2, 1e3, [] { return true; }));
    Matrix bad = a;
    bad(1, 1) = NAN;
    CHECK_FALSE(RowCycleSearch(bad).propose(.1, 2, 1));
    CHECK_FALSE(RowCycleSearch(Matrix(0, 0)).propose(.1, 2, 1));
    CHECK_FALSE(RowCycleSearch(Matrix::Zero(4, 4)).propose(.1, 2, .05));
}
