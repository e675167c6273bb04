#include "rigor/trusted.hpp"
//
#include "attention/mpfr_number.hpp"

#include <stdexcept>

namespace rankcert::attention_detail {

Rational to_short_rational(const MpfrNumber& value, long least_exponent, bool upward) {
    if (mpfr_zero_p(value.get()) != 0) return 0;
    if (mpfr_regular_p(value.get()) == 0 || mpfr_signbit(value.get()) != 0) {
        throw std::logic_error("an error bound is not a non-negative number");  // a fault of ours: exit code 4
    }
    // 2^(e−1) ≤ value < 2^e
    if (mpfr_get_exp(value.get()) - 1 < least_exponent) return upward ? to_rational(Integer(1), least_exponent) : Rational(0);
    Integer mantissa;
    const mpfr_exp_t exponent = mpfr_get_z_2exp(mantissa.backend().data(), value.get());
    return to_rational(mantissa, exponent);
}

}  // namespace rankcert::attention_detail
