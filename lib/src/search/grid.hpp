#pragma once
/// \file grid.hpp  Rounding of proposals to coarse grids, so that the exact check runs on short integers.

#include "rankcert/linalg/exact_matrix.hpp"
#include "rankcert/search/dense.hpp"

namespace rankcert::search {

/// Every entry to the nearest multiple of 2^−bits. (An entry of 2^(53−bits) or more stands on the grid
/// already.)
[[nodiscard]] Matrix round_to_grid(const ConstRef& a, int bits);

/// The same towards zero: no absolute value grows, so neither does any row norm.
[[nodiscard]] Matrix truncate_to_grid(const ConstRef& a, int bits);

/// The number b for which multiples of 2^−b have about `digits` binary digits below the largest entry of a.
[[nodiscard]] int relative_grid(const ConstRef& a, int digits);

/// How far a float64 evaluation of ‖I − x y‖ or the like can be off, by the usual error bound for inner
/// products of length n of factors whose norms multiply to `size`, with room to spare.
[[nodiscard]] double estimate_rounding(Eigen::Index n, double size);

/// Whether ‖D − S a D‖ + t ‖S‖ < 1 on these very numbers, in exact arithmetic: for margins that float64
/// cannot see.
[[nodiscard]] bool contracts_exactly(const Matrix& d, const Matrix& s, const Matrix& a, double tolerance);

}  // namespace rankcert::search
