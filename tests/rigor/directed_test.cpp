#include "rankcert/rigor/directed.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cfenv>
#include <cmath>
#include <functional>
#include <vector>

#include "adversarial.hpp"
#include "hostile_environment.hpp"
#include "rankcert/rigor/rational.hpp"

namespace {

using rankcert::Rational;
using rankcert::to_rational;
using rankcert::tests::Adversary;
using rankcert::tests::HostileEnvironment;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Triple {
    double a, b, c;
};

std::vector<Triple> adversarial_triples(unsigned seed, std::size_t count) {
    Adversary adversary(seed);
    std::vector<Triple> triples(count);
    for (Triple& t : triples) {
        t.a = adversary.number();
        t.b = adversary.partner(t.a);
        const double product = t.a * t.b;
        t.c = std::isfinite(product) && adversary.below(2) != 0 ? adversary.partner(product)
                                                                : adversary.number();
    }
    return triples;
}

struct Results {
    std::array<double, 12> down_up;
};

Results compute(const Triple& t) {
    using namespace rankcert;
    const double size = std::bit_cast<double>(std::bit_cast<std::uint64_t>(t.a) & ~(std::uint64_t{1} << 63));
    return {{add_down(t.a, t.b), add_up(t.a, t.b), sub_down(t.a, t.b), sub_up(t.a, t.b), mul_down(t.a, t.b),
             mul_up(t.a, t.b), div_down(t.a, t.b), div_up(t.a, t.b), fma_down(t.a, t.b, t.c),
             fma_up(t.a, t.b, t.c), sqrt_down(size), sqrt_up(size)}};
}

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

/// low and high are the doubles around the exact value, which Rational's own conversions find by long
/// division.
void check_around(double low, double high, const Rational& exact) {
    CHECK(low == rankcert::lower_double(exact));
    CHECK(high == rankcert::upper_double(exact));
}

void check_against_exact(const Triple& t, const Results& results) {
    const auto& r = results.down_up;
    CAPTURE(t.a);
    CAPTURE(t.b);
    CAPTURE(t.c);
    const Rational a = to_rational(t.a);
    const Rational b = to_rational(t.b);
    check_around(r[0], r[1], a + b);
    check_around(r[2], r[3], a - b);
    check_around(r[4], r[5], a * b);
    if (t.b != 0) check_around(r[6], r[7], a / b);
    check_around(r[8], r[9], a * b + to_rational(t.c));
    const Rational size = t.a < 0 ? Rational(-a) : a;
    CHECK(to_rational(r[10]) * to_rational(r[10]) <= size);
    CHECK(size <= to_rational(r[11]) * to_rational(r[11]));
    CHECK((r[10] == r[11] || std::nextafter(r[10], kInfinity) == r[11]));
    if (r[10] == r[11]) CHECK(to_rational(r[10]) * to_rational(r[10]) == size);
}

/// The machine's own directed rounding.
Results by_hardware(const Triple& t) {
    volatile double a = t.a;
    volatile double b = t.b;
    volatile double c = t.c;
    volatile double size = std::fabs(t.a);
    Results results{};
    for (const int up : {0, 1}) {
        const HostileEnvironment mode(up != 0 ? FE_UPWARD : FE_DOWNWARD, false);
        volatile double sum = a + b;
        volatile double difference = a - b;
        volatile double product = a * b;
        volatile double quotient = a / b;
        volatile double fused = std::fma(a, b, c);
        volatile double root = std::sqrt(size);
        const std::array<double, 6> values{sum, difference, product, quotient, fused, root};
        for (std::size_t i = 0; i < 6; ++i) results.down_up[2 * i + static_cast<std::size_t>(up)] = values[i];
    }
    return results;
}

}  // namespace

TEST_CASE("directed operations round the exact result, in every floating-point environment") {
    const auto triples = adversarial_triples(1, 3000);
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        for (const bool flush : {false, true}) {
            std::vector<Results> results(triples.size());
            {
                const HostileEnvironment hostile(mode, flush);
                for (std::size_t i = 0; i < triples.size(); ++i) results[i] = compute(triples[i]);
            }
            for (std::size_t i = 0; i < triples.size(); ++i) {
                if (mode == FE_TONEAREST && !flush) check_against_exact(triples[i], results[i]);
                // The others must give the same bits.
                const Results again = compute(triples[i]);
                for (std::size_t k = 0; k < 12; ++k)
                    CHECK(same_bits(results[i].down_up[k], again.down_up[k]));
            }
        }
    }
}

TEST_CASE("directed operations agree bit for bit with the machine's directed rounding modes") {
    auto triples = adversarial_triples(2, 20000);
    // All pairs of special values as well: zeros of both signs, infinities, NaN, the ends of the ranges.
    const double special[] = {0.0,
                              -0.0,
                              1.0,
                              -1.0,
                              kInfinity,
                              -kInfinity,
                              std::nan(""),
                              0x1p-1074,
                              -0x1p-1074,
                              0x1p-1022,
                              -0x1p-1022,
                              std::numeric_limits<double>::max(),
                              -std::numeric_limits<double>::max()};
    for (const double a : special) {
        for (const double b : special) {
            for (const double c : special) triples.push_back({a, b, c});
        }
    }
    for (const Triple& t : triples) {
        const Results ours = compute(t);
        const Results hardware = by_hardware(t);
        CAPTURE(t.a);
        CAPTURE(t.b);
        CAPTURE(t.c);
        for (std::size_t k = 0; k < 12; ++k) {
            CAPTURE(k);
            CHECK(same_bits(ours.down_up[k], hardware.down_up[k]));
        }
    }
}

TEST_CASE("sums at halves of the last place, products and quotients at the edge of the range, are right") {
    using namespace rankcert;
    CHECK(add_down(1.0, 0x1p-1074) == 1.0);
    CHECK(add_up(1.0, 0x1p-1074) == 0x1.0000000000001p+0);
    CHECK(add_down(1.0, -0x1p-1074) == 0x1.fffffffffffffp-1);
    CHECK(add_up(0x1p+1023, 0x1p+1023) == kInfinity);
    CHECK(add_down(0x1p+1023, 0x1p+1023) == std::numeric_limits<double>::max());
    CHECK(mul_up(1e-200, 1e-200) == 0x1p-1074);
    CHECK(mul_down(1e-200, 1e-200) == 0.0);
    CHECK(mul_up(-1e-200, 1e-200) == 0.0);
    CHECK(std::signbit(mul_up(-1e-200, 1e-200)));
    CHECK(mul_down(5e-324, 1e300) == lower_double(to_rational(5e-324) * to_rational(1e300)));
    CHECK(mul_down(0.1, 0.1) < mul_up(0.1, 0.1));
    CHECK(div_up(1.0, 3.0) - div_down(1.0, 3.0) == 0x1p-54);
    CHECK(add_up(1.0, 1e-17) - add_down(1.0, 1e-17) == 0x1p-52);
    CHECK(midpoint_nearest(1.7e308, 1.79e308) == 1.745e308);
    CHECK(midpoint_nearest(0x1p-1074, 0x1p-1073) == 0x1p-1073);  // a tie goes to the even neighbour
    CHECK(midpoint_nearest(-0x1p-1073, 0x1p-1074) == 0.0);
    CHECK(next_up(std::numeric_limits<double>::max()) == kInfinity);
    CHECK(next_up(-0x1p-1074) == 0.0);
    CHECK(next_up(0.0) == 0x1p-1074);
    CHECK(next_down(0.0) == -0x1p-1074);
    CHECK(next_up(-kInfinity) == -std::numeric_limits<double>::max());
}

TEST_CASE("the midpoint is the exact one rounded to nearest") {
    Adversary adversary(3);
    for (int i = 0; i < 5000; ++i) {
        const double a = adversary.number();
        const double b = adversary.partner(a);
        CHECK(rankcert::midpoint_nearest(a, b) ==
              rankcert::estimate_double((to_rational(a) + to_rational(b)) / 2));
    }
}

TEST_CASE("comparisons see subnormal numbers where the machine does not") {
    bool tiny_positive = false;
    bool zero_not_above = true;
    bool machine_sees = true;
    bool nan = true;
    {
        const HostileEnvironment hostile(FE_TONEAREST, true);
        volatile double tiny = 0x1p-1074;
        tiny_positive = rankcert::less(0.0, tiny) && rankcert::less(-tiny, 0.0);
        zero_not_above =
            !rankcert::less_equal(tiny, 0.0) && rankcert::less_equal(-0.0, 0.0) && rankcert::equal(0.0, -0.0);
        machine_sees = tiny > 0.0;
        nan = rankcert::less(std::nan(""), 1.0) || rankcert::less_equal(1.0, std::nan("")) ||
              rankcert::equal(std::nan(""), std::nan(""));
    }
    CHECK(tiny_positive);
    CHECK(zero_not_above);
    CHECK_FALSE(nan);
#if defined(__x86_64__)
    CHECK_FALSE(machine_sees);  // else this test would test nothing
#endif
}
