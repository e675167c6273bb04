#pragma once
/// \file magnitude.hpp  A limit on exponents, so that no exact number here needs absurd memory.

#include "rankcert/linalg/exact_matrix.hpp"

namespace rankcert::attention_detail {

/// Entries are multiples of 2^−kMostBits and their mantissas below 2^kMostBits; float64 needs 2^11 of that.
inline constexpr long kMostBits = 1L << 20;

/// Throws Error where `values` (the "query matrix", …) is beyond the limit: a hostile or broken file.
void require_moderate(const ExactMatrix& values, const char* what);

}  // namespace rankcert::attention_detail
