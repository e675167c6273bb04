#pragma once
/// \file row_meter.hpp  The errors of one claimed row from enclosures of its exact entries.
///
/// One text for float64 intervals and for MPFR's: RowMeter<Interval> and RowMeter<MpInterval>. All
/// comparisons are of interval ends with numbers that both hold exactly, or of intervals; every step is an
/// interval operation, so what is counted is proved of all exact rows within the enclosures.

#include <cmath>
#include <limits>
#include <vector>

#include "rankcert/audit/errors.hpp"
#include "rankcert/rigor/interval.hpp"

namespace rankcert::audit {

/// An error of one row: 64-bit bounds, or +infinity for certain.
struct Extreme {
    MpInterval value{64};
    bool infinite = false;
    Index column = -1;
};

struct ClaimCount {
    std::uint64_t holds = 0, fails = 0, open = 0;
    Index first_failure = -1;
    void add(bool is_true, bool is_false, Index column) {
        if (is_true) {
            ++holds;
        } else if (is_false) {
            if (fails++ == 0) first_failure = column;
        } else {
            ++open;
        }
    }
};

struct RowErrors {
    RowState state = RowState::defined;
    Extreme max_abs, l1, relative, ulps;
    MpInterval squares{64};
    std::uint64_t entries = 0, not_finite = 0;
    std::uint64_t correct = 0, not_correct = 0, faithful = 0, not_faithful = 0;
    std::vector<ClaimCount> claims;

    [[nodiscard]] bool rounding_open() const {
        return correct + not_correct != entries || faithful + not_faithful != entries;
    }
};

// ---- what the two interval types have in common
// ------------------------------------------------------------

struct Doubles {
    using Number = Interval;
    [[nodiscard]] static Interval make(double low, double high) { return Interval(low, high); }
    [[nodiscard]] static Interval make(const Rational& value) { return enclose(value); }
    [[nodiscard]] static bool above(const Interval& x, double bound) { return x.lower() > bound; }
    [[nodiscard]] static bool at_least(const Interval& x, double bound) { return x.lower() >= bound; }
    [[nodiscard]] static bool below(const Interval& x, double bound) { return x.upper() < bound; }
    [[nodiscard]] static bool at_most(const Interval& x, double bound) { return x.upper() <= bound; }
    /// The larger of both ends, end by end.
    [[nodiscard]] static Interval larger(const Interval& a, const Interval& b) {
        return Interval(std::max(a.lower(), b.lower()), std::max(a.upper(), b.upper()));
    }
    [[nodiscard]] static bool lower_exceeds(const Interval& a, const Interval& b) {
        return a.lower() > b.lower();
    }
    /// The e with 2^e ≤ end < 2^(e+1) for the ends of an interval of numbers ≥ 0; `least` for 0.
    [[nodiscard]] static long lower_exponent(const Interval& x, long least) {
        return exponent(x.lower(), least);
    }
    [[nodiscard]] static long upper_exponent(const Interval& x, long least) {
        return exponent(x.upper(), least);
    }
    static void store(MpInterval& out, const Interval& x) {
        out = MpInterval::hull_of(x.lower(), x.upper(), 64);
    }

  private:
    [[nodiscard]] static long exponent(double x, long least) { return x > 0 ? std::ilogb(x) : least; }
};

struct Mpfr {
    using Number = MpInterval;
    unsigned bits;
    [[nodiscard]] MpInterval make(double low, double high) const {
        return MpInterval::hull_of(low, high, bits);
    }
    [[nodiscard]] MpInterval make(const Rational& value) const { return MpInterval(value, bits); }
    [[nodiscard]] static bool above(const MpInterval& x, double bound) {
        return mpfr_cmp_d(x.lower_mpfr(), bound) > 0;
    }
    [[nodiscard]] static bool at_least(const MpInterval& x, double bound) {
        return mpfr_cmp_d(x.lower_mpfr(), bound) >= 0;
    }
    [[nodiscard]] static bool below(const MpInterval& x, double bound) {
        return mpfr_cmp_d(x.upper_mpfr(), bound) < 0;
    }
    [[nodiscard]] static bool at_most(const MpInterval& x, double bound) {
        return mpfr_cmp_d(x.upper_mpfr(), bound) <= 0;
    }
    [[nodiscard]] static MpInterval larger(const MpInterval& a, const MpInterval& b) { return max(a, b); }
    [[nodiscard]] static bool lower_exceeds(const MpInterval& a, const MpInterval& b) {
        return mpfr_greater_p(a.lower_mpfr(), b.lower_mpfr()) != 0;
    }
    [[nodiscard]] static long lower_exponent(const MpInterval& x, long least) {
        return exponent(x.lower_mpfr(), least);
    }
    [[nodiscard]] static long upper_exponent(const MpInterval& x, long least) {
        return exponent(x.upper_mpfr(), least);
    }
    static void store(MpInterval& out, const MpInterval& x) { out.set(x); }

  private:
    [[nodiscard]] static long exponent(mpfr_srcptr x, long least) {
        return mpfr_regular_p(x) != 0 ? static_cast<long>(mpfr_get_exp(x)) - 1
                                      : (mpfr_inf_p(x) != 0 ? std::numeric_limits<long>::max() / 2 : least);
    }
};

/// The numbers of a format around one of them, c ≥ 0: the next larger one is 2^above away, the next smaller
/// one (or, for 0, its mirror) 2^below.
struct Spacing {
    long above = 0, below = 0;
    bool even = true;      ///< c / 2^above is even
    bool largest = false;  ///< c is the largest finite number
};
[[nodiscard]] Spacing spacing_at(double c, const FormatLimits& format);
/// Whether c is a finite number of the format.
[[nodiscard]] bool is_of_format(double c, const FormatLimits& format);

// ---- the meter --------------------------------------------------------------------------------------------

template <class Arithmetic>
class RowMeter {
  public:
    using Number = typename Arithmetic::Number;

    RowMeter(Arithmetic arithmetic, const FormatLimits& format, const std::vector<Claim>& claims)
        : ar_(arithmetic), format_(format), claims_(&claims), zero_(ar_.make(0, 0)) {
        for (const Claim& claim : claims) {
            first_.push_back(ar_.make(claim.kind == ClaimKind::within
                                          ? claim.first * to_rational(Integer(1), -format.digits)
                                          : claim.first));
            second_.push_back(ar_.make(claim.second));
        }
        start();
    }

    void start() {
        row_ = RowErrors{};
        row_.claims.resize(claims_->size());
        max_abs_ = relative_ = ulps_ = l1_ = squares_ = zero_;
    }

    /// One more entry: the exact t, known to be 0 where `is_zero`; the claimed c; Σ_j A_ij |v_j| where claims
    /// need it.
    void add(Index column, const Number& t, bool is_zero, double c, const Number* magnitude) {
        ++row_.entries;
        if (!std::isfinite(c)) {
            add_not_finite(column);
            return;
        }
        const Number difference = t - ar_.make(c, c);
        const Number error = abs(difference);
        const Number size = abs(t);
        l1_ = l1_ + error;
        squares_ = squares_ + error * error;
        take(row_.max_abs, max_abs_, error, column);
        const long least = format_.least_exponent;
        const auto ulp_exponent = [&](long e) { return std::max(e - format_.digits + 1, least); };
        const long low = std::min(ulp_exponent(Arithmetic::lower_exponent(size, least)), 1023L);
        const long high = std::min(ulp_exponent(Arithmetic::upper_exponent(size, least)), 1023L);
        const Number ulp =
            ar_.make(std::ldexp(1.0, static_cast<int>(low)), std::ldexp(1.0, static_cast<int>(high)));
        take(row_.ulps, ulps_, error / ulp, column);
        add_relative(column, error, size, is_zero, c);
        const auto [is_correct, not_correct, is_faithful, not_faithful] = rounding(difference, c);
        row_.correct += is_correct ? 1U : 0U;
        row_.not_correct += not_correct ? 1U : 0U;
        row_.faithful += is_faithful ? 1U : 0U;
        row_.not_faithful += not_faithful ? 1U : 0U;
        for (std::size_t k = 0; k < claims_->size(); ++k) {
            const auto decide = [&](const Number& excess) {
                row_.claims[k].add(Arithmetic::at_most(excess, 0), Arithmetic::above(excess, 0), column);
            };
            switch ((*claims_)[k].kind) {
                case ClaimKind::finite:
                    row_.claims[k].add(true, false, column);
                    break;
                case ClaimKind::max_abs:
                    decide(error - first_[k]);
                    break;
                case ClaimKind::relative:
                    decide(error - first_[k] * size);
                    break;
                case ClaimKind::ulps:
                    decide(error - first_[k] * ulp);
                    break;
                case ClaimKind::close:
                    decide(error - (second_[k] + first_[k] * size));
                    break;
                case ClaimKind::within:
                    if (magnitude != nullptr) decide(error - first_[k] * *magnitude);
                    break;
                case ClaimKind::correctly_rounded:
                    row_.claims[k].add(is_correct, not_correct, column);
                    break;
                case ClaimKind::faithful:
                    row_.claims[k].add(is_faithful, not_faithful, column);
                    break;
                case ClaimKind::row_l1:
                case ClaimKind::frobenius:
                case ClaimKind::row_sums:
                case ClaimKind::non_negative:
                case ClaimKind::causal:
                case ClaimKind::masked_zero:
                    break;  // not of single entries against exact ones
            }
        }
    }

    [[nodiscard]] RowErrors finish() {
        for (std::size_t k = 0; k < claims_->size(); ++k) {
            if ((*claims_)[k].kind != ClaimKind::row_l1) continue;
            const Number excess = l1_ - first_[k];
            const bool infinite = row_.not_finite != 0;
            row_.claims[k].add(!infinite && Arithmetic::at_most(excess, 0),
                               infinite || Arithmetic::above(excess, 0), 0);
        }
        Arithmetic::store(row_.max_abs.value, max_abs_);
        Arithmetic::store(row_.relative.value, relative_);
        Arithmetic::store(row_.ulps.value, ulps_);
        Arithmetic::store(row_.l1.value, l1_);
        Arithmetic::store(row_.squares, squares_);
        if (row_.not_finite != 0) row_.l1.infinite = true;
        return std::move(row_);
    }

  private:
    struct Rounding {
        bool correct, not_correct, faithful, not_faithful;
    };

    static void take(Extreme& extreme, Number& largest, const Number& error, Index column) {
        if (extreme.column < 0 || (!extreme.infinite && Arithmetic::lower_exceeds(error, largest)))
            extreme.column = column;
        largest = Arithmetic::larger(largest, error);
    }
    static void take_infinite(Extreme& extreme, Index column) {
        if (!extreme.infinite) extreme.column = column;
        extreme.infinite = true;
    }

    void add_not_finite(Index column) {
        ++row_.not_finite;
        ++row_.not_correct;
        ++row_.not_faithful;
        for (Extreme* extreme : {&row_.max_abs, &row_.relative, &row_.ulps}) take_infinite(*extreme, column);
        for (std::size_t k = 0; k < claims_->size(); ++k) {
            switch ((*claims_)[k].kind) {
                case ClaimKind::row_l1:
                case ClaimKind::frobenius:
                case ClaimKind::row_sums:
                case ClaimKind::non_negative:
                case ClaimKind::causal:
                case ClaimKind::masked_zero:
                    break;
                default:
                    row_.claims[k].add(false, true, column);
            }
        }
    }

    void add_relative(Index column, const Number& error, const Number& size, bool is_zero, double c) {
        if (is_zero) {
            if (c != 0) take_infinite(row_.relative, column);
        } else if (Arithmetic::above(size, 0)) {
            take(row_.relative, relative_, error / size, column);
        } else {
            // t may be 0: then the error is anything from 0 (c = 0) or 1 on.
            take(row_.relative, relative_, ar_.make(0, std::numeric_limits<double>::infinity()), column);
        }
    }

    [[nodiscard]] Rounding rounding(const Number& difference, double c) const {
        const Spacing spacing = spacing_at(std::fabs(c), format_);
        const Number d = c < 0 ? -difference : difference;  // of |t| with the sign of c, less |c|
        const Number twice = d + d;
        const double up = std::ldexp(1.0, static_cast<int>(std::min(spacing.above, 1023L)));
        const double down = -std::ldexp(1.0, static_cast<int>(spacing.below));
        Rounding r{};
        if (spacing.even) {
            r.correct = Arithmetic::at_most(twice, up) && Arithmetic::at_least(twice, down);
            r.not_correct = Arithmetic::above(twice, up) || Arithmetic::below(twice, down);
        } else {
            r.correct = Arithmetic::below(twice, up) && Arithmetic::above(twice, down);
            r.not_correct = Arithmetic::at_least(twice, up) || Arithmetic::at_most(twice, down);
        }
        r.faithful = (spacing.largest || Arithmetic::below(d, up)) && Arithmetic::above(d, down);
        r.not_faithful = (!spacing.largest && Arithmetic::at_least(d, up)) || Arithmetic::at_most(d, down);
        return r;
    }

    Arithmetic ar_;
    FormatLimits format_;
    const std::vector<Claim>* claims_;
    Number zero_;
    std::vector<Number> first_, second_;
    RowErrors row_;
    Number max_abs_ = zero_, relative_ = zero_, ulps_ = zero_, l1_ = zero_, squares_ = zero_;
};

}  // namespace rankcert::audit
