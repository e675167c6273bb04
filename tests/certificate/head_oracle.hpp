#pragma once
/// \file head_oracle.hpp  A slow second opinion on attention heads: softmax between rationals, what a witness
/// proves of it, and the rank itself where elementary geometry gives it.
///
/// It shares nothing with the checkers but the containers (Head, ExactMatrix, Rational): the exponential is a
/// power series with its remainder, a family is cut into pieces, and the ranks come from no certificate.

#include <map>
#include <optional>
#include <vector>

#include "certificate/exact_oracle.hpp"

namespace rankcert::test {

/// low ≤ x ≤ high.
struct Bounds {
    Rational low, high;
};

/// Bounds of e^−x for every x in [x.low, x.high], on the grid 2^−kOracleBits but for e^0 = 1.
inline constexpr unsigned kOracleBits = 224;
[[nodiscard]] Bounds enclose_decay(const Bounds& x);

/// What must be, and what may be.
struct Expected {
    bool surely = false;
    bool possibly = false;
    Index rank = 0;  ///< of what is proved then
};

/// Entries of a matrix, or of a set of matrices, row by row.
using BoundTable = std::vector<std::vector<Bounds>>;

/// Bounds of r_ε for one matrix that is known between bounds of its entries.
class RankOracle {
  public:
    /// `distinct_rows`: at least as many as there are.
    RankOracle(const BoundTable& a, std::size_t distinct_rows);
    /// Whether r_ε(A) ≥ k is impossible, or r_ε(A) ≤ k.
    [[nodiscard]] bool denies_at_least(Index k, const Rational& epsilon);
    [[nodiscard]] bool denies_at_most(Index k, const Rational& epsilon);

  private:
    const Bounds& largest_distance(std::size_t k);
    [[nodiscard]] std::optional<Bounds> full_rank_distance() const;

    Table middle_;           ///< on a coarser grid, for short fractions
    Rational middle_error_;  ///< ‖A − middle‖ at most
    std::size_t distinct_rows_;
    std::map<std::size_t, Bounds> distances_;
    std::optional<std::optional<Bounds>> full_;
};

class HeadOracle {
  public:
    explicit HeadOracle(const Head& head);

    /// Bounds of sup ‖A − centre‖ over the family.
    [[nodiscard]] Bounds error(const Shaped& centre) const;
    /// Bounds of the top-k budgets of all members.
    [[nodiscard]] std::pair<Index, Index> budget(const Rational& epsilon) const;
    /// Members of the family: one where it has one.
    [[nodiscard]] std::vector<RankOracle>& members() noexcept { return members_; }
    [[nodiscard]] std::size_t distinct_rows() const noexcept { return distinct_rows_; }
    /// The number of different last, or of different first, visible keys, whichever is larger.
    [[nodiscard]] std::size_t staircase() const noexcept { return staircase_; }

  private:
    std::size_t rows_ = 0, cols_ = 0;
    std::size_t distinct_rows_ = 0, staircase_ = 0;
    std::vector<BoundTable> points_;  ///< one a member
    std::vector<BoundTable> pieces_;  ///< together they hold every member
    std::vector<RankOracle> members_;
};

/// What a checker has to say of r_ε(A) ≥ … and r_ε(A) ≤ … for a head whose centre is off by `error`.
[[nodiscard]] Expected expect(const LowerWitness& witness, const HeadOracle& head, const Shaped& centre,
                              const Bounds& error, const Rational& epsilon);
[[nodiscard]] Expected expect(const UpperWitness& witness, const HeadOracle& head, const Shaped& centre,
                              const Bounds& error, const Rational& epsilon);

}  // namespace rankcert::test
