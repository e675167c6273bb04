#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "eckart_young_witness.hpp"
#include "fixed_space_optimise.hpp"
#include "random.hpp"
#include "rankcert/search/lower.hpp"
#include "rankcert/search/work.hpp"

namespace rankcert::search {
namespace {

/// ‖S‖ · tolerance has to come below this: the rest is room for rounding to a grid.
constexpr double kGoal = 1 - 1e-5;

/// Every row keeps some weight, or S could not use it.
WeightedGrouping with_all_rows(WeightedGrouping choice) {
    const double floor = 1e-3 / static_cast<double>(choice.weights.size());
    choice.weights = (choice.weights.array().square() + floor).sqrt().matrix();
    choice.weights.normalize();
    return choice;
}

WeightedGrouping with_weights(const Matrix& a, Vector weights) {
    WeightedGrouping choice = plain_grouping(a);
    choice.weights = weights.normalized();
    return choice;
}

/// Every entry of D moved at random, by this share of their root mean square.
FixedSpace shaken(FixedSpace space, double share, Random& random) {
    const double size = share * space.basis.norm() / std::sqrt(static_cast<double>(space.basis.size()));
    for (double& x : space.basis.reshaped()) x += size * random.normal();
    return space;
}

Vector random_weights(Index count, Random& random) {
    Vector weights(count);
    for (double& w : weights) w = std::exp(.5 * random.normal());
    return weights.normalized();
}

}  // namespace

Index proposed_rank(const LowerWitness& witness) {
    struct Visitor {
        Index operator()(const FixedSpaceWitness& w) const { return w.basis.cols(); }
        Index operator()(const NeumannWitness& w) const { return w.selection.rows(); }
        Index operator()(const EckartYoungWitness& w) const { return w.rank + 1; }
        Index operator()(const RowCycleWitness& w) const { return w.rank; }
        Index operator()(const LowerRule&) const { return 0; }
    };
    return std::visit(Visitor{}, witness);
}

LowerSearch::LowerSearch(Matrix a, const Options& options) : a_(std::move(a)), options_(options) {}

void LowerSearch::keep(FixedSpace space) {
    auto& best = attempts_[space.rank()].best;
    if (!best || space.reach > best->reach) best = std::move(space);
}

std::map<Index, double> LowerSearch::reach_curve() const {
    std::map<Index, double> curve;
    for (const auto& [k, known] : attempts_) {
        if (known.best) curve[k] = known.best->reach;
    }
    return curve;
}

std::vector<LowerWitness> LowerSearch::propose_quick(double tolerance) {
    std::vector<LowerWitness> proposals;
    if (a_.size() == 0 || !a_.allFinite() || !(tolerance >= 0)) return proposals;
    if (!full_rank_tried_) {
        full_rank_tried_ = true;
        if (auto space = full_fixed_space(a_)) keep(std::move(*space));
    }
    if (auto witness = best_known(tolerance, 0)) proposals.emplace_back(std::move(*witness));
    const Index most = std::min(a_.rows(), a_.cols());
    if (!proposals.empty() && proposed_rank(proposals.front()) == most) return proposals;
    if (auto witness = propose_neumann(a_, tolerance, options_)) proposals.emplace_back(std::move(*witness));
    if (tolerance > 0) {
        const WeightedGrouping plain = plain_grouping(a_);
        const Index bound = count_tail(a_, plain, tolerance * (1 + 1e-9)).value_or(0);
        if (auto witness = round_grouping(a_, plain, bound, tolerance))
            proposals.emplace_back(std::move(*witness));
    }
    std::stable_sort(proposals.begin(), proposals.end(), [](const LowerWitness& x, const LowerWitness& y) {
        return proposed_rank(x) > proposed_rank(y);
    });
    return proposals;
}

std::optional<LowerWitness> LowerSearch::best_known(double tolerance, Index above) const {
    for (auto known = attempts_.rbegin(); known != attempts_.rend() && known->first > above; ++known) {
        if (!known->second.best || !(known->second.best->reach > tolerance)) continue;
        if (auto witness = round_fixed_space(a_, *known->second.best, tolerance)) return witness;
    }
    return std::nullopt;
}

/// Weights and groupings that raise the tail of about the given rank, from the plain ones (those that served
/// another rank lead to worse spaces), and not to the end. Neighbouring ranks share them.
const WeightedGrouping& LowerSearch::choice_for(Index rank, double tolerance) {
    rank = std::max<Index>(rank, 1);
    const auto near = choices_.lower_bound(rank - 2);
    if (near != choices_.end() && near->first <= rank + 1) return near->second.grouping;
    TailSearchOptions search;
    search.iterations = 20;
    search.stop_at_goal = false;
    TailSearchResult result = maximize_tail(a_, rank, tolerance, plain_grouping(a_), search);
    if (!(result.tail > 0)) result.choice = plain_grouping(a_);
    return (choices_[rank] = {with_all_rows(std::move(result.choice)), {}}).grouping;
}

/// Down from more dimensions to k, each time without the direction that costs most.
std::optional<FixedSpace> LowerSearch::dropped_to(Index k, Index from, double tolerance) {
    auto space = from > k ? space_from_grouping(a_, choice_for(k - 2, tolerance), from) : std::nullopt;
    while (space && space->rank() > k) {
        constexpr int kSteps = 30;
        space = minimize_inverse(a_, *space, 1 / tolerance,
                                 {.stages = {{.3, .5}, {.1, .2}}, .iterations = kSteps});
        space = drop_direction(a_, *space);
    }
    return space;
}

/// The starts of one k, one after the other: from 2.2 at several ranks, from other k, and then moves away
/// from the best that is known, without end.
std::optional<FixedSpace> LowerSearch::next_start(Index k, double tolerance) {
    Attempts& known = attempts_[k];
    const int start = known.starts++;
    Random random((options_.seed * 1'000'003ULL + static_cast<std::uint64_t>(k)) * 1'000'003ULL +
                  static_cast<std::uint64_t>(start));
    switch (start) {
        case 0:
            return space_from_grouping(a_, choice_for(k - 2, tolerance), k);
        case 1:
            return space_from_grouping(a_, choice_for(3 * k / 4, tolerance), k);
        case 2:
            return dropped_to(k, std::min({k + 4, a_.rows(), a_.cols()}), tolerance);
        case 3: {
            const Vector norms = a_.rowwise().norm();
            const double floor = std::max(1e-3 * norms.maxCoeff(), std::numeric_limits<double>::min());
            return space_from_grouping(a_, with_weights(a_, norms.cwiseMax(floor).cwiseInverse()), k);
        }
        case 4: {
            const auto below = attempts_.find(k - 1);
            if (below == attempts_.end() || !below->second.best) return std::nullopt;
            return add_direction(a_, *below->second.best, choice_for(k - 2, tolerance).weights);
        }
        case 5:
            return space_from_grouping(a_, plain_grouping(a_), k);
        default:
            break;
    }
    if (!known.best) return std::nullopt;
    switch (start % 4) {
        case 0:
            return space_from_grouping(a_, with_weights(a_, random_weights(a_.rows(), random)), k);
        case 2: {
            const auto fewer = drop_direction(a_, *known.best);
            return fewer ? add_direction(a_, *fewer, random_weights(a_.rows(), random)) : std::nullopt;
        }
        default:
            return shaken(*known.best, start % 8 < 4 ? .05 : .2, random);
    }
}

/// Tries to find a space of dimension k that holds at the tolerance, from so many new starts. What it finds
/// is kept.
bool LowerSearch::attempt(Index k, double tolerance, int starts, const std::function<bool()>& over,
                          const std::function<bool()>& stop) {
    Attempts& known = attempts_[k];
    const auto reached = [&] { return known.best && known.best->reach * kGoal > tolerance; };
    const auto refine = [&](const FixedSpace& space, bool warm, double rival) {
        keep(refine_space(a_, space, tolerance / kGoal, {warm, rival, stop}));
    };
    if (known.best && !reached() && known.aimed < tolerance && known.best->reach > tolerance / 2) {
        refine(FixedSpace(*known.best), true, 0);
    }
    known.aimed = std::max(known.aimed, tolerance);
    for (int i = 0; i < starts && !reached() && !over(); ++i) {
        const bool moved = known.starts > 5 && known.starts % 4 != 0;
        const auto start = next_start(k, tolerance);
        charge_work(1e-5);  // so that a k without starts comes to an end
        if (start) refine(*start, moved, known.best && known.starts > 1 ? known.best->reach : 0);
    }
    return reached();
}

std::optional<LowerWitness> LowerSearch::propose_optimised(double tolerance, Index lower, Index upper,
                                                           double seconds,
                                                           const std::function<bool()>& stop) {
    if (a_.size() == 0 || !a_.allFinite() || !(tolerance > 0)) return std::nullopt;
    if (std::max(a_.rows(), a_.cols()) > kLargestOptimised) return std::nullopt;
    upper = std::min({upper, a_.rows(), a_.cols()});
    const double deadline = work_seconds() + seconds;
    // Nothing in progress is cut short, unless it takes more than all that one tolerance may take.
    const double limit = work_seconds() + std::max(seconds, options_.seconds);
    const std::function<bool()> told = [&] { return work_seconds() > limit || (stop && stop()); };
    const std::function<bool()> over = [&] { return work_seconds() > deadline || told(); };
    constexpr int kQuickStarts = 1;  // while the range of k is narrowed
    std::optional<LowerWitness> best;
    Index low = lower;       // reached
    Index high = upper + 1;  // out of reach, or believed to be
    for (auto known = attempts_.rbegin(); known != attempts_.rend(); ++known) {
        if (known->first > upper || !known->second.best || !(known->second.best->reach * kGoal > tolerance))
            continue;
        low = std::max(low, known->first);
        break;
    }
    // Success takes less time than failure, so that steps up are short. The groupings that serve as starts
    // are witnesses, too.
    const auto counted = [&] {
        Index most = 0;
        for (auto& [rank, choice] : choices_) {
            auto& count = choice.counts[tolerance];
            if (!count) count = count_tail(a_, choice.grouping, tolerance * (1 + 1e-4)).value_or(0);
            most = std::max(most, *count);
        }
        return std::min(most, upper);
    };
    while (high - low > 1 && !told()) {
        const Index k = low + std::max<Index>(1, std::min((high - low) / 3, std::max<Index>(low / 8, 2)));
        const int left = kQuickStarts - attempts_[k].starts;
        (attempt(k, tolerance, left, told, told) ? low : high) = k;
        low = std::max(low, counted());
        high = std::max(high, low + 1);
    }
    while (low < upper && !over()) {
        const int left = most_starts(std::max(a_.rows(), a_.cols())) - attempts_[low + 1].starts;
        if (!attempt(low + 1, tolerance, left, over, told)) break;
        ++low;
    }
    best = best_known(tolerance, lower);
    (void)counted();
    for (const auto& [rank, choice] : choices_) {
        const Index bound = std::min(upper, choice.counts.at(tolerance).value_or(0));
        if (bound <= (best ? proposed_rank(*best) : lower)) continue;
        if (auto witness = round_grouping(a_, choice.grouping, bound, tolerance)) best = std::move(*witness);
    }
    return best;
}

std::optional<LowerWitness> LowerSearch::propose(double tolerance, Index upper, double seconds) {
    const double start = work_seconds();
    std::optional<LowerWitness> best;
    auto quick = propose_quick(tolerance);
    if (!quick.empty()) best = std::move(quick.front());
    const Index lower = best ? proposed_rank(*best) : 0;
    const double left = seconds - (work_seconds() - start);
    if (lower < upper && left > 0) {
        if (auto more = propose_optimised(tolerance, lower, upper, left)) best = std::move(*more);
    }
    return best;
}

}  // namespace rankcert::search
