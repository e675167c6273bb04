// The float64 matrix product: Eigen's own, single-threaded.
//
// Eigen's templates become weak symbols, and a linker keeps one instance of each of them in a program:
// perhaps one that a user's file was compiled with, with -ffast-math or with OpenMP threads that know nothing
// of our FloatingPointGuard. So this file, and it alone, uses Eigen under another name, and its instances are
// our own.

#include "rigor/trusted.hpp"
//
#define EIGEN_DONT_PARALLELIZE
#define Eigen rankcert_kernel_eigen
#include <Eigen/Core>
#undef Eigen

#include "linalg/product_kernel.hpp"

namespace rankcert::detail {
namespace {

namespace kernel = rankcert_kernel_eigen;
using Strided = kernel::Map<const kernel::MatrixXd, kernel::Unaligned, kernel::OuterStride<>>;

}  // namespace

void multiply_kernel(const KernelOperand& a, const KernelOperand& b, double* result) {
    const Strided left(a.data, a.rows, a.cols, kernel::OuterStride<>(a.stride));
    const Strided right(b.data, b.rows, b.cols, kernel::OuterStride<>(b.stride));
    kernel::Map<kernel::MatrixXd> product(result, a.transposed ? a.cols : a.rows,
                                          b.transposed ? b.rows : b.cols);
    if (a.transposed && b.transposed) {
        product.noalias() = left.transpose() * right.transpose();
    } else if (a.transposed) {
        product.noalias() = left.transpose() * right;
    } else if (b.transposed) {
        product.noalias() = left * right.transpose();
    } else {
        product.noalias() = left * right;
    }
}

}  // namespace rankcert::detail
