#pragma once
/// \file factor_rows.hpp  The rows of an Approximation: enclosed in float64, or as exact fractions. Internal
/// to the room.

#include "rankcert/audit/factors.hpp"
#include "rankcert/linalg/exact_matrix.hpp"
#include "rankcert/rigor/interval.hpp"

namespace rankcert::audit {

/// p_i for a matrix with these many rows and columns.
[[nodiscard]] inline Index position(Index i, Index rows, Index cols, CausalAlignment alignment) {
    return alignment == CausalAlignment::top_left ? i : i + cols - rows;
}

/// Rows i_0, i_1, … of B: row k is numerator(k, ·) / denominator(k, 0), and undefined where that is not
/// positive.
struct ExactRows {
    ExactMatrix numerator;
    ExactMatrix denominator;
};

class FactorRows {
  public:
    /// Two float64 products. Use it under a FloatingPointGuard.
    explicit FactorRows(const Approximation& b);

    [[nodiscard]] Index rows() const { return low_.rows(); }
    [[nodiscard]] Index cols() const { return low_.cols(); }

    /// Encloses row i of B. `undefined`: the sum is not positive, for certain. Nothing where float64 does not
    /// tell.
    [[nodiscard]] std::optional<RowState> enclose(Index i, std::vector<Interval>& entries) const;
    /// The sign of an entry of a defined row: that of P's. Its enclosure is [low, high].
    [[nodiscard]] double low(Index i, Index j) const { return low_(i, j); }
    [[nodiscard]] double high(Index i, Index j) const { return high_(i, j); }
    [[nodiscard]] bool is_normalised() const { return b_->normalised; }
    /// Whether entry (i, j) was replaced by 0.
    [[nodiscard]] bool is_hidden(Index i, Index j) const;

    /// Throws TooMuchWork.
    [[nodiscard]] ExactRows exact(const std::vector<Index>& rows);

  private:
    const Approximation* b_;
    Eigen::MatrixXd low_, high_;  ///< of P
    std::vector<ExactMatrix> factors_;
};

/// Row sums of P over the keys that are not hidden, exactly, for all rows: an m×1 matrix.
[[nodiscard]] ExactMatrix exact_row_sums(const ExactMatrix& a);

}  // namespace rankcert::audit
