#include "high_precision_matrix.hpp"

#include <utility>

namespace rankcert::search {

RealMatrix::RealMatrix(Index rows, Index cols, mpfr_prec_t bits)
    : rows_(rows), cols_(cols), bits_(bits), cells_(static_cast<std::size_t>(rows * cols)) {
    for (auto& cell : cells_) {
        mpfr_init2(&cell, bits);
        mpfr_set_zero(&cell, 1);
    }
}

RealMatrix::RealMatrix(const ExactMatrix& values, mpfr_prec_t bits)
    : RealMatrix(values.rows(), values.cols(), bits) {
    for (Index i = 0; i < rows_; ++i) {
        for (Index j = 0; j < cols_; ++j) {
            const Integer mantissa = values.mantissa(i, j);
            mpfr_set_z_2exp(at(i, j), mantissa.backend().data(), values.exponent(), MPFR_RNDN);
        }
    }
}

RealMatrix::RealMatrix(RealMatrix&& other) noexcept
    : rows_(other.rows_), cols_(other.cols_), bits_(other.bits_), cells_(std::move(other.cells_)) {
    other.cells_.clear();
    other.rows_ = other.cols_ = 0;
}

RealMatrix::~RealMatrix() {
    for (auto& cell : cells_) mpfr_clear(&cell);
}

void RealMatrix::swap_rows(Index i, Index k) {
    for (Index j = 0; i != k && j < cols_; ++j) mpfr_swap(at(i, j), at(k, j));
}

void RealMatrix::swap_cols(Index j, Index k) {
    for (Index i = 0; j != k && i < rows_; ++i) mpfr_swap(at(i, j), at(i, k));
}

Integer round_to_integer(mpfr_srcptr value, long exponent) {
    Real scaled(mpfr_get_prec(value));
    mpfr_mul_2si(scaled.get(), value, -exponent, MPFR_RNDN);
    Integer out;
    mpfr_get_z(out.backend().data(), scaled.get(), MPFR_RNDN);
    return out;
}

}  // namespace rankcert::search
