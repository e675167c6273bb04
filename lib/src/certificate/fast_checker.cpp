#include "certificate/fast_checker.hpp"

#include "certificate/decide.hpp"
#include "certificate/exact_measure.hpp"
#include "certificate/fast_measure.hpp"
#include "linalg/kernel.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::detail {
namespace {

/// Measures in float64; rules, side conditions and the final comparisons in exact arithmetic. Its ρ bounds ‖A
/// − Ã‖, and its measures bound those of Ã, so what it proves the exact checker proves too.
class FastChecker final : public MeasuringChecker {
  public:
    explicit FastChecker(const Subject& given) : MeasuringChecker(given) {
        const ExactMatrix& exact = subject().centre;
        if (exact.is_double()) {
            centre_.values = exact.to_double();
            return;
        }
        centre_.values = exact.estimate_double();  // any matrix near Ã would do
        usable_ = all_finite(centre_.values);
        if (usable_) centre_.shift = upper_double((exact - ExactMatrix::from_double(centre_.values)).norm());
        usable_ = usable_ && bits_are_finite(centre_.shift);
    }

  protected:
    LowerMeasure measure_lower(const LowerWitness& witness) override {
        if (const auto* rule = std::get_if<LowerRule>(&witness)) return measure_rule(*rule, subject());
        if (!usable_) return {LowerMeasure::Nothing{kNotFloat}, nullptr};
        if (const auto* w = std::get_if<FixedSpaceWitness>(&witness)) return measure_fast(*w, centre_);
        if (const auto* w = std::get_if<NeumannWitness>(&witness)) return measure_fast(*w, centre_);
        if (const auto* w = std::get_if<RowCycleWitness>(&witness)) return measure_fast(*w, centre_);
        return measure_fast(std::get<EckartYoungWitness>(witness), centre_);
    }

    UpperMeasure measure_upper(const UpperWitness& witness) override {
        if (const auto* rule = std::get_if<UpperRule>(&witness)) return measure_rule(*rule, subject());
        if (!usable_) return {UpperMeasure::Nothing{kNotFloat}, nullptr};
        if (const auto* w = std::get_if<FactorWitness>(&witness)) return measure_fast(*w, centre_);
        return measure_fast(std::get<RepresentativeRowsWitness>(witness), centre_);
    }

    ErrorBounds rho_bounds() const override {
        if (!subject().head) return {};  // the matrix is its own centre
        if (!rho_) {
            // ‖A − Ã‖ ≤ ‖A − values‖ + ‖values − Ã‖; and ≤ 1 + ‖Ã‖ in any case, as ‖A‖ = 1.
            std::optional<double> bound;
            if (usable_) bound = upper_softmax_error_fast(*subject().head, centre_.values);
            rho_ = bound && bits_are_finite(*bound) ? to_rational(*bound) + to_rational(centre_.shift)
                                                    : 1 + subject().centre.norm();
        }
        return {0, *rho_};
    }

    bool refine_rho() override { return false; }
    bool can_refute() const noexcept override { return false; }

  private:
    static constexpr const char* kNotFloat =
        "the matrix is beyond the range of float64: the exact level can tell";

    FastCentre centre_;
    bool usable_ = true;
    mutable std::optional<Rational> rho_;
};

}  // namespace

std::unique_ptr<Checker> make_fast_checker(const Subject& subject) {
    return std::make_unique<FastChecker>(subject);
}

}  // namespace rankcert::detail
