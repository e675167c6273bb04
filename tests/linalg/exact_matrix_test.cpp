#include <doctest/doctest.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "exact_helpers.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::test;
using Index = Eigen::Index;

namespace {

Table naive_product(const Table& a, const Table& b, Index rows, Index cols) {
    Table c(static_cast<std::size_t>(rows), std::vector<Rational>(static_cast<std::size_t>(cols)));
    for (std::size_t i = 0; i < c.size(); ++i)
        for (std::size_t j = 0; j < c[i].size(); ++j)
            for (std::size_t k = 0; k < b.size(); ++k) c[i][j] += a[i][k] * b[k][j];
    return c;
}

// The largest 2^b, over all entries, that the documented bits() promises.
unsigned true_bits(const ExactMatrix& a) {
    Integer largest = 0;
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < a.cols(); ++j) largest = std::max(largest, Integer(abs(a.mantissa(i, j))));
    unsigned bits = 0;
    while ((Integer(1) << bits) <= largest) ++bits;
    return bits;
}

void check_all_operations(const ExactMatrix& a, const ExactMatrix& b, const ExactMatrix& same) {
    const Table ta = table(a), tb = table(b), ts = table(same);
    const ExactMatrix product = a * b;
    REQUIRE(product.rows() == a.rows());
    REQUIRE(product.cols() == b.cols());
    CHECK(table(product) == naive_product(ta, tb, a.rows(), b.cols()));
    CHECK(product.bits() == true_bits(product));
    CHECK((b.transpose() * a.transpose()) == product.transpose());

    const ExactMatrix sum = a + same, difference = a - same;
    CHECK(sum.bits() == true_bits(sum));
    std::vector<Rational> norms, squares;
    Rational norm = 0, frobenius = 0;
    for (std::size_t i = 0; i < ta.size(); ++i) {
        Rational row = 0, square = 0;
        for (std::size_t j = 0; j < ta[i].size(); ++j) {
            const auto ii = static_cast<Index>(i), jj = static_cast<Index>(j);
            CHECK(sum(ii, jj) == ta[i][j] + ts[i][j]);
            CHECK(difference(ii, jj) == ta[i][j] - ts[i][j]);
            CHECK(a.transpose()(jj, ii) == ta[i][j]);
            row += abs(ta[i][j]);
            square += ta[i][j] * ta[i][j];
        }
        norms.push_back(row);
        squares.push_back(square);
        norm = std::max(norm, row);
        frobenius += square;
    }
    CHECK(a.row_norms() == norms);
    CHECK(a.row_squares() == squares);
    CHECK(a.norm() == norm);
    CHECK(a.squared_frobenius_norm() == frobenius);
    CHECK((sum - same) == a);
    CHECK((a - a) == ExactMatrix(a.rows(), a.cols()));
}

}  // namespace

TEST_CASE("every operation agrees with rational arithmetic at every transition of storage") {
    std::mt19937_64 random(7);
    const unsigned widths[] = {0,   1,   26,  31,  32,  53,  62,  63,  64,  65, 100,
                               120, 125, 126, 127, 128, 129, 191, 192, 256, 700};
    for (const unsigned p : widths) {
        for (const unsigned q : widths) {
            const Index m = 1 + static_cast<Index>(random() % 4), n = 1 + static_cast<Index>(random() % 5),
                        k = 1 + static_cast<Index>(random() % 4);
            const long shift = static_cast<long>(random() % 140) - 70;
            CAPTURE(p);
            CAPTURE(q);
            check_all_operations(random_matrix(m, n, p, -static_cast<long>(p), random),
                                 random_matrix(n, k, q, shift, random),
                                 random_matrix(m, n, q, shift, random));
        }
    }
}

TEST_CASE("sums of products of the largest integers do not overflow at the boundary of the accumulators") {
    // bits(a) + bits(b) + ceil(log2(inner)) from 125 to 130, all terms of one sign and of the largest size.
    for (const Index inner : {1, 2, 3, 4, 5, 8, 9, 16}) {
        for (unsigned p = 55; p <= 66; ++p) {
            for (unsigned q = 58; q <= 66; ++q) {
                const Integer x = (Integer(1) << p) - 1, y = (Integer(1) << q) - 1;
                const auto a = ExactMatrix::from_integers(
                    1, inner, std::vector<Integer>(static_cast<std::size_t>(inner), x), 3);
                const auto b = ExactMatrix::from_integers(
                    inner, 1, std::vector<Integer>(static_cast<std::size_t>(inner), Integer(-y)), -5);
                CHECK((a * b).mantissa(0, 0) == -x * y * Integer(inner));
                CHECK((a * b).exponent() == -2);
            }
        }
    }
    for (unsigned p : {63U, 64U, 90U, 116U, 118U, 120U, 126U, 127U, 128U, 236U, 360U, 500U}) {
        for (unsigned q : {1U, 26U, 53U, 60U, 63U, 64U, 118U, 127U, 236U}) {
            const Index inner = 37;
            const Integer x = (Integer(1) << p) - 1, y = (Integer(1) << q) - 1;
            const auto a = ExactMatrix::from_integers(
                1, inner, std::vector<Integer>(static_cast<std::size_t>(inner), x), 0);
            const auto b = ExactMatrix::from_integers(
                inner, 1, std::vector<Integer>(static_cast<std::size_t>(inner), y), 0);
            CHECK((a * b).mantissa(0, 0) == x * y * Integer(inner));
            CHECK((a.scale(-1) * b).mantissa(0, 0) == -x * y * Integer(inner));
        }
    }
}

TEST_CASE("row sums, shifts and scalings do not overflow at 127 bits") {
    for (unsigned p = 60; p <= 129; ++p) {
        const Integer x = (Integer(1) << p) - 1;
        const auto a = ExactMatrix::from_integers(1, 3, {x, Integer(-x), x}, 0);
        CHECK(a.norm() == Rational(3 * x));
        CHECK(a.squared_frobenius_norm() == Rational(3 * x * x));
        CHECK((a + a).mantissa(0, 1) == -2 * x);
        CHECK((a - a.scale(-1)).mantissa(0, 0) == 2 * x);
        CHECK(a.scale(x).mantissa(0, 1) == -x * x);
        const auto w = ExactMatrix::from_integers(1, 1, {x}, 1);
        CHECK(a.scale_rows(w)(0, 1) == Rational(-2 * x * x));
        for (const long e : {1L, 60L, 64L, 67L, 126L, 127L, 128L}) {
            const auto b = ExactMatrix::from_integers(1, 3, {x, x, Integer(-x)}, e);
            CHECK((a + b)(0, 0) == Rational(x + (x << static_cast<unsigned>(e))));
            CHECK((a - b)(0, 1) == Rational(-x - (x << static_cast<unsigned>(e))));
            CHECK((b - a)(0, 2) == Rational(-x - (x << static_cast<unsigned>(e))));
        }
    }
}

TEST_CASE("the lowest integers of the machine types are ordinary") {
    for (const unsigned b : {63U, 127U}) {
        const Integer low = -(Integer(1) << b);
        const auto a = ExactMatrix::from_integers(1, 2, {low, Integer(-1)}, 0);
        CHECK(a.bits() == b + 1);
        CHECK(a.norm() == Rational(1 - low));
        CHECK((a * a.transpose()).mantissa(0, 0) == low * low + 1);
        CHECK(a.scale(-1).mantissa(0, 0) == -low);
    }
}

TEST_CASE("empty, 1×1 and non-square matrices are ordinary") {
    const ExactMatrix none, tall(3, 0), wide(0, 3);
    CHECK(none.rows() == 0);
    CHECK((tall * wide) == ExactMatrix(3, 3));
    CHECK((wide * tall).rows() == 0);
    CHECK((wide * tall).cols() == 0);
    CHECK(tall.norm() == 0);
    CHECK(tall.row_norms() == std::vector<Rational>(3));
    CHECK(wide.norm() == 0);
    CHECK(wide.row_norms().empty());
    CHECK(none.trace() == 0);
    CHECK((tall + tall) == tall);
    CHECK(tall.transpose() == wide);
    CHECK_FALSE(tall == wide);
    CHECK_FALSE(tall == ExactMatrix(3, 1));
    CHECK(tall.is_double());
    CHECK(tall.to_double().rows() == 3);
    CHECK(exact_rank(none) == 0);
    CHECK(exact_rank(tall) == 0);
    CHECK(ExactMatrix::identity(0) == none);
    const auto one = ExactMatrix::identity(1);
    CHECK((one * one) == one);
    CHECK(one.trace() == 1);
    CHECK(wide.scale_rows(ExactMatrix(0, 1)) == wide);
    CHECK(tall.scale_rows(ExactMatrix(3, 1)) == tall);
    CHECK(ExactMatrix::identity(3).select_rows({}) == wide);
    CHECK(ExactMatrix::identity(3).select_cols({}) == tall);
}

TEST_CASE("equality is by value, at whatever exponents") {
    const auto a = ExactMatrix::from_integers(1, 3, {4, 0, -12}, 0);
    const auto b = ExactMatrix::from_integers(1, 3, {1, 0, -3}, 2);
    const auto c = ExactMatrix::from_integers(1, 3, {1, 0, -3}, 3);
    const auto d = ExactMatrix::from_integers(1, 3, {Integer(1) << 200, 0, Integer(-3) << 200}, -198);
    CHECK(a == b);
    CHECK(a == d);
    CHECK(b == d);
    CHECK_FALSE(b == c);
    CHECK_FALSE(a == ExactMatrix::from_integers(1, 3, {4, 0, -13}, 0));
    CHECK_FALSE(a == ExactMatrix::from_integers(1, 3, {2, 0, -7}, 1));
    CHECK(ExactMatrix::from_integers(1, 2, {0, 0}, 17) == ExactMatrix(1, 2));
    CHECK_FALSE(a == ExactMatrix(1, 3));
    // far apart: no alignment takes place
    CHECK_FALSE(ExactMatrix::from_integers(1, 1, {1}, 1L << 24) ==
                ExactMatrix::from_integers(1, 1, {1}, -(1L << 24)));
}

TEST_CASE("doubles of every size pass through exactly") {
    Eigen::MatrixXd values(3, 4);
    values << 1e300, -1e-300, 0.1, 0, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, -0.0, 1, 3.5,
        4e-310, -1e16;
    const auto a = ExactMatrix::from_double(values);
    CHECK(a.is_double());
    CHECK(a.to_double() == values);
    CHECK(a.estimate_double() == values);
    for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 4; ++j) {
            CHECK(a(i, j) == to_rational(values(i, j)));
            Eigen::MatrixXd one(1, 1);
            one(0, 0) = values(i, j);
            CHECK(ExactMatrix::from_double(one)(0, 0) == a(i, j));
            CHECK(ExactMatrix::from_double(one).to_double()(0, 0) == values(i, j));
            if (values(i, j) != 0) CHECK(ExactMatrix::from_double(one).bits() <= 53);
        }
    CHECK((a - a) == ExactMatrix(3, 4));
    const ExactMatrix gram = a * a.transpose();
    Rational expected = 0;
    for (Index j = 0; j < 4; ++j) expected += to_rational(values(0, j)) * to_rational(values(1, j));
    CHECK(gram(0, 1) == expected);

    std::mt19937_64 random(3);
    for (int round = 0; round < 2000; ++round) {  // random bit patterns
        Eigen::MatrixXd pair(1, 2);
        for (Index j = 0; j < 2; ++j) {
            do {
                const std::uint64_t word = random();
                std::memcpy(&pair(0, j), &word, sizeof word);
            } while (!std::isfinite(pair(0, j)));
        }
        const auto exact = ExactMatrix::from_double(pair);
        CHECK(exact.to_double() == pair);
        CHECK(exact(0, 0) == to_rational(pair(0, 0)));
        CHECK(exact(0, 1) == to_rational(pair(0, 1)));
    }
}

TEST_CASE("doubles pass through under any rounding mode") {
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
        std::fesetround(mode);
        Eigen::MatrixXd value(1, 2);
        value << 4e-310, 0.1;
        const Eigen::MatrixXd back = ExactMatrix::from_double(value).to_double();
        const auto third = ExactMatrix::from_integers(1, 1, {(Integer(1) << 80) / 3}, -80).estimate_double();
        std::fesetround(FE_TONEAREST);
        CHECK(back == value);
        CHECK(third(0, 0) == 1.0 / 3.0);
    }
}

TEST_CASE("what is not a double is told apart from what is") {
    const auto single = [](const Integer& m, long e) { return ExactMatrix::from_integers(1, 1, {m}, e); };
    CHECK(single((Integer(1) << 53) - 1, 971).is_double());  // the largest
    CHECK_FALSE(single(1, 1024).is_double());
    CHECK(single(1, 1023).is_double());
    CHECK(single(1, -1074).is_double());
    CHECK_FALSE(single(1, -1075).is_double());
    CHECK(single(2, -1075).is_double());
    CHECK_FALSE(single(3, -1075).is_double());
    CHECK_FALSE(single((Integer(1) << 53) + 1, 0).is_double());
    CHECK(single((Integer(1) << 53) + 2, 0).is_double());
    CHECK(single((Integer(1) << 52) + 1, -1074).is_double());
    CHECK_FALSE(single((Integer(1) << 52) + 1, -1075).is_double());
    CHECK_FALSE(single(1, -(1L << 24)).is_double());
    CHECK_THROWS_AS((void)single(1, 1024).to_double(), Error);
    CHECK(single(1, 1024).estimate_double()(0, 0) == std::numeric_limits<double>::infinity());
    CHECK(single(-1, 1L << 24).estimate_double()(0, 0) == -std::numeric_limits<double>::infinity());
    CHECK(single(1, -1075).estimate_double()(0, 0) == 0);  // a tie, to even
    CHECK(single(3, -1076).estimate_double()(0, 0) == 5e-324);
    CHECK(single(3, -1075).estimate_double()(0, 0) == 1e-323);  // a tie, to even
    CHECK(single((Integer(1) << 53) + 1, 0).estimate_double()(0, 0) == 9007199254740992.0);
    CHECK(single((Integer(1) << 53) + 3, 0).estimate_double()(0, 0) == 9007199254740996.0);
    CHECK(single((Integer(1) << 54) - 1, 0).estimate_double()(0, 0) == 18014398509481984.0);
    CHECK(single((Integer(1) << 54) - 1, 970).estimate_double()(0, 0) ==
          std::numeric_limits<double>::infinity());
}

TEST_CASE("selection picks, repeats and permutes") {
    std::mt19937_64 random(5);
    for (const unsigned bits : {30U, 90U, 200U}) {
        const auto a = random_matrix(4, 3, bits, -static_cast<long>(bits), random);
        const auto r = a.select_rows({3, 0, 3}), c = a.select_cols({2, 2, 0, 1});
        CHECK(r.rows() == 3);
        CHECK(c.cols() == 4);
        for (Index j = 0; j < 3; ++j) {
            CHECK(r(0, j) == a(3, j));
            CHECK(r(1, j) == a(0, j));
            CHECK(r(2, j) == a(3, j));
        }
        for (Index i = 0; i < 4; ++i) {
            CHECK(c(i, 1) == a(i, 2));
            CHECK(c(i, 2) == a(i, 0));
        }
        const auto w = random_matrix(4, 1, bits, 2, random);
        for (Index i = 0; i < 4; ++i) CHECK(a.scale_rows(w)(i, 1) == a(i, 1) * w(i, 0));
        Rational trace = 0;
        for (Index i = 0; i < 3; ++i) trace += a(i, i);
        CHECK(a.select_rows({0, 1, 2}).trace() == trace);
    }
}

TEST_CASE("bad input is refused with a sentence") {
    Eigen::MatrixXd values = Eigen::MatrixXd::Zero(2, 2);
    values(1, 0) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS((void)ExactMatrix::from_double(values),
                         "entry (1, 0) of a matrix is not a finite number; remove NaN and infinities.",
                         Error);
    values(1, 0) = -std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS((void)ExactMatrix::from_double(values), Error);
    const ExactMatrix a(2, 3);
    CHECK_THROWS_AS((void)(a * a), Error);
    CHECK_THROWS_AS((void)(a + a.transpose()), Error);
    CHECK_THROWS_AS((void)a.trace(), Error);
    CHECK_THROWS_AS((void)a.mantissa(2, 0), Error);
    CHECK_THROWS_AS((void)a(-1, 0), Error);
    CHECK_THROWS_AS((void)a.select_rows({2}), Error);
    CHECK_THROWS_AS((void)a.select_cols({-1}), Error);
    CHECK_THROWS_AS((void)a.scale_rows(ExactMatrix(3, 1)), Error);
    CHECK_THROWS_AS(ExactMatrix(-1, 2), Error);
    CHECK_THROWS_AS((void)ExactMatrix::from_integers(2, 2, {1, 2, 3}, 0), Error);
    CHECK_THROWS_AS((void)ExactMatrix::from_integers(1L << 40, 1L << 40, {}, 0), Error);
    CHECK_THROWS_AS((void)ExactMatrix::from_integers(1, 1, {1}, (1L << 24) + 1), Error);
    CHECK_THROWS_AS((void)ExactMatrix::from_integers(1, 1, {1}, std::numeric_limits<long>::min()), Error);
    const auto far = ExactMatrix::from_integers(1, 1, {1}, 1L << 24);
    CHECK_THROWS_AS((void)(far + ExactMatrix::from_integers(1, 1, {1}, -1)), Error);
    CHECK_THROWS_AS((void)(far * far * far * far * far), Error);
    CHECK((far + ExactMatrix(1, 1)) == far);  // zero lies nowhere
}

TEST_CASE("what would take gigabytes or hours is refused before it is begun") {
    const auto constant = [](Index n, const Integer& value, long exponent) {
        return ExactMatrix::from_integers(n, n, std::vector<Integer>(static_cast<std::size_t>(n * n), value),
                                          exponent);
    };
    const ExactMatrix high = constant(128, 1, 1L << 20);
    const ExactMatrix low = constant(128, 1, -(1L << 20));
    CHECK_THROWS_AS(high + low, TooMuchWork);
    CHECK_THROWS_AS(high - low, TooMuchWork);
    CHECK_NOTHROW(high * low);  // exponents add up; nothing is aligned
    Eigen::MatrixXd wide = Eigen::MatrixXd::Constant(2100, 2100, 1e300);
    wide(0, 0) = 5e-324;
    CHECK_THROWS_AS(ExactMatrix::from_double(wide), TooMuchWork);
    const ExactMatrix digits = constant(400, (Integer(1) << 40000) - 1, 0);
    CHECK_THROWS_AS(digits * digits, TooMuchWork);
    CHECK_THROWS_AS(digits.scale(Integer(1) << 40000), TooMuchWork);
    CHECK_THROWS_AS(digits.scale_rows(digits.select_cols({0})), TooMuchWork);
}
