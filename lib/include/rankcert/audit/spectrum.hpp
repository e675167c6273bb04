#pragma once
/// \file spectrum.hpp  What is claimed of singular values, eigenvalues and ranks, against the exact ones.
///
/// Singular values σ_1 ≥ σ_2 ≥ … of a matrix of stored numbers (or of every matrix that differs from it by at
/// most given radii, entry by entry), and eigenvalues λ_1 ≤ λ_2 ≤ … of a symmetric one. They are enclosed in
/// float64 first, from any decomposition that a library proposes; where that is too wide or there is none,
/// from one in MPFR numbers of 128, 256, … bits whose residuals are computed in exact arithmetic; zeros by
/// the exact rank; and ties with a claim by counting eigenvalues exactly (Sylvester's law of inertia). What
/// all that leaves open, as it does where the matrix is too large for the exact means, is undecided. Proofs:
/// lib/docs/audit.md, "Linear algebra".

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

#include "rankcert/audit/error_norms.hpp"
#include "rankcert/linalg/ball_matrix.hpp"

namespace rankcert::audit {

enum class SpectrumClaimKind {
    absolute,           ///< |c − σ_i| ≤ tolerance
    backward,           ///< |c − σ_i| ≤ tolerance · σ_1 (for eigenvalues: the largest |λ_j|)
    relative,           ///< |c − σ_i| ≤ tolerance · σ_i
    ulps,               ///< |c − σ_i| ≤ tolerance · ulp(σ_i)
    correctly_rounded,  ///< c is σ_i rounded to the format of the claim
    faithful,
};
[[nodiscard]] const char* to_string(SpectrumClaimKind kind) noexcept;

struct SpectrumClaim {
    SpectrumClaimKind kind = SpectrumClaimKind::absolute;
    Rational tolerance = 0;
};

/// An approximate decomposition, of which nothing is believed: m×p, p, n×p; or vectors n×n, values n and
/// nothing. It is asked for with a matrix that has at least as many rows as columns: the transpose where the
/// given one has fewer.
struct ProposedDecomposition {
    Eigen::MatrixXd left;
    Eigen::VectorXd values;
    Eigen::MatrixXd right;
};
using Decomposer = std::function<std::optional<ProposedDecomposition>(const Eigen::MatrixXd&)>;

struct SpectrumOptions {
    std::vector<SpectrumClaim> claims;
    NumberFormat format = NumberFormat::float64;  ///< of the claimed values
    unsigned most_bits = 1024;                    ///< of MPFR; below 128 it is not used
    double most_work = 1e10;  ///< of MPFR and of exact counts, in operations on words: about a minute
    /// Enclose all values to 50 bits and errors to 1 %, whatever that takes; without it errors of large
    /// matrices are no narrower than the claims need.
    bool tight = false;
    Decomposer decompose;  ///< in the place of Eigen's; it may fail, throw, or return anything
};

struct SpectrumClaimResult {
    SpectrumClaim claim;
    Answer answer = Answer::undecided;
    std::optional<Index> failure;  ///< the first value, in the order of the spectrum, that fails
};

struct SpectrumAudit {
    std::vector<MpInterval> values;  ///< enclosures of all min(m, n) (n) values, σ descending, λ ascending
    std::vector<MpInterval> errors;  ///< of |c_i − σ_i|, c sorted; +infinity ends where c is not finite
    bool was_sorted = true;          ///< whether the claim was
    LargestError largest, backward, relative, ulps;  ///< place.column is the index of the value
    std::uint64_t correctly_rounded = 0, not_correctly_rounded = 0, faithful = 0, not_faithful = 0;
    std::vector<SpectrumClaimResult> claims;  ///< in the order asked for
    bool is_finite = true;                    ///< of the claim
    unsigned bits = 53;                       ///< of the arithmetic that it took

    /// Of all claims, and that the claim is finite.
    [[nodiscard]] Answer answer() const;
};

/// Audits claimed singular values: all of them, or the k ≤ min(m, n) largest, in any order. Throws Error for
/// an entry of the matrix that is not finite (by name), for more values than there are, and for a value that
/// is not a number of options.format. Cost: a float64 decomposition and three products; more where that does
/// not decide.
[[nodiscard]] SpectrumAudit audit_singular_values(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                                  const Eigen::VectorXd& claimed,
                                                  const SpectrumOptions& options = {});
/// The same for every member of the ball: proved where it holds for all, refuted where it fails for all.
[[nodiscard]] SpectrumAudit audit_singular_values(const BallMatrix& a, const Eigen::VectorXd& claimed,
                                                  const SpectrumOptions& options = {});

/// Audits all n claimed eigenvalues of a symmetric matrix (Error where it is not exactly symmetric).
[[nodiscard]] SpectrumAudit audit_eigenvalues(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                              const Eigen::VectorXd& claimed,
                                              const SpectrumOptions& options = {});
/// The same for every symmetric member of a ball with a symmetric midpoint and a symmetric radius.
[[nodiscard]] SpectrumAudit audit_eigenvalues(const BallMatrix& a, const Eigen::VectorXd& claimed,
                                              const SpectrumOptions& options = {});

// ---- ranks ------------------------------------------------------------------------------------------------

struct RankAudit {
    Index lower = 0, upper = 0;  ///< of the rank, or of the number of values above the threshold
    Answer answer =
        Answer::undecided;  ///< of the claimed number; proved where lower = upper and none was claimed
    std::optional<MpInterval> threshold;  ///< t in absolute terms
    unsigned bits = 53;
};

/// The rank over the rationals: exact, but where that is too much work.
[[nodiscard]] RankAudit audit_rank(const Eigen::Ref<const Eigen::MatrixXd>& a, std::optional<Index> claimed,
                                   const SpectrumOptions& options = {});
/// Of every member of the ball.
[[nodiscard]] RankAudit audit_rank(const BallMatrix& a, std::optional<Index> claimed,
                                   const SpectrumOptions& options = {});

enum class ThresholdKind {
    absolute,      ///< t
    of_largest,    ///< t · σ_1
    of_frobenius,  ///< t · ‖A‖_F
    of_row_norm,   ///< t · max_i Σ_j |a_ij|
};
struct Threshold {
    Rational factor = 0;  ///< t ≥ 0
    ThresholdKind kind = ThresholdKind::absolute;
};

/// The number of singular values that are greater than the threshold (strictly).
[[nodiscard]] RankAudit audit_numerical_rank(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                             const Threshold& threshold, std::optional<Index> claimed,
                                             const SpectrumOptions& options = {});
[[nodiscard]] RankAudit audit_numerical_rank(const BallMatrix& a, const Threshold& threshold,
                                             std::optional<Index> claimed,
                                             const SpectrumOptions& options = {});

}  // namespace rankcert::audit
