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

void LowerSearch::keep(FixedSpace space, double temperature) {
    Attempts& known = attempts_[space.rank()];
    if (known.best && !(space.reach > known.best->reach)) return;
    known.best = std::move(space);
    known.temperature = temperature;
}

/// The largest dimension up to `upper` of a space that holds at the tolerance.
Index LowerSearch::reached_rank(double tolerance, Index upper) const {
    for (auto known = attempts_.rbegin(); known != attempts_.rend(); ++known) {
        if (known->first <= upper && known->second.best && known->second.best->reach * kGoal > tolerance)
            return known->first;
    }
    return 0;
}

bool LowerSearch::large() const noexcept { return std::max(a_.rows(), a_.cols()) > kLarge; }

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
    const Index most = std::min(a_.rows(), a_.cols());
    if (!full_reach_ || (*full_reach_ > tolerance && !attempts_[most].best)) {
        auto space = full_fixed_space(a_);
        full_reach_ = space ? space->reach : 0;
        // Two hundred megabytes of a large matrix are kept where they serve.
        if (space && (!large() || space->reach > tolerance)) keep(std::move(*space));
    }
    if (auto witness = best_known(tolerance, 0)) proposals.emplace_back(std::move(*witness));
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

/// Spaces of large matrices take a hundred megabytes: that of the largest dimension that holds and the next,
/// which the searches to come start from, are kept.
void LowerSearch::forget_but(Index k) {
    if (!large()) return;
    for (auto& [other, known] : attempts_) {
        if (other != k && other != k + 1) known.best.reset();
    }
}

/// Weights and a grouping that raise the tail of a rank below k, from a dense random grouping into few more
/// groups than k: better and sooner than from one group a token. What they prove at this tolerance is kept.
WeightedGrouping LowerSearch::random_choice(Index k, double tolerance, int kind, std::uint64_t seed) {
    Random random(seed);
    constexpr double kGroups[] = {2, 1.5, 1.2, 3};         // for each dimension
    constexpr double kBelow[] = {.125, .04, .2, .08, .3};  // how far below k, as a share of k
    const double size = static_cast<double>(k);
    if (large()) kind = 2 + 4 * 4;  // the fewest groups, and not far below k
    const auto groups = std::min(a_.cols(), std::max(k + 2, static_cast<Index>(kGroups[kind % 4] * size)));
    const auto rank = std::max<Index>(1, k - 1 - static_cast<Index>(kBelow[kind % 5] * size));
    WeightedGrouping start = plain_grouping(a_);
    start.grouping.resize(a_.cols(), groups);
    for (double& x : start.grouping.reshaped()) x = random.normal();
    start.grouping.rowwise().normalize();
    TailSearchOptions search;
    search.iterations = large() ? 12 : 30;
    search.stop_at_goal = false;
    TailSearchResult result = maximize_tail(a_, std::min(rank, groups - 1), tolerance, start, search);
    if (!(result.tail > 0)) result.choice = start;
    Choice& best = choices_[tolerance];
    const Index bound = count_tail(a_, result.choice, tolerance * (1 + 1e-4)).value_or(0);
    if (bound > best.bound) best = {result.choice, bound};
    return with_all_rows(std::move(result.choice));
}

/// Down from more dimensions to k, each time without the direction that costs most.
std::optional<FixedSpace> LowerSearch::dropped_to(Index k, Index from, double tolerance, std::uint64_t seed) {
    auto space =
        from > k ? space_from_grouping(a_, random_choice(k, tolerance, 0, seed), from) : std::nullopt;
    while (space && space->rank() > k) {
        constexpr int kSteps = 30;
        space = minimize_inverse(a_, std::move(*space), 1 / tolerance,
                                 {.stages = {{.3, .5}, {.1, .2}}, .iterations = kSteps});
        space = drop_direction(a_, *space);
    }
    return space;
}

/// The starts of one k, one after the other, without end: from 2.2 with random groupings, from other k, and
/// moves away from the best that is known; and the temperature at which each begins.
std::optional<FixedSpace> LowerSearch::next_start(Index k, double tolerance, double& temperature) {
    constexpr double kNear = .1, kMoved = .05;
    Attempts& known = attempts_[k];
    const int start = known.starts++;
    const std::uint64_t seed = (options_.seed * 1'000'003ULL + static_cast<std::uint64_t>(k)) * 1'000'003ULL +
                               static_cast<std::uint64_t>(start);
    Random random(seed);
    temperature = kColdSpace;
    switch (start) {
        case 1: {
            const auto below = attempts_.find(k - 1);
            if (below == attempts_.end() || !below->second.best) return std::nullopt;
            temperature = kNear;
            return add_direction(a_, *below->second.best, plain_grouping(a_).weights);
        }
        case 4:
            return dropped_to(k, std::min({k + 4, a_.rows(), a_.cols()}), tolerance, seed);
        case 6: {
            const Vector norms = a_.rowwise().norm();
            const double floor = std::max(1e-3 * norms.maxCoeff(), std::numeric_limits<double>::min());
            return space_from_grouping(a_, with_weights(a_, norms.cwiseMax(floor).cwiseInverse()), k);
        }
        case 8:
            return space_from_grouping(a_, plain_grouping(a_), k);
        default:
            break;
    }
    if (start < 10 || start % 2 == 0 || !known.best) {
        return space_from_grouping(a_, random_choice(k, tolerance, start, seed), k);
    }
    temperature = kMoved;
    if (start % 4 == 3) {
        const auto fewer = drop_direction(a_, *known.best);
        return fewer ? add_direction(a_, *fewer, random_weights(a_.rows(), random)) : std::nullopt;
    }
    return shaken(*known.best, start % 8 < 4 ? .05 : .2, random);
}

/// Tries to find a space of dimension k that holds at the tolerance, from so many new starts. What it finds
/// is kept, also of fewer dimensions than k, but more than `above`.
bool LowerSearch::attempt(Index k, Index above, double tolerance, int starts,
                          const std::function<bool()>& over, const std::function<bool()>& stop) {
    Attempts& known = attempts_[k];
    const auto reached = [&] { return known.best && known.best->reach * kGoal > tolerance; };
    const auto refine = [&](FixedSpace space, double from, double rival) {
        SpaceRefinement how;
        how.from = from;
        how.rival = rival;
        how.screened = known.screened;
        how.stop = stop;
        how.seen = [&](const FixedSpace& seen) {
            auto fewer = without_large_rows(seen, tolerance / kGoal);
            if (fewer && fewer->rank() > above) keep(std::move(*fewer));
        };
        RefinedSpace found = refine_space(a_, std::move(space), tolerance / kGoal, how);
        known.screened = std::max(known.screened, found.screened);
        keep(std::move(found.space), found.temperature);
    };
    if (known.best && !reached() && known.temperature > 0 &&
        known.best->reach * hope_at(known.temperature) > tolerance) {
        FixedSpace space = std::move(*known.best);
        known.best.reset();
        refine(std::move(space), known.temperature, 0);
    }
    for (int i = 0; i < starts && !reached() && !over(); ++i) {
        double temperature = 0;
        auto start = next_start(k, tolerance, temperature);
        charge_work(1e-5);  // so that a k without starts comes to an end
        const double rival = known.best && known.starts > 1 ? known.best->reach : 0;
        if (start) refine(std::move(*start), temperature, rival);
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
    // Nothing in progress is cut short, unless it takes more than a third of all that one tolerance
    // may take.
    const double limit = work_seconds() + std::max(seconds, options_.seconds / 3);
    const std::function<bool()> told = [&] { return work_seconds() > limit || (stop && stop()); };
    const std::function<bool()> over = [&] { return work_seconds() > deadline || told(); };
    constexpr int kQuickStarts = 1;  // while the range of k is narrowed
    // The groupings that serve as starts are witnesses, too.
    const auto reached = [&] {
        const auto choice = choices_.find(tolerance);
        const Index bound = choice == choices_.end() ? 0 : choice->second.bound;
        return std::max(std::min(bound, upper), reached_rank(tolerance, upper));
    };
    Index low = std::max(lower, reached());
    Index high = upper + 1;  // out of reach, or believed to be
    if (large() && choices_.count(tolerance) == 0) {
        // The tails of large matrices cost less than spaces, and say where to look for these.
        for (Index before = 0; low > before + before / 32 && !told();) {
            before = low;
            const Index k = std::min(upper, low + low / 4 + 2);
            (void)random_choice(k, tolerance, 0,
                                options_.seed * 1'000'003ULL + static_cast<std::uint64_t>(k));
            low = std::max(low, reached());
        }
    }
    // Success takes less time than failure, so that steps up are short.
    while (high - low > 1 && !told()) {
        const Index step = std::max<Index>(low / (large() ? 20 : 8), 2);
        const Index k = low + std::max<Index>(1, std::min((high - low) / 3, step));
        const int left = kQuickStarts - attempts_[k].starts;
        if (!attempt(k, low, tolerance, left, told, told)) high = k;
        low = std::max(low, reached());
        forget_but(low);
        high = std::max(high, low + 1);
    }
    while (low < upper && !over()) {
        const int left = most_starts(std::max(a_.rows(), a_.cols())) - attempts_[low + 1].starts;
        if (!attempt(low + 1, low, tolerance, left, over, told)) break;
        low = std::max(low, reached());
        forget_but(low);
    }
    std::optional<LowerWitness> best = best_known(tolerance, lower);
    if (const auto choice = choices_.find(tolerance); choice != choices_.end()) {
        const Index bound = std::min(upper, choice->second.bound);
        if (bound > (best ? proposed_rank(*best) : lower)) {
            if (auto witness = round_grouping(a_, choice->second.grouping, bound, tolerance))
                best = std::move(*witness);
        }
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
