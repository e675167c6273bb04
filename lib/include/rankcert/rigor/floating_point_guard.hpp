#pragma once
/// \file floating_point_guard.hpp  The floating-point environment that the proofs assume, for one scope.

#include <cfenv>
#include <cstdint>

namespace rankcert {

/// While it lives, the calling thread computes in IEEE 754 arithmetic as the proofs assume it: round to
/// nearest (ties to even), subnormal numbers kept (flush-to-zero and denormals-are-zero off), no
/// floating-point traps. When it dies, the thread has back the environment that it had: rounding mode, flush
/// bits, trap masks and the exception flags raised before (those raised meanwhile are dropped).
///
/// It concerns one thread only: every worker thread makes its own. Guards nest. Cost: well below a
/// microsecond.
class FloatingPointGuard {
  public:
    /// Throws Error where the arithmetic is not IEEE binary64 even so (a broken emulator, an x87 unit).
    FloatingPointGuard();
    ~FloatingPointGuard();
    FloatingPointGuard(const FloatingPointGuard&) = delete;
    FloatingPointGuard& operator=(const FloatingPointGuard&) = delete;

  private:
    std::fenv_t environment_;
    std::uint64_t control_;  // MXCSR (x86) or FPCR (Arm): fenv_t does not promise to hold the flush bits
};

/// Whether the calling thread, as it is now, rounds additions, products, quotients and square roots to the
/// nearest double, once, and keeps subnormal numbers. A handful of operations whose results tell every other
/// mode apart.
[[nodiscard]] bool arithmetic_is_ieee() noexcept;

}  // namespace rankcert
