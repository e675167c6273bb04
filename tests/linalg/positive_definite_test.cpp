#include "rankcert/linalg/positive_definite.hpp"

#include <doctest/doctest.h>

#include "linalg/ball_helpers.hpp"
#include "linalg/estimate.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::test;

namespace {

bool is_positive_definite(const MatrixXd& a) { return EigenvalueCounter(exact(a)).above(0) == a.rows(); }

MatrixXd random_definite(Index n, Random& random) {
    const MatrixXd b = random_matrix(n, n, Kind::integers, random);
    return b * b.transpose();  // small integers: exact
}

}  // namespace

TEST_CASE("what is proved positive definite is so, and most of what is so is proved") {
    Random random(1);
    int proved = 0, definite = 0, wrong = 0;
    for (int trial = 0; trial < 600; ++trial) {
        const Index n = 1 + trial % 5;
        MatrixXd a =
            trial % 3 == 0 ? random_symmetric(n, kKinds[random() % 8], random) : random_definite(n, random);
        if (trial % 6 == 1) a.diagonal().array() += std::ldexp(1.0, -static_cast<int>(random() % 44));
        const Environment& environment = environments()[random() % environments().size()];
        const Decision decision = called_in(environment, [&] { return prove_positive_definite(a); });
        const bool truth = is_positive_definite(a);
        definite += truth ? 1 : 0;
        proved += decision == Decision::proved ? 1 : 0;
        wrong += decision == Decision::proved && !truth ? 1 : 0;
        CHECK(decision != Decision::refuted);
    }
    CHECK(wrong == 0);
    CHECK(definite > 200);
    CHECK(proved > definite * 9 / 10);
}

TEST_CASE("singular and barely indefinite matrices are not proved positive definite") {
    Random random(2);
    for (int trial = 0; trial < 300; ++trial) {
        const Index n = 2 + trial % 4;
        MatrixXd b = random_matrix(n, n, Kind::integers, random);
        b.row(n - 1) = b.row(0);
        MatrixXd a = b * b.transpose();  // singular, exactly
        CHECK(prove_positive_definite(a) == Decision::undecided);
        a(n - 1, n - 1) -= std::ldexp(1.0, -static_cast<int>(random() % 46));
        CHECK(prove_positive_definite(a) == Decision::undecided);
    }
    CHECK(prove_positive_definite(MatrixXd::Zero(2, 2)) == Decision::undecided);
    CHECK(prove_positive_definite(-MatrixXd::Identity(2, 2)) == Decision::undecided);
}

TEST_CASE("badly scaled variables do not hide that a matrix is positive definite") {
    MatrixXd a(3, 3);
    a << 2e300, 1, 1e-12, 1, 2e-300, 1e-310, 1e-12, 1e-310, 1;
    CHECK(is_positive_definite(a));
    CHECK(prove_positive_definite(a) == Decision::proved);
    MatrixXd tiny(2, 2);
    tiny << 40e-324, 5e-324, 5e-324, 40e-324;
    for (const Environment& environment : environments())
        CHECK(called_in(environment, [&] { return prove_positive_definite(tiny); }) == Decision::proved);
}

TEST_CASE("a ball is positive definite only where its members are") {
    Random random(3);
    int proved = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const Index n = 1 + trial % 4;
        BallMatrix ball = point_matrix(random_definite(n, random));
        ball.radius.setConstant(std::ldexp(1.0, 3 - static_cast<int>(random() % 30)));
        if (prove_positive_definite(ball) != Decision::proved) continue;
        ++proved;
        for (int member = 0; member < 5; ++member) {
            MatrixXd a = random_member(ball, random);
            for (Index j = 0; j < n; ++j)
                for (Index i = 0; i < j; ++i) a(i, j) = a(j, i);
            CHECK(is_positive_definite(a));
        }
    }
    CHECK(proved > 80);
    BallMatrix unknown = point_matrix(MatrixXd::Identity(2, 2));
    unknown.radius(0, 0) = kInf;
    CHECK(prove_positive_definite(unknown) == Decision::undecided);
}

TEST_CASE("lower bounds of the smallest eigenvalue hold, also from a wrong factor") {
    Random random(4);
    int close = 0;
    for (int trial = 0; trial < 800; ++trial) {
        const Index n = 1 + trial % 4;
        const MatrixXd a = random_symmetric(n, kKinds[random() % 8], random);
        const EigenvalueCounter count(exact(a));
        const double shift = trial % 2 == 0 ? -2.0 * static_cast<double>(n) * a.cwiseAbs().maxCoeff()
                                            : random_double(Kind::uniform, random);
        const Environment& environment = environments()[random() % environments().size()];
        const auto bound = called_in(environment, [&] { return lower_smallest_eigenvalue(a, shift); });
        if (bound && *bound != -kInf) {
            CHECK(count.at_least(to_rational(*bound)) == n);
            if (*bound > shift - 1e-10 * std::abs(shift)) ++close;
        }
        const MatrixXd factor = random_matrix(n, 1 + trial % 3, Kind::uniform, random);
        const double poor =
            called_in(environment, [&] { return lower_smallest_eigenvalue(a, shift, factor); });
        if (poor != -kInf) CHECK(count.at_least(to_rational(poor)) == n);
    }
    CHECK(close > 300);
    // An exact factor of an exact matrix: [2 1; 1 2] − 1 = [1; 1][1 1], so λ_min ≥ 1 but for the rounding's
    // bound.
    MatrixXd a(2, 2), factor(2, 1);
    a << 2, 1, 1, 2;
    factor << 1, 1;
    CHECK(lower_smallest_eigenvalue(a, 1, factor) > 1 - 1e-14);
    CHECK(lower_smallest_eigenvalue(a, 1, factor) <= 1);
}

TEST_CASE("smallest eigenvalues of empty, huge and faulty input") {
    CHECK(lower_smallest_eigenvalue(MatrixXd(0, 0), 1, MatrixXd(0, 1)) == kInf);  // the infimum of nothing
    CHECK(prove_positive_definite(MatrixXd(0, 0)) == Decision::proved);
    CHECK(lower_smallest_eigenvalue(MatrixXd::Identity(2, 2), 0, MatrixXd::Constant(2, 2, 1e200)) == -kInf);
    CHECK_THROWS_AS((void)lower_smallest_eigenvalue(MatrixXd::Identity(2, 2), kInf), Error);
    CHECK_THROWS_WITH_AS((void)prove_positive_definite(MatrixXd(2, 1)), doctest::Contains("2×1"), Error);
    MatrixXd a = MatrixXd::Identity(2, 2);
    a(0, 1) = 1;
    CHECK_THROWS_WITH_AS((void)prove_positive_definite(a), doctest::Contains("not symmetric"), Error);
    a(0, 1) = kInf;
    CHECK_THROWS_WITH_AS((void)prove_positive_definite(a), doctest::Contains("(0, 1)"), Error);
}
