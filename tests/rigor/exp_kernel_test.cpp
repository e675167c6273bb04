#include "rankcert/rigor/exp_kernel.hpp"

#include <doctest/doctest.h>
#include <mpfr.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "rankcert/rigor/floating_point_guard.hpp"
#include "rigor/exp_kernel_constants.hpp"

using namespace rankcert;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();

/// The kernel's error at single points, by MPFR with everything rounded against it.
class ErrorCheck {
  public:
    ErrorCheck() { mpfr_inits2(120, low_, high_, difference_, allowed_, static_cast<mpfr_ptr>(nullptr)); }
    ~ErrorCheck() { mpfr_clears(low_, high_, difference_, allowed_, static_cast<mpfr_ptr>(nullptr)); }
    ErrorCheck(const ErrorCheck&) = delete;
    ErrorCheck& operator=(const ErrorCheck&) = delete;

    /// Whether y is what the theorem allows for a finite x.
    bool within(double x, double y) {
        mpfr_set_d(allowed_, x, MPFR_RNDN);  // exact
        mpfr_exp(low_, allowed_, MPFR_RNDD);
        mpfr_set(high_, low_, MPFR_RNDN);
        mpfr_nextabove(high_);
        // 2^1024 − 2^970, where rounding to nearest begins to give infinity
        mpfr_set_ui_2exp(allowed_, 1, 1024, MPFR_RNDN);
        mpfr_set_ui_2exp(difference_, 1, 970, MPFR_RNDN);
        mpfr_sub(allowed_, allowed_, difference_, MPFR_RNDN);  // exact
        if (mpfr_greaterequal_p(low_, allowed_) != 0) return y == kInfinity;
        if (mpfr_greater_p(high_, allowed_) != 0) return false;  // undecided: does not occur
        if (!(y >= 0 && y <= kLargest)) return false;            // NaN too
        mpfr_sub_d(difference_, high_, y, MPFR_RNDU);
        mpfr_d_sub(allowed_, y, low_, MPFR_RNDU);
        mpfr_max(difference_, difference_, allowed_, MPFR_RNDU);  // now ≥ |y − eˣ|
        const bool is_normal = mpfr_cmp_d(low_, 0x1p-1022) >= 0;
        if (is_normal) {
            mpfr_mul_d(allowed_, low_, kExpRelativeError, MPFR_RNDD);
            mpfr_div(high_, difference_, low_, MPFR_RNDU);
            largest_relative = std::fmax(largest_relative, mpfr_get_d(high_, MPFR_RNDU));
        } else {
            mpfr_set_d(allowed_, kExpAbsoluteError, MPFR_RNDD);
        }
        // in units in the last place of the float64 nearest below
        const double unit =
            is_normal ? std::ldexp(1.0, std::ilogb(mpfr_get_d(low_, MPFR_RNDD)) - 52) : 0x1p-1074;
        mpfr_div_d(high_, difference_, unit, MPFR_RNDU);
        double& largest = is_normal ? largest_ulps : largest_subnormal_ulps;
        largest = std::fmax(largest, mpfr_get_d(high_, MPFR_RNDU));
        return mpfr_lessequal_p(difference_, allowed_) != 0;
    }
    bool kernel_within(double x) { return within(x, exp_approx(x)); }

    double largest_relative = 0;  ///< of normal results
    double largest_ulps = 0;
    double largest_subnormal_ulps = 0;

  private:
    mpfr_t low_, high_, difference_, allowed_;
};

double neighbour(double x, int steps) {
    for (; steps > 0; --steps) x = std::nextafter(x, kInfinity);
    for (; steps < 0; ++steps) x = std::nextafter(x, -kInfinity);
    return x;
}

/// Points of every kind: the whole range, the range of softmax, every binade of x, results below the normal
/// numbers, any bits at all, and near multiples of ln 2 / 2. Returns how many were not within the bounds.
long failures_on_random_points(ErrorCheck& check, long count) {
    std::mt19937_64 random(20240611);
    std::uniform_real_distribution<double> whole(-746, 710);
    std::uniform_real_distribution<double> softmax(-40, 0);
    std::uniform_real_distribution<double> mantissa(-1, 1);
    std::uniform_real_distribution<double> subnormal(-745.2, -708.3);
    std::uniform_int_distribution<int> exponent(-1074, 10);
    std::uniform_int_distribution<int> halves(-2152, 2050);
    std::uniform_int_distribution<int> offset(-1000, 1000);
    long failures = 0;
    for (long i = 0; i < count; ++i) {
        double x = 0;
        switch (i % 6) {
            case 0:
                x = whole(random);
                break;
            case 1:
                x = softmax(random);
                break;
            case 2:
                x = std::ldexp(mantissa(random), exponent(random) % 75);
                break;
            case 3:
                x = subnormal(random);
                break;
            case 4:
                x = std::bit_cast<double>(random());
                if (!std::isfinite(x)) x = std::ldexp(mantissa(random), exponent(random));
                break;
            default: {
                const double at = halves(random) * 0.34657359027997264;
                x = at + offset(random) * (std::nextafter(at, kInfinity) - at);
            }
        }
        if (!check.kernel_within(x)) ++failures;
    }
    return failures;
}

}  // namespace

TEST_CASE("the exponential kernel keeps its proved error on random points") {
    const FloatingPointGuard guard;
    // RANKCERT_EXP_POINTS=100000000 test_rigor -s -tc='*random points*' is the long run.
    const char* wanted = std::getenv("RANKCERT_EXP_POINTS");
    const long count = wanted != nullptr ? std::atol(wanted) : 1'000'000;
    ErrorCheck check;
    CHECK(failures_on_random_points(check, count) == 0);
    INFO("largest relative error ", check.largest_relative, ", ", check.largest_ulps,
         " ulp, subnormal results ", check.largest_subnormal_ulps, " ulp, on ", count, " points");
    CHECK(check.largest_relative <= kExpRelativeError);
    // It would be odd if the proved bounds were far from the truth.
    CHECK(check.largest_ulps > 0.8);
    CHECK(check.largest_subnormal_ulps > 0.6);
}

TEST_CASE("the exponential kernel keeps its proved error where the reduction changes its integer") {
    const FloatingPointGuard guard;
    ErrorCheck check;
    const double ln2 = 0.69314718055994530942;
    long failures = 0;
    for (int k = -1077; k <= 1024; ++k) {
        for (const double at : {(k + 0.5) * ln2, k * ln2}) {
            for (int steps = -20; steps <= 20; ++steps) {
                if (!check.kernel_within(neighbour(at, steps))) ++failures;
            }
        }
    }
    CHECK(failures == 0);
}

TEST_CASE("the exponential kernel keeps its proved error in every binade of its argument") {
    const FloatingPointGuard guard;
    ErrorCheck check;
    std::mt19937_64 random(5);
    long failures = 0;
    for (int e = -1074; e <= 1023; ++e) {
        for (const double sign : {1.0, -1.0}) {
            const double at = sign * std::ldexp(1.0, e);
            for (int steps = -2; steps <= 2; ++steps) {
                const double x = neighbour(at, steps);
                if (std::isfinite(x) && !check.kernel_within(x)) ++failures;
            }
            for (int i = 0; i < 10; ++i) {
                const double x = at * (1 + std::ldexp(static_cast<double>(random() >> 12), -52));
                if (std::isfinite(x) && !check.kernel_within(x)) ++failures;
            }
        }
    }
    CHECK(failures == 0);
}

TEST_CASE("the exponential kernel changes its ways at the right places") {
    const FloatingPointGuard guard;
    ErrorCheck check;
    long failures = 0;
    // −708.39…: eˣ = 2^−1022; −745.13…: 2^−1075; 709.78…: overflow
    for (const double at : {detail::kExpZero, detail::kExpGradual, detail::kExpHighest, -708.3964185322641,
                            -745.1332191019411, -744.4400719213812, 709.782712893384, 0.0}) {
        for (int steps = -2000; steps <= 2000; ++steps) {
            if (!check.kernel_within(neighbour(at, steps))) ++failures;
        }
    }
    CHECK(failures == 0);
    CHECK(exp_approx(detail::kExpHighest) <= kLargest);
    CHECK(exp_approx(neighbour(detail::kExpHighest, 1)) == kInfinity);
    CHECK(exp_approx(-744.4) == 0x1p-1074);
    CHECK(exp_approx(-709.0) < 0x1p-1022);
    CHECK(exp_approx(-709.0) > 0x1p-1023);
}

// For each of these eˣ is within 2^−50 units in the last place of a double, or of the middle between two.
TEST_CASE("the exponential kernel keeps its proved error at arguments that are hard to round") {
    const FloatingPointGuard guard;
    ErrorCheck check;
    for (const double x : {-0x1.12d31a20fb38bp+5, 0x1.83d4bcdebb3f4p+2, 0x1.fffffffffffffp-53,
                           -0x1.fffffffffffffp-54, 0x1p-53, -0x1p-54, 0x1.9e9cbbfd6080bp-31,
                           0x1.accfbe46b4ef0p-1, -0x1.ed318efb627eap-27, -0x1.02393d5976769p+1}) {
        CHECK(check.kernel_within(x));
    }
}

TEST_CASE("the check of the kernel notices errors just above the bounds") {
    ErrorCheck check;
    CHECK_FALSE(check.within(-1.0, exp_approx(-1.0) * (1 + 0x1p-50)));
    CHECK_FALSE(check.within(-1.0, exp_approx(-1.0) * (1 - 0x1p-50)));
    CHECK_FALSE(check.within(-1.0, std::numeric_limits<double>::quiet_NaN()));
    CHECK_FALSE(check.within(-720.0, exp_approx(-720.0) + 0x1p-1073));
    CHECK_FALSE(check.within(-720.0, exp_approx(-720.0) - 0x1p-1073));
    CHECK_FALSE(check.within(detail::kExpHighest, kInfinity));
    CHECK_FALSE(check.within(neighbour(detail::kExpHighest, 1), kLargest));
}

TEST_CASE("the exponential kernel is exact at zero and follows infinities and NaN") {
    const FloatingPointGuard guard;
    CHECK(exp_approx(0.0) == 1.0);
    CHECK(exp_approx(-0.0) == 1.0);
    CHECK(exp_approx(-1e300) == 0.0);
    CHECK(exp_approx(-kInfinity) == 0.0);
    CHECK_FALSE(std::signbit(exp_approx(-kInfinity)));
    CHECK(exp_approx(1e300) == kInfinity);
    CHECK(exp_approx(kInfinity) == kInfinity);
    CHECK(std::isnan(exp_approx(std::numeric_limits<double>::quiet_NaN())));
    CHECK(std::isnan(exp_approx(-std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("the array form of the exponential kernel gives the scalar form's numbers") {
    const FloatingPointGuard guard;
    std::mt19937_64 random(7);
    std::vector<double> x(1003);
    for (double& value : x) value = std::bit_cast<double>(random());
    for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -std::ldexp(1.0, static_cast<int>(i % 11)) * 0.7;
    for (std::size_t length = 0; length < x.size(); length += length < 5 ? 1 : 499) {
        std::vector<double> y(length), in_place(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(length));
        exp_approx(x.data(), y.data(), static_cast<long>(length));
        exp_approx(in_place.data(), in_place.data(), static_cast<long>(length));
        bool same = true;
        for (std::size_t i = 0; i < length; ++i) {
            const auto bits = std::bit_cast<std::uint64_t>(exp_approx(x[i]));
            same = same && bits == std::bit_cast<std::uint64_t>(y[i]) &&
                   bits == std::bit_cast<std::uint64_t>(in_place[i]);
        }
        CHECK(same);
    }
}

// The sum of many results' bits: the same for every processor, compiler and level of optimisation. A fused
// multiply-add or another order of the operations would change it.
TEST_CASE("the exponential kernel's bits are the same everywhere") {
    const FloatingPointGuard guard;
    std::uint64_t digest = 0;
    std::uint64_t state = 1;
    for (int i = 0; i < 200000; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const double x = -746 + 1456 * std::ldexp(static_cast<double>(state >> 11), -53);
        digest = digest * 31 + std::bit_cast<std::uint64_t>(exp_approx(x));
    }
    CHECK(digest == 16568342764904071778U);
}

// What the precondition is for: each of these results is another one in some other rounding mode.
TEST_CASE("under a guard the exponential kernel gives the same bits in every rounding mode") {
    const std::array<double, 5> points{-0.3, -17.25, -720.5, 3.5, 700.125};
    std::array<double, 5> expected{};
    for (std::size_t i = 0; i < points.size(); ++i) expected[i] = exp_approx(points[i]);
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        bool guarded_same = true;
        bool same = true;
        for (std::size_t i = 0; i < points.size(); ++i) {
            same = same && exp_approx(points[i]) == expected[i];
            const FloatingPointGuard guard;
            guarded_same = guarded_same && exp_approx(points[i]) == expected[i];
        }
        std::fesetround(FE_TONEAREST);
        CHECK(guarded_same);
        CHECK_FALSE(same);
    }
}

TEST_CASE("tanh from the kernel is within its bound, odd, and in [−1, 1], on 10^6 points of every binade") {
    const FloatingPointGuard guard;
    std::mt19937_64 random(7);
    mpfr_t exact;
    mpfr_init2(exact, 120);
    std::vector<double> x = {0,   -0.0, 0x1p-1074, 1,         19,   22,      373,    400,
                             709, 710,  kLargest,  kInfinity, 0.25, 0x1p-52, 0x1p-54};
    while (x.size() < 1000000) {
        const double exponent = static_cast<double>(random() % 70) - 60;
        x.push_back(
            std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(exponent)));
    }
    std::vector<double> y(x.size()), mirrored(x.size());
    tanh_approx(x.data(), y.data(), static_cast<long>(x.size()));
    for (double& value : x) value = -value;
    tanh_approx(x.data(), mirrored.data(), static_cast<long>(x.size()));
    bool within = true, odd = true, bounded = true;
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        mpfr_set_d(exact, -x[i], MPFR_RNDN);
        mpfr_tanh(exact, exact, MPFR_RNDN);
        mpfr_sub_d(exact, exact, y[i], MPFR_RNDA);
        mpfr_abs(exact, exact, MPFR_RNDN);
        largest = std::fmax(largest, mpfr_get_d(exact, MPFR_RNDU));
        within = within && mpfr_cmp_d(exact, kTanhError) <= 0;
        odd = odd && mirrored[i] == -y[i];
        bounded = bounded && y[i] >= 0 && y[i] <= 1;
    }
    mpfr_clear(exact);
    MESSAGE("largest error " << largest);
    CHECK(within);
    CHECK(largest > 0x1p-54);
    CHECK(odd);
    CHECK(bounded);
    double nan = std::numeric_limits<double>::quiet_NaN();
    tanh_approx(&nan, &nan, 1);
    CHECK(std::isnan(nan));
}
