#include "rigor/trusted.hpp"
//
#include <algorithm>

#include "audit/residual.hpp"
#include "audit/value_encloser.hpp"
#include "rankcert/linalg/norms.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::audit {
namespace {

using MatrixRef = Eigen::Ref<const Eigen::MatrixXd>;

void decide(RankAudit& audit, const std::optional<Index>& claimed) {
    if (claimed && (*claimed < audit.lower || *claimed > audit.upper)) {
        audit.answer = Answer::refuted;
    } else {
        audit.answer = audit.lower == audit.upper ? Answer::proved : Answer::undecided;
    }
}

bool is_point(const BallMatrix& a) { return a.radius.size() == 0 || largest_entry(a.radius) == 0; }

/// How many values are certainly, and how many possibly, above a threshold.
void count_above(const ValueEncloser& values, const Threshold& threshold, RankAudit& audit) {
    // Against σ_1 the first value is compared by its sign: τ σ_1 < σ_1 where τ < 1 and σ_1 > 0.
    const bool of_largest = threshold.kind == ThresholdKind::of_largest;
    audit.lower = 0;
    audit.upper = values.count();
    for (Index i = 0; i < values.count(); ++i) {
        const MpInterval& value = values.value(i);
        bool above = certainly_less(*audit.threshold, value);
        bool not_above = certainly_less_equal(value, *audit.threshold);
        if (of_largest) {
            above = above || (i == 0 && threshold.factor < 1 && mpfr_sgn(value.lower_mpfr()) > 0);
            not_above = not_above || threshold.factor >= 1 || values.is_zero(i);
        }
        if (above) audit.lower = std::max(audit.lower, i + 1);
        if (not_above) audit.upper = std::min(audit.upper, i);
    }
}

/// The square of the threshold, where it is the same rational number for every member.
std::optional<Rational> exact_square(const MatrixRef& a, const Threshold& threshold) {
    const Rational square = threshold.factor * threshold.factor;
    switch (threshold.kind) {
        case ThresholdKind::absolute:
            return square;
        case ThresholdKind::of_frobenius:
            return Rational(square * ExactMatrix::from_double(a).squared_frobenius_norm());
        case ThresholdKind::of_row_norm: {
            const Rational norm = ExactMatrix::from_double(a).norm();
            return Rational(square * norm * norm);
        }
        case ThresholdKind::of_largest:
            break;
    }
    return std::nullopt;
}

MpInterval enclose_threshold(const ValueEncloser& values, const MatrixRef& a, const Eigen::MatrixXd* radius,
                             const Threshold& threshold, const std::optional<Rational>& square) {
    const unsigned bits = std::max(values.bits(), 64U) + 64;
    const MpInterval factor(threshold.factor, bits);
    if (threshold.kind == ThresholdKind::absolute) return factor;
    if (threshold.kind == ThresholdKind::of_largest)
        return values.count() == 0 ? MpInterval(bits) : factor * values.value(0);
    if (values.is_point()) return sqrt(MpInterval(*square, bits));
    const BallMatrix ball{a, *radius};
    if (threshold.kind == ThresholdKind::of_row_norm)
        return factor * MpInterval::hull_of(lower_row_norm(ball), upper_row_norm(ball), bits);
    // |‖A + D‖_F − ‖A‖_F| ≤ ‖D‖_F.
    const double spread = upper_frobenius_norm(*radius);
    MpInterval norm = MpInterval::hull_of(lower_frobenius_norm(a), upper_frobenius_norm(a), bits) +
                      MpInterval::hull_of(-spread, spread, bits);
    if (mpfr_sgn(norm.lower_mpfr()) < 0) mpfr_set_zero(norm.mutable_lower(), 1);
    return factor * norm;
}

RankAudit numerical_rank(const MatrixRef& a, const Eigen::MatrixXd* radius, const Threshold& threshold,
                         const std::optional<Index>& claimed, const SpectrumOptions& options) {
    if (threshold.factor < 0) throw Error("a threshold must not be negative");
    const FloatingPointGuard guard;
    ValueEncloser values(a, radius, SpectrumKind::singular, options);
    const std::optional<Rational> square = values.is_point() ? exact_square(a, threshold) : std::nullopt;
    RankAudit audit;
    const auto measure = [&] {
        audit.threshold = enclose_threshold(values, a, radius, threshold, square);
        audit.bits = values.bits();
        count_above(values, threshold, audit);
    };
    measure();
    if (audit.lower != audit.upper && threshold.factor == 0 && values.is_point()) {
        const RankAudit rank = audit_rank(a, claimed, options);
        audit.lower = std::max(audit.lower, rank.lower);
        audit.upper = std::min(audit.upper, rank.upper);
    }
    bool counted = !square.has_value();
    while (audit.lower != audit.upper) {
        // One doubling of the bits tells values that are not equal to the threshold from it, mostly; then
        // they are counted exactly.
        if (!counted && values.bits() > 64) {
            counted = true;
            if (const auto counts = values.count_singular(*square)) audit.lower = audit.upper = counts->above;
            continue;
        }
        if (!values.refine()) break;
        measure();
    }
    if (audit.lower != audit.upper && !counted) {
        if (const auto counts = values.count_singular(*square)) audit.lower = audit.upper = counts->above;
    }
    decide(audit, claimed);
    return audit;
}

}  // namespace

RankAudit audit_rank(const MatrixRef& a, std::optional<Index> claimed, const SpectrumOptions& options) {
    require_finite_entries(a, "the matrix");
    const FloatingPointGuard guard;
    const RankBounds bounds =
        enclose_rank(ExactMatrix::from_double(a), std::max(kMostRankWork, options.most_work));
    RankAudit audit;
    audit.lower = bounds.lower;
    audit.upper = bounds.upper;
    if (bounds.lower != bounds.upper) {  // full rank may still be proved from values
        const ValueEncloser values(a, nullptr, SpectrumKind::singular, options);
        for (Index i = 0; i < values.count(); ++i) {
            if (mpfr_sgn(values.value(i).lower_mpfr()) > 0) audit.lower = std::max(audit.lower, i + 1);
        }
    }
    decide(audit, claimed);
    return audit;
}

RankAudit audit_rank(const BallMatrix& a, std::optional<Index> claimed, const SpectrumOptions& options) {
    validate(a);
    if (is_point(a)) return audit_rank(MatrixRef(a.midpoint), claimed, options);
    const FloatingPointGuard guard;
    ValueEncloser values(a.midpoint, &a.radius, SpectrumKind::singular, options);
    RankAudit audit;
    audit.upper = values.count();
    for (Index i = 0; i < values.count(); ++i) {
        if (mpfr_sgn(values.value(i).lower_mpfr()) > 0) audit.lower = i + 1;
    }
    decide(audit, claimed);
    return audit;
}

RankAudit audit_numerical_rank(const MatrixRef& a, const Threshold& threshold, std::optional<Index> claimed,
                               const SpectrumOptions& options) {
    return numerical_rank(a, nullptr, threshold, claimed, options);
}

RankAudit audit_numerical_rank(const BallMatrix& a, const Threshold& threshold, std::optional<Index> claimed,
                               const SpectrumOptions& options) {
    validate(a);
    return numerical_rank(a.midpoint, &a.radius, threshold, claimed, options);
}

}  // namespace rankcert::audit
