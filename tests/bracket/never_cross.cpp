// Both sides searched without knowledge of each other, and beyond what the other proved, in earnest.

#include "bracket_support.hpp"
#include "rankcert/search/lower.hpp"
#include "rankcert/search/upper.hpp"

using namespace bracket_support;

namespace {

/// Small matrices of many kinds, entries multiples of 2⁻²⁰: stochastic, signed, near a low rank, with
/// repeated or zero rows, on very different scales.
Eigen::MatrixXd sample(std::mt19937& random) {
    const auto below = [&](unsigned count) { return static_cast<Index>(random() % count); };
    const auto number = [&] { return static_cast<double>(random() % 2001) / 1000 - 1; };
    const Index m = 1 + below(7), n = 1 + below(7), kind = below(6);
    Eigen::MatrixXd a(m, n);
    for (double& x : a.reshaped()) x = number();
    if (kind == 0) a = (3 * a).array().exp();
    if (kind == 1) {
        const Index r = 1 + below(3);
        Eigen::MatrixXd left(m, r), right(r, n);
        for (double& x : left.reshaped()) x = number();
        for (double& x : right.reshaped()) x = number();
        a = left * right + .1 * a;
    }
    if (kind == 2) a.row(below(static_cast<unsigned>(m))) = a.row(0);
    if (kind == 3) a.row(below(static_cast<unsigned>(m))).setZero();
    if (kind == 4) {
        for (Index i = 0; i < m; ++i) a.row(i) *= std::exp2(static_cast<double>(below(12)) - 6);
    }
    if (kind == 0 || kind == 5) {
        a = a.cwiseAbs();
        for (Index i = 0; i < m; ++i) a.row(i) /= std::max(a.row(i).sum(), 1e-3);
    }
    return (a * 0x1p20).array().round() * 0x1p-20;
}

struct Found {
    Index lower = 0;  ///< the best proved
    Index upper = 0;
};

/// The best that the exact checker proves of what both searches propose, each without the other's bound.
Found search_both(Checker& checker, search::LowerSearch& lower, search::UpperSearch& upper, Index most,
                  double tolerance, const Rational& epsilon) {
    Found found{0, most};
    const auto offer_lower = [&](const LowerWitness& witness) {
        const auto verdict = checker.prove_rank_at_least(witness, epsilon);
        if (verdict.proof) found.lower = std::max(found.lower, (*verdict.proof)->rank);
    };
    const auto offer_upper = [&](const UpperWitness& witness) {
        const auto verdict = checker.prove_rank_at_most(witness, epsilon);
        if (verdict.proof) found.upper = std::min(found.upper, (*verdict.proof)->rank);
    };
    for (const LowerWitness& witness : lower.propose_quick(tolerance)) offer_lower(witness);
    if (const auto witness = lower.propose_optimised(tolerance, 0, most, .001)) offer_lower(*witness);
    for (const UpperWitness& witness : upper.propose_quick(tolerance)) offer_upper(witness);
    if (const auto witness = upper.propose_optimised(tolerance, 1, most, .001)) offer_upper(*witness);
    return found;
}

}  // namespace

TEST_CASE("sides that are searched apart never cross, and no search proves more than the other side allows") {
    std::mt19937 random(20261130);
    int closed = 0, cells = 0;
    for (int round = 0; round < 2000; ++round) {
        CAPTURE(round);
        const Eigen::MatrixXd a = sample(random);
        const Index most = std::min(a.rows(), a.cols());
        const double norm = a.cwiseAbs().rowwise().sum().maxCoeff();
        const double tolerance =
            std::ldexp(std::round(norm * (.02 + .0009 * static_cast<double>(random() % 1000)) * 0x1p20), -20);
        if (!(tolerance > 0)) continue;
        const Rational epsilon = to_rational(Integer(static_cast<long>(std::ldexp(tolerance, 20))), -20);
        const auto checker = make_checker({std::nullopt, ExactMatrix::from_double(a)}, Level::exact);
        search::LowerSearch lower(a);
        search::UpperSearch upper(a);
        const Found found = search_both(*checker, lower, upper, most, tolerance, epsilon);
        CHECK(found.lower <= found.upper);
        ++cells;
        closed += found.lower == found.upper;
        // One more than U, one fewer than L: there is no such witness, however it is searched for.
        if (found.upper < most) {
            if (const auto witness = lower.propose_optimised(tolerance, found.upper, most, .002)) {
                CHECK_FALSE(checker->prove_rank_at_least(*witness, epsilon).proof);
            }
        }
        if (found.lower > 1) {
            if (const auto witness = upper.propose_optimised(tolerance, 1, found.lower, .002)) {
                CHECK_FALSE(checker->prove_rank_at_most(*witness, epsilon).proof);
            }
        }
    }
    CHECK(cells >= 1900);
    CHECK(closed > cells / 2);  // so that a crossing would show
}
