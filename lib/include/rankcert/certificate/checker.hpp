#pragma once
/// \file checker.hpp  The checkers: does this witness prove this bound?
///
/// Both checkers see the same subject and the same witnesses. `ExactChecker` computes in integers and MPFR
/// with no rounding that is not accounted for, and gives bit-identical answers everywhere. `FastChecker`
/// computes in float64 with order-free error bounds; what it proves, the exact one proves too; it never
/// refutes. They share no floating-point code.

#include <memory>
#include <variant>

#include "rankcert/attention/softmax.hpp"
#include "rankcert/certificate/proved.hpp"
#include "rankcert/certificate/witness.hpp"

namespace rankcert {

/// What a certificate is about: a matrix given exactly (then centre is the matrix and ρ = 0), or a head with
/// a proposed centre Ã, whose ρ the checkers compute by themselves.
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

/// For every A: k entries suffice to carry all but ε of each row's mass where k = upper; some row needs at
/// least `lower`. A sparsity figure, not a rank.
struct TopKBudget {
    Index lower = 0;
    Index upper = 0;
    Rational epsilon;
};

/// What a lower witness comes to, whatever ε: measured once, it decides every ε at the price of one
/// comparison. The exact checker's numbers are exact; the fast one's err on the safe side (norms upwards,
/// tails downwards).
struct LowerMeasure {
    /// residual + (ε + ρ) gain < 1  ⇒  r_ε(A) ≥ rank.   (fixed space, Neumann)
    struct Contraction {
        Index rank = 0;
        Rational residual;
        Rational gain;
    };
    /// tail > (ε + ρ)²  ⇒  r_ε(A) ≥ rank.   (Eckart–Young)
    struct Tail {
        Index rank = 0;
        Rational tail;
    };
    /// value > ε + ρ  ⇒  r_ε(A) ≥ rank.   (row cycles)
    struct Value {
        Index rank = 0;
        Rational value;
    };
    /// norm > ε  ⇒  r_ε(A) ≥ 1: norm is ‖A‖ itself, so there is no ρ.
    struct Norm {
        Rational norm;
    };
    /// ε = 0  ⇒  r_ε(A) ≥ rank.   (support, exact rank)
    struct AtZero {
        Index rank = 0;
    };
    /// The witness is malformed or violates a side condition: it proves nothing at any ε.
    struct Nothing {
        std::string reason;
        /// It may prove something, but to see that is more work than a checker does: nothing is refuted.
        bool is_too_much_work = false;
    };

    std::variant<Nothing, Contraction, Tail, Value, Norm, AtZero> form;
    std::shared_ptr<const Subject> subject;  ///< whose: a checker decides only its own measures

    /// The bound that the witness would prove; 0 for Nothing.
    [[nodiscard]] Index rank() const;
};

/// The same of an upper witness.
struct UpperMeasure {
    /// error + ρ ≤ ε  ⇒  r_ε(A) ≤ rank.   (factors, representative rows)
    struct Error {
        Index rank = 0;
        Rational error;
    };
    /// norm ≤ ε  ⇒  r_ε(A) = 0: norm is ‖A‖ itself.
    struct Norm {
        Rational norm;
    };
    /// r_ε(A) ≤ rank for every ε ≥ 0.   (shape, distinct rows, exact rank)
    struct Always {
        Index rank = 0;
    };
    struct Nothing {
        std::string reason;
        bool is_too_much_work = false;  ///< as of a lower measure
    };

    std::variant<Nothing, Error, Norm, Always> form;
    std::shared_ptr<const Subject> subject;

    /// The bound that the witness would prove; the largest Index for Nothing.
    [[nodiscard]] Index rank() const;
};

/// Both checkers' interface. A witness is measured once; deciding the measure for another ε costs nothing
/// more, so for several ε call `measure` once and `decide` for each; `prove_…` and `…_reach` do both in one
/// call.
///
/// A negative ε throws Error; ε = 0 is ordinary. Malformed witnesses (shapes, indices) are refuted, never
/// undefined. "refuted" says that this witness does not prove the statement, not that the statement is false.
class Checker {
  public:
    virtual ~Checker() = default;
    Checker() = default;
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    [[nodiscard]] virtual Proved<LowerMeasure> measure(const LowerWitness& witness) = 0;
    [[nodiscard]] virtual Proved<UpperMeasure> measure(const UpperWitness& witness) = 0;
    /// Precondition: the measure comes from this checker (std::logic_error otherwise).
    [[nodiscard]] virtual Verdict<RankAtLeast> decide(const Proved<LowerMeasure>& measure,
                                                      const Rational& epsilon) = 0;
    [[nodiscard]] virtual Verdict<RankAtMost> decide(const Proved<UpperMeasure>& measure,
                                                     const Rational& epsilon) = 0;
    /// An ε below which, strictly, the witness is proved, and near the largest such (0 where it is proved at
    /// ε = 0 alone); nothing where it proves nothing. For search and profiles.
    [[nodiscard]] virtual std::optional<Rational> reach(const Proved<LowerMeasure>& measure) = 0;
    /// The smallest ε at which, and from which on, the witness is proved; nothing where it proves nothing.
    [[nodiscard]] virtual std::optional<Rational> reach(const Proved<UpperMeasure>& measure) = 0;

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
