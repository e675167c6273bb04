#pragma once
/// \file bracket_support.hpp  Matrices, heads and exact oracles for the tests of the bracket room.

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "rankcert/bracket/bracket.hpp"

namespace bracket_support {

using namespace rankcert;

inline Rational rational(const char* text) { return parse_rational(text); }
inline Rational power_of_two(long exponent) { return to_rational(Integer(1), exponent); }

/// A matrix from rows of small integers over 2^bits.
inline ExactMatrix dyadic(Index rows, Index cols, const std::vector<long>& numerators, long bits) {
    std::vector<Integer> mantissas;
    for (const long x : numerators) mantissas.emplace_back(x);
    return ExactMatrix::from_integers(rows, cols, std::move(mantissas), -bits);
}

/// [[1, 0], [b, a]].
inline ExactMatrix corner(const Rational& b, const Rational& a) {
    const Integer scale = lcm(Integer(denominator(a)), Integer(denominator(b)));
    long bits = 0;
    while ((Integer(1) << static_cast<unsigned>(bits)) < scale) ++bits;
    REQUIRE((Integer(1) << static_cast<unsigned>(bits)) == scale);
    auto entry = [&](const Rational& x) { return Integer(numerator(Rational(x * scale))); };
    return ExactMatrix::from_integers(2, 2, {scale, 0, entry(b), entry(a)}, -bits);
}

/// A head with float64 Q and K, scale 1.
inline Head head(const Eigen::MatrixXd& q, const Eigen::MatrixXd& k, MaskKind mask = MaskKind::none) {
    Head out;
    out.query = ExactMatrix::from_double(q);
    out.key = ExactMatrix::from_double(k);
    out.mask.kind = mask;
    return out;
}

inline BracketOptions quick(double seconds = .2) {
    BracketOptions options;
    options.seconds = seconds;
    return options;
}

/// What must be true of every result: claims and brackets say the same, each claim is proved by an exact
/// checker that starts from the bundle alone, and ranks fall as ε grows.
inline void require_consistent(const BracketResult& result, const std::vector<Rational>& epsilons) {
    REQUIRE(result.brackets.size() == epsilons.size());
    REQUIRE(result.bundle.claims.size() == epsilons.size());
    for (const ClaimVerdict& verdict : check(result.bundle, Level::exact)) {
        CAPTURE(verdict.reason);
        CHECK(verdict.decision == Decision::proved);
    }
    const auto checker = make_checker(result.bundle.subject, Level::exact);
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        const Bracket& bracket = result.brackets[i];
        const Claim& claim = result.bundle.claims[i];
        CHECK(bracket.epsilon == epsilons[i]);
        CHECK(claim.epsilon == epsilons[i]);
        CHECK(claim.lower == bracket.lower_rank());
        CHECK(claim.upper == bracket.upper_rank());
        CHECK(claim.lower <= claim.upper);
        CHECK(bracket.closed() == (claim.lower == claim.upper));
        if (claim.lower > 0) {
            REQUIRE(claim.lower_witness >= 0);
            const auto& witness =
                result.bundle.lower_witnesses[static_cast<std::size_t>(claim.lower_witness)];
            const auto verdict = checker->prove_rank_at_least(witness, claim.epsilon);
            REQUIRE(verdict.proof);
            CHECK((*verdict.proof)->rank == claim.lower);
        }
        REQUIRE(claim.upper_witness >= 0);
        const auto& witness = result.bundle.upper_witnesses[static_cast<std::size_t>(claim.upper_witness)];
        const auto verdict = checker->prove_rank_at_most(witness, claim.epsilon);
        REQUIRE(verdict.proof);
        CHECK((*verdict.proof)->rank == claim.upper);
        for (std::size_t j = 0; j < epsilons.size(); ++j) {
            if (epsilons[j] < epsilons[i]) {
                CHECK(result.brackets[j].lower_rank() >= bracket.lower_rank());
                CHECK(result.brackets[j].upper_rank() >= bracket.upper_rank());
            }
        }
    }
}

inline BracketResult bracket_checked(const ExactMatrix& a, const std::vector<Rational>& epsilons,
                                     const BracketOptions& options = quick()) {
    BracketResult result = bracket_matrix(a, epsilons, options);
    require_consistent(result, epsilons);
    return result;
}

inline BracketResult bracket_checked(const Head& a, const std::vector<Rational>& epsilons,
                                     const BracketOptions& options = quick()) {
    BracketResult result = bracket_head(a, epsilons, options);
    require_consistent(result, epsilons);
    return result;
}

inline void check_rank(const Bracket& bracket, Index rank) {
    CHECK(bracket.lower_rank() == rank);
    CHECK(bracket.upper_rank() == rank);
}

}  // namespace bracket_support
