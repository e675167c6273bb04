#include "exact_checker.hpp"

#include <algorithm>

#include "decide.hpp"
#include "exact_measure.hpp"

namespace rankcert::detail {

namespace {

// ρ at ever more bits. The first precision leaves 64 bits beyond the grid of Ã; it is doubled only where an
// inequality is undecided and it helps, kMaxDoublings times at most: what 8 times the bits of the grid cannot
// tell apart is left undecided.
constexpr long kLeastWorkingBits = 128;
constexpr long kMaxGridBits = 1L << 14;
constexpr int kMaxDoublings = 3;
/// Of an enclosure of ρ: entries times bits. ρ is as right at fewer bits, and less may be decided.
constexpr long kMostRhoBits = 1L << 31;

class ExactChecker final : public MeasuringChecker {
  public:
    explicit ExactChecker(const Subject& subject) : MeasuringChecker(subject) {}

  protected:
    LowerMeasure measure_lower(const LowerWitness& witness) override {
        return within_limits<LowerMeasure>([&] { return measured(witness); });
    }

    UpperMeasure measure_upper(const UpperWitness& witness) override {
        return within_limits<UpperMeasure>([&] { return measured(witness); });
    }

  private:
    /// What asks for more memory or time than exact arithmetic gives is not refuted by that.
    template <class Measure, class Make>
    static Measure within_limits(const Make& make) {
        try {
            return make();
        } catch (const TooMuchWork& error) {
            return {typename Measure::Nothing{error.what(), true}, nullptr};
        }
    }

    LowerMeasure measured(const LowerWitness& witness) const {
        if (const auto* rule = std::get_if<LowerRule>(&witness)) return measure_rule(*rule, subject());
        if (const auto* w = std::get_if<FixedSpaceWitness>(&witness)) return measure_exactly(*w, subject());
        if (const auto* w = std::get_if<NeumannWitness>(&witness)) return measure_exactly(*w, subject());
        if (const auto* w = std::get_if<RowCycleWitness>(&witness)) return measure_exactly(*w, subject());
        return measure_exactly(std::get<EckartYoungWitness>(witness), subject());
    }

    UpperMeasure measured(const UpperWitness& witness) const {
        if (const auto* rule = std::get_if<UpperRule>(&witness)) return measure_rule(*rule, subject());
        if (const auto* w = std::get_if<FactorWitness>(&witness)) return measure_exactly(*w, subject());
        return measure_exactly(std::get<RepresentativeRowsWitness>(witness), subject());
    }

  protected:
    ErrorBounds rho_bounds() const override {
        if (!subject().head) return {};  // the matrix is its own centre
        if (!rho_) {
            const long grid = std::clamp(-subject().centre.exponent(), 0L, kMaxGridBits);
            working_bits_ = static_cast<unsigned>(std::clamp(grid + 64, kLeastWorkingBits, most_bits()));
            rho_ = enclose_softmax_error(*subject().head, subject().centre, working_bits_);
        }
        return *rho_;
    }

    bool refine_rho() override {
        if (!subject().head || exhausted_) return false;
        const ErrorBounds before = rho_bounds();
        if (2 * static_cast<long>(working_bits_) > most_bits()) return false;
        working_bits_ *= 2;
        ++doublings_;
        const ErrorBounds after = enclose_softmax_error(*subject().head, subject().centre, working_bits_);
        // Both pairs are bounds, so the better of each is.
        rho_ = ErrorBounds{std::max(before.lower, after.lower), std::min(before.upper, after.upper)};
        // Of a family the bounds need not meet: more bits stop to help.
        exhausted_ =
            doublings_ == kMaxDoublings || 2 * (rho_->upper - rho_->lower) > before.upper - before.lower;
        return rho_->lower != before.lower || rho_->upper != before.upper;
    }

    bool can_refute() const noexcept override { return true; }

  private:
    [[nodiscard]] long most_bits() const {
        return std::max(kLeastWorkingBits, kMostRhoBits / (subject().rows() * subject().cols()));
    }

    mutable std::optional<ErrorBounds> rho_;
    mutable unsigned working_bits_ = 0;
    int doublings_ = 0;
    bool exhausted_ = false;
};

}  // namespace

std::unique_ptr<Checker> make_exact_checker(const Subject& subject) {
    return std::make_unique<ExactChecker>(subject);
}

}  // namespace rankcert::detail
