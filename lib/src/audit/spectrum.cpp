#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <cmath>

#include "audit/exact_meter.hpp"
#include "audit/residual.hpp"
#include "audit/value_encloser.hpp"
#include "rankcert/audit/spectrum.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::audit {
namespace {

/// Up to here, what may stay open at any precision (relative errors near 0, roundings) is pursued.
constexpr unsigned kMostForRoundings = 512;
/// What narrower errors are worth where no claim needs them, in operations on words: a second or so.
constexpr double kMostForWidth = 3e8;

/// The claims as those of a row: the meter's `within` compares with first · u · magnitude, and σ_1 is the
/// magnitude.
std::vector<Claim> as_row_claims(const SpectrumOptions& options, const FormatLimits& format) {
    std::vector<Claim> claims;
    for (const SpectrumClaim& claim : options.claims) {
        if (claim.tolerance < 0) throw Error("a tolerance must not be negative");
        switch (claim.kind) {
            case SpectrumClaimKind::absolute:
                claims.push_back({ClaimKind::max_abs, claim.tolerance, 0});
                break;
            case SpectrumClaimKind::backward:
                claims.push_back(
                    {ClaimKind::within, claim.tolerance * to_rational(Integer(1), format.digits), 0});
                break;
            case SpectrumClaimKind::relative:
                claims.push_back({ClaimKind::relative, claim.tolerance, 0});
                break;
            case SpectrumClaimKind::ulps:
                claims.push_back({ClaimKind::ulps, claim.tolerance, 0});
                break;
            case SpectrumClaimKind::correctly_rounded:
                claims.push_back({ClaimKind::correctly_rounded, 0, 0});
                break;
            case SpectrumClaimKind::faithful:
                claims.push_back({ClaimKind::faithful, 0, 0});
                break;
        }
    }
    return claims;
}

class SpectrumAuditor {
  public:
    SpectrumAuditor(ValueEncloser& values, SpectrumKind kind, const Eigen::VectorXd& claimed,
                    const SpectrumOptions& options)
        : values_(values),
          options_(options),
          format_(limits_of(options.format)),
          claims_(as_row_claims(options, format_)),
          claimed_(claimed) {
        const Index count = values.count();
        if (claimed.size() > count || (kind == SpectrumKind::symmetric && claimed.size() != count))
            throw Error("there are " + std::to_string(count) + " values, but " +
                        std::to_string(claimed.size()) + " are claimed");
        for (Index i = 0; i < claimed.size(); ++i) {
            if (!std::isfinite(claimed[i]) || is_of_format(claimed[i], format_)) continue;
            throw Error("claimed value " + std::to_string(i) + " is not a " + to_string(options.format) +
                        " number: name the format that the values have");
        }
        // NaN stands last.
        const auto before = [kind](double x, double y) {
            if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
            return kind == SpectrumKind::singular ? x > y : x < y;
        };
        audit_.was_sorted = std::is_sorted(claimed_.begin(), claimed_.end(), before);
        std::stable_sort(claimed_.begin(), claimed_.end(), before);
        audit_.is_finite = claimed.size() == 0 || claimed.allFinite();
    }

    SpectrumAudit run() {
        measure();
        while (
            (claims_are_open() || (is_wide() && (options_.tight || values_.next_work() <= kMostForWidth))) &&
            values_.refine())
            measure();
        return summary();
    }

  private:
    /// The largest |value|.
    [[nodiscard]] MpInterval size() const {
        if (values_.count() == 0) return MpInterval(64);
        return max(abs(values_.value(0)), abs(values_.value(values_.count() - 1)));
    }

    void measure() {
        const unsigned bits = std::max(values_.bits(), 64U) + 64;
        RowMeter<WideMpfr> meter({{bits}}, format_, claims_);
        const MpInterval scale = size().with_precision(bits);
        for (Index i = 0; i < claimed_.size(); ++i)
            meter.add(i, values_.value(i).with_precision(bits), values_.is_zero(i), claimed_[i], &scale);
        row_ = meter.finish();
        backward_ = row_.max_abs;
        if (mpfr_zero_p(scale.upper_mpfr()) != 0) {
            backward_.infinite = backward_.infinite || mpfr_sgn(row_.max_abs.value.lower_mpfr()) > 0;
            backward_.value.set(0.0);
        } else if (mpfr_zero_p(row_.max_abs.value.upper_mpfr()) == 0) {
            backward_.value = row_.max_abs.value / scale.with_precision(64);
        }
    }

    [[nodiscard]] bool claims_are_open() const {
        return std::any_of(row_.claims.begin(), row_.claims.end(),
                           [](const ClaimCount& count) { return count.open != 0; });
    }

    [[nodiscard]] bool is_wide() const {
        const auto wide = [](const Extreme& extreme) {
            return !extreme.infinite && !is_narrow(extreme.value);
        };
        if (wide(row_.max_abs) || wide(backward_)) return true;
        if (values_.bits() < kMostForRoundings &&
            (row_.rounding_open() || wide(row_.relative) || wide(row_.ulps)))
            return true;
        if (!options_.tight) return false;
        for (const MpInterval& value : values_.values()) {
            const MpInterval size = abs(value), width = value - value;
            if (value.is_point()) continue;
            if (!certainly_less_equal(scale(width, 50), size)) return true;
        }
        return false;
    }

    static LargestError as_largest(const Extreme& extreme) {
        return {extreme.value, extreme.infinite, {0, extreme.column}};
    }

    SpectrumAudit summary() {
        audit_.values = values_.values();
        audit_.bits = values_.bits();
        for (Index i = 0; i < claimed_.size(); ++i) {
            if (std::isfinite(claimed_[i])) {
                const unsigned bits = values_.bits() + 64;
                audit_.errors.push_back(
                    abs(values_.value(i).with_precision(bits) - MpInterval(claimed_[i], bits))
                        .with_precision(64));
            } else {
                audit_.errors.push_back(
                    MpInterval::hull_of(0.0, std::numeric_limits<double>::infinity(), 64));
            }
        }
        audit_.largest = as_largest(row_.max_abs);
        audit_.backward = as_largest(backward_);
        audit_.relative = as_largest(row_.relative);
        audit_.ulps = as_largest(row_.ulps);
        audit_.correctly_rounded = row_.correct;
        audit_.not_correctly_rounded = row_.not_correct;
        audit_.faithful = row_.faithful;
        audit_.not_faithful = row_.not_faithful;
        for (std::size_t k = 0; k < claims_.size(); ++k) {
            const ClaimCount& count = row_.claims[k];
            SpectrumClaimResult result{options_.claims[k], Answer::proved, std::nullopt};
            if (count.open != 0) result.answer = Answer::undecided;
            if (count.fails != 0) {
                result.answer = Answer::refuted;
                result.failure = count.first_failure;
            }
            audit_.claims.push_back(std::move(result));
        }
        return std::move(audit_);
    }

    ValueEncloser& values_;
    const SpectrumOptions& options_;
    FormatLimits format_;
    std::vector<Claim> claims_;
    Eigen::VectorXd claimed_;
    RowErrors row_;
    Extreme backward_;
    SpectrumAudit audit_;
};

SpectrumAudit run(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::MatrixXd* radius,
                  SpectrumKind kind, const Eigen::VectorXd& claimed, const SpectrumOptions& options) {
    const FloatingPointGuard guard;
    ValueEncloser values(a, radius, kind, options);
    return SpectrumAuditor(values, kind, claimed, options).run();
}

}  // namespace

const char* to_string(SpectrumClaimKind kind) noexcept {
    switch (kind) {
        case SpectrumClaimKind::backward:
            return "backward";
        case SpectrumClaimKind::relative:
            return "relative";
        case SpectrumClaimKind::ulps:
            return "ulps";
        case SpectrumClaimKind::correctly_rounded:
            return "correctly-rounded";
        case SpectrumClaimKind::faithful:
            return "faithful";
        case SpectrumClaimKind::absolute:
            break;
    }
    return "absolute";
}

Answer SpectrumAudit::answer() const {
    Answer all = is_finite ? Answer::proved : Answer::refuted;
    for (const SpectrumClaimResult& result : claims) all = both(all, result.answer);
    return all;
}

SpectrumAudit audit_singular_values(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                    const Eigen::VectorXd& claimed, const SpectrumOptions& options) {
    return run(a, nullptr, SpectrumKind::singular, claimed, options);
}
SpectrumAudit audit_singular_values(const BallMatrix& a, const Eigen::VectorXd& claimed,
                                    const SpectrumOptions& options) {
    validate(a);
    return run(a.midpoint, &a.radius, SpectrumKind::singular, claimed, options);
}
SpectrumAudit audit_eigenvalues(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::VectorXd& claimed,
                                const SpectrumOptions& options) {
    return run(a, nullptr, SpectrumKind::symmetric, claimed, options);
}
SpectrumAudit audit_eigenvalues(const BallMatrix& a, const Eigen::VectorXd& claimed,
                                const SpectrumOptions& options) {
    validate(a);
    return run(a.midpoint, &a.radius, SpectrumKind::symmetric, claimed, options);
}

}  // namespace rankcert::audit
