#include "rigor/trusted.hpp"
//
#include <stdexcept>

#include "attention/mp_float.hpp"

namespace rankcert::attention_detail {

Rational to_short_rational(const MpFloat& value, long least_exponent, bool upward) {
    if (mpfr_zero_p(value) != 0) return 0;
    if (mpfr_regular_p(value) == 0 || mpfr_signbit(value) != 0) {
        throw std::logic_error(
            "an error bound is not a non-negative number");  // a fault of ours: exit code 4
    }
    // 2^(e−1) ≤ value < 2^e
    if (mpfr_get_exp(value) - 1 < least_exponent)
        return upward ? to_rational(Integer(1), least_exponent) : Rational(0);
    Integer mantissa;
    const mpfr_exp_t exponent = mpfr_get_z_2exp(mantissa.backend().data(), value);
    return to_rational(mantissa, exponent);
}

}  // namespace rankcert::attention_detail
