#pragma once
/// \file interval.hpp  Intervals of real numbers with double end points.
///
/// Interval is boost::numeric::interval<double> with a rounding policy that needs no rounding-mode switch and
/// a checking policy without exceptions. It stands for the set of the real numbers between its ends: an
/// infinite end is no member. Ends that enclose no number (NaN, lower > upper, [∞, ∞]) stand for the empty
/// set.
///
/// Use the operators and the functions of this page. They are found before Boost's templates of the same
/// names, also for compound assignment, and differ from them where those are not the tightest enclosure ([−1,
/// 0]/[0, 1] is [−∞, 0], entire in Boost) or not an enclosure at all (Boost's transcendental functions call
/// libm). Of Boost's class itself use lower(), upper() and the constructors; a constructor makes the empty
/// set of a NaN or of lower > upper, where make_interval refuses.
///
/// Every operation gives the tightest interval of doubles that contains its result for all members of the
/// operands (IEEE 1788 set-based intervals, without decorations). The results do not depend on the rounding
/// mode, on flush-to-zero or denormals-are-zero, or on the flags that a user compiles with, and no operation
/// traps.

#include <boost/numeric/interval/arith.hpp>
#include <boost/numeric/interval/compare/certain.hpp>
#include <boost/numeric/interval/interval.hpp>
#include <boost/numeric/interval/policies.hpp>
#include <concepts>
#include <limits>

#include "rankcert/rigor/directed.hpp"
#include "rankcert/rigor/rational.hpp"

namespace rankcert {

/// Boost's rounding policy: see directed.hpp.
struct DirectedRounding {
    using unprotected_rounding = DirectedRounding;
    static double conv_down(double x) noexcept { return x; }
    static double conv_up(double x) noexcept { return x; }
    static double conv_down(float x) noexcept { return static_cast<double>(x); }
    static double conv_up(float x) noexcept { return static_cast<double>(x); }
    /// Integers beyond 2^53 are rounded, too.
    template <std::integral T>
    static double conv_down(T x) {
        return lower_double(Rational(x));
    }
    template <std::integral T>
    static double conv_up(T x) {
        return upper_double(Rational(x));
    }
    static double conv_down(long double x) = delete;  // it would be rounded to nearest
    static double conv_up(long double x) = delete;
    static double add_down(double x, double y) noexcept { return rankcert::add_down(x, y); }
    static double add_up(double x, double y) noexcept { return rankcert::add_up(x, y); }
    static double sub_down(double x, double y) noexcept { return rankcert::sub_down(x, y); }
    static double sub_up(double x, double y) noexcept { return rankcert::sub_up(x, y); }
    static double mul_down(double x, double y) noexcept { return rankcert::mul_down(x, y); }
    static double mul_up(double x, double y) noexcept { return rankcert::mul_up(x, y); }
    static double div_down(double x, double y) noexcept { return rankcert::div_down(x, y); }
    static double div_up(double x, double y) noexcept { return rankcert::div_up(x, y); }
    static double sqrt_down(double x) noexcept { return rankcert::sqrt_down(x); }
    static double sqrt_up(double x) noexcept { return rankcert::sqrt_up(x); }
    static double median(double x, double y) noexcept { return midpoint_nearest(x, y); }
};

/// Boost's checking policy: an interval without members is stored as [NaN, NaN].
struct IntervalChecking {
    static double pos_inf() noexcept { return std::numeric_limits<double>::infinity(); }
    static double neg_inf() noexcept { return -std::numeric_limits<double>::infinity(); }
    static double nan() noexcept { return std::numeric_limits<double>::quiet_NaN(); }
    static bool is_nan(double x) noexcept { return !rankcert::equal(x, x); }
    static double empty_lower() noexcept { return nan(); }
    static double empty_upper() noexcept { return nan(); }
    static bool is_empty(double lower, double upper) noexcept {
        return !less_equal(lower, upper) || rankcert::equal(lower, pos_inf()) ||
               rankcert::equal(upper, neg_inf());
    }
};

using Interval =
    boost::numeric::interval<double,
                             boost::numeric::interval_lib::policies<DirectedRounding, IntervalChecking>>;

// ---- making ---------------------------------------------------------------------------------------------

/// [lower, upper]; Error if lower > upper, if one is NaN, or if there is no number between them ([∞, ∞]).
[[nodiscard]] Interval make_interval(double lower, double upper);
/// The tightest enclosure of a rational, and of [lower, upper].
[[nodiscard]] Interval enclose(const Rational& value);
[[nodiscard]] Interval enclose(const Rational& lower, const Rational& upper);
[[nodiscard]] Interval entire_interval() noexcept;
[[nodiscard]] Interval empty_interval() noexcept;

// ---- asking ---------------------------------------------------------------------------------------------

[[nodiscard]] bool is_empty(const Interval& x) noexcept;
[[nodiscard]] bool is_entire(const Interval& x) noexcept;
[[nodiscard]] bool is_bounded(const Interval& x) noexcept;  ///< not empty, and both ends are finite
[[nodiscard]] bool is_point(const Interval& x) noexcept;
[[nodiscard]] bool contains(const Interval& x, double value) noexcept;  ///< false for NaN and infinities
[[nodiscard]] bool contains(const Interval& x, const Rational& value);

/// As sets: a ⊆ b; a in the interior of b; no common member; equal.
[[nodiscard]] bool subset(const Interval& a, const Interval& b) noexcept;
[[nodiscard]] bool interior(const Interval& a, const Interval& b) noexcept;
[[nodiscard]] bool disjoint(const Interval& a, const Interval& b) noexcept;
[[nodiscard]] bool equal(const Interval& a, const Interval& b) noexcept;

/// IEEE 1788's order relations, on sets: true of empty operands as "for all" is.
[[nodiscard]] bool precedes(const Interval& a, const Interval& b) noexcept;           ///< a.upper ≤ b.lower
[[nodiscard]] bool strictly_precedes(const Interval& a, const Interval& b) noexcept;  ///< all of a < all of b
[[nodiscard]] bool weakly_less(const Interval& a, const Interval& b) noexcept;        ///< both ends ≤
[[nodiscard]] bool strictly_less(const Interval& a,
                                 const Interval& b) noexcept;  ///< both ends <, or infinite

/// For proofs: every member of a is < (≤) every member of b, and both have members. An empty operand, which
/// stands for an operation that had no result, proves nothing.
[[nodiscard]] bool certainly_less(const Interval& a, const Interval& b) noexcept;
[[nodiscard]] bool certainly_less_equal(const Interval& a, const Interval& b) noexcept;

/// A number near the middle, of bounded intervals rounded to nearest (IEEE 1788: 0 for entire, ∓ the largest
/// double for the half-lines, NaN for empty).
[[nodiscard]] double midpoint(const Interval& x) noexcept;
/// An upper bound of the distance from midpoint(x) to a member: x ⊆ midpoint ± radius. +∞ if unbounded, NaN
/// if empty.
[[nodiscard]] double radius(const Interval& x) noexcept;
/// upper − lower rounded upward, +∞ at overflow and for unbounded intervals, NaN if empty.
[[nodiscard]] double width(const Interval& x) noexcept;
/// The largest and the least absolute value of members (+∞ if unbounded). NaN if empty.
[[nodiscard]] double magnitude(const Interval& x) noexcept;
[[nodiscard]] double mignitude(const Interval& x) noexcept;

// ---- sets -----------------------------------------------------------------------------------------------

[[nodiscard]] Interval hull(const Interval& a, const Interval& b) noexcept;
[[nodiscard]] Interval intersection(const Interval& a, const Interval& b) noexcept;

// ---- arithmetic -----------------------------------------------------------------------------------------
// Division by an interval that contains 0 gives the hull of the quotients by its other members (empty for [0,
// 0]). A double operand is a point; a NaN or infinite one makes the result empty.

[[nodiscard]] Interval operator-(const Interval& x) noexcept;
[[nodiscard]] Interval operator+(const Interval& a, const Interval& b) noexcept;
[[nodiscard]] Interval operator-(const Interval& a, const Interval& b) noexcept;
[[nodiscard]] Interval operator*(const Interval& a, const Interval& b) noexcept;
[[nodiscard]] Interval operator/(const Interval& a, const Interval& b) noexcept;
[[nodiscard]] inline Interval operator+(const Interval& a, double b) noexcept { return a + Interval(b); }
[[nodiscard]] inline Interval operator+(double a, const Interval& b) noexcept { return Interval(a) + b; }
[[nodiscard]] inline Interval operator-(const Interval& a, double b) noexcept { return a - Interval(b); }
[[nodiscard]] inline Interval operator-(double a, const Interval& b) noexcept { return Interval(a) - b; }
[[nodiscard]] inline Interval operator*(const Interval& a, double b) noexcept { return a * Interval(b); }
[[nodiscard]] inline Interval operator*(double a, const Interval& b) noexcept { return Interval(a) * b; }
[[nodiscard]] inline Interval operator/(const Interval& a, double b) noexcept { return a / Interval(b); }
[[nodiscard]] inline Interval operator/(double a, const Interval& b) noexcept { return Interval(a) / b; }

/// A number that is not always a double: it is enclosed first (integers) or does not compile (long double).
template <typename T>
concept WiderNumber = std::integral<T> || std::same_as<T, long double>;
template <WiderNumber T>
[[nodiscard]] Interval operator+(const Interval& a, T b) {
    return a + Interval(b);
}
template <WiderNumber T>
[[nodiscard]] Interval operator+(T a, const Interval& b) {
    return Interval(a) + b;
}
template <WiderNumber T>
[[nodiscard]] Interval operator-(const Interval& a, T b) {
    return a - Interval(b);
}
template <WiderNumber T>
[[nodiscard]] Interval operator-(T a, const Interval& b) {
    return Interval(a) - b;
}
template <WiderNumber T>
[[nodiscard]] Interval operator*(const Interval& a, T b) {
    return a * Interval(b);
}
template <WiderNumber T>
[[nodiscard]] Interval operator*(T a, const Interval& b) {
    return Interval(a) * b;
}
template <WiderNumber T>
[[nodiscard]] Interval operator/(const Interval& a, T b) {
    return a / Interval(b);
}
template <WiderNumber T>
[[nodiscard]] Interval operator/(T a, const Interval& b) {
    return Interval(a) / b;
}

[[nodiscard]] Interval fma(const Interval& a, const Interval& b, const Interval& c) noexcept;  ///< a·b + c
[[nodiscard]] Interval recip(const Interval& x) noexcept;                                      ///< 1/x
[[nodiscard]] Interval sqr(const Interval& x) noexcept;
[[nodiscard]] Interval sqrt(const Interval& x) noexcept;  ///< over the members ≥ 0
[[nodiscard]] Interval abs(const Interval& x) noexcept;
[[nodiscard]] Interval min(const Interval& a, const Interval& b) noexcept;
[[nodiscard]] Interval max(const Interval& a, const Interval& b) noexcept;

/// The hull of the integers (−1, 0 or 1 for sign) that the members go to.
[[nodiscard]] Interval sign(const Interval& x) noexcept;
[[nodiscard]] Interval floor(const Interval& x) noexcept;
[[nodiscard]] Interval ceil(const Interval& x) noexcept;
[[nodiscard]] Interval trunc(const Interval& x) noexcept;
[[nodiscard]] Interval round_ties_to_even(const Interval& x) noexcept;
[[nodiscard]] Interval round_ties_to_away(const Interval& x) noexcept;

}  // namespace rankcert
