#include "rankcert/attention/head.hpp"

#include <doctest/doctest.h>

#include "attention/heads.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::tests;

namespace {

std::string complaint(const Head& head) {
    try {
        validate(head);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

Head zero_logits(Index m, Index n) { return head_of_logits(Eigen::MatrixXd::Zero(m, n)); }

std::string visible_keys(const Head& head, Index i) {
    std::string text;
    for (Index j = 0; j < head.keys(); ++j) text += head.visible(i, j) ? '1' : '0';
    return text;
}

}  // namespace

TEST_CASE("a causal mask with fewer queries than keys depends on the declared alignment") {
    Head head = zero_logits(2, 5);
    head.mask.kind = MaskKind::causal;
    head.mask.alignment = CausalAlignment::bottom_right;
    CHECK(visible_keys(head, 0) == "11110");
    CHECK(visible_keys(head, 1) == "11111");
    head.mask.alignment = CausalAlignment::top_left;
    CHECK(visible_keys(head, 0) == "10000");
    CHECK(visible_keys(head, 1) == "11000");
    CHECK(complaint(head).empty());
}

TEST_CASE("both causal alignments agree on square heads") {
    Head head = zero_logits(3, 3);
    head.mask.kind = MaskKind::causal;
    for (const auto alignment : {CausalAlignment::bottom_right, CausalAlignment::top_left}) {
        head.mask.alignment = alignment;
        CHECK(visible_keys(head, 0) == "100");
        CHECK(visible_keys(head, 1) == "110");
        CHECK(visible_keys(head, 2) == "111");
    }
}

TEST_CASE("a row that sees no key is refused by its number") {
    Head head = zero_logits(5, 2);
    head.mask.kind = MaskKind::causal;
    CHECK(complaint(head).find("row 0 ") != std::string::npos);
    head.mask.alignment = CausalAlignment::top_left;
    CHECK(complaint(head).empty());

    head = head_of_logits(Eigen::MatrixXd::Identity(2, 2));
    head.mask.kind = MaskKind::boolean;
    head.mask.keep = BoolMatrix::Constant(2, 2, true);
    CHECK(complaint(head).empty());
    head.mask.keep.row(1).setConstant(false);
    CHECK(complaint(head).find("row 1 ") != std::string::npos);
    CHECK_THROWS_AS((void)enclose_softmax(head), Error);
    CHECK_THROWS_AS((void)enclose_softmax_error(head, ExactMatrix::identity(2), 128), Error);
    CHECK_THROWS_AS((void)upper_softmax_error_fast(head, Eigen::MatrixXd::Identity(2, 2)), Error);
    CHECK_THROWS_AS((void)count_distinct_rows(head), Error);
}

TEST_CASE("shapes, sizes, scale and multipliers that make no head are refused") {
    const Head good = zero_logits(2, 3);
    CHECK(complaint(good).empty());
    Head head = good;
    head.key = ExactMatrix(3, 4);
    CHECK(complaint(head).find("2 features but keys have 4") != std::string::npos);
    head = good;
    head.query = ExactMatrix(0, 2);
    CHECK(complaint(head).find("no rows") != std::string::npos);
    head = good;
    head.key = ExactMatrix(0, 2);
    CHECK(complaint(head).find("no rows") != std::string::npos);
    head.query = ExactMatrix(2, 0);
    head.key = ExactMatrix(3, 0);
    CHECK(complaint(head).find("no columns") != std::string::npos);
    head = good;
    head.scale.sqrt_of = 0;
    CHECK(complaint(head).find("sqrt(0)") != std::string::npos);
    head = good;
    head.multiplier_low = Rational(-1, 2);
    CHECK(complaint(head).find("-1/2") != std::string::npos);
    head = good;
    head.multiplier_low = 2;
    CHECK(complaint(head).find("[2, 1]") != std::string::npos);
    head = good;
    head.mask.kind = MaskKind::boolean;
    head.mask.keep = BoolMatrix::Constant(3, 2, true);
    CHECK(complaint(head).find("boolean mask is 3×2 but must be 2×3") != std::string::npos);
    head = good;
    head.mask.kind = MaskKind::additive;
    CHECK(complaint(head).find("additive mask is 0×0 but must be 2×3") != std::string::npos);
}

TEST_CASE("numbers that the stated format does not have are refused by their index") {
    Eigen::MatrixXd logits(1, 2);
    logits << 1.5, 1 + 0x1p-12;
    Head head = head_of_logits(logits);
    head.rounded_from = NumberFormat::float32;
    CHECK(complaint(head).empty());
    head.rounded_from = NumberFormat::float16;
    CHECK(complaint(head).find("entry (1, 0) of the key matrix is not a float16") != std::string::npos);
}

TEST_CASE("exponents beyond any number format are refused before they fill the memory") {
    const auto absurd = [](long exponent) {
        return ExactMatrix::from_integers(1, 1, {Integer(1)}, exponent);
    };
    Head head = head_of_row({1});
    CHECK(complaint(head).empty());
    for (const long exponent : {1L << 22, -(1L << 22)}) {
        Head broken = head;
        broken.query = absurd(exponent);
        CHECK(complaint(broken).find("the query matrix has 1-bit entries at the scale 2^") !=
              std::string::npos);
        broken = head;
        broken.key = absurd(exponent);
        CHECK(complaint(broken).find("key matrix") != std::string::npos);
        broken = head;
        broken.mask.kind = MaskKind::additive;
        broken.mask.bias = absurd(exponent);
        CHECK(complaint(broken).find("additive mask") != std::string::npos);
        CHECK_THROWS_AS((void)enclose_softmax_error(head, absurd(exponent), 128), Error);
    }
    head.key = absurd(5000);
    CHECK(enclose_softmax(head).error.upper == 0);
}
