#pragma once
/// \file refine_solution.hpp  Enclosures of the solution of G X = B that gain digits step by step. Internal
/// to the room.
///
/// For any X the solution is X + G⁻¹ R with R = B − G X. Here G⁻¹ lies in a BallMatrix, R is exact and is
/// enclosed by doubles after each of its columns has been scaled by a power of two (so that nothing
/// underflows), and their product is enclosed by enclose_product. X plus the midpoint of that, exactly, is
/// the next X, the radius its error. Where R is zero X is the solution.

#include <Eigen/Core>
#include <vector>

#include "rankcert/linalg/ball_matrix.hpp"
#include "rankcert/linalg/exact_matrix.hpp"
#include "rankcert/rigor/mp_interval.hpp"

namespace rankcert::audit {

class RefinedSolution {
  public:
    /// `inverse` contains G⁻¹; X is any exact matrix to begin with.
    RefinedSolution(ExactMatrix g, ExactMatrix b, BallMatrix inverse, ExactMatrix x);

    /// One step. Throws TooMuchWork. The bounds that were known before stand where they are better.
    void step();
    /// |solution − X|_ic ≤ 2^exponent · radius.
    [[nodiscard]] MpInterval value(Eigen::Index i, Eigen::Index c, unsigned bits) const;
    /// Whether X is the solution.
    [[nodiscard]] bool is_exact() const { return is_exact_; }
    [[nodiscard]] Rational exact_value(Eigen::Index i, Eigen::Index c) const { return x_(i, c); }
    /// A measure of what is not known, for progress only: the largest log2 of a column's radius.
    [[nodiscard]] double estimate_log2_radius() const;

  private:
    ExactMatrix g_, b_, x_;
    BallMatrix inverse_;
    Eigen::MatrixXd radius_;
    std::vector<long> exponents_;  ///< of columns
    bool is_exact_ = false;
};

}  // namespace rankcert::audit
