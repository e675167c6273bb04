#include "rankcert/rigor/interval.hpp"

#include <doctest/doctest.h>

#include <boost/numeric/interval.hpp>
#include <cfenv>
#include <cmath>
#include <vector>

#include "adversarial.hpp"
#include "hostile_environment.hpp"
#include "rankcert/rigor/elementary.hpp"
#include "rankcert/rigor/error.hpp"

namespace {

using rankcert::Interval;
using rankcert::make_interval;
using rankcert::Rational;
using rankcert::to_rational;
using rankcert::tests::Adversary;
using rankcert::tests::HostileEnvironment;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();

Interval random_interval(Adversary& adversary) {
    double a = adversary.number();
    double b = adversary.partner(a);
    if (adversary.below(6) == 0) b = a;
    if (adversary.below(6) == 0) a = 0;
    return make_interval(std::min(a, b), std::max(a, b));
}

std::vector<Rational> members(const Interval& x) {
    const Rational low = to_rational(x.lower());
    const Rational high = to_rational(x.upper());
    std::vector<Rational> result{low, high, (low + high) / 2, (low * 63 + high) / 64};
    if (low <= 0 && high >= 0) result.emplace_back(0);
    return result;
}

/// The tightest interval around the least and the greatest of these.
Interval hull_of(const std::vector<Rational>& values) {
    return rankcert::enclose(*std::min_element(values.begin(), values.end()),
                             *std::max_element(values.begin(), values.end()));
}

std::vector<Interval> all_results(const Interval& x, const Interval& y, const Interval& z) {
    Interval plus = x;
    plus += y;
    Interval minus = x;
    minus -= y;
    Interval times = x;
    times *= y;
    Interval by = x;
    by /= y;
    return {x + y,
            x - y,
            x * y,
            x / y,
            fma(x, y, z),
            sqr(x),
            sqrt(x),
            abs(x),
            recip(x),
            min(x, y),
            max(x, y),
            hull(x, y),
            intersection(x, y),
            floor(x),
            -x,
            plus,
            minus,
            times,
            by,
            x + 0.1,
            0.1 - x,
            x * -0.1,
            0.1 / x};
}

}  // namespace

TEST_CASE("interval operations are the tightest enclosures of their exact results") {
    Adversary adversary(1);
    for (int i = 0; i < 1500; ++i) {
        const Interval x = random_interval(adversary);
        const Interval y = random_interval(adversary);
        const Interval z = random_interval(adversary);
        CAPTURE(x.lower());
        CAPTURE(x.upper());
        CAPTURE(y.lower());
        CAPTURE(y.upper());
        std::vector<Rational> sums, differences, products, fused;
        for (const Rational& p : members(x)) {
            for (const Rational& q : members(y)) {
                sums.push_back(p + q);
                differences.push_back(p - q);
                products.push_back(p * q);
                for (const Rational& r : members(z)) fused.push_back(p * q + r);
                if (q != 0) CHECK(contains(x / y, p / q));
                CHECK(contains(min(x, y), p < q ? p : q));
                CHECK(contains(max(x, y), p < q ? q : p));
            }
            CHECK(contains(sqr(x), p * p));
            CHECK(contains(abs(x), p < 0 ? Rational(-p) : p));
            CHECK(contains(hull(x, y), p));
            CHECK(contains(intersection(x, y), p) == (contains(x, p) && contains(y, p)));
            CHECK(contains(-x, Rational(-p)));
        }
        // Bilinear functions have their extrema at the corners, which are among the members.
        CHECK(equal(x + y, hull_of(sums)));
        CHECK(equal(x - y, hull_of(differences)));
        CHECK(equal(x * y, hull_of(products)));
        CHECK(equal(fma(x, y, z), hull_of(fused)));
        if (!contains(y, 0.0)) {
            std::vector<Rational> quotients;
            for (const Rational& p : members(x)) {
                for (const Rational& q : members(y)) quotients.push_back(p / q);
            }
            CHECK(equal(x / y, hull_of(quotients)));
        }
    }
}

TEST_CASE("interval operations give the same bits in every floating-point environment") {
    Adversary adversary(2);
    std::vector<Interval> operands;
    for (int i = 0; i < 600; ++i) operands.push_back(random_interval(adversary));
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
        std::vector<std::vector<Interval>> hostile_results;
        {
            const HostileEnvironment hostile(mode, true);
            for (std::size_t i = 0; i + 2 < operands.size(); ++i)
                hostile_results.push_back(all_results(operands[i], operands[i + 1], operands[i + 2]));
        }
        for (std::size_t i = 0; i < hostile_results.size(); ++i) {
            const auto results = all_results(operands[i], operands[i + 1], operands[i + 2]);
            for (std::size_t k = 0; k < results.size(); ++k) {
                CAPTURE(k);
                CHECK(equal(results[k], hostile_results[i][k]));
            }
        }
    }
}

TEST_CASE("compound assignment is the operator, also where Boost's own differs") {
    Interval x = make_interval(-1, 0);
    x /= make_interval(0, 1);
    CHECK(equal(x, make_interval(-kInfinity, 0)));
    Interval y = make_interval(0, 0);
    y *= rankcert::entire_interval();
    CHECK(equal(y, make_interval(0, 0)));
    CHECK(equal(make_interval(-1, 0) / make_interval(0, 1), make_interval(-kInfinity, 0)));
    // With all of Boost's interval library included (above), the right functions are still the ones that are
    // found.
    CHECK(equal(sqrt(make_interval(-1, 4)), make_interval(0, 2)));
    CHECK(exp(Interval(1.0)).lower() < exp(Interval(1.0)).upper());
    CHECK(width(make_interval(1, 2)) == 1);
}

TEST_CASE("products with unbounded intervals treat 0 times infinity as 0") {
    CHECK(equal(make_interval(0, 0) * make_interval(1, kInfinity), make_interval(0, 0)));
    CHECK(equal(make_interval(0, 1) * make_interval(1, kInfinity), make_interval(0, kInfinity)));
    CHECK(is_entire(make_interval(0, kInfinity) * make_interval(-1, kInfinity)));
    CHECK(equal(0.0 * rankcert::entire_interval(), make_interval(0, 0)));
    CHECK(equal(pown(rankcert::entire_interval(), 2), make_interval(0, kInfinity)));
    CHECK(equal(sqr(rankcert::entire_interval()), make_interval(0, kInfinity)));
}

TEST_CASE("a product of points is not a point when it is inexact") {
    const Interval tenth(0.1);
    const Interval square = tenth * tenth;
    CHECK(square.lower() < square.upper());
    CHECK(contains(square, to_rational(0.1) * to_rational(0.1)));
    const double rounded = 0.1 * 0.1;
    CHECK(to_rational(0.1) * to_rational(0.1) - to_rational(rounded) == to_rational(-0x1.eb851eb851eb8p-61));
}

TEST_CASE("midpoint, radius and width are right at overflow, and do not trap") {
    CHECK(midpoint(make_interval(1.7e308, 1.79e308)) == 1.745e308);
    const Interval skew = make_interval(-0x1p-60, 1);
    CHECK(midpoint(skew) == 0.5);
    CHECK(to_rational(radius(skew)) >= to_rational(0.5) + to_rational(0x1p-60));
    std::feclearexcept(FE_ALL_EXCEPT);  // a flag raised earlier would trap at once
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
    const double wide = width(make_interval(-kMax, kMax));
    const double far = radius(make_interval(-kMax, kMax));
    const Interval quotient = make_interval(1, 2) / make_interval(0, 4);
    const Interval tiny = make_interval(1e-200, 1e-200) * make_interval(1e-200, 1e-200);
    const Interval exponential = exp(make_interval(-1e300, 1e300));
    fedisableexcept(FE_ALL_EXCEPT);
    CHECK(wide == kInfinity);
    CHECK(far == kMax);
    CHECK(equal(quotient, make_interval(0.25, kInfinity)));
    CHECK(equal(tiny, make_interval(0, 0x1p-1074)));
    CHECK(equal(exponential, make_interval(0, kInfinity)));
    Adversary adversary(4);
    for (int i = 0; i < 3000; ++i) {
        const Interval x = random_interval(adversary);
        const double m = midpoint(x);
        const double r = radius(x);
        CHECK(contains(x, m));
        if (std::isfinite(r)) {
            CHECK(to_rational(m) - to_rational(r) <= to_rational(x.lower()));
            CHECK(to_rational(m) + to_rational(r) >= to_rational(x.upper()));
        }
        if (std::isfinite(width(x)))
            CHECK(to_rational(width(x)) >= to_rational(x.upper()) - to_rational(x.lower()));
    }
}

TEST_CASE("what is no interval is refused by make_interval and empty when made by the constructor") {
    CHECK_THROWS_AS((void)make_interval(2, 1), rankcert::Error);
    CHECK_THROWS_AS((void)make_interval(std::nan(""), 1), rankcert::Error);
    CHECK_THROWS_AS((void)make_interval(kInfinity, kInfinity), rankcert::Error);
    CHECK_THROWS_AS((void)rankcert::enclose(Rational(2), Rational(1)), rankcert::Error);
    for (const Interval& none :
         {Interval(2, 1), Interval(std::nan("")), Interval(kInfinity), Interval(-kInfinity)}) {
        CHECK(is_empty(none));
        CHECK(is_empty(none + make_interval(1, 2)));
        CHECK(is_empty(make_interval(1, 2) * none));
        CHECK(is_empty(make_interval(0, 0) * none));
        CHECK(is_empty(none / none));
        CHECK(is_empty(exp(none)));
        CHECK(is_empty(min(none, make_interval(1, 2))));
        CHECK_FALSE(contains(none, 0.0));
        CHECK_FALSE(contains(none, Rational(0)));
        CHECK_FALSE(certainly_less(none, make_interval(1, 2)));
        CHECK_FALSE(certainly_less_equal(make_interval(1, 2), none));
        CHECK(std::isnan(midpoint(none)));
        CHECK(std::isnan(width(none)));
    }
    CHECK(is_empty(1.0 + Interval(kInfinity)));
    CHECK(is_empty(make_interval(1, 2) * std::nan("")));
    bool inverted_is_empty = false;
    {
        const HostileEnvironment hostile(FE_TONEAREST, true);  // here the machine finds 1e-310 ≤ 0
        inverted_is_empty = is_empty(Interval(1e-310, 0.0));
    }
    CHECK(inverted_is_empty);
}

TEST_CASE("an interval without information stays an enclosure: (x^-3)^2 around a pole") {
    const Interval x = make_interval(-2.325 - 1, -2.325 + 3);
    const Interval y = sqr(pown(x, -3));
    CHECK(equal(y, make_interval(0, kInfinity)));
    CHECK(contains(y, 1e300));
    const Interval z = sqr(pown(make_interval(-3.325, -1.325), -3));
    const Rational cube = to_rational(-2.325) * to_rational(-2.325) * to_rational(-2.325);
    CHECK(contains(z, 1 / (cube * cube)));
}

TEST_CASE("an enclosed rational is tight") {
    const Rational third{rankcert::Integer(1), rankcert::Integer(3)};
    CHECK(rankcert::enclose(third).upper() == std::nextafter(rankcert::enclose(third).lower(), 1.0));
    CHECK(contains(rankcert::enclose(third), third));
    CHECK(equal(rankcert::enclose(third, Rational(1)), make_interval(rankcert::lower_double(third), 1)));
}

TEST_CASE("integers that are no doubles are enclosed, not rounded") {
    const long odd = (1L << 53) + 1;
    const Rational exact{rankcert::Integer(odd)};
    CHECK(contains(Interval(odd), exact));
    CHECK(contains(make_interval(0, 0) + odd, exact));
    CHECK(contains(odd - make_interval(0, 0), exact));
    CHECK(contains(1 * make_interval(1, 1) * odd, exact));
    CHECK(contains(odd / make_interval(1, 1), exact));
    Interval assigned;
    assigned = odd;
    CHECK(contains(assigned, exact));
    CHECK(contains(Interval(18446744073709551615ULL), Rational(rankcert::Integer(18446744073709551615ULL))));
    CHECK(equal(2 * make_interval(1, 3), make_interval(2, 6)));
}
