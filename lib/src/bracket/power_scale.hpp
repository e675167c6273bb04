#pragma once
/// \file power_scale.hpp  Searching a matrix of any size as one of size about 1: everything moved by a power
/// of two.

#include "rankcert/certificate/witness.hpp"

namespace rankcert::detail {

/// a · 2^shift, exactly.
[[nodiscard]] ExactMatrix scaled(const ExactMatrix& a, long shift);

/// The shift that brings the largest entry of a into [1/2, 1]; 0 where it is in (2⁻²⁰, 2²⁰) already, or a is
/// zero.
[[nodiscard]] long normalising_shift(const ExactMatrix& a);

/// The witness for a that this witness for a · 2^shift comes to: its tolerance is 2^−shift times as large.
[[nodiscard]] LowerWitness unscaled(LowerWitness witness, long shift);
[[nodiscard]] UpperWitness unscaled(UpperWitness witness, long shift);

}  // namespace rankcert::detail
