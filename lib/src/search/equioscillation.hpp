#pragma once
/// \file equioscillation.hpp  Step functions whose image under a totally positive matrix equioscillates.
///
/// Columns 0 … K−1 of `a` are the cells [j, j+1] of [0, K]. A step function with n knots t_1 < … < t_n is 1
/// up to t_1, −1 up to t_2, and so on; x_j is its mean over cell j. For a strictly totally positive there is
/// one choice of knots in different cells for which y = a x takes its largest absolute value v at n + 1 rows
/// with alternating signs. y is linear in a knot within its cell: dy_i/dt_l = ±2 a_{i, cell of t_l}.

#include <optional>

#include "high_precision_matrix.hpp"

namespace rankcert::search {

using Index = Eigen::Index;

/// n knots with their cells (strictly increasing, cell ≤ knot ≤ cell + 1) and n + 1 rows, increasing.
struct StepFunction {
    explicit StepFunction(Index n, mpfr_prec_t bits)
        : knots(1, n, bits), cells(static_cast<std::size_t>(n)), rows(static_cast<std::size_t>(n + 1)) {}

    RealMatrix knots;  ///< 1×n
    std::vector<Index> cells;
    std::vector<Index> rows;

    [[nodiscard]] Index size() const noexcept { return knots.cols(); }
};

/// log₂ of |value|, −infinity for 0.
[[nodiscard]] double estimate_log2(mpfr_srcptr value);

/// Charges so many multiplications with an addition each, at this size of numbers.
void charge_operations(double count, mpfr_prec_t bits);

/// x (1×K): the means of the step function over the cells.
[[nodiscard]] RealMatrix cell_means(const StepFunction& step, Index cols, mpfr_prec_t bits);

/// out ← Σ_j a_ij x_j.
void row_value(mpfr_ptr out, const RealMatrix& a, Index row, const RealMatrix& x);

/// m ← garbage, rhs ← m⁻¹ rhs by elimination with partial pivoting; false where a pivot vanishes.
[[nodiscard]] bool solve_in_place(RealMatrix& m, RealMatrix& rhs);

/// The rows of largest |y| in the maximal runs of rows on which y (1×M) has one sign; zeros belong to any
/// run.
[[nodiscard]] std::vector<Index> extreme_rows(const RealMatrix& y);

/// A start for one knot more: knots and rows between those of `step`, as they are for equal cells. `rows` and
/// `cols`: the shape of the matrix, larger than the number of knots.
[[nodiscard]] StepFunction interlaced(const StepFunction& step, Index rows, Index cols, mpfr_prec_t bits);

/// Moves the knots and rows of `step` until its image equioscillates, by Newton's method on the rows in use
/// and exchange of rows. Returns log₂ v, or nothing where this fails (a is not totally positive to the
/// precision in use, or more precision is needed: v should be above 2^(−bits/2 + 24)).
[[nodiscard]] std::optional<double> equioscillate(const RealMatrix& a, StepFunction& step);

}  // namespace rankcert::search
