#pragma once
/// \file session.hpp  The work on one subject, for one ε after the other.

#include <functional>
#include <map>

#include "grid.hpp"
#include "rankcert/search/high_precision.hpp"
#include "rankcert/search/lower.hpp"
#include "rankcert/search/one_dimensional.hpp"
#include "rankcert/search/row_cycle.hpp"
#include "rankcert/search/upper.hpp"

namespace rankcert::detail {

/// Searches, offers what is found to the grids' checkers, and in the end puts everything on one grid. The
/// order of ε does not matter to what is right, only to what is shared: a lower witness serves every smaller
/// ε, an upper one every larger ε.
class Session {
  public:
    Session(std::optional<Head> head, ExactMatrix matrix, const BracketOptions& options);

    /// Searches at all of these ε with the budget of all together. `report` is told which one (its place) and
    /// what is being done, with the share of the budget that is behind.
    void search(const std::vector<Rational>& epsilons,
                const std::function<void(double, std::size_t, std::string_view)>& report);

    /// The brackets and the bundle that proves them.
    [[nodiscard]] BracketResult finish(const std::vector<Rational>& epsilons);

  private:
    [[nodiscard]] Grid& grid(unsigned precision);
    [[nodiscard]] Grid& base() { return grid(first_precision_); }
    /// Where the bracket stands on all grids together.
    [[nodiscard]] Standing standing(const Rational& epsilon);
    [[nodiscard]] bool closed(const Rational& epsilon);

    void apply_rules(const Rational& epsilon);
    void search_quick(const Rational& epsilon);
    void search_precise(const Rational& epsilon, double seconds);
    void search_optimised(const Rational& epsilon, double seconds,
                          const std::function<void(std::string_view)>& report);
    /// All that takes a moment, and high precision where it is called for.
    void prepare(const Rational& epsilon, const std::function<void(std::string_view)>& report);
    /// Heads with d = 1 and no mask: both sides by one curve.
    void search_one_dimensional(const Rational& epsilon, double seconds);
    void search_exact_singular(const Rational& epsilon);
    /// Witnesses of large matrices take hundreds of megabytes: only those that are the best somewhere are
    /// kept.
    void forget_superseded();
    /// Row cycles for the small ranks above what is proved so far, one after the other.
    void search_row_cycles(const Rational& epsilon, double seconds,
                           const std::function<void(std::string_view)>& report);
    [[nodiscard]] bool may_have_row_cycle(const Rational& epsilon);
    [[nodiscard]] bool wants_precision(const Rational& epsilon);

    /// The tolerances of the float64 searches, in units of the normalised matrix.
    [[nodiscard]] double lower_tolerance(const Rational& epsilon);
    [[nodiscard]] double upper_tolerance(const Rational& epsilon);

    std::optional<Head> head_;
    ExactMatrix matrix_;
    BracketOptions options_;
    Level final_level_;
    unsigned first_precision_;
    std::vector<Rational> epsilons_;  ///< all that are asked
    std::map<unsigned, Grid> grids_;
    std::map<unsigned, search::HighPrecisionSearch> precise_;
    long shift_ = 0;  ///< the float64 searches see Ã · 2^shift
    std::optional<search::LowerSearch> lower_search_;
    std::optional<search::UpperSearch> upper_search_;
    std::optional<search::RowCycleSearch> row_cycles_;  ///< made when first asked for
    std::optional<search::OneDimensionalSearch> one_dimensional_;
    bool singular_tried_ = false;
};

}  // namespace rankcert::detail
