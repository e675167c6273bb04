#include "rankcert/rigor/interval.hpp"

#include "rankcert/rigor/error.hpp"
#include "rigor/double_bits.hpp"
#include "rigor/product_corners.hpp"
#include "rigor/trusted.hpp"  // refuses unsafe compiler flags

// Ends are compared by less() and less_equal(), on their bits: a machine that takes subnormal numbers for
// zero would otherwise choose wrong ends.

namespace rankcert {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_negative(double x) noexcept { return less(x, 0.0); }
bool is_positive(double x) noexcept { return less(0.0, x); }
bool is_zero(double x) noexcept { return detail::bits_are_zero(x); }
double smaller(double a, double b) noexcept { return less(b, a) ? b : a; }
double larger(double a, double b) noexcept { return less(a, b) ? b : a; }
double negated(double x) noexcept {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ detail::kSignBit);
}
double size(double x) noexcept {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~detail::kSignBit);
}

Interval make(double lower, double upper) noexcept { return Interval(lower, upper, true); }

/// The products at interval ends, where 0·∞ = 0: the infinity stands for finite members without bound.
double end_down(double x, double y) noexcept { return is_zero(x) || is_zero(y) ? 0.0 : mul_down(x, y); }
double end_up(double x, double y) noexcept { return is_zero(x) || is_zero(y) ? 0.0 : mul_up(x, y); }
double end_fma_down(double x, double y, double z) noexcept {
    return is_zero(x) || is_zero(y) ? z : fma_down(x, y, z);
}
double end_fma_up(double x, double y, double z) noexcept {
    return is_zero(x) || is_zero(y) ? z : fma_up(x, y, z);
}

using detail::Signs;
Signs signs_of(const Interval& x) noexcept {
    if (!is_negative(x.lower())) return Signs::nonnegative;
    return is_positive(x.upper()) ? Signs::mixed : Signs::nonpositive;
}

using Corners = detail::Corners<double>;
Corners product_corners(const Interval& a, const Interval& b) noexcept {
    return detail::product_corners(signs_of(a), a.lower(), a.upper(), signs_of(b), b.lower(), b.upper());
}

bool both_mixed(const Interval& a, const Interval& b) noexcept {
    return signs_of(a) == Signs::mixed && signs_of(b) == Signs::mixed;
}

/// A finite or infinite double rounded to an integer in a direction.
enum class Whole { floor, ceil, trunc, nearest_even, nearest_away };
double whole(double x, Whole rule) noexcept {
    if (!detail::bits_are_finite(x)) return x;
    const detail::DoubleParts parts = detail::take_apart(x);
    if (parts.mantissa == 0 || parts.exponent >= 0) return x;
    const int drop = -parts.exponent;  // 1 … 1074
    const std::uint64_t kept = drop < 64 ? parts.mantissa >> drop : 0;
    const std::uint64_t rest = drop < 64 ? parts.mantissa - (kept << drop) : parts.mantissa;
    const bool representable_half = drop <= 53;  // else rest < 2^53 ≤ 2^(drop−1), below one half
    const std::uint64_t half = representable_half ? std::uint64_t{1} << (drop - 1) : 0;
    bool away = false;
    switch (rule) {
        case Whole::floor:
            away = rest != 0 && parts.negative;
            break;
        case Whole::ceil:
            away = rest != 0 && !parts.negative;
            break;
        case Whole::trunc:
            break;
        case Whole::nearest_even:
            away = representable_half && (rest > half || (rest == half && (kept & 1) != 0));
            break;
        case Whole::nearest_away:
            away = representable_half && rest >= half;
            break;
    }
    return detail::put_together(parts.negative, away ? kept + 1 : kept, 0);
}

Interval whole_ends(const Interval& x, Whole rule) noexcept {
    if (is_empty(x)) return empty_interval();
    return make(whole(x.lower(), rule), whole(x.upper(), rule));
}

}  // namespace

Interval make_interval(double lower, double upper) {
    if (IntervalChecking::is_empty(lower, upper))
        throw Error(
            "An interval's lower end must be a number that is not above its upper end, and it must have a "
            "member.");
    return make(lower, upper);
}

Interval enclose(const Rational& value) { return make(lower_double(value), upper_double(value)); }
Interval enclose(const Rational& lower, const Rational& upper) {
    if (lower > upper) throw Error("An interval's lower end must not be above its upper end.");
    return make(lower_double(lower), upper_double(upper));
}
Interval entire_interval() noexcept { return make(-kInfinity, kInfinity); }
Interval empty_interval() noexcept { return make(kNaN, kNaN); }

bool is_empty(const Interval& x) noexcept { return IntervalChecking::is_empty(x.lower(), x.upper()); }
bool is_entire(const Interval& x) noexcept {
    return equal(x.lower(), -kInfinity) && equal(x.upper(), kInfinity);
}
bool is_bounded(const Interval& x) noexcept {
    return !is_empty(x) && detail::bits_are_finite(x.lower()) && detail::bits_are_finite(x.upper());
}
bool is_point(const Interval& x) noexcept { return is_bounded(x) && equal(x.lower(), x.upper()); }
bool contains(const Interval& x, double value) noexcept {
    return detail::bits_are_finite(value) && !is_empty(x) && less_equal(x.lower(), value) &&
           less_equal(value, x.upper());
}
bool contains(const Interval& x, const Rational& value) {
    if (is_empty(x)) return false;
    const bool above = !detail::bits_are_finite(x.lower()) || to_rational(x.lower()) <= value;
    return above && (!detail::bits_are_finite(x.upper()) || value <= to_rational(x.upper()));
}

bool subset(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a)) return true;
    return !is_empty(b) && less_equal(b.lower(), a.lower()) && less_equal(a.upper(), b.upper());
}
bool interior(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a)) return true;
    if (is_empty(b)) return false;
    const bool below = less(b.lower(), a.lower()) || equal(b.lower(), -kInfinity);
    return below && (less(a.upper(), b.upper()) || equal(b.upper(), kInfinity));
}
bool disjoint(const Interval& a, const Interval& b) noexcept {
    return is_empty(a) || is_empty(b) || less(a.upper(), b.lower()) || less(b.upper(), a.lower());
}
bool equal(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a) || is_empty(b)) return is_empty(a) && is_empty(b);
    return equal(a.lower(), b.lower()) && equal(a.upper(), b.upper());
}

bool precedes(const Interval& a, const Interval& b) noexcept {
    return is_empty(a) || is_empty(b) || less_equal(a.upper(), b.lower());
}
bool strictly_precedes(const Interval& a, const Interval& b) noexcept {
    return is_empty(a) || is_empty(b) || less(a.upper(), b.lower());
}
bool weakly_less(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a) || is_empty(b)) return is_empty(a) && is_empty(b);
    return less_equal(a.lower(), b.lower()) && less_equal(a.upper(), b.upper());
}
bool strictly_less(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a) || is_empty(b)) return is_empty(a) && is_empty(b);
    const bool lower =
        less(a.lower(), b.lower()) || (equal(a.lower(), -kInfinity) && equal(b.lower(), -kInfinity));
    return lower &&
           (less(a.upper(), b.upper()) || (equal(a.upper(), kInfinity) && equal(b.upper(), kInfinity)));
}
bool certainly_less(const Interval& a, const Interval& b) noexcept {
    return !is_empty(a) && !is_empty(b) && less(a.upper(), b.lower());
}
bool certainly_less_equal(const Interval& a, const Interval& b) noexcept {
    return !is_empty(a) && !is_empty(b) && less_equal(a.upper(), b.lower());
}

double midpoint(const Interval& x) noexcept {
    if (is_empty(x)) return kNaN;
    if (is_entire(x)) return 0.0;
    if (!detail::bits_are_finite(x.lower())) return -kMax;
    if (!detail::bits_are_finite(x.upper())) return kMax;
    return midpoint_nearest(x.lower(), x.upper());
}
double radius(const Interval& x) noexcept {
    if (is_empty(x)) return kNaN;
    const double middle = midpoint(x);
    return larger(sub_up(middle, x.lower()), sub_up(x.upper(), middle));
}
double width(const Interval& x) noexcept { return is_empty(x) ? kNaN : sub_up(x.upper(), x.lower()); }
double magnitude(const Interval& x) noexcept {
    return is_empty(x) ? kNaN : larger(size(x.lower()), size(x.upper()));
}
double mignitude(const Interval& x) noexcept {
    if (is_empty(x)) return kNaN;
    return signs_of(x) == Signs::mixed ? 0.0 : smaller(size(x.lower()), size(x.upper()));
}

Interval hull(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a)) return is_empty(b) ? empty_interval() : b;
    if (is_empty(b)) return a;
    return make(smaller(a.lower(), b.lower()), larger(a.upper(), b.upper()));
}
Interval intersection(const Interval& a, const Interval& b) noexcept {
    if (disjoint(a, b)) return empty_interval();
    return make(larger(a.lower(), b.lower()), smaller(a.upper(), b.upper()));
}

Interval operator-(const Interval& x) noexcept {
    if (is_empty(x)) return empty_interval();
    return make(negated(x.upper()), negated(x.lower()));
}
// A lower end is never +∞ and an upper end never −∞, so that no ∞ − ∞ arises at an end.
Interval operator+(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a) || is_empty(b)) return empty_interval();
    return make(add_down(a.lower(), b.lower()), add_up(a.upper(), b.upper()));
}
Interval operator-(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a) || is_empty(b)) return empty_interval();
    return make(sub_down(a.lower(), b.upper()), sub_up(a.upper(), b.lower()));
}

Interval operator*(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a) || is_empty(b)) return empty_interval();
    if (both_mixed(a, b)) {
        return make(smaller(mul_down(a.lower(), b.upper()), mul_down(a.upper(), b.lower())),
                    larger(mul_up(a.lower(), b.lower()), mul_up(a.upper(), b.upper())));
    }
    const Corners corners = product_corners(a, b);
    return make(end_down(corners.low_a, corners.low_b), end_up(corners.high_a, corners.high_b));
}

Interval fma(const Interval& a, const Interval& b, const Interval& c) noexcept {
    if (is_empty(a) || is_empty(b) || is_empty(c)) return empty_interval();
    const double low = c.lower();
    const double high = c.upper();
    if (both_mixed(a, b)) {
        return make(smaller(fma_down(a.lower(), b.upper(), low), fma_down(a.upper(), b.lower(), low)),
                    larger(fma_up(a.lower(), b.lower(), high), fma_up(a.upper(), b.upper(), high)));
    }
    const Corners corners = product_corners(a, b);
    return make(end_fma_down(corners.low_a, corners.low_b, low),
                end_fma_up(corners.high_a, corners.high_b, high));
}

Interval operator/(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a) || is_empty(b)) return empty_interval();
    if (is_negative(b.lower()) && !is_positive(b.upper())) return (-a) / (-b);
    if (!is_positive(b.upper())) return empty_interval();  // [0, 0]
    if (is_zero(a.lower()) && is_zero(a.upper())) return make(0.0, 0.0);
    if (is_negative(b.lower())) return entire_interval();
    // 0 ≤ b, not [0, 0]. A numerator below 0 is farthest from 0 over the least divisor, and without bound
    // where that is 0; one above 0 is nearest to 0 over the greatest divisor. (No ∞/∞ arises: see operator+.)
    double lower = -kInfinity;
    double upper = kInfinity;
    if (!is_negative(a.lower())) {
        lower = div_down(a.lower(), b.upper());
    } else if (!is_zero(b.lower())) {
        lower = div_down(a.lower(), b.lower());
    }
    if (!is_positive(a.upper())) {
        upper = div_up(a.upper(), b.upper());
    } else if (!is_zero(b.lower())) {
        upper = div_up(a.upper(), b.lower());
    }
    return make(lower, upper);
}

Interval recip(const Interval& x) noexcept { return make(1.0, 1.0) / x; }

Interval sqr(const Interval& x) noexcept {
    if (is_empty(x)) return empty_interval();
    const double low = mignitude(x);
    const double high = magnitude(x);
    return make(mul_down(low, low), mul_up(high, high));
}

Interval sqrt(const Interval& x) noexcept {
    if (is_empty(x) || is_negative(x.upper())) return empty_interval();
    return make(is_positive(x.lower()) ? sqrt_down(x.lower()) : 0.0,
                is_zero(x.upper()) ? 0.0 : sqrt_up(x.upper()));
}

Interval abs(const Interval& x) noexcept {
    if (is_empty(x)) return empty_interval();
    return make(mignitude(x), magnitude(x));
}
Interval min(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a) || is_empty(b)) return empty_interval();
    return make(smaller(a.lower(), b.lower()), smaller(a.upper(), b.upper()));
}
Interval max(const Interval& a, const Interval& b) noexcept {
    if (is_empty(a) || is_empty(b)) return empty_interval();
    return make(larger(a.lower(), b.lower()), larger(a.upper(), b.upper()));
}

Interval sign(const Interval& x) noexcept {
    if (is_empty(x)) return empty_interval();
    const auto of = [](double end) { return is_negative(end) ? -1.0 : is_positive(end) ? 1.0 : 0.0; };
    return make(of(x.lower()), of(x.upper()));
}
Interval floor(const Interval& x) noexcept { return whole_ends(x, Whole::floor); }
Interval ceil(const Interval& x) noexcept { return whole_ends(x, Whole::ceil); }
Interval trunc(const Interval& x) noexcept { return whole_ends(x, Whole::trunc); }
Interval round_ties_to_even(const Interval& x) noexcept { return whole_ends(x, Whole::nearest_even); }
Interval round_ties_to_away(const Interval& x) noexcept { return whole_ends(x, Whole::nearest_away); }

}  // namespace rankcert
