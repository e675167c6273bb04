#pragma once
/// \file solve.hpp  Claimed solutions of linear equations and claimed inverses, against the exact ones.
///
/// G X = B, G n×n, B n×k, of stored numbers. The exact solution is enclosed entry by entry: from an enclosure
/// of G⁻¹ in float64 and residuals B − G X in exact arithmetic, which gains the same number of digits at each
/// step; and where float64 does not prove that G is regular, or leaves a claim open, as fractions by
/// elimination without rounding. A singular G is found by its exact rank: then there is no solution, or more
/// than one, and that is stated. What is too much work for that is undecided. Proofs: lib/docs/audit.md,
/// "Linear algebra".

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "rankcert/audit/error_norms.hpp"

namespace rankcert::audit {

enum class Solvability {
    unknown,  ///< not proved to be regular or singular
    unique,   ///< G is regular
    none,     ///< G is singular, and some right-hand side has no solution
    many,     ///< G is singular, and every right-hand side has solutions: no one of them is *the* solution
};
[[nodiscard]] const char* to_string(Solvability solvability) noexcept;

struct SolveOptions {
    NumberFormat format = NumberFormat::float64;  ///< of the claim
    /// finite, max_abs, row_l1 (Σ_i |x_ic − t_ic| for each right-hand side c), relative, ulps, close,
    /// frobenius, correctly_rounded, faithful; other kinds throw Error.
    std::vector<Claim> claims;
    double most_work = 1e10;  ///< of exact elimination, in operations on words: about 10 s
};

struct SolveAudit {
    Solvability solvability = Solvability::unknown;
    Index rank_lower = 0, rank_upper = 0;      ///< of G
    LargestError max_abs, l1, relative, ulps;  ///< place: the unknown and the right-hand side
    MpInterval frobenius{64};
    std::uint64_t correctly_rounded = 0, not_correctly_rounded = 0, faithful = 0, not_faithful = 0;
    std::uint64_t not_finite = 0;        ///< claimed entries that are NaN or infinite
    std::vector<ClaimResult> claims;     ///< in the order asked for, the first always `finite`
    std::optional<ErrorNorms> residual;  ///< of G X − B, where X is finite
    std::vector<MpInterval> solution;    ///< n×k enclosures, row by row; none where there is no such thing
    bool is_exact = false;               ///< the solution was computed as fractions

    /// Refuted where there is no solution; undefined where there are many; else of all claims.
    [[nodiscard]] Answer answer() const;
};

/// Throws Error where shapes disagree, an entry of G or B is not finite (by name), or a claimed number is not
/// one of options.format. Cost: an inverse in float64, and exact products with G.
[[nodiscard]] SolveAudit audit_solution(const Eigen::Ref<const Eigen::MatrixXd>& g,
                                        const Eigen::Ref<const Eigen::MatrixXd>& b,
                                        const Eigen::Ref<const Eigen::MatrixXd>& claimed,
                                        const SolveOptions& options = {});

struct InverseAudit {
    SolveAudit entries;              ///< of the claim against G⁻¹; its residual is G X − I
    std::optional<ErrorNorms> left;  ///< X G − I
};
/// The same with B = I.
[[nodiscard]] InverseAudit audit_inverse(const Eigen::Ref<const Eigen::MatrixXd>& g,
                                         const Eigen::Ref<const Eigen::MatrixXd>& claimed,
                                         const SolveOptions& options = {});

}  // namespace rankcert::audit
