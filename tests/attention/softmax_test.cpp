#include "rankcert/attention/softmax.hpp"

#include <doctest/doctest.h>

#include <cfenv>

#include "attention/heads.hpp"
#include "rankcert/rigor/error.hpp"
#include "rigor/hostile_environment.hpp"

using namespace rankcert;
using namespace rankcert::tests;

namespace {

Rational power_of_two(long exponent) { return to_rational(Integer(1), exponent); }

/// Whether the entry is the decimal to within one unit of its last digit, in ulp 10^-(given).
bool is_near(const Rational& value, const std::string& decimal, const std::string& tolerance) {
    return boost::multiprecision::abs(Rational(value - parse_rational(decimal))) <= parse_rational(tolerance);
}

/// Everything that an enclosure promises, against the reference.
void check_enclosure(const Head& head, unsigned precision) {
    const SoftmaxEnclosure enclosure = enclose_softmax(head, precision);
    const Rational truth = reference_error(head, enclosure.centre);
    CHECK(enclosure.error.lower <= truth + reference_accuracy());
    CHECK(enclosure.error.upper >= truth - reference_accuracy());
    // Half a grid step an entry, and nothing else that can be seen at 64 bits more.
    CHECK(enclosure.error.upper <=
          Rational(head.keys()) * power_of_two(-static_cast<long>(precision) - 1) * (1 + power_of_two(-40)));
    for (Index i = 0; i < head.queries(); ++i) {
        for (Index j = 0; j < head.keys(); ++j) {
            const Rational entry = enclosure.centre(i, j);
            CHECK((entry >= 0 && entry <= 1));
            CHECK(boost::multiprecision::denominator(entry) <= Integer(1) << precision);
            if (!head.visible(i, j)) CHECK(entry == 0);
        }
    }
}

}  // namespace

TEST_CASE("the logits 1000 and 1001 overflow nothing") {
    const auto enclosure = enclose_softmax(head_of_row({1000, 1001}));
    CHECK(is_near(enclosure.centre(0, 0), "0.268941421369995", "1e-15"));
    CHECK(is_near(enclosure.centre(0, 1), "0.731058578630005", "1e-15"));
    CHECK(enclosure.error.upper <= power_of_two(-53));
}

TEST_CASE("the logits 90, 2 and -2 have entries far below the unit of one") {
    const auto enclosure = enclose_softmax(head_of_row({90, 2, -2}), 200);
    CHECK(is_near(1 - enclosure.centre(0, 0), "6.1655e-39", "1e-43"));
    CHECK(is_near(enclosure.centre(0, 1), "6.0546e-39", "1e-43"));
    CHECK(is_near(enclosure.centre(0, 2), "1.1089e-40", "1e-44"));
    const auto coarse = enclose_softmax(head_of_row({90, 2, -2}));
    CHECK(coarse.centre(0, 0) == 1);
    CHECK(coarse.centre(0, 1) == 0);
    const auto closer = enclose_softmax_error(head_of_row({90, 2, -2}), coarse.centre, 256);
    CHECK(closer.lower >= parse_rational("1.2330e-38"));
    CHECK(closer.upper <= parse_rational("1.2332e-38"));
    CHECK(coarse.error.lower <= closer.lower);
    CHECK(coarse.error.upper >= closer.upper);
    CHECK(coarse.error.upper <= power_of_two(-124));
}

TEST_CASE("a row with entries near 1e-1737 stays right at every precision") {
    const Head head = head_of_row({1, 2, 3, 4000});
    const auto fine = enclose_softmax(head, 6000);
    CHECK(is_near(fine.centre(0, 0), "1.8e-1737", "5e-1739"));
    CHECK(is_near(fine.centre(0, 1), "4.9e-1737", "5e-1739"));
    CHECK(is_near(fine.centre(0, 2), "1.3e-1736", "5e-1738"));
    CHECK(fine.error.upper <= power_of_two(-5998));
    const auto coarse = enclose_softmax(head);
    CHECK(coarse.centre(0, 3) == 1);
    CHECK(coarse.error.lower > 0);
    CHECK(coarse.error.upper <= power_of_two(-124));
    const auto closer = enclose_softmax_error(head, coarse.centre, 6000);
    CHECK(closer.lower >= parse_rational("3.9e-1736"));
    CHECK(closer.upper <= parse_rational("4.1e-1736"));
}

TEST_CASE("half-precision queries whose dot products overflow half precision are read exactly") {
    // 128 features, q = k1 = 256, k2 = 255.75, scale 1/√128: the second entry is subnormal in float64.
    Head head;
    head.query = ExactMatrix::from_double(Eigen::MatrixXd::Constant(1, 128, 256));
    Eigen::MatrixXd key = Eigen::MatrixXd::Constant(2, 128, 256);
    key.row(1).setConstant(255.75);
    head.key = ExactMatrix::from_double(key);
    head.scale = {Rational(1), 128};
    const auto fine = enclose_softmax(head, 1200);
    CHECK(is_near(fine.centre(0, 1), "3.4451e-315", "5e-320"));
    const auto coarse = enclose_softmax(head);
    CHECK(coarse.centre(0, 0) == 1);
    const auto closer = enclose_softmax_error(head, coarse.centre, 1200);
    CHECK(closer.upper <= parse_rational("6.8903e-315"));
    CHECK(closer.lower >= parse_rational("6.8901e-315"));
    Eigen::MatrixXd one(1, 2);
    one << 1, 0;
    const auto fast = upper_softmax_error_fast(head, one);
    REQUIRE(fast);
    CHECK(to_rational(*fast) >= closer.lower);
}

TEST_CASE("the causal head with logits 0 and 0, -200 is resolved at 600 bits") {
    Eigen::MatrixXd logits = Eigen::MatrixXd::Zero(2, 2);
    logits(1, 1) = -200;
    Head head = head_of_logits(logits);
    head.mask.kind = MaskKind::causal;
    const auto enclosure = enclose_softmax(head, 600);
    CHECK(enclosure.centre(0, 0) == 1);
    CHECK(enclosure.centre(0, 1) == 0);
    CHECK(is_near(enclosure.centre(1, 1), "1.38390e-87", "5e-93"));
    CHECK(enclosure.error.upper <= power_of_two(-600));
}

TEST_CASE("logits of a million and of 1e300 are ordinary") {
    CHECK(enclose_softmax(head_of_row({1e6, 1e6, -1e6})).error.upper <= power_of_two(-64));
    const auto huge = enclose_softmax(head_of_row({1e300, 1, -1e300}), 100);
    CHECK(huge.centre(0, 0) == 1);
    CHECK(huge.centre(0, 1) == 0);
    CHECK(huge.error.lower == 0);
    CHECK(huge.error.upper > 0);
    CHECK(huge.error.upper <= power_of_two(-186));
    CHECK(enclose_softmax_error(head_of_row({1e300, 1, -1e300}), huge.centre, 5000).upper <=
          power_of_two(-4990));
    Head irrational = head_of_row({1e300, 1, -1e300});
    irrational.scale.sqrt_of = 2;
    CHECK(enclose_softmax(irrational).error.upper <= power_of_two(-124));
}

TEST_CASE("a row whose only visible key is known exactly has no error at all") {
    const auto enclosure = enclose_softmax(head_of_row({3.75}));
    CHECK(enclosure.centre(0, 0) == 1);
    CHECK(enclosure.error.upper == 0);
}

TEST_CASE("equal logits give exact fractions of powers of two") {
    const auto enclosure = enclose_softmax(head_of_row(std::vector<double>(8, 5.5)));
    CHECK(enclosure.centre(0, 7) == Rational(1, 8));
    CHECK(enclosure.error.upper == 0);
}

TEST_CASE("a constant finite bias of minus the largest float cancels") {
    Head head = head_of_row({0.5, 1.5, 2.5});
    head.mask.kind = MaskKind::additive;
    head.mask.bias = ExactMatrix::from_double(Eigen::MatrixXd::Constant(1, 3, -3.4028234663852886e38));
    const auto enclosure = enclose_softmax(head);
    CHECK(is_near(enclosure.centre(0, 0), "0.090030573", "1e-9"));
    CHECK(is_near(enclosure.centre(0, 1), "0.244728471", "1e-9"));
    CHECK(is_near(enclosure.centre(0, 2), "0.665240956", "1e-9"));
    CHECK(enclosure.centre == enclose_softmax(head_of_row({0.5, 1.5, 2.5})).centre);
}

TEST_CASE("an additive mask of ones is not a boolean mask of ones") {
    Head head = head_of_logits(Eigen::MatrixXd::Zero(2, 2));
    Eigen::MatrixXd ones(2, 2);
    ones << 1, 1, 0, 1;
    head.mask.kind = MaskKind::additive;
    head.mask.bias = ExactMatrix::from_double(ones);
    CHECK(enclose_softmax(head).centre(0, 0) == Rational(1, 2));
    CHECK(is_near(enclose_softmax(head).centre(1, 0), "0.268941421369995", "1e-15"));
    head.mask = {};
    head.mask.kind = MaskKind::boolean;
    head.mask.keep = ones.cast<bool>();
    CHECK(enclose_softmax(head).centre(1, 0) == 0);
    CHECK(enclose_softmax(head).centre(1, 1) == 1);
}

TEST_CASE("a constant added to a row of exact logits leaves the bit-identical enclosure") {
    const std::vector<double> logits = {0.375, -7.25, 3.5, 3.5, 1e-3, -1234.5};
    const auto plain = enclose_softmax(head_of_row(logits), 100);
    for (const double shift : {1.0, -65536.0, 1073741824.0, 1e15, 0x1p-40}) {
        Head head = head_of_row(logits);
        head.mask.kind = MaskKind::additive;
        head.mask.bias = ExactMatrix::from_double(Eigen::MatrixXd::Constant(1, 6, shift));
        const auto by_bias = enclose_softmax(head, 100);
        CHECK(by_bias.centre == plain.centre);
        CHECK(by_bias.error.lower == plain.error.lower);
        CHECK(by_bias.error.upper == plain.error.upper);

        // The same shift as a second feature: q = (1, shift), k = (logit, 1).
        Eigen::MatrixXd query(1, 2);
        Eigen::MatrixXd key(6, 2);
        query << 1, shift;
        for (Index j = 0; j < 6; ++j) key.row(j) << logits[static_cast<std::size_t>(j)], 1;
        Head wide;
        wide.query = ExactMatrix::from_double(query);
        wide.key = ExactMatrix::from_double(key);
        const auto by_feature = enclose_softmax(wide, 100);
        CHECK(by_feature.centre == plain.centre);
        CHECK(by_feature.error.upper == plain.error.upper);
    }
}

TEST_CASE("a bias that cancels huge dot products under an irrational scale leaves a tight enclosure") {
    // x = 2^200/√2 − 2^200 · 0.70710678…: the bias is the double nearest to the scaled dot product.
    Head head = head_of_row({0x1p200, 0});
    head.scale.sqrt_of = 2;
    head.mask.kind = MaskKind::additive;
    Eigen::MatrixXd bias = Eigen::MatrixXd::Zero(1, 2);
    bias(0, 0) = -0x1.6a09e667f3bcdp199;
    head.mask.bias = ExactMatrix::from_double(bias);
    CHECK(enclose_softmax(head).error.upper <= power_of_two(-52));
    // The scaled dot product to 2^−20: 220 bits of it, as a matrix that no double holds.
    std::vector<Integer> mantissas = {-boost::multiprecision::sqrt(Integer(1) << 439), Integer(0)};
    head.mask.bias = ExactMatrix::from_integers(1, 2, std::move(mantissas), -20);
    const auto enclosure = enclose_softmax(head);
    CHECK(enclosure.error.upper <= power_of_two(-53));
    CHECK(enclosure.error.upper >= reference_error(head, enclosure.centre) - reference_accuracy());
    CHECK(is_near(enclosure.centre(0, 0), "0.5", "1e-6"));
}

TEST_CASE("a scale by the root of a perfect square is rational") {
    Head root = head_of_row({1, 2, 3.5});
    root.scale = {Rational(3), 64};
    Head rational = head_of_row({1, 2, 3.5});
    rational.scale = {Rational(3, 8), 1};
    CHECK(enclose_softmax(root, 90).centre == enclose_softmax(rational, 90).centre);
    CHECK(enclose_softmax(root, 90).error.upper == enclose_softmax(rational, 90).error.upper);
}

TEST_CASE("enclosures of random awkward heads contain the truth and are as tight as their grid") {
    std::mt19937_64 random(31);
    for (int trial = 0; trial < 120; ++trial) {
        const Head head = random_head(random);
        for (const unsigned precision : {8U, 53U, 130U}) check_enclosure(head, precision);
    }
}

TEST_CASE("error bounds of any centre overlap the truth, are narrow, and tighten with more bits") {
    std::mt19937_64 random(32);
    std::uniform_int_distribution<int> numerator(-40, 90);
    for (int trial = 0; trial < 80; ++trial) {
        const Head head = random_head(random);
        ExactMatrix centre = enclose_softmax(head, 40).centre;
        if (trial % 2 == 0) {  // any matrix, hidden entries and negative ones too
            std::vector<Integer> mantissas(static_cast<std::size_t>(head.queries() * head.keys()));
            for (Integer& mantissa : mantissas) mantissa = numerator(random);
            centre = ExactMatrix::from_integers(head.queries(), head.keys(), std::move(mantissas), -6);
        }
        const Rational truth = reference_error(head, centre);
        ErrorBounds last = enclose_softmax_error(head, centre, 1);
        for (const unsigned bits : {64U, 72U, 128U, 256U, 512U}) {
            const ErrorBounds bounds = enclose_softmax_error(head, centre, bits);
            CHECK(bounds.lower <= truth + reference_accuracy());
            CHECK(bounds.upper >= truth - reference_accuracy());
            CHECK(bounds.lower >= last.lower);
            CHECK(bounds.upper <= last.upper);
            last = bounds;
        }
        // At many bits what is left is the 64-bit summation of the errors.
        CHECK(last.upper - last.lower <= truth * power_of_two(-57));
    }
}

TEST_CASE("a centre that is off in one entry is seen to be off") {
    std::mt19937_64 random(33);
    for (int trial = 0; trial < 40; ++trial) {
        const Head head = random_head(random);
        const auto enclosure = enclose_softmax(head);
        const auto cells = head.queries() * head.keys();
        const Index cell = std::uniform_int_distribution<Index>(0, cells - 1)(random);
        std::vector<Integer> mantissas;
        for (Index i = 0; i < head.queries(); ++i) {
            for (Index j = 0; j < head.keys(); ++j) {
                mantissas.push_back(
                    boost::multiprecision::numerator(Rational(enclosure.centre(i, j) * power_of_two(53))));
            }
        }
        mantissas[static_cast<std::size_t>(cell)] += 1024;  // 2^−43
        const auto centre =
            ExactMatrix::from_integers(head.queries(), head.keys(), std::move(mantissas), -53);
        const ErrorBounds bounds = enclose_softmax_error(head, centre, 128);
        CHECK(bounds.lower >= 1000 * power_of_two(-53));
        const auto fast = upper_softmax_error_fast(head, centre.to_double());
        if (fast) CHECK(to_rational(*fast) >= bounds.lower);
    }
}

TEST_CASE("a centre of another shape is refused") {
    CHECK_THROWS_AS((void)enclose_softmax_error(head_of_row({1, 2}), ExactMatrix(2, 2), 128), Error);
    CHECK_THROWS_AS((void)upper_softmax_error_fast(head_of_row({1, 2}), Eigen::MatrixXd::Zero(2, 2)), Error);
}

TEST_CASE("the caller's rounding mode and flush-to-zero change nothing") {
    std::mt19937_64 random(34);
    for (int trial = 0; trial < 20; ++trial) {
        const Head head = random_head(random);
        const auto plain = enclose_softmax(head);
        const auto bounds = enclose_softmax_error(head, plain.centre, 128);
        const auto fast = upper_softmax_error_fast(head, plain.centre.to_double());
        for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
            SoftmaxEnclosure hostile;
            ErrorBounds hostile_bounds;
            std::optional<double> hostile_fast;
            bool environment_is_kept = false;
            {
                const HostileEnvironment environment(mode, true);
                hostile = enclose_softmax(head);
                hostile_bounds = enclose_softmax_error(head, plain.centre, 128);
                hostile_fast = upper_softmax_error_fast(head, plain.centre.to_double());
                environment_is_kept = std::fegetround() == mode;
            }
            CHECK(environment_is_kept);
            CHECK(hostile.centre == plain.centre);
            CHECK(hostile.error.upper == plain.error.upper);
            CHECK(hostile_bounds.lower == bounds.lower);
            CHECK(hostile_bounds.upper == bounds.upper);
            CHECK(hostile_fast == fast);
        }
    }
}
