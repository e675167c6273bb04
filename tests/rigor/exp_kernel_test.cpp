#include "rankcert/rigor/exp_kernel.hpp"

#include <doctest/doctest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "rankcert/rigor/floating_point_guard.hpp"

using namespace rankcert;

namespace {

/// Whether |approximation − eˣ| ≤ bound · eˣ, decided by MPFR with everything rounded against it.
class ErrorCheck {
  public:
    ErrorCheck() { mpfr_inits2(120, low_, high_, difference_, allowed_, static_cast<mpfr_ptr>(nullptr)); }
    ~ErrorCheck() { mpfr_clears(low_, high_, difference_, allowed_, static_cast<mpfr_ptr>(nullptr)); }
    ErrorCheck(const ErrorCheck&) = delete;
    ErrorCheck& operator=(const ErrorCheck&) = delete;

    bool within(double x, double approximation, double bound) {
        mpfr_set_d(allowed_, x, MPFR_RNDN);  // exact
        mpfr_exp(low_, allowed_, MPFR_RNDD);
        mpfr_set(high_, low_, MPFR_RNDN);
        mpfr_nextabove(high_);
        mpfr_mul_d(allowed_, low_, bound, MPFR_RNDD);
        mpfr_sub_d(difference_, high_, approximation, MPFR_RNDU);
        if (mpfr_lessequal_p(difference_, allowed_) == 0) return false;  // NaN too
        mpfr_d_sub(difference_, approximation, low_, MPFR_RNDU);
        return mpfr_lessequal_p(difference_, allowed_) != 0;
    }

  private:
    mpfr_t low_, high_, difference_, allowed_;
};

double neighbour(double x, int steps) {
    for (; steps > 0; --steps) x = std::nextafter(x, std::numeric_limits<double>::infinity());
    for (; steps < 0; ++steps) x = std::nextafter(x, -std::numeric_limits<double>::infinity());
    return x;
}

}  // namespace

TEST_CASE("the exponential kernel keeps its proved error on random points of its range") {
    const FloatingPointGuard guard;
    ErrorCheck check;
    std::mt19937_64 random(20240611);
    std::uniform_real_distribution<double> whole(kExpLowest, kExpHighest);
    std::uniform_real_distribution<double> near(-40, 0);
    std::uniform_int_distribution<int> exponent(-80, 9);
    long failures = 0;
    for (int i = 0; i < 400000; ++i) {
        const double a = whole(random);
        const double b = near(random);
        const double c = std::ldexp(near(random) / 40, exponent(random));
        failures += check.within(a, exp_approx(a), kExpRelativeError) ? 0 : 1;
        failures += check.within(b, exp_approx(b), kExpRelativeError) ? 0 : 1;
        if (c >= kExpLowest) failures += check.within(c, exp_approx(c), kExpRelativeError) ? 0 : 1;
    }
    CHECK(failures == 0);
}

TEST_CASE("the exponential kernel keeps its proved error where the reduction changes its integer") {
    const FloatingPointGuard guard;
    ErrorCheck check;
    const double ln2 = 0.69314718055994530942;
    long failures = 0;
    for (int k = -1021; k <= 1022; ++k) {
        for (const double at : {(k + 0.5) * ln2, k * ln2}) {
            for (int steps = -4; steps <= 4; ++steps) {
                const double x = neighbour(at, steps);
                if (!(x >= kExpLowest && x <= kExpHighest)) continue;
                failures += check.within(x, exp_approx(x), kExpRelativeError) ? 0 : 1;
            }
        }
    }
    for (const double x : {kExpLowest, kExpHighest, 0.0, -0.0, 0x1p-1074, -0x1p-1074, 0x1p-54, -0x1p-54}) {
        failures += check.within(x, exp_approx(x), kExpRelativeError) ? 0 : 1;
    }
    CHECK(failures == 0);
}

TEST_CASE("the check of the kernel notices an error just above the bound") {
    ErrorCheck check;
    CHECK_FALSE(check.within(-1.0, exp_approx(-1.0) * (1 + 0x1p-49), kExpRelativeError));
    CHECK_FALSE(check.within(-1.0, exp_approx(-1.0) * (1 - 0x1p-49), kExpRelativeError));
    CHECK_FALSE(check.within(-1.0, std::numeric_limits<double>::quiet_NaN(), kExpRelativeError));
}

TEST_CASE("the exponential kernel is exact at zero and says what it does outside its range") {
    const FloatingPointGuard guard;
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(exp_approx(0.0) == 1.0);
    CHECK(exp_approx(-0.0) == 1.0);
    CHECK(exp_approx(neighbour(kExpLowest, -1)) == 0.0);
    CHECK(exp_approx(-1e300) == 0.0);
    CHECK(exp_approx(-infinity) == 0.0);
    CHECK(exp_approx(neighbour(kExpHighest, 1)) == infinity);
    CHECK(exp_approx(infinity) == infinity);
    CHECK(std::isnan(exp_approx(std::numeric_limits<double>::quiet_NaN())));
    mpfr_t e;
    mpfr_init2(e, 120);
    mpfr_set_d(e, kExpLowest, MPFR_RNDN);
    mpfr_exp(e, e, MPFR_RNDU);
    CHECK(mpfr_cmp_d(e, kExpUnderflow) < 0);
    mpfr_clear(e);
}

TEST_CASE("the array form of the exponential kernel gives the scalar form's numbers") {
    const FloatingPointGuard guard;
    std::mt19937_64 random(7);
    std::vector<double> x(1003);
    for (double& value : x) value = std::bit_cast<double>(random());
    for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -std::ldexp(1.0, static_cast<int>(i % 11)) * 0.7;
    std::vector<double> y(x.size());
    exp_approx(x.data(), y.data(), static_cast<long>(x.size()));
    bool same = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
        same = same && std::bit_cast<std::uint64_t>(exp_approx(x[i])) == std::bit_cast<std::uint64_t>(y[i]);
    }
    CHECK(same);
    exp_approx(x.data(), x.data(), static_cast<long>(x.size()));
    bool in_place = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
        in_place = in_place && std::bit_cast<std::uint64_t>(x[i]) == std::bit_cast<std::uint64_t>(y[i]);
    }
    CHECK(in_place);
}
