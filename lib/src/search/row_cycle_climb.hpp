#pragma once
/// \file row_cycle_climb.hpp  The search for rows whose signed sets carry a cycle of large value: swaps of
/// rows, and rows added one by one.

#include <functional>
#include <map>
#include <random>

#include "row_cycle_complex.hpp"

namespace rankcert::search {

struct RowClimb {
    SetValues values;
    std::vector<Index> pool;                     ///< rows to choose from
    std::vector<std::vector<Index>> neighbours;  ///< of each row in the pool (by row), nearest first
    std::vector<Index> pivots;                   ///< rows in the order of QR with pivoting
    std::map<std::pair<int, int>, std::shared_ptr<const SignedSets>> tables;
    std::map<Index, CycleState> best;  ///< by rank
    std::mt19937_64 random;
    std::function<bool()> stop;
    double end = 0;

    RowClimb(const Matrix& a, unsigned seed);

    [[nodiscard]] std::shared_ptr<const SignedSets> table(Index k, Index n) {
        auto& slot = tables[{static_cast<int>(k), static_cast<int>(n)}];
        if (!slot) slot = std::make_shared<const SignedSets>(static_cast<int>(k), static_cast<int>(n));
        return slot;
    }
    [[nodiscard]] CycleFinder finder(Index k, Index n) { return {values, table(k, n)}; }
    [[nodiscard]] double left() const { return end - work(); }
    [[nodiscard]] double work() const { return values.work() + extra; }
    [[nodiscard]] bool over() const { return !(left() > 0) || (stop && stop()); }
    double extra = 0;  ///< work that was not in values

    void keep(const CycleState& state, Index k) {
        if (!(state.value > best[k].value)) return;
        best[k] = state;
    }
    [[nodiscard]] Index draw(Index end_of) {
        return static_cast<Index>(random() % static_cast<std::uint64_t>(end_of));
    }

    void raise(CycleFinder& finder, CycleState& state, double goal) {
        const double before = finder.work() - values.work();
        finder.raise(state, goal, left());
        extra += finder.work() - values.work() - before;
    }
    bool find(CycleFinder& finder, CycleState& state, double threshold) {
        const double before = finder.work() - values.work();
        const bool found = finder.find(state, threshold, left());
        extra += finder.work() - values.work() - before;
        return found;
    }

    /// Row swaps that raise the value, until none is found in a while.
    void swap_rows(CycleFinder& finder, CycleState& state, double goal, int patience);
    /// The best row to add, among some; false where the table would be too large.
    bool add_row(Index k, CycleState& state, double goal);
    /// From all signs of the first k of these rows.
    [[nodiscard]] CycleState climb(Index k, std::vector<Index> rows, double goal);
    /// From a state with two rows changed at random.
    [[nodiscard]] CycleState shaken(Index k, const CycleState& from, double goal);

    /// Whether a cycle of this rank above the tolerance is known or found within so many nominal seconds of
    /// work.
    bool search(double tolerance, Index rank, double seconds);
};

}  // namespace rankcert::search
