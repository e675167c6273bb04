#pragma once
/// \file row_regression.hpp  The rows of the left factor by linear programming.

#include "rankcert/search/dense.hpp"
#include "rankcert/search/upper.hpp"

namespace rankcert::search {

/// Where the error of factors is decided by few rows: each row i whose error exceeds the tolerance gets the
/// u that minimises ‖a_i − u V‖₁, V as it is, by the simplex method (GLPK) on the dual: max a_i·y over V y =
/// 0, |y| ≤ 1, whose multipliers are u. Returns the factors with the rows that became better and their error;
/// nothing where none did.
[[nodiscard]] std::optional<Factors> regress_rows(const Matrix& a, const Factors& factors, double tolerance);

}  // namespace rankcert::search
