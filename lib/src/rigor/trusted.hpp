#pragma once
/// \file trusted.hpp  Included by every trusted source: refuses flags under which float64 is not IEEE
/// 754.
///
/// It is not included by public headers, which a user may compile with any flags.

#include <cfloat>
#include <limits>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error \
    "rankcert's trusted sources must not be built with -ffast-math or a part of it: its proofs need IEEE arithmetic."
#endif

static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<double>::digits == 53,
              "double must be IEEE 754 binary64");
static_assert(FLT_EVAL_METHOD == 0, "double operations must be evaluated in double (on x86: SSE2, not x87)");
