#pragma once
/// \file lower.hpp  Proposals of lower witnesses: Neumann, grouped Eckart–Young, fixed space.
///
/// Everything works on a float64 matrix a (m×N) near A, at a tolerance t given as a double: ε + ρ with a
/// small safety margin. Nothing here is trusted: a proposal is re-estimated in float64 after its entries were
/// rounded to their grid and returned only where the estimate still holds, and then a checker decides. The
/// theorems: lib/docs/certificates.md. A matrix with a NaN or an infinity gets no proposals.

#include <cstdint>
#include <functional>
#include <map>

#include "rankcert/search/dense.hpp"
#include "rankcert/search/propose.hpp"

namespace rankcert::search {

/// The rank that a proposal would prove, were it right: k, M or r + 1; a rule has none of its own (0).
[[nodiscard]] Index proposed_rank(const LowerWitness& witness);

/// Rows in complete-pivoting order against single columns, and rows far apart against groups of tokens (each
/// token goes to the row that attends to it most; the worst group is dropped until it fits), R the
/// approximate inverse: the larger of both. Cost: O(min(m, N)) inversions for the first fitting size, O(m N
/// min(m, N)).
[[nodiscard]] std::optional<NeumannWitness> propose_neumann(const Matrix& a, double tolerance,
                                                            const Options& options = {});

/// The tail of singular values of diag(s) a G: s uniform and G = I, one-hot groups of similar columns, then
/// both optimised by L-BFGS within the budget of `options`; the best of them in product form.
[[nodiscard]] std::optional<EckartYoungWitness> propose_eckart_young(const Matrix& a, double tolerance,
                                                                     const Options& options = {});

/// A space (the columns of `basis`, D) with an approximate inverse of a on it: S a D ≈ D.
struct FixedSpace {
    Matrix basis;      ///< D, N×k, any basis
    Matrix inverse;    ///< S, N×m
    double reach = 0;  ///< about 1/‖S‖: serves every tolerance below
    [[nodiscard]] Index rank() const noexcept { return basis.cols(); }
};

/// The whole space (k = min(m, N), by LU, where a is square or after a choice of rows or columns).
[[nodiscard]] std::optional<FixedSpace> full_fixed_space(const Matrix& a);

/// Chooses the pivots, puts D in the form D_J = I and both on the coarsest grid of a short list on which the
/// witness still holds at the tolerance; nothing where it does on none.
[[nodiscard]] std::optional<FixedSpaceWitness> round_fixed_space(const Matrix& a, const FixedSpace& space,
                                                                 double tolerance);

/// s with Σ s_i² = 1 and G with unit rows, up to rounding; K = diag(s) a G.
struct WeightedGrouping {
    Vector weights;   ///< s, m entries ≥ 0
    Matrix grouping;  ///< G, N×q
};

/// Lower searches for one matrix, with what they found at one tolerance kept for the next. Not for use from
/// two threads at once.
class LowerSearch {
  public:
    explicit LowerSearch(Matrix a, const Options& options = {});

    /// What the quick searches (Neumann, plain Eckart–Young, full rank, spaces that an earlier call found)
    /// give at this tolerance, the largest rank first.
    [[nodiscard]] std::vector<LowerWitness> propose_quick(double tolerance);

    /// The witness of the largest rank above `lower` that the optimised searches reach within so much work
    /// (work.hpp); they do not look above `upper`, where no witness can be. A later call goes on where this
    /// one ended. `stop` is asked now and then.
    [[nodiscard]] std::optional<LowerWitness> propose_optimised(double tolerance, Index lower, Index upper,
                                                                double seconds,
                                                                const std::function<bool()>& stop = {});

    /// All of the above: the best proposal of rank at most `upper`, or nothing.
    [[nodiscard]] std::optional<LowerWitness> propose(double tolerance, Index upper, double seconds);

    /// For each k for which a space was found: the largest tolerance that one serves, by estimate.
    [[nodiscard]] std::map<Index, double> reach_curve() const;

  private:
    /// What is known of one k.
    struct Attempts {
        std::optional<FixedSpace> best;
        double temperature = 0;  ///< at which the best would go on; 0 where it is finished
        double screened = 0;     ///< the largest reach of a start when it came to kScreenSpace
        int starts = 0;          ///< that were tried so far
    };

    /// Weights and a grouping with the best bound at one tolerance.
    struct Choice {
        WeightedGrouping grouping;
        Index bound = 0;
    };

    [[nodiscard]] bool large() const noexcept;
    void keep(FixedSpace space, double temperature = 0);
    [[nodiscard]] std::optional<LowerWitness> best_known(double tolerance, Index above) const;
    [[nodiscard]] Index reached_rank(double tolerance, Index upper) const;
    [[nodiscard]] WeightedGrouping random_choice(Index k, double tolerance, int kind, std::uint64_t seed);
    [[nodiscard]] std::optional<FixedSpace> dropped_to(Index k, Index from, double tolerance,
                                                       std::uint64_t seed);
    [[nodiscard]] std::optional<FixedSpace> next_start(Index k, double tolerance, double& temperature);
    [[nodiscard]] bool attempt(Index k, Index above, double tolerance, int starts,
                               const std::function<bool()>& over, const std::function<bool()>& stop);
    void forget_but(Index k);

    Matrix a_;
    Options options_;
    std::map<Index, Attempts> attempts_;
    std::map<double, Choice> choices_;  ///< by tolerance
    std::optional<double> full_reach_;  ///< of the whole space, once it was looked at
};

}  // namespace rankcert::search
