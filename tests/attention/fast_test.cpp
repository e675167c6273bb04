#include <doctest/doctest.h>

#include <cmath>

#include "attention/heads.hpp"

using namespace rankcert;
using namespace rankcert::tests;

TEST_CASE("the float64 bound is above the truth on random awkward heads, for near and far centres") {
    std::mt19937_64 random(51);
    std::uniform_real_distribution<double> uniform(-0.5, 1.5);
    int bounded = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const Head head = random_head(random);
        Eigen::MatrixXd centre = enclose_softmax(head).centre.to_double();
        if (trial % 3 == 0) {
            for (Index i = 0; i < centre.rows(); ++i) {
                for (Index j = 0; j < centre.cols(); ++j) centre(i, j) = uniform(random);
            }
        }
        const auto fast = upper_softmax_error_fast(head, centre);
        if (!fast) continue;
        ++bounded;
        const Rational truth = reference_error(head, ExactMatrix::from_double(centre));
        CHECK(to_rational(*fast) >= truth - reference_accuracy());
        // Not vacuous either: the logits here stay below 2^20, whose rounding is 2^−33.
        CHECK(to_rational(*fast) <= truth + to_rational(0x1p-24));
    }
    CHECK(bounded == 400);
}

TEST_CASE("a wrong exponential would be noticed: the float64 bound of a shifted centre follows the shift") {
    const Head head = head_of_row({0.25, -1.5, 2});
    Eigen::MatrixXd centre = enclose_softmax(head).centre.to_double();
    const double near = upper_softmax_error_fast(head, centre).value();
    CHECK(near <= 1e-14);
    centre(0, 1) += 0x1p-30;
    const double shifted = upper_softmax_error_fast(head, centre).value();
    CHECK(shifted >= 0x1p-30 - 0x1p-50);
    CHECK(shifted <= 0x1p-30 + 2e-14);
}

TEST_CASE("the float64 bound gives nothing where float64 cannot hold the logits") {
    Eigen::MatrixXd half = Eigen::MatrixXd::Constant(1, 2, 0.5);
    CHECK_FALSE(upper_softmax_error_fast(head_of_row({1e300, 1}), half) == 0.0);
    Head wide;  // the dot products overflow
    wide.query = ExactMatrix::from_double(Eigen::MatrixXd::Constant(1, 1, 1e200));
    wide.key = ExactMatrix::from_double(Eigen::MatrixXd::Constant(2, 1, -1e200));
    CHECK_FALSE(upper_softmax_error_fast(wide, half));
    // Not a double: 2^60 + 1.
    Head exact = head_of_row({1, 2});
    exact.key = ExactMatrix::from_integers(2, 1, {(Integer(1) << 60) + 1, Integer(0)}, 0);
    CHECK_FALSE(upper_softmax_error_fast(exact, half));
    half(0, 0) = NAN;
    CHECK_FALSE(upper_softmax_error_fast(head_of_row({1, 2}), half));
}

TEST_CASE("logits of 1e300 leave the float64 bound true, if wide") {
    const Head head = head_of_row({1e300, 1});
    Eigen::MatrixXd centre(1, 2);
    centre << 0, 1;  // as wrong as can be
    const auto bound = upper_softmax_error_fast(head, centre);
    if (bound) CHECK(*bound >= 2);
    centre << 1, 0;
    const auto right = upper_softmax_error_fast(head, centre);
    if (right) CHECK(*right >= 0);
}

TEST_CASE("entries below the exponential's range are covered by the float64 bound") {
    const Head head = head_of_row({0, -707.5, -708.5, -800, -1e5});
    const auto enclosure = enclose_softmax(head, 53);
    const auto fast = upper_softmax_error_fast(head, enclosure.centre.to_double());
    REQUIRE(fast);
    CHECK(to_rational(*fast) >= enclosure.error.upper);
}

TEST_CASE("finite exponentials whose sum overflows give no float64 bound") {
    // In float64 the logits 1e19 and 1e19 + 709 are equal, so that the first key becomes the reference, and
    // three exponentials e^709 add up to infinity. Weights of 0 would "prove" that the attention is 0.
    Head head = head_of_row({0, 709, 709, 709});
    head.mask.kind = MaskKind::additive;
    head.mask.bias = ExactMatrix::from_double(Eigen::MatrixXd::Constant(1, 4, 1e19));
    const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(1, 4);
    if (const auto bound = upper_softmax_error_fast(head, zero)) CHECK(*bound >= 1);
    if (const auto enclosed = enclose_softmax_fast(head)) {
        const auto truth = enclose_softmax_error(head, ExactMatrix::from_double(enclosed->centre), 128);
        CHECK(to_rational(enclosed->error) >= truth.upper);
    }
}
