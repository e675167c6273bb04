#include "rankcert/search/one_dimensional.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "rankcert/search/work.hpp"
#include "search/lower_exact.hpp"
#include "search/upper_support.hpp"

using namespace rankcert;
using namespace rankcert::search;
using namespace rankcert::test;
using upper_support::exact_error;

namespace {

/// A head of one dimension with its softmax in float64, which is exact enough for values well above 1e-13.
struct Line {
    Matrix query, key;
    double slope;
    [[nodiscard]] ExactMatrix centre() const {
        Matrix a(query.rows(), key.rows());
        for (Index i = 0; i < a.rows(); ++i) {
            const Eigen::ArrayXd logits = slope * query(i, 0) * key.col(0).array();
            const Eigen::ArrayXd weights = (logits - logits.maxCoeff()).exp();
            a.row(i) = (weights / weights.sum()).matrix().transpose();
        }
        return ExactMatrix::from_double(a);
    }
    [[nodiscard]] OneDimensionalSearch search() const {
        return {ExactMatrix::from_double(query), ExactMatrix::from_double(key), to_rational(slope), 1};
    }
};

Line even_line(Index n) {
    const Matrix values = Vector::LinSpaced(n, -1, 1);
    return {values, values, 1};
}

/// Values with repetitions in any order.
Line random_line(Index m, Index n, double slope, unsigned seed) {
    std::mt19937_64 engine(seed);
    const auto draw = [&](Index count) {
        Matrix out(count, 1);
        for (Index i = 0; i < count; ++i) {
            const bool repeat = i > 0 && engine() % 4 == 0;
            out(i, 0) = repeat ? out(static_cast<Index>(engine() % static_cast<std::uint64_t>(i)), 0)
                               : std::ldexp(static_cast<double>(engine() % 2001) - 1000, -10);
        }
        return out;
    };
    Line out{draw(m), draw(n), slope};
    return out;
}

Rational near(double log2_value, double factor) {
    const double whole = std::floor(log2_value);
    return to_rational(std::exp2(log2_value - whole) * factor) * to_rational(Integer(1), std::lround(whole));
}

/// Every v_n down to 2^−30 is found, and met from both sides: just below it the rank is one more than the
/// last n with a larger v_n, just above it the first n with a smaller one (n + 1 and n, but where two values
/// are as near). Says how many there were.
Index check_curve(const Line& line) {
    const ExactMatrix a = line.centre();
    OneDimensionalSearch search = line.search();
    search.follow(to_rational(Integer(1), -30), 10);
    std::vector<double> values;
    for (Index n = 0; n < search.full_rank(); ++n) {
        const auto value = search.estimate_log2_value(n);
        REQUIRE(value);
        if (*value < -30) break;
        values.push_back(*value);
    }
    for (const double value : values) {
        CAPTURE(value);
        const Rational below = near(value, 1 - 1e-6), above = near(value, 1 + 1e-6);
        const auto rank_at = [&](double log2) {
            return std::count_if(values.begin(), values.end(), [&](double other) { return other > log2; });
        };
        const auto lower = search.propose_lower(a, below, 0);
        REQUIRE(lower);
        CHECK(proved_rank(*lower, a, below) == rank_at(value + std::log2(1 - 1e-6)));
        CHECK(proved_rank(*lower, a, above) == 0);
        const Index rank = rank_at(value + std::log2(1 + 1e-6));
        if (rank == 0) continue;
        const auto upper = search.propose_upper(a, above, rank + 1);
        REQUIRE(upper);
        CHECK(upper->left.cols() == rank);
        CHECK(exact_error(a, *upper) <= above);
        CHECK(exact_error(a, *upper) >= near(values[static_cast<std::size_t>(rank)], 1 - 1e-6));
    }
    return static_cast<Index>(values.size());
}

}  // namespace

TEST_CASE("64 equal steps: every rank is met from both sides within a millionth of its threshold") {
    CHECK(check_curve(even_line(64)) == 8);  // v_7 = 2.4e-8, v_8 = 7.6e-10
}

TEST_CASE("the first threshold of an even line is that of the step in its middle") {
    // By symmetry the one knot is in the middle, and the first and the last row are the extremes.
    const Line line = even_line(64);
    OneDimensionalSearch search = line.search();
    search.follow(Rational(1, 4), 1);
    double first = 0;
    const Matrix a = line.centre().to_double();
    for (Index j = 0; j < 64; ++j) first += j < 32 ? a(0, j) : -a(0, j);
    REQUIRE(search.estimate_log2_value(1));
    CHECK(std::exp2(*search.estimate_log2_value(1)) == doctest::Approx(first).epsilon(1e-12));
}

TEST_CASE("the last threshold of a square head is its distance to the singular matrices, 1/‖A⁻¹‖") {
    for (const Index n : {2, 3, 5, 8}) {
        const Line line = even_line(n);
        Line steep = line;
        steep.slope = 9;
        OneDimensionalSearch search = steep.search();
        search.follow(to_rational(Integer(1), -40), 1);
        const auto inverted = inverse(steep.centre().to_double());
        REQUIRE(inverted);
        REQUIRE(search.estimate_log2_value(n - 1));
        CHECK(std::exp2(*search.estimate_log2_value(n - 1)) ==
              doctest::Approx(1 / estimate_norm(*inverted)).epsilon(1e-9));
        CHECK(std::isinf(*search.estimate_log2_value(n)));
    }
}

TEST_CASE(
    "rows and columns in any order, repeated, of either sign of slope: every threshold from both sides") {
    std::mt19937_64 engine(7);
    for (unsigned seed = 0; seed < 24; ++seed) {
        const auto m = static_cast<Index>(2 + engine() % 19), n = static_cast<Index>(2 + engine() % 19);
        const double slopes[] = {1, -1, 6, -6, 30, 120};
        const double slope = slopes[seed % 6];
        CAPTURE(seed);
        CHECK(check_curve(random_line(m, n, slope, seed)) >= 1);
    }
}

TEST_CASE("a head of few different columns has factors without error") {
    Line line = random_line(12, 3, 2, 5);
    line.key = (Matrix(9, 1) << 1, -1, .5, 1, 1, -1, .5, -1, -1).finished();
    OneDimensionalSearch search = line.search();
    CHECK(search.full_rank() == 3);
    const auto witness = search.propose_upper(line.centre(), to_rational(Integer(1), -500), 9);
    REQUIRE(witness);
    CHECK(witness->left.cols() == 3);
    CHECK(exact_error(line.centre(), *witness) == 0);
}

TEST_CASE("a flat head has one row, and nothing is proposed beyond rank 1") {
    Line flat = even_line(6);
    flat.slope = 0;
    OneDimensionalSearch search = flat.search();
    CHECK(search.full_rank() == 1);
    search.follow(Rational(1, 1000), 1);
    CHECK(std::isinf(*search.estimate_log2_value(1)));
    CHECK_FALSE(search.propose_lower(flat.centre(), Rational(1, 1000), 1));
}

TEST_CASE("the work is charged, and ends where it is used up") {
    const Line line = even_line(24);
    OneDimensionalSearch search = line.search();
    const double before = work_seconds();
    search.follow(to_rational(Integer(1), -150), 0);
    const double first = work_seconds() - before;
    CHECK(first > 0);
    CHECK_FALSE(search.estimate_log2_value(15));
    search.follow(to_rational(Integer(1), -150), 100);
    CHECK(work_seconds() - before > 10 * first);
    REQUIRE(search.estimate_log2_value(15));
}
