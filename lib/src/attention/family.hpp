#pragma once
/// \file family.hpp  How far the members of a head's family lie from its middle member, row by row.

#include <optional>

#include "attention/logits.hpp"
#include "attention/mp_float.hpp"

namespace rankcert::attention_detail {

/// out ← an upper bound of 2 tanh(oscillation / 4); oscillation ≥ 0.
void upper_perturbation(MpFloat& out, const MpFloat& oscillation);

/// For a head with one member the distance is zero and costs nothing.
class FamilyDistance {
  public:
    FamilyDistance(const ExactLogits& logits, unsigned bits);

    /// Adds to `error`, rounding upward, a bound of ‖A_i − A_i(middle member)‖₁ over the family.
    void add_to(MpFloat& error, Eigen::Index i, const std::vector<Integer>& dot_differences);

  private:
    const ExactLogits* logits_;
    bool single_;
    std::vector<Rational> rounding_;
    MpFloat half_width_;  // ≥ |scale| (multiplier_high − multiplier_low) / 2
    MpFloat largest_;     // ≥ |scale| multiplier_high
    MpFloat oscillation_, term_;
};

}  // namespace rankcert::attention_detail
