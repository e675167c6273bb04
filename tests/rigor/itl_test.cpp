#include "itl.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "rankcert/rigor/elementary.hpp"
#include "rankcert/rigor/interval.hpp"

// The IEEE 1788 cases in tests/data/itf1788: every case of every operation that the library offers must give
// the tightest interval, exactly. What is not run is named here with the reason, and anything else fails.

namespace {

using rankcert::Interval;
using rankcert::tests::ItlCase;
using rankcert::tests::ItlValue;
using rankcert::tests::NotAnInterval;

using Run = std::function<ItlValue(const std::vector<ItlValue>&)>;

const Interval& interval(const std::vector<ItlValue>& operands, std::size_t i) {
    return std::get<Interval>(operands.at(i));
}

template <typename Function>
Run unary(Function f) {
    return [f](const std::vector<ItlValue>& x) -> ItlValue {
        if (x.size() != 1) throw std::runtime_error("one operand expected");
        return f(interval(x, 0));
    };
}

template <typename Function>
Run binary(Function f) {
    return [f](const std::vector<ItlValue>& x) -> ItlValue {
        if (x.size() != 2) throw std::runtime_error("two operands expected");
        return f(interval(x, 0), interval(x, 1));
    };
}

const std::map<std::string, Run>& operations() {
    using I = const Interval&;
    static const std::map<std::string, Run> table = {
        // arithmetic
        {"pos", unary([](I x) { return +x; })},
        {"neg", unary([](I x) { return -x; })},
        {"add", binary([](I a, I b) { return a + b; })},
        {"sub", binary([](I a, I b) { return a - b; })},
        {"mul", binary([](I a, I b) { return a * b; })},
        {"div", binary([](I a, I b) { return a / b; })},
        {"recip", unary([](I x) { return recip(x); })},
        {"sqr", unary([](I x) { return sqr(x); })},
        {"sqrt", unary([](I x) { return sqrt(x); })},
        {"abs", unary([](I x) { return abs(x); })},
        {"min", binary([](I a, I b) { return min(a, b); })},
        {"max", binary([](I a, I b) { return max(a, b); })},
        {"fma",
         [](const std::vector<ItlValue>& x) -> ItlValue {
             return fma(interval(x, 0), interval(x, 1), interval(x, 2));
         }},
        // integers
        {"sign", unary([](I x) { return sign(x); })},
        {"floor", unary([](I x) { return floor(x); })},
        {"ceil", unary([](I x) { return ceil(x); })},
        {"trunc", unary([](I x) { return trunc(x); })},
        {"roundTiesToEven", unary([](I x) { return round_ties_to_even(x); })},
        {"roundTiesToAway", unary([](I x) { return round_ties_to_away(x); })},
        // elementary functions
        {"exp", unary([](I x) { return exp(x); })},
        {"exp2", unary([](I x) { return exp2(x); })},
        {"exp10", unary([](I x) { return exp10(x); })},
        {"log", unary([](I x) { return log(x); })},
        {"log2", unary([](I x) { return log2(x); })},
        {"log10", unary([](I x) { return log10(x); })},
        {"sin", unary([](I x) { return sin(x); })},
        {"cos", unary([](I x) { return cos(x); })},
        {"tan", unary([](I x) { return tan(x); })},
        {"asin", unary([](I x) { return asin(x); })},
        {"acos", unary([](I x) { return acos(x); })},
        {"atan", unary([](I x) { return atan(x); })},
        {"atan2", binary([](I y, I x) { return atan2(y, x); })},
        {"sinh", unary([](I x) { return sinh(x); })},
        {"cosh", unary([](I x) { return cosh(x); })},
        {"tanh", unary([](I x) { return tanh(x); })},
        {"asinh", unary([](I x) { return asinh(x); })},
        {"acosh", unary([](I x) { return acosh(x); })},
        {"atanh", unary([](I x) { return atanh(x); })},
        {"pow", binary([](I x, I y) { return pow(x, y); })},
        {"pown",
         [](const std::vector<ItlValue>& x)
             -> ItlValue { return pown(interval(x, 0), std::lround(std::get<double>(x.at(1)))); }},
        // sets
        {"intersection", binary([](I a, I b) { return intersection(a, b); })},
        {"convexHull", binary([](I a, I b) { return hull(a, b); })},
        // numbers
        {"inf", unary([](I x) { return is_empty(x) ? INFINITY : x.lower(); })},
        {"sup", unary([](I x) { return is_empty(x) ? -INFINITY : x.upper(); })},
        {"mid", unary([](I x) { return midpoint(x); })},
        {"rad", unary([](I x) { return radius(x); })},
        {"wid", unary([](I x) { return width(x); })},
        {"mag", unary([](I x) { return magnitude(x); })},
        {"mig", unary([](I x) { return mignitude(x); })},
        // relations
        {"isEmpty", unary([](I x) { return is_empty(x); })},
        {"isEntire", unary([](I x) { return is_entire(x); })},
        {"equal", binary([](I a, I b) { return equal(a, b); })},
        {"subset", binary([](I a, I b) { return subset(a, b); })},
        {"interior", binary([](I a, I b) { return interior(a, b); })},
        {"disjoint", binary([](I a, I b) { return disjoint(a, b); })},
        {"less", binary([](I a, I b) { return weakly_less(a, b); })},
        {"strictLess", binary([](I a, I b) { return strictly_less(a, b); })},
        {"precedes", binary([](I a, I b) { return precedes(a, b); })},
        {"strictPrecedes", binary([](I a, I b) { return strictly_precedes(a, b); })},
    };
    return table;
}

const std::map<std::string, std::string>& operations_not_offered() {
    static const std::map<std::string, std::string> reasons = {
        {"isNaI",
         "Interval is the set-based type without decorations, which has no ill-formed interval to ask for"},
    };
    return reasons;
}

bool same(const ItlValue& got, const ItlValue& wanted) {
    if (got.index() != wanted.index()) return false;
    if (const auto* x = std::get_if<Interval>(&got)) return equal(*x, std::get<Interval>(wanted));
    if (const auto* x = std::get_if<bool>(&got)) return *x == std::get<bool>(wanted);
    if (const auto* x = std::get_if<double>(&got)) {
        const double y = std::get<double>(wanted);  // the two zeros are one number
        return *x == y || (std::isnan(*x) && std::isnan(y));
    }
    return false;
}

/// Cases with an ill-formed operand [nai] exist in the decorated flavour only.
bool is_decorated_only(const ItlCase& entry) {
    const auto is_nai = [](const ItlValue& x) { return std::holds_alternative<NotAnInterval>(x); };
    return is_nai(entry.result) || std::any_of(entry.operands.begin(), entry.operands.end(), is_nai);
}

std::size_t count_statements(const std::string& path) {
    std::ifstream in(path);
    std::size_t count = 0;
    for (std::string line; std::getline(in, line);) {
        const bool comment = line.find_first_not_of(" \t") != std::string::npos &&
                             line.compare(line.find_first_not_of(" \t"), 2, "//") == 0;
        if (!comment && line.find(" = ") != std::string::npos && line.find(';') != std::string::npos) ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("every IEEE 1788 case of every offered operation gives the tightest interval") {
    std::set<std::string> seen;
    for (const char* name : {"elem", "num", "set", "bool"}) {
        const std::string path =
            std::string(RANKCERT_TEST_DATA "/itf1788/libieeep1788_tests_") + name + ".itl";
        const auto cases = rankcert::tests::read_itl(path);
        CHECK(cases.size() == count_statements(path));
        for (const ItlCase& entry : cases) {
            INFO(entry.file, ":", entry.line, ": ", entry.text);
            if (operations_not_offered().count(entry.operation) != 0) continue;
            const auto operation = operations().find(entry.operation);
            REQUIRE_MESSAGE(operation != operations().end(), "an operation that is neither run nor listed");
            if (is_decorated_only(entry)) continue;
            seen.insert(entry.operation);
            const ItlValue got = operation->second(entry.operands);
            if (const auto* x = std::get_if<Interval>(&got)) {
                CAPTURE(x->lower());
                CAPTURE(x->upper());
                CHECK(same(got, entry.result));
            } else {
                CHECK(same(got, entry.result));
            }
        }
    }
    for (const auto& [name, run] : operations()) {
        CAPTURE(name);
        CHECK(seen.count(name) == 1);
    }
}

TEST_CASE("the check of the IEEE 1788 cases notices one unit of the last place, and its reader every fault") {
    using rankcert::make_interval;
    const Interval x = make_interval(1.0, 2.0);
    CHECK(same(x, x));
    CHECK_FALSE(same(make_interval(std::nextafter(1.0, 0.0), 2.0), x));
    CHECK_FALSE(same(make_interval(1.0, std::nextafter(2.0, 3.0)), x));
    CHECK_FALSE(same(make_interval(std::nextafter(1.0, 2.0), 2.0), x));
    CHECK_FALSE(same(rankcert::empty_interval(), x));
    CHECK_FALSE(same(rankcert::entire_interval(), rankcert::empty_interval()));
    CHECK_FALSE(same(1.0, x));
    CHECK_FALSE(same(1.0, std::nextafter(1.0, 2.0)));
    CHECK_FALSE(same(true, false));
    CHECK_FALSE(same(NotAnInterval{}, NotAnInterval{}));
    const std::string path = "itl_reader_test.itl";
    for (const char* text :
         {"testcase a { add [1,2] [1,2] = [2,4] }", "testcase a { add [1,2 = [2,4]; }",
          "testcase a { add [1,2] [1,2] [2,4]; }", "case a { add [1,2] = [2,4]; }",
          "testcase a { neg [2,1] = [2,4]; }", "testcase a { neg [1,2]_xyz = [2,4]; }",
          "testcase a { neg [1,x] = [2,4]; }", "/* testcase a", "testcase a { neg [1] = [2,4]; }"}) {
        std::ofstream(path) << text;
        CAPTURE(text);
        CHECK_THROWS_AS(rankcert::tests::read_itl(path), std::runtime_error);
    }
    std::ofstream(path) << "testcase a {\n // none\n add [1.0, 2.0]_com [1,2] = [2.0,4.0]_com; /* neg */ }\n";
    const auto cases = rankcert::tests::read_itl(path);
    REQUIRE(cases.size() == 1);
    CHECK(cases[0].line == 3);
    CHECK(cases[0].operands.size() == 2);
    std::remove(path.c_str());
}
