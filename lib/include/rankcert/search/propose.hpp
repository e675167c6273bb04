#pragma once
/// \file propose.hpp  Proposals of witnesses. Nothing here is trusted, and no bound here is one until
/// checked.
///
/// All searches work on a float64 matrix near A, at a tolerance given as a double, and return witnesses with
/// entries on a coarse grid where the margin allows.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "rankcert/certificate/witness.hpp"

namespace rankcert::search {

struct Options {
    unsigned seed = 1;
    double seconds = 5;  ///< a budget for one call in nominal seconds (work.hpp), honoured between steps
};

/// Larger matrices get the quick searches alone: one optimised attempt would take many minutes and gigabytes.
constexpr Eigen::Index kLargestOptimised = 4096;

/// Beyond this size time and memory allow few attempts.
constexpr Eigen::Index kLarge = 1024;

}  // namespace rankcert::search
