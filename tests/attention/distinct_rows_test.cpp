#include <doctest/doctest.h>

#include "attention/heads.hpp"

using namespace rankcert;
using namespace rankcert::tests;

TEST_CASE("rows whose logits differ by a constant are one row of softmax") {
    Eigen::MatrixXd logits(4, 3);
    logits << 1, 2, 4,   //
        11, 12, 14,      //
        1, 2, 4.5,       //
        -0.5, 0.5, 2.5;  //
    Head head = head_of_logits(logits);
    CHECK(count_distinct_rows(head) == 2);
    head.multiplier_low = Rational(1, 2);  // for every temperature
    CHECK(count_distinct_rows(head) == 2);
    head.rounded_from = NumberFormat::float32;  // Q need not be equal any more
    CHECK(count_distinct_rows(head) == 4);
}

TEST_CASE("a difference in the last bit is a difference") {
    Eigen::MatrixXd logits(2, 2);
    logits << 0, 1, 0, 1 + 0x1p-52;
    CHECK(count_distinct_rows(head_of_logits(logits)) == 2);
}

TEST_CASE("equal logits over different visible keys are different rows") {
    Head head = head_of_logits(Eigen::MatrixXd::Zero(3, 3));
    CHECK(count_distinct_rows(head) == 1);
    head.mask.kind = MaskKind::causal;
    CHECK(count_distinct_rows(head) == 3);
}

TEST_CASE("hidden logits do not tell rows apart") {
    Eigen::MatrixXd logits(2, 3);
    logits << 1, 2, 99, 3, 4, -99;
    Head head = head_of_logits(logits);
    CHECK(count_distinct_rows(head) == 2);
    head.mask.kind = MaskKind::boolean;
    head.mask.keep = BoolMatrix::Constant(2, 3, true);
    head.mask.keep.col(2).setConstant(false);
    CHECK(count_distinct_rows(head) == 1);
}

TEST_CASE("a scale or a temperature of zero makes all logits equal") {
    Eigen::MatrixXd logits(3, 2);
    logits << 1, 2, 3, 5, 8, 13;
    Head head = head_of_logits(logits);
    CHECK(count_distinct_rows(head) == 3);
    head.multiplier_low = head.multiplier_high = 0;
    CHECK(count_distinct_rows(head) == 1);
    head.multiplier_high = 1;  // but not for every member of this family
    CHECK(count_distinct_rows(head) == 3);
    head.multiplier_low = 1;
    head.scale.factor = 0;
    CHECK(count_distinct_rows(head) == 1);
}

TEST_CASE("a bias that makes up for the dot products counts only where the sum is known exactly") {
    Eigen::MatrixXd logits(2, 2);
    logits << 0, 1, 0, 2;
    Eigen::MatrixXd bias(2, 2);
    bias << 0, 0.5, 0, 0.25;
    Head head = head_of_logits(logits);
    head.mask.kind = MaskKind::additive;
    head.mask.bias = ExactMatrix::from_double(bias);
    head.scale.factor = Rational(1, 4);  // 1/4 + 1/2 = 2/4 + 1/4
    CHECK(count_distinct_rows(head) == 1);
    head.scale = {Rational(1), 16};
    CHECK(count_distinct_rows(head) == 1);
    head.scale = {Rational(1, 4), 1};
    head.multiplier_high = 2;
    CHECK(count_distinct_rows(head) == 2);
    head.multiplier_high = 1;
    head.scale.sqrt_of = 2;
    CHECK(count_distinct_rows(head) == 2);
    head.scale = {Rational(1, 3), 1};
    CHECK(count_distinct_rows(head) == 2);
}
