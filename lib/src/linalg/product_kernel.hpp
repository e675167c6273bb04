#pragma once
/// \file product_kernel.hpp  The float64 matrix product, in terms of plain memory (no Eigen type: see the
/// .cpp).

#include <cstddef>

namespace rankcert::detail {

/// A column-major matrix; column j begins at data + j · stride.
struct KernelOperand {
    const double* data;
    std::ptrdiff_t rows;
    std::ptrdiff_t cols;
    std::ptrdiff_t stride;
    bool transposed;
};

/// result = op(a) op(b), column-major without gaps; the inner dimensions agree.
void multiply_kernel(const KernelOperand& a, const KernelOperand& b, double* result);

}  // namespace rankcert::detail
