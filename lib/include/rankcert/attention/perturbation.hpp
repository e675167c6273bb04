#pragma once
/// \file perturbation.hpp  How far softmax moves when its logits do, and how far logits move when Q and K do.

#include <vector>

#include "rankcert/attention/head.hpp"

namespace rankcert {

/// An upper bound of 2 tanh(oscillation / 4), at most 2, where oscillation = max h − min h ≥ 0:
///     ‖softmax(x + h) − softmax(x)‖₁ ≤ 2 tanh(osc(h) / 4),
/// and no smaller function of osc(h) will do. Lemma B.1 of the article; proof: lib/docs/softmax.md, section
/// "Perturbation". MPFR at `working_bits` bits, rounded upward.
[[nodiscard]] Rational upper_softmax_perturbation(const Rational& oscillation, unsigned working_bits = 64);

/// For each row i a bound of
///     max_{j, j′ visible} (q′_i·k′_j − q_i·k_j) − (q′_i·k′_j′ − q_i·k_j′)
/// that holds for all real Q′, K′ that round to Q, K in head.rounded_from; zero where that is not set. Exact
/// arithmetic. Proof: lib/docs/softmax.md, section "Families". Cost: two exact m×d×N products.
/// Precondition: validate(head).
[[nodiscard]] std::vector<Rational> upper_rounding_oscillation(const Head& head);

}  // namespace rankcert
