#pragma once
/// \file fixed_space_optimise.hpp  Spaces on which a expands ℓ∞ norms most.

#include <functional>

#include "eckart_young_tail.hpp"
#include "rankcert/search/lower.hpp"

namespace rankcert::search {

/// One stage of the smoothed minimisation: max_j ‖S_j‖₁ becomes a soft maximum at this temperature (of the
/// logarithm) of Σ √(S_jl² + δ²), δ = smoothing · (target norm) / m.
struct SmoothingStage {
    double temperature;
    double smoothing;
};

struct FixedSpaceOptions {
    std::vector<SmoothingStage> stages;
    int iterations = 100;  ///< a stage
    double goal = 0;       ///< stop once ‖S‖ is below; 0: never
    std::function<bool()> stop = [] { return false; };
};

/// Lowers ‖S‖ over all D (N×k) and S with S a D = D, by L-BFGS from the given start. S is written as Y + (D −
/// Y C) C⁺ with C = a D and Y free, which satisfies the equation by itself. Returns the best pair seen; its
/// reach is 1/‖S‖ (0 where not even the start has full rank).
[[nodiscard]] FixedSpace minimize_inverse(const Matrix& a, const FixedSpace& start, double scale,
                                          const FixedSpaceOptions& options);

/// How far `refine_space` goes.
struct SpaceRefinement {
    bool warm = false;  ///< from a start that is nearly good: only the colder stages
    double rival = 0;   ///< a reach that is worth exceeding even where the tolerance is not reached
    std::function<bool()> stop = [] { return false; };
};

/// minimize_inverse in stages that get colder, until the reach exceeds the tolerance or no hope is left.
[[nodiscard]] FixedSpace refine_space(const Matrix& a, const FixedSpace& start, double tolerance,
                                      const SpaceRefinement& how);

/// From K = diag(s) a G = U Σ Vᵀ: D = G V_k, S = (D Σ_k⁻¹) U_kᵀ diag(s), for which S a D = D only
/// approximately unless G = I. Nothing where σ_k = 0.
[[nodiscard]] std::optional<FixedSpace> space_from_grouping(const Matrix& a, const WeightedGrouping& choice,
                                                            Eigen::Index k);

/// The space without the direction that leads to the row of S with the largest norm.
[[nodiscard]] std::optional<FixedSpace> drop_direction(const Matrix& a, const FixedSpace& space);

/// The space with the direction added in which a, past the image of the space, is largest (rows weighted by
/// s).
[[nodiscard]] std::optional<FixedSpace> add_direction(const Matrix& a, const FixedSpace& space,
                                                      const Vector& weights);

}  // namespace rankcert::search
