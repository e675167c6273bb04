#pragma once
/// \file jacobi.hpp  Decompositions in MPFR numbers of a chosen size, by Jacobi's rotations. Internal to the
/// room.
///
/// Nothing is proved of what these return (every operation rounds to nearest): those who use it prove what
/// they need from residuals in exact arithmetic (precise_spectrum.hpp). One-sided rotations for singular
/// values (M. R. Hestenes, J. SIAM 6, 1958), cyclic two-sided ones for symmetric matrices (C. G. J. Jacobi,
/// J. reine angew. Math. 30, 1846). A float64 decomposition makes the start, orthogonalised by Newton's
/// iteration X (3 I − XᵀX)/2, where there is a usable one.

#include <Eigen/Core>
#include <vector>

#include "rankcert/rigor/mp_interval.hpp"

namespace rankcert::audit {

/// rows×cols numbers, column by column, zero at first.
class MpMatrix {
  public:
    using Index = Eigen::Index;
    MpMatrix(Index rows, Index cols, unsigned bits);
    MpMatrix(const Eigen::Ref<const Eigen::MatrixXd>& a, unsigned bits);
    [[nodiscard]] static MpMatrix identity(Index n, unsigned bits);

    [[nodiscard]] Index rows() const noexcept { return rows_; }
    [[nodiscard]] Index cols() const noexcept { return cols_; }
    [[nodiscard]] unsigned bits() const noexcept { return bits_; }
    [[nodiscard]] mpfr_ptr at(Index i, Index j) { return cells_[static_cast<std::size_t>(j * rows_ + i)]; }
    [[nodiscard]] mpfr_srcptr at(Index i, Index j) const {
        return cells_[static_cast<std::size_t>(j * rows_ + i)];
    }

  private:
    Index rows_, cols_;
    unsigned bits_;
    std::vector<MpFloat> cells_;
};

struct EstimatedSvd {
    MpMatrix left;                ///< m×n; columns of tiny values need not be orthogonal to others
    std::vector<MpFloat> values;  ///< n, in any order
    MpMatrix right;               ///< n×n
};
/// a ≈ left · diag(values) · rightᵀ for a with m ≥ n ≥ 1. `start`: right vectors of a float64 decomposition,
/// or 0×0.
[[nodiscard]] EstimatedSvd estimate_svd(const Eigen::MatrixXd& a, unsigned bits,
                                        const Eigen::MatrixXd& start);

struct EstimatedEigen {
    std::vector<MpFloat> values;
    MpMatrix vectors;
};
/// a ≈ vectors · diag(values) · vectorsᵀ for a symmetric.
[[nodiscard]] EstimatedEigen estimate_eigen(const Eigen::MatrixXd& a, unsigned bits,
                                            const Eigen::MatrixXd& start);

/// What they cost, in multiplications of 64-bit numbers, roughly.
[[nodiscard]] double work_of_jacobi(Eigen::Index rows, Eigen::Index cols, unsigned bits);

}  // namespace rankcert::audit
