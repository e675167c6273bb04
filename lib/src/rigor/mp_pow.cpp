#include <algorithm>

#include "rankcert/rigor/mp_interval.hpp"
#include "rigor/mp_scratch.hpp"
#include "rigor/trusted.hpp"  // refuses unsafe compiler flags

#if MPFR_VERSION < MPFR_VERSION_NUM(4, 2, 0)
#error "MPFR 4.2 or newer is needed."
#endif

namespace rankcert {
namespace {

/// x^exponent over x > 0 for a fixed exponent ≠ 0, at one end of x, where 0^exponent and ∞^exponent are
/// limits.
class FixedPower {
  public:
    FixedPower(const Rational& exponent, mpfr_prec_t result_bits) : negative_(exponent < 0) {
        const Integer p = numerator(exponent);
        const Integer q = denominator(exponent);
        // Roots of exact powers are correctly rounded; they serve while the exact power stays short.
        use_root_ =
            mpz_cmpabs_ui(p.backend().data(), 1000) <= 0 && mpz_cmp_ui(q.backend().data(), 1000000) <= 0;
        if (use_root_) {
            p_ = mpz_get_ui(p.backend().data());  // the absolute value
            q_ = mpz_get_ui(q.backend().data());
        }
        const mpfr_prec_t bits = std::max<mpfr_prec_t>(result_bits, 64) + 64;
        low_ = MpFloat(bits);
        high_ = MpFloat(bits);
        mpfr_set_q(low_, exponent.backend().data(), MPFR_RNDD);
        mpfr_set_q(high_, exponent.backend().data(), MPFR_RNDU);
    }

    /// Writes a bound of x^exponent (x ≥ 0) on the side of the rounding.
    void operator()(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) const {
        if (mpfr_zero_p(x) || mpfr_inf_p(x)) {
            const bool infinite = (mpfr_inf_p(x) != 0) != negative_;
            infinite ? mpfr_set_inf(result, 1) : mpfr_set_zero(result, 1);
            return;
        }
        if (use_root_ && root(result, x, rounding)) return;
        // x^t rises with t where x > 1 and falls where x < 1.
        const bool rises = mpfr_cmp_ui(x, 1) >= 0;
        const bool want_low = rounding == MPFR_RNDD;
        mpfr_pow(result, x, rises == want_low ? low_ : high_, rounding);
    }

  private:
    /// (x^p)^(1/q) with the power exact; false where the power leaves MPFR's range of exponents.
    bool root(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) const {
        MpFloat power(std::max<mpfr_prec_t>(mpfr_get_prec(x) * static_cast<mpfr_prec_t>(p_), 2));
        if (mpfr_pow_ui(power, x, p_, MPFR_RNDN) != 0 || !mpfr_regular_p(power)) return false;
        if (!negative_) {
            mpfr_rootn_ui(result, power, q_, rounding);
            return true;
        }
        if (q_ == 1) {
            mpfr_ui_div(result, 1, power, rounding);
            return true;
        }
        mpfr_rootn_si(result, power, -static_cast<long>(q_), rounding);
        return true;
    }

    bool negative_;
    bool use_root_ = false;
    unsigned long p_ = 0;
    unsigned long q_ = 1;
    MpFloat low_{2};
    MpFloat high_{2};
};

void set_one(MpInterval& result) {
    mpfr_set_ui(result.mutable_lower(), 1, MPFR_RNDD);
    mpfr_set_ui(result.mutable_upper(), 1, MPFR_RNDU);
}

/// x^exponent, exponent < 0, of one sign of x: decreasing, unbounded at 0.
void reciprocal_branch(MpInterval& result, const MpInterval& x, long exponent) {
    detail::MpScratch scratch(result);
    if (mpfr_zero_p(x.upper_mpfr())) {  // x ≤ 0 touches the pole
        mpfr_set_inf(scratch.lower(), -1);
    } else {
        mpfr_pow_si(scratch.lower(), x.upper_mpfr(), exponent, MPFR_RNDD);
    }
    if (mpfr_zero_p(x.lower_mpfr())) {  // x ≥ 0 touches the pole
        mpfr_set_inf(scratch.upper(), 1);
    } else {
        mpfr_pow_si(scratch.upper(), x.lower_mpfr(), exponent, MPFR_RNDU);
    }
    scratch.give();
}

}  // namespace

void pow_into(MpInterval& result, const MpInterval& x, long exponent) {
    if (x.is_empty()) return result.set_empty();
    if (exponent == 0) return set_one(result);
    const bool odd = exponent % 2 != 0;
    const bool zero = mpfr_zero_p(x.lower_mpfr()) && mpfr_zero_p(x.upper_mpfr());
    if (exponent > 0) {
        if (odd) {
            mpfr_pow_si(result.mutable_lower(), x.lower_mpfr(), exponent, MPFR_RNDD);
            mpfr_pow_si(result.mutable_upper(), x.upper_mpfr(), exponent, MPFR_RNDU);
        } else {
            const MpInterval size = abs(x);
            mpfr_pow_si(result.mutable_lower(), size.lower_mpfr(), exponent, MPFR_RNDD);
            mpfr_pow_si(result.mutable_upper(), size.upper_mpfr(), exponent, MPFR_RNDU);
        }
        return;
    }
    if (zero) return result.set_empty();
    if (!odd) return reciprocal_branch(result, abs(x), exponent);
    if (mpfr_sgn(x.lower_mpfr()) < 0 && mpfr_sgn(x.upper_mpfr()) > 0) return result.set_entire();
    reciprocal_branch(result, x, exponent);
}

void pow_into(MpInterval& result, const MpInterval& x, const Rational& exponent) {
    if (x.is_empty() || mpfr_sgn(x.upper_mpfr()) < 0) return result.set_empty();
    const bool only_zero = mpfr_zero_p(x.upper_mpfr()) != 0;
    if (only_zero && exponent <= 0) return result.set_empty();
    if (exponent == 0) return set_one(result);
    const FixedPower power(exponent, mpfr_get_prec(result.lower_mpfr()));
    MpFloat zero(2);
    mpfr_set_zero(zero, 1);
    const mpfr_srcptr least = mpfr_sgn(x.lower_mpfr()) < 0 ? static_cast<mpfr_srcptr>(zero) : x.lower_mpfr();
    detail::MpScratch scratch(result);
    if (exponent > 0) {
        power(scratch.lower(), least, MPFR_RNDD);
        power(scratch.upper(), x.upper_mpfr(), MPFR_RNDU);
    } else {
        power(scratch.lower(), x.upper_mpfr(), MPFR_RNDD);
        power(scratch.upper(), least, MPFR_RNDU);
    }
    scratch.give();
}

void pow_into(MpInterval& result, const MpInterval& base, const MpInterval& exponent) {
    if (base.is_empty() || exponent.is_empty() || mpfr_sgn(base.upper_mpfr()) < 0) return result.set_empty();
    const mpfr_srcptr b = base.upper_mpfr();
    const mpfr_srcptr c = exponent.lower_mpfr();
    const mpfr_srcptr d = exponent.upper_mpfr();
    if (mpfr_zero_p(b)) {  // the base can only be 0, to a positive power
        if (mpfr_sgn(d) <= 0) return result.set_empty();
        mpfr_set_zero(result.mutable_lower(), 1);
        mpfr_set_zero(result.mutable_upper(), 1);
        return;
    }
    MpFloat zero(2);
    mpfr_set_zero(zero, 1);  // +0, whatever the sign of a zero end
    const mpfr_srcptr a =
        mpfr_sgn(base.lower_mpfr()) <= 0 ? static_cast<mpfr_srcptr>(zero) : base.lower_mpfr();
    // f(x, y) = x^y falls with x where y < 0 and rises where y > 0; it falls with y where x < 1, rises where
    // x > 1. So an extremum is at a corner. Limits for x → 0 and x, y → ±∞ are those of mpfr_pow, 0^0 apart,
    // which is met below only together with c = d = 0, where f = 1.
    const bool a_below_one = mpfr_cmp_ui(a, 1) < 0;
    const bool b_below_one = mpfr_cmp_ui(b, 1) < 0;
    detail::MpScratch scratch(result);
    if (mpfr_sgn(d) <= 0) {
        mpfr_pow(scratch.lower(), b, b_below_one ? d : c, MPFR_RNDD);
        mpfr_pow(scratch.upper(), a, a_below_one ? c : d, MPFR_RNDU);
    } else if (mpfr_sgn(c) >= 0) {
        mpfr_pow(scratch.lower(), a, a_below_one ? d : c, MPFR_RNDD);
        mpfr_pow(scratch.upper(), b, b_below_one ? c : d, MPFR_RNDU);
    } else {
        const mpfr_ptr other = scratch.spare();
        mpfr_pow(scratch.lower(), a, d, MPFR_RNDD);
        mpfr_pow(other, b, c, MPFR_RNDD);
        mpfr_min(scratch.lower(), scratch.lower(), other, MPFR_RNDD);
        mpfr_pow(scratch.upper(), a, c, MPFR_RNDU);
        mpfr_pow(other, b, d, MPFR_RNDU);
        mpfr_max(scratch.upper(), scratch.upper(), other, MPFR_RNDU);
    }
    scratch.give();
}

MpInterval pow(const MpInterval& x, long exponent) {
    MpInterval result(x.precision());
    pow_into(result, x, exponent);
    return result;
}

MpInterval pow(const MpInterval& x, const Rational& exponent) {
    MpInterval result(x.precision());
    pow_into(result, x, exponent);
    return result;
}

MpInterval pow(const MpInterval& base, const MpInterval& exponent) {
    MpInterval result(std::max(base.precision(), exponent.precision()));
    pow_into(result, base, exponent);
    return result;
}

}  // namespace rankcert
