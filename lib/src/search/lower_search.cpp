#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
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

/// The stages of an attempt at one k, with the value of ‖S‖ · tolerance above which the next is not worth its
/// time.
struct Step {
    SmoothingStage stage;
    double give_up;
};
constexpr Step kSteps[] = {
    {{0.3, 0.5}, 1.8}, {{0.1, 0.2}, 1.25}, {{0.03, 0.1}, 1.08}, {{0.01, 0.03}, 1.03}, {{0.003, 0.01}, 1.0}};
constexpr int kQuickIterations = 40;  ///< a stage, while the range of k is halved
constexpr int kLongIterations = 100;  ///< at the k where that ended

/// Every row keeps some weight, or S could not use it.
WeightedGrouping with_all_rows(WeightedGrouping choice) {
    const double floor = 1e-3 / static_cast<double>(choice.weights.size());
    choice.weights = (choice.weights.array().square() + floor).sqrt().matrix();
    choice.weights.normalize();
    return choice;
}

/// The attempts at one tolerance.
class Attempts {
  public:
    Attempts(const Matrix& a, double tolerance, std::function<bool()> over)
        : a_(a), tolerance_(tolerance), over_(std::move(over)) {}

    [[nodiscard]] bool over() const { return over_(); }
    [[nodiscard]] double value(const FixedSpace& space) const {
        return space.reach > 0 ? tolerance_ / space.reach : std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] bool holds(const FixedSpace& space) const { return value(space) < kGoal; }

    /// Stage after stage from `first` on, as long as the next has a chance.
    [[nodiscard]] FixedSpace improve(FixedSpace space, int iterations, std::size_t first = 0) const {
        FixedSpace best = space;
        for (std::size_t i = first; i < std::size(kSteps) && !over(); ++i) {
            FixedSpaceOptions options;
            options.stages = {kSteps[i].stage};
            options.iterations = iterations;
            options.goal = kGoal / tolerance_;
            options.stop = over_;
            space = minimize_inverse(a_, space, 1 / tolerance_, options);
            if (space.reach > best.reach) best = space;
            if (!(space.reach > 0) || holds(best) || value(best) > kSteps[i].give_up) break;
        }
        return best;
    }

    /// From k + extra dimensions down to k, each time without the direction that costs most.
    [[nodiscard]] std::optional<FixedSpace> drop_to(FixedSpace space, Index k) const {
        FixedSpaceOptions options;
        options.stages = {kSteps[0].stage, kSteps[1].stage};
        options.iterations = 30;
        options.stop = over_;
        while (space.rank() > k && !over()) {
            space = minimize_inverse(a_, space, 1 / tolerance_, options);
            auto fewer = drop_direction(a_, space);
            if (!fewer) return std::nullopt;
            space = std::move(*fewer);
        }
        return space;
    }

  private:
    const Matrix& a_;
    double tolerance_;
    std::function<bool()> over_;
};

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
        if (auto witness = round_grouping(a_, plain, bound, tolerance))
            proposals.emplace_back(std::move(*witness));
    }
    std::stable_sort(proposals.begin(), proposals.end(), [](const LowerWitness& x, const LowerWitness& y) {
        return proposed_rank(x) > proposed_rank(y);
    });
    return proposals;
}

std::optional<LowerWitness> LowerSearch::propose_optimised(double tolerance, Index lower, Index upper,
                                                           double seconds,
                                                           const std::function<bool()>& stop) {
    if (a_.size() == 0 || !a_.allFinite() || !(tolerance > 0)) return std::nullopt;
    upper = std::min({upper, a_.rows(), a_.cols()});
    const auto deadline = after(seconds);
    const Attempts attempts(a_, tolerance, [&] { return Clock::now() > deadline || (stop && stop()); });
    std::optional<LowerWitness> best;
    Index reached = lower;
    // Keeps the space for other tolerances; true where it proves more than what is at hand.
    const auto offer = [&](FixedSpace space) {
        const Index k = space.rank();
        const bool good = k > reached && k <= upper && attempts.holds(space);
        auto witness = good ? round_fixed_space(a_, space, tolerance) : std::nullopt;
        keep(std::move(space));
        if (!witness) return false;
        best = std::move(*witness);
        reached = k;
        return true;
    };
    const std::map<Index, FixedSpace> known = spaces_;
    for (auto space = known.rbegin(); space != known.rend() && !offer(space->second); ++space) {
    }
    if (reached >= upper || attempts.over()) return best;

    // The best start found: weights and groupings that raise the tail of a rank a little below k, from the
    // plain ones (those that served another rank lead to worse spaces), and not to the end. Neighbouring k
    // share them.
    std::map<Index, WeightedGrouping> choices;
    const auto choice_for = [&](Index k) -> const WeightedGrouping& {
        constexpr Index kBelow = 2, kNear = 2;
        const Index r = std::max<Index>(k - kBelow, 1);
        const auto near = choices.lower_bound(r - kNear);
        if (near != choices.end() && near->first <= r + 1) return near->second;
        TailSearchOptions search;
        search.iterations = 20;
        search.stop_at_goal = false;
        search.deadline = deadline;
        TailSearchResult result = maximize_tail(a_, r, tolerance, plain_grouping(a_), search);
        if (!(result.tail > 0)) result.choice = plain_grouping(a_);
        const Index bound =
            std::min(upper, count_tail(a_, result.choice, tolerance * (1 + 1e-4)).value_or(0));
        if (bound > reached) {
            if (auto witness = round_grouping(a_, result.choice, bound, tolerance)) {
                best = std::move(*witness);
                reached = bound;
            }
        }
        return choices[r] = with_all_rows(std::move(result.choice));
    };
    for (Index above = upper + 1; above - reached > 1 && !attempts.over();) {
        const Index k = reached + (above - reached) / 2;
        const WeightedGrouping& choice = choice_for(k);
        if (reached >= k) continue;
        auto start = space_from_grouping(a_, choice, k);
        if (!start || !offer(attempts.improve(std::move(*start), kQuickIterations))) above = k;
    }

    // One by one from there, longer and from other starts; one that led to success is asked first for the
    // next.
    using Start = std::function<std::optional<FixedSpace>(Index)>;
    std::vector<Start> starts = {
        [&](Index k) { return space_from_grouping(a_, choice_for(k), k); },
        [&](Index k) -> std::optional<FixedSpace> {
            const Index more = std::min({k + 4, a_.rows(), a_.cols()});
            auto start = more > k ? space_from_grouping(a_, choice_for(k), more) : std::nullopt;
            return start ? attempts.drop_to(std::move(*start), k) : std::nullopt;
        },
        [&](Index k) { return space_from_grouping(a_, plain_grouping(a_), k); },
        [&](Index k) -> std::optional<FixedSpace> {
            const auto found = spaces_.find(k - 1);
            if (found == spaces_.end()) return std::nullopt;
            return add_direction(a_, found->second, choice_for(k).weights);
        },
    };
    for (bool success = true; success && reached < upper && !attempts.over();) {
        success = false;
        for (std::size_t i = 0; i < starts.size() && !success && !attempts.over(); ++i) {
            auto start = starts[i](reached + 1);
            if (!start) continue;
            success = offer(attempts.improve(std::move(*start), kLongIterations));
            if (!success) continue;
            const auto here = starts.begin() + static_cast<std::ptrdiff_t>(i);
            std::rotate(starts.begin(), here, here + 1);
        }
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
