#include "linalg/kernel.hpp"

#include <algorithm>
#include <limits>

#include "linalg/product_kernel.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::detail {
namespace {

std::string entry(Index i, Index j, const std::string& name) {
    return "entry (" + std::to_string(i) + ", " + std::to_string(j) + ") of " + name;
}

}  // namespace

Eigen::MatrixXd multiply(const ConstMatrixRef& a, const ConstMatrixRef& b, Op a_op, Op b_op) {
    const bool at = a_op == Op::transposed;
    const bool bt = b_op == Op::transposed;
    require_inner(at ? a.rows() : a.cols(), bt ? b.cols() : b.rows(), "product");
    Eigen::MatrixXd result(at ? a.cols() : a.rows(), bt ? b.rows() : b.cols());
    if (result.size() == 0) return result;
    if ((at ? a.rows() : a.cols()) == 0) {
        result.setZero();
        return result;
    }
    multiply_kernel({a.data(), a.rows(), a.cols(), a.outerStride(), at},
                    {b.data(), b.rows(), b.cols(), b.outerStride(), bt}, result.data());
    return result;
}

bool all_finite(const ConstMatrixRef& a) noexcept {
    for (Index j = 0; j < a.cols(); ++j) {
        const double* column = a.data() + j * a.outerStride();
        // An exponent field of all ones, plus one, carries into the sign bit. Sums of integers: vectorised by
        // compilers.
        std::uint64_t carries = 0;
        for (Index i = 0; i < a.rows(); ++i)
            carries |= (std::bit_cast<std::uint64_t>(column[i]) & kInfinityBits) + (kFractionMask + 1);
        if ((carries & kSignBit) != 0) return false;
    }
    return true;
}

void require_finite(const ConstMatrixRef& a, const std::string& name) {
    if (all_finite(a)) return;
    for (Index j = 0; j < a.cols(); ++j)
        for (Index i = 0; i < a.rows(); ++i)
            if (!bits_are_finite(a(i, j)))
                throw Error(entry(i, j, name) + (bits_are_nan(a(i, j)) ? " is NaN" : " is infinite") +
                            ": give finite numbers");
}

void require_no_nan(const ConstMatrixRef& a, const std::string& name) {
    bool nan = false;
    for (Index j = 0; j < a.cols() && !nan; ++j) {
        const double* column = a.data() + j * a.outerStride();
        std::uint64_t carries =
            0;  // |x| is NaN where its bits exceed those of infinity: the sum then reaches the sign bit
        for (Index i = 0; i < a.rows(); ++i)
            carries |= (std::bit_cast<std::uint64_t>(column[i]) & ~kSignBit) + (kSignBit - 1 - kInfinityBits);
        nan = (carries & kSignBit) != 0;
    }
    if (!nan) return;
    for (Index j = 0; j < a.cols(); ++j)
        for (Index i = 0; i < a.rows(); ++i)
            if (bits_are_nan(a(i, j))) throw Error(entry(i, j, name) + " is NaN: give numbers");
}

void require_inner(Index a_cols, Index b_rows, const std::string& what) {
    if (a_cols != b_rows)
        throw Error("the factors of a " + what + " have inner dimensions " + std::to_string(a_cols) +
                    " and " + std::to_string(b_rows) + ": give factors with equal ones");
    if (a_cols > kLargestInner)
        throw Error("the inner dimension " + std::to_string(a_cols) + " of a " + what +
                    " is above 2^28, up to which the error bounds are proved: split the product");
}

void require_same_shape(Index rows, Index cols, Index other_rows, Index other_cols, const std::string& what) {
    if (rows != other_rows || cols != other_cols)
        throw Error(what + " have shapes " + std::to_string(rows) + "×" + std::to_string(cols) + " and " +
                    std::to_string(other_rows) + "×" + std::to_string(other_cols) + ": give equal shapes");
}

void require_symmetric(const ConstMatrixRef& a, const std::string& name) {
    if (a.rows() != a.cols())
        throw Error(name + " has shape " + std::to_string(a.rows()) + "×" + std::to_string(a.cols()) +
                    ": give a square matrix");
    for (Index j = 0; j < a.cols(); ++j)
        for (Index i = 0; i < j; ++i)
            if (!(a(i, j) == a(j, i)))
                throw Error(name + " is not symmetric: entries (" + std::to_string(i) + ", " +
                            std::to_string(j) + ") and (" + std::to_string(j) + ", " + std::to_string(i) +
                            ") differ: give an exactly symmetric matrix");
}

Eigen::VectorXd upper_abs_times(const ConstMatrixRef& a, const Eigen::VectorXd& v) {
    require_inner(a.cols(), v.size(), "product of a matrix and a vector");
    Eigen::VectorXd sums = Eigen::VectorXd::Zero(a.rows());
    double* sum = sums.data();
    for (Index j = 0; j < a.cols(); ++j) {
        const double* column = a.data() + j * a.outerStride();
        const double factor = v[j];
        for (Index i = 0; i < a.rows(); ++i) sum[i] += std::abs(column[i]) * factor;
    }
    const double absolute = static_cast<double>(a.cols()) * 0x1p-1071;
    for (Index i = 0; i < a.rows(); ++i) sum[i] = nan_to_infinity(sum[i] * kSlack + absolute);
    return sums;
}

Eigen::VectorXd upper_abs_transposed_times(const ConstMatrixRef& a, const Eigen::VectorXd& v) {
    require_inner(a.rows(), v.size(), "product of a matrix and a vector");
    Eigen::VectorXd sums(a.cols());
    const double absolute = static_cast<double>(a.rows()) * 0x1p-1071;
    for (Index j = 0; j < a.cols(); ++j) {
        const double sum = a.col(j).cwiseAbs().dot(v);  // in Eigen's order
        sums[j] = nan_to_infinity(sum * kSlack + absolute);
    }
    return sums;
}

Eigen::VectorXd row_sums(const ConstMatrixRef& a) {
    require_inner(a.cols(), a.cols(), "row sum");
    Eigen::VectorXd sums = Eigen::VectorXd::Zero(a.rows());
    double* sum = sums.data();
    for (Index j = 0; j < a.cols(); ++j) {
        const double* column = a.data() + j * a.outerStride();
        for (Index i = 0; i < a.rows(); ++i) sum[i] += std::abs(column[i]);
    }
    return sums;
}

Eigen::VectorXd column_sums(const ConstMatrixRef& a) {
    require_inner(a.rows(), a.rows(), "column sum");
    Eigen::VectorXd sums(a.cols());
    for (Index j = 0; j < a.cols(); ++j) sums[j] = a.rows() == 0 ? 0.0 : a.col(j).cwiseAbs().sum();
    return sums;
}

double largest(const Eigen::VectorXd& v) noexcept {
    double result = 0;
    for (Index i = 0; i < v.size(); ++i) result = std::max(result, nan_to_infinity(v[i]));
    return result;
}

Eigen::MatrixXd scaled_by_power_of_two(const ConstMatrixRef& a, int exponent) {
    if (exponent >= -1000 && exponent <= 1000) return a * put_together(false, 1, exponent);
    const int half =
        exponent / 2;  // of the same sign, so that what the first step rounds the second does not magnify
    return (a * put_together(false, 1, half)) * put_together(false, 1, exponent - half);
}

}  // namespace rankcert::detail
