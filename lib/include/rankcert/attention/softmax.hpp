#pragma once
/// \file softmax.hpp  Softmax attention as one exact matrix Ã and a proved bound ρ ≥ ‖A − Ã‖.
///
/// ‖·‖ is the largest row ℓ1 norm. See lib/docs/certificates.md, section "One exact matrix".

#include <vector>

#include "rankcert/attention/head.hpp"

namespace rankcert {

/// lower ≤ sup ‖A − Ã‖ ≤ upper, the supremum over the family of the head.
struct ErrorBounds {
    Rational lower;
    Rational upper;
};

struct SoftmaxEnclosure {
    ExactMatrix centre;  ///< Ã, m×N, entries multiples of 2^−precision in [0, 1]
    ErrorBounds error;   ///< of ‖A − Ã‖
};

/// Ã on the grid 2^−precision with its error, by MPFR with directed rounding. Ã depends on nothing but the
/// head and the precision; rows are shift-invariant; logits may have any size.
[[nodiscard]] SoftmaxEnclosure enclose_softmax(const Head& head, unsigned precision = 53);

/// Bounds on ‖A − centre‖ for a given centre (any exact m×N matrix), with MPFR at `working_bits` bits; more
/// bits give bounds at least as tight for a single head. The exact checker's ρ.
[[nodiscard]] ErrorBounds enclose_softmax_error(const Head& head, const ExactMatrix& centre,
                                                unsigned working_bits);

/// An upper bound of ‖A − centre‖ in float64 arithmetic with proved error bounds: wider, much faster. The fast
/// checker's ρ. centre must be exact doubles. Returns nothing where the bound is not finite.
[[nodiscard]] std::optional<double> upper_softmax_error_fast(const Head& head, const Eigen::MatrixXd& centre);

/// The number of classes of rows with exactly equal logit differences and equal visible sets: an upper bound of
/// rank A. For a family with rounding it is the number of rows.
[[nodiscard]] Eigen::Index count_distinct_rows(const Head& head);

}  // namespace rankcert
