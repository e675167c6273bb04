#include <doctest/doctest.h>

#include <cfenv>
#include <cmath>

#include "attention/heads.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::tests;

namespace {

/// The enclosure's bound is above the exact error of its centre, and its centre is what it should be.
void check(const Head& head, const FastSoftmaxEnclosure& fast) {
    REQUIRE(fast.centre.rows() == head.queries());
    REQUIRE(fast.centre.cols() == head.keys());
    bool on_grid = true;
    bool hidden_are_zero = true;
    for (Index i = 0; i < head.queries(); ++i) {
        for (Index j = 0; j < head.keys(); ++j) {
            const double entry = fast.centre(i, j);
            const double scaled = std::ldexp(entry, 53);
            on_grid = on_grid && entry >= 0 && entry <= 1 && scaled == std::floor(scaled);
            hidden_are_zero = hidden_are_zero && (head.visible(i, j) || entry == 0);
        }
    }
    CHECK(on_grid);
    CHECK(hidden_are_zero);
    const ErrorBounds exact = enclose_softmax_error(head, ExactMatrix::from_double(fast.centre), 256);
    CHECK(to_rational(fast.error) >= exact.upper);
    // One road or the other to the same bound.
    const auto again = upper_softmax_error_fast(head, fast.centre);
    REQUIRE(again);
    CHECK(*again == fast.error);
}

Head head_of(const Eigen::MatrixXd& query, const Eigen::MatrixXd& key, Scale scale) {
    Head head;
    head.query = ExactMatrix::from_double(query);
    head.key = ExactMatrix::from_double(key);
    head.scale = scale;
    return head;
}

}  // namespace

TEST_CASE("the fast enclosure holds on random awkward heads") {
    std::mt19937_64 random(61);
    int enclosed = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const Head head = random_head(random);
        const auto fast = enclose_softmax_fast(head);
        if (!fast) continue;
        ++enclosed;
        check(head, *fast);
    }
    CHECK(enclosed == 400);
}

TEST_CASE("the fast enclosure of an ordinary head is narrow, whatever its mask") {
    std::srand(3);
    for (const MaskKind kind : {MaskKind::none, MaskKind::causal}) {
        Head head = head_of(Eigen::MatrixXd::Random(40, 64), Eigen::MatrixXd::Random(50, 64), {1, 64});
        head.mask.kind = kind;
        const auto fast = enclose_softmax_fast(head);
        REQUIRE(fast);
        check(head, *fast);
        CHECK(fast->error <= 1e-13);
        const SoftmaxEnclosure nearest = enclose_softmax(head);
        CHECK((nearest.centre.to_double() - fast->centre).cwiseAbs().maxCoeff() <= 1e-13);
    }
}

TEST_CASE("the fast enclosure holds where float64 finds it hard") {
    const double tiny = 0x1p-1074;
    const std::vector<std::vector<double>> rows{
        {0},  // one key
        {-1e9},
        {5, 5, 5, 5},                 // ties
        {0, tiny, -tiny, 0x1p-1030},  // subnormal logits
        {0, -707.9, -708.5, -740, -745.2, -746, -1e4},
        {1e15, 1e15 + 1, 1e15 - 3},  // the differences are small beside the logits
        {1e6, -1e6, 0, 709.8, 1e6 - 0.5},
        {-744.4, -1489, 0},
        {0x1.fffffffffffffp+9, -0x1.fffffffffffffp+9, 0x1p-52},
    };
    for (const auto& row : rows) {
        const Head head = head_of_row(row);
        const auto fast = enclose_softmax_fast(head);
        REQUIRE(fast);
        check(head, *fast);
    }
    CHECK(enclose_softmax_fast(head_of_row({-3}))->centre(0, 0) == 1);
    CHECK(enclose_softmax_fast(head_of_row({7, 7}))->centre(0, 1) == 0.5);
}

TEST_CASE("the fast enclosure holds where dot products cancel, and for many features") {
    std::mt19937_64 random(62);
    std::normal_distribution<double> normal;
    for (const Index d : {2, 64, 1500}) {
        for (const double size : {0x1p-300, 1e-3, 1.0, 1e4}) {
            Eigen::MatrixXd query(3, d), key(6, d);
            for (Index l = 0; l < d; ++l) {
                for (Index i = 0; i < 3; ++i) query(i, l) = size * normal(random);
                for (Index j = 0; j < 6; ++j) key(j, l) = normal(random);
            }
            // keys whose products with the queries cancel: x and −x in neighbouring features
            for (Index l = 0; l + 1 < d; l += 2) {
                query.col(l + 1) = query.col(l);
                key(0, l + 1) = -key(0, l) + 0x1p-40 * normal(random);
                key(1, l + 1) = -key(1, l);
            }
            key.row(5) = key.row(4);
            for (const Scale& scale : {Scale{1, static_cast<std::uint64_t>(d)}, Scale{-3, 1}}) {
                const Head head = head_of(query, key, scale);
                const auto fast = enclose_softmax_fast(head);
                REQUIRE(fast);
                check(head, *fast);
                CHECK((fast->centre.col(5) - fast->centre.col(4)).isZero(0));
            }
        }
    }
}

TEST_CASE("the fast enclosure holds for families and biases") {
    std::srand(4);
    for (int trial = 0; trial < 20; ++trial) {
        Head head = head_of(Eigen::MatrixXf::Random(5, 8).cast<double>(),
                            Eigen::MatrixXf::Random(7, 8).cast<double>(), {1, 8});
        if (trial % 2 == 0) head.multiplier_high = Rational(1 + trial, 1);
        if (trial % 3 == 0) head.rounded_from = NumberFormat::float32;
        if (trial % 5 == 0) {
            head.mask.kind = MaskKind::additive;
            head.mask.bias = ExactMatrix::from_double(50 * Eigen::MatrixXd::Random(5, 7));
        }
        const auto fast = enclose_softmax_fast(head);
        REQUIRE(fast);
        check(head, *fast);
    }
}

TEST_CASE("the fast enclosure holds where only the rounding of dot products is off") {
    std::mt19937_64 random(64);
    std::uniform_real_distribution<double> uniform(1, 2);
    for (int trial = 0; trial < 50; ++trial) {
        // All products cancel nearly: the logits are what rounding leaves, and differ from the exact ones.
        Eigen::MatrixXd query(2, 2), key(5, 2);
        for (Index i = 0; i < 2; ++i) query.row(i) << 1e6 * uniform(random), 1e6 * uniform(random);
        for (Index j = 0; j < 5; ++j) {
            key(j, 0) = 1e7 * uniform(random);
            key(j, 1) = -key(j, 0) * query(0, 0) / query(0, 1);
        }
        query.row(1) = query.row(0);
        const Head head = head_of(query, key, {1, 1});
        const auto fast = enclose_softmax_fast(head);
        REQUIRE(fast);
        check(head, *fast);
    }
}

TEST_CASE("the fast enclosure holds where only the rounding of scaled products is off") {
    std::mt19937_64 random(65);
    std::uniform_int_distribution<int> integer(1'000'000, 2'000'000);
    for (std::uint64_t g = 2; g < 200; ++g) {
        // Dot products are exact integers; biases cancel them, so that the rounding of the scale and of scale
        // · dot is all.
        const Rational factor(static_cast<long>(g) + 1, 3 + 2 * static_cast<long>(g % 7));
        const double scale = factor.convert_to<double>() / std::sqrt(static_cast<double>(g));
        Eigen::MatrixXd key(6, 1), bias(1, 6);
        for (Index j = 0; j < 6; ++j) {
            key(j, 0) = integer(random) * (j % 2 == 0 ? 1 : -1);
            bias(0, j) = -key(j, 0) * scale;
        }
        Head head = head_of(Eigen::MatrixXd::Ones(1, 1), key, {factor, g});
        head.mask.kind = MaskKind::additive;
        head.mask.bias = ExactMatrix::from_double(bias);
        const auto fast = enclose_softmax_fast(head);
        REQUIRE(fast);
        check(head, *fast);
    }
}

TEST_CASE("the fast enclosure gives hidden keys nothing, whatever other rows see") {
    std::mt19937_64 random(66);
    Head head = head_of(Eigen::MatrixXd::Random(70, 4), Eigen::MatrixXd::Random(9, 4), {1, 4});
    head.mask.kind = MaskKind::boolean;
    head.mask.keep = BoolMatrix::Constant(70, 9, false);
    for (Index i = 0; i < 70; ++i) {
        for (int count = 0; count < 3; ++count) head.mask.keep(i, static_cast<Index>(random() % 9)) = true;
    }
    const auto fast = enclose_softmax_fast(head);
    REQUIRE(fast);
    check(head, *fast);
}

TEST_CASE("the fast enclosure gives nothing where float64 cannot hold the logits") {
    CHECK_FALSE(enclose_softmax_fast(
        head_of(Eigen::MatrixXd::Constant(1, 1, 1e200), Eigen::MatrixXd::Constant(2, 1, -1e200), {1, 1})));
    Head exact = head_of_row({1, 2});
    exact.key = ExactMatrix::from_integers(2, 1, {(Integer(1) << 60) + 1, Integer(0)}, 0);
    CHECK_FALSE(enclose_softmax_fast(exact));
    const auto wide = enclose_softmax_fast(head_of_row({1e300, 1e300, 1}));
    if (wide) check(head_of_row({1e300, 1e300, 1}), *wide);
    Head none = head_of_row({1, 2});
    none.mask.kind = MaskKind::boolean;
    none.mask.keep = BoolMatrix::Constant(1, 2, false);
    CHECK_THROWS_AS((void)enclose_softmax_fast(none), Error);
}

TEST_CASE("the caller's rounding mode does not change the fast enclosure") {
    std::mt19937_64 random(63);
    for (int trial = 0; trial < 20; ++trial) {
        const Head head = random_head(random);
        const auto plain = enclose_softmax_fast(head);
        for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
            std::fesetround(mode);
            const auto hostile = enclose_softmax_fast(head);
            std::fesetround(FE_TONEAREST);
            REQUIRE(plain.has_value() == hostile.has_value());
            if (!plain) continue;
            CHECK(plain->error == hostile->error);
            CHECK((plain->centre.array() == hostile->centre.array()).all());
        }
    }
}
