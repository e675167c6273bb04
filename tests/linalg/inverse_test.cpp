#include "rankcert/linalg/inverse.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>

#include "linalg/ball_helpers.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::test;

namespace {

/// Whether everything that is said of G⁻¹ is true of this matrix.
bool is_true_of(const InverseEnclosure& enclosure, const MatrixXd& g) {
    const RationalMatrix inverse = exact_inverse(rationals(exact(g)));
    if (g.size() != 0 && inverse.empty()) return false;  // it said that g is invertible
    for (Index i = 0; i < g.rows(); ++i) {
        Rational row = 0;
        for (Index j = 0; j < g.cols(); ++j) {
            const Rational& entry = inverse[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
            row += absolute(entry);
            if (!contains(enclosure.inverse, i, j, entry)) return false;
        }
        if (enclosure.norm != kInf && row > to_rational(enclosure.norm)) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("an enclosed inverse contains the exact one, whatever the entries and the caller's environment") {
    Random random(1);
    int proved = 0;
    for (Index n = 0; n <= 6; ++n)
        for (const Kind kind : kKinds)
            for (const Environment& environment : environments()) {
                const MatrixXd g = random_matrix(n, n, kind, random);
                const auto enclosure = called_in(environment, [&] { return enclose_inverse(g); });
                if (!enclosure) continue;
                ++proved;
                CHECK(is_true_of(*enclosure, g));
                CHECK(enclosure->residual < 1);
            }
    CHECK(proved > 150);
}

TEST_CASE("an enclosed inverse of a ball contains the inverses of its members") {
    Random random(2);
    int proved = 0;
    for (Index n = 1; n <= 5; ++n)
        for (int trial = 0; trial < 40; ++trial) {
            BallMatrix ball = point_matrix(random_matrix(n, n, Kind::uniform, random));
            ball.radius.setConstant(std::ldexp(1.0, -static_cast<int>(random() % 40)));
            const auto enclosure = enclose_inverse(ball);
            if (!enclosure) continue;
            ++proved;
            for (int member = 0; member < 4; ++member)
                CHECK(is_true_of(*enclosure, random_member(ball, random)));
        }
    CHECK(proved > 50);
}

TEST_CASE("the largest row sum of an inverse is bounded from above, not by a part of it") {
    MatrixXd t(3, 3);
    t << 2, .15, .05, 0, 1.3, .2, 0, 0, .7;
    const auto enclosure = enclose_inverse(t);
    REQUIRE(enclosure);
    CHECK(is_true_of(*enclosure, t));
    CHECK(enclosure->norm >= 1.428571);
    CHECK(enclosure->norm < 1.4285715);
}

TEST_CASE("singular matrices are never invertible, however near their approximate inverse looks") {
    Random random(3);
    for (Index n = 1; n <= 6; ++n)
        for (int trial = 0; trial < 50; ++trial) {
            MatrixXd g = random_matrix(n, n, trial % 2 == 0 ? Kind::integers : Kind::ties, random);
            if (n == 1) g.setZero();
            if (n > 1) g.row(n - 1) = g.row(0) * 2;  // exact
            CHECK_FALSE(enclose_inverse(g));
            CHECK_FALSE(prove_inverse(g, random_matrix(n, n, Kind::uniform, random)));
        }
    CHECK_FALSE(enclose_inverse(MatrixXd::Zero(3, 3)));
    // A ball with a singular member is not invertible either: [1 1; 1 1+2^-40] with a radius of 2^-40.
    BallMatrix ball = point_matrix(MatrixXd::Ones(2, 2));
    ball.midpoint(1, 1) += 0x1p-40;
    CHECK(enclose_inverse(ball));
    ball.radius(1, 1) = 0x1p-40;
    CHECK_FALSE(enclose_inverse(ball));
}

TEST_CASE("a wrong approximate inverse proves nothing false") {
    Random random(4);
    int proved = 0, refused = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const Index n = 1 + trial % 4;
        const MatrixXd g = random_matrix(n, n, Kind::uniform, random);
        MatrixXd r = g.inverse();
        // One entry of one of them is changed by anything between the last place and beyond recognition.
        const Index i = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
        const Index j = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
        r(i, j) += std::ldexp(random_double(Kind::uniform, random), 4 - static_cast<int>(random() % 50));
        const auto enclosure = prove_inverse(g, r);
        if (enclosure) {
            ++proved;
            CHECK(is_true_of(*enclosure, g));
        } else {
            ++refused;
        }
    }
    CHECK(proved > 100);
    CHECK(refused > 100);
    MatrixXd nan = MatrixXd::Identity(2, 2);
    nan(0, 0) = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(prove_inverse(MatrixXd::Identity(2, 2), nan));
}

TEST_CASE("scaling by powers of two, as far as doubles go, does not matter") {
    Random random(5);
    const MatrixXd g = random_matrix(4, 4, Kind::uniform, random);
    for (const int e : {-1060, -1000, -500, 500, 1000}) {
        const MatrixXd scaled = g.unaryExpr([e](double x) { return std::ldexp(x, e); });
        const auto enclosure = enclose_inverse(scaled);
        REQUIRE(enclosure);
        CHECK(is_true_of(*enclosure, scaled));
    }
    MatrixXd columns = g;  // variables in units that have nothing to do with each other
    columns.col(0) *= 1e-200;
    columns.col(1) *= 1e200;
    const auto enclosure = enclose_inverse(columns);
    REQUIRE(enclosure);
    CHECK(is_true_of(*enclosure, columns));
    CHECK((enclosure->inverse.radius.array() <= 1e-10 * enclosure->inverse.midpoint.array().abs()).all());
}

TEST_CASE("inverses of empty matrices are empty, and shapes are checked") {
    const auto enclosure = enclose_inverse(MatrixXd(0, 0));
    REQUIRE(enclosure);
    CHECK(enclosure->inverse.rows() == 0);
    CHECK(enclosure->norm == 0);
    CHECK_THROWS_WITH_AS(enclose_inverse(MatrixXd(2, 3)), doctest::Contains("2×3"), Error);
    CHECK_THROWS_AS(prove_inverse(MatrixXd::Identity(2, 2), MatrixXd::Identity(3, 3)), Error);
    MatrixXd inf = MatrixXd::Identity(2, 2);
    inf(1, 0) = kInf;
    CHECK_THROWS_WITH_AS(enclose_inverse(inf), doctest::Contains("entry (1, 0) of the matrix is infinite"),
                         Error);
    BallMatrix ball = point_matrix(MatrixXd::Identity(2, 2));
    ball.radius(0, 0) = kInf;
    CHECK_FALSE(enclose_inverse(ball));
}
