#include "rankcert/rigor/rational.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "rankcert/rigor/error.hpp"

namespace {

using rankcert::Error;
using rankcert::Integer;
using rankcert::parse_rational;
using rankcert::Rational;
using rankcert::to_rational;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

Rational quotient(long p, long q) { return Rational(Integer(p), Integer(q)); }

double random_double(std::mt19937_64& random) {
    for (;;) {
        const auto x = std::bit_cast<double>(random());
        if (std::isfinite(x)) return x;
    }
}

}  // namespace

TEST_CASE("rationals are read exactly from decimals and fractions") {
    CHECK(parse_rational("0.25") == quotient(1, 4));
    CHECK(parse_rational("-2.5e-1") == quotient(-1, 4));
    CHECK(parse_rational("1/3") == quotient(1, 3));
    CHECK(parse_rational("-06/08") == quotient(-3, 4));
    CHECK(parse_rational("7") == 7);
    CHECK(parse_rational("+7") == 7);
    CHECK(parse_rational("010") == 10);
    CHECK(parse_rational(".5") == quotient(1, 2));
    CHECK(parse_rational("5.") == 5);
    CHECK(parse_rational("1E3") == 1000);
    CHECK(parse_rational("-0") == 0);
    CHECK(parse_rational("0e999999999999999999999") == 0);
    CHECK(parse_rational("0.1") != to_rational(0.1));
    CHECK(parse_rational("0.1000000000000000055511151231257827021181583404541015625") == to_rational(0.1));
    CHECK(numerator(parse_rational("1e99999")).str().size() == 100000);
    CHECK(parse_rational("1e-99999") * parse_rational("1e99999") == 1);
}

TEST_CASE("texts that are no rational are refused with a sentence") {
    for (const char* text : {"",
                             "-",
                             "+",
                             ".",
                             "e5",
                             "1e",
                             "1e+",
                             "--1",
                             "1/0",
                             "1/00",
                             "0/0",
                             "1/",
                             "/2",
                             "1/-2",
                             "1.5/2",
                             "1/2/3",
                             "nan",
                             "inf",
                             "0x10",
                             "1 ",
                             " 1",
                             "1,5",
                             "1.2.3",
                             "1e5.0",
                             "1e999999999",
                             "1e-999999999",
                             "1e100000",
                             "1e-100001",
                             "1e99999999999999999999999999"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_rational(text), Error);
    }
    CHECK_THROWS_AS(parse_rational(std::string(100001, '9')), Error);
    CHECK_THROWS_AS(parse_rational("1/" + std::string(100001, '9')), Error);
    CHECK(parse_rational(std::string(200000, '0') + "1") == 1);
}

TEST_CASE("the text of a rational reads back as the same rational") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        const Rational x = to_rational(random_double(random)) / (1 + Integer(random()));
        CHECK(parse_rational(rankcert::to_string(x)) == x);
    }
    CHECK(rankcert::to_string(quotient(-6, 4)) == "-3/2");
    CHECK(rankcert::to_string(Rational(5)) == "5");
}

TEST_CASE("a double has one exact value, which all three roundings give back") {
    std::mt19937_64 random(2);
    const auto check = [](double x) {
        const Rational exact = to_rational(x);
        CHECK(exact.convert_to<double>() == x);
        CHECK(rankcert::lower_double(exact) == x);
        CHECK(rankcert::upper_double(exact) == x);
        CHECK(rankcert::estimate_double(exact) == x);
    };
    for (int i = 0; i < 2000; ++i) check(random_double(random));
    for (const double x :
         {0.0, -0.0, 1.0, kTiny, -kTiny, 3 * kTiny, kMax, -kMax, 0x1p-1022, 0x1p-1022 - kTiny})
        check(x);
    CHECK_THROWS_AS(to_rational(kInfinity), Error);
    CHECK_THROWS_AS(to_rational(std::nan("")), Error);
}

TEST_CASE("roundings to double are the neighbours of the value") {
    std::mt19937_64 random(3);
    const auto check = [](const Rational& x) {
        const double low = rankcert::lower_double(x);
        const double high = rankcert::upper_double(x);
        const double near = rankcert::estimate_double(x);
        CHECK((low == -kInfinity || to_rational(low) <= x));
        CHECK((high == kInfinity || x <= to_rational(high)));
        const bool exact = low == high;
        if (!exact) CHECK(std::nextafter(low, kInfinity) == high);
        CHECK((near == low || near == high));
        if (std::isfinite(low) && std::isfinite(high)) {
            const Rational below = x - to_rational(low);
            const Rational above = to_rational(high) - x;
            if (below < above) CHECK(near == low);
            if (above < below) CHECK(near == high);
            if (below == above && !exact) CHECK((std::bit_cast<std::uint64_t>(near) & 1) == 0);
        }
    };
    for (int i = 0; i < 2000; ++i) {
        const double x = random_double(random);
        check(to_rational(x) / (1 + Integer(random())));
        const Rational tie = (to_rational(x) + to_rational(std::nextafter(x, 0.0))) / 2;
        check(tie);
        check(tie + Rational(Integer(1), Integer(1) << 3000u));
        check(tie - Rational(Integer(1), Integer(1) << 3000u));
    }
    for (long e = -1080; e <= 1030; ++e) {
        check(to_rational(Integer(1), e));
        check(to_rational(Integer(-3), e) + to_rational(Integer(1), -3000));
        check(to_rational((Integer(1) << 54u) - 1, e - 53));
    }
    check(to_rational(kTiny) / 2);
    check(parse_rational("1e-99999"));
    check(parse_rational("-1e99999"));
    CHECK(rankcert::lower_double(parse_rational("1e400")) == kMax);
    CHECK(rankcert::upper_double(parse_rational("1e400")) == kInfinity);
    CHECK(rankcert::lower_double(parse_rational("-1e400")) == -kInfinity);
    CHECK(rankcert::upper_double(parse_rational("-1e400")) == -kMax);
    CHECK(rankcert::upper_double(parse_rational("1e-400")) == kTiny);
    CHECK(rankcert::lower_double(parse_rational("1e-400")) == 0.0);
    CHECK(rankcert::lower_double(parse_rational("0.1")) == 0x1.9999999999999p-4);
    CHECK(rankcert::upper_double(parse_rational("0.1")) == 0x1.999999999999ap-4);
}

TEST_CASE("printed decimals lie on the right side and within one unit of the last digit") {
    CHECK(rankcert::upper_decimal(parse_rational("6.91951e-88")) == "6.9196e-88");
    CHECK(rankcert::lower_decimal(parse_rational("6.91959e-88")) == "6.9195e-88");
    CHECK(rankcert::upper_decimal(quotient(1, 4)) == "0.25");
    CHECK(rankcert::upper_decimal(quotient(1, 3)) == "0.33334");
    CHECK(rankcert::lower_decimal(quotient(1, 3)) == "0.33333");
    CHECK(rankcert::upper_decimal(quotient(-1, 3)) == "-0.33333");
    CHECK(rankcert::lower_decimal(quotient(-1, 3)) == "-0.33334");
    CHECK(rankcert::upper_decimal(parse_rational("0.999999")) == "1");
    CHECK(rankcert::upper_decimal(parse_rational("99999.5")) == "100000");
    CHECK(rankcert::upper_decimal(Rational(0)) == "0");
    CHECK(rankcert::upper_decimal(Rational(1000)) == "1000");
    CHECK(rankcert::upper_decimal(quotient(37412, 100000), 3) == "0.375");
    CHECK(rankcert::upper_decimal(parse_rational("1e20")) == "1e20");
    CHECK_THROWS_AS((void)rankcert::upper_decimal(Rational(1), 0), Error);
    std::mt19937_64 random(4);
    for (int i = 0; i < 2000; ++i) {
        const Rational x = to_rational(random_double(random)) / (1 + Integer(random()));
        const int digits = 1 + i % 20;
        const Rational high = parse_rational(rankcert::upper_decimal(x, digits));
        const Rational low = parse_rational(rankcert::lower_decimal(x, digits));
        CHECK(low <= x);
        CHECK(x <= high);
        const Rational ten(10);
        Rational unit = x < 0 ? Rational(-x) : x;  // unit of the last digit is at most |x|·10^(1−digits)
        for (int k = 1; k < digits; ++k) unit /= ten;
        CHECK(high - low <= unit);
    }
}

TEST_CASE("integers at a power of two are exact") {
    CHECK(to_rational(Integer(-3), -2) == quotient(-3, 4));
    CHECK(to_rational(Integer(3), 70) == Rational(Integer(3) << 70u));
    CHECK(to_rational(Integer(0), -5) == 0);
}
