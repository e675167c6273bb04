#include "rankcert/rigor/floating_point_guard.hpp"

#include <doctest/doctest.h>

#include <cfenv>
#include <thread>

#include "hostile_environment.hpp"

namespace {

using rankcert::arithmetic_is_ieee;
using rankcert::FloatingPointGuard;
using rankcert::tests::HostileEnvironment;

}  // namespace

TEST_CASE("the guard restores IEEE arithmetic inside, and the caller's environment afterwards") {
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        for (const bool flush : {false, true}) {
            CAPTURE(mode);
            CAPTURE(flush);
            bool before = true;
            bool inside = false;
            bool after = true;
            int mode_after = -1;
            bool flushing_after = !flush;
            {
                const HostileEnvironment hostile(mode, flush);
                before = arithmetic_is_ieee();
                {
                    const FloatingPointGuard guard;
                    const FloatingPointGuard nested;
                    inside = arithmetic_is_ieee();
                }
                after = arithmetic_is_ieee();
                mode_after = std::fegetround();
                flushing_after = HostileEnvironment::flushes();
            }
            CHECK(before == (mode == FE_TONEAREST && !flush));
            CHECK(inside);
            CHECK(after == before);
            CHECK(mode_after == mode);
            CHECK(flushing_after == flush);
        }
    }
    CHECK(arithmetic_is_ieee());
}

TEST_CASE("each part of a hostile environment is seen by itself") {
    // Were a mode not seen, the self-test could pass on a machine on which nothing holds.
    const auto ieee_under = [](int mode, bool flush) {
        const HostileEnvironment hostile(mode, flush);
        return arithmetic_is_ieee();
    };
    CHECK(ieee_under(FE_TONEAREST, false));
    CHECK_FALSE(ieee_under(FE_UPWARD, false));
    CHECK_FALSE(ieee_under(FE_DOWNWARD, false));
    CHECK_FALSE(ieee_under(FE_TOWARDZERO, false));
    CHECK_FALSE(ieee_under(FE_TONEAREST, true));
}

TEST_CASE("nothing traps inside the guard, and flags raised before it are kept") {
    std::feclearexcept(FE_ALL_EXCEPT);
    std::feraiseexcept(FE_INEXACT);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    {
        const FloatingPointGuard guard;
        volatile double zero = 0.0;
        volatile double quotient = 1.0 / zero;
        volatile double nan = zero / zero;
        quotient = quotient * 2;
        nan = nan + 1;
    }
    const int enabled = fegetexcept();
    const int raised = std::fetestexcept(FE_ALL_EXCEPT);
    fedisableexcept(FE_ALL_EXCEPT);
    CHECK(enabled == (FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW));
    CHECK(raised == FE_INEXACT);
}

TEST_CASE("a guard concerns its own thread only") {
    const HostileEnvironment hostile(FE_UPWARD, true);
    bool in_thread = true;
    bool guarded_thread = false;
    std::thread([&] {  // a new thread inherits the environment of its creator
        in_thread = arithmetic_is_ieee();
        const FloatingPointGuard guard;
        guarded_thread = arithmetic_is_ieee();
    })
        .join();
    const bool here = arithmetic_is_ieee();
    CHECK_FALSE(here);
    CHECK_FALSE(in_thread);
    CHECK(guarded_thread);
}
