#include "rankcert/search/dense.hpp"

#include <cblas.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "rankcert/search/work.hpp"

// The LAPACK of OpenBLAS, by its Fortran names (its LAPACKE is not in every package).
extern "C" {
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork,
             int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau,
             double* work, const int* lwork, int* info);
void dgeqp3_(const int* m, const int* n, double* a, const int* lda, int* jpvt, double* tau, double* work,
             const int* lwork, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
void dgetri_(const int* n, double* a, const int* lda, const int* ipiv, double* work, const int* lwork,
             int* info);
void dgetrs_(const char* trans, const int* n, const int* nrhs, const double* a, const int* lda,
             const int* ipiv, double* b, const int* ldb, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

namespace rankcert::search {
namespace {

// Once for the process: setting the number again at every call would race with calls on other threads.
void set_threads(int count) {
    static std::once_flag flag;
    std::call_once(flag, [count] { openblas_set_num_threads(count); });
}

void settle_threads() { set_threads(1); }  // unless allow_threads came first

int to_int(Eigen::Index value) { return static_cast<int>(value); }
int leading(Eigen::Index rows) { return std::max(1, to_int(rows)); }

/// Charges an operation of so many multiplications and additions at a typical rate, and a little for the
/// call. The rates were measured for n = 64 to 256 and need not be right, only fixed.
void charge(double operations, double per_second) { charge_work(1e-6 + operations / per_second); }
constexpr double kProductRate = 4e10;
constexpr double kSingleProductRate = 8e10;
constexpr double kDecompositionRate = 1.5e10;
constexpr double kVectorRate = 1e10;  // bound by memory

double cube(Eigen::Index rows, Eigen::Index cols) {
    return static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(std::min(rows, cols));
}

// LAPACK's workspace queries answer in a double.
int queried(double size) { return std::max(1, static_cast<int>(size)); }

}  // namespace

void allow_threads(int count) { set_threads(std::max(1, count)); }

namespace {

/// c ← alpha · op(a) · op(b) + beta · c by `product`, of BLAS, at so many operations a nominal second.
template <class M, class Product>
void any_gemm(typename M::Scalar alpha, const Eigen::Ref<const M>& a, Op op_a, const Eigen::Ref<const M>& b,
              Op op_b, typename M::Scalar beta, Eigen::Ref<M>& c, double rate, Product product) {
    settle_threads();
    const Eigen::Index inner = op_a == Op::none ? a.cols() : a.rows();
    eigen_assert(inner == (op_b == Op::none ? b.rows() : b.cols()));
    eigen_assert(c.rows() == (op_a == Op::none ? a.rows() : a.cols()));
    eigen_assert(c.cols() == (op_b == Op::none ? b.cols() : b.rows()));
    if (c.size() == 0) return;
    if (inner == 0) {
        if (beta == 0) {
            c.setZero();
        } else {
            c *= beta;
        }
        return;
    }
    charge(2 * static_cast<double>(c.rows()) * static_cast<double>(c.cols()) * static_cast<double>(inner),
           rate);
    product(CblasColMajor, op_a == Op::none ? CblasNoTrans : CblasTrans,
            op_b == Op::none ? CblasNoTrans : CblasTrans, to_int(c.rows()), to_int(c.cols()), to_int(inner),
            alpha, a.data(), std::max(1, to_int(a.outerStride())), b.data(),
            std::max(1, to_int(b.outerStride())), beta, c.data(), std::max(1, to_int(c.outerStride())));
}

}  // namespace

void gemm(double alpha, const ConstRef& a, Op op_a, const ConstRef& b, Op op_b, double beta,
          Eigen::Ref<Matrix> c) {
    any_gemm<Matrix>(alpha, a, op_a, b, op_b, beta, c, kProductRate, cblas_dgemm);
}

void gemm(float alpha, const Eigen::Ref<const SingleMatrix>& a, Op op_a,
          const Eigen::Ref<const SingleMatrix>& b, Op op_b, float beta, Eigen::Ref<SingleMatrix> c) {
    any_gemm<SingleMatrix>(alpha, a, op_a, b, op_b, beta, c, kSingleProductRate, cblas_sgemm);
}

void gemv(double alpha, const ConstRef& a, Op op_a, const Eigen::Ref<const Vector>& x, double beta,
          Eigen::Ref<Vector> y) {
    settle_threads();
    eigen_assert(x.size() == (op_a == Op::none ? a.cols() : a.rows()));
    eigen_assert(y.size() == (op_a == Op::none ? a.rows() : a.cols()));
    if (a.size() == 0) {
        y *= beta;
        return;
    }
    charge(2 * static_cast<double>(a.size()), kVectorRate);
    cblas_dgemv(CblasColMajor, op_a == Op::none ? CblasNoTrans : CblasTrans, to_int(a.rows()),
                to_int(a.cols()), alpha, a.data(), std::max(1, to_int(a.outerStride())), x.data(), 1, beta,
                y.data(), 1);
}

Matrix multiply(const ConstRef& a, const ConstRef& b) {
    Matrix c(a.rows(), b.cols());
    gemm(1, a, Op::none, b, Op::none, 0, c);
    return c;
}

Matrix multiply_tn(const ConstRef& a, const ConstRef& b) {
    Matrix c(a.cols(), b.cols());
    gemm(1, a, Op::transpose, b, Op::none, 0, c);
    return c;
}

Matrix multiply_nt(const ConstRef& a, const ConstRef& b) {
    Matrix c(a.rows(), b.rows());
    gemm(1, a, Op::none, b, Op::transpose, 0, c);
    return c;
}

std::optional<SymmetricEigen> symmetric_eigen(const ConstRef& h) {
    settle_threads();
    if (!h.allFinite()) return std::nullopt;
    SymmetricEigen result{Vector(h.rows()), h};
    const int n = to_int(h.rows());
    if (n == 0) return result;
    charge(9 * cube(n, n), kDecompositionRate);
    int info = 0;
    int lwork = -1;
    int liwork = -1;
    double work_size = 0;
    int iwork_size = 0;
    dsyevd_("V", "L", &n, result.vectors.data(), &n, result.values.data(), &work_size, &lwork, &iwork_size,
            &liwork, &info);
    lwork = queried(work_size);
    liwork = std::max(1, iwork_size);
    std::vector<double> work(static_cast<std::size_t>(lwork));
    std::vector<int> iwork(static_cast<std::size_t>(liwork));
    dsyevd_("V", "L", &n, result.vectors.data(), &n, result.values.data(), work.data(), &lwork, iwork.data(),
            &liwork, &info);
    if (info != 0 || !result.values.allFinite() || !result.vectors.allFinite()) return std::nullopt;
    return result;
}

namespace {

std::optional<Svd> decompose(const ConstRef& a, bool want_vectors) {
    settle_threads();
    if (!a.allFinite()) return std::nullopt;
    const int m = to_int(a.rows());
    const int n = to_int(a.cols());
    const int k = std::min(m, n);
    Svd result{Matrix(m, want_vectors ? k : 0), Vector(k), Matrix(n, want_vectors ? k : 0)};
    if (k == 0) return result;
    charge((want_vectors ? 18 : 4) * cube(m, n), kDecompositionRate);
    Matrix copy = a;
    Matrix vt(want_vectors ? k : 1, n);
    Matrix u(want_vectors ? m : 1, k);
    const int ldu = leading(u.rows());
    const int ldvt = leading(vt.rows());
    const char* job = want_vectors ? "S" : "N";
    std::vector<int> iwork(static_cast<std::size_t>(8) * static_cast<std::size_t>(k));
    int info = 0;
    int lwork = -1;
    double work_size = 0;
    dgesdd_(job, &m, &n, copy.data(), &m, result.values.data(), u.data(), &ldu, vt.data(), &ldvt, &work_size,
            &lwork, iwork.data(), &info);
    lwork = queried(work_size);
    std::vector<double> work(static_cast<std::size_t>(lwork));
    dgesdd_(job, &m, &n, copy.data(), &m, result.values.data(), u.data(), &ldu, vt.data(), &ldvt, work.data(),
            &lwork, iwork.data(), &info);
    if (info != 0 || !result.values.allFinite()) return std::nullopt;
    if (want_vectors) {
        result.u = std::move(u);
        result.v = vt.transpose();
        if (!result.u.allFinite() || !result.v.allFinite()) return std::nullopt;
    }
    return result;
}

}  // namespace

std::optional<Svd> svd(const ConstRef& a) { return decompose(a, true); }

std::optional<Vector> singular_values(const ConstRef& a) {
    auto result = decompose(a, false);
    if (!result) return std::nullopt;
    return std::move(result->values);
}

std::optional<Qr> qr(const ConstRef& a) {
    settle_threads();
    if (!a.allFinite()) return std::nullopt;
    const int m = to_int(a.rows());
    const int n = to_int(a.cols());
    const int k = std::min(m, n);
    Qr result{Matrix(m, k), Matrix::Zero(k, n)};
    if (k == 0) return result;
    charge(3 * cube(m, n), kDecompositionRate);
    Matrix copy = a;
    Vector tau(k);
    int info = 0;
    int lwork = std::max(1, 64 * n);
    std::vector<double> work(static_cast<std::size_t>(lwork));
    dgeqrf_(&m, &n, copy.data(), &m, tau.data(), work.data(), &lwork, &info);
    if (info != 0) return std::nullopt;
    result.r.triangularView<Eigen::Upper>() = copy.topRows(k);
    result.q = copy.leftCols(k);
    dorgqr_(&m, &k, &k, result.q.data(), &m, tau.data(), work.data(), &lwork, &info);
    if (info != 0 || !result.q.allFinite() || !result.r.allFinite()) return std::nullopt;
    return result;
}

std::optional<std::vector<Eigen::Index>> pivot_columns(const ConstRef& a) {
    settle_threads();
    if (!a.allFinite()) return std::nullopt;
    const int m = to_int(a.rows());
    const int n = to_int(a.cols());
    const int k = std::min(m, n);
    std::vector<int> pivots(static_cast<std::size_t>(n), 0);
    if (k == 0) {
        std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
        for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<Eigen::Index>(j);
        return order;
    }
    Matrix copy = a;
    Vector tau(k);
    int info = 0;
    charge(2 * cube(m, n), kDecompositionRate);
    int lwork = 2 * n + (n + 1) * 64;
    std::vector<double> work(static_cast<std::size_t>(lwork));
    dgeqp3_(&m, &n, copy.data(), &m, pivots.data(), tau.data(), work.data(), &lwork, &info);
    if (info != 0) return std::nullopt;
    std::vector<Eigen::Index> order;
    order.reserve(pivots.size());
    for (const int pivot : pivots) order.push_back(pivot - 1);
    return order;
}

std::optional<Matrix> inverse(const ConstRef& a) {
    settle_threads();
    eigen_assert(a.rows() == a.cols());
    if (!a.allFinite()) return std::nullopt;
    const int n = to_int(a.rows());
    Matrix result = a;
    if (n == 0) return result;
    charge(2 * cube(n, n), kDecompositionRate);
    std::vector<int> pivots(static_cast<std::size_t>(n));
    int info = 0;
    dgetrf_(&n, &n, result.data(), &n, pivots.data(), &info);
    if (info != 0) return std::nullopt;
    int lwork = 64 * n;
    std::vector<double> work(static_cast<std::size_t>(lwork));
    dgetri_(&n, result.data(), &n, pivots.data(), work.data(), &lwork, &info);
    if (info != 0 || !result.allFinite()) return std::nullopt;
    return result;
}

std::optional<Matrix> inverse_positive_definite(const ConstRef& h) {
    settle_threads();
    eigen_assert(h.rows() == h.cols());
    if (!h.allFinite()) return std::nullopt;
    const int n = to_int(h.rows());
    Matrix result = h;
    if (n == 0) return result;
    charge(1.5 * cube(n, n), kDecompositionRate);
    int info = 0;
    dpotrf_("L", &n, result.data(), &n, &info);
    if (info != 0) return std::nullopt;
    dpotri_("L", &n, result.data(), &n, &info);
    if (info != 0) return std::nullopt;
    result.triangularView<Eigen::StrictlyUpper>() = result.transpose();
    if (!result.allFinite()) return std::nullopt;
    return result;
}

std::optional<Matrix> solve(const ConstRef& a, const ConstRef& b) {
    settle_threads();
    eigen_assert(a.rows() == a.cols() && a.rows() == b.rows());
    if (!a.allFinite() || !b.allFinite()) return std::nullopt;
    const int n = to_int(a.rows());
    const int columns = to_int(b.cols());
    Matrix result = b;
    if (n == 0 || columns == 0) return result;
    charge(cube(n, n) + 2 * static_cast<double>(n) * static_cast<double>(n) * columns, kDecompositionRate);
    Matrix copy = a;
    std::vector<int> pivots(static_cast<std::size_t>(n));
    int info = 0;
    dgetrf_(&n, &n, copy.data(), &n, pivots.data(), &info);
    if (info != 0) return std::nullopt;
    dgetrs_("N", &n, &columns, copy.data(), &n, pivots.data(), result.data(), &n, &info);
    if (info != 0 || !result.allFinite()) return std::nullopt;
    return result;
}

double estimate_norm(const ConstRef& a) {
    if (a.size() == 0) return 0;
    return a.cwiseAbs().rowwise().sum().maxCoeff();
}

}  // namespace rankcert::search
