#include "rankcert/search/high_precision.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "search/upper_support.hpp"

using namespace rankcert;
using namespace rankcert::search;
using namespace upper_support;

namespace {

/// (1 − ‖I − R S a D‖) / ‖R‖: the block proves its rank for every ε below.
Rational exact_reach(const ExactMatrix& a, const NeumannWitness& w) {
    const Index k = w.inverse.rows();
    const Rational residual = (ExactMatrix::identity(k) - w.inverse * (w.selection * a * w.decoder)).norm();
    return Rational((1 - residual) / w.inverse.norm());
}

/// 1/(i + j + 1): as ill-conditioned as they come, and exactly a multiple of a power of two after rounding.
ExactMatrix rounded_hilbert(Index n, unsigned bits) {
    std::vector<Integer> mantissas;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) mantissas.push_back((Integer(1) << bits) / (i + j + 1));
    }
    return ExactMatrix::from_integers(n, n, mantissas, -static_cast<long>(bits));
}

ExactMatrix tiny_threshold(unsigned bits) {  // [[1, 0], [1 − 2^−bits, 2^−bits]]
    const Integer one = Integer(1) << bits;
    return ExactMatrix::from_integers(2, 2, {one, 0, one - 1, 1}, -static_cast<long>(bits));
}

}  // namespace

TEST_CASE("logarithms of rationals that are no doubles are near") {
    CHECK(std::isinf(estimate_log2(Rational(0))));
    CHECK(estimate_log2(to_rational(Integer(3), -5000)) ==
          doctest::Approx(std::log2(3.) - 5000).epsilon(1e-14));
    CHECK(estimate_log2(Rational(-1, 8)) == doctest::Approx(-3));
}

TEST_CASE("each block of pivots proves its rank up to the reach that is estimated for it") {
    const ExactMatrix a = rounded_hilbert(20, 200);
    HighPrecisionSearch search(a, 300);
    REQUIRE(search.rank() == 20);
    for (Index k = 1; k <= 20; ++k) {
        const NeumannWitness w = search.propose_block(k);
        CHECK(w.selection.norm() == 1);
        CHECK(w.decoder.norm() <= 1);
        const Rational reach = exact_reach(a, w);
        REQUIRE(reach > 0);
        CHECK(std::abs(estimate_log2(reach) - search.estimate_log2_reach(k)) < 1e-9);
    }
}

TEST_CASE("the factors of k steps have rank k and the error that is estimated for them") {
    const ExactMatrix a = rounded_hilbert(16, 120);
    HighPrecisionSearch search(a, 250);
    for (Index k = 0; k < 16; ++k) {
        const Rational tolerance =
            to_rational(Integer(1), std::lround(std::ceil(search.estimate_log2_error(k) + 1e-9)));
        const FactorWitness w = search.propose_cross(k, tolerance);
        CHECK(w.left.cols() == k);
        CHECK(exact_error(a, w) <= tolerance);
        CHECK(std::abs(estimate_log2(exact_error(a, w)) - search.estimate_log2_error(k)) < 1e-6);
    }
}

TEST_CASE("a threshold that no double can see is met from both sides") {
    for (const unsigned bits : {60U, 200U, 900U}) {
        const ExactMatrix a = tiny_threshold(bits);
        const Rational threshold = a(1, 1) / (2 - a(1, 1));
        const Rational part = to_rational(Integer(1), -40);
        HighPrecisionSearch search(a, bits + 64);
        CHECK(exact_reach(a, search.propose_block(2)) > threshold * (1 - part));
        const auto singular = search.propose_nearest_singular();
        REQUIRE(singular);
        CHECK(singular->left.cols() == 1);
        CHECK(exact_error(a, *singular) < threshold * (1 + part));
        CHECK(exact_error(a, *singular) >= threshold);
    }
}

TEST_CASE("the rank of a matrix that has less than full rank is found, whatever its shape") {
    std::vector<Integer> mantissas;
    for (int i = 0; i < 7; ++i) {
        for (int j = 0; j < 5; ++j) mantissas.push_back((i + 1) * (j + 2) + (i % 3) * (j * j));
    }
    const ExactMatrix a = ExactMatrix::from_integers(7, 5, mantissas, -900);
    HighPrecisionSearch search(a, 128);
    CHECK(search.rank() == 2);
    CHECK_FALSE(search.propose_nearest_singular());
    CHECK(exact_reach(a, search.propose_block(2)) > 0);
    HighPrecisionSearch zero(ExactMatrix(3, 4), 128);
    CHECK(zero.rank() == 0);
    CHECK(zero.propose_cross(0, Rational(0)).left.cols() == 0);
}

TEST_CASE("steps in high precision and float64 on the rest beat the steps alone at tiny tolerances") {
    const Index n = 40;
    std::vector<Integer> mantissas;  // exp(x y) on a grid: singular values that fall like factorials
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            Rational term = 1, sum = 1,
                     x = Rational(static_cast<long>(i * j), static_cast<long>((n - 1) * (n - 1)));
            for (int t = 1; t < 60; ++t) sum += term *= x / t;
            const Rational scaled = sum * Rational(Integer(1) << 250);
            mantissas.push_back(numerator(scaled) / denominator(scaled));
        }
    }
    const ExactMatrix a = ExactMatrix::from_integers(n, n, mantissas, -250);
    HighPrecisionSearch search(a, 320);
    for (const long exponent : {-20L, -60L, -150L}) {
        const Rational tolerance = to_rational(Integer(1), exponent);
        Index steps = 0;
        while (!(search.estimate_log2_error(steps) <= static_cast<double>(exponent))) ++steps;
        const auto refined = search.propose_refined(tolerance, 1, steps + 1, 1);
        REQUIRE(refined);
        CHECK(refined->left.cols() <= steps);
        CHECK(exact_error(a, *refined) <= tolerance);
    }
}
