#pragma once
/// \file softmax_rows.hpp  One row of softmax at a time, enclosed by MPFR with directed rounding.
///
/// Proof of every step: lib/docs/softmax.md, section "The enclosure of a row".

#include <vector>

#include "attention/logits.hpp"
#include "attention/mp_float.hpp"

namespace rankcert::attention_detail {

/// Encloses rows of A for the middle member of a head's family.
///
/// The end points are a function of the head and of `bits` alone: MPFR rounds correctly, and the order of all
/// sums is fixed. Without a softcap, for bits′ ≥ bits + 8 the intervals at bits′ lie within those at bits.
class SoftmaxRows {
  public:
    /// bits ≥ 64. `logits` must outlive the object.
    SoftmaxRows(const ExactLogits& logits, unsigned bits);

    /// Encloses row i. Cost: one exponential of `bits` bits for a visible key, and a few products.
    void enclose_row(Eigen::Index i);

    /// The visible keys of the row, increasing.
    [[nodiscard]] const std::vector<Eigen::Index>& keys() const noexcept { return row_.keys; }
    /// q·k less that of the reference, in units of 2^dot_exponent.
    [[nodiscard]] const std::vector<Integer>& dot_differences() const noexcept { return row_.dot; }
    /// lower(k) ≤ A(i, keys()[k]) ≤ upper(k), both in [0, 1].
    [[nodiscard]] mpfr_srcptr lower(std::size_t k) const noexcept { return lower_[k]; }
    [[nodiscard]] mpfr_srcptr upper(std::size_t k) const noexcept { return upper_[k]; }

  private:
    /// Encloses factor · dot + bias in [argument_low_, argument_high_]; returns whether it is met exactly.
    [[nodiscard]] bool enclose_argument(const Integer& dot, const Integer* bias);
    /// Encloses the loaded row's logits with their softcap, in capped_, and returns the place of the largest.
    [[nodiscard]] std::size_t enclose_capped();
    /// Gives the arguments of the loaded row the bits that they need.
    void adapt_argument_bits();
    /// Encloses e^t for t in [argument_low_, argument_high_].
    void enclose_exponential(MpFloat& low, MpFloat& high, bool argument_is_exact);

    const ExactLogits* logits_;
    mpfr_prec_t bits_;
    LogitRow row_;
    std::vector<MpFloat> lower_;
    std::vector<MpFloat> upper_;
    std::vector<MpInterval> capped_;
    MpFloat factor_low_, factor_high_;
    MpFloat argument_low_, argument_high_;
    MpFloat bias_;
    MpFloat width_, growth_;
    MpFloat sum_low_, sum_high_;
};

}  // namespace rankcert::attention_detail
