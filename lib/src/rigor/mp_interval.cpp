#include "rankcert/rigor/mp_interval.hpp"

#include <algorithm>

#include "rankcert/rigor/error.hpp"
#include "rigor/mpfr_double.hpp"
#include "rigor/trusted.hpp"  // refuses unsafe compiler flags

namespace rankcert {
namespace {

mpfr_prec_t checked_precision(unsigned bits) {
    if (bits < 1 || bits > 100000000)
        throw Error("A precision of " + std::to_string(bits) +
                    " bits cannot be had; ask for 1 to 100000000 bits.");
    return static_cast<mpfr_prec_t>(bits);
}

Rational exact_value(mpfr_srcptr end) {
    if (!mpfr_number_p(end))
        throw Error("An end of an unbounded or empty interval has no exact value; test is_bounded() first.");
    if (mpfr_zero_p(end)) return Rational(0);
    constexpr mpfr_exp_t kLimit = mpfr_exp_t{1} << 26;
    const mpfr_exp_t size = mpfr_get_exp(end);
    if (size > kLimit || size < -kLimit)
        throw Error(
            "An interval's end is too large or too small to be written out as a fraction; compare it as it "
            "is.");
    Integer mantissa;
    const mpfr_exp_t exponent = mpfr_get_z_2exp(mantissa.backend().data(), end);
    return to_rational(mantissa, static_cast<long>(exponent));
}

}  // namespace

MpInterval::MpInterval(unsigned bits) : lower_(checked_precision(bits)), upper_(checked_precision(bits)) {
    mpfr_set_zero(lower_, 1);
    mpfr_set_zero(upper_, 1);
}
MpInterval::MpInterval(double value, unsigned bits) : MpInterval(bits) { set(value); }
MpInterval::MpInterval(const Rational& value, unsigned bits) : MpInterval(bits) { set(value); }
MpInterval::MpInterval(const Integer& mantissa, long exponent, unsigned bits) : MpInterval(bits) {
    set(mantissa, exponent);
}
MpInterval::MpInterval(std::string_view text, unsigned bits) : MpInterval(bits) { set(parse_rational(text)); }

MpInterval MpInterval::hull_of(double lower, double upper, unsigned bits) {
    MpInterval result(bits);
    const bool nan = detail::bits_are_nan(lower) || detail::bits_are_nan(upper);
    if (!nan) {
        detail::set_from_double(result.lower_, lower, MPFR_RNDD);
        detail::set_from_double(result.upper_, upper, MPFR_RNDU);
        MpFloat exact_lower(53);
        MpFloat exact_upper(53);
        detail::set_from_double(exact_lower, lower, MPFR_RNDN);
        detail::set_from_double(exact_upper, upper, MPFR_RNDN);
        const bool infinite_point = mpfr_inf_p(exact_lower) && mpfr_equal_p(exact_lower, exact_upper);
        if (mpfr_lessequal_p(exact_lower, exact_upper) && !infinite_point) return result;
    }
    throw Error(
        "An interval's lower end must be a number that is not above its upper end, and it must have a "
        "member.");
}

MpInterval MpInterval::hull_of(const Rational& lower, const Rational& upper, unsigned bits) {
    if (lower > upper) throw Error("An interval's lower end must not be above its upper end.");
    MpInterval result(bits);
    mpfr_set_q(result.lower_, lower.backend().data(), MPFR_RNDD);
    mpfr_set_q(result.upper_, upper.backend().data(), MPFR_RNDU);
    return result;
}

MpInterval MpInterval::entire(unsigned bits) {
    MpInterval result(bits);
    result.set_entire();
    return result;
}

MpInterval MpInterval::empty(unsigned bits) {
    MpInterval result(bits);
    result.set_empty();
    return result;
}

void MpInterval::set(double value) {
    if (!detail::bits_are_finite(value))
        throw Error("A NaN or an infinity is no member of an interval; a finite number is needed.");
    detail::set_from_double(lower_, value, MPFR_RNDD);
    detail::set_from_double(upper_, value, MPFR_RNDU);
}

void MpInterval::set(const Rational& value) {
    mpfr_set_q(lower_, value.backend().data(), MPFR_RNDD);
    mpfr_set_q(upper_, value.backend().data(), MPFR_RNDU);
}

void MpInterval::set(const Integer& mantissa, long exponent) {
    mpfr_set_z_2exp(lower_, mantissa.backend().data(), exponent, MPFR_RNDD);
    mpfr_set_z_2exp(upper_, mantissa.backend().data(), exponent, MPFR_RNDU);
}

void MpInterval::set(const MpInterval& other) {
    mpfr_set(lower_, other.lower_, MPFR_RNDD);
    mpfr_set(upper_, other.upper_, MPFR_RNDU);
}

void MpInterval::set_entire() {
    mpfr_set_inf(lower_, -1);
    mpfr_set_inf(upper_, 1);
}

void MpInterval::set_empty() {
    mpfr_set_nan(lower_);
    mpfr_set_nan(upper_);
}

MpInterval MpInterval::with_precision(unsigned bits) const {
    MpInterval result(bits);
    result.set(*this);
    return result;
}

bool MpInterval::is_bounded() const noexcept { return mpfr_number_p(lower_) && mpfr_number_p(upper_); }
bool MpInterval::is_point() const noexcept { return is_bounded() && mpfr_equal_p(lower_, upper_); }

Rational MpInterval::lower() const { return exact_value(lower_); }
Rational MpInterval::upper() const { return exact_value(upper_); }

double MpInterval::lower_double() const {
    if (is_empty()) return std::numeric_limits<double>::infinity();
    return detail::get_double(lower_, MPFR_RNDD);
}
double MpInterval::upper_double() const {
    if (is_empty()) return -std::numeric_limits<double>::infinity();
    return detail::get_double(upper_, MPFR_RNDU);
}

// mpfr_cmp_q is exact. It is called on numbers only: it has no answer for NaN.
bool MpInterval::contains(const Rational& value) const {
    if (is_empty()) return false;
    return mpfr_cmp_q(lower_, value.backend().data()) <= 0 && mpfr_cmp_q(upper_, value.backend().data()) >= 0;
}

bool MpInterval::contains(double value) const {
    return detail::bits_are_finite(value) && contains(to_rational(value));
}

bool MpInterval::contains(const MpInterval& other) const {
    if (other.is_empty()) return true;
    return mpfr_lessequal_p(lower_, other.lower_) && mpfr_greaterequal_p(upper_, other.upper_);
}

bool MpInterval::overlaps(const MpInterval& other) const {
    return mpfr_lessequal_p(lower_, other.upper_) && mpfr_lessequal_p(other.lower_, upper_);
}

// The mpfr_…_p comparisons are false on NaN.
bool certainly_less(const MpInterval& a, const MpInterval& b) {
    return mpfr_less_p(a.upper_mpfr(), b.lower_mpfr());
}
bool certainly_less_equal(const MpInterval& a, const MpInterval& b) {
    return mpfr_lessequal_p(a.upper_mpfr(), b.lower_mpfr());
}
bool certainly_less(const MpInterval& a, const Rational& b) {
    return !a.is_empty() && mpfr_cmp_q(a.upper_mpfr(), b.backend().data()) < 0;
}
bool certainly_less_equal(const MpInterval& a, const Rational& b) {
    return !a.is_empty() && mpfr_cmp_q(a.upper_mpfr(), b.backend().data()) <= 0;
}
bool certainly_less(const Rational& a, const MpInterval& b) {
    return !b.is_empty() && mpfr_cmp_q(b.lower_mpfr(), a.backend().data()) > 0;
}
bool certainly_less_equal(const Rational& a, const MpInterval& b) {
    return !b.is_empty() && mpfr_cmp_q(b.lower_mpfr(), a.backend().data()) >= 0;
}

namespace {

std::string decimal_end(mpfr_srcptr end, int digits, mpfr_rnd_t rounding) {
    if (mpfr_inf_p(end)) return mpfr_sgn(end) < 0 ? "-inf" : "inf";
    if (mpfr_zero_p(end)) return "0";
    // mpfr_get_str needs at least two digits for some bases only; one is right in base ten (MPFR 4).
    mpfr_exp_t exponent = 0;
    char* raw = mpfr_get_str(nullptr, &exponent, 10, static_cast<std::size_t>(digits), end, rounding);
    std::string text = raw;
    mpfr_free_str(raw);
    std::string sign;
    if (text.front() == '-') {
        sign = "-";
        text.erase(0, 1);
    }
    text.resize(text.find_last_not_of('0') + 1);
    if (text.size() > 1) text.insert(1, 1, '.');
    return sign + text + "e" + std::to_string(exponent - 1);
}

}  // namespace

std::string to_string(const MpInterval& x, int digits) {
    if (digits < 1) throw Error("A decimal needs at least one digit; ask for one or more.");
    if (x.is_empty()) return "[empty]";
    if (mpfr_inf_p(x.lower_mpfr()) && mpfr_inf_p(x.upper_mpfr())) return "[entire]";
    std::string text = "[";
    text.append(decimal_end(x.lower_mpfr(), digits, MPFR_RNDD)).append(", ");
    return text.append(decimal_end(x.upper_mpfr(), digits, MPFR_RNDU)).append("]");
}

}  // namespace rankcert
