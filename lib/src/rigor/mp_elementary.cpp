#include <algorithm>

#include "rankcert/rigor/mp_interval.hpp"
#include "rigor/mp_scratch.hpp"
#include "rigor/trusted.hpp"  // refuses unsafe compiler flags

// The argument for every function here: it is monotone on the pieces that the code names, MPFR gives the
// exact value at an end rounded down for a lower end and up for an upper one, and an end outside the domain
// is replaced by the limit at the domain's edge.

namespace rankcert {
namespace {

using UnaryFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/// An increasing function on the whole line. (Ends are independent, so result may be x; NaN stays NaN.)
void increasing_into(MpInterval& result, const MpInterval& x, UnaryFunction f) {
    f(result.mutable_lower(), x.lower_mpfr(), MPFR_RNDD);
    f(result.mutable_upper(), x.upper_mpfr(), MPFR_RNDU);
}

/// An increasing function on (edge, ∞) with the limit −∞ at the edge.
void increasing_above_into(MpInterval& result, const MpInterval& x, long edge, UnaryFunction f) {
    if (x.is_empty() || mpfr_cmp_si(x.upper_mpfr(), edge) <= 0) return result.set_empty();
    if (mpfr_cmp_si(x.lower_mpfr(), edge) <= 0) {
        mpfr_set_inf(result.mutable_lower(), -1);
    } else {
        f(result.mutable_lower(), x.lower_mpfr(), MPFR_RNDD);
    }
    f(result.mutable_upper(), x.upper_mpfr(), MPFR_RNDU);
}

/// ±π/denominator (or a multiple of it by a power of two) as an end.
void set_pi(mpfr_ptr end, bool negative, long exponent, mpfr_rnd_t rounding) {
    if (negative) {
        mpfr_const_pi(end, rounding == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD);
        mpfr_neg(end, end, MPFR_RNDN);  // exact
    } else {
        mpfr_const_pi(end, rounding);
    }
    mpfr_mul_2si(end, end, exponent, rounding);
}

constexpr mpfr_exp_t kLargestTrigExponent = 1 << 20;

bool trig_argument_is_usable(mpfr_srcptr x) {
    return mpfr_number_p(x) && (mpfr_zero_p(x) || mpfr_get_exp(x) <= kLargestTrigExponent);
}

/// ⌊x/π − offset⌋, offset = 0 or 1/2, for x ≠ 0 or offset ≠ 0: then x/π − offset is irrational or −1/2, so
/// that enclosing it ever more closely decides the floor.
Integer floor_half_turns(mpfr_srcptr x, bool half_offset) {
    if (mpfr_zero_p(x)) return Integer(-1);
    const bool negative = mpfr_sgn(x) < 0;
    mpfr_prec_t bits = std::max<mpfr_prec_t>(mpfr_get_exp(x), 0) + mpfr_get_prec(x) + 32;
    for (;; bits *= 2) {
        MpFloat pi(bits);
        MpFloat quotient(bits);
        Integer floors[2];
        for (const mpfr_rnd_t rounding : {MPFR_RNDD, MPFR_RNDU}) {
            // |x|/π is smallest over the largest π; for a negative x the smallest quotient has the largest
            // size.
            const bool small_pi = (rounding == MPFR_RNDU) != negative;
            mpfr_const_pi(pi, small_pi ? MPFR_RNDD : MPFR_RNDU);
            mpfr_div(quotient, x, pi, rounding);
            if (half_offset) {
                MpFloat half(2);
                mpfr_set_d(half, 0.5, MPFR_RNDN);
                mpfr_sub(quotient, quotient, half, rounding);
            }
            Integer& floor = floors[rounding == MPFR_RNDU ? 1 : 0];
            mpfr_get_z(floor.backend().data(), quotient, MPFR_RNDD);
        }
        if (floors[0] == floors[1]) return floors[0];
    }
}

bool is_even(const Integer& n) { return mpz_even_p(n.backend().data()) != 0; }

/// The integers n with x.lower ≤ (n + offset)·π ≤ x.upper: from first to last, none if first > last.
struct TurnRange {
    Integer first, last;
};

TurnRange turns_in(const MpInterval& x, bool half_offset) {
    const auto whole_zero = [&](mpfr_srcptr end) { return mpfr_zero_p(end) && !half_offset; };
    TurnRange range;
    range.first =
        whole_zero(x.lower_mpfr()) ? Integer(0) : Integer(floor_half_turns(x.lower_mpfr(), half_offset) + 1);
    range.last = whole_zero(x.upper_mpfr()) ? Integer(0) : floor_half_turns(x.upper_mpfr(), half_offset);
    return range;
}

/// sin (half_offset) or cos: the extrema are (−1)^n at (n + offset)·π, and the function increases towards
/// those with n even.
void wave_into(MpInterval& result, const MpInterval& x, UnaryFunction f, bool half_offset) {
    if (x.is_empty()) return result.set_empty();
    bool top = true;
    bool bottom = true;
    bool increasing = false;
    if (trig_argument_is_usable(x.lower_mpfr()) && trig_argument_is_usable(x.upper_mpfr())) {
        const TurnRange turns = turns_in(x, half_offset);
        const bool any = turns.first <= turns.last;
        const bool both = turns.first < turns.last;
        const bool first_even = is_even(turns.first);
        top = any && (both || first_even);
        bottom = any && (both || !first_even);
        increasing = first_even;
    }
    detail::MpScratch scratch(result);
    const mpfr_ptr low = scratch.lower();
    const mpfr_ptr high = scratch.upper();
    if (bottom) {
        mpfr_set_si(low, -1, MPFR_RNDD);
    } else if (top) {  // one maximum inside: the least value is at an end
        f(low, x.lower_mpfr(), MPFR_RNDD);
        const mpfr_ptr other = scratch.spare();
        f(other, x.upper_mpfr(), MPFR_RNDD);
        mpfr_min(low, low, other, MPFR_RNDD);
    } else {
        f(low, increasing ? x.lower_mpfr() : x.upper_mpfr(), MPFR_RNDD);
    }
    if (top) {
        mpfr_set_si(high, 1, MPFR_RNDU);
    } else if (bottom) {
        f(high, x.lower_mpfr(), MPFR_RNDU);
        const mpfr_ptr other = scratch.spare();
        f(other, x.upper_mpfr(), MPFR_RNDU);
        mpfr_max(high, high, other, MPFR_RNDU);
    } else {
        f(high, increasing ? x.upper_mpfr() : x.lower_mpfr(), MPFR_RNDU);
    }
    scratch.give();
}

/// The angle of a point of the closed upper half-plane other than 0, rounded. (Zero ends may carry a minus
/// sign, which atan2 would take for the lower half-plane.)
void upper_half_angle(mpfr_ptr result, mpfr_srcptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
    if (mpfr_zero_p(y)) {
        if (mpfr_sgn(x) > 0) {
            mpfr_set_zero(result, 1);
        } else {
            mpfr_const_pi(result, rounding);
        }
    } else {
        mpfr_atan2(result, y, x, rounding);
    }
}

}  // namespace

void exp_into(MpInterval& result, const MpInterval& x) { increasing_into(result, x, mpfr_exp); }
void exp2_into(MpInterval& result, const MpInterval& x) { increasing_into(result, x, mpfr_exp2); }
void exp10_into(MpInterval& result, const MpInterval& x) { increasing_into(result, x, mpfr_exp10); }
void expm1_into(MpInterval& result, const MpInterval& x) { increasing_into(result, x, mpfr_expm1); }
void log_into(MpInterval& result, const MpInterval& x) { increasing_above_into(result, x, 0, mpfr_log); }
void log2_into(MpInterval& result, const MpInterval& x) { increasing_above_into(result, x, 0, mpfr_log2); }
void log10_into(MpInterval& result, const MpInterval& x) { increasing_above_into(result, x, 0, mpfr_log10); }
void log1p_into(MpInterval& result, const MpInterval& x) { increasing_above_into(result, x, -1, mpfr_log1p); }
void tanh_into(MpInterval& result, const MpInterval& x) { increasing_into(result, x, mpfr_tanh); }
void sinh_into(MpInterval& result, const MpInterval& x) { increasing_into(result, x, mpfr_sinh); }
void asinh_into(MpInterval& result, const MpInterval& x) { increasing_into(result, x, mpfr_asinh); }
void atan_into(MpInterval& result, const MpInterval& x) { increasing_into(result, x, mpfr_atan); }

void cosh_into(MpInterval& result, const MpInterval& x) {
    if (x.is_empty()) return result.set_empty();
    detail::MpScratch scratch(result);
    const bool lower_is_larger = mpfr_cmpabs(x.lower_mpfr(), x.upper_mpfr()) > 0;
    if (mpfr_sgn(x.lower_mpfr()) < 0 && mpfr_sgn(x.upper_mpfr()) > 0) {
        mpfr_set_ui(scratch.lower(), 1, MPFR_RNDD);
    } else {
        mpfr_cosh(scratch.lower(), lower_is_larger ? x.upper_mpfr() : x.lower_mpfr(), MPFR_RNDD);
    }
    mpfr_cosh(scratch.upper(), lower_is_larger ? x.lower_mpfr() : x.upper_mpfr(), MPFR_RNDU);
    scratch.give();
}

void acosh_into(MpInterval& result, const MpInterval& x) {
    if (x.is_empty() || mpfr_cmp_si(x.upper_mpfr(), 1) < 0) return result.set_empty();
    if (mpfr_cmp_si(x.lower_mpfr(), 1) <= 0) {
        mpfr_set_zero(result.mutable_lower(), 1);
    } else {
        mpfr_acosh(result.mutable_lower(), x.lower_mpfr(), MPFR_RNDD);
    }
    mpfr_acosh(result.mutable_upper(), x.upper_mpfr(), MPFR_RNDU);
}

void atanh_into(MpInterval& result, const MpInterval& x) {
    if (x.is_empty() || mpfr_cmp_si(x.upper_mpfr(), -1) <= 0 || mpfr_cmp_si(x.lower_mpfr(), 1) >= 0)
        return result.set_empty();
    if (mpfr_cmp_si(x.lower_mpfr(), -1) <= 0) {
        mpfr_set_inf(result.mutable_lower(), -1);
    } else {
        mpfr_atanh(result.mutable_lower(), x.lower_mpfr(), MPFR_RNDD);
    }
    if (mpfr_cmp_si(x.upper_mpfr(), 1) >= 0) {
        mpfr_set_inf(result.mutable_upper(), 1);
    } else {
        mpfr_atanh(result.mutable_upper(), x.upper_mpfr(), MPFR_RNDU);
    }
}

void sin_into(MpInterval& result, const MpInterval& x) { wave_into(result, x, mpfr_sin, true); }
void cos_into(MpInterval& result, const MpInterval& x) { wave_into(result, x, mpfr_cos, false); }

void tan_into(MpInterval& result, const MpInterval& x) {
    if (x.is_empty()) return result.set_empty();
    if (!trig_argument_is_usable(x.lower_mpfr()) || !trig_argument_is_usable(x.upper_mpfr()))
        return result.set_entire();
    const TurnRange poles = turns_in(x, true);
    if (poles.first <= poles.last) return result.set_entire();
    increasing_into(result, x, mpfr_tan);
}

void asin_into(MpInterval& result, const MpInterval& x) {
    if (x.is_empty() || mpfr_cmp_si(x.upper_mpfr(), -1) < 0 || mpfr_cmp_si(x.lower_mpfr(), 1) > 0)
        return result.set_empty();
    if (mpfr_cmp_si(x.lower_mpfr(), -1) <= 0) {
        set_pi(result.mutable_lower(), true, -1, MPFR_RNDD);
    } else {
        mpfr_asin(result.mutable_lower(), x.lower_mpfr(), MPFR_RNDD);
    }
    if (mpfr_cmp_si(x.upper_mpfr(), 1) >= 0) {
        set_pi(result.mutable_upper(), false, -1, MPFR_RNDU);
    } else {
        mpfr_asin(result.mutable_upper(), x.upper_mpfr(), MPFR_RNDU);
    }
}

void acos_into(MpInterval& result, const MpInterval& x) {  // decreasing
    if (x.is_empty() || mpfr_cmp_si(x.upper_mpfr(), -1) < 0 || mpfr_cmp_si(x.lower_mpfr(), 1) > 0)
        return result.set_empty();
    detail::MpScratch scratch(result);
    if (mpfr_cmp_si(x.upper_mpfr(), 1) >= 0) {
        mpfr_set_zero(scratch.lower(), 1);
    } else {
        mpfr_acos(scratch.lower(), x.upper_mpfr(), MPFR_RNDD);
    }
    if (mpfr_cmp_si(x.lower_mpfr(), -1) <= 0) {
        set_pi(scratch.upper(), false, 0, MPFR_RNDU);
    } else {
        mpfr_acos(scratch.upper(), x.lower_mpfr(), MPFR_RNDU);
    }
    scratch.give();
}

void atan2_into(MpInterval& result, const MpInterval& y, const MpInterval& x) {
    if (x.is_empty() || y.is_empty()) return result.set_empty();
    const int xl = mpfr_sgn(x.lower_mpfr());
    const int xu = mpfr_sgn(x.upper_mpfr());
    const int yl = mpfr_sgn(y.lower_mpfr());
    const int yu = mpfr_sgn(y.upper_mpfr());
    if (xl == 0 && xu == 0 && yl == 0 && yu == 0) return result.set_empty();
    if (xl < 0 && yl < 0 && yu >= 0) {  // the box meets the cut from below, and the cut itself
        set_pi(result.mutable_lower(), true, 0, MPFR_RNDD);
        set_pi(result.mutable_upper(), false, 0, MPFR_RNDU);
        return;
    }
    if (yl < 0 && yu > 0) {  // x ≥ 0: the ends are those of the two quadrants
        detail::MpScratch scratch(result);
        mpfr_atan2(scratch.lower(), y.lower_mpfr(), x.lower_mpfr(), MPFR_RNDD);
        mpfr_atan2(scratch.upper(), y.upper_mpfr(), x.lower_mpfr(), MPFR_RNDU);
        return scratch.give();
    }
    if (yl < 0) {  // y ≤ 0: the mirror image
        const MpInterval mirrored = -y;
        atan2_into(result, mirrored, x);
        return neg_into(result, result);
    }
    // y ≥ 0. The angle falls with x; it rises with y where x ≥ 0 and falls where x ≤ 0.
    detail::MpScratch scratch(result);
    if (yu == 0) {  // on the axis, 0 right of the origin and π left of it
        upper_half_angle(scratch.lower(), y.lower_mpfr(), xu > 0 ? x.upper_mpfr() : x.lower_mpfr(),
                         MPFR_RNDD);
        upper_half_angle(scratch.upper(), y.lower_mpfr(), xl < 0 ? x.lower_mpfr() : x.upper_mpfr(),
                         MPFR_RNDU);
    } else {
        upper_half_angle(scratch.lower(), xu > 0 ? y.lower_mpfr() : y.upper_mpfr(), x.upper_mpfr(),
                         MPFR_RNDD);
        upper_half_angle(scratch.upper(), xl < 0 ? y.lower_mpfr() : y.upper_mpfr(), x.lower_mpfr(),
                         MPFR_RNDU);
    }
    scratch.give();
}

namespace {

template <typename Operation, typename... Operands>
MpInterval made_at(unsigned bits, Operation operation, const Operands&... operands) {
    MpInterval result(bits);
    operation(result, operands...);
    return result;
}

}  // namespace

MpInterval exp(const MpInterval& x) { return made_at(x.precision(), exp_into, x); }
MpInterval exp2(const MpInterval& x) { return made_at(x.precision(), exp2_into, x); }
MpInterval exp10(const MpInterval& x) { return made_at(x.precision(), exp10_into, x); }
MpInterval expm1(const MpInterval& x) { return made_at(x.precision(), expm1_into, x); }
MpInterval log(const MpInterval& x) { return made_at(x.precision(), log_into, x); }
MpInterval log2(const MpInterval& x) { return made_at(x.precision(), log2_into, x); }
MpInterval log10(const MpInterval& x) { return made_at(x.precision(), log10_into, x); }
MpInterval log1p(const MpInterval& x) { return made_at(x.precision(), log1p_into, x); }
MpInterval tanh(const MpInterval& x) { return made_at(x.precision(), tanh_into, x); }
MpInterval sinh(const MpInterval& x) { return made_at(x.precision(), sinh_into, x); }
MpInterval cosh(const MpInterval& x) { return made_at(x.precision(), cosh_into, x); }
MpInterval asinh(const MpInterval& x) { return made_at(x.precision(), asinh_into, x); }
MpInterval acosh(const MpInterval& x) { return made_at(x.precision(), acosh_into, x); }
MpInterval atanh(const MpInterval& x) { return made_at(x.precision(), atanh_into, x); }
MpInterval sin(const MpInterval& x) { return made_at(x.precision(), sin_into, x); }
MpInterval cos(const MpInterval& x) { return made_at(x.precision(), cos_into, x); }
MpInterval tan(const MpInterval& x) { return made_at(x.precision(), tan_into, x); }
MpInterval asin(const MpInterval& x) { return made_at(x.precision(), asin_into, x); }
MpInterval acos(const MpInterval& x) { return made_at(x.precision(), acos_into, x); }
MpInterval atan(const MpInterval& x) { return made_at(x.precision(), atan_into, x); }
MpInterval atan2(const MpInterval& y, const MpInterval& x) {
    return made_at(std::max(y.precision(), x.precision()), atan2_into, y, x);
}

}  // namespace rankcert
