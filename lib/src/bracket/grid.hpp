#pragma once
/// \file grid.hpp  One subject on one grid 2^−p, its checkers, and the witnesses that they have measured.

#include <deque>
#include <memory>
#include <optional>

#include "rankcert/bracket/bracket.hpp"

namespace rankcert::detail {

/// Where a bracket stands: ranks with the index of the witness that proves each, or −1.
struct Standing {
    Index lower = 0;
    Index upper = 0;
    int lower_witness = -1;
    int upper_witness = -1;
};

/// The witnesses of one subject with what the checkers say of them. Measured at the fast level first where
/// that is allowed, and exactly where the fast one does not prove.
class Grid {
  public:
    /// `final_level`: the level whose word counts in the end (see settle).
    Grid(Subject subject, unsigned precision, Level final_level);

    [[nodiscard]] const Subject& subject() const noexcept { return subject_; }
    [[nodiscard]] unsigned precision() const noexcept { return precision_; }
    [[nodiscard]] Rational rho();

    /// The best proved on each side by the witnesses so far.
    [[nodiscard]] Standing standing(const Rational& epsilon);

    /// Takes the witness in where it is proved at ε with a rank above (below) `than`; says whether.
    bool offer(const LowerWitness& witness, const Rational& epsilon, Index than);
    bool offer(const UpperWitness& witness, const Rational& epsilon, Index than);
    /// Takes it in unseen: one that was proved on another grid.
    void add(const LowerWitness& witness);
    void add(const UpperWitness& witness);
    /// Drops the witnesses, rules apart, that are the best at none of these ε.
    void keep_best(const std::vector<Rational>& epsilons);

    [[nodiscard]] std::size_t lower_count() const noexcept { return lower_.size(); }
    [[nodiscard]] std::size_t upper_count() const noexcept { return upper_.size(); }
    [[nodiscard]] const LowerWitness& lower_witness(int index) const;
    [[nodiscard]] const UpperWitness& upper_witness(int index) const;

    /// The bracket at ε by the word of the final level, with the witnesses that prove it. Throws
    /// std::logic_error where the checkers contradict each other or themselves.
    [[nodiscard]] std::pair<Bracket, Standing> settle(const Rational& epsilon, bool top_k);

  private:
    template <class Witness, class Measure>
    struct Entry {
        Witness witness;
        std::optional<Proved<Measure>> fast;
        std::optional<Proved<Measure>> exact;
    };
    using LowerEntry = Entry<LowerWitness, LowerMeasure>;
    using UpperEntry = Entry<UpperWitness, UpperMeasure>;

    [[nodiscard]] Checker& checker(Level level);
    /// Whether the level that counts is the exact one for this witness.
    template <class E>
    [[nodiscard]] bool needs_exact(const E& entry) const;
    template <class E>
    [[nodiscard]] auto verdict(E& entry, const Rational& epsilon, Level level);
    template <class E>
    [[nodiscard]] std::optional<Index> provisional_rank(E& entry, const Rational& epsilon);
    template <class E, class W>
    bool offer_to(std::deque<E>& entries, const W& witness, const Rational& epsilon, Index than, bool larger);
    template <class Statement, class E>
    std::optional<Proved<Statement>> settle_side(std::deque<E>& entries, const Rational& epsilon, bool larger,
                                                 int& used, Level& level);

    Subject subject_;
    unsigned precision_;
    Level final_level_;
    std::unique_ptr<Checker> fast_, exact_;
    std::deque<LowerEntry> lower_;
    std::deque<UpperEntry> upper_;
};

}  // namespace rankcert::detail
