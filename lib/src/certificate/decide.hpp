#pragma once
/// \file decide.hpp  From a measure, ρ and ε to a decision: rational comparisons that both checkers share.
///
/// Each inequality is that of its theorem in lib/docs/certificates.md, strict where that is strict.

#include <string>

#include "rankcert/certificate/checker.hpp"

namespace rankcert::detail {

/// The only maker of CheckerKey, and so of Proved<T>. Lives in this folder; nothing but a checker uses it.
class CheckerAccess {
  public:
    [[nodiscard]] static CheckerKey key() { return {}; }
};

struct Outcome {
    Decision decision = Decision::undecided;
    std::string reason;
};

/// Proved where the inequality holds with rho.upper; refuted where it fails with rho.lower too, or the
/// measure is Nothing; else undecided. The refutation supposes exact measures.
[[nodiscard]] Outcome decide(const LowerMeasure& measure, const ErrorBounds& rho, const Rational& epsilon);
[[nodiscard]] Outcome decide(const UpperMeasure& measure, const ErrorBounds& rho, const Rational& epsilon);

/// Whether the decision depends on ρ at all.
[[nodiscard]] bool needs_rho(const LowerMeasure& measure);
[[nodiscard]] bool needs_rho(const UpperMeasure& measure);

/// As Checker::reach, for ρ ≤ upper_rho.
[[nodiscard]] std::optional<Rational> reach(const LowerMeasure& measure, const Rational& upper_rho);
[[nodiscard]] std::optional<Rational> reach(const UpperMeasure& measure, const Rational& upper_rho);

/// Throws Error where ε < 0.
void require_epsilon(const Rational& epsilon);

/// Throws Error where the subject is not well formed.
void validate(const Subject& subject);

/// What both checkers do in the same way around their measures. Each supplies its measures, its ρ, and
/// whether its numbers are exact, so that it may refute; where they are not, "refuted" becomes "undecided",
/// but for what is wrong with the witness itself at any ε.
class MeasuringChecker : public Checker {
  public:
    [[nodiscard]] Proved<LowerMeasure> measure(const LowerWitness& witness) final;
    [[nodiscard]] Proved<UpperMeasure> measure(const UpperWitness& witness) final;
    [[nodiscard]] Verdict<RankAtLeast> decide(const Proved<LowerMeasure>& measure,
                                              const Rational& epsilon) final;
    [[nodiscard]] Verdict<RankAtMost> decide(const Proved<UpperMeasure>& measure,
                                             const Rational& epsilon) final;
    [[nodiscard]] std::optional<Rational> reach(const Proved<LowerMeasure>& measure) final;
    [[nodiscard]] std::optional<Rational> reach(const Proved<UpperMeasure>& measure) final;
    [[nodiscard]] Verdict<RankAtLeast> prove_rank_at_least(const LowerWitness& witness,
                                                           const Rational& epsilon) final;
    [[nodiscard]] Verdict<RankAtMost> prove_rank_at_most(const UpperWitness& witness,
                                                         const Rational& epsilon) final;
    [[nodiscard]] std::optional<Rational> lower_reach(const LowerWitness& witness) final;
    [[nodiscard]] std::optional<Rational> upper_reach(const UpperWitness& witness) final;
    [[nodiscard]] Verdict<TopKBudget> prove_top_k_budget(const Rational& epsilon) final;
    [[nodiscard]] Rational rho() const final { return rho_bounds().upper; }

  protected:
    /// Validates the subject.
    explicit MeasuringChecker(const Subject& subject);
    [[nodiscard]] const Subject& subject() const noexcept { return *subject_; }

    /// The measures; their `subject` is filled in afterwards.
    [[nodiscard]] virtual LowerMeasure measure_lower(const LowerWitness& witness) = 0;
    [[nodiscard]] virtual UpperMeasure measure_upper(const UpperWitness& witness) = 0;
    /// The bounds on sup ‖A − Ã‖ in use; computed at the first call.
    [[nodiscard]] virtual ErrorBounds rho_bounds() const = 0;
    /// Makes rho_bounds() tighter; false where it does not become so.
    virtual bool refine_rho() = 0;
    /// Whether measures and ρ's lower bound are exact enough to refute.
    [[nodiscard]] virtual bool can_refute() const noexcept = 0;

  private:
    template <class Measure>
    Outcome outcome(const Measure& measure, const Rational& epsilon);

    std::shared_ptr<const Subject> subject_;
};

}  // namespace rankcert::detail
