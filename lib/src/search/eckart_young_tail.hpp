#pragma once
/// \file eckart_young_tail.hpp  Row weights and token groupings with a large tail of singular values.

#include <functional>
#include <limits>
#include <optional>

#include "rankcert/search/lower.hpp"

namespace rankcert::search {

/// Uniform weights, every token its own group.
[[nodiscard]] WeightedGrouping plain_grouping(const Matrix& a);

/// The least r with Σ_{k>r} σ_k(K)² ≤ tolerance²: the bound that K gives, by estimate. Nothing where LAPACK
/// fails.
[[nodiscard]] std::optional<Eigen::Index> count_tail(const Matrix& a, const WeightedGrouping& choice,
                                                     double tolerance);

struct TailSearchOptions {
    int iterations = 40;                                        ///< L-BFGS steps at each temperature
    bool stop_at_goal = true;                                   ///< stop once tail_r > goal · tolerance²
    double goal = 1 + 1e-4;                                     ///< leaves room for rounding to a grid
    double deadline = std::numeric_limits<double>::infinity();  ///< by work_seconds()
};

struct TailSearchResult {
    WeightedGrouping choice;
    double tail = 0;  ///< Σ_{k>r} σ_k(K)²
};

/// Raises tail_r by L-BFGS over free vectors whose normalised forms are s and the rows of G. The tail is not
/// smooth where σ_r = σ_{r+1}; an entropy term makes the occupation of the eigenvalues a Fermi–Dirac
/// distribution, at falling temperatures. Returns the best pair seen, by its unsmoothed tail.
[[nodiscard]] TailSearchResult maximize_tail(const Matrix& a, Eigen::Index r, double tolerance,
                                             const WeightedGrouping& start, const TailSearchOptions& options);

/// Raises the bound that a weighting and grouping give, one rank after the other, until the next is not
/// reached or the time is over. `start` is the plain one or one that served another tolerance.
struct GroupingBound {
    WeightedGrouping choice;
    Eigen::Index bound = 0;  ///< count_tail of choice
};
[[nodiscard]] GroupingBound optimise_grouping(const Matrix& a, double tolerance,
                                              const WeightedGrouping& start, Eigen::Index upper,
                                              const TailSearchOptions& options);

}  // namespace rankcert::search
