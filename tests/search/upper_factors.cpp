#include <doctest/doctest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "search/factors.hpp"
#include "search/row_regression.hpp"
#include "search/upper_support.hpp"

using namespace rankcert;
using namespace rankcert::search;
using namespace upper_support;

namespace {

Index rank_of(const UpperWitness& witness) {
    if (const auto* factors = std::get_if<FactorWitness>(&witness)) return factors->left.cols();
    auto rows = std::get<RepresentativeRowsWitness>(witness).representative;
    std::sort(rows.begin(), rows.end());
    return std::unique(rows.begin(), rows.end()) - rows.begin();
}

}  // namespace

TEST_CASE("truncated factors keep within the tolerance, in exact arithmetic") {
    for (unsigned seed = 1; seed <= 30; ++seed) {
        const Index rows = 1 + seed % 13, cols = 1 + (seed * 7) % 17;
        const Eigen::MatrixXd a = random_stochastic(rows, cols, 3.0 * seed, seed);
        for (const double tolerance : {.5, .1, 1e-3, 1e-9}) {
            const auto witness = propose_svd_factors(a, tolerance);
            REQUIRE(witness);
            CHECK(witness->left.cols() <= std::min(rows, cols));
            CHECK(exact_error(ExactMatrix::from_double(a), *witness) <= to_rational(tolerance));
        }
    }
}

TEST_CASE("truncated factors find the rank of a matrix that has it") {
    Eigen::MatrixXd left(9, 2), right(2, 11);
    for (Index i = 0; i < 9; ++i) left.row(i) << 1, static_cast<double>(i) / 16;
    for (Index j = 0; j < 11; ++j) right.col(j) << 1. / 16, static_cast<double>(j % 4) / 32;
    const auto witness = propose_svd_factors(left * right, 1e-6);
    REQUIRE(witness);
    CHECK(witness->left.cols() == 2);
}

TEST_CASE("the zero matrix and a tolerance of the matrix's norm need no factors at all") {
    const auto zero = propose_svd_factors(Eigen::MatrixXd::Zero(4, 6), 0);
    REQUIRE(zero);
    CHECK(zero->left.cols() == 0);
    CHECK(zero->left.rows() == 4);
    CHECK(zero->right.cols() == 6);
    const auto whole = propose_svd_factors(Eigen::MatrixXd::Identity(3, 3), 1.001);
    REQUIRE(whole);
    CHECK(whole->left.cols() == 0);
}

TEST_CASE("matrices that are empty or not finite, and negative tolerances, get no proposals") {
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(3, 3);
    CHECK(UpperSearch(a).propose_quick(-1).empty());
    CHECK_FALSE(UpperSearch(a).propose_optimised(0, 1, 3, .1));
    CHECK(UpperSearch(Eigen::MatrixXd(0, 3)).propose_quick(.5).empty());
    a(1, 2) = std::numeric_limits<double>::quiet_NaN();
    CHECK(UpperSearch(a).propose_quick(.5).empty());
    CHECK_FALSE(UpperSearch(a).propose_optimised(.5, 1, 3, .1));
    CHECK_FALSE(propose_representative_rows(a, .5));
    CHECK_FALSE(nearest_singular_factors(Eigen::MatrixXd::Zero(3, 3)));
    CHECK_FALSE(nearest_singular_factors(Eigen::MatrixXd::Identity(3, 4)));
}

TEST_CASE("the nearest singular matrix is as far away as the inverse says") {
    for (const double a : {.5, .375, 1e-3}) {
        const auto factors = nearest_singular_factors(threshold_matrix(a));
        REQUIRE(factors);
        CHECK(factors->left.cols() == 1);
        CHECK(std::abs(factors->estimate_error - a / (2 - a)) <= 1e-15);
    }
    const Eigen::MatrixXd a = random_stochastic(12, 12, 60, 5);
    const auto factors = nearest_singular_factors(a);
    REQUIRE(factors);
    const double distance = 1 / a.inverse().cwiseAbs().rowwise().sum().maxCoeff();
    CHECK(std::abs(factors->estimate_error / distance - 1) < 1e-6);
}

TEST_CASE("optimised factors reach lower ranks than truncation, and exactly keep within the tolerance") {
    int better = 0;
    for (unsigned seed = 1; seed <= 6; ++seed) {
        const Eigen::MatrixXd a = random_stochastic(24, 24, 40, seed);
        UpperSearch search(a);
        Index upper = 24;
        for (const UpperWitness& witness : search.propose_quick(.2))
            upper = std::min(upper, rank_of(witness));
        const auto witness = search.propose_optimised(.2, 1, upper, .5);
        if (!witness) continue;
        ++better;
        CHECK(witness->left.cols() < upper);
        CHECK(exact_error(ExactMatrix::from_double(a), *witness) <= to_rational(.2));
    }
    CHECK(better >= 4);
}

TEST_CASE("the optimised search looks for no rank below the lower bound, and stops when told to") {
    const Eigen::MatrixXd a = random_stochastic(16, 16, 100, 9);
    UpperSearch search(a);
    CHECK_FALSE(search.propose_optimised(.3, 9, 9, 5));
    int asked = 0;
    CHECK_FALSE(search.propose_optimised(.01, 1, 2, 5, [&] { return ++asked > 0; }));
    CHECK(asked > 0);
}

TEST_CASE("what was found at one tolerance is offered at the next") {
    const Eigen::MatrixXd a = random_stochastic(24, 24, 120, 3);
    UpperSearch search(a);
    const auto first = search.propose_optimised(.2, 1, 20, .5);
    REQUIRE(first);
    Index again = 24;
    for (const UpperWitness& witness : search.propose_quick(.2)) again = std::min(again, rank_of(witness));
    CHECK(again <= first->left.cols());
}

TEST_CASE("improving never makes factors worse") {
    const Eigen::MatrixXd a = random_stochastic(10, 14, 50, 4);
    Factors start{Eigen::MatrixXd::Zero(10, 3), Eigen::MatrixXd::Zero(3, 14), 0};
    start.estimate_error = estimate_factor_error(a, start.left, start.right);
    CHECK(improve_factors(a, start, .1).estimate_error <= start.estimate_error);
    start.left.setRandom();
    start.right.setRandom();
    start.estimate_error = estimate_factor_error(a, start.left, start.right);
    CHECK(improve_factors(a, start, .1).estimate_error < start.estimate_error);
    CHECK(improve_factors(a, start, .1, {.deadline = -1}).estimate_error <= start.estimate_error);
}

TEST_CASE("rounded factors are exactly within the tolerance or are not offered") {
    const Eigen::MatrixXd a = random_stochastic(8, 8, 30, 2);
    for (unsigned seed = 1; seed <= 40; ++seed) {
        Factors factors{random_stochastic(8, 3, 10, seed), random_stochastic(3, 8, 10, seed + 99), 0};
        const double error = estimate_factor_error(a, factors.left, factors.right);
        CHECK_FALSE(round_factors(a, factors, error * (1 - 1e-3)));  // rounding moves it by less
        const auto witness = round_factors(a, factors, error * (1 + 1e-6));
        REQUIRE(witness);
        CHECK(exact_error(ExactMatrix::from_double(a), *witness) <= to_rational(error * (1 + 1e-6)));
    }
}

TEST_CASE("rows beyond the tolerance are taken over as they are, one direction each") {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        const Eigen::MatrixXd a = random_stochastic(14, 12, 3.0, seed);
        Factors start{Eigen::MatrixXd::Random(14, 3), Eigen::MatrixXd::Zero(3, 12), 0};
        for (Index i = 0; i < 3; ++i) start.right.row(i) = a.row(4 * i);
        start.left.setZero();
        for (Index i = 0; i < 14; ++i) start.left(i, i % 3) = 1;
        start.estimate_error = estimate_factor_error(a, start.left, start.right);
        CHECK_FALSE(with_exact_rows(a, start, start.estimate_error, a.cols()));
        Eigen::VectorXd errors = (a - start.left * start.right).cwiseAbs().rowwise().sum();
        std::sort(errors.begin(), errors.end());
        const double tolerance = (errors(8) + errors(9)) / 2;  // five rows beyond
        const auto more = with_exact_rows(a, start, tolerance, a.cols());
        REQUIRE(more);
        CHECK(more->left.cols() == 8);
        CHECK(more->estimate_error == doctest::Approx(errors(8)));
        const auto witness = round_factors(a, *more, tolerance);
        REQUIRE(witness);
        CHECK(exact_error(ExactMatrix::from_double(a), *witness) <= to_rational(tolerance));
        CHECK_FALSE(with_exact_rows(a, start, errors(2), a.cols()));  // would be the full rank
    }
}

TEST_CASE("rows by linear programming have the least ℓ1 error") {
    // An optimum of ℓ1 regression with r unknowns passes through r of the points, or fewer where V has less
    // than full rank.
    constexpr Index kCols = 8, kRank = 2;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const Eigen::MatrixXd a = random_stochastic(5, kCols, 6, seed);
        Factors factors{Eigen::MatrixXd::Zero(5, kRank), a.topRows(kRank), 1};
        if (seed % 4 == 0) factors.right.col(3) = factors.right.col(1);  // ties
        if (seed % 5 == 0) factors.right.row(1).setZero();
        const auto found = regress_rows(a, factors, 1e-3);
        REQUIRE(found);
        CHECK(found->right == factors.right);
        CHECK(found->estimate_error == estimate_factor_error(a, found->left, found->right));
        for (Index i = 0; i < a.rows(); ++i) {
            const auto error = [&](const Eigen::VectorXd& u) {
                return (a.row(i).transpose() - factors.right.transpose() * u).lpNorm<1>();
            };
            double least = error(Eigen::VectorXd::Zero(kRank));
            for (Index j = 0; j < kCols; ++j) {
                const Eigen::VectorXd v = factors.right.col(j);
                least = std::min(least, error(v * (a(i, j) / v.squaredNorm())));
                for (Index l = 0; l < j; ++l) {
                    Eigen::Matrix2d points;
                    points << factors.right.col(j).transpose(), factors.right.col(l).transpose();
                    const Eigen::Vector2d values(a(i, j), a(i, l));
                    const Eigen::VectorXd u = points.completeOrthogonalDecomposition().solve(values);
                    least = std::min(least, error(u));
                }
            }
            CHECK(error(found->left.row(i).transpose()) == doctest::Approx(least).epsilon(1e-7));
        }
    }
}

TEST_CASE("rows within the tolerance are left as they are, and no factors come back where none is better") {
    const Eigen::MatrixXd a = random_stochastic(6, 7, 4, 3);
    Factors factors{a.leftCols(2), Eigen::MatrixXd::Zero(2, 7), 1};
    factors.right(0, 0) = factors.right(1, 1) = 1;
    const Eigen::VectorXd errors = (a - factors.left * factors.right).cwiseAbs().rowwise().sum();
    const double middle = (errors.minCoeff() + errors.maxCoeff()) / 2;
    CHECK_FALSE(regress_rows(a, factors, 1.0));
    factors.left.array() += .01;
    const Eigen::VectorXd moved = (a - factors.left * factors.right).cwiseAbs().rowwise().sum();
    const auto found = regress_rows(a, factors, middle);
    REQUIRE(found);
    for (Index i = 0; i < a.rows(); ++i) {
        const bool kept = found->left.row(i) == factors.left.row(i);
        CHECK(kept == (moved(i) <= middle));
    }
}

TEST_CASE("products in float32 serve tolerances near the norm, and small ones are reached in float64") {
    for (const double tolerance : {.2, 1e-3, 1e-8}) {
        for (unsigned seed = 1; seed <= 4; ++seed) {
            const Eigen::MatrixXd a = random_stochastic(24, 24, 8, seed);
            const auto truncated = propose_svd_factors(a, 1.5 * tolerance);
            REQUIRE(truncated);
            const Eigen::MatrixXd left =
                truncated->left.estimate_double() / static_cast<double>(truncated->denominator);
            Factors start{left, truncated->right.estimate_double(), 0};
            start.estimate_error = estimate_factor_error(a, start.left, start.right);
            const Factors better = improve_factors(a, start, tolerance);
            CHECK(better.estimate_error <= start.estimate_error);
            CHECK(better.estimate_error == estimate_factor_error(a, better.left, better.right));
            CHECK(better.estimate_error <= tolerance);
        }
    }
}

TEST_CASE("beyond n = 1,024 optimised factors still go below the truncated ones") {
    const Eigen::MatrixXd a = random_stochastic(1040, 1030, 30, 5);
    UpperSearch search(a);
    const auto quick = search.propose_quick(.25);
    REQUIRE_FALSE(quick.empty());
    const Index truncated = rank_of(quick.front());
    const auto witness = search.propose_optimised(.25, 1, truncated, 4);
    REQUIRE(witness);
    CHECK(witness->left.cols() < truncated);
    REQUIRE(witness->denominator == 1);
    const Eigen::MatrixXd product = witness->left.estimate_double() * witness->right.estimate_double();
    CHECK((a - product).cwiseAbs().rowwise().sum().maxCoeff() <= .25);
}
