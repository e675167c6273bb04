// The witnesses that a bracket keeps of a large matrix.

#include "bracket/grid.hpp"

#include <Eigen/LU>

#include "bracket_support.hpp"

using namespace bracket_support;
using detail::Grid;

namespace {

/// diag(1, 1/2, 1/4): r_ε is the number of entries above ε.
Eigen::MatrixXd powers() { return Eigen::Vector3d(1, .5, .25).asDiagonal(); }

FixedSpaceWitness fixed_space(Index k) {
    FixedSpaceWitness out;
    const Eigen::MatrixXd basis = Eigen::MatrixXd::Identity(3, k);
    out.basis = ExactMatrix::from_double(basis);
    out.inverse = ExactMatrix::from_double(basis * basis.transpose() * powers().inverse());
    for (Index j = 0; j < k; ++j) out.pivots.push_back(j);
    return out;
}

FactorWitness factors(Index r) {
    const Eigen::MatrixXd left = Eigen::MatrixXd::Identity(3, r);
    return {ExactMatrix::from_double(left), ExactMatrix::from_double(left.transpose() * powers()), 1};
}

}  // namespace

TEST_CASE("witnesses that are the best at no asked ε are dropped, and no bound at an asked one is lost") {
    Grid grid({std::nullopt, ExactMatrix::from_double(powers())}, 53, Level::exact);
    grid.offer(UpperRule::shape, rational("1/5"), 4);
    for (const Index k : {1, 2, 3}) REQUIRE(grid.offer(fixed_space(k), rational("1/5"), k - 1));
    REQUIRE(grid.offer(factors(2), rational("3/10"), 3));
    REQUIRE(grid.offer(factors(1), rational("3/5"), 2));
    REQUIRE(grid.offer(factors(0), rational("1"), 1));
    const std::vector<Rational> asked{rational("3/5"), rational("3/10")};
    grid.keep_best(asked);
    CHECK(grid.lower_count() == 2);
    CHECK(grid.upper_count() == 3);  // the shape stays
    for (const Rational& epsilon : asked) {
        const auto at = grid.standing(epsilon);
        const Index rank = epsilon > rational("1/2") ? 1 : 2;
        CHECK(at.lower == rank);
        CHECK(at.upper == rank);
        const auto bracket = grid.settle(epsilon, false).first;
        CHECK(bracket.lower_rank() == rank);
        CHECK(bracket.upper_rank() == rank);
    }
    CHECK(grid.standing(rational("1/5")).lower == 2);  // 3 was proved, and not asked
    CHECK(grid.standing(rational("1")).upper == 1);    // nor was 0
}
