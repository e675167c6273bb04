#pragma once
/// \file fast_chain.hpp  Products of several exact factors in float64, with the rows of their error.

#include <Eigen/Core>

#include "linalg/kernel.hpp"

namespace rankcert::detail {

/// A float64 matrix near an exact one X: Σ_j |X_ij − value_ij| ≤ row_error_i. Errors are +∞ where something
/// overflowed.
struct Tracked {
    Eigen::MatrixXd value;
    Eigen::VectorXd row_error;
};

[[nodiscard]] inline Tracked tracked(Eigen::MatrixXd exact) {
    const Index rows = exact.rows();
    return {std::move(exact), Eigen::VectorXd::Zero(rows)};
}

/// Row sums of |x| from above, for error terms.
[[nodiscard]] inline Eigen::VectorXd upper_row_reach(const Eigen::MatrixXd& x) {
    return upper_abs_times(x, Eigen::VectorXd::Ones(x.cols()));
}

/// a·X. Its float64 value misses a·value by at most c|a||value| + nη in each entry (n the inner dimension,
/// Lemma 1), and a·value misses a·X by at most |a|·row_error in each row's sum.
[[nodiscard]] inline Tracked operator*(const Eigen::MatrixXd& a, const Tracked& x) {
    Tracked result{multiply(a, x.value), Eigen::VectorXd(a.rows())};
    const auto [relative, absolute] = product_error(a.cols());
    Eigen::VectorXd reach = upper_row_reach(x.value);
    for (Index i = 0; i < reach.size(); ++i)
        reach[i] = upper_sum(upper_product(relative, reach[i]), x.row_error[i]);
    result.row_error = upper_abs_times(a, reach);
    const double rest = upper_product(absolute, static_cast<double>(x.value.cols()));
    const bool finite = all_finite(result.value);
    for (Index i = 0; i < result.row_error.size(); ++i)
        result.row_error[i] = finite ? nan_to_infinity(upper_sum(result.row_error[i], rest))
                                     : std::numeric_limits<double>::infinity();
    return result;
}

/// An upper bound of ‖X − E‖ (largest row ℓ1 norm), where d is E − X.value or X.value − E, entry by entry,
/// each entry rounded once, and `row_error` belongs to X.
[[nodiscard]] inline double upper_distance(const Eigen::MatrixXd& d, const Eigen::VectorXd& row_error) {
    if (!all_finite(d)) return std::numeric_limits<double>::infinity();
    const Eigen::VectorXd sums = row_sums(d);
    const double factor = sum_factor(d.cols() + 2);
    double result = 0;
    for (Index i = 0; i < sums.size(); ++i) {
        const double row = nan_to_infinity(upper_sum(upper_product(sums[i], factor), row_error[i]));
        if (row > result) result = row;
    }
    return result;
}

}  // namespace rankcert::detail
