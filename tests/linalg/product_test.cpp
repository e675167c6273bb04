#include "rankcert/linalg/product.hpp"

#include <doctest/doctest.h>

#include "linalg/ball_helpers.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::test;

namespace {

/// The first entry of the exact product that the ball does not contain, as text; empty where there is none.
std::string missing(const BallMatrix& ball, const ExactMatrix& product) {
    if (ball.rows() != product.rows() || ball.cols() != product.cols()) return "shape";
    for (Index i = 0; i < ball.rows(); ++i)
        for (Index j = 0; j < ball.cols(); ++j)
            if (!contains(ball, i, j, product(i, j))) return std::to_string(i) + "," + std::to_string(j);
    return {};
}

const Index kShapes[][3] = {{0, 0, 0}, {3, 0, 3}, {0, 4, 2}, {2, 5, 0},  {1, 1, 1},  {1, 7, 1},
                            {5, 1, 3}, {2, 3, 4}, {8, 8, 8}, {3, 40, 2}, {21, 9, 17}};

Rational row_error(const BoundedProduct& product, const ExactMatrix& truth, Index i) {
    Rational sum = 0;
    for (Index j = 0; j < truth.cols(); ++j) sum += absolute(truth(i, j) - to_rational(product.value(i, j)));
    return sum;
}
Rational column_error(const BoundedProduct& product, const ExactMatrix& truth, Index j) {
    Rational sum = 0;
    for (Index i = 0; i < truth.rows(); ++i) sum += absolute(truth(i, j) - to_rational(product.value(i, j)));
    return sum;
}

}  // namespace

TEST_CASE("an enclosed product contains the exact one, whatever the entries and the caller's environment") {
    Random random(1);
    for (const auto& [m, k, n] : kShapes)
        for (const Kind kind : kKinds)
            for (const Environment& environment : environments()) {
                const MatrixXd a = random_matrix(m, k, kind, random);
                const MatrixXd b = random_matrix(k, n, kKinds[random() % 8], random);
                const BallMatrix ball = called_in(environment, [&] { return enclose_product(a, b); });
                CHECK(missing(ball, exact(a) * exact(b)) == "");
            }
}

TEST_CASE("the radius of an enclosed product is what the theorem says, not more") {
    Random random(2);
    for (const auto& [m, k, n] : kShapes) {
        const MatrixXd a = random_matrix(m, k, Kind::uniform, random);
        const MatrixXd b = random_matrix(k, n, Kind::uniform, random);
        const BallMatrix ball = enclose_product(a, b);
        const ExactMatrix sizes = exact(a.cwiseAbs()) * exact(b.cwiseAbs());
        const Rational allowed = to_rational(Integer(k), -53) * Rational(1001, 1000);
        for (Index i = 0; i < m; ++i)
            for (Index j = 0; j < n; ++j)
                CHECK(to_rational(ball.radius(i, j)) <=
                      allowed * sizes(i, j) + to_rational(Integer(16 * k), -1074));
    }
}

TEST_CASE("enclosed products of balls contain the products of their members") {
    Random random(3);
    for (const auto& [m, k, n] : kShapes)
        for (const Kind kind : kKinds)
            for (const Environment& environment : environments()) {
                const BallMatrix x = random_ball(m, k, kind, random);
                const BallMatrix y = random_ball(k, n, kKinds[random() % 8], random);
                struct Results {
                    BallMatrix both, tight, left, right;
                };
                const Results results = called_in(environment, [&] {
                    return Results{enclose_product(x, y), enclose_product_tightly(x, y),
                                   enclose_product(x, y.midpoint), enclose_product(x.midpoint, y)};
                });
                for (int trial = 0; trial < 4; ++trial) {
                    const MatrixXd a = random_member(x, random);
                    const MatrixXd b = random_member(y, random);
                    const ExactMatrix product = exact(a) * exact(b);
                    CHECK(missing(results.both, product) == "");
                    CHECK(missing(results.tight, product) == "");
                    CHECK(missing(results.left, exact(a) * exact(y.midpoint)) == "");
                    CHECK(missing(results.right, exact(x.midpoint) * exact(b)) == "");
                }
            }
}

TEST_CASE("the bounds of a one-product form hold for rows and for columns") {
    Random random(4);
    for (const auto& [m, k, n] : kShapes)
        for (const Kind kind : kKinds)
            for (const Environment& environment : environments()) {
                const MatrixXd a = random_matrix(m, k, kind, random);
                const MatrixXd b = random_matrix(k, n, kKinds[random() % 8], random);
                const BoundedProduct product = called_in(environment, [&] { return bounded_product(a, b); });
                const ExactMatrix truth = exact(a) * exact(b);
                for (Index i = 0; i < m; ++i)
                    if (product.row_error[i] != kInf)
                        CHECK(row_error(product, truth, i) <= to_rational(product.row_error[i]));
                for (Index j = 0; j < n; ++j)
                    if (product.column_error[j] != kInf)
                        CHECK(column_error(product, truth, j) <= to_rational(product.column_error[j]));
            }
}

TEST_CASE("products stay right at the sizes where the product's blocking changes") {
    Random random(5);
    for (const Index n : {63, 64, 65, 100, 257}) {
        const MatrixXd a = random_matrix(5, n, Kind::cancelling, random);
        const MatrixXd b = random_matrix(n, 7, Kind::cancelling, random);
        const ExactMatrix truth = exact(a) * exact(b);
        CHECK(missing(enclose_product(a, b), truth) == "");
        const BoundedProduct product = bounded_product(a, b);
        for (Index i = 0; i < 5; ++i)
            CHECK(row_error(product, truth, i) <= to_rational(product.row_error[i]));
    }
}

TEST_CASE("an enclosure is the same in every environment of the caller") {
    Random random(6);
    const MatrixXd a = random_matrix(33, 20, Kind::wide, random);
    const MatrixXd b = random_matrix(20, 31, Kind::subnormal, random);
    const BallMatrix reference = enclose_product(a, b);
    for (const Environment& environment : environments()) {
        const BallMatrix ball = called_in(environment, [&] { return enclose_product(a, b); });
        CHECK(ball.midpoint == reference.midpoint);
        CHECK(ball.radius == reference.radius);
    }
}

TEST_CASE("a product under the caller's upward rounding is still that of round to nearest") {
    // [1 2^-53; 0 2^-53] times its transpose: upward rounding of the (0, 0) entry is the double after 1.
    MatrixXd a(2, 2);
    a << 1, 0x1p-53, 0, 0x1p-53;
    const BallMatrix ball = called_in({FE_UPWARD, false}, [&] { return enclose_product(a, a.transpose()); });
    CHECK(missing(ball, exact(a) * exact(a).transpose()) == "");
    CHECK(ball.midpoint(0, 0) == 1);
    // Thirds and sevenths: the exact sums of 512 products lie between the bounds that directed rounding would
    // give.
    const MatrixXd thirds = MatrixXd::Constant(2, 512, 1.0 / 3);
    const MatrixXd sevenths = MatrixXd::Constant(512, 2, 1.0 / 7);
    const BallMatrix sum = called_in({FE_DOWNWARD, true}, [&] { return enclose_product(thirds, sevenths); });
    CHECK(missing(sum, exact(thirds) * exact(sevenths)) == "");
}

TEST_CASE("with subnormals flushed by the caller, subnormal products are kept") {
    MatrixXd tiny(1, 1), large(1, 1);
    tiny << 5e-324;
    large << 1e300;
    const BallMatrix ball = called_in({FE_TONEAREST, true}, [&] { return enclose_product(tiny, large); });
    CHECK(missing(ball, exact(tiny) * exact(large)) == "");
    CHECK(ball.midpoint(0, 0) > 4.9e-24);
    MatrixXd small(1, 1);
    small << 1e-200;
    const BallMatrix underflow =
        called_in({FE_TONEAREST, true}, [&] { return enclose_product(small, small); });
    CHECK(missing(underflow, exact(small) * exact(small)) == "");
    CHECK(underflow.radius(0, 0) >= 5e-324);
}

TEST_CASE(
    "the tight product of positive balls has positive lower bounds and ends at the products of the ends") {
    MatrixXd b_low(1, 3), b_high(1, 3), a_low(3, 1), a_high(3, 1);
    b_low << 2.35903e14, 2.36564e14, 3.89381e12;
    b_high << 3.16785e15, 1.38742e15, 1.68618e13;
    a_low << 77.0713, 59.9388, 3.8025;
    a_high << 645.097, 282.904, 6.30973;
    const BallMatrix b = matrix_from_bounds(b_low, b_high);
    const BallMatrix a = matrix_from_bounds(a_low, a_high);
    const BallMatrix tight = enclose_product_tightly(b, a);
    const ExactMatrix low = exact(b_low) * exact(a_low);
    const ExactMatrix high = exact(b_high) * exact(a_high);
    CHECK(missing(tight, low) == "");
    CHECK(missing(tight, high) == "");
    const Rational lower = to_rational(lower_bounds(tight)(0, 0));
    const Rational upper = to_rational(upper_bounds(tight)(0, 0));
    const Rational width = high(0, 0) - low(0, 0);
    CHECK(lower > 0);
    CHECK((upper - lower - width) * Rational(100000) < width);  // radii carry a slack of one in a million
    CHECK(missing(enclose_product(b, a), low) == "");
    CHECK(missing(enclose_product(b, a), high) == "");
}

TEST_CASE("a ball times a point takes the factors as they are") {
    MatrixXd low(1, 1), high(1, 1), one(1, 1);
    low << 1;
    high << 2;
    one << 1;
    const BallMatrix product = enclose_product(matrix_from_bounds(low, high), one);
    CHECK(contains(product, low));
    CHECK(contains(product, high));
    CHECK(upper_bounds(product)(0, 0) < 2.0001);
    CHECK(lower_bounds(product)(0, 0) > 0.9999);
}

TEST_CASE("where a product overflows the entry says that it knows nothing") {
    MatrixXd a(2, 2), b(2, 2);
    a << 1e200, -1e200, 1, 2;
    b << 1e200, 1, 1e200, 1;
    const BallMatrix ball = enclose_product(a, b);
    CHECK(ball.midpoint(0, 0) == 0);
    CHECK(ball.radius(0, 0) == kInf);
    CHECK(missing(ball, exact(a) * exact(b)) == "");
    CHECK(ball.radius(1, 1) < 1e-14);
    const BoundedProduct bounded =
        bounded_product(a, b);  // no bound for a row or a column with an entry that is lost
    CHECK(bounded.row_error[0] == kInf);
    CHECK(bounded.column_error[0] == kInf);
    CHECK(row_error(bounded, exact(a) * exact(b), 1) <= to_rational(bounded.row_error[1]));
    CHECK(column_error(bounded, exact(a) * exact(b), 1) <= to_rational(bounded.column_error[1]));
    // And what knows nothing spreads: 0 · (0 ± ∞) is not 0.
    const BallMatrix next = enclose_product(ball, MatrixXd::Zero(2, 2));
    CHECK(next.radius(0, 0) == kInf);
    CHECK(enclose_product(ball, ball).radius(0, 1) == kInf);
    CHECK(enclose_product_tightly(ball, ball).radius(0, 1) == kInf);
}

TEST_CASE("products with an inner dimension of zero are zero, and empty ones are empty") {
    const BallMatrix zero = enclose_product(MatrixXd(3, 0), MatrixXd(0, 3));
    CHECK(zero.midpoint == MatrixXd::Zero(3, 3));
    CHECK(zero.radius == MatrixXd::Zero(3, 3));
    CHECK(enclose_product(MatrixXd(0, 3), MatrixXd(3, 2)).midpoint.rows() == 0);
    CHECK(bounded_product(MatrixXd(1, 0), MatrixXd(0, 2)).row_error[0] == 0);
}

TEST_CASE("products refuse NaN, infinity, disagreeing shapes and inner dimensions beyond the proof") {
    MatrixXd a = MatrixXd::Ones(2, 3);
    const MatrixXd b = MatrixXd::Ones(3, 2);
    CHECK_THROWS_WITH_AS(enclose_product(b, b), doctest::Contains("inner dimensions 2 and 3"), Error);
    a(1, 2) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS(enclose_product(a, b), doctest::Contains("entry (1, 2) of the left factor is NaN"),
                         Error);
    CHECK_THROWS_WITH_AS(bounded_product(b, a), doctest::Contains("entry (1, 2) of the right factor is NaN"),
                         Error);
    a(1, 2) = kInf;
    CHECK_THROWS_WITH_AS(enclose_product(a, b),
                         doctest::Contains("entry (1, 2) of the left factor is infinite"), Error);
    BallMatrix ball = point_matrix(b);
    ball.radius(0, 1) = -1;
    CHECK_THROWS_WITH_AS(enclose_product(ball, b.transpose()),
                         doctest::Contains("entry (0, 1) of the radius"), Error);
    ball.radius(0, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(enclose_product(ball, ball), Error);
    const Index beyond = (Index{1} << 28) + 1;
    CHECK_THROWS_WITH_AS(enclose_product(MatrixXd(0, beyond), MatrixXd(beyond, 0)), doctest::Contains("2^28"),
                         Error);
}

TEST_CASE("balls from bounds contain both ends and everything between, at every size") {
    Random random(7);
    for (const Kind kind : kKinds)
        for (const Environment& environment : environments()) {
            MatrixXd low = random_matrix(4, 3, kind, random);
            MatrixXd high = random_matrix(4, 3, kKinds[random() % 8], random);
            for (Index k = 0; k < low.size(); ++k)
                if (low.data()[k] > high.data()[k]) std::swap(low.data()[k], high.data()[k]);
            const BallMatrix ball = called_in(environment, [&] { return matrix_from_bounds(low, high); });
            CHECK(contains(ball, low));
            CHECK(contains(ball, high));
            const MatrixXd lower = called_in(environment, [&] { return lower_bounds(ball); });
            const MatrixXd upper = called_in(environment, [&] { return upper_bounds(ball); });
            for (Index i = 0; i < 4; ++i)
                for (Index j = 0; j < 3; ++j) {
                    CHECK(to_rational(lower(i, j)) <= to_rational(low(i, j)));
                    CHECK(to_rational(upper(i, j)) >= to_rational(high(i, j)));
                }
        }
    MatrixXd low(1, 1), high(1, 1);
    low << -0x1p-60;
    high << 1;
    const BallMatrix ball = matrix_from_bounds(low, high);
    CHECK(to_rational(ball.midpoint(0, 0)) + to_rational(ball.radius(0, 0)) >= Rational(1));
    CHECK(to_rational(ball.midpoint(0, 0)) - to_rational(ball.radius(0, 0)) <= -to_rational(Integer(1), -60));
    low << 1.7e308;
    high << 1.79e308;
    CHECK(matrix_from_bounds(low, high).midpoint(0, 0) == doctest::Approx(1.745e308));
    high << kInf;
    CHECK(matrix_from_bounds(low, high).radius(0, 0) == kInf);
    CHECK_THROWS_WITH_AS(matrix_from_bounds(high, low), doctest::Contains("entry (0, 0) of the lower bounds"),
                         Error);
}

TEST_CASE("sums and differences of balls contain those of their members") {
    Random random(8);
    for (const Kind kind : kKinds)
        for (const Environment& environment : environments()) {
            const BallMatrix x = random_ball(3, 4, kind, random);
            const BallMatrix y = random_ball(3, 4, kKinds[random() % 8], random);
            const BallMatrix sum = called_in(environment, [&] { return x + y; });
            const BallMatrix difference = called_in(environment, [&] { return x - y; });
            const MatrixXd a = random_member(x, random);
            const MatrixXd b = random_member(y, random);
            CHECK(missing(sum, exact(a) + exact(b)) == "");
            CHECK(missing(difference, exact(a) - exact(b)) == "");
            CHECK(missing(transpose(sum), (exact(a) + exact(b)).transpose()) == "");
        }
}
