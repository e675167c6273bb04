#include "grid.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace rankcert::detail {

namespace {

bool is_rule(const LowerWitness& witness) { return std::holds_alternative<LowerRule>(witness); }
bool is_rule(const UpperWitness& witness) { return std::holds_alternative<UpperRule>(witness); }

bool is_float(const LowerWitness& witness) {
    if (const auto* fixed = std::get_if<FixedSpaceWitness>(&witness)) {
        return fixed->basis.is_double() && fixed->inverse.is_double();
    }
    if (const auto* neumann = std::get_if<NeumannWitness>(&witness)) return neumann->inverse.is_double();
    if (const auto* cycle = std::get_if<RowCycleWitness>(&witness)) return cycle->vectors.is_double();
    return true;
}

bool is_float(const UpperWitness& witness) {
    const auto* factors = std::get_if<FactorWitness>(&witness);
    return factors == nullptr || (factors->left.is_double() && factors->right.is_double());
}

}  // namespace

Grid::Grid(Subject subject, unsigned precision, Level final_level)
    : subject_(std::move(subject)), precision_(precision), final_level_(final_level) {}

Checker& Grid::checker(Level level) {
    auto& slot = level == Level::fast ? fast_ : exact_;
    if (!slot) slot = make_checker(subject_, level);
    return *slot;
}

Rational Grid::rho() { return subject_.head ? checker(final_level_).rho() : Rational(0); }

template <class E>
bool Grid::needs_exact(const E& entry) const {
    // What float64 cannot hold, and rules, are the exact checker's in any case.
    return final_level_ == Level::exact || is_rule(entry.witness) || !subject_.centre.is_double() ||
           !is_float(entry.witness);
}

template <class E>
auto Grid::verdict(E& entry, const Rational& epsilon, Level level) {
    auto& slot = level == Level::fast ? entry.fast : entry.exact;
    Checker& judge = checker(level);
    if (!slot) slot.emplace(judge.measure(entry.witness));
    return judge.decide(*slot, epsilon);
}

/// The rank that the entry proves at ε, by the first level that proves it. The exact level is not troubled
/// where ε is far beyond what the fast one allows.
template <class E>
std::optional<Index> Grid::provisional_rank(E& entry, const Rational& epsilon) {
    static const Rational kNear = to_rational(1e-9);
    static const Rational kFraction = to_rational(1e-6);
    if (!entry.exact && !is_rule(entry.witness) && subject_.centre.is_double()) {
        if (const auto said = verdict(entry, epsilon, Level::fast); said.proof) return (*said.proof)->rank;
        const auto reach = checker(Level::fast).reach(*entry.fast);
        if (reach && abs(Rational(*reach - epsilon)) > kNear + kFraction * epsilon) return std::nullopt;
    }
    if (!needs_exact(entry)) return std::nullopt;
    if (const auto said = verdict(entry, epsilon, Level::exact); said.proof) return (*said.proof)->rank;
    return std::nullopt;
}

Standing Grid::standing(const Rational& epsilon) {
    Standing out;
    out.upper = std::min(subject_.rows(), subject_.cols());
    for (std::size_t i = 0; i < lower_.size(); ++i) {
        if (const auto rank = provisional_rank(lower_[i], epsilon); rank && *rank > out.lower) {
            out.lower = *rank;
            out.lower_witness = static_cast<int>(i);
        }
    }
    for (std::size_t i = 0; i < upper_.size(); ++i) {
        const auto rank = provisional_rank(upper_[i], epsilon);
        if (rank && (*rank < out.upper || (*rank == out.upper && out.upper_witness < 0))) {
            out.upper = *rank;
            out.upper_witness = static_cast<int>(i);
        }
    }
    return out;
}

template <class E, class W>
bool Grid::offer_to(std::deque<E>& entries, const W& witness, const Rational& epsilon, Index than,
                    bool larger) {
    E entry{witness, std::nullopt, std::nullopt};
    const auto rank = provisional_rank(entry, epsilon);
    if (!rank || (larger ? *rank <= than : *rank >= than)) return false;
    entries.push_back(std::move(entry));
    return true;
}

bool Grid::offer(const LowerWitness& witness, const Rational& epsilon, Index than) {
    return offer_to(lower_, witness, epsilon, than, true);
}

bool Grid::offer(const UpperWitness& witness, const Rational& epsilon, Index than) {
    return offer_to(upper_, witness, epsilon, than, false);
}

void Grid::add(const LowerWitness& witness) { lower_.push_back({witness, std::nullopt, std::nullopt}); }
void Grid::add(const UpperWitness& witness) { upper_.push_back({witness, std::nullopt, std::nullopt}); }

void Grid::keep_best(const std::vector<Rational>& epsilons) {
    std::set<int> lower, upper;
    for (const Rational& epsilon : epsilons) {
        const Standing at = standing(epsilon);
        lower.insert(at.lower_witness);
        upper.insert(at.upper_witness);
    }
    const auto keep = [](auto& entries, const std::set<int>& best) {
        auto kept = std::exchange(entries, {});
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (is_rule(kept[i].witness) || best.count(static_cast<int>(i)) > 0) {
                entries.push_back(std::move(kept[i]));
            }
        }
    };
    keep(lower_, lower);
    keep(upper_, upper);
}

const LowerWitness& Grid::lower_witness(int index) const {
    return lower_[static_cast<std::size_t>(index)].witness;
}
const UpperWitness& Grid::upper_witness(int index) const {
    return upper_[static_cast<std::size_t>(index)].witness;
}

/// The best that the final level proves. Those that promise most are asked first, so that as few as possible
/// are measured exactly.
template <class Statement, class E>
std::optional<Proved<Statement>> Grid::settle_side(std::deque<E>& entries, const Rational& epsilon,
                                                   bool larger, int& used, Level& level) {
    std::vector<std::pair<Index, std::size_t>> order;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (const auto rank = provisional_rank(entries[i], epsilon))
            order.emplace_back(larger ? -*rank : *rank, i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [key, i] : order) {
        E& entry = entries[i];
        const Level judge = needs_exact(entry) ? Level::exact : Level::fast;
        auto said = verdict(entry, epsilon, judge);
        if (!said.proof) {
            // provisional_rank had it proved, so the fast level did: the levels contradict each other.
            throw std::logic_error("a " + std::string(method_name(entry.witness)) +
                                   " witness at ε = " + to_string(epsilon) +
                                   " is proved by the fast checker and not by the exact one: " + said.reason);
        }
        used = static_cast<int>(i);
        if (judge == Level::fast) level = Level::fast;
        return std::move(said.proof);
    }
    return std::nullopt;
}

std::pair<Bracket, Standing> Grid::settle(const Rational& epsilon, bool top_k) {
    Bracket out;
    Standing at;
    out.epsilon = epsilon;
    out.level = Level::exact;
    out.lower = settle_side<RankAtLeast>(lower_, epsilon, true, at.lower_witness, out.level);
    out.upper = settle_side<RankAtMost>(upper_, epsilon, false, at.upper_witness, out.level);
    if (!out.upper) throw std::logic_error("no upper witness was proved, not even the shape");
    if (out.lower && (*out.lower)->rank == 0) {
        out.lower.reset();
        at.lower_witness = -1;
    }
    out.lower_method = out.lower ? method_name(lower_witness(at.lower_witness)) : "none";
    out.upper_method = method_name(upper_witness(at.upper_witness));
    at.lower = out.lower_rank();
    at.upper = out.upper_rank();
    if (at.lower > at.upper) {
        throw std::logic_error("the bounds cross at ε = " + to_string(epsilon) + ": " +
                               std::to_string(at.lower) + " (" + out.lower_method + ") above " +
                               std::to_string(at.upper) + " (" + out.upper_method + ")");
    }
    if (top_k) {
        const Level judge =
            final_level_ == Level::fast && subject_.centre.is_double() ? Level::fast : Level::exact;
        auto said = checker(judge).prove_top_k_budget(epsilon);
        if (!said.proof && judge == Level::fast) said = checker(Level::exact).prove_top_k_budget(epsilon);
        if (said.proof) out.top_k = std::move(said.proof);
    }
    return {std::move(out), at};
}

}  // namespace rankcert::detail
