#pragma once
/// \file mp_interval.hpp  Intervals with MPFR end points at a chosen precision.
///
/// An MpInterval is a closed connected set of real numbers: [lower, upper] with lower ≤ upper, possibly
/// unbounded (−∞ or +∞ as an end that is not a member), or empty. Every operation returns an interval that
/// contains the exact value for every choice of members (of the natural domain) of its operands. Every end
/// point is the exact one, rounded outward to the precision of the result by MPFR's correctly rounded
/// functions (MPFR 4.2 manual, section 4.4: RNDD and RNDU are guaranteed, at overflow and underflow too); so
/// the results are the tightest ones at that precision, apart from `pow` with a rational exponent and a few
/// others, where it is said.
///
/// Nothing depends on the floating-point environment, on the locale or on MPFR's default precision and
/// rounding. Different objects may be used by different threads at the same time.
///
/// Two forms: operators and functions that return a new interval whose precision is the largest of the
/// operands', and `…_into(result, …)`, which round to the precision that `result` already has, allocate
/// nothing in the steady state, and allow `result` to be one of the operands.

#include <mpfr.h>

#include <string>
#include <string_view>

#include "rankcert/rigor/rational.hpp"

namespace rankcert {

/// One MPFR number that frees itself. It converts to MPFR's own pointer types; it is not an interval.
class MpFloat {
  public:
    explicit MpFloat(mpfr_prec_t bits) { mpfr_init2(value_, bits); }
    MpFloat(const MpFloat& other) : MpFloat(mpfr_get_prec(other.value_)) {
        mpfr_set(value_, other.value_, MPFR_RNDN);  // exact: the same precision
    }
    MpFloat(MpFloat&& other) noexcept {
        value_[0] = other.value_[0];
        other.value_[0]._mpfr_d = nullptr;
    }
    MpFloat& operator=(MpFloat other) noexcept {
        const auto mine = value_[0];
        value_[0] = other.value_[0];
        other.value_[0] = mine;
        return *this;
    }
    ~MpFloat() {
        if (value_[0]._mpfr_d != nullptr) mpfr_clear(value_);
    }

    operator mpfr_ptr() noexcept { return value_; }           // NOLINT: made to be passed to mpfr_*
    operator mpfr_srcptr() const noexcept { return value_; }  // NOLINT

  private:
    mpfr_t value_;
};

class MpInterval {
  public:
    /// The point 0 at this precision (1 ≤ bits ≤ 10⁸, else Error).
    explicit MpInterval(unsigned bits);
    /// Tightest enclosures of one real number. A NaN or an infinity is an Error.
    MpInterval(double value, unsigned bits);
    MpInterval(const Rational& value, unsigned bits);
    MpInterval(const Integer& mantissa, long exponent, unsigned bits);  ///< mantissa · 2^exponent
    MpInterval(std::string_view text, unsigned bits);                   ///< a text that parse_rational reads
    /// The tightest enclosure of [lower, upper]; Error if lower > upper or one is NaN. ∓infinity are allowed
    /// as ends.
    [[nodiscard]] static MpInterval hull_of(double lower, double upper, unsigned bits);
    [[nodiscard]] static MpInterval hull_of(const Rational& lower, const Rational& upper, unsigned bits);
    [[nodiscard]] static MpInterval entire(unsigned bits);
    [[nodiscard]] static MpInterval empty(unsigned bits);

    /// The same, in place; the precision stays.
    void set(double value);
    void set(const Rational& value);
    void set(const Integer& mantissa, long exponent);
    void set(const MpInterval& other);  ///< rounds outward to the precision of this
    void set_entire();
    void set_empty();

    [[nodiscard]] unsigned precision() const noexcept { return static_cast<unsigned>(mpfr_get_prec(lower_)); }
    [[nodiscard]] MpInterval with_precision(unsigned bits) const;

    [[nodiscard]] bool is_empty() const noexcept { return mpfr_nan_p(lower_) != 0; }
    [[nodiscard]] bool is_bounded() const noexcept;  ///< not empty, and both ends are finite
    [[nodiscard]] bool is_point() const noexcept;

    /// The ends, exactly. Error where the end is infinite, where the interval is empty, and where the number
    /// would take more than 2²⁶ bits to write out (such as e^(−10⁸)): use the doubles or the comparisons
    /// then.
    [[nodiscard]] Rational lower() const;
    [[nodiscard]] Rational upper() const;
    /// The greatest double ≤ lower and the least double ≥ upper. (+∞, −∞) for the empty interval.
    [[nodiscard]] double lower_double() const;
    [[nodiscard]] double upper_double() const;
    /// The ends as MPFR numbers (NaN for the empty interval).
    [[nodiscard]] mpfr_srcptr lower_mpfr() const noexcept { return lower_; }
    [[nodiscard]] mpfr_srcptr upper_mpfr() const noexcept { return upper_; }
    /// For code that computes an end by itself, rounding lower down and upper up; it must keep lower ≤ upper.
    [[nodiscard]] mpfr_ptr mutable_lower() noexcept { return lower_; }
    [[nodiscard]] mpfr_ptr mutable_upper() noexcept { return upper_; }

    [[nodiscard]] bool contains(const Rational& value) const;
    [[nodiscard]] bool contains(double value) const;  ///< false for NaN and infinities
    [[nodiscard]] bool contains(
        const MpInterval& other) const;  ///< as a set; every set contains the empty one
    [[nodiscard]] bool overlaps(const MpInterval& other) const;  ///< a common member exists

  private:
    MpFloat lower_;
    MpFloat upper_;
};

// Certain comparisons: true only if it holds for all pairs of members. An empty operand gives false.
[[nodiscard]] bool certainly_less(const MpInterval& a, const MpInterval& b);
[[nodiscard]] bool certainly_less_equal(const MpInterval& a, const MpInterval& b);
[[nodiscard]] bool certainly_less(const MpInterval& a, const Rational& b);
[[nodiscard]] bool certainly_less_equal(const MpInterval& a, const Rational& b);
[[nodiscard]] bool certainly_less(const Rational& a, const MpInterval& b);
[[nodiscard]] bool certainly_less_equal(const Rational& a, const MpInterval& b);

// Arithmetic. Division by an interval that contains 0 gives the hull of all quotients by its other members
// (empty for the divisor [0, 0]); 0·∞ is 0, since the infinities are not members.
void neg_into(MpInterval& result, const MpInterval& x);
void abs_into(MpInterval& result, const MpInterval& x);
void add_into(MpInterval& result, const MpInterval& a, const MpInterval& b);
void sub_into(MpInterval& result, const MpInterval& a, const MpInterval& b);
void mul_into(MpInterval& result, const MpInterval& a, const MpInterval& b);
void div_into(MpInterval& result, const MpInterval& a, const MpInterval& b);
void fma_into(MpInterval& result, const MpInterval& a, const MpInterval& b,
              const MpInterval& c);                                       ///< a·b + c
void scale_into(MpInterval& result, const MpInterval& x, long exponent);  ///< x · 2^exponent
void sqr_into(MpInterval& result, const MpInterval& x);
void sqrt_into(MpInterval& result, const MpInterval& x);
void min_into(MpInterval& result, const MpInterval& a, const MpInterval& b);
void max_into(MpInterval& result, const MpInterval& a, const MpInterval& b);
void hull_into(MpInterval& result, const MpInterval& a, const MpInterval& b);
void intersection_into(MpInterval& result, const MpInterval& a, const MpInterval& b);

[[nodiscard]] MpInterval operator-(const MpInterval& x);
[[nodiscard]] MpInterval operator+(const MpInterval& a, const MpInterval& b);
[[nodiscard]] MpInterval operator-(const MpInterval& a, const MpInterval& b);
[[nodiscard]] MpInterval operator*(const MpInterval& a, const MpInterval& b);
[[nodiscard]] MpInterval operator/(const MpInterval& a, const MpInterval& b);
[[nodiscard]] MpInterval abs(const MpInterval& x);
[[nodiscard]] MpInterval scale(const MpInterval& x, long exponent);
[[nodiscard]] MpInterval sqr(const MpInterval& x);
[[nodiscard]] MpInterval sqrt(const MpInterval& x);
[[nodiscard]] MpInterval min(const MpInterval& a, const MpInterval& b);
[[nodiscard]] MpInterval max(const MpInterval& a, const MpInterval& b);
[[nodiscard]] MpInterval hull(const MpInterval& a, const MpInterval& b);
[[nodiscard]] MpInterval intersection(const MpInterval& a, const MpInterval& b);

// Elementary functions, over the part of x in the domain (log of [−1, 1] is log of (0, 1]; log of [−1, 0] is
// empty).
void exp_into(MpInterval& result, const MpInterval& x);
void exp2_into(MpInterval& result, const MpInterval& x);
void exp10_into(MpInterval& result, const MpInterval& x);
void expm1_into(MpInterval& result, const MpInterval& x);
void log_into(MpInterval& result, const MpInterval& x);
void log2_into(MpInterval& result, const MpInterval& x);
void log10_into(MpInterval& result, const MpInterval& x);
void log1p_into(MpInterval& result, const MpInterval& x);
void tanh_into(MpInterval& result, const MpInterval& x);
void sinh_into(MpInterval& result, const MpInterval& x);
void cosh_into(MpInterval& result, const MpInterval& x);
void asinh_into(MpInterval& result, const MpInterval& x);
void acosh_into(MpInterval& result, const MpInterval& x);
void atanh_into(MpInterval& result, const MpInterval& x);
void sin_into(MpInterval& result, const MpInterval& x);
void cos_into(MpInterval& result, const MpInterval& x);
void tan_into(MpInterval& result, const MpInterval& x);  ///< entire if x contains a pole
void asin_into(MpInterval& result, const MpInterval& x);
void acos_into(MpInterval& result, const MpInterval& x);
void atan_into(MpInterval& result, const MpInterval& x);
/// The angle of (x, y) in (−π, π]; the hull where the box meets the cut.
void atan2_into(MpInterval& result, const MpInterval& y, const MpInterval& x);
/// x^exponent; x ≠ 0 where the exponent is negative, x⁰ = 1.
void pow_into(MpInterval& result, const MpInterval& x, long exponent);
/// x^exponent over x ≥ 0 (x > 0 where exponent ≤ 0): e^(exponent·log x), with 0^exponent = 0 for exponent >
/// 0. One unit of the last place from the tightest at worst, where the exponent is not a number of the
/// precision.
void pow_into(MpInterval& result, const MpInterval& x, const Rational& exponent);
/// base^exponent over base > 0, and base = 0 where exponent > 0 (IEEE 1788's pow).
void pow_into(MpInterval& result, const MpInterval& base, const MpInterval& exponent);

[[nodiscard]] MpInterval exp(const MpInterval& x);
[[nodiscard]] MpInterval exp2(const MpInterval& x);
[[nodiscard]] MpInterval exp10(const MpInterval& x);
[[nodiscard]] MpInterval expm1(const MpInterval& x);
[[nodiscard]] MpInterval log(const MpInterval& x);
[[nodiscard]] MpInterval log2(const MpInterval& x);
[[nodiscard]] MpInterval log10(const MpInterval& x);
[[nodiscard]] MpInterval log1p(const MpInterval& x);
[[nodiscard]] MpInterval tanh(const MpInterval& x);
[[nodiscard]] MpInterval sinh(const MpInterval& x);
[[nodiscard]] MpInterval cosh(const MpInterval& x);
[[nodiscard]] MpInterval asinh(const MpInterval& x);
[[nodiscard]] MpInterval acosh(const MpInterval& x);
[[nodiscard]] MpInterval atanh(const MpInterval& x);
[[nodiscard]] MpInterval sin(const MpInterval& x);
[[nodiscard]] MpInterval cos(const MpInterval& x);
[[nodiscard]] MpInterval tan(const MpInterval& x);
[[nodiscard]] MpInterval asin(const MpInterval& x);
[[nodiscard]] MpInterval acos(const MpInterval& x);
[[nodiscard]] MpInterval atan(const MpInterval& x);
[[nodiscard]] MpInterval atan2(const MpInterval& y, const MpInterval& x);
[[nodiscard]] MpInterval pow(const MpInterval& x, long exponent);
[[nodiscard]] MpInterval pow(const MpInterval& x, const Rational& exponent);
[[nodiscard]] MpInterval pow(const MpInterval& base, const MpInterval& exponent);

/// "[a, b]" with ends of `digits` significant decimals rounded outward, "[empty]", "[entire]".
[[nodiscard]] std::string to_string(const MpInterval& x, int digits = 17);

}  // namespace rankcert
