#include "rankcert/rigor/interval_text.hpp"

#include <doctest/doctest.h>

#include <cfenv>
#include <clocale>
#include <cmath>
#include <limits>
#include <random>

#include "hostile_environment.hpp"
#include "rankcert/rigor/elementary.hpp"
#include "rankcert/rigor/error.hpp"

namespace {

using rankcert::Interval;
using rankcert::make_interval;
using rankcert::parse_interval;
using rankcert::parse_rational;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_tightest(const Interval& x, const char* low, const char* high) {
    return x.lower() == rankcert::lower_double(parse_rational(low)) &&
           x.upper() == rankcert::upper_double(parse_rational(high));
}

}  // namespace

TEST_CASE("texts are read as the tightest enclosures of what they mean") {
    CHECK(is_tightest(parse_interval("0.1"), "0.1", "0.1"));
    CHECK(equal(parse_interval("0.1"), make_interval(0x1.9999999999999p-4, 0x1.999999999999ap-4)));
    CHECK(contains(parse_interval("0.100000000000000006"), parse_rational("0.100000000000000006")));
    CHECK(is_point(parse_interval("0.5")));
    CHECK(is_tightest(parse_interval("1/3"), "1/3", "1/3"));
    CHECK(is_tightest(parse_interval(" [ 0.1 , 1/3 ] "), "0.1", "1/3"));
    CHECK(is_tightest(parse_interval("[0.1]"), "0.1", "0.1"));
    CHECK(equal(parse_interval("[0x1.8p-3,0X1.FP+4]"), make_interval(0x1.8p-3, 0x1.fp+4)));
    CHECK(equal(parse_interval("-0x.8"), make_interval(-0.5, -0.5)));
    CHECK(equal(parse_interval("[-inf, 2]"), make_interval(-kInfinity, 2)));
    CHECK(equal(parse_interval("[1,+Infinity]"), make_interval(1, kInfinity)));
    CHECK(is_entire(parse_interval("[,]")));
    CHECK(is_entire(parse_interval("[Entire]")));
    CHECK(is_empty(parse_interval("[]")));
    CHECK(is_empty(parse_interval("[ empty ]")));
    CHECK(equal(parse_interval("1e400"), make_interval(std::numeric_limits<double>::max(), kInfinity)));
    CHECK(equal(parse_interval("-1e-400"), make_interval(-std::numeric_limits<double>::denorm_min(), 0)));
}

TEST_CASE("uncertain numbers are read with their radius in units of the last digit") {
    CHECK(equal(parse_interval("1.0000000000000001?1"), make_interval(1.0, 0x1.0000000000001p+0)));
    CHECK(is_tightest(parse_interval("3.56?1"), "3.55", "3.57"));
    CHECK(is_tightest(parse_interval("3.56?"), "3.555", "3.565"));
    CHECK(is_tightest(parse_interval("3.560?2"), "3.558", "3.562"));
    CHECK(is_tightest(parse_interval("3.56?2u"), "3.56", "3.58"));
    CHECK(is_tightest(parse_interval("3.56?2d"), "3.54", "3.56"));
    CHECK(is_tightest(parse_interval("-10?"), "-10.5", "-9.5"));
    CHECK(is_tightest(parse_interval("-10?u"), "-10", "-9.5"));
    CHECK(is_tightest(parse_interval("3.56?1e2"), "355", "357"));
    CHECK(is_tightest(parse_interval("3.56?1E-2"), "0.0355", "0.0357"));
    CHECK(is_tightest(parse_interval("3.56?100"), "2.56", "4.56"));
    CHECK(is_entire(parse_interval("-10??")));
    CHECK(equal(parse_interval("-10??u"), make_interval(-10, kInfinity)));
    CHECK(equal(parse_interval("-10??d"), make_interval(-kInfinity, -10)));
}

TEST_CASE("texts that are no interval are refused with a sentence") {
    for (const char* text : {"",
                             "[",
                             "]",
                             "[1",
                             "1]",
                             "[1,2,3]",
                             "[2,1]",
                             "[1.0000000000000002,1.0000000000000001]",
                             "[inf,inf]",
                             "[-inf,-inf]",
                             "[inf,1]",
                             "[1,-inf]",
                             "inf",
                             "nan",
                             "[nan]",
                             "[nan,1]",
                             "[1;2]",
                             "1.2?-1",
                             "1.2?1.5",
                             "1e2?1",
                             "?1",
                             "1.2?x",
                             "1.2?1u1",
                             "1.2???",
                             "0x",
                             "0x1.8p",
                             "0x1.8p1.5",
                             "0xg",
                             "[1 2]",
                             "1..2",
                             "0x1p9999999999",
                             "1?e999999999",
                             "[empty,1]",
                             "[-inf]"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_interval(text), rankcert::Error);
    }
    CHECK_THROWS_AS(parse_interval(std::string(2000000, '[')), rankcert::Error);
}

TEST_CASE("printed ends are rounded outward") {
    CHECK(to_string(sin(Interval(0.1)), 6) == "[0.0998334, 0.0998335]");
    CHECK(to_string(make_interval(-0.3741, 0.3741), 3) == "[-0.375, 0.375]");
    CHECK(to_string(make_interval(0.5, 2), 3) == "[0.5, 2]");
    CHECK(to_string(rankcert::entire_interval()) == "[entire]");
    CHECK(to_string(rankcert::empty_interval()) == "[empty]");
    CHECK(to_string(make_interval(-kInfinity, 2)) == "[-inf, 2]");
    CHECK(to_string(make_interval(1e300, kInfinity), 2) == "[1e300, inf]");
    CHECK_THROWS_AS((void)to_string(Interval(1.0), 0), rankcert::Error);
    std::mt19937_64 random(1);
    for (int i = 0; i < 2000; ++i) {
        const auto a = std::bit_cast<double>(random());
        const auto b = std::bit_cast<double>(random());
        if (!std::isfinite(a) || !std::isfinite(b)) continue;
        const Interval x = make_interval(std::min(a, b), std::max(a, b));
        CHECK(subset(x, parse_interval(to_string(x, 1 + i % 20))));
    }
}

TEST_CASE("reading and printing follow neither the rounding mode nor flush-to-zero nor the locale") {
    const bool comma_locale = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
    CAPTURE(comma_locale);  // where the machine has that locale it is tried as well
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        Interval tenth;
        Interval tiny;
        Interval parts;
        std::string printed;
        std::string printed_tiny;
        {
            const rankcert::tests::HostileEnvironment hostile(mode, true);
            tenth = parse_interval("0.1");
            tiny = parse_interval("3e-320");
            parts = parse_interval("1.0000000000000001?1");
            printed = to_string(make_interval(-0.3741, 0.3741), 3);
            printed_tiny = to_string(Interval(0x1p-1074), 3);
        }
        CHECK(equal(tenth, make_interval(0x1.9999999999999p-4, 0x1.999999999999ap-4)));
        CHECK(is_tightest(tiny, "3e-320", "3e-320"));
        CHECK(equal(parts, make_interval(1.0, 0x1.0000000000001p+0)));
        CHECK(printed == "[-0.375, 0.375]");
        CHECK(printed_tiny == "[4.94e-324, 4.95e-324]");
    }
    std::setlocale(LC_ALL, "C");
}
