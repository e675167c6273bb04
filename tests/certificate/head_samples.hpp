#pragma once
/// \file head_samples.hpp  Certificates of small heads, with claims at the very edge of what they prove.

#include <random>
#include <vector>

#include "certificate/bundle_samples.hpp"

namespace samples {

/// Heads of every mask, format, kind of scale and kind of family, m ≤ 5, N ≤ 6, d ≤ 3, with all witnesses
/// that were found for them. Every claim is proved at the exact level, and an ε larger (for a lower bound) or
/// smaller (for an upper one) by a part in 10^14 would not be.
[[nodiscard]] std::vector<Bundle> heads_at_the_edge(std::size_t count, std::mt19937_64& random);

/// One query and one key: A = [1].
[[nodiscard]] Head one_key();
/// Multiplier 0: the visible keys of row i have 1/(their number) each.
[[nodiscard]] Head uniform(Index rows, Index cols, MaskKind mask);

/// The biases of visible keys, 0 for the others.
[[nodiscard]] ExactMatrix shown(const ExactMatrix& bias, const BoolMatrix& keep);

/// A bundle of a head without claims.
[[nodiscard]] Bundle of_head(const Head& head, const ExactMatrix& centre, NumberFormat format);

}  // namespace samples
