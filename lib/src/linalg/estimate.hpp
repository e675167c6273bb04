#pragma once
/// \file estimate.hpp  Approximate decompositions, by Eigen. Nothing is proved of what these return; those
/// who use it prove what they need from residuals.

#include <Eigen/Core>
#include <optional>

namespace rankcert::detail {

struct EstimatedEigenvectors {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;
};
struct EstimatedSingularVectors {
    Eigen::MatrixXd left;
    Eigen::VectorXd values;
    Eigen::MatrixXd right;
};

/// Nothing where the iteration did not converge (Eigen's info()). The input is finite.
[[nodiscard]] std::optional<EstimatedEigenvectors> estimate_eigenvectors(const Eigen::MatrixXd& symmetric);
[[nodiscard]] std::optional<EstimatedSingularVectors> estimate_singular_vectors(const Eigen::MatrixXd& a);
/// C with a ≈ C Cᵀ, lower triangular; nothing where a pivot is not positive.
[[nodiscard]] std::optional<Eigen::MatrixXd> estimate_cholesky(const Eigen::MatrixXd& symmetric);

}  // namespace rankcert::detail
