#pragma once
/// \file upper.hpp  Proposals of upper witnesses: low-rank factors and representative rows.
///
/// Everything works on a float64 matrix a (m×N) near A, at a tolerance t = ε − ρ given as a double, and wants
/// ‖a − B‖ ≤ t, ‖·‖ the largest row ℓ1 norm. Nothing here is trusted: an error is an estimate, a checker
/// decides.

#include <functional>
#include <limits>
#include <map>

#include "rankcert/search/propose.hpp"

namespace rankcert::search {

/// B = left · right with the largest row ℓ1 norm of a − B as it came out in float64.
struct Factors {
    Eigen::MatrixXd left;   ///< U, m×r
    Eigen::MatrixXd right;  ///< V, r×N
    double estimate_error = 0;
};

/// max_i Σ_j |a_ij − (U V)_ij| in float64.
[[nodiscard]] double estimate_factor_error(const Eigen::MatrixXd& a, const Eigen::MatrixXd& left,
                                           const Eigen::MatrixXd& right);

/// The factors on the coarsest grid of a short list on which the error still keeps within the tolerance;
/// nothing where it does on none. Entries on a coarse grid make the exact check quick.
[[nodiscard]] std::optional<FactorWitness> round_factors(const Eigen::MatrixXd& a, const Factors& factors,
                                                         double tolerance);

/// The least r for which a truncated singular value decomposition of a, or of a with weighted rows or
/// columns, keeps within the tolerance.
[[nodiscard]] std::optional<FactorWitness> propose_svd_factors(const Eigen::MatrixXd& a, double tolerance,
                                                               const Options& options = {});

/// Few rows that are within the tolerance of all others: greedy cover, then, for at most 64 rows, the least
/// cover by branch and bound as far as a fixed number of nodes allows. Deterministic.
[[nodiscard]] std::optional<RepresentativeRowsWitness> propose_representative_rows(
    const Eigen::MatrixXd& a, double tolerance, const Options& options = {});

/// How far `improve_factors` goes.
struct Refinement {
    bool warm = false;  ///< from a start that is nearly good: fewer and colder stages
    double rival = 0;   ///< an error that is worth reaching even where the tolerance is not
    double deadline = std::numeric_limits<double>::infinity();         ///< by work_seconds()
    std::function<void(const Factors&)> seen = [](const Factors&) {};  ///< after each stage
};

/// Lowers the largest row ℓ1 norm of a − U V from the given start by L-BFGS on a smoothed norm, until it is
/// at most the tolerance, no hope is left, or the deadline is over. Returns the best factors seen.
[[nodiscard]] Factors improve_factors(const Eigen::MatrixXd& a, Factors start, double tolerance,
                                      const Refinement& how = {});

/// One-row changes of the identity: for a square invertible a, the nearest singular matrix in ‖·‖, exactly as
/// far away as 1/‖a⁻¹‖, as factors of rank n − 1 (U: the columns of a but one; V: the identity and one
/// column).
[[nodiscard]] std::optional<Factors> nearest_singular_factors(const Eigen::MatrixXd& a);

/// All searches for one matrix, with what they found at one tolerance kept for the next.
class UpperSearch {
  public:
    explicit UpperSearch(Eigen::MatrixXd a, const Options& options = {});

    /// What the quick searches (truncated SVD, representative rows, nearest singular matrix) find at this
    /// tolerance, fewest rows first.
    [[nodiscard]] std::vector<UpperWitness> propose_quick(double tolerance);

    /// A witness of rank below `upper`, if optimised factors reach one: the range is narrowed first, however
    /// long it takes; then, within so much work (work.hpp), one by one from ever new starts. Stops at
    /// `lower`, below which no rank is possible. A later call goes on where this one ended. `stop` is asked
    /// now and then.
    [[nodiscard]] std::optional<FactorWitness> propose_optimised(double tolerance, Index lower, Index upper,
                                                                 double seconds,
                                                                 const std::function<bool()>& stop = {});

    [[nodiscard]] const Eigen::MatrixXd& matrix() const noexcept { return a_; }

  private:
    /// A truncated decomposition at every rank at once.
    struct Decomposition {
        Eigen::MatrixXd left;            ///< U √σ of a diag(weights)
        Eigen::MatrixXd right;           ///< √σ Vᵀ, unscaled again
        std::map<Index, double> errors;  ///< of the truncation, for the ranks that were asked for
    };
    /// What is known of one rank.
    struct Attempts {
        std::optional<Factors> best;
        int starts = 0;    ///< that were tried so far
        double aimed = 0;  ///< the tolerance at which `best` may have been left before it was at its best
    };

    [[nodiscard]] Decomposition& plain();
    [[nodiscard]] Decomposition& column_weighted();
    [[nodiscard]] Decomposition& first_choice(double tolerance);
    [[nodiscard]] Decomposition decompose(const Eigen::VectorXd& column_weights) const;
    [[nodiscard]] Factors truncated(Decomposition& parts, Index rank) const;
    [[nodiscard]] double truncated_error(Decomposition& parts, Index rank) const;
    [[nodiscard]] Index truncated_rank(Decomposition& parts, double tolerance) const;
    [[nodiscard]] std::optional<Factors> next_start(Index rank, double tolerance);
    [[nodiscard]] bool attempt(Index rank, Index below, double tolerance, int starts,
                               const std::function<bool()>& over);
    [[nodiscard]] Index reached_rank(double tolerance, Index upper) const;
    void keep(Factors factors);
    void forget_but(Index rank);
    [[nodiscard]] std::optional<FactorWitness> best_known(double tolerance, Index below) const;

    Eigen::MatrixXd a_;
    Options options_;
    std::optional<Decomposition> plain_, column_weighted_;
    std::optional<bool> plain_is_better_;  ///< as a start, for matrices where the two are compared
    std::map<Index, Attempts> attempts_;
    std::optional<std::optional<Factors>> nearest_singular_;  ///< tried; found
};

}  // namespace rankcert::search
