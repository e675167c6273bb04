#pragma once
/// \file exact_matrix.hpp  Matrices of integers at a power-of-two scale: arithmetic with no rounding at all.

#include <Eigen/Core>
#include <cstdint>
#include <variant>
#include <vector>

#include "rankcert/eigen_abi.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/rational.hpp"

namespace rankcert {

/// Thrown where exact numbers would take over half a gigabyte, or a product or a rank minutes: nothing is wrong
/// with what was asked for, but that a file may ask for it.
class TooMuchWork : public Error {
  public:
    using Error::Error;
};

namespace detail {
struct ExactMatrixAccess;
}

/// A rows×cols matrix whose entry (i, j) is mantissa(i, j) · 2^exponent, exactly.
///
/// Entries live in 64-bit integers, in 128-bit integers, or in GMP integers, whichever a proved bound on
/// their size allows; results are equal whichever is used. The value is what counts: two matrices that hold
/// the same numbers at different exponents are equal. Zero rows or columns are ordinary.
///
/// Errors: shapes that do not fit, indices out of range, an exponent beyond ±2^24 on entry (±2^26 in a
/// result), and a sum whose terms lie so far apart that an entry would need more than 2^24 bits, throw Error;
/// a result of more than 2^32 bits in all, and a product of more than 2^37 products of words, TooMuchWork.
class ExactMatrix {
  public:
    using Index = Eigen::Index;
    using Int128 = __int128;

    ExactMatrix() = default;
    /// The zero matrix.
    ExactMatrix(Index rows, Index cols);

    /// Exactly the given doubles. Throws Error that names the index of a NaN or an infinity.
    [[nodiscard]] static ExactMatrix from_double(const Eigen::Ref<const Eigen::MatrixXd>& values);
    /// mantissas[i * cols + j] · 2^exponent.
    [[nodiscard]] static ExactMatrix from_integers(Index rows, Index cols, std::vector<Integer> mantissas,
                                                   long exponent);
    [[nodiscard]] static ExactMatrix identity(Index n);

    [[nodiscard]] Index rows() const noexcept { return rows_; }
    [[nodiscard]] Index cols() const noexcept { return cols_; }
    [[nodiscard]] long exponent() const noexcept { return exponent_; }

    [[nodiscard]] Integer mantissa(Index i, Index j) const;
    [[nodiscard]] Rational operator()(Index i, Index j) const;
    /// The least b with |mantissa| < 2^b for every entry (0 for a zero or empty matrix).
    [[nodiscard]] unsigned bits() const noexcept { return bits_; }

    /// Whether every entry is a double, exactly (subnormals included).
    [[nodiscard]] bool is_double() const;
    /// The entries as doubles; throws Error where one is not.
    [[nodiscard]] Eigen::MatrixXd to_double() const;
    /// The entries rounded to nearest doubles, for search: no bound.
    [[nodiscard]] Eigen::MatrixXd estimate_double() const;

    [[nodiscard]] ExactMatrix transpose() const;
    [[nodiscard]] ExactMatrix select_rows(const std::vector<Index>& rows) const;
    [[nodiscard]] ExactMatrix select_cols(const std::vector<Index>& cols) const;
    /// diag(weights) · this; weights is rows()×1.
    [[nodiscard]] ExactMatrix scale_rows(const ExactMatrix& weights) const;
    /// factor · this.
    [[nodiscard]] ExactMatrix scale(const Integer& factor) const;

    friend ExactMatrix operator*(const ExactMatrix& a, const ExactMatrix& b);
    friend ExactMatrix operator+(const ExactMatrix& a, const ExactMatrix& b);
    friend ExactMatrix operator-(const ExactMatrix& a, const ExactMatrix& b);
    friend bool operator==(const ExactMatrix& a, const ExactMatrix& b);

    /// Σ_j |a_ij| for every row, exactly.
    [[nodiscard]] std::vector<Rational> row_norms() const;
    /// max_i Σ_j |a_ij|, the operator norm ℓ∞→ℓ∞; 0 for a matrix without rows.
    [[nodiscard]] Rational norm() const;
    /// Σ_j a_ij² for every row.
    [[nodiscard]] std::vector<Rational> row_squares() const;
    /// Σ_ij a_ij².
    [[nodiscard]] Rational squared_frobenius_norm() const;
    [[nodiscard]] Rational trace() const;

  private:
    friend struct detail::ExactMatrixAccess;
    using Storage = std::variant<std::vector<std::int64_t>, std::vector<Int128>, std::vector<Integer>>;

    Index rows_ = 0;
    Index cols_ = 0;
    long exponent_ = 0;
    unsigned bits_ = 0;
    Storage mantissas_;  // row-major
};

/// lower ≤ rank ≤ upper.
struct RankBounds {
    Eigen::Index lower = 0;
    Eigen::Index upper = 0;
};

/// What enclose_rank may spend, in multiply-adds of words: a minute or two.
inline constexpr double kMostRankWork = 1e11;

/// The rank over the rationals, by elimination modulo as many primes as prove it (one where the rank is full; else
/// about rank·bits/59 of them, of rows·cols·rank multiply-adds each), or by fraction-free elimination where that is
/// cheaper. An estimate is made first: where it exceeds `most_work` the bounds are those that a single prime
/// proves, or none. Deterministic.
[[nodiscard]] RankBounds enclose_rank(const ExactMatrix& a, double most_work = kMostRankWork);

/// The same where the bounds meet; throws TooMuchWork where they do not.
[[nodiscard]] Eigen::Index exact_rank(const ExactMatrix& a);

}  // namespace rankcert
