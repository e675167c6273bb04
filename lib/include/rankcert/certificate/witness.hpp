#pragma once
/// \file witness.hpp  What a witness of each kind consists of. The theorems: lib/docs/certificates.md.
///
/// A is the m×N matrix (or any member of the family) that the certificate is about, Ã its exact centre,
/// ρ ≥ ‖A − Ã‖, and ‖·‖ the largest row ℓ1 norm. Lower witnesses prove r_{ε+ρ}(Ã) ≥ k, which implies
/// r_ε(A) ≥ k; upper ones r_{ε−ρ}(Ã) ≤ r, which implies r_ε(A) ≤ r.

#include <cstdint>
#include <variant>
#include <vector>

#include "rankcert/linalg/exact_matrix.hpp"

namespace rankcert {

using Index = Eigen::Index;

// ---- lower -----------------------------------------------------------------------------------------------

/// ‖D − S Ã D‖ + (ε + ρ) ‖S‖ < 1, D_pivots = I_k  ⇒  r_ε(A) ≥ k.   (section "Fixed space")
struct FixedSpaceWitness {
    ExactMatrix basis;          ///< D, N×k
    ExactMatrix inverse;        ///< S, N×m
    std::vector<Index> pivots;  ///< k distinct row indices of D
};

/// ‖S‖ ≤ 1, ‖D‖ ≤ 1, ‖I − R S Ã D‖ + (ε + ρ) ‖R‖ < 1  ⇒  r_ε(A) ≥ M.   (section "Neumann")
struct NeumannWitness {
    ExactMatrix selection;  ///< S, M×m
    ExactMatrix decoder;    ///< D, N×M
    ExactMatrix inverse;    ///< R, M×M
};

/// Which Gram matrix of K = diag(s) Ã G the witness speaks of: K Kᵀ (m×m) or Kᵀ K (k×k).
enum class GramSide { rows, columns };

/// Σ s_i² ≤ 1, ‖G_j‖₂ ≤ 1, tail_r(diag(s) Ã G) > (ε + ρ)²  ⇒  r_ε(A) ≥ r + 1, with the tail bounded from
/// below by tr H − r t − ‖L‖_F² − p δ.   (section "Weighted, grouped Eckart–Young")
struct EckartYoungWitness {
    Index rank = 0;           ///< r
    ExactMatrix row_weights;  ///< s, m×1
    ExactMatrix grouping;     ///< G, N×k
    GramSide side = GramSide::rows;
    ExactMatrix threshold;     ///< t ≥ 0, 1×1
    ExactMatrix large_factor;  ///< L, p×(any)
    ExactMatrix small_factor;  ///< C, p×(any)
};

/// A set of k rows with a sign for each, up to a change of all signs at once: the first sign is +.
struct SignedRowSet {
    std::vector<Index> rows;     ///< k row indices of Ã, strictly increasing
    std::uint64_t negative = 0;  ///< bit j: whether the sign of rows[j] is −; bit 0 and bits from k on are 0
    Index vector = 0;            ///< which row of `vectors` is its v
};

/// Sets σ = (I, s) of k rows with vectors v ∈ [−1, 1]^N such that s_i (Ã v)_i > ε + ρ for every i ∈ I, where
/// each signed set of k − 1 rows is a face of an even number of σ, and the signs of an odd number of σ
/// alternate  ⇒  r_ε(A) ≥ k.   (section "Signed row cycles")
struct RowCycleWitness {
    Index rank = 0;                  ///< k, at least 2
    std::vector<SignedRowSet> sets;  ///< strictly increasing in the order of `precedes`, so all different
    ExactMatrix vectors;             ///< one v a row, N columns; each is the vector of some set
};

/// The order of the sets in a witness: by their rows, lexicographically, then by their signs likewise, + before
/// −.
[[nodiscard]] inline bool precedes(const SignedRowSet& a, const SignedRowSet& b) {
    if (a.rows != b.rows) return a.rows < b.rows;
    // The first sign that differs is the lowest bit that does.
    const std::uint64_t different = a.negative ^ b.negative;
    const std::uint64_t first = different & (~different + 1);
    return (b.negative & first) != 0;
}

/// Limits on row cycles: larger ones are refused, so that a hostile file cannot take memory or time out of
/// proportion. (2^(k−1) sets of k rows at least are needed, so k ≤ 17 is what the second one allows in fact.)
inline constexpr Index kMaxRowCycleRank = 62;
inline constexpr Index kMaxRowCycleEntries = Index{1} << 20;  ///< k times the number of sets

/// Rules that need no numbers.
enum class LowerRule {
    nonzero,  ///< ‖A‖ > ε  ⇒  r ≥ 1 (a stochastic A has ‖A‖ = 1)
    support,  ///< ε = 0: r ≥ the number of different last (or first) non-zero columns (n for a causal n×n
              ///< head)
    exact_rank,  ///< ε = 0, A given as an exact matrix: r ≥ its rank, or, where that is too much work, its rank
                 ///< modulo a prime
};

using LowerWitness =
    std::variant<FixedSpaceWitness, NeumannWitness, EckartYoungWitness, RowCycleWitness, LowerRule>;

// ---- upper -----------------------------------------------------------------------------------------------

/// ‖c Ã − U V‖ + c ρ ≤ c ε, c > 0  ⇒  r_ε(A) ≤ r.   (section "Factors"; c = 1 but for exact rational factors)
struct FactorWitness {
    ExactMatrix left;         ///< U, m×r
    ExactMatrix right;        ///< V, r×N
    Integer denominator = 1;  ///< c
};

/// ‖Ã_i − Ã_p(i)‖₁ + ρ ≤ ε for every row i  ⇒  r_ε(A) ≤ |p({0, …, m−1})|.   (section "Representative rows")
struct RepresentativeRowsWitness {
    std::vector<Index> representative;  ///< p, one entry a row
};

enum class UpperRule {
    zero,           ///< ‖A‖ ≤ ε  ⇒  r = 0 (a stochastic A has ‖A‖ = 1)
    shape,          ///< r ≤ min(m, N)
    distinct_rows,  ///< r ≤ number of distinct rows of A
    exact_rank,     ///< A given as an exact matrix: r ≤ its rank, unless that is too much work to compute
};

using UpperWitness = std::variant<FactorWitness, RepresentativeRowsWitness, UpperRule>;

/// "fixed_space", "neumann", "eckart_young", "row_cycle", "rule:nonzero", …; "factors", "representative_rows",
/// "rule:shape", …
[[nodiscard]] const char* method_name(const LowerWitness& witness);
[[nodiscard]] const char* method_name(const UpperWitness& witness);

}  // namespace rankcert
