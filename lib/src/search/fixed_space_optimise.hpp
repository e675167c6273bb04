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
/// Y C) C⁺ with C = a D and Y free, which satisfies the equation by itself. Returns the best pair seen with
/// its reach, 1/‖S‖; the start where not even that has full rank.
[[nodiscard]] FixedSpace minimize_inverse(const Matrix& a, FixedSpace start, double scale,
                                          const FixedSpaceOptions& options);

constexpr double kColdSpace =
    .3;  ///< temperature of the first stage from a start that is not near an optimum

/// How far `refine_space` goes.
struct SpaceRefinement {
    double from = kColdSpace;  ///< temperature of the first stage; less from a start that is nearly good
    double rival = 0;          ///< a reach that is worth exceeding even where the tolerance is not reached
    double screened = 0;       ///< the largest reach that other starts had when they came to kScreenSpace
    std::function<bool()> stop = [] { return false; };
    std::function<void(const FixedSpace&)> seen = [](const FixedSpace&) {};  ///< after each stage
};

/// By this temperature it shows to which of the few optima of a k a start leads: those that lead to one have
/// the same reach to three digits here.
constexpr double kScreenSpace = .05;

struct RefinedSpace {
    FixedSpace space;
    double temperature = 0;  ///< of the stage that comes next; 0 where none does
    double screened = 0;     ///< the reach at kScreenSpace; 0 where it did not come there from above
};

/// minimize_inverse in stages that get colder, until the reach exceeds the tolerance or no hope is left.
[[nodiscard]] RefinedSpace refine_space(const Matrix& a, FixedSpace start, double tolerance,
                                        const SpaceRefinement& how);

/// The most that the stages from this temperature on gain, as far as was seen: a factor to the reach.
[[nodiscard]] inline double hope_at(double temperature) { return 1 + 2.2 * temperature; }

/// The largest subspace on which only rows of S within 1/tolerance are needed: for the b rows beyond it, D is
/// restricted to the complement of theirs and the rows of S become 0. Nothing where b = 0 or no dimension is
/// left.
[[nodiscard]] std::optional<FixedSpace> without_large_rows(const FixedSpace& space, double tolerance);

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
