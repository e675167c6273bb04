#pragma once
/// \file high_precision.hpp  Proposals where float64 does not suffice: tiny ε, tiny entries, thin margins.
///
/// LU with complete pivoting of the exact matrix Ã in MPFR numbers of a chosen size. Its first k steps hold
///   * a lower witness: the k×k block G of the pivot rows and columns with R ≈ G⁻¹ (Neumann: r ≥ k for ε <
///   1/‖G⁻¹‖), and
///   * an upper one: L_{:,≤k} U_{≤k,:} has rank k and error the Schur complement that is left.
/// Untrusted like every search.

#include <functional>
#include <memory>

#include "rankcert/search/upper.hpp"

namespace rankcert::search {

/// log₂|value| in float64, also where |value| is no float64 number; −infinity for 0.
[[nodiscard]] double estimate_log2(const Rational& value);

class HighPrecisionSearch {
  public:
    /// Cost: min(m, N)·m·N / 3 or so operations on numbers of `bits` bits (n = 128, 300 bits: a quarter of a
    /// second).
    HighPrecisionSearch(const ExactMatrix& a, unsigned bits, const Options& options = {});
    ~HighPrecisionSearch();
    HighPrecisionSearch(HighPrecisionSearch&&) noexcept;
    HighPrecisionSearch& operator=(HighPrecisionSearch&&) noexcept;

    /// The steps whose pivots stand out of the rounding noise: the rank, if `bits` are enough.
    [[nodiscard]] Index rank() const;
    /// log₂ of the error ‖Ã − B‖ that is left after k ≤ rank() steps.
    [[nodiscard]] double estimate_log2_error(Index k) const;
    /// log₂ of 1/‖G⁻¹‖ for the pivot block G of 1 ≤ k ≤ rank() steps. Cost: k³/3 operations at the first call
    /// for k.
    [[nodiscard]] double estimate_log2_reach(Index k);

    /// The pivot block of k steps with its approximate inverse.
    [[nodiscard]] NeumannWitness propose_block(Index k);
    /// The factors of k steps, rounded so finely that the tolerance hardly notices.
    [[nodiscard]] FactorWitness propose_cross(Index k, const Rational& tolerance);
    /// For a square matrix of full rank: the nearest singular one (see nearest_singular_factors); else
    /// nothing.
    [[nodiscard]] std::optional<FactorWitness> propose_nearest_singular();
    /// So many steps that the remainder is a matrix for float64, and then all float64 searches on the
    /// remainder. A witness of rank below `upper`, or nothing.
    [[nodiscard]] std::optional<FactorWitness> propose_refined(const Rational& tolerance, Index lower,
                                                               Index upper, double seconds,
                                                               const std::function<bool()>& stop = {});

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace rankcert::search
