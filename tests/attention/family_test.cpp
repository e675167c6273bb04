#include <doctest/doctest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "attention/heads.hpp"
#include "rankcert/attention/number_format.hpp"
#include "rankcert/attention/perturbation.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::tests;

namespace {

Rational power_of_two(long exponent) { return to_rational(Integer(1), exponent); }

/// The value of a positive half-precision bit pattern: exponent_bits, then fraction_bits.
Rational value_of_pattern(unsigned pattern, int exponent_bits, int fraction_bits) {
    const long bias = (1L << (exponent_bits - 1)) - 1;
    const long field = pattern >> fraction_bits;
    const long fraction = pattern & ((1U << fraction_bits) - 1);
    if (field == 0) return to_rational(Integer(fraction), 1 - bias - fraction_bits);
    return to_rational(Integer(fraction + (1L << fraction_bits)), field - bias - fraction_bits);
}

struct Dyadic {
    Integer mantissa;
    long exponent;
};

Dyadic dyadic(const Rational& value) {
    const Integer denominator = boost::multiprecision::denominator(value);
    return {boost::multiprecision::numerator(value),
            -static_cast<long>(boost::multiprecision::msb(denominator))};
}

/// Every finite number of a 16-bit format against its neighbours in the format.
long wrong_radii(NumberFormat format, int exponent_bits, int fraction_bits) {
    const unsigned infinity = ((1U << exponent_bits) - 1) << fraction_bits;
    long wrong = 0;
    for (unsigned pattern = 0; pattern < infinity; ++pattern) {
        const Rational x = value_of_pattern(pattern, exponent_bits, fraction_bits);
        // Beyond the largest number stands the one that the next exponent would begin with.
        const Rational above = pattern + 1 < infinity
                                   ? value_of_pattern(pattern + 1, exponent_bits, fraction_bits)
                                   : power_of_two(1L << (exponent_bits - 1));
        const Dyadic d = dyadic(x);
        if (!is_representable(d.mantissa, d.exponent, format)) ++wrong;
        if (!is_representable(-16 * d.mantissa, d.exponent - 4, format)) ++wrong;
        const Dyadic middle = dyadic((x + above) / 2);
        if (is_representable(middle.mantissa, middle.exponent, format)) ++wrong;
        const Rational radius = power_of_two(rounding_radius_exponent(d.mantissa, d.exponent, format));
        if (radius != (above - x) / 2) ++wrong;  // the larger side, exactly
        if (pattern > 0 && radius < (x - value_of_pattern(pattern - 1, exponent_bits, fraction_bits)) / 2)
            ++wrong;
    }
    const Dyadic too_large = dyadic(power_of_two(1L << (exponent_bits - 1)));
    if (is_representable(too_large.mantissa, too_large.exponent, format)) ++wrong;
    return wrong;
}

/// A matrix of doubles that round to the floats of `values`.
ExactMatrix rounds_to(const Eigen::MatrixXd& values, std::mt19937_64& random) {
    Eigen::MatrixXd result = values;
    for (Index i = 0; i < values.rows(); ++i) {
        for (Index l = 0; l < values.cols(); ++l) {
            const auto x = static_cast<float>(values(i, l));
            const double up = std::nextafter(x, INFINITY);
            const double down = std::nextafter(x, -INFINITY);
            const double ends[] = {x + (up - x) / 2, x - (x - down) / 2};
            double candidate = ends[std::uniform_int_distribution<int>(0, 1)(random)];
            if (random() % 2 == 0)
                candidate = std::uniform_real_distribution<double>(ends[1], ends[0])(random);
            if (static_cast<float>(candidate) != x)
                candidate = std::nextafter(candidate, x);  // a tie to even
            REQUIRE(static_cast<float>(candidate) == x);
            result(i, l) = candidate;
        }
    }
    return ExactMatrix::from_double(result);
}

Eigen::MatrixXd as_floats(const ExactMatrix& values) {
    return values.estimate_double().cast<float>().cast<double>();
}

}  // namespace

TEST_CASE("rounding radii of both 16-bit formats are half the larger spacing, for every finite number") {
    CHECK(wrong_radii(NumberFormat::float16, 5, 10) == 0);
    CHECK(wrong_radii(NumberFormat::bfloat16, 8, 7) == 0);
}

TEST_CASE("rounding radii of float32 and float64 follow their limits") {
    CHECK(rounding_radius_exponent(0, 0, NumberFormat::float32) == -150);
    CHECK(rounding_radius_exponent(1, -149, NumberFormat::float32) == -150);
    CHECK(rounding_radius_exponent(1, -126, NumberFormat::float32) == -150);
    CHECK(rounding_radius_exponent(1, 0, NumberFormat::float32) == -24);
    CHECK(rounding_radius_exponent(-3, 0, NumberFormat::float32) == -23);
    CHECK(rounding_radius_exponent((Integer(1) << 24) - 1, 104, NumberFormat::float32) == 103);
    CHECK(rounding_radius_exponent(1, 0, NumberFormat::float64) == -53);
    CHECK(rounding_radius_exponent(0, 5, NumberFormat::float64) == -1075);
    CHECK_FALSE(is_representable((Integer(1) << 24) + 1, 0, NumberFormat::float32));
    CHECK_FALSE(is_representable(1, -150, NumberFormat::float32));
    CHECK_FALSE(is_representable(1, 128, NumberFormat::float32));
    CHECK(is_representable(Integer(1) << 200, -100, NumberFormat::float32));
    CHECK_FALSE(is_representable(1, -1075, NumberFormat::float64));
    CHECK_FALSE(is_representable(1, 1024, NumberFormat::float64));
}

TEST_CASE("the perturbation bound is 2 tanh(osc/4), from above, and closely") {
    CHECK(upper_softmax_perturbation(0) == 0);
    CHECK(upper_softmax_perturbation(Rational(1000000)) == 2);
    CHECK_THROWS_AS((void)upper_softmax_perturbation(Rational(-1, 8)), Error);
    // 2 tanh(1/4) = 0.48983732...
    const Rational value = upper_softmax_perturbation(1, 128);
    CHECK(value >= parse_rational("0.489837324807418258"));
    CHECK(value <= parse_rational("0.489837324807418259"));
    CHECK(upper_softmax_perturbation(1, 64) >= value);
    CHECK(upper_softmax_perturbation(Rational(1, 3), 64) <= Rational(1, 6));
}

TEST_CASE("two keys attain the perturbation bound, so it is not too small by luck") {
    // x = (0, −h/2), x + (0, h): the second weight goes from σ(−h/2) to σ(h/2).
    for (const double h : {0.5, 2.0, 0x1p-20}) {
        const auto moved = enclose_softmax(head_of_row({0, h / 2}), 200);
        const ErrorBounds distance = enclose_softmax_error(head_of_row({0, -h / 2}), moved.centre, 256);
        const Rational bound = upper_softmax_perturbation(to_rational(h), 256);
        CHECK(distance.lower <= bound + moved.error.upper);
        CHECK(distance.upper >= bound - power_of_two(-62) - moved.error.upper);
    }
}

TEST_CASE("random perturbations stay within the bound") {
    std::mt19937_64 random(41);
    std::uniform_real_distribution<double> uniform(-3, 3);
    for (int trial = 0; trial < 200; ++trial) {
        const int n = 1 + static_cast<int>(random() % 6);
        std::vector<double> x, y;
        Rational least, greatest;
        for (int j = 0; j < n; ++j) {
            x.push_back(uniform(random));
            y.push_back(x.back() + std::ldexp(uniform(random), -static_cast<int>(random() % 12)));
            const Rational h = to_rational(y.back()) - to_rational(x.back());
            if (j == 0 || h < least) least = h;
            if (j == 0 || h > greatest) greatest = h;
        }
        const auto moved = enclose_softmax(head_of_row(y), 120);
        const ErrorBounds distance = enclose_softmax_error(head_of_row(x), moved.centre, 192);
        CHECK(distance.lower <= upper_softmax_perturbation(greatest - least) + moved.error.upper);
    }
}

TEST_CASE("every member of a temperature interval lies within the family's bounds") {
    std::mt19937_64 random(42);
    for (int trial = 0; trial < 60; ++trial) {
        Head family = random_head(random);
        family.multiplier_low = Rational(3, 4);
        family.multiplier_high = Rational(3 + static_cast<int>(random() % 5), 4);
        const auto enclosure = enclose_softmax(family);
        const ErrorBounds bounds = enclose_softmax_error(family, enclosure.centre, 128);
        CHECK(bounds.lower <= bounds.upper);
        CHECK(bounds.upper <= enclosure.error.upper);
        const auto fast = upper_softmax_error_fast(family, enclosure.centre.to_double());
        REQUIRE(fast);
        CHECK(to_rational(*fast) >= bounds.upper);
        for (int step = 0; step <= 4; ++step) {
            Head member = family;
            member.multiplier_low = member.multiplier_high =
                family.multiplier_low + (family.multiplier_high - family.multiplier_low) * Rational(step, 4);
            const Rational truth = reference_error(member, enclosure.centre);
            CHECK(truth <= bounds.upper + reference_accuracy());
            if (step == 2) CHECK(truth >= bounds.lower - reference_accuracy());
        }
    }
}

TEST_CASE("an interval of one temperature is no family") {
    Head head = head_of_row({1, 2, 3});
    head.multiplier_low = head.multiplier_high = Rational(7, 8);
    CHECK(head.is_single());
    CHECK(enclose_softmax(head).error.upper <= power_of_two(-52));
}

TEST_CASE("every query and key that round to the given floats lie within the family's bounds") {
    std::mt19937_64 random(43);
    for (int trial = 0; trial < 60; ++trial) {
        Head family = random_head(random);
        const Eigen::MatrixXd query = as_floats(family.query);
        const Eigen::MatrixXd key = as_floats(family.key);
        family.query = ExactMatrix::from_double(query);
        family.key = ExactMatrix::from_double(key);
        family.rounded_from = NumberFormat::float32;
        if (trial % 2 == 0) {
            family.multiplier_low = Rational(1, 2);
            family.multiplier_high = Rational(1, 2) + power_of_two(-(trial % 30));
        }
        const auto enclosure = enclose_softmax(family);
        const ErrorBounds bounds = enclose_softmax_error(family, enclosure.centre, 128);
        const auto fast = upper_softmax_error_fast(family, enclosure.centre.to_double());
        REQUIRE(fast);
        CHECK(to_rational(*fast) >= bounds.upper);
        for (int sample = 0; sample < 6; ++sample) {
            Head member = family;
            member.rounded_from.reset();
            member.query = rounds_to(query, random);
            member.key = rounds_to(key, random);
            if (sample % 2 == 0) member.multiplier_low = family.multiplier_high;
            if (sample % 2 == 1) member.multiplier_high = family.multiplier_low;
            CHECK(reference_error(member, enclosure.centre) <= bounds.upper + reference_accuracy());
        }
    }
}

TEST_CASE("the rounding bound is attained where one may compute the worst member by hand") {
    // q = 1.5, keys 1.5 and 1.5 in float16: the spacing is 2^−10 on both sides of 1.5, so members reach
    // q′ = 1.5 + 2^−11, k′ = 1.5 ± 2^−11 in the limit, an oscillation of (1.5 + 2^−11) 2^−10.
    Head family;
    family.query = ExactMatrix::from_double(Eigen::MatrixXd::Constant(1, 1, 1.5));
    family.key = ExactMatrix::from_double(Eigen::MatrixXd::Constant(2, 1, 1.5));
    family.rounded_from = NumberFormat::float16;
    const auto oscillation = upper_rounding_oscillation(family);
    CHECK(oscillation[0] == (Rational(3, 2) + power_of_two(-11)) * power_of_two(-10));
    Eigen::MatrixXd keys(2, 1);
    keys << 1.5 + 0x1p-11, 1.5 - 0x1p-11;
    Head worst;
    worst.query = ExactMatrix::from_double(Eigen::MatrixXd::Constant(1, 1, 1.5 + 0x1p-11));
    worst.key = ExactMatrix::from_double(keys);
    const auto enclosure = enclose_softmax(family, 100);
    const Rational reached = enclose_softmax_error(worst, enclosure.centre, 128).lower;
    CHECK(reached <= enclosure.error.upper);
    CHECK(reached >= enclosure.error.upper * Rational(999999, 1000000));
}

TEST_CASE("one visible key leaves a family no room") {
    Head family = head_of_row({3});
    family.rounded_from = NumberFormat::bfloat16;
    family.multiplier_low = 0;
    family.multiplier_high = 1000;
    CHECK(enclose_softmax(family).error.upper == 0);
}
