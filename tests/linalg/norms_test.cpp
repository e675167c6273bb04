#include "rankcert/linalg/norms.hpp"

#include <doctest/doctest.h>

#include "linalg/ball_helpers.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::test;

namespace {

const Index kShapes[][2] = {{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 9}, {9, 1}, {4, 6}, {30, 17}};

struct Bounds {
    VectorXd upper_rows, lower_rows, upper_columns, lower_columns;
    double upper_row, lower_row, upper_column, lower_column;
    double upper_frobenius, lower_frobenius, upper_squares, lower_squares, spectral, largest;
};
Bounds bounds_of(const MatrixXd& a) {
    return {upper_row_norms(a),      lower_row_norms(a),      upper_column_norms(a),
            lower_column_norms(a),   upper_row_norm(a),       lower_row_norm(a),
            upper_column_norm(a),    lower_column_norm(a),    upper_frobenius_norm(a),
            lower_frobenius_norm(a), upper_sum_of_squares(a), lower_sum_of_squares(a),
            upper_spectral_norm(a),  largest_entry(a)};
}

bool at_least(double bound, const Rational& value) { return bound == kInf || to_rational(bound) >= value; }
bool at_most(double bound, const Rational& value) { return bound != kInf && to_rational(bound) <= value; }

}  // namespace

TEST_CASE("bounds of norms hold, and are tight, whatever the entries and the caller's environment") {
    Random random(1);
    for (const auto& [m, n] : kShapes)
        for (const Kind kind : kKinds)
            for (const Environment& environment : environments()) {
                const MatrixXd a = random_matrix(m, n, kind, random);
                const Bounds bounds = called_in(environment, [&] { return bounds_of(a); });
                const ExactMatrix e = exact(a);
                const std::vector<Rational> rows = e.row_norms();
                const std::vector<Rational> columns = e.transpose().row_norms();
                const Rational tightness = 1 + to_rational(Integer(n + 1), -51);
                for (Index i = 0; i < m; ++i) {
                    const Rational& row = rows[static_cast<std::size_t>(i)];
                    CHECK(at_least(bounds.upper_rows[i], row));
                    CHECK(at_most(bounds.lower_rows[i], row));
                    CHECK(to_rational(bounds.upper_rows[i]) <= row * tightness);
                }
                for (Index j = 0; j < n; ++j) {
                    CHECK(at_least(bounds.upper_columns[j], columns[static_cast<std::size_t>(j)]));
                    CHECK(at_most(bounds.lower_columns[j], columns[static_cast<std::size_t>(j)]));
                }
                CHECK(at_least(bounds.upper_row, e.norm()));
                CHECK(at_most(bounds.lower_row, e.norm()));
                CHECK(at_least(bounds.upper_column, e.transpose().norm()));
                CHECK(at_most(bounds.lower_column, e.transpose().norm()));
                const Rational squares = e.squared_frobenius_norm();
                CHECK(at_least(bounds.upper_squares, squares));
                CHECK(at_most(bounds.lower_squares, squares));
                const Rational above = to_rational(bounds.upper_frobenius);
                const Rational below = to_rational(bounds.lower_frobenius);
                CHECK(above * above >= squares);
                CHECK(below * below <= squares);
                // Tight to a few units in the last place, or to the subnormal unit.
                const Rational unit = to_rational(Integer(1), -1074);
                CHECK(above - below <= above * to_rational(Integer(4 * m * n + 40), -52) + 4 * unit);
                CHECK(bounds.largest == (a.size() == 0 ? 0.0 : a.cwiseAbs().maxCoeff()));
            }
}

TEST_CASE("the spectral norm is bounded by both of its bounds") {
    // ‖A‖₂² is the largest eigenvalue of AᵀA: none is above the square of the bound.
    Random random(2);
    for (int trial = 0; trial < 40; ++trial) {
        const MatrixXd a = random_matrix(1 + trial % 4, 1 + trial % 3,
                                         trial % 2 == 0 ? Kind::uniform : Kind::integers, random);
        const EigenvalueCounter gram(exact(a).transpose() * exact(a));
        const Rational bound = to_rational(upper_spectral_norm(a));
        CHECK(gram.above(bound * bound) == 0);
    }
    CHECK(upper_spectral_norm(MatrixXd::Identity(50, 50)) < 1.0001);  // by rows and columns
    CHECK(upper_spectral_norm(MatrixXd::Ones(1, 49)) < 7.0001);       // by both
}

TEST_CASE("norms of balls bound those of all members") {
    Random random(3);
    for (const auto& [m, n] : kShapes)
        for (const Kind kind : kKinds)
            for (const Environment& environment : environments()) {
                const BallMatrix ball = random_ball(m, n, kind, random);
                struct Found {
                    VectorXd upper, lower;
                    double row, lower_row, column, frobenius, spectral;
                };
                const Found found = called_in(environment, [&] {
                    return Found{upper_row_norms(ball),    lower_row_norms(ball),
                                 upper_row_norm(ball),     lower_row_norm(ball),
                                 upper_column_norm(ball),  upper_frobenius_norm(ball),
                                 upper_spectral_norm(ball)};
                });
                for (int trial = 0; trial < 3; ++trial) {
                    const ExactMatrix e = exact(random_member(ball, random));
                    const std::vector<Rational> rows = e.row_norms();
                    for (Index i = 0; i < m; ++i) {
                        CHECK(at_least(found.upper[i], rows[static_cast<std::size_t>(i)]));
                        CHECK(at_most(found.lower[i], rows[static_cast<std::size_t>(i)]));
                    }
                    CHECK(at_least(found.row, e.norm()));
                    CHECK(at_most(found.lower_row, e.norm()));
                    CHECK(at_least(found.column, e.transpose().norm()));
                    if (found.frobenius != kInf) {
                        const Rational above = to_rational(found.frobenius);
                        CHECK(above * above >= e.squared_frobenius_norm());
                    }
                }
            }
}

TEST_CASE("norms of enormous and of subnormal matrices neither overflow nor vanish") {
    const MatrixXd huge = MatrixXd::Constant(3, 3, 1e300);
    CHECK(upper_frobenius_norm(huge) < 3.0001e300);
    CHECK(lower_frobenius_norm(huge) > 2.9999e300);
    CHECK(upper_sum_of_squares(huge) == kInf);
    CHECK(upper_spectral_norm(huge) < 3.0001e300);
    const MatrixXd tiny = MatrixXd::Constant(3, 3, 5e-324);
    for (const Environment& environment : environments()) {
        const double row = called_in(environment, [&] { return upper_row_norm(tiny); });
        const double below = called_in(environment, [&] { return lower_row_norm(tiny); });
        const double frobenius = called_in(environment, [&] { return upper_frobenius_norm(tiny); });
        CHECK(row >= 15e-324);
        CHECK(below >= 10e-324);
        CHECK(frobenius >= 15e-324);
        CHECK(frobenius < 30e-324);
    }
    CHECK(upper_row_norm(MatrixXd::Constant(1, 2, kInf)) == kInf);
    MatrixXd nan = MatrixXd::Zero(2, 2);
    nan(0, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS((void)upper_row_norm(nan), doctest::Contains("entry (0, 1) of the matrix is NaN"),
                         Error);
    CHECK_THROWS_AS((void)upper_frobenius_norm(nan), Error);
}
