#pragma once
/// \file one_dimensional.hpp  Proposals for heads of one dimension without a mask: A = softmax(c q kᵀ).
///
/// With rows and columns sorted and equal ones merged such an A is strictly totally positive, and both sides
/// of r_ε are known: there are v_0 = 1 > v_1 > v_2 > … with r_ε ≤ n exactly where ε ≥ v_n. v_n is the value
/// at which the image of a step function with n knots equioscillates n + 1 times (lib/docs/search.md, section
/// "One-dimensional heads", has the derivation). The curve n ↦ v_n is followed in MPFR numbers as far as ε
/// asks for. Untrusted like every search: what comes out are fixed spaces and factors, and a checker decides.

#include <cstdint>
#include <memory>
#include <optional>

#include "rankcert/search/propose.hpp"

namespace rankcert::search {

class OneDimensionalSearch {
  public:
    /// logit (i, j) = slope / √sqrt_of · query_i · key_j. query is m×1, key N×1. Cheap: all work is done
    /// later.
    OneDimensionalSearch(const ExactMatrix& query, const ExactMatrix& key, const Rational& slope,
                         std::uint64_t sqrt_of);
    ~OneDimensionalSearch();
    OneDimensionalSearch(OneDimensionalSearch&&) noexcept;
    OneDimensionalSearch& operator=(OneDimensionalSearch&&) noexcept;

    /// Follows the curve until v_n ≤ ε, the work (work.hpp) is done, or no solution is found for several n.
    /// Cost a point: about ten solutions of n + 1 equations and m·N additions each, in numbers of 2
    /// log₂(1/v_n) + 100 bits or more.
    void follow(const Rational& epsilon, double seconds);

    /// The number of different rows or columns, whichever is smaller: the exact rank.
    [[nodiscard]] Index full_rank() const;
    /// log₂ v_n by estimate; nothing where it is not known (yet). v_n = 0 from full_rank() on.
    [[nodiscard]] std::optional<double> estimate_log2_value(Index n) const;

    /// The least n with v_n ≤ ε, by estimate, where the curve is known as far as that.
    [[nodiscard]] std::optional<Index> estimate_rank(const Rational& epsilon) const;

    /// For the tolerance t = ε + ρ and the matrix Ã: a witness of the largest rank above `above` that the
    /// known part of the curve gives.
    [[nodiscard]] std::optional<FixedSpaceWitness> propose_lower(const ExactMatrix& centre,
                                                                 const Rational& tolerance, Index above);
    /// For the tolerance t = ε − ρ: factors of the least rank, below `below`.
    [[nodiscard]] std::optional<FactorWitness> propose_upper(const ExactMatrix& centre,
                                                             const Rational& tolerance, Index below);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace rankcert::search
