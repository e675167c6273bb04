#include "rankcert/search/row_cycle.hpp"
#include "rankcert/search/work.hpp"
#include "row_cycle_climb.hpp"
#include "row_cycle_witness.hpp"

namespace rankcert::search {

struct RowCycleSearch::State {
    RowClimb climb;
};

RowCycleSearch::RowCycleSearch(const Matrix& a, const Options& options)
    : state_(new State{RowClimb(a.allFinite() ? a : Matrix(0, 0), options.seed)}) {
    // The distances of the rows in the pool.
    charge_work(static_cast<double>(2 * state_->climb.pool.size()) * static_cast<double>(a.size()) /
                kEntriesPerSecond);
}
RowCycleSearch::~RowCycleSearch() = default;
RowCycleSearch::RowCycleSearch(RowCycleSearch&&) noexcept = default;
RowCycleSearch& RowCycleSearch::operator=(RowCycleSearch&&) noexcept = default;

std::map<Index, double> RowCycleSearch::reach_curve() const {
    std::map<Index, double> curve;
    for (const auto& [k, found] : state_->climb.best) curve[k] = found.value;
    return curve;
}

double RowCycleSearch::work() const { return state_->climb.work(); }

std::optional<RowCycleWitness> RowCycleSearch::propose(double tolerance, Index rank, double seconds,
                                                       const std::function<bool()>& stop) {
    RowClimb& climb = state_->climb;
    if (rank > kMaxProposedRowCycle) return std::nullopt;
    climb.stop = stop;
    const double before = climb.work();
    const bool good = climb.search(tolerance, rank, seconds);
    climb.stop = nullptr;
    charge_work(climb.work() - before);
    if (!good) return std::nullopt;
    const CycleState& found = climb.best.at(rank);
    const CycleFinder finder = climb.finder(rank, static_cast<Index>(found.rows.size()));
    return make_row_cycle(climb.values, finder, found, tolerance);
}

}  // namespace rankcert::search
