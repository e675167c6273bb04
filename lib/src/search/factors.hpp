#pragma once
/// \file factors.hpp  What the files of the upper search share.

#include "rankcert/search/upper.hpp"

namespace rankcert::search {

/// The tolerance that a search aims at: a little below the one asked for, so that the factors can be put on a
/// grid and the checker, which knows the exact error, still agrees.
inline double search_goal(double tolerance) { return tolerance * (1 - 2e-5); }

/// The same product from factors with orthogonal columns and rows of equal size, largest first: the first r
/// of them are the best start for rank r that this product offers.
[[nodiscard]] std::optional<Factors> balance(const Factors& factors);

/// The same factors with a direction more for each row whose error exceeds the tolerance: that row itself.
/// Nothing where no row does, or where the rank would not be below `below`.
[[nodiscard]] std::optional<Factors> with_exact_rows(const Eigen::MatrixXd& a, const Factors& factors,
                                                     double tolerance, Eigen::Index below);

}  // namespace rankcert::search
