#include "rankcert/rigor/elementary.hpp"

#include <doctest/doctest.h>
#include <mpfr.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

#include "adversarial.hpp"
#include "hostile_environment.hpp"
#include "rational_power.hpp"

namespace {

using rankcert::Interval;
using rankcert::make_interval;
using rankcert::Rational;
using rankcert::to_rational;
using rankcert::tests::Adversary;
using rankcert::tests::HostileEnvironment;
using rankcert::tests::raise;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Function {
    const char* name;
    Interval (*of_interval)(const Interval&);
    int (*reference)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    double lowest, highest;  // where the test takes its arguments
};

const Function kFunctions[] = {
    {"exp", rankcert::exp, mpfr_exp, -760, 720},       {"exp2", rankcert::exp2, mpfr_exp2, -1080, 1025},
    {"exp10", rankcert::exp10, mpfr_exp10, -330, 310}, {"expm1", rankcert::expm1, mpfr_expm1, -60, 720},
    {"log", rankcert::log, mpfr_log, 0, 1e10},         {"log2", rankcert::log2, mpfr_log2, 0, 1e10},
    {"log10", rankcert::log10, mpfr_log10, 0, 1e10},   {"log1p", rankcert::log1p, mpfr_log1p, -1, 1e10},
    {"tanh", rankcert::tanh, mpfr_tanh, -20, 20},      {"sinh", rankcert::sinh, mpfr_sinh, -720, 720},
    {"cosh", rankcert::cosh, mpfr_cosh, -720, 720},    {"asinh", rankcert::asinh, mpfr_asinh, -1e10, 1e10},
    {"acosh", rankcert::acosh, mpfr_acosh, 1, 1e10},   {"atanh", rankcert::atanh, mpfr_atanh, -1, 1},
    {"sin", rankcert::sin, mpfr_sin, -1e4, 1e4},       {"cos", rankcert::cos, mpfr_cos, -1e4, 1e4},
    {"tan", rankcert::tan, mpfr_tan, -1e4, 1e4},       {"asin", rankcert::asin, mpfr_asin, -1, 1},
    {"acos", rankcert::acos, mpfr_acos, -1, 1},        {"atan", rankcert::atan, mpfr_atan, -1e10, 1e10},
};

/// An argument in the function's range: evenly spread, or tiny, or close to an end.
double argument(Adversary& adversary, const Function& f) {
    const double t = adversary.number_near_one() - 1.0;
    switch (adversary.below(4)) {
        case 0: {
            const double tiny =
                std::ldexp(adversary.number_near_one(), -static_cast<int>(adversary.below(1070)));
            return f.lowest >= 0 ? f.lowest + tiny
                                 : (adversary.below(2) != 0 ? tiny : std::fmax(f.lowest, -tiny));
        }
        case 1:
            return f.lowest + (f.highest - f.lowest) * std::ldexp(t, -static_cast<int>(adversary.below(60)));
        default:
            return f.lowest + (f.highest - f.lowest) * t;
    }
}

/// Whether x is the tightest enclosure of the function's value at point, by MPFR at 300 bits rounded to
/// nearest. (Not an exact case: the value must lie strictly between neighbours.) A value that 300 bits cannot
/// place is none here.
void check_tight_at(const Function& f, double point, const Interval& x) {
    mpfr_t value, at;
    mpfr_init2(value, 300);
    mpfr_init2(at, 53);
    mpfr_set_d(at, point, MPFR_RNDN);
    const bool exact = f.reference(value, at, MPFR_RNDN) == 0;
    const std::string name = f.name;
    CAPTURE(name);
    CAPTURE(point);
    CAPTURE(x.lower());
    CAPTURE(x.upper());
    CHECK(mpfr_cmp_d(value, x.lower()) >= 0);
    CHECK(mpfr_cmp_d(value, x.upper()) <= 0);
    if (exact && mpfr_cmp_d(value, x.lower()) == 0) {
        CHECK(x.lower() == x.upper());
    } else {
        CHECK(std::nextafter(x.lower(), kInfinity) == x.upper());
    }
    mpfr_clear(value);
    mpfr_clear(at);
}

Interval at(const Function& f, double point) { return f.of_interval(make_interval(point, point)); }

}  // namespace

TEST_CASE("elementary functions of points are correctly rounded outward") {
    Adversary adversary(1);
    for (const Function& f : kFunctions) {
        for (int i = 0; i < 400; ++i) {
            const double point = argument(adversary, f);
            if (std::string(f.name) == "atanh" && std::fabs(point) >= 1) continue;
            if (std::string(f.name).substr(0, 3) == "log" && !(point > f.lowest)) continue;
            check_tight_at(f, point, at(f, point));
        }
    }
}

TEST_CASE("elementary functions of intervals contain the values at members, and their ends are attained") {
    Adversary adversary(2);
    for (const Function& f : kFunctions) {
        const std::string name = f.name;
        CAPTURE(name);
        for (int i = 0; i < 200; ++i) {
            double a = argument(adversary, f);
            double b = adversary.below(2) != 0 ? argument(adversary, f)
                                               : a + 8 * (adversary.number_near_one() - 1.0);
            if (a > b) std::swap(a, b);
            b = std::fmin(b, f.highest);
            if (!(a <= b)) continue;
            const Interval x = make_interval(a, b);
            const Interval y = f.of_interval(x);
            Interval seen = rankcert::empty_interval();
            for (int k = 0; k <= 64; ++k) {
                const double point = k == 64 ? b : std::fmin(b, a + (b - a) * (k / 64.0));
                const Interval value = at(f, point);
                CHECK(subset(value, y));
                seen = hull(seen, value);
            }
            const bool wave = name == "sin" || name == "cos" || name == "tan";
            // Monotone, or even (cosh): the ends of x give the ends of y, unless one is a pole at the
            // domain's edge.
            const bool at_pole = is_empty(at(f, a)) || is_empty(at(f, b));
            if (!wave && !at_pole && !contains(x, 0.0)) CHECK(equal(seen, y));
        }
    }
}

TEST_CASE("results do not depend on the rounding mode, on flush-to-zero or on the thread") {
    Adversary adversary(3);
    struct Entry {
        const Function* f;
        double a, b;
    };
    std::vector<Entry> entries;
    for (const Function& f : kFunctions) {
        for (int i = 0; i < 40; ++i) {
            const double a = argument(adversary, f);
            entries.push_back({&f, a, std::fmin(f.highest, a + 1e-3)});
        }
        entries.push_back({&f, f.lowest, f.lowest});
        if (f.lowest < 0) entries.push_back({&f, -0x1p-1074, 0x1p-1074});
    }
    const auto run = [&] {
        std::vector<Interval> results;
        for (const Entry& e : entries) results.push_back(e.f->of_interval(Interval(e.a, e.b)));
        results.push_back(pow(make_interval(2, 3), make_interval(-0.5, 0.5)));
        results.push_back(
            pow(make_interval(1e-310, 3), Rational{rankcert::Integer(2), rankcert::Integer(3)}));
        results.push_back(pown(make_interval(-3, 2), 5));
        results.push_back(atan2(make_interval(1, 2), make_interval(-1, 1)));
        return results;
    };
    const std::vector<Interval> wanted = run();
    const auto check = [&](const std::vector<Interval>& got) {
        REQUIRE(got.size() == wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) CHECK(equal(got[i], wanted[i]));
    };
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
        std::vector<Interval> got;
        {
            const HostileEnvironment hostile(mode, true);
            got = run();
        }
        check(got);
    }
    std::vector<std::vector<Interval>> by_thread(4);
    std::vector<std::thread> threads;
    for (auto& got : by_thread) threads.emplace_back([&] { got = run(); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& got : by_thread) check(got);
}

TEST_CASE("values on which other programs fail") {
    const Interval cosine = cos(Interval(0.79358805865013693));
    CHECK(equal(cosine, make_interval(0.70129200121194357, 0.70129200121194368)));
    const double x = std::ldexp(3893924827815215.0, -50);
    CHECK(exp(Interval(x)).upper() == 0x1.fc4effb3f5c2ap+4);
    CHECK(equal(exp(Interval(-1e300)), make_interval(0, 0x1p-1074)));
    CHECK(equal(exp(make_interval(-kInfinity, kInfinity)), make_interval(0, kInfinity)));
    CHECK(equal(tanh(make_interval(-kInfinity, kInfinity)), make_interval(-1, 1)));
    CHECK(equal(exp(Interval(0.0)), make_interval(1, 1)));
    CHECK(equal(log(make_interval(-1, 1)), make_interval(-kInfinity, 0)));
    CHECK(is_empty(log(make_interval(-1, 0))));
    CHECK(equal(sin(rankcert::entire_interval()), make_interval(-1, 1)));
    CHECK(equal(sin(make_interval(1, 2)), make_interval(sin(Interval(1.0)).lower(), 1)));
    CHECK(equal(cos(make_interval(-1, 2)), make_interval(cos(Interval(2.0)).lower(), 1)));
    CHECK(equal(sin(Interval(1e308)),
                make_interval(sin(Interval(1e308)).lower(), sin(Interval(1e308)).upper())));
    CHECK(width(sin(Interval(1e308))) < 1e-15);
    CHECK(width(tan(Interval(1.5707963267948966))) < 10);  // the double below π/2: finite
    CHECK(is_entire(tan(make_interval(1.5707963267948966, 1.5707963267948968))));
}

TEST_CASE("rational powers of doubles are tight") {
    Adversary adversary(5);
    for (int i = 0; i < 300; ++i) {
        const double x = std::fabs(adversary.number());
        if (x == 0) continue;
        const long p = static_cast<long>(adversary.below(9)) - 4;
        const unsigned q = 1 + static_cast<unsigned>(adversary.below(5));
        if (p == 0) continue;
        const Interval y = pow(Interval(x), Rational{rankcert::Integer(p), rankcert::Integer(q)});
        const Rational exact = raise(to_rational(x), p);
        CAPTURE(x);
        CAPTURE(p);
        CAPTURE(q);
        CHECK(raise(to_rational(y.lower()), q) <= exact);
        if (std::isfinite(y.upper())) CHECK(raise(to_rational(y.upper()), q) >= exact);
        const bool tight = y.lower() == y.upper() || std::nextafter(y.lower(), kInfinity) == y.upper();
        CHECK(tight);
    }
    CHECK(
        equal(pow(Interval(8.0), Rational{rankcert::Integer(1), rankcert::Integer(3)}), make_interval(2, 2)));
}
