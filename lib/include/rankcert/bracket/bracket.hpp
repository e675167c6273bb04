#pragma once
/// \file bracket.hpp  Search, then check, then report: L ≤ r_ε(A) ≤ U with a witness for each side.
///
/// r_ε(A) = min { rank B : ‖A − B‖ ≤ ε }, ‖·‖ the largest row ℓ1 norm. Everything that leaves here was proved
/// by a checker (certificate/checker.hpp); the search proposes and is never believed. Where L < U the answer
/// is the interval.
///
/// Not promised: that a bracket is as tight as it could be, or that two machines find the same witnesses.
/// What either of them proves holds on both.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rankcert/certificate/bundle.hpp"

namespace rankcert {

struct BracketOptions {
    /// Search budget for one ε, shared by all of a call; honoured between steps, checking comes on top. It
    /// is work (search/work.hpp), about as many seconds on one core of an ordinary machine: a busy machine
    /// finds the same in more time.
    double seconds = 4;
    unsigned seed = 1;              ///< of the searches that draw starting points
    unsigned precision = 53;        ///< p: Ã on the grid 2^−p, to begin with
    unsigned max_precision = 4096;  ///< where a larger p would decide more, it is doubled up to this
    /// The level whose verdicts leave; nothing: exact where m and N are at most 512, else fast (and exact
    /// where fast cannot see: Ã finer than float64, rules that need integers).
    std::optional<Level> final_level;
    bool top_k = false;  ///< also the top-k budget (certificates.md, section "Top-k budget")
};

/// The bracket for one ε.
struct Bracket {
    Rational epsilon;
    std::optional<Proved<RankAtLeast>> lower;  ///< nothing: only r ≥ 0, which needs no proof
    std::optional<Proved<RankAtMost>> upper;   ///< always set: min(m, N) is proved by shape
    std::string lower_method;                  ///< method_name of the witness; "none" where lower is not set
    std::string upper_method;
    Level level = Level::exact;  ///< the weaker of the levels at which the two sides were proved
    std::optional<Proved<TopKBudget>> top_k;
    double seconds = 0;  ///< wall time spent on this ε

    [[nodiscard]] Index lower_rank() const { return lower ? (*lower)->rank : 0; }
    [[nodiscard]] Index upper_rank() const { return (*upper)->rank; }
    [[nodiscard]] bool closed() const { return lower_rank() == upper_rank(); }
};

struct BracketResult {
    /// Subject, the witnesses in use, and one claim an ε, in the order asked for. `input` and `format` are
    /// left for the caller, who knows the file.
    Bundle bundle;
    std::vector<Bracket> brackets;  ///< one an ε, in the order asked for
    Rational rho;                   ///< the proved bound of ‖A − Ã‖ (0 for an explicit matrix)
    unsigned precision = 53;        ///< p of the bundle's Ã
};

/// Called now and then on the calling thread with the share of the budget that is behind (0 to 1, never
/// falling) and what is being done ("ε=1/4: fixed space"). What it throws leaves the call: the way to cancel.
using Progress = std::function<void(double fraction, std::string_view stage)>;

/// Brackets of r_ε(A) for one head, or for every member of a family of heads, at each ε.
/// Throws Error for an invalid head, an empty list, a negative ε, or one given twice. Uses one thread; calls
/// may run in parallel.
[[nodiscard]] BracketResult bracket_head(const Head& head, const std::vector<Rational>& epsilons,
                                         const BracketOptions& options = {}, const Progress& progress = {});

/// The same for a matrix that is given exactly (ρ = 0); its rows need not sum to one. Throws Error for a
/// matrix without entries too.
[[nodiscard]] BracketResult bracket_matrix(const ExactMatrix& matrix, const std::vector<Rational>& epsilons,
                                           const BracketOptions& options = {}, const Progress& progress = {});

}  // namespace rankcert
