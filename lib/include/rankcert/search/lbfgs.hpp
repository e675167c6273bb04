#pragma once
/// \file lbfgs.hpp  Minimising a smooth function by L-BFGS. Untrusted, for searches only.

#include <Eigen/Core>
#include <functional>

namespace rankcert::search {

struct LbfgsOptions {
    int iterations = 100;  ///< at most
    int memory = 8;        ///< corrections kept
    int evaluations = 20;  ///< at most, in one line search
    double tolerance =
        1e-7;       ///< stop where the value fell by less than this fraction over the last `past` steps
    int past = 10;  ///< 0: no such test
};

/// How many corrections the searches keep for so many variables: more take longer and get no farther, and
/// each takes the memory of two points.
[[nodiscard]] inline int lbfgs_memory(Eigen::Index variables) {
    if (variables < Eigen::Index{1} << 22) return 5;
    return variables < Eigen::Index{1} << 23 ? 3 : 2;
}

/// The value of the function at x; writes its gradient (same size as x).
using Objective =
    std::function<double(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> gradient)>;
/// Called after each step with the new point; true stops.
using StopTest = std::function<bool(const Eigen::Ref<const Eigen::VectorXd>& x)>;

/// Walks x downhill. Ends at a minimum, where `stop` says so, after the given number of steps, or where the
/// line search finds nothing better (a value or gradient that is not finite counts as worse than all); x is
/// then the last accepted point. Deterministic. An exception of the objective passes through.
void minimize(Eigen::VectorXd& x, const Objective& objective, const StopTest& stop,
              const LbfgsOptions& options = {});

}  // namespace rankcert::search
