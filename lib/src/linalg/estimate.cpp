#include "linalg/estimate.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace rankcert::detail {

std::optional<EstimatedEigenvectors> estimate_eigenvectors(const Eigen::MatrixXd& symmetric) {
    if (symmetric.size() == 0) return EstimatedEigenvectors{Eigen::VectorXd(0), Eigen::MatrixXd(0, 0)};
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
    if (solver.info() != Eigen::Success) return std::nullopt;
    return EstimatedEigenvectors{solver.eigenvalues(), solver.eigenvectors()};
}

std::optional<EstimatedSingularVectors> estimate_singular_vectors(const Eigen::MatrixXd& a) {
    if (a.size() == 0)
        return EstimatedSingularVectors{Eigen::MatrixXd(a.rows(), 0), Eigen::VectorXd(0),
                                        Eigen::MatrixXd(a.cols(), 0)};
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    if (svd.info() != Eigen::Success) return std::nullopt;
    return EstimatedSingularVectors{svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

std::optional<Eigen::MatrixXd> estimate_cholesky(const Eigen::MatrixXd& symmetric) {
    if (symmetric.size() == 0) return Eigen::MatrixXd(0, 0);
    const Eigen::LLT<Eigen::MatrixXd> llt(symmetric);
    if (llt.info() != Eigen::Success) return std::nullopt;
    return Eigen::MatrixXd(llt.matrixL());
}

}  // namespace rankcert::detail
