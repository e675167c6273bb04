#pragma once
/// \file row_cycle_value.hpp  The value of a signed row set: max over v in the cube of min_i s_i a_i v.
///
/// By duality it is the least ℓ1 norm of Σ λ_i s_i a_i over the simplex. Untrusted: both bounds are float64
/// estimates.

#include <cstdint>
#include <span>
#include <vector>

#include "rankcert/search/dense.hpp"

namespace rankcert::search {

using Index = Eigen::Index;

/// What is known of a value, with the weights λ that gave the upper estimate.
struct SetBounds {
    double lower = 0;  ///< min_i s_i a_i v for the best v seen
    double upper = 0;  ///< ‖Σ λ_i s_i a_i‖₁ for the best λ seen
};

/// Values of signed sets of the rows of one matrix. Newton's method on the dual with |x| smoothed to a
/// parabola below δ and a logarithmic barrier, for falling δ. One object a thread.
class SetValues {
  public:
    explicit SetValues(const Matrix& a);

    /// A threshold that is NaN is none.
    /// Stops as soon as the value is known to lie above or below `threshold`, or known to about `accuracy`
    /// (relative). `weights`: k numbers, where to start (from a like set), and on return those of the upper
    /// bound. `negative`: bit j for rows[j].
    [[nodiscard]] SetBounds evaluate(std::span<const Index> rows, std::uint64_t negative, double threshold,
                                     std::span<float> weights, double accuracy = 1e-3);

    /// The best vector of the last call.
    [[nodiscard]] const std::vector<double>& vector() const { return best_vector_; }
    /// Work so far, in nominal seconds: operations at a fixed rate, so that it does not depend on the clock.
    [[nodiscard]] double work() const { return work_; }

    [[nodiscard]] Index rows() const { return rows_; }
    [[nodiscard]] Index cols() const { return cols_; }
    [[nodiscard]] const double* row(Index i) const { return a_.data() + i * cols_; }

  private:
    Index rows_ = 0;
    Index cols_ = 0;
    bool non_negative_ = false;
    double unit_ = 0;        ///< largest row norm / N: the size of an entry
    std::vector<double> a_;  // row-major
    std::vector<double> row_sums_;
    std::vector<double> signed_rows_, combination_, direction_, vector_, best_vector_, hessian_;
    std::vector<int> active_;
    double work_ = 0;
};

}  // namespace rankcert::search
