#include "rankcert/rigor/mp_interval.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "rankcert/rigor/error.hpp"
#include "rational_power.hpp"

namespace {

using rankcert::Integer;
using rankcert::MpInterval;
using rankcert::Rational;
using rankcert::to_rational;
using rankcert::tests::raise;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Rational power_of_two(long exponent) { return to_rational(Integer(1), exponent); }

/// The ends are the exact value rounded outward to `bits` bits: they enclose it and are at most one unit
/// apart.
void check_tight(const MpInterval& x, const Rational& exact) {
    CHECK(x.contains(exact));
    if (x.is_point()) return;
    const Rational low = x.lower();
    const Rational high = x.upper();
    MpInterval next = x;
    mpfr_nextabove(next.mutable_lower());
    CHECK(next.lower() == high);
    CHECK(low < exact);
    CHECK(exact < high);
}

double random_double(std::mt19937_64& random) {
    for (;;) {
        const auto x = std::bit_cast<double>(random());
        if (std::isfinite(x)) return x;
    }
}

/// A finite interval with ends of any size and sign, sometimes with equal, zero or opposite ends.
MpInterval random_interval(std::mt19937_64& random, unsigned bits) {
    double a = random_double(random);
    double b = random_double(random);
    switch (random() % 6) {
        case 0:
            b = a;
            break;
        case 1:
            a = 0;
            break;
        case 2:
            b = -a;
            break;
        default:
            break;
    }
    return MpInterval::hull_of(std::min(a, b), std::max(a, b), bits);
}

Rational random_member(std::mt19937_64& random, const MpInterval& x) {
    const Rational t(Integer(static_cast<unsigned>(random() % 65)), Integer(64));
    return x.lower() + (x.upper() - x.lower()) * t;
}

}  // namespace

TEST_CASE("an enclosure of a rational is the tightest at every precision") {
    std::mt19937_64 random(1);
    for (const unsigned bits : {1U, 2U, 24U, 53U, 64U, 65U, 113U, 1000U}) {
        CAPTURE(bits);
        for (int i = 0; i < 50; ++i) {
            const Rational x = to_rational(random_double(random)) / (1 + Integer(random()));
            check_tight(MpInterval(x, bits), x);
        }
        check_tight(MpInterval("0.1", bits), rankcert::parse_rational("0.1"));
        check_tight(MpInterval(Integer(3), -5000, bits), 3 * power_of_two(-5000));
        check_tight(MpInterval(0.1, bits), to_rational(0.1));
    }
    CHECK(MpInterval(1.1, 53).is_point());
    CHECK_FALSE(MpInterval(1.1, 53).contains(rankcert::parse_rational("1.1")));
    CHECK(MpInterval("1.1", 53).contains(rankcert::parse_rational("1.1")));
}

TEST_CASE("what is no interval is refused") {
    CHECK_THROWS_AS(MpInterval(kInfinity, 53), rankcert::Error);
    CHECK_THROWS_AS(MpInterval(std::nan(""), 53), rankcert::Error);
    CHECK_THROWS_AS(MpInterval(0), rankcert::Error);
    CHECK_THROWS_AS(MpInterval("abc", 53), rankcert::Error);
    CHECK_THROWS_AS((void)MpInterval::hull_of(2.0, 1.0, 53), rankcert::Error);
    CHECK_THROWS_AS((void)MpInterval::hull_of(std::nan(""), 1.0, 53), rankcert::Error);
    CHECK_THROWS_AS((void)MpInterval::hull_of(kInfinity, kInfinity, 53), rankcert::Error);
    CHECK_THROWS_AS((void)MpInterval::hull_of(Rational(2), Rational(1), 53), rankcert::Error);
    CHECK_THROWS_AS((void)MpInterval::entire(53).lower(), rankcert::Error);
    CHECK_THROWS_AS((void)MpInterval::empty(53).upper(), rankcert::Error);
    CHECK_THROWS_AS((void)exp(MpInterval(-1e8, 53)).lower(), rankcert::Error);
}

TEST_CASE("point operations are the exact result rounded outward") {
    std::mt19937_64 random(2);
    for (int i = 0; i < 1000; ++i) {
        const double a = random_double(random);
        const double b = random_double(random);
        if (a == 0 || b == 0) continue;
        const unsigned bits = 53 + static_cast<unsigned>(random() % 100);
        const MpInterval x(a, bits);
        const MpInterval y(b, bits);
        const Rational p = to_rational(a);
        const Rational q = to_rational(b);
        check_tight(x + y, p + q);
        check_tight(x - y, p - q);
        check_tight(x * y, p * q);
        check_tight(x / y, p / q);
        check_tight(sqr(x), p * p);
        check_tight(abs(x), p < 0 ? Rational(-p) : p);
        check_tight(scale(x, -3000), p * power_of_two(-3000));
        MpInterval fused(bits);
        fma_into(fused, x, y, x);
        check_tight(fused, p * q + p);
        const MpInterval root = sqrt(abs(x));
        CHECK(root.lower() * root.lower() <= (p < 0 ? Rational(-p) : p));
        CHECK(root.upper() * root.upper() >= (p < 0 ? Rational(-p) : p));
    }
}

TEST_CASE("operations on intervals contain the results of their members, and their ends are attained") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 1000; ++i) {
        const MpInterval x = random_interval(random, 60);
        const MpInterval y = random_interval(random, 60);
        const MpInterval sum = x + y;
        const MpInterval difference = x - y;
        const MpInterval product = x * y;
        const MpInterval quotient = x / y;
        MpInterval fused(60);
        fma_into(fused, x, y, x);
        for (int k = 0; k < 4; ++k) {
            const Rational p = random_member(random, x);
            const Rational q = random_member(random, y);
            CHECK(sum.contains(p + q));
            CHECK(difference.contains(p - q));
            CHECK(product.contains(p * q));
            CHECK(fused.contains(p * q + p));
            if (q != 0) CHECK(quotient.contains(p / q));
            CHECK(sqr(x).contains(p * p));
            CHECK(abs(x).contains(p < 0 ? Rational(-p) : p));
            CHECK(min(x, y).contains(p < q ? p : q));
            CHECK(max(x, y).contains(p < q ? q : p));
            CHECK(hull(x, y).contains(p));
            CHECK(pow(x, 3).contains(p * p * p));
            CHECK(pow(x, 2).contains(p * p));
            if (p != 0) {
                CHECK(pow(x, -1).contains(1 / p));
                CHECK(pow(x, -2).contains(1 / (p * p)));
            }
            CHECK(intersection(x, y).contains(p) == (x.contains(p) && y.contains(p)));
        }
        Rational least = x.lower() * y.lower();
        Rational greatest = least;
        for (const Rational& p : {Rational(x.lower()), Rational(x.upper())}) {
            for (const Rational& q : {Rational(y.lower()), Rational(y.upper())}) {
                least = std::min<Rational>(least, p * q);
                greatest = std::max<Rational>(greatest, p * q);
            }
        }
        CHECK(product.lower() == MpInterval(least, 60).lower());
        CHECK(product.upper() == MpInterval(greatest, 60).upper());
    }
}

TEST_CASE("the result may be one of the operands, and keeps its own precision") {
    std::mt19937_64 random(4);
    using Binary = void (*)(MpInterval&, const MpInterval&, const MpInterval&);
    for (const Binary operation :
         {Binary{rankcert::add_into}, Binary{rankcert::sub_into}, Binary{rankcert::mul_into},
          Binary{rankcert::div_into}, Binary{rankcert::min_into}, Binary{rankcert::max_into},
          Binary{rankcert::hull_into}, Binary{rankcert::intersection_into}, Binary{rankcert::atan2_into}}) {
        for (int i = 0; i < 100; ++i) {
            const MpInterval x = random_interval(random, 60);
            const MpInterval y = random_interval(random, 60);
            MpInterval apart(60);
            operation(apart, x, y);
            MpInterval left = x;
            operation(left, left, y);
            MpInterval right = y;
            operation(right, x, right);
            MpInterval used = MpInterval::entire(60);
            operation(used, x, y);
            for (const MpInterval& other : {left, right, used}) {
                CHECK(other.contains(apart));
                CHECK(apart.contains(other));
            }
            MpInterval both = x;
            operation(both, both, both);
            operation(apart, x, x);
            CHECK(both.contains(apart));
            CHECK(apart.contains(both));
            MpInterval coarse(5);
            operation(coarse, x, x);
            CHECK(coarse.precision() == 5);
            CHECK(coarse.contains(apart));
        }
    }
}

TEST_CASE("infinite ends stand for finite members, and empty operands give empty results") {
    const auto make = [](double a, double b) { return MpInterval::hull_of(a, b, 53); };
    const auto same = [](const MpInterval& a, const MpInterval& b) { return a.contains(b) && b.contains(a); };
    CHECK(same(make(0, 0) * make(1, kInfinity), make(0, 0)));
    CHECK(same(make(0, 1) * make(1, kInfinity), make(0, kInfinity)));
    CHECK(same(make(0, kInfinity) * make(-1, kInfinity), MpInterval::entire(53)));
    CHECK(same(pow(MpInterval::entire(53), 2), make(0, kInfinity)));
    CHECK((make(1, 2) / make(0, 0)).is_empty());
    CHECK(same(make(1, 2) / make(0, 4), make(0.25, kInfinity)));
    CHECK(same(make(1, 2) / make(-4, 0), make(-kInfinity, -0.25)));
    CHECK(same(make(0, 0) / make(-4, 4), make(0, 0)));
    CHECK(same(make(1, 2) / make(-1, 1), MpInterval::entire(53)));
    CHECK(same(make(1, kInfinity) / make(1, kInfinity), make(0, kInfinity)));
    const MpInterval empty = MpInterval::empty(53);
    CHECK((empty + make(1, 2)).is_empty());
    CHECK((make(1, 2) - empty).is_empty());
    CHECK((empty * make(0, 0)).is_empty());
    CHECK((make(0, 0) / empty).is_empty());
    CHECK(sqrt(make(-2, -1)).is_empty());
    CHECK(log(make(-2, 0)).is_empty());
    CHECK(same(hull(empty, make(1, 2)), make(1, 2)));
    CHECK(min(empty, make(1, 2)).is_empty());
    CHECK_FALSE(certainly_less(empty, make(1, 2)));
    CHECK_FALSE(certainly_less(make(1, 2), empty));
    CHECK_FALSE(certainly_less(empty, Rational(3)));
    CHECK_FALSE(certainly_less_equal(Rational(-3), empty));
    CHECK_FALSE(empty.contains(0.0));
    CHECK_FALSE(empty.overlaps(MpInterval::entire(53)));
    CHECK_FALSE(MpInterval::entire(53).contains(kInfinity));
}

TEST_CASE("comparisons are certain or false") {
    const MpInterval x = MpInterval::hull_of(1, 2, 53);
    const MpInterval y = MpInterval::hull_of(2, 3, 53);
    CHECK_FALSE(certainly_less(x, y));
    CHECK(certainly_less_equal(x, y));
    CHECK(certainly_less(x, MpInterval("2.0000000000000001", 100)));
    CHECK(certainly_less(x, rankcert::parse_rational("2.0000000000000001")));
    CHECK_FALSE(certainly_less(x, Rational(2)));
    CHECK(certainly_less_equal(x, Rational(2)));
    CHECK(certainly_less(rankcert::parse_rational("0.9999"), x));
    CHECK_FALSE(certainly_less(Rational(1), x));
    CHECK(certainly_less_equal(Rational(1), x));
    CHECK(x.overlaps(y));
}

TEST_CASE("exp is right for arguments of any size") {
    const MpInterval small = exp(MpInterval(-1e4, 64));
    CHECK(to_string(small, 6) == "[1.13548e-4343, 1.13549e-4343]");
    CHECK(small.lower() > 0);
    CHECK(small.lower_double() == 0.0);
    CHECK(small.upper_double() == std::numeric_limits<double>::denorm_min());
    const MpInterval vanishing = exp(MpInterval(-1e300, 64));
    CHECK(mpfr_zero_p(vanishing.lower_mpfr()));
    CHECK(mpfr_sgn(vanishing.upper_mpfr()) > 0);
    CHECK(vanishing.upper_double() == std::numeric_limits<double>::denorm_min());
    const MpInterval immense = exp(MpInterval(1e300, 64));
    CHECK(mpfr_inf_p(immense.upper_mpfr()));
    CHECK(mpfr_number_p(immense.lower_mpfr()));
    CHECK(immense.lower_double() == std::numeric_limits<double>::max());
    const MpInterval ratio = immense / immense;  // overflow is no knowledge lost beyond the enclosure
    CHECK(ratio.contains(1.0));
}

TEST_CASE("known values of elementary functions at high precision are met") {
    // Digits from published tables (OEIS A001113, A002162, A019669, A073744, A085565-like constants are not
    // needed).
    CHECK(to_string(exp(MpInterval(1.0, 200)), 40) ==
          "[2.718281828459045235360287471352662497757e0, 2.718281828459045235360287471352662497758e0]");
    CHECK(to_string(log(MpInterval(2.0, 200)), 40) ==
          "[6.931471805599453094172321214581765680755e-1, 6.931471805599453094172321214581765680756e-1]");
    CHECK(to_string(tanh(MpInterval(1.0, 200)), 30) ==
          "[7.61594155955764888119458282604e-1, 7.61594155955764888119458282605e-1]");
    CHECK(to_string(sqrt(MpInterval(2.0, 200)), 30) ==
          "[1.4142135623730950488016887242e0, 1.41421356237309504880168872421e0]");
}

TEST_CASE("rational powers of perfect powers are exact, others tight") {
    const Rational third(Integer(1), Integer(3));
    CHECK(pow(MpInterval(8.0, 53), third).is_point());
    CHECK(pow(MpInterval(8.0, 53), third).contains(2.0));
    CHECK(pow(MpInterval(8.0, 53), Rational(-2) * third).contains(0.25));
    CHECK(pow(MpInterval(8.0, 53), Rational(-2) * third).is_point());
    CHECK(pow(MpInterval::hull_of(-1, 0, 53), third).contains(0.0));
    CHECK(pow(MpInterval::hull_of(-1, 0, 53), Rational(-third)).is_empty());
    CHECK(pow(MpInterval::hull_of(-1, 4, 53), Rational(0)).is_point());
    std::mt19937_64 random(5);
    for (int i = 0; i < 300; ++i) {
        const double x = std::abs(random_double(random));
        if (x == 0) continue;
        const long p = static_cast<long>(random() % 11) - 5;
        const unsigned q = 1 + static_cast<unsigned>(random() % 7);
        if (p == 0) continue;
        const Rational exponent{Integer(p), Integer(q)};
        const MpInterval y = pow(MpInterval(x, 53), exponent);
        // low^q ≤ x^p ≤ high^q, and the neighbours are not enclosures
        const Rational exact = raise(to_rational(x), p);
        CHECK(raise(y.lower(), q) <= exact);
        CHECK(raise(y.upper(), q) >= exact);
        MpInterval next = y;
        mpfr_nextabove(next.mutable_lower());
        CHECK((y.is_point() || next.lower() == y.upper()));
    }
}
