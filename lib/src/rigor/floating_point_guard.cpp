#include "rankcert/rigor/floating_point_guard.hpp"

#include <cmath>

#include "rankcert/rigor/error.hpp"
#include "rigor/trusted.hpp"  // refuses unsafe compiler flags

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace rankcert {
namespace {

#if defined(__x86_64__) || defined(__i386__)

// All exceptions masked, round to nearest, flush-to-zero and denormals-are-zero off, no flag raised.
constexpr std::uint64_t kDefaultControl = 0x1f80;

std::uint64_t read_control() noexcept { return _mm_getcsr(); }
void write_control(std::uint64_t control) noexcept { _mm_setcsr(static_cast<unsigned>(control)); }

#elif defined(__aarch64__)

// FZ, FZ16, FIZ, AH, DN, the trap enables and the rounding mode are all off or zero (nearest).
constexpr std::uint64_t kDefaultControl = 0;

std::uint64_t read_control() noexcept {
    std::uint64_t control;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
    return control;
}
void write_control(std::uint64_t control) noexcept {
    __asm__ __volatile__("msr fpcr, %0" : : "r"(control) : "memory");
}

#else

// Elsewhere the default environment of <cfenv> is all there is; arithmetic_is_ieee() refuses if it is not
// enough.
constexpr std::uint64_t kDefaultControl = 0;

std::uint64_t read_control() noexcept { return 0; }
void write_control(std::uint64_t) noexcept {}

#endif

}  // namespace

FloatingPointGuard::FloatingPointGuard() : environment_(), control_(read_control()) {
    const bool saved = std::fegetenv(&environment_) == 0;
    const bool set = saved && std::fesetenv(FE_DFL_ENV) == 0;
    write_control(kDefaultControl);
    if (set && arithmetic_is_ieee()) return;
    if (saved) std::fesetenv(&environment_);
    write_control(control_);
    throw Error(
        "This machine (or the emulator that it runs under) does not compute with IEEE 754 doubles, so "
        "nothing can "
        "be proved on it; run rankcert elsewhere.");
}

FloatingPointGuard::~FloatingPointGuard() {
    std::fesetenv(&environment_);
    write_control(control_);
}

bool arithmetic_is_ieee() noexcept {
    // volatile: these must be computed now, by the machine, in the environment of the moment.
    volatile double one = 1.0;
    volatile double half_ulp = 0x1p-53;
    volatile double tiny = 0x1p-1074;
    volatile double small = 0x1p-1022;
    volatile double three = 3.0;
    const double up = one + half_ulp;              // a tie: stays at 1, unless rounded upward
    const double down = -one - half_ulp;           // stays at −1, unless rounded downward
    const double beyond = one + three * half_ulp;  // a tie that goes up to even, not toward zero
    const double twice =
        one + (half_ulp + 0x1p-105);       // just above a tie: a tie again, if first rounded to x87's
    const double third = one / three;      // below 1/3 in nearest
    const double root = std::sqrt(three);  // 0x1.bb67ae8584caap+0 in nearest
    volatile double third_back = third;
    volatile double root_back = root;
    volatile double kept = tiny * 0x1p+1000;  // 0 if denormals are zero
    volatile double gradual = small * 0.5;    // 0 if flushed to zero
    return up == 1.0 && down == -1.0 && beyond == 1.0 + 0x1p-51 && twice == 1.0 + 0x1p-52 &&
           third_back == 0x1.5555555555555p-2 && root_back == 0x1.bb67ae8584caap+0 && kept == 0x1p-74 &&
           gradual == 0x1p-1023;
}

}  // namespace rankcert
