#pragma once
/// \file dense.hpp  Fast dense linear algebra for the searches: OpenBLAS and its LAPACK on Eigen matrices.
///
/// Untrusted: plain float64, no error bounds. Nothing that proves anything may include this header. All
/// functions are thread-safe and run on the calling thread alone (heads are searched in parallel above us)
/// unless `allow_threads` was called, so that they give the same bits in every run on one machine. Matrices
/// are Eigen's column-major doubles. A decomposition that LAPACK refuses, or whose input or result is not
/// finite, is std::nullopt.

#include <Eigen/Core>
#include <optional>
#include <vector>

namespace rankcert::search {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using ConstRef = Eigen::Ref<const Eigen::MatrixXd>;
using SingleMatrix = Eigen::MatrixXf;

/// Lets products and decompositions use so many threads, for a single large matrix: once, before anything
/// else of this room runs. Sums then are split in another way and a search may find other witnesses.
void allow_threads(int count);

/// A factor as it stands, or transposed.
enum class Op { none, transpose };

/// c ← alpha · op(a) · op(b) + beta · c. c must have the right shape, also where beta = 0, and must not share
/// memory with a or b.
void gemm(double alpha, const ConstRef& a, Op op_a, const ConstRef& b, Op op_b, double beta,
          Eigen::Ref<Matrix> c);
/// The same in float32, in half the time.
void gemm(float alpha, const Eigen::Ref<const SingleMatrix>& a, Op op_a,
          const Eigen::Ref<const SingleMatrix>& b, Op op_b, float beta, Eigen::Ref<SingleMatrix> c);

/// y ← alpha · op(a) · x + beta · y. y must be finite where beta = 0, too, and must not share memory with x.
void gemv(double alpha, const ConstRef& a, Op op_a, const Eigen::Ref<const Vector>& x, double beta,
          Eigen::Ref<Vector> y);

[[nodiscard]] Matrix multiply(const ConstRef& a, const ConstRef& b);     ///< a b
[[nodiscard]] Matrix multiply_tn(const ConstRef& a, const ConstRef& b);  ///< aᵀ b
[[nodiscard]] Matrix multiply_nt(const ConstRef& a, const ConstRef& b);  ///< a bᵀ

/// H = vectors · diag(values) · vectorsᵀ.
struct SymmetricEigen {
    Vector values;   ///< ascending
    Matrix vectors;  ///< orthonormal columns
};
/// Of a symmetric matrix; the lower triangle is read.
[[nodiscard]] std::optional<SymmetricEigen> symmetric_eigen(const ConstRef& h);

/// a = u · diag(values) · vᵀ with min(m, n) columns in u and v.
struct Svd {
    Matrix u;       ///< m×min(m, n)
    Vector values;  ///< descending
    Matrix v;       ///< n×min(m, n)
};
[[nodiscard]] std::optional<Svd> svd(const ConstRef& a);
[[nodiscard]] std::optional<Vector> singular_values(const ConstRef& a);  ///< descending

/// a = q · r, q of m×min(m, n) with orthonormal columns, r upper triangular (trapezoidal).
struct Qr {
    Matrix q;
    Matrix r;
};
[[nodiscard]] std::optional<Qr> qr(const ConstRef& a);

/// The order in which QR with column pivoting takes the columns of a: the first min(m, n) span its range
/// best.
[[nodiscard]] std::optional<std::vector<Eigen::Index>> pivot_columns(const ConstRef& a);

/// The inverse by LU with partial pivoting.
[[nodiscard]] std::optional<Matrix> inverse(const ConstRef& a);
/// The inverse of a symmetric positive definite matrix by Cholesky; the lower triangle is read.
[[nodiscard]] std::optional<Matrix> inverse_positive_definite(const ConstRef& h);
/// x with a x = b, a square.
[[nodiscard]] std::optional<Matrix> solve(const ConstRef& a, const ConstRef& b);

/// max_i Σ_j |a_ij|, an estimate of ‖a‖; 0 for a matrix without entries.
[[nodiscard]] double estimate_norm(const ConstRef& a);

}  // namespace rankcert::search
