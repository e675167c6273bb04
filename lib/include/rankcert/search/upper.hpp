#pragma once
/// \file upper.hpp  Proposals of upper witnesses: low-rank factors and representative rows.
///
/// Everything works on a float64 matrix a (m×N) near A, at a tolerance t = ε − ρ given as a double, and wants
/// ‖a − B‖ ≤ t, ‖·‖ the largest row ℓ1 norm. Nothing here is trusted: an error is an estimate, a checker
/// decides.

#include <functional>
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

/// Lowers the largest row ℓ1 norm of a − U V from the given start by L-BFGS on a smoothed norm, until it is
/// at most the tolerance, no hope is left, or the time is over. Returns the best factors seen.
[[nodiscard]] Factors improve_factors(const Eigen::MatrixXd& a, const Factors& start, double tolerance,
                                      double seconds);

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

    /// A witness of rank below `upper`, if optimised factors reach one within `seconds`: bisection first,
    /// then one by one, from several starts; stops at `lower`, below which no rank is possible. `stop` is
    /// asked now and then.
    [[nodiscard]] std::optional<FactorWitness> propose_optimised(double tolerance, Index lower, Index upper,
                                                                 double seconds,
                                                                 const std::function<bool()>& stop = {});

    [[nodiscard]] const Eigen::MatrixXd& matrix() const noexcept { return a_; }

  private:
    struct Decomposition {
        Eigen::MatrixXd left;        ///< U √σ of diag(weights) a diag(weights), unscaled again
        Eigen::MatrixXd right;       ///< √σ Vᵀ, likewise
        std::vector<double> errors;  ///< of the truncation to rank 0, 1, …
    };

    [[nodiscard]] const Decomposition& decomposition(std::size_t index);
    [[nodiscard]] Factors truncated(std::size_t index, Index rank);
    /// The least rank whose truncation keeps within the tolerance; beyond the full rank where none does.
    [[nodiscard]] Index truncated_rank(std::size_t index, double tolerance);
    [[nodiscard]] const Factors* known(Index rank) const;
    void keep(const Factors& factors);
    [[nodiscard]] bool attempt(Index rank, double tolerance, int effort, double deadline,
                               const std::function<bool()>& stop);

    Eigen::MatrixXd a_;
    Options options_;
    std::vector<std::optional<Decomposition>> decompositions_;
    std::map<Index, Factors> best_;                           ///< by rank: the least error found so far
    std::optional<std::optional<Factors>> nearest_singular_;  ///< tried; found
};

}  // namespace rankcert::search
