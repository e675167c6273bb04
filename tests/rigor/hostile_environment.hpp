#pragma once
/// \file hostile_environment.hpp  A caller who changed the rounding mode and switched subnormal numbers off.

#include <cfenv>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace rankcert::tests {

class HostileEnvironment {
  public:
    explicit HostileEnvironment(int rounding_mode, bool flush_subnormals) {
        std::fegetenv(&environment_);
        std::fesetround(rounding_mode);
#if defined(__x86_64__)
        control_ = _mm_getcsr();
        if (flush_subnormals) _mm_setcsr(control_ | kFlush);
#else
        (void)flush_subnormals;
#endif
    }
    ~HostileEnvironment() {
#if defined(__x86_64__)
        _mm_setcsr(control_);
#endif
        std::fesetenv(&environment_);
    }
    HostileEnvironment(const HostileEnvironment&) = delete;
    HostileEnvironment& operator=(const HostileEnvironment&) = delete;

    /// Whether flush-to-zero and denormals-are-zero are both on.
    static bool flushes() {
#if defined(__x86_64__)
        return (_mm_getcsr() & kFlush) == kFlush;
#else
        return false;
#endif
    }

  private:
    std::fenv_t environment_;
#if defined(__x86_64__)
    static constexpr unsigned kFlush = 0x8040;
    unsigned control_ = 0;
#endif
};

}  // namespace rankcert::tests
