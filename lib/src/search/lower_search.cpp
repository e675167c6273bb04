#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "eckart_young_witness.hpp"
#include "fixed_space_optimise.hpp"
#include "rankcert/search/lower.hpp"

namespace rankcert::search {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point after(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e6)));
}

/// ‖S‖ · tolerance has to come below this: the rest is room for rounding to a grid.
constexpr double kGoal = 1 - 1e-5;

/// The stages of an attempt at one k, with the value of ‖S‖ · tolerance above which the next is not worth its time.
struct Step {
    SmoothingStage stage;
    double give_up;
};
constexpr Step kSteps[] = {{{0.3, 0.5}, 1.8}, {{0.1, 0.2}, 1.25}, {{0.03, 0.1}, 1.08}, {{0.01, 0.03}, 1.03},
                           {{0.003, 0.01}, 1.0}};

}  // namespace

Index proposed_rank(const LowerWitness& witness) {
    struct Visitor {
        Index operator()(const FixedSpaceWitness& w) const { return w.basis.cols(); }
        Index operator()(const NeumannWitness& w) const { return w.selection.rows(); }
        Index operator()(const EckartYoungWitness& w) const { return w.rank + 1; }
        Index operator()(const LowerRule&) const { return 0; }
    };
    return std::visit(Visitor{}, witness);
}

LowerSearch::LowerSearch(Matrix a, const Options& options) : a_(std::move(a)), options_(options) {}

void LowerSearch::keep(FixedSpace space) {
    const Index k = space.rank();
    const auto found = spaces_.find(k);
    if (found == spaces_.end()) {
        spaces_.emplace(k, std::move(space));
    } else if (space.reach > found->second.reach) {
        found->second = std::move(space);
    }
}

std::map<Index, double> LowerSearch::reach_curve() const {
    std::map<Index, double> curve;
    for (const auto& [k, space] : spaces_) curve[k] = space.reach;
    return curve;
}

std::vector<LowerWitness> LowerSearch::propose_quick(double tolerance) {
    std::vector<LowerWitness> proposals;
    if (a_.size() == 0 || !a_.allFinite() || !(tolerance >= 0)) return proposals;
    if (!full_rank_tried_) {
        full_rank_tried_ = true;
        if (auto space = full_fixed_space(a_)) keep(std::move(*space));
    }
    for (auto space = spaces_.rbegin(); space != spaces_.rend(); ++space) {
        if (!(space->second.reach > tolerance)) continue;
        if (auto witness = round_fixed_space(a_, space->second, tolerance)) {
            proposals.emplace_back(std::move(*witness));
            break;
        }
    }
    const Index most = std::min(a_.rows(), a_.cols());
    if (!proposals.empty() && proposed_rank(proposals.front()) == most) return proposals;
    if (auto witness = propose_neumann(a_, tolerance, options_)) proposals.emplace_back(std::move(*witness));
    if (tolerance > 0) {
        const WeightedGrouping plain = plain_grouping(a_);
        const Index bound = count_tail(a_, plain, tolerance * (1 + 1e-9)).value_or(0);
        if (auto witness = round_grouping(a_, plain, bound, tolerance)) proposals.emplace_back(std::move(*witness));
    }
    std::stable_sort(proposals.begin(), proposals.end(), [](const LowerWitness& x, const LowerWitness& y) {
        return proposed_rank(x) > proposed_rank(y);
    });
    return proposals;
}

std::optional<LowerWitness> LowerSearch::propose_optimised(double tolerance, Index lower, Index upper, double seconds,
                                                           const std::function<bool()>& stop) {
    if (a_.size() == 0 || !a_.allFinite() || !(tolerance > 0)) return std::nullopt;
    upper = std::min({upper, a_.rows(), a_.cols()});
    const auto deadline = after(seconds);
    const auto over = [&] { return Clock::now() > deadline || (stop && stop()); };

    std::optional<LowerWitness> best;
    Index reached = lower;
    TailSearchOptions tail;
    tail.deadline = std::min(deadline, after(seconds * 0.3));
    const GroupingBound grouping = optimise_grouping(a_, tolerance, plain_grouping(a_), upper, tail);
    if (grouping.bound > reached) {
        if (auto witness = round_grouping(a_, grouping.choice, grouping.bound, tolerance)) {
            best = std::move(*witness);
            reached = grouping.bound;
        }
    }
    // Every row keeps some weight, or S could not use it.
    WeightedGrouping start = grouping.choice;
    start.weights = (start.weights.array().square() + 1e-3 / static_cast<double>(a_.rows())).sqrt().matrix();
    start.weights.normalize();

    const auto attempt = [&](Index k) {
        auto space = space_from_grouping(a_, start, k);
        if (!space) return false;
        for (const Step& step : kSteps) {
            FixedSpaceOptions options;
            options.stages = {step.stage};
            options.goal = kGoal / tolerance;
            options.stop = over;
            *space = minimize_inverse(a_, *space, 1 / tolerance, options);
            if (!(space->reach > 0)) return false;
            if (space->reach * kGoal > tolerance || space->reach * step.give_up < tolerance || over()) break;
        }
        keep(*space);
        if (!(space->reach > tolerance)) return false;
        auto witness = round_fixed_space(a_, *space, tolerance);
        if (!witness) return false;
        best = std::move(*witness);
        return true;
    };
    Index above = upper + 1;
    while (above - reached > 1 && !over()) {
        const Index k = reached + (above - reached) / 2;
        (attempt(k) ? reached : above) = k;
    }
    return best;
}

std::optional<LowerWitness> LowerSearch::propose(double tolerance, Index upper, double seconds) {
    const auto start = Clock::now();
    std::optional<LowerWitness> best;
    auto quick = propose_quick(tolerance);
    if (!quick.empty()) best = std::move(quick.front());
    const Index lower = best ? proposed_rank(*best) : 0;
    const double left = seconds - std::chrono::duration<double>(Clock::now() - start).count();
    if (lower < upper && left > 0) {
        if (auto more = propose_optimised(tolerance, lower, upper, left)) best = std::move(*more);
    }
    return best;
}

}  // namespace rankcert::search
