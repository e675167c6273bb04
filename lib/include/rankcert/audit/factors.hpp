#pragma once
/// \file factors.hpp  How far an approximation B, given by its factors, is from A, and what B is by itself.
///
/// B is what exact arithmetic makes of the stored numbers: one matrix, a product U V or U W V, or such a
/// product P whose rows are divided by their sums, B = diag(P 1)⁻¹ P (Nyström, Linformer, Performer), the
/// entries of hidden keys having been taken as 0 before. A row of P whose sum is zero or negative makes no
/// row of B: it is *undefined*, is named, and is compared with nothing.
///
/// A is a matrix of stored numbers, or the attention matrix of an AttentionHead. Errors are enclosed in
/// float64 first; rows of which that leaves something undecided are computed exactly (A stored), or by MPFR
/// (A of a head). Proofs: lib/docs/audit.md, "Linear algebra".

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "rankcert/audit/error_norms.hpp"
#include "rankcert/audit/head.hpp"

namespace rankcert::audit {

struct Approximation {
    std::vector<Eigen::MatrixXd> factors;   ///< one, two or three; P is their product
    bool normalised = false;                ///< B = diag(P 1)⁻¹ P instead of P
    std::optional<CausalAlignment> causal;  ///< entries j > p_i of P are replaced by 0, before sums are taken

    [[nodiscard]] Index rows() const { return factors.front().rows(); }
    [[nodiscard]] Index cols() const { return factors.back().cols(); }
};

/// B as it stands; U V; U W V; and diag(φ(Q) φ(K)ᵀ 1)⁻¹ φ(Q) φ(K)ᵀ of features φ(Q), m×r, and φ(K), N×r; with
/// `causal` row i has the keys j ≤ p_i alone in both places (the form with prefix sums).
[[nodiscard]] Approximation explicit_matrix(Eigen::MatrixXd b);
[[nodiscard]] Approximation product(Eigen::MatrixXd u, Eigen::MatrixXd v);
[[nodiscard]] Approximation product(Eigen::MatrixXd u, Eigen::MatrixXd w, Eigen::MatrixXd v);
[[nodiscard]] Approximation kernel_features(Eigen::MatrixXd query_features,
                                            const Eigen::MatrixXd& key_features,
                                            std::optional<CausalAlignment> causal = std::nullopt);

/// Throws Error where there are no factors or more than three, where inner sizes disagree, or an entry is NaN
/// or infinite (with its index).
void validate(const Approximation& b);

// ---- B against A ------------------------------------------------------------------------------------------

struct FactorOptions {
    std::optional<Rational> epsilon;  ///< the claim ‖A − B‖ ≤ ε; without it the error is enclosed, no more
    unsigned most_bits = 1024;        ///< of MPFR, for the rows of a head
};

struct FactorAudit {
    ErrorNorms error;  ///< of A − B over the rows that both have
    /// Of ‖A − B‖ ≤ ε: refuted where one row is farther, else undefined where a row of A or B has no value.
    Answer answer = Answer::undecided;
    std::vector<Index> undefined_rows;         ///< rows of B: the sum is not positive
    std::vector<Index> undefined_target_rows;  ///< rows of A
    std::vector<Index> open_rows;              ///< rows of B of which neither was proved
    Index failing_row = -1;                    ///< the first of which an ℓ1 error above ε is proved
    Index precise_rows = 0;                    ///< rows that took exact arithmetic or MPFR (information)
};

/// Throws Error where shapes disagree, where validate does, and for an entry of A that is not finite. Cost:
/// two products, and some 100 ns an entry; what is left undecided costs exact products of those rows.
[[nodiscard]] FactorAudit audit_approximation(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                              const Approximation& b, const FactorOptions& options = {});
[[nodiscard]] FactorAudit audit_approximation(const AttentionHead& a, const Approximation& b,
                                              const FactorOptions& options = {});

// ---- B by itself ------------------------------------------------------------------------------------------

enum class FactorClaimKind {
    row_stochastic,  ///< b_ij ≥ 0 and |Σ_j b_ij − 1| ≤ tolerance, row by row
    row_sums,        ///< |Σ_j b_ij − 1| ≤ tolerance
    non_negative,    ///< b_ij ≥ 0
    causal,          ///< b_ij = 0 for j > p_i, p_i = i + N − m or i
};
[[nodiscard]] const char* to_string(FactorClaimKind kind) noexcept;

struct FactorClaim {
    FactorClaimKind kind = FactorClaimKind::row_stochastic;
    Rational tolerance = 0;
    CausalAlignment alignment = CausalAlignment::bottom_right;
};

struct FactorClaimResult {
    FactorClaim claim;
    Answer answer = Answer::undecided;
    std::optional<Place> failure;  ///< the first that fails; its column is −1 where a sum fails
};

struct FactorFacts {
    std::vector<FactorClaimResult> claims;  ///< in the order asked for
    std::vector<Index> undefined_rows;
    std::vector<Index> open_rows;  ///< too much work: float64 may refute, and proves nothing
    Rational least_row_sum = 0, largest_row_sum = 0;  ///< exactly, of the other rows
    MpInterval smallest_entry{64};                    ///< over the other rows
    Place smallest_place;

    [[nodiscard]] Answer answer() const;
};

/// In exact arithmetic, so that ties and zeros are decided. A claim is undefined where it is not refuted and
/// a row is undefined, undecided only where exact arithmetic is too much work. Cost: an exact product, m×N
/// integers.
[[nodiscard]] FactorFacts audit_claims(const Approximation& b, const std::vector<FactorClaim>& claims);

/// How far W is from the Moore-Penrose inverse of C: zero in all four places exactly where it is that.
struct PseudoInverseAudit {
    ErrorNorms first;   ///< C W C − C
    ErrorNorms second;  ///< W C W − W
    ErrorNorms third;   ///< C W − (C W)ᵀ
    ErrorNorms fourth;  ///< W C − (W C)ᵀ
    Answer answer = Answer::undecided;
};

/// The claim: all four residuals are at most the tolerance in ‖·‖ (largest row ℓ1 norm). C is m×n, W n×m.
[[nodiscard]] PseudoInverseAudit audit_pseudo_inverse(const Eigen::Ref<const Eigen::MatrixXd>& c,
                                                      const Eigen::Ref<const Eigen::MatrixXd>& w,
                                                      const Rational& tolerance);

}  // namespace rankcert::audit
