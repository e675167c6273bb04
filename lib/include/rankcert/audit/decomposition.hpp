#pragma once
/// \file decomposition.hpp  What is claimed of whole decompositions A ≈ U diag(σ) Vᵀ and of singular vectors.
///
/// Residuals and defects are enclosed in float64, and computed exactly where that is too wide. Singular
/// vectors are compared with the exact ones, which have a direction only where their value has a gap to the
/// others: that gap is proved first, and where it is not, nothing is said. Proofs: lib/docs/audit.md, "Linear
/// algebra".

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "rankcert/audit/error_norms.hpp"

namespace rankcert::audit {

struct DecompositionOptions {
    std::optional<Rational> residual;  ///< the claim ‖A − U diag(σ) Vᵀ‖ ≤ residual (largest row ℓ1 norm)
    std::optional<Rational> defect;  ///< the claims ‖UᵀU − I‖ ≤ defect and ‖VᵀV − I‖ ≤ defect
};

struct DecompositionAudit {
    ErrorNorms residual;             ///< A − U diag(σ) Vᵀ
    ErrorNorms left_defect;          ///< UᵀU − I
    ErrorNorms right_defect;         ///< VᵀV − I
    Answer answer = Answer::proved;  ///< of the claims
};

/// A m×n, U m×k, k values in any order (of any sign), V n×k, for any k: for the eigenvectors X of a symmetric
/// matrix give X twice. Throws Error where shapes disagree or an entry is not finite (by name).
[[nodiscard]] DecompositionAudit audit_decomposition(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                                     const Eigen::Ref<const Eigen::MatrixXd>& left,
                                                     const Eigen::VectorXd& values,
                                                     const Eigen::Ref<const Eigen::MatrixXd>& right,
                                                     const DecompositionOptions& options = {});

struct VectorOptions {
    std::optional<Rational> sine;  ///< the claim that every angle has at most this sine
    unsigned most_bits = 1024;
    double most_work = 1e10;  ///< as in spectrum.hpp
};

struct VectorAudit {
    /// Enclosures of the sine of the angle between a claimed vector and the line of the exact one; nothing
    /// where no gap around the value is proved (or there is none).
    std::vector<std::optional<MpInterval>> left, right;
    Answer answer = Answer::undecided;
    bool left_fails = false;  ///< of the first angle that is refuted
    std::optional<Index> failure;
    unsigned bits = 0;
};

/// Audits claimed singular vectors, columns of U (m×k) and V (n×k), k ≤ min(m, n), of the k largest singular
/// values in descending order. Lengths and signs do not matter; a vector of zeros is refuted. Throws Error as
/// above. Cost: an MPFR decomposition (for sizes up to a few hundred; larger ones are undecided).
[[nodiscard]] VectorAudit audit_singular_vectors(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                                 const Eigen::Ref<const Eigen::MatrixXd>& left,
                                                 const Eigen::Ref<const Eigen::MatrixXd>& right,
                                                 const VectorOptions& options = {});

}  // namespace rankcert::audit
