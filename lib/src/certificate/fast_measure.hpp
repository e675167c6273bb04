#pragma once
/// \file fast_measure.hpp  The numbers of a witness, bounded in float64. One function a kind; theorems:
/// lib/docs/certificates.md; rounding: lib/docs/floating-point.md.
///
/// Residuals and errors come out too large, tails too small, gains exactly: whatever inequality holds with
/// them holds with the exact measures. Side conditions (‖S‖ ≤ 1, Σ s² ≤ 1, D_J = I, …) are decided in exact
/// arithmetic, since they hold with equality in ordinary witnesses.

#include <Eigen/Core>
#include <optional>

#include "rankcert/certificate/checker.hpp"

namespace rankcert::detail {

/// Ã as float64: ‖Ã − values‖ ≤ shift, which is 0 where Ã consists of doubles (as it does for precision 53).
struct FastCentre {
    Eigen::MatrixXd values;
    double shift = 0;
};

/// `nothing` where a number of the witness is not a double, or where something overflows.
[[nodiscard]] LowerMeasure measure_fast(const FixedSpaceWitness& witness, const FastCentre& centre);
[[nodiscard]] LowerMeasure measure_fast(const NeumannWitness& witness, const FastCentre& centre);
[[nodiscard]] LowerMeasure measure_fast(const EckartYoungWitness& witness, const FastCentre& centre);
[[nodiscard]] LowerMeasure measure_fast(const RowCycleWitness& witness, const FastCentre& centre);
[[nodiscard]] UpperMeasure measure_fast(const FactorWitness& witness, const FastCentre& centre);
[[nodiscard]] UpperMeasure measure_fast(const RepresentativeRowsWitness& witness, const FastCentre& centre);

}  // namespace rankcert::detail
