#pragma once
/// \file exact_measure.hpp  The numbers of a witness, exactly. One function a kind; theorems:
/// lib/docs/certificates.md.
///
/// Each checks the shapes, the indices and the side conditions of its theorem first and returns `Nothing`
/// with one sentence where they fail. Everything is integer or rational arithmetic: there is no
/// floating-point argument to make.

#include "rankcert/certificate/checker.hpp"

namespace rankcert::detail {

[[nodiscard]] LowerMeasure measure_exactly(const FixedSpaceWitness& witness, const Subject& subject);
[[nodiscard]] LowerMeasure measure_exactly(const NeumannWitness& witness, const Subject& subject);
[[nodiscard]] LowerMeasure measure_exactly(const EckartYoungWitness& witness, const Subject& subject);
[[nodiscard]] LowerMeasure measure_exactly(const RowCycleWitness& witness, const Subject& subject);
[[nodiscard]] UpperMeasure measure_exactly(const FactorWitness& witness, const Subject& subject);
[[nodiscard]] UpperMeasure measure_exactly(const RepresentativeRowsWitness& witness, const Subject& subject);

/// The rules use no witness numbers, and no ρ; both checkers may call them. (exact_rules.cpp)
[[nodiscard]] LowerMeasure measure_rule(LowerRule rule, const Subject& subject);
[[nodiscard]] UpperMeasure measure_rule(UpperRule rule, const Subject& subject);

/// Section "Top-k budget".
[[nodiscard]] TopKBudget exact_top_k_budget(const Subject& subject, const Rational& upper_rho,
                                            const Rational& epsilon);

}  // namespace rankcert::detail
