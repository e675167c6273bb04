#pragma once
/// \file row_cycle.hpp  Proposals of row cycles: lower witnesses for small ranks.
///
/// Theorem: lib/docs/certificates.md, section "Signed row cycles". Nothing here is trusted: a checker
/// decides.

#include <functional>
#include <map>
#include <memory>

#include "rankcert/search/dense.hpp"
#include "rankcert/search/propose.hpp"

namespace rankcert::search {

/// Above this rank no row cycle is looked for: 2^(k−1) sets are needed.
inline constexpr Index kMaxProposedRowCycle = 10;

/// The searches for one matrix. What was found for a rank serves every smaller tolerance, and the next ranks
/// as a start. Not for use from two threads at once.
class RowCycleSearch {
  public:
    explicit RowCycleSearch(const Matrix& a, const Options& options = {});
    ~RowCycleSearch();
    RowCycleSearch(RowCycleSearch&&) noexcept;
    RowCycleSearch& operator=(RowCycleSearch&&) noexcept;

    /// A witness of r ≥ rank at the tolerance, if one is found with the given amount of work: `seconds` is a
    /// number of operations at a nominal rate, not of the clock, so that the result is the same in every run.
    /// `stop` is asked now and then.
    [[nodiscard]] std::optional<RowCycleWitness> propose(double tolerance, Index rank, double seconds,
                                                         const std::function<bool()>& stop = {});

    /// For each rank that was looked at: the largest tolerance that the best cycle serves, by estimate.
    [[nodiscard]] std::map<Index, double> reach_curve() const;
    /// Nominal seconds worked so far.
    [[nodiscard]] double work() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace rankcert::search
