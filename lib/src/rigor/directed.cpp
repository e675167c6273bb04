#include "rankcert/rigor/directed.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "rigor/double_bits.hpp"
#include "rigor/trusted.hpp"  // refuses unsafe compiler flags

namespace rankcert {
namespace {

using Wide = unsigned __int128;
using detail::DoubleParts;

enum class Direction { down, up, nearest };

/// ± (mantissa + t) · 2^exponent with t = 0, or, where `more` is set, some 0 < t < 1 that is not kept.
struct Exact {
    bool negative;
    bool more;
    Wide mantissa;
    int exponent;
};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

int bit_width(Wide x) noexcept {
    const auto high = static_cast<std::uint64_t>(x >> 64);
    if (high != 0) return 128 - std::countl_zero(high);
    return 64 - std::countl_zero(static_cast<std::uint64_t>(x));
}

double infinity(bool negative) noexcept { return detail::put_together(negative, 1, 2000); }

/// The double in this direction from the exact value. Precondition: with `more`, mantissa has at least 55
/// bits, or is 0 only where the value is below 2^kMinExponent / 2 (so that what is dropped is never just t).
double round(const Exact& value, Direction direction) noexcept {
    const int width = bit_width(value.mantissa);
    // Drop what does not fit in 53 bits, and what lies below the last place of subnormal numbers.
    const int drop = std::max({width - 53, detail::kMinExponent - value.exponent, 0});
    Wide kept = 0;
    bool inexact = value.more;
    bool above_half = false;
    bool half = false;
    if (drop == 0) {
        kept = value.mantissa;
    } else if (drop >= 128) {
        inexact = inexact || value.mantissa != 0;
    } else {
        kept = value.mantissa >> drop;
        const Wide rest = value.mantissa - (kept << drop);
        const Wide middle = Wide{1} << (drop - 1);
        above_half = rest > middle || (rest == middle && value.more);
        half = rest == middle && !value.more;
        inexact = inexact || rest != 0;
    }
    bool away = false;
    switch (direction) {
        case Direction::down:
            away = inexact && value.negative;
            break;
        case Direction::up:
            away = inexact && !value.negative;
            break;
        case Direction::nearest:
            away = above_half || (half && (kept & 1) != 0);
            break;
    }
    if (away) ++kept;
    // At most 2^53 now: put_together takes that as well.
    const double result =
        detail::put_together(value.negative, static_cast<std::uint64_t>(kept), value.exponent + drop);
    const bool toward_zero = direction == (value.negative ? Direction::up : Direction::down);
    if (toward_zero && !detail::bits_are_finite(result))
        return detail::put_together(value.negative, 2 * detail::kFractionMask + 1, 971);
    return result;
}

Exact exact(const DoubleParts& parts) noexcept {
    return {parts.negative, false, parts.mantissa, parts.exponent};
}

/// The same value with the highest bit of its mantissa (which is not 0) at place 125.
Exact normalised(Exact value) noexcept {
    const int shift = 126 - bit_width(value.mantissa);
    value.mantissa <<= shift;
    value.exponent -= shift;
    return value;
}

/// a + b for exact values (no `more`) of at most 106 bits, not both zero.
///
/// Both mantissas are brought to 126 bits, the smaller addend is shifted to the exponent of the larger. A
/// shift by d loses no bit for d ≤ 20, since the last 20 bits of a normalised 106-bit mantissa are zero; for
/// d ≥ 2 the sum or difference is at least 2^125 − 2^124 = 2^124, and what is lost is less than one unit,
/// kept as `more`. So where bits are lost the mantissa has more than 55 bits.
Exact sum(Exact a, Exact b) noexcept {
    if (a.mantissa == 0) return b;
    if (b.mantissa == 0) return a;
    a = normalised(a);
    b = normalised(b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa)) std::swap(a, b);
    const int shift = a.exponent - b.exponent;
    const Wide aligned = shift < 128 ? b.mantissa >> shift : 0;
    const bool lost = shift < 128 ? (aligned << shift) != b.mantissa : true;
    Exact result{a.negative, lost, 0, a.exponent};
    if (a.negative == b.negative) {
        result.mantissa = a.mantissa + aligned;  // below 2^127
    } else {
        // a − (aligned + t) = (a − aligned − 1) + (1 − t)
        result.mantissa = a.mantissa - aligned - (lost ? 1 : 0);
    }
    return result;
}

Exact product(const DoubleParts& a, const DoubleParts& b) noexcept {
    return {a.negative != b.negative, false, Wide{a.mantissa} * b.mantissa, a.exponent + b.exponent};
}

/// The zero that an exact zero sum of numbers of different signs rounds to (IEEE 754, 6.3).
double zero_sum(Direction direction) noexcept {
    return detail::put_together(direction == Direction::down, 0, 0);
}

double add(double a, double b, Direction direction) noexcept {
    if (!detail::bits_are_finite(a) || !detail::bits_are_finite(b)) {
        if (detail::bits_are_nan(a) || detail::bits_are_nan(b)) return kNaN;
        if (detail::bits_are_finite(a)) return b;
        if (detail::bits_are_finite(b)) return a;
        return detail::bits_are_negative(a) == detail::bits_are_negative(b) ? a : kNaN;
    }
    const Exact result = sum(exact(detail::take_apart(a)), exact(detail::take_apart(b)));
    if (result.mantissa == 0 && !result.more) {
        const bool negative = detail::bits_are_negative(a);
        if (negative == detail::bits_are_negative(b)) return detail::put_together(negative, 0, 0);
        return zero_sum(direction);
    }
    return round(result, direction);
}

double mul(double a, double b, Direction direction) noexcept {
    const bool negative = detail::bits_are_negative(a) != detail::bits_are_negative(b);
    if (!detail::bits_are_finite(a) || !detail::bits_are_finite(b)) {
        if (detail::bits_are_nan(a) || detail::bits_are_nan(b)) return kNaN;
        if (detail::bits_are_zero(a) || detail::bits_are_zero(b)) return kNaN;
        return infinity(negative);
    }
    return round(product(detail::take_apart(a), detail::take_apart(b)), direction);
}

double div(double a, double b, Direction direction) noexcept {
    const bool negative = detail::bits_are_negative(a) != detail::bits_are_negative(b);
    if (detail::bits_are_nan(a) || detail::bits_are_nan(b)) return kNaN;
    const bool infinite_a = !detail::bits_are_finite(a);
    const bool infinite_b = !detail::bits_are_finite(b);
    if (infinite_a) return infinite_b ? kNaN : infinity(negative);
    if (infinite_b) return detail::put_together(negative, 0, 0);
    if (detail::bits_are_zero(b)) return detail::bits_are_zero(a) ? kNaN : infinity(negative);
    if (detail::bits_are_zero(a)) return detail::put_together(negative, 0, 0);
    DoubleParts p = detail::take_apart(a);
    DoubleParts q = detail::take_apart(b);
    const int shift_p = std::countl_zero(p.mantissa) - 11;
    const int shift_q = std::countl_zero(q.mantissa) - 11;
    // Both mantissas in [2^52, 2^53): the quotient of p·2^62 by q is in (2^61, 2^63), enough bits to round.
    const Wide dividend = Wide{p.mantissa << shift_p} << 62;
    const Wide divisor = q.mantissa << shift_q;
    const Wide quotient = dividend / divisor;
    const bool more = quotient * divisor != dividend;
    return round({negative, more, quotient, (p.exponent - shift_p) - 62 - (q.exponent - shift_q)}, direction);
}

double fma(double a, double b, double c, Direction direction) noexcept {
    if (!detail::bits_are_finite(a) || !detail::bits_are_finite(b))
        return add(mul(a, b, direction), c, direction);
    if (!detail::bits_are_finite(c)) return c;
    const Exact ab = product(detail::take_apart(a), detail::take_apart(b));
    const Exact result = sum(ab, exact(detail::take_apart(c)));
    if (result.mantissa == 0 && !result.more) {
        if (ab.negative == detail::bits_are_negative(c)) return detail::put_together(ab.negative, 0, 0);
        return zero_sum(direction);
    }
    return round(result, direction);
}

double root(double a, Direction direction) noexcept {
    if (detail::bits_are_nan(a) || detail::bits_are_zero(a)) return a;
    if (detail::bits_are_negative(a)) return kNaN;
    if (!detail::bits_are_finite(a)) return a;
    const DoubleParts parts = detail::take_apart(a);
    // a = radicand · 2^exponent with an even exponent and 2^104 ≤ radicand < 2^106, so that its root has 53
    // bits.
    int shift = 105 - bit_width(parts.mantissa);
    if ((parts.exponent - shift) % 2 != 0) ++shift;
    const Wide radicand = Wide{parts.mantissa} << shift;
    // An estimate, off by a few units in any rounding mode; the integers decide.
    auto result = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(radicand)));
    while (Wide{result} * result > radicand) --result;
    while (Wide{result + 1} * (result + 1) <= radicand) ++result;
    const bool more = Wide{result} * result != radicand;
    if (more && direction == Direction::up) ++result;
    return detail::put_together(false, result, (parts.exponent - shift) / 2);
}

/// An integer that is ordered like the doubles (−0 and +0 are equal).
std::int64_t order(double a) noexcept {
    const auto magnitude = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(a) & ~detail::kSignBit);
    return detail::bits_are_negative(a) ? -magnitude : magnitude;
}

double negated(double a) noexcept {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) ^ detail::kSignBit);
}

}  // namespace

double add_down(double a, double b) noexcept { return add(a, b, Direction::down); }
double add_up(double a, double b) noexcept { return add(a, b, Direction::up); }
double sub_down(double a, double b) noexcept { return add(a, negated(b), Direction::down); }
double sub_up(double a, double b) noexcept { return add(a, negated(b), Direction::up); }
double mul_down(double a, double b) noexcept { return mul(a, b, Direction::down); }
double mul_up(double a, double b) noexcept { return mul(a, b, Direction::up); }
double div_down(double a, double b) noexcept { return div(a, b, Direction::down); }
double div_up(double a, double b) noexcept { return div(a, b, Direction::up); }
double fma_down(double a, double b, double c) noexcept { return fma(a, b, c, Direction::down); }
double fma_up(double a, double b, double c) noexcept { return fma(a, b, c, Direction::up); }
double sqrt_down(double a) noexcept { return root(a, Direction::down); }
double sqrt_up(double a) noexcept { return root(a, Direction::up); }

double midpoint_nearest(double a, double b) noexcept {
    if (!detail::bits_are_finite(a) || !detail::bits_are_finite(b)) return add(a, b, Direction::nearest);
    Exact result = sum(exact(detail::take_apart(a)), exact(detail::take_apart(b)));
    if (result.mantissa == 0 && !result.more) return 0.0;
    --result.exponent;
    return round(result, Direction::nearest);
}

double next_up(double a) noexcept { return detail::next_up(a); }
double next_down(double a) noexcept { return detail::next_down(a); }

bool less(double a, double b) noexcept {
    return !detail::bits_are_nan(a) && !detail::bits_are_nan(b) && order(a) < order(b);
}
bool less_equal(double a, double b) noexcept {
    return !detail::bits_are_nan(a) && !detail::bits_are_nan(b) && order(a) <= order(b);
}
bool equal(double a, double b) noexcept {
    return !detail::bits_are_nan(a) && !detail::bits_are_nan(b) && order(a) == order(b);
}

}  // namespace rankcert
