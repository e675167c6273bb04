#include "row_cycle_climb.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

namespace rankcert::search {

namespace {

constexpr Index kPool = 384;  ///< rows that the search moves among
constexpr Index kMostPositions = 16;
constexpr double kMostSets = 120'000;
constexpr int kPatience = 12;         ///< swaps tried for each row before a climb ends
constexpr int kAddTries = 16;         ///< rows tried, of which the best is added,
constexpr double kEnoughGain = 1.03;  ///< or the first that raises the value this much
constexpr double kNearGoal = 0.85;    ///< how near a value has to be for rows to be added
constexpr double kMargin = 1e-6;  ///< a cycle is good where its value exceeds the tolerance by this fraction

/// Rows far apart in ℓ1, the first farthest from the mean.
std::vector<Index> far_rows(const Matrix& a, Index count) {
    std::vector<Index> chosen;
    if (a.rows() == 0) return chosen;
    const Eigen::RowVectorXd mean = a.colwise().mean();
    Index next = 0;
    (a.rowwise() - mean).cwiseAbs().rowwise().sum().maxCoeff(&next);
    Vector distance = Vector::Constant(a.rows(), HUGE_VAL);
    while (static_cast<Index>(chosen.size()) < count) {
        chosen.push_back(next);
        distance = distance.cwiseMin((a.rowwise() - a.row(next)).cwiseAbs().rowwise().sum());
        if (!(distance.maxCoeff(&next) > 0)) break;
    }
    return chosen;
}

}  // namespace

RowClimb::RowClimb(const Matrix& a, unsigned seed) : values(a), random(seed) {
    pool = far_rows(a, std::min(kPool, a.rows()));
    neighbours.resize(static_cast<std::size_t>(a.rows()));
    for (const Index row : pool) {
        std::vector<std::pair<double, Index>> order;
        for (const Index other : pool) {
            if (other != row) order.emplace_back((a.row(row) - a.row(other)).cwiseAbs().sum(), other);
        }
        const std::size_t near = std::min<std::size_t>(order.size(), 8);
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(near), order.end());
        for (std::size_t j = 0; j < near; ++j)
            neighbours[static_cast<std::size_t>(row)].push_back(order[j].second);
    }
    Matrix chosen(a.cols(), static_cast<Index>(pool.size()));
    for (std::size_t i = 0; i < pool.size(); ++i) chosen.col(static_cast<Index>(i)) = a.row(pool[i]);
    if (chosen.size() == 0) return;
    if (const auto order = pivot_columns(chosen)) {
        for (const Index i : *order) pivots.push_back(pool[static_cast<std::size_t>(i)]);
    }
}

void RowClimb::swap_rows(CycleFinder& finder, CycleState& state, double goal, int patience) {
    const auto n = static_cast<Index>(state.rows.size());
    std::set<std::vector<Index>> tried;
    for (int failures = 0; failures < patience && state.value < goal && !over();) {
        const Index position = draw(n);
        const Index old = state.rows[static_cast<std::size_t>(position)];
        const std::vector<Index>& near = neighbours[static_cast<std::size_t>(old)];
        const Index row = (random() & 1) != 0 && !near.empty()
                              ? near[static_cast<std::size_t>(draw(static_cast<Index>(near.size())))]
                              : pool[static_cast<std::size_t>(draw(static_cast<Index>(pool.size())))];
        ++failures;
        if (std::find(state.rows.begin(), state.rows.end(), row) != state.rows.end()) continue;
        std::vector<Index> key = state.rows;
        key[static_cast<std::size_t>(position)] = row;
        std::sort(key.begin(), key.end());
        if (!tried.insert(std::move(key)).second) continue;
        CycleState next = finder.with_swap(state, static_cast<int>(position), row);
        extra += 20e-9 * static_cast<double>(finder.sets().size());
        if (!find(finder, next, state.value * 1.001)) continue;
        raise(finder, next, goal);
        state = std::move(next);
        failures = 0;
    }
}

bool RowClimb::add_row(Index k, CycleState& state, double goal) {
    const auto n = static_cast<Index>(state.rows.size());
    if (n + 1 > kMostPositions || n + 1 > static_cast<Index>(pool.size()) ||
        SignedSets::count(static_cast<int>(k), static_cast<int>(n + 1)) > kMostSets)
        return false;
    CycleFinder narrow = finder(k, n), wide = finder(k, n + 1);
    std::vector<Index> candidates = pool;
    std::shuffle(candidates.begin(), candidates.end(), random);
    std::optional<CycleState> chosen;
    int tries = kAddTries;
    double value = state.value;
    for (const Index row : candidates) {
        if (over() || value >= std::min(goal, kEnoughGain * state.value) || tries-- == 0) break;
        if (std::find(state.rows.begin(), state.rows.end(), row) != state.rows.end()) continue;
        CycleState next = narrow.with_row(state, row, wide);
        extra += 20e-9 * static_cast<double>(wide.sets().size());
        if (!chosen) chosen = next;
        if (!find(wide, next, value * 1.001)) continue;
        raise(wide, next, goal);
        value = next.value;
        chosen = std::move(next);
    }
    if (!chosen) return false;
    state = std::move(*chosen);
    return true;
}

CycleState RowClimb::climb(Index k, std::vector<Index> rows, double goal) {
    rows.resize(static_cast<std::size_t>(k));
    CycleFinder first = finder(k, k);
    CycleState state = first.start(std::move(rows));
    raise(first, state, goal);
    keep(state, k);
    if (!(state.value > 0) || state.value >= goal || over()) return state;
    swap_rows(first, state, goal, static_cast<int>(kPatience * k));
    keep(state, k);
    if (state.value >= goal || over() || !add_row(k, state, goal)) return state;
    keep(state, k);
    CycleFinder second = finder(k, k + 1);
    swap_rows(second, state, goal, static_cast<int>(kPatience * (k + 1)));
    keep(state, k);
    return state;
}

CycleState RowClimb::shaken(Index k, const CycleState& from, double goal) {
    const auto n = static_cast<Index>(from.rows.size());
    CycleFinder at = finder(k, n);
    CycleState state = from;
    for (int change = 0; change < 2; ++change) {
        const Index row = pool[static_cast<std::size_t>(draw(static_cast<Index>(pool.size())))];
        if (std::find(state.rows.begin(), state.rows.end(), row) != state.rows.end()) continue;
        state = at.with_swap(state, static_cast<int>(draw(n)), row);
    }
    state.value = 0;
    raise(at, state, goal);
    if (state.value > 0 && !over()) swap_rows(at, state, goal, static_cast<int>(kPatience * n));
    keep(state, k);
    return state;
}

bool RowClimb::search(double tolerance, Index rank, double seconds) {
    const auto rows = static_cast<Index>(pool.size());
    if (rank < 2 || rank > rows || rank > values.cols() || !(tolerance > 0)) return false;
    const double goal = tolerance * (1 + kMargin) + 1e-11;
    end = work() + seconds;
    const auto good = [&] {
        const auto found = best.find(rank);
        return found != best.end() && found->second.value > goal;
    };
    // Past a little beyond the goal nothing is gained.
    const double aim = goal * (1 + 1e-4);
    CycleState shallow, deep;  // the best on at most rank + 1 rows, and one with more rows
    const auto better = [](const CycleState& x, const CycleState& y) { return x.value > y.value; };
    for (int round = 0; !good() && !over(); ++round) {
        CycleState state;
        if (round >= 3 && round % 4 != 0 && shallow.value > 0) {
            state = shaken(rank, shallow, aim);
        } else {
            std::vector<Index> start;
            const auto add = [&](Index row) {
                if (std::find(start.begin(), start.end(), row) == start.end()) start.push_back(row);
            };
            if (round == 0) {
                if (const auto below = best.find(rank - 1); below != best.end())
                    for (const Index row : below->second.rows) add(row);
            }
            if (round <= 1) {
                for (const Index row : pivots) add(row);
            } else if (round == 2) {
                for (const Index row : pool) add(row);
            }
            while (static_cast<Index>(start.size()) < rank) add(pool[static_cast<std::size_t>(draw(rows))]);
            state = climb(rank, std::move(start), aim);
        }
        if (better(state, shallow)) shallow = std::move(state);
        if (round % 3 != 2 || good() || over()) continue;
        // More rows, where that may suffice.
        if (shallow.value > deep.value) deep = shallow;
        if (deep.value < kNearGoal * goal || !add_row(rank, deep, aim)) {
            if (better(shallow, deep) || static_cast<Index>(deep.rows.size()) <= rank + 1) continue;
        }
        CycleFinder at = finder(rank, static_cast<Index>(deep.rows.size()));
        swap_rows(at, deep, aim, static_cast<int>(2 * static_cast<Index>(deep.rows.size())));
        keep(deep, rank);
    }
    return good();
}

}  // namespace rankcert::search
