#include "decide.hpp"

#include <limits>
#include <stdexcept>

#include "exact_measure.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {

Index LowerMeasure::rank() const {
    if (const auto* contraction = std::get_if<Contraction>(&form)) return contraction->rank;
    if (const auto* tail = std::get_if<Tail>(&form)) return tail->rank;
    if (const auto* value = std::get_if<Value>(&form)) return value->rank;
    if (std::holds_alternative<Norm>(form)) return 1;
    if (const auto* at_zero = std::get_if<AtZero>(&form)) return at_zero->rank;
    return 0;
}

Index UpperMeasure::rank() const {
    if (const auto* error = std::get_if<Error>(&form)) return error->rank;
    if (std::holds_alternative<Norm>(form)) return 0;
    if (const auto* always = std::get_if<Always>(&form)) return always->rank;
    return std::numeric_limits<Index>::max();
}

namespace detail {

namespace {

template <class... F>
struct Overload : F... {
    using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

// `holds(t)`, t ≥ 0, is an inequality that holds for all smaller t where it holds for one. As ‖A − Ã‖ ≥ 0, a
// lower bound below 0 says no more than 0.
template <class Holds>
Decision decide_with(const ErrorBounds& rho, const Rational& epsilon, const Holds& holds) {
    if (holds(epsilon + rho.upper)) return Decision::proved;
    return holds(epsilon + (rho.lower > 0 ? rho.lower : Rational(0))) ? Decision::undecided
                                                                      : Decision::refuted;
}

Outcome from(bool holds, std::string reason) {
    return {holds ? Decision::proved : Decision::refuted, std::move(reason)};
}

template <class Nothing>
Outcome from_nothing(const Nothing& nothing) {
    return {nothing.is_too_much_work ? Decision::undecided : Decision::refuted, nothing.reason};
}

Outcome with_reason(Decision decision, const std::string& proved, const std::string& refuted) {
    switch (decision) {
        case Decision::proved:
            return {decision, proved};
        case Decision::refuted:
            return {decision, refuted};
        case Decision::undecided:
            break;
    }
    return {decision, "the bounds on ρ do not decide whether " + proved};
}

// A rational at most √value, by less than a part in 2^60 below it. value > 0.
Rational lower_root(const Rational& value) {
    // √(n/d) = √(n d)/d; with n d 4^s of at least 128 bits its integer root has at least 64.
    const Integer product = Integer(numerator(value) * denominator(value));
    const std::size_t bits = mpz_sizeinbase(product.backend().data(), 2);
    const auto shift = static_cast<unsigned>(bits >= 128 ? 0 : (129 - bits) / 2);
    Integer root = sqrt(Integer(product << (2 * shift)));  // floor
    return Rational(root, Integer(denominator(value) << shift));
}

}  // namespace

Outcome decide(const LowerMeasure& measure, const ErrorBounds& rho, const Rational& epsilon) {
    require_epsilon(epsilon);
    return std::visit(
        Overload{
            [](const LowerMeasure::Nothing& nothing) { return from_nothing(nothing); },
            [&](const LowerMeasure::Contraction& c) {
                const Decision decision =
                    decide_with(rho, epsilon, [&](const Rational& t) { return c.residual + t * c.gain < 1; });
                const std::string sum = "the residual plus (ε + ρ) times the norm of the inverse, " +
                                        upper_decimal(c.residual + (epsilon + rho.upper) * c.gain) +
                                        " at most, ";
                return with_reason(decision, sum + "is below 1", sum + "is not below 1");
            },
            [&](const LowerMeasure::Tail& t) {
                const Decision decision =
                    decide_with(rho, epsilon, [&](const Rational& x) { return x * x < t.tail; });
                const std::string tail =
                    "the tail of the squared singular values, at least " + lower_decimal(t.tail) + ", ";
                return with_reason(decision, tail + "exceeds (ε + ρ)²",
                                   tail + "is not proved to exceed (ε + ρ)²");
            },
            [&](const LowerMeasure::Value& v) {
                const Decision decision =
                    decide_with(rho, epsilon, [&](const Rational& t) { return v.value > t; });
                const std::string least = "the least of the signed products of the row cycle, at least " +
                                          lower_decimal(v.value) + ", ";
                return with_reason(decision, least + "exceeds ε + ρ", least + "is not proved to exceed ε + ρ");
            },
            [&](const LowerMeasure::Norm& n) {
                return n.norm > epsilon ? from(true, "the norm of A exceeds ε") : from(false, "‖A‖ ≤ ε");
            },
            [&](const LowerMeasure::AtZero&) {
                return epsilon == 0 ? from(true, "at ε = 0 the rank is the exact one")
                                    : from(false, "the rule speaks of ε = 0 only");
            },
        },
        measure.form);
}

Outcome decide(const UpperMeasure& measure, const ErrorBounds& rho, const Rational& epsilon) {
    require_epsilon(epsilon);
    return std::visit(
        Overload{
            [](const UpperMeasure::Nothing& nothing) { return from_nothing(nothing); },
            [&](const UpperMeasure::Error& e) {
                // As a function of t = ρ alone: error + t ≤ ε.
                const Decision decision =
                    e.error + rho.upper <= epsilon
                        ? Decision::proved
                        : (e.error + rho.lower <= epsilon ? Decision::undecided : Decision::refuted);
                const std::string error =
                    "the approximation's error with ρ, " + upper_decimal(e.error + rho.upper) + " at most, ";
                return with_reason(decision, error + "is at most ε", error + "exceeds ε");
            },
            [&](const UpperMeasure::Norm& n) {
                return n.norm <= epsilon ? from(true, "‖A‖ ≤ ε") : from(false, "the norm of A exceeds ε");
            },
            [](const UpperMeasure::Always&) { return from(true, "the bound holds at every ε"); },
        },
        measure.form);
}

bool needs_rho(const LowerMeasure& measure) {
    return std::holds_alternative<LowerMeasure::Contraction>(measure.form) ||
           std::holds_alternative<LowerMeasure::Tail>(measure.form) ||
           std::holds_alternative<LowerMeasure::Value>(measure.form);
}

bool needs_rho(const UpperMeasure& measure) {
    return std::holds_alternative<UpperMeasure::Error>(measure.form);
}

std::optional<Rational> reach(const LowerMeasure& measure, const Rational& upper_rho) {
    std::optional<Rational> result;
    if (const auto* c = std::get_if<LowerMeasure::Contraction>(&measure.form)) {
        // A gain of 0 with a residual below 1 is possible for rank 0 only, which holds at every ε.
        if (c->residual < 1) result = c->gain > 0 ? (1 - c->residual) / c->gain - upper_rho : Rational(1);
    } else if (const auto* t = std::get_if<LowerMeasure::Tail>(&measure.form)) {
        if (t->tail > 0) result = lower_root(t->tail) - upper_rho;
    } else if (const auto* v = std::get_if<LowerMeasure::Value>(&measure.form)) {
        result = v->value - upper_rho;
    } else if (const auto* n = std::get_if<LowerMeasure::Norm>(&measure.form)) {
        result = n->norm;
    } else if (std::holds_alternative<LowerMeasure::AtZero>(measure.form)) {
        return Rational(0);
    }
    // The inequalities are strict: nothing is proved at ε = 0 where the supremum is 0.
    if (result && !(*result > 0)) result.reset();
    return result;
}

std::optional<Rational> reach(const UpperMeasure& measure, const Rational& upper_rho) {
    if (const auto* e = std::get_if<UpperMeasure::Error>(&measure.form)) return e->error + upper_rho;
    if (const auto* n = std::get_if<UpperMeasure::Norm>(&measure.form)) return n->norm;
    if (std::holds_alternative<UpperMeasure::Always>(measure.form)) return Rational(0);
    return std::nullopt;
}

void require_epsilon(const Rational& epsilon) {
    if (epsilon < 0) throw Error("ε = " + to_string(epsilon) + " is negative; give ε ≥ 0.");
}

void validate(const Subject& subject) {
    if (!subject.head) return;
    rankcert::validate(*subject.head);
    const Index rows = subject.head->queries();
    const Index cols = subject.head->keys();
    if (subject.rows() != rows || subject.cols() != cols)
        throw Error("the centre is " + std::to_string(subject.rows()) + "×" + std::to_string(subject.cols()) +
                    " but the head has " + std::to_string(rows) + " queries and " + std::to_string(cols) +
                    " keys; give a centre of the head's shape.");
}

MeasuringChecker::MeasuringChecker(const Subject& subject) {
    validate(subject);
    subject_ = std::make_shared<const Subject>(subject);
}

Proved<LowerMeasure> MeasuringChecker::measure(const LowerWitness& witness) {
    LowerMeasure result = measure_lower(witness);
    result.subject = subject_;
    return {std::move(result), CheckerAccess::key()};
}

Proved<UpperMeasure> MeasuringChecker::measure(const UpperWitness& witness) {
    UpperMeasure result = measure_upper(witness);
    result.subject = subject_;
    return {std::move(result), CheckerAccess::key()};
}

template <class Measure>
Outcome MeasuringChecker::outcome(const Measure& measure, const Rational& epsilon) {
    if (measure.subject != subject_) throw std::logic_error("a checker was given another checker's measure");
    const bool rho_matters = needs_rho(measure);
    Outcome result = detail::decide(measure, rho_matters ? rho_bounds() : ErrorBounds{}, epsilon);
    while (result.decision == Decision::undecided && rho_matters && refine_rho())
        result = detail::decide(measure, rho_bounds(), epsilon);
    if (result.decision == Decision::refuted && !can_refute()) result.decision = Decision::undecided;
    return result;
}

Verdict<RankAtLeast> MeasuringChecker::decide(const Proved<LowerMeasure>& measure, const Rational& epsilon) {
    const Outcome result = outcome(*measure, epsilon);
    Verdict<RankAtLeast> verdict{result.decision, std::nullopt, result.reason};
    if (result.decision == Decision::proved)
        verdict.proof.emplace(RankAtLeast{measure->rank(), epsilon}, CheckerAccess::key());
    return verdict;
}

Verdict<RankAtMost> MeasuringChecker::decide(const Proved<UpperMeasure>& measure, const Rational& epsilon) {
    const Outcome result = outcome(*measure, epsilon);
    Verdict<RankAtMost> verdict{result.decision, std::nullopt, result.reason};
    if (result.decision == Decision::proved)
        verdict.proof.emplace(RankAtMost{measure->rank(), epsilon}, CheckerAccess::key());
    return verdict;
}

std::optional<Rational> MeasuringChecker::reach(const Proved<LowerMeasure>& measure) {
    if (measure->subject != subject_) throw std::logic_error("a checker was given another checker's measure");
    return detail::reach(*measure, needs_rho(*measure) ? rho_bounds().upper : Rational(0));
}

std::optional<Rational> MeasuringChecker::reach(const Proved<UpperMeasure>& measure) {
    if (measure->subject != subject_) throw std::logic_error("a checker was given another checker's measure");
    return detail::reach(*measure, needs_rho(*measure) ? rho_bounds().upper : Rational(0));
}

Verdict<RankAtLeast> MeasuringChecker::prove_rank_at_least(const LowerWitness& witness,
                                                           const Rational& epsilon) {
    require_epsilon(epsilon);
    return decide(measure(witness), epsilon);
}

Verdict<RankAtMost> MeasuringChecker::prove_rank_at_most(const UpperWitness& witness,
                                                         const Rational& epsilon) {
    require_epsilon(epsilon);
    return decide(measure(witness), epsilon);
}

// Sums of the centre's integers: the two levels differ by their ρ only.
Verdict<TopKBudget> MeasuringChecker::prove_top_k_budget(const Rational& epsilon) {
    require_epsilon(epsilon);
    const TopKBudget budget = exact_top_k_budget(subject(), rho_bounds().upper, epsilon);
    return {Decision::proved, Proved<TopKBudget>(budget, CheckerAccess::key()),
            "sums of the smallest entries of each row, with ρ on either side"};
}

std::optional<Rational> MeasuringChecker::lower_reach(const LowerWitness& witness) {
    return reach(measure(witness));
}

std::optional<Rational> MeasuringChecker::upper_reach(const UpperWitness& witness) {
    return reach(measure(witness));
}

}  // namespace detail
}  // namespace rankcert
