#include "rankcert/rigor/elementary.hpp"

#include "rankcert/rigor/floating_point_guard.hpp"
#include "rankcert/rigor/mp_interval.hpp"
#include "rigor/mpfr_double.hpp"
#include "rigor/trusted.hpp"  // refuses unsafe compiler flags

// A double has 53 bits, so an Interval is an MpInterval of 53 bits exactly; the result at 53 bits is rounded
// outward once more, in the same direction, where doubles have fewer bits (subnormal numbers) or end, which
// is rounding once.

namespace rankcert {
namespace {

void assign(MpInterval& target, const Interval& x) {
    if (is_empty(x)) return target.set_empty();
    detail::set_from_double(target.mutable_lower(), x.lower(), MPFR_RNDD);
    detail::set_from_double(target.mutable_upper(), x.upper(), MPFR_RNDU);
}

/// operation(result, operands…), with numbers that the thread keeps.
template <typename Operation, typename... Operands>
Interval by_mpfr(Operation operation, const Operands&... operands) {
    const FloatingPointGuard guard;  // MPFR estimates some sizes in doubles
    thread_local MpInterval result(53);
    operation(result, operands...);
    return Interval(result.lower_double(), result.upper_double(), true);
}

const MpInterval& first_operand(const Interval& x) {
    thread_local MpInterval operand(53);
    assign(operand, x);
    return operand;
}
const MpInterval& second_operand(const Interval& x) {
    thread_local MpInterval operand(53);
    assign(operand, x);
    return operand;
}

}  // namespace

Interval exp(const Interval& x) { return by_mpfr(exp_into, first_operand(x)); }
Interval exp2(const Interval& x) { return by_mpfr(exp2_into, first_operand(x)); }
Interval exp10(const Interval& x) { return by_mpfr(exp10_into, first_operand(x)); }
Interval expm1(const Interval& x) { return by_mpfr(expm1_into, first_operand(x)); }
Interval log(const Interval& x) { return by_mpfr(log_into, first_operand(x)); }
Interval log2(const Interval& x) { return by_mpfr(log2_into, first_operand(x)); }
Interval log10(const Interval& x) { return by_mpfr(log10_into, first_operand(x)); }
Interval log1p(const Interval& x) { return by_mpfr(log1p_into, first_operand(x)); }
Interval tanh(const Interval& x) { return by_mpfr(tanh_into, first_operand(x)); }
Interval sinh(const Interval& x) { return by_mpfr(sinh_into, first_operand(x)); }
Interval cosh(const Interval& x) { return by_mpfr(cosh_into, first_operand(x)); }
Interval asinh(const Interval& x) { return by_mpfr(asinh_into, first_operand(x)); }
Interval acosh(const Interval& x) { return by_mpfr(acosh_into, first_operand(x)); }
Interval atanh(const Interval& x) { return by_mpfr(atanh_into, first_operand(x)); }
Interval sin(const Interval& x) { return by_mpfr(sin_into, first_operand(x)); }
Interval cos(const Interval& x) { return by_mpfr(cos_into, first_operand(x)); }
Interval tan(const Interval& x) { return by_mpfr(tan_into, first_operand(x)); }
Interval asin(const Interval& x) { return by_mpfr(asin_into, first_operand(x)); }
Interval acos(const Interval& x) { return by_mpfr(acos_into, first_operand(x)); }
Interval atan(const Interval& x) { return by_mpfr(atan_into, first_operand(x)); }
Interval atan2(const Interval& y, const Interval& x) {
    return by_mpfr(atan2_into, first_operand(y), second_operand(x));
}

Interval pown(const Interval& x, long exponent) {
    using Pown = void (*)(MpInterval&, const MpInterval&, long);
    return by_mpfr(Pown{pow_into}, first_operand(x), exponent);
}
Interval pow(const Interval& x, const Rational& exponent) {
    using Pow = void (*)(MpInterval&, const MpInterval&, const Rational&);
    return by_mpfr(Pow{pow_into}, first_operand(x), exponent);
}
Interval pow(const Interval& x, const Interval& exponent) {
    using Pow = void (*)(MpInterval&, const MpInterval&, const MpInterval&);
    return by_mpfr(Pow{pow_into}, first_operand(x), second_operand(exponent));
}

}  // namespace rankcert
