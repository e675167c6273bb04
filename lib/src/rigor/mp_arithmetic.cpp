#include <algorithm>

#include "rankcert/rigor/mp_interval.hpp"
#include "rigor/mp_scratch.hpp"
#include "rigor/product_corners.hpp"
#include "rigor/trusted.hpp"  // refuses unsafe compiler flags

namespace rankcert {
namespace {

unsigned joint_precision(const MpInterval& a, const MpInterval& b) {
    return std::max(a.precision(), b.precision());
}

using detail::Signs;

Signs signs_of(const MpInterval& x) {
    const int low = mpfr_sgn(x.lower_mpfr());
    const int high = mpfr_sgn(x.upper_mpfr());
    if (low >= 0) return high == 0 ? Signs::zero : Signs::nonnegative;
    return high <= 0 ? Signs::nonpositive : Signs::mixed;
}

/// result = x·y, rounded, where 0·∞ = 0 (an infinite end stands for the finite members before it).
void multiply_end(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding) {
    if (mpfr_zero_p(x) || mpfr_zero_p(y)) {
        mpfr_set_zero(result, 1);
    } else {
        mpfr_mul(result, x, y, rounding);
    }
}

void fma_end(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr z, mpfr_rnd_t rounding) {
    if (mpfr_zero_p(x) || mpfr_zero_p(y)) {
        mpfr_set(result, z, rounding);
    } else {
        mpfr_fma(result, x, y, z, rounding);
    }
}

using Corners = detail::Corners<mpfr_srcptr>;
/// For operands that are not both mixed and not zero.
Corners product_corners(const MpInterval& a, const MpInterval& b) {
    return detail::product_corners<mpfr_srcptr>(signs_of(a), a.lower_mpfr(), a.upper_mpfr(), signs_of(b),
                                                b.lower_mpfr(), b.upper_mpfr());
}

}  // namespace

void neg_into(MpInterval& result, const MpInterval& x) {
    detail::MpScratch scratch(result);
    mpfr_neg(scratch.lower(), x.upper_mpfr(), MPFR_RNDD);
    mpfr_neg(scratch.upper(), x.lower_mpfr(), MPFR_RNDU);
    scratch.give();
}

void abs_into(MpInterval& result, const MpInterval& x) {
    if (x.is_empty()) return result.set_empty();
    switch (signs_of(x)) {
        case Signs::zero:
        case Signs::nonnegative:
            return result.set(x);
        case Signs::nonpositive:
            return neg_into(result, x);
        case Signs::mixed:
            break;
    }
    detail::MpScratch scratch(result);
    mpfr_set_zero(scratch.lower(), 1);
    mpfr_abs(scratch.upper(),
             mpfr_cmpabs(x.lower_mpfr(), x.upper_mpfr()) > 0 ? x.lower_mpfr() : x.upper_mpfr(), MPFR_RNDU);
    scratch.give();
}

// A NaN end (an empty operand) makes both ends NaN here; opposite infinities do not meet, since no lower end
// is +∞.
void add_into(MpInterval& result, const MpInterval& a, const MpInterval& b) {
    mpfr_add(result.mutable_lower(), a.lower_mpfr(), b.lower_mpfr(), MPFR_RNDD);
    mpfr_add(result.mutable_upper(), a.upper_mpfr(), b.upper_mpfr(), MPFR_RNDU);
}

void sub_into(MpInterval& result, const MpInterval& a, const MpInterval& b) {
    detail::MpScratch scratch(result);
    mpfr_sub(scratch.lower(), a.lower_mpfr(), b.upper_mpfr(), MPFR_RNDD);
    mpfr_sub(scratch.upper(), a.upper_mpfr(), b.lower_mpfr(), MPFR_RNDU);
    scratch.give();
}

void mul_into(MpInterval& result, const MpInterval& a, const MpInterval& b) {
    if (a.is_empty() || b.is_empty()) return result.set_empty();
    const Signs sa = signs_of(a);
    const Signs sb = signs_of(b);
    detail::MpScratch scratch(result);
    if (sa == Signs::zero || sb == Signs::zero) {
        mpfr_set_zero(scratch.lower(), 1);
        mpfr_set_zero(scratch.upper(), 1);
    } else if (sa == Signs::mixed && sb == Signs::mixed) {
        // No end is zero here.
        const mpfr_ptr other = scratch.spare();
        mpfr_mul(scratch.lower(), a.lower_mpfr(), b.upper_mpfr(), MPFR_RNDD);
        mpfr_mul(other, a.upper_mpfr(), b.lower_mpfr(), MPFR_RNDD);
        mpfr_min(scratch.lower(), scratch.lower(), other, MPFR_RNDD);
        mpfr_mul(scratch.upper(), a.lower_mpfr(), b.lower_mpfr(), MPFR_RNDU);
        mpfr_mul(other, a.upper_mpfr(), b.upper_mpfr(), MPFR_RNDU);
        mpfr_max(scratch.upper(), scratch.upper(), other, MPFR_RNDU);
    } else {
        const Corners corners = product_corners(a, b);
        multiply_end(scratch.lower(), corners.low_a, corners.low_b, MPFR_RNDD);
        multiply_end(scratch.upper(), corners.high_a, corners.high_b, MPFR_RNDU);
    }
    scratch.give();
}

void fma_into(MpInterval& result, const MpInterval& a, const MpInterval& b, const MpInterval& c) {
    if (a.is_empty() || b.is_empty() || c.is_empty()) return result.set_empty();
    const Signs sa = signs_of(a);
    const Signs sb = signs_of(b);
    if (sa == Signs::zero || sb == Signs::zero) return result.set(c);
    detail::MpScratch scratch(result);
    if (sa == Signs::mixed && sb == Signs::mixed) {
        const mpfr_ptr other = scratch.spare();
        mpfr_fma(scratch.lower(), a.lower_mpfr(), b.upper_mpfr(), c.lower_mpfr(), MPFR_RNDD);
        mpfr_fma(other, a.upper_mpfr(), b.lower_mpfr(), c.lower_mpfr(), MPFR_RNDD);
        mpfr_min(scratch.lower(), scratch.lower(), other, MPFR_RNDD);
        mpfr_fma(scratch.upper(), a.lower_mpfr(), b.lower_mpfr(), c.upper_mpfr(), MPFR_RNDU);
        mpfr_fma(other, a.upper_mpfr(), b.upper_mpfr(), c.upper_mpfr(), MPFR_RNDU);
        mpfr_max(scratch.upper(), scratch.upper(), other, MPFR_RNDU);
    } else {
        const Corners corners = product_corners(a, b);
        fma_end(scratch.lower(), corners.low_a, corners.low_b, c.lower_mpfr(), MPFR_RNDD);
        fma_end(scratch.upper(), corners.high_a, corners.high_b, c.upper_mpfr(), MPFR_RNDU);
    }
    scratch.give();
}

void div_into(MpInterval& result, const MpInterval& a, const MpInterval& b) {
    if (a.is_empty() || b.is_empty()) return result.set_empty();
    const Signs sb = signs_of(b);
    const Signs sa = signs_of(a);
    if (sb == Signs::zero) return result.set_empty();
    detail::MpScratch scratch(result);
    const mpfr_ptr low = scratch.lower();
    const mpfr_ptr high = scratch.upper();
    if (sa == Signs::zero) {
        mpfr_set_zero(low, 1);
        mpfr_set_zero(high, 1);
        return scratch.give();
    }
    mpfr_set_inf(low, -1);
    mpfr_set_inf(high, 1);
    if (sb == Signs::mixed) return scratch.give();
    const mpfr_srcptr al = a.lower_mpfr();
    const mpfr_srcptr au = a.upper_mpfr();
    // A divisor ≥ 0; for one ≤ 0 the quotient is that of −a by −b, whose ends change places. Near is the end
    // of b at zero, far the other one. Where near is 0 the quotients are unbounded and the ∞ set above stays.
    const bool positive = sb == Signs::nonnegative;
    const mpfr_srcptr near = positive ? b.lower_mpfr() : b.upper_mpfr();
    const mpfr_srcptr far = positive ? b.upper_mpfr() : b.lower_mpfr();
    const mpfr_srcptr least = positive ? al : au;  // of a·sign(b), up to that sign
    const mpfr_srcptr greatest = positive ? au : al;
    const bool least_below_zero = positive ? sa != Signs::nonnegative : sa != Signs::nonpositive;
    const bool greatest_above_zero = positive ? sa != Signs::nonpositive : sa != Signs::nonnegative;
    // Lower end: a negative numerator is farthest below zero over the near divisor, a positive one least over
    // the far.
    if (!least_below_zero) {
        mpfr_div(low, least, far, MPFR_RNDD);
    } else if (!mpfr_zero_p(near)) {
        mpfr_div(low, least, near, MPFR_RNDD);
    }
    if (!greatest_above_zero) {
        mpfr_div(high, greatest, far, MPFR_RNDU);
    } else if (!mpfr_zero_p(near)) {
        mpfr_div(high, greatest, near, MPFR_RNDU);
    }
    scratch.give();
}

void scale_into(MpInterval& result, const MpInterval& x, long exponent) {
    mpfr_mul_2si(result.mutable_lower(), x.lower_mpfr(), exponent, MPFR_RNDD);
    mpfr_mul_2si(result.mutable_upper(), x.upper_mpfr(), exponent, MPFR_RNDU);
}

void sqr_into(MpInterval& result, const MpInterval& x) {
    if (x.is_empty()) return result.set_empty();
    detail::MpScratch scratch(result);
    const bool lower_is_larger = mpfr_cmpabs(x.lower_mpfr(), x.upper_mpfr()) > 0;
    const mpfr_srcptr larger = lower_is_larger ? x.lower_mpfr() : x.upper_mpfr();
    const mpfr_srcptr smaller = lower_is_larger ? x.upper_mpfr() : x.lower_mpfr();
    if (signs_of(x) == Signs::mixed) {
        mpfr_set_zero(scratch.lower(), 1);
    } else {
        mpfr_sqr(scratch.lower(), smaller, MPFR_RNDD);
    }
    mpfr_sqr(scratch.upper(), larger, MPFR_RNDU);
    scratch.give();
}

void sqrt_into(MpInterval& result, const MpInterval& x) {
    if (x.is_empty() || mpfr_sgn(x.upper_mpfr()) < 0) return result.set_empty();
    if (mpfr_sgn(x.lower_mpfr()) <= 0) {
        mpfr_set_zero(result.mutable_lower(), 1);
    } else {
        mpfr_sqrt(result.mutable_lower(), x.lower_mpfr(), MPFR_RNDD);
    }
    mpfr_sqrt(result.mutable_upper(), x.upper_mpfr(), MPFR_RNDU);
}

// mpfr_min and mpfr_max ignore a NaN, so emptiness is looked at first.
void min_into(MpInterval& result, const MpInterval& a, const MpInterval& b) {
    if (a.is_empty() || b.is_empty()) return result.set_empty();
    mpfr_min(result.mutable_lower(), a.lower_mpfr(), b.lower_mpfr(), MPFR_RNDD);
    mpfr_min(result.mutable_upper(), a.upper_mpfr(), b.upper_mpfr(), MPFR_RNDU);
}

void max_into(MpInterval& result, const MpInterval& a, const MpInterval& b) {
    if (a.is_empty() || b.is_empty()) return result.set_empty();
    mpfr_max(result.mutable_lower(), a.lower_mpfr(), b.lower_mpfr(), MPFR_RNDD);
    mpfr_max(result.mutable_upper(), a.upper_mpfr(), b.upper_mpfr(), MPFR_RNDU);
}

void hull_into(MpInterval& result, const MpInterval& a, const MpInterval& b) {
    if (a.is_empty()) return result.set(b);
    if (b.is_empty()) return result.set(a);
    mpfr_min(result.mutable_lower(), a.lower_mpfr(), b.lower_mpfr(), MPFR_RNDD);
    mpfr_max(result.mutable_upper(), a.upper_mpfr(), b.upper_mpfr(), MPFR_RNDU);
}

void intersection_into(MpInterval& result, const MpInterval& a, const MpInterval& b) {
    if (!a.overlaps(b)) return result.set_empty();
    mpfr_max(result.mutable_lower(), a.lower_mpfr(), b.lower_mpfr(), MPFR_RNDD);
    mpfr_min(result.mutable_upper(), a.upper_mpfr(), b.upper_mpfr(), MPFR_RNDU);
}

namespace {

template <typename Operation>
MpInterval made_by(Operation operation, const MpInterval& x) {
    MpInterval result(x.precision());
    operation(result, x);
    return result;
}

template <typename Operation>
MpInterval made_by(Operation operation, const MpInterval& a, const MpInterval& b) {
    MpInterval result(joint_precision(a, b));
    operation(result, a, b);
    return result;
}

}  // namespace

MpInterval operator-(const MpInterval& x) { return made_by(neg_into, x); }
MpInterval operator+(const MpInterval& a, const MpInterval& b) { return made_by(add_into, a, b); }
MpInterval operator-(const MpInterval& a, const MpInterval& b) { return made_by(sub_into, a, b); }
MpInterval operator*(const MpInterval& a, const MpInterval& b) { return made_by(mul_into, a, b); }
MpInterval operator/(const MpInterval& a, const MpInterval& b) { return made_by(div_into, a, b); }
MpInterval abs(const MpInterval& x) { return made_by(abs_into, x); }
MpInterval sqr(const MpInterval& x) { return made_by(sqr_into, x); }
MpInterval sqrt(const MpInterval& x) { return made_by(sqrt_into, x); }
MpInterval min(const MpInterval& a, const MpInterval& b) { return made_by(min_into, a, b); }
MpInterval max(const MpInterval& a, const MpInterval& b) { return made_by(max_into, a, b); }
MpInterval hull(const MpInterval& a, const MpInterval& b) { return made_by(hull_into, a, b); }
MpInterval intersection(const MpInterval& a, const MpInterval& b) { return made_by(intersection_into, a, b); }
MpInterval scale(const MpInterval& x, long exponent) {
    MpInterval result(x.precision());
    scale_into(result, x, exponent);
    return result;
}

}  // namespace rankcert
