#pragma once
/// \file rows.hpp  The rows of A of an AttentionHead, enclosed: in float64 for most, by MPFR where that is
/// too wide.
///
/// Proofs: lib/docs/audit.md, section "Rows".

#include <vector>

#include "rankcert/audit/head.hpp"
#include "rankcert/rigor/mp_interval.hpp"

namespace rankcert::audit {

/// The visible keys of row i, increasing.
void find_visible(const AttentionHead& head, Index i, std::vector<Index>& keys);

/// What can be said of rows without arithmetic, for one head.
class RowStates {
  public:
    explicit RowStates(const AttentionHead& head);
    /// The state of row i, whose visible keys are given.
    [[nodiscard]] RowState of(Index i, const std::vector<Index>& keys) const;

  private:
    const AttentionHead* head_;
    std::vector<char> finite_query_, finite_key_;
    bool all_keys_finite_ = true;
};

/// Rows of A by MPFR: intervals of `bits` bits, relative width about 2^(8 − bits) · keys.
class PreciseRows {
  public:
    PreciseRows(const AttentionHead& head, unsigned bits) : head_(&head), bits_(bits) {}
    /// Encloses A(i, keys[k]) in weights()[k]. The row must be defined, and keys its visible ones; there may
    /// be none (with a sink).
    void enclose(Index i, const std::vector<Index>& keys);
    [[nodiscard]] const std::vector<MpInterval>& weights() const noexcept { return weights_; }

  private:
    const AttentionHead* head_;
    unsigned bits_;
    std::vector<MpInterval> weights_;
};

/// Float64 weights of some rows: |A_ij − weights(j, row)| ≤ relative(row) · weights(j, row) + kFastAbsolute.
struct FastRows {
    Eigen::MatrixXd weights;   ///< a column a row of A; 0 where a key is hidden
    Eigen::VectorXd relative;  ///< +infinity where float64 does not serve
    std::vector<RowState> state;
};
inline constexpr double kFastAbsolute = 0x1p-1070;

/// Rows of A in float64, a block at a time. Use it under a FloatingPointGuard; different threads may use one
/// object.
class FastProblem {
  public:
    explicit FastProblem(const AttentionHead& head);
    /// Rows first, …, first + count − 1.
    void enclose(Index first, Index count, FastRows& rows) const;

  private:
    void enclose_row(Index i, const double* dots, const std::vector<Index>& keys, double* weights,
                     double& relative) const;

    const AttentionHead* head_;
    RowStates states_;
    bool usable_ = false;
    Eigen::MatrixXd query_, key_;            ///< numbers that are not finite replaced by 0
    Eigen::VectorXd query_norm_, key_norm_;  ///< upper bounds of Euclidean norms
    double factor_ = 0;                      ///< within 6u of |scale|
    bool negative_ = false;
    double cap_ = 0;  ///< nearest double, 0 for none
};

}  // namespace rankcert::audit
