// The claims of a bundle, decided by a checker.

#include <stdexcept>

#include "bundle_format.hpp"
#include "formal_text.hpp"

namespace rankcert {
namespace {

/// Measures each witness when it is first asked for, and once.
template <class Measure, class Witness>
class Measures {
  public:
    Measures(Checker& checker, const std::vector<Witness>& witnesses)
        : checker_(checker), witnesses_(witnesses), measures_(witnesses.size()) {}

    const Proved<Measure>& at(int index) {
        auto& measure = measures_.at(static_cast<std::size_t>(index));
        if (!measure) measure.emplace(checker_.measure(witnesses_.at(static_cast<std::size_t>(index))));
        return *measure;
    }

  private:
    Checker& checker_;
    const std::vector<Witness>& witnesses_;
    std::vector<std::optional<Proved<Measure>>> measures_;
};

void add_reason(ClaimVerdict& verdict, const std::string& part, const std::string& reason) {
    if (!verdict.reason.empty()) verdict.reason += "; ";
    verdict.reason += part + ": " + reason;
}

/// A claim is as weak as its weakest part.
void add_decision(ClaimVerdict& verdict, Decision part) {
    if (part == Decision::refuted || verdict.decision == Decision::refuted) {
        verdict.decision = Decision::refuted;
    } else if (part == Decision::undecided) {
        verdict.decision = Decision::undecided;
    }
}

/// A part whose witness proves another number than the claimed one. The fast checker may have seen less than
/// the exact one would, and never refutes.
Decision for_claimed(Decision decision, bool strong_enough, Level level) {
    if (decision != Decision::proved || strong_enough) return decision;
    return level == Level::exact ? Decision::refuted : Decision::undecided;
}

/// A side of a claim: `proof` is filled in where the witness proves the claimed rank or a better one.
template <class Statement>
void add_side(const Verdict<Statement>& side, const char* name, Index claimed, bool enough, Level level,
              ClaimVerdict& verdict, std::optional<Proved<Statement>>& proof) {
    add_decision(verdict, for_claimed(side.decision, enough, level));
    if (enough) proof = side.proof;
    add_reason(verdict, name,
               side.proof && !enough ? "the witness proves rank " + std::to_string((*side.proof)->rank) +
                                           ", not the claimed " + std::to_string(claimed)
                                     : side.reason);
}

void decide_top_k(Checker& checker, Level level, const TopKBudget& claimed, ClaimVerdict& verdict) {
    const Verdict<TopKBudget> budget = checker.prove_top_k_budget(claimed.epsilon);
    Decision decision = budget.decision;
    std::string reason = budget.reason;
    if (budget.proof) {
        const TopKBudget& proved = **budget.proof;
        const std::string range = std::to_string(proved.lower) + " to " + std::to_string(proved.upper);
        if (proved.lower >= claimed.lower && proved.upper <= claimed.upper) {
            decision = Decision::proved;
        } else if (proved.lower > claimed.upper || proved.upper < claimed.lower) {
            decision = for_claimed(Decision::proved, false, level);
            reason = "the budget is proved to be " + range;
        } else {
            decision = Decision::undecided;
            reason = "no more is proved than the budget " + range;
        }
    }
    if (decision == Decision::proved) verdict.top_k = budget.proof;
    add_decision(verdict, decision);
    add_reason(verdict, "top-k", reason);
}

/// A checker and what it has measured of a bundle.
struct Desk {
    Desk(const Bundle& bundle, Level level)
        : checker(make_checker(bundle.subject, level)),
          lower(*checker, bundle.lower_witnesses),
          upper(*checker, bundle.upper_witnesses) {}

    std::unique_ptr<Checker> checker;
    Measures<LowerMeasure, LowerWitness> lower;
    Measures<UpperMeasure, UpperWitness> upper;
};

std::vector<ClaimVerdict> decide_claims(const Bundle& bundle, Level level, Desk& desk) {
    auto& [checker, lower, upper] = desk;
    std::vector<ClaimVerdict> verdicts;
    for (const Claim& claim : bundle.claims) {
        ClaimVerdict verdict;
        verdict.epsilon = claim.epsilon;
        verdict.decision = Decision::proved;  // of nothing, so far; a well-formed claim has a part
        if (claim.lower_witness >= 0) {
            const auto side = checker->decide(lower.at(claim.lower_witness), claim.epsilon);
            const bool enough = side.proof && (*side.proof)->rank >= claim.lower;
            add_side(side, "lower", claim.lower, enough, level, verdict, verdict.lower);
        }
        if (claim.upper_witness >= 0) {
            const auto side = checker->decide(upper.at(claim.upper_witness), claim.epsilon);
            const bool enough = side.proof && (*side.proof)->rank <= claim.upper;
            add_side(side, "upper", claim.upper, enough, level, verdict, verdict.upper);
        }
        if (claim.top_k) decide_top_k(*checker, level, *claim.top_k, verdict);
        if (verdict.lower && verdict.upper && (*verdict.lower)->rank > (*verdict.upper)->rank) {
            throw std::logic_error("a checker proved a lower bound above an upper one");
        }
        verdicts.push_back(std::move(verdict));
    }
    const Rational rho = checker->rho();
    for (ClaimVerdict& verdict : verdicts) verdict.rho = rho;
    return verdicts;
}

template <class Nothing, class Measures>
std::vector<bool> within_limits(Measures& measures, std::size_t count) {
    std::vector<bool> within;
    for (std::size_t i = 0; i < count; ++i) {
        const auto* nothing = std::get_if<Nothing>(&measures.at(static_cast<int>(i))->form);
        within.push_back(nothing == nullptr || !nothing->is_too_much_work);
    }
    return within;
}

}  // namespace

std::vector<ClaimVerdict> check(const Bundle& bundle, Level level) {
    detail::require_well_formed(bundle);
    Desk desk(bundle, level);
    return decide_claims(bundle, level, desk);
}

FormalRequest request_formal_check(const Bundle& bundle) {
    detail::require_well_formed(bundle);
    Desk desk(bundle, Level::exact);
    FormalRequest request;
    request.exact = decide_claims(bundle, Level::exact, desk);
    request.formal = detail::write_formal_text(
        bundle, desk.checker->rho(),
        within_limits<LowerMeasure::Nothing>(desk.lower, bundle.lower_witnesses.size()),
        within_limits<UpperMeasure::Nothing>(desk.upper, bundle.upper_witnesses.size()));
    return request;
}

}  // namespace rankcert
