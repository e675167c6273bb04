#pragma once
/// \file residual.hpp  Norms of matrices that are defined by exact arithmetic on stored numbers: in float64
/// where that is narrow enough, exactly where it is not. Internal to the room.
///
/// A BallMatrix that contains E gives |e_ij| between the least and the largest absolute value of its members,
/// doubles both, and the norms of those two matrices are bounded by norms.hpp. An ExactMatrix gives the norms
/// themselves. So nothing here adds to what linalg proves.

#include <functional>

#include "rankcert/audit/error_norms.hpp"
#include "rankcert/linalg/ball_matrix.hpp"
#include "rankcert/linalg/exact_matrix.hpp"

namespace rankcert::audit {

/// x ≤ bound, from an enclosure of x.
[[nodiscard]] Answer decide_at_most(const MpInterval& x, const Rational& bound);
/// Whether the ends of an enclosure of a number ≥ 0 are within 1 % of one another, or both zero.
[[nodiscard]] bool is_narrow(const MpInterval& x);
[[nodiscard]] std::size_t as_size(Index i);

[[nodiscard]] ErrorNorms norms_of(const BallMatrix& error);
[[nodiscard]] ErrorNorms norms_of(const ExactMatrix& error);

/// What has to be decided of the norms; without either, they are wanted to 1 %.
struct Tolerances {
    std::optional<Rational> norm, max_abs;
};

/// The norms from `fast`, or from `exact` where those leave a tolerance undecided or are not narrow. Where
/// the exact arithmetic is too much work the norms from `fast` stand.
[[nodiscard]] ErrorNorms measure(const std::function<BallMatrix()>& fast,
                                 const std::function<ExactMatrix()>& exact, const Tolerances& tolerances);

/// Throws Error that names the entry where one is NaN or infinite: "entry (2, 3) of <name> is …".
void require_finite_entries(const Eigen::Ref<const Eigen::MatrixXd>& a, const char* name);

}  // namespace rankcert::audit
