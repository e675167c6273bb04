// Masks as models store them: booleans, biases, and biases of −infinity.

#include "rankcert/attention/mask.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cfenv>
#include <limits>

#include "attention/heads.hpp"
#include "rankcert/rigor/error.hpp"
#include "rigor/hostile_environment.hpp"

using namespace rankcert;
using namespace rankcert::tests;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A tensor of one of the floating dtypes from bit patterns.
Tensor of_bits(DType dtype, std::uint64_t rows, std::uint64_t cols, const std::vector<std::uint64_t>& patterns) {
    Tensor tensor{"m", dtype, {rows, cols}, {}};
    for (const std::uint64_t pattern : patterns) {
        for (std::size_t k = 0; k < size_of(dtype); ++k)
            tensor.data.push_back(static_cast<std::byte>((pattern >> (8 * k)) & 0xff));
    }
    return tensor;
}

Tensor of_doubles(std::uint64_t rows, std::uint64_t cols, const std::vector<double>& values) {
    std::vector<std::uint64_t> patterns;
    for (const double value : values) patterns.push_back(std::bit_cast<std::uint64_t>(value));
    return of_bits(DType::f64, rows, cols, patterns);
}

std::string complaint(const Tensor& tensor, MaskReading reading) {
    try {
        (void)to_mask(tensor, reading);
    } catch (const Error& error) {
        return error.what();
    }
    return "(accepted)";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The same head with a boolean mask for the hidden keys, and its biases in the logits instead of the mask.
Head without_bias(const Head& head) {
    Eigen::MatrixXd logits(head.queries(), head.keys());
    const ExactMatrix dots = head.query * head.key.transpose();
    REQUIRE(head.scale.sqrt_of == 1);
    for (Index i = 0; i < head.queries(); ++i) {
        for (Index j = 0; j < head.keys(); ++j) {
            const Rational logit = head.scale.factor * dots(i, j) + head.mask.bias(i, j);
            logits(i, j) = static_cast<double>(logit);
            REQUIRE(to_rational(logits(i, j)) == logit);
        }
    }
    Head result = head_of_logits(logits);
    result.mask.kind = MaskKind::boolean;
    result.mask.keep = head.mask.keep;
    return result;
}

}  // namespace

TEST_CASE("minus infinity hides a key and finite biases stay, in every floating format") {
    // Row 0: 1/2, −∞; row 1: −∞, −3.
    struct Format {
        DType dtype;
        std::uint64_t half, minus_three, minus_infinity;
    };
    for (const Format f : {Format{DType::f16, 0x3800, 0xc200, 0xfc00},
                           Format{DType::bf16, 0x3f00, 0xc040, 0xff80},
                           Format{DType::f32, 0x3f000000, 0xc0400000, 0xff800000},
                           Format{DType::f64, std::bit_cast<std::uint64_t>(0.5), std::bit_cast<std::uint64_t>(-3.0),
                                  std::bit_cast<std::uint64_t>(-kInfinity)}}) {
        CAPTURE(to_string(f.dtype));
        const Tensor tensor =
            of_bits(f.dtype, 2, 2, {f.half, f.minus_infinity, f.minus_infinity, f.minus_three});
        const Mask mask = to_mask(tensor, MaskReading::additive);
        REQUIRE(mask.kind == MaskKind::additive);
        CHECK(mask.bias == ExactMatrix::from_double(Eigen::Vector2d(0.5, -3).asDiagonal().toDenseMatrix()));
        CHECK(mask.keep == BoolMatrix(Eigen::Matrix2i::Identity().cast<bool>()));
        CHECK(holds_mask(tensor, mask));
    }
}

TEST_CASE("zeros and minus infinities are the boolean mask, and finite biases alone hide nothing") {
    const Mask boolean = to_mask(of_doubles(1, 3, {0, -kInfinity, -0.0}), MaskReading::additive);
    CHECK(boolean.kind == MaskKind::boolean);
    CHECK(boolean.keep.count() == 2);
    const Tensor ones = of_doubles(1, 3, {1, 0, 1});
    CHECK(is_same_mask(boolean, to_mask(ones, MaskReading::boolean), false));
    CHECK(holds_mask(ones, boolean));
    CHECK(holds_mask(of_doubles(1, 3, {0, -kInfinity, 0}), boolean));
    CHECK(!holds_mask(of_doubles(1, 3, {0, 0, -kInfinity}), boolean));
    CHECK(!holds_mask(of_doubles(3, 1, {1, 0, 1}), boolean));

    const Mask additive = to_mask(of_doubles(1, 3, {1, 0, 1}), MaskReading::additive);
    CHECK(additive.kind == MaskKind::additive);
    CHECK(additive.keep.size() == 0);
    CHECK(!is_same_mask(additive, boolean, false));
    CHECK(to_mask(of_doubles(1, 3, {0, 0, 0}), MaskReading::additive).kind == MaskKind::additive);
}

TEST_CASE("masks of whole numbers are read exactly") {
    Tensor bytes{"m", DType::i64, {1, 2}, {}};
    bytes.data.assign(16, std::byte{0xff});  // −1, −1
    bytes.data[15] = std::byte{0x7f};        // the second is 2^63 − 1
    const Mask mask = to_mask(bytes, MaskReading::additive);
    CHECK(mask.bias(0, 0) == -1);
    CHECK(mask.bias(0, 1) == Rational((Integer(1) << 63) - 1));
    bytes.dtype = DType::u64;
    CHECK(to_mask(bytes, MaskReading::additive).bias(0, 0) == Rational((Integer(1) << 64) - 1));
    const Tensor flags{"m", DType::u8, {1, 2}, {std::byte{1}, std::byte{0}}};
    CHECK(to_mask(flags, MaskReading::boolean).keep(0, 0));
    CHECK(!to_mask(flags, MaskReading::boolean).keep(0, 1));
}

TEST_CASE("a subnormal bias survives a processor that flushes subnormal numbers") {
    const Tensor tensor = of_bits(DType::f32, 1, 2, {1, 0xff800000});
    const HostileEnvironment hostile(FE_UPWARD, true);
    const Mask mask = to_mask(tensor, MaskReading::additive);
    CHECK(mask.bias(0, 0) == to_rational(Integer(1), -149));
    CHECK(!mask.keep(0, 1));
}

TEST_CASE("plus infinity, NaN and what is no flag are refused by name and index") {
    for (const auto reading : {MaskReading::boolean, MaskReading::additive}) {
        for (const double bad : {kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
            const std::string sentence = complaint(of_doubles(2, 2, {0, 1, bad, 0}), reading);
            CHECK(contains(sentence, "'m'"));
            CHECK(contains(sentence, "[1, 0]"));
        }
    }
    CHECK(contains(complaint(of_doubles(1, 2, {1, 0.5}), MaskReading::boolean), "[0, 1]"));
    CHECK(contains(complaint(of_doubles(1, 2, {1, -kInfinity}), MaskReading::boolean), "[0, 1]"));
    const Tensor flags{"m", DType::boolean, {1, 2}, {std::byte{1}, std::byte{0}}};
    CHECK(contains(complaint(flags, MaskReading::additive), "booleans"));
    CHECK(contains(complaint(of_doubles(4, 1, {0, 0, 0, 0}), MaskReading::additive), "(accepted)"));
    Tensor cube = of_doubles(4, 1, {0, 0, 0, 0});
    cube.shape = {2, 2, 1};
    CHECK(contains(complaint(cube, MaskReading::additive), "[2, 2, 1]"));
}

TEST_CASE("a row of nothing but minus infinity is an error that names the row, and so is a hidden bias") {
    Head head = head_of_logits(Eigen::MatrixXd::Zero(2, 2));
    head.mask = to_mask(of_doubles(2, 2, {1, -kInfinity, -kInfinity, -kInfinity}), MaskReading::additive);
    REQUIRE(head.mask.kind == MaskKind::additive);
    try {
        validate(head);
        FAIL("a row that sees no key was accepted");
    } catch (const Error& error) {
        CHECK(contains(error.what(), "row 1 of the mask hides every key"));
    }
    head.mask.keep(1, 0) = true;
    validate(head);
    head.mask.keep(0, 0) = false;
    head.mask.keep(0, 1) = true;
    try {
        validate(head);
        FAIL("a bias at a hidden key was accepted");
    } catch (const Error& error) {
        CHECK(contains(error.what(), "entry (0, 0) of the additive mask"));
    }
    head.mask.keep.resize(1, 2);
    head.mask.keep.setConstant(true);
    CHECK_THROWS_AS(validate(head), Error);
}

TEST_CASE("a causal head with a linear bias has zeros where minus infinity stands, by every road") {
    // ALiBi: bias −(i − j)/4 for j ≤ i, −∞ beyond.
    constexpr Index n = 6;
    Head head = head_of_logits(Eigen::MatrixXd::Random(n, n).unaryExpr([](double x) {
        return static_cast<double>(static_cast<int>(64 * x)) / 16;
    }));
    std::vector<double> bias;
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) bias.push_back(j <= i ? static_cast<double>(j - i) / 4 : -kInfinity);
    head.mask = to_mask(of_doubles(n, n, bias), MaskReading::additive);
    const Head same = without_bias(head);

    const SoftmaxEnclosure enclosure = enclose_softmax(head, 200);
    CHECK(enclosure.centre == enclose_softmax(same, 200).centre);
    CHECK(enclosure.error.upper < to_rational(Integer(1), -195));
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) CHECK((enclosure.centre.mantissa(i, j) != 0) == (j <= i));
    const Rational reference = reference_error(head, enclosure.centre);
    CHECK(enclosure.error.lower <= reference);
    CHECK(reference <= enclosure.error.upper);
    const ErrorBounds bounds = enclose_softmax_error(head, enclosure.centre, 300);
    CHECK(bounds.lower <= reference);
    CHECK(reference <= bounds.upper + reference_accuracy());

    const SoftmaxEnclosure coarse = enclose_softmax(head);
    const auto fast = upper_softmax_error_fast(head, coarse.centre.to_double());
    REQUIRE(fast.has_value());
    CHECK(to_rational(*fast) >= reference_error(head, coarse.centre));
    CHECK(*fast < 1e-12);
    // Anything at a hidden key is error in full.
    Eigen::MatrixXd wrong = coarse.centre.to_double();
    wrong(0, n - 1) = 0.5;
    CHECK(enclose_softmax_error(head, ExactMatrix::from_double(wrong), 64).lower >= Rational(1, 2));
    CHECK(upper_softmax_error_fast(head, wrong).value() >= 0.5);
}

TEST_CASE("hidden keys do not widen the bounds of a family") {
    // Key 1 has an enormous product with the query; hidden, it has no part in the oscillation.
    Head head;
    Eigen::MatrixXd query(1, 1), key(3, 1);
    query << 1;
    key << 0.5, 1e6, 0.25;
    head.query = ExactMatrix::from_double(query);
    head.key = ExactMatrix::from_double(key);
    head.mask = to_mask(of_doubles(1, 3, {0, -kInfinity, 1}), MaskReading::additive);
    REQUIRE(head.mask.kind == MaskKind::additive);
    head.multiplier_low = 1;
    head.multiplier_high = Rational(5, 4);
    head.rounded_from = NumberFormat::float64;
    CHECK(enclose_softmax(head).error.upper < Rational(1, 20));
    CHECK(upper_softmax_error_fast(head, enclose_softmax(head).centre.to_double()).value() < 0.05);
    head.mask.keep(0, 1) = true;
    CHECK(enclose_softmax(head).error.upper > 1);
}

TEST_CASE("rows that hide different keys are different rows whatever their biases") {
    Head head = head_of_logits(Eigen::MatrixXd::Zero(3, 3));
    head.mask = to_mask(of_doubles(3, 3, {1, -kInfinity, 1, 2, -kInfinity, 2, 1, 1, -kInfinity}),
                        MaskReading::additive);
    CHECK(count_distinct_rows(head) == 2);
}
