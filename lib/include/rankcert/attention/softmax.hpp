#pragma once
/// \file softmax.hpp  Softmax attention as one exact matrix Ã and a proved bound ρ ≥ ‖A − Ã‖.
///
/// ‖·‖ is the largest row ℓ1 norm. Statements and proofs, with the floating-point arguments:
/// lib/docs/softmax.md; what ρ is good for: lib/docs/certificates.md, section "One exact matrix". All
/// functions throw Error where validate(head) does. None depends on the caller's rounding mode, on
/// flush-to-zero or on threads.

#include <optional>
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

/// Ã on the grid 2^−precision with its error, by MPFR with directed rounding.
///
/// Ã depends on nothing but the head and the precision; it is near the middle member of a family. Rows are
/// shift-invariant: a constant added to a row's logits, if it is added exactly, changes no bit. Logits may
/// have any size. For a single head error.upper ≤ keys · 2^(−precision−1) · (1 + 2^−40), up to a million
/// keys. Cost: one exponential of about precision + 64 bits for a visible key (some 2.5 µs at precision 53).
[[nodiscard]] SoftmaxEnclosure enclose_softmax(const Head& head, unsigned precision = 53);

/// Bounds on ‖A − centre‖ for a given centre (any exact m×N matrix, hidden entries included), with MPFR at
/// `working_bits` bits (64 at least). At 8 bits more the bounds of a single head are at least as tight; what
/// cannot be told apart at the given bits is about keys · 2^(1 − working_bits). The exact checker's ρ. Throws
/// Error where the centre has another shape.
[[nodiscard]] ErrorBounds enclose_softmax_error(const Head& head, const ExactMatrix& centre,
                                                unsigned working_bits);

/// An upper bound of ‖A − centre‖ over the family in float64 arithmetic with proved error bounds: wider
/// (about 1e-13 for ordinary heads), much faster. The fast checker's ρ. Returns nothing where Q, K, the bias
/// or the centre are not finite doubles, or where float64 overflows on the way. Throws Error where the centre
/// has another shape. Cost: two m×d×N products and m·N exponentials of the float64 kernel.
[[nodiscard]] std::optional<double> upper_softmax_error_fast(const Head& head, const Eigen::MatrixXd& centre);

/// Ã with an upper bound of ‖A − Ã‖ over the family.
struct FastSoftmaxEnclosure {
    Eigen::MatrixXd centre;  ///< Ã, m×N, entries multiples of 2^−53 in [0, 1], hidden ones 0
    double error;            ///< ≥ ‖A − Ã‖ over the family
};

/// Ã and its error in float64 arithmetic with proved error bounds, within a small factor of the time that
/// plain float64 takes for softmax alone.
///
/// Ã is a float64 softmax of the middle member, rounded to the grid 2^−53; unlike that of enclose_softmax it
/// need not be the nearest on the grid, and depends on how the products are summed on the machine. The error
/// is upper_softmax_error_fast's bound for it. Returns nothing where that does. Cost: two m×d×N products and
/// m·N exponentials of the float64 kernel.
[[nodiscard]] std::optional<FastSoftmaxEnclosure> enclose_softmax_fast(const Head& head);

/// The number of classes of rows with exactly equal logit differences and equal visible sets: an upper bound
/// of rank A, for every member of the family. For a family with rounding it is the number of rows. Exact.
[[nodiscard]] Eigen::Index count_distinct_rows(const Head& head);

}  // namespace rankcert
