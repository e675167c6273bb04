#pragma once
/// \file checker.hpp  The checkers: does this witness prove this bound?
///
/// Both checkers see the same subject and the same witnesses. `ExactChecker` computes in integers and MPFR with
/// no rounding that is not accounted for, and gives bit-identical answers everywhere. `FastChecker` computes
/// in float64 with order-free error bounds; what it proves, the exact one proves too; it never refutes. They
/// share no floating-point code.

#include <memory>

#include "rankcert/attention/softmax.hpp"
#include "rankcert/certificate/proved.hpp"
#include "rankcert/certificate/witness.hpp"

namespace rankcert {

/// What a certificate is about: a matrix given exactly (then centre is the matrix and ρ = 0), or a head with a
/// proposed centre Ã, whose ρ the checkers compute by themselves.
struct Subject {
    std::optional<Head> head;  ///< nothing for an explicit matrix
    ExactMatrix centre;        ///< Ã, or the matrix itself

    [[nodiscard]] Index rows() const noexcept { return centre.rows(); }
    [[nodiscard]] Index cols() const noexcept { return centre.cols(); }
};

/// r_ε(A) ≥ rank, for every A of the subject.
struct RankAtLeast {
    Index rank = 0;
    Rational epsilon;
};

/// r_ε(A) ≤ rank, for every A of the subject.
struct RankAtMost {
    Index rank = 0;
    Rational epsilon;
};

/// For every A: k entries suffice to carry all but ε of each row's mass where k = upper; some row needs at least
/// `lower`. A sparsity figure, not a rank.
struct TopKBudget {
    Index lower = 0;
    Index upper = 0;
    Rational epsilon;
};

/// Both checkers' interface. A witness is measured once; deciding it for another ε costs nothing more, so pass the
/// same object again for another ε: `measure` returns what holds for all ε.
class Checker {
  public:
    virtual ~Checker() = default;
    Checker() = default;
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    [[nodiscard]] virtual Verdict<RankAtLeast> prove_rank_at_least(const LowerWitness& witness,
                                                                   const Rational& epsilon) = 0;
    [[nodiscard]] virtual Verdict<RankAtMost> prove_rank_at_most(const UpperWitness& witness,
                                                                 const Rational& epsilon) = 0;
    /// The largest ε at which the lower witness is proved, as a rational below which (strictly) it surely is;
    /// nothing where it proves nothing. For search and profiles.
    [[nodiscard]] virtual std::optional<Rational> lower_reach(const LowerWitness& witness) = 0;
    /// The smallest ε at which (and from which on) the upper witness is proved.
    [[nodiscard]] virtual std::optional<Rational> upper_reach(const UpperWitness& witness) = 0;
    [[nodiscard]] virtual Verdict<TopKBudget> prove_top_k_budget(const Rational& epsilon) = 0;
    /// The proved upper bound ρ of ‖A − Ã‖ in use.
    [[nodiscard]] virtual Rational rho() const = 0;
};

enum class Level { fast, exact };

/// Throws Error where the subject is not well formed (validate(head), shapes, non-finite).
[[nodiscard]] std::unique_ptr<Checker> make_checker(const Subject& subject, Level level);

}  // namespace rankcert
