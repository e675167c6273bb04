#pragma once
/// \file high_precision_matrix.hpp  A matrix of MPFR numbers of one size, for searches (every operation
/// rounds to nearest).

#include <mpfr.h>

#include <vector>

#include "rankcert/linalg/exact_matrix.hpp"

namespace rankcert::search {

/// One MPFR number with its memory.
class Real {
  public:
    explicit Real(mpfr_prec_t bits) {
        mpfr_init2(value_, bits);
        mpfr_set_zero(value_, 1);
    }
    ~Real() { mpfr_clear(value_); }
    Real(const Real&) = delete;
    Real& operator=(const Real&) = delete;
    [[nodiscard]] mpfr_ptr get() { return value_; }

  private:
    mpfr_t value_;
};

/// rows×cols numbers, row by row, zero at first.
class RealMatrix {
  public:
    using Index = Eigen::Index;

    RealMatrix(Index rows, Index cols, mpfr_prec_t bits);
    RealMatrix(const ExactMatrix& values, mpfr_prec_t bits);
    ~RealMatrix();
    RealMatrix(RealMatrix&& other) noexcept;
    RealMatrix(const RealMatrix&) = delete;
    RealMatrix& operator=(const RealMatrix&) = delete;
    RealMatrix& operator=(RealMatrix&&) = delete;

    [[nodiscard]] Index rows() const noexcept { return rows_; }
    [[nodiscard]] Index cols() const noexcept { return cols_; }
    [[nodiscard]] mpfr_prec_t bits() const noexcept { return bits_; }
    [[nodiscard]] mpfr_ptr at(Index i, Index j) { return &cells_[static_cast<std::size_t>(i * cols_ + j)]; }
    [[nodiscard]] mpfr_srcptr at(Index i, Index j) const {
        return &cells_[static_cast<std::size_t>(i * cols_ + j)];
    }

    void swap_rows(Index i, Index k);
    void swap_cols(Index j, Index k);

  private:
    Index rows_, cols_;
    mpfr_prec_t bits_;
    std::vector<__mpfr_struct> cells_;
};

/// The nearest multiple of 2^exponent, as its mantissa.
[[nodiscard]] Integer round_to_integer(mpfr_srcptr value, long exponent);

}  // namespace rankcert::search
