#include "rankcert/search/lbfgs.hpp"

#include <lbfgs.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <vector>

namespace rankcert::search {
namespace {

constexpr int kStop = 1;

struct Call {
    const Objective& objective;
    const StopTest& stop;
    Eigen::Index size;  // the library may round its own count up
    const LbfgsOptions& options;
    std::vector<double> values;    // after each step
    std::exception_ptr exception;  // an exception must not cross the C library's frames
};

lbfgsfloatval_t evaluate(void* instance, const lbfgsfloatval_t* x, lbfgsfloatval_t* g, int n,
                         lbfgsfloatval_t) {
    auto& call = *static_cast<Call*>(instance);
    std::fill(g, g + n, 0.0);
    // The backtracking line search shortens its step from an infinite value; it would take a NaN for a
    // success.
    constexpr double kRefused = std::numeric_limits<double>::infinity();
    if (call.exception) return kRefused;
    try {
        const Eigen::Map<const Eigen::VectorXd> point(x, call.size);
        Eigen::Map<Eigen::VectorXd> gradient(g, call.size);
        const double value = call.objective(point, gradient);
        if (std::isfinite(value) && gradient.allFinite()) return value;
        gradient.setZero();
    } catch (...) {
        call.exception = std::current_exception();
    }
    return kRefused;
}

int report(void* instance, const lbfgsfloatval_t* x, const lbfgsfloatval_t*, lbfgsfloatval_t value,
           lbfgsfloatval_t, lbfgsfloatval_t, lbfgsfloatval_t, int, int, int) {
    auto& call = *static_cast<Call*>(instance);
    if (call.exception) return kStop;
    try {
        call.values.push_back(value);
        if (call.stop && call.stop(Eigen::Map<const Eigen::VectorXd>(x, call.size))) return kStop;
        const std::size_t steps = call.values.size();
        if (static_cast<long long>(steps) >= call.options.iterations) return kStop;
        // The library's own test of this kind takes a negative value for a stall.
        const auto past = static_cast<std::size_t>(std::max(0, call.options.past));
        if (past == 0 || steps <= past) return 0;
        return call.values[steps - 1 - past] - value > call.options.tolerance * std::abs(value) ? 0 : kStop;
    } catch (...) {
        call.exception = std::current_exception();
        return kStop;
    }
}

}  // namespace

void minimize(Eigen::VectorXd& x, const Objective& objective, const StopTest& stop,
              const LbfgsOptions& options) {
    if (x.size() == 0) return;
    const int n = static_cast<int>(x.size());
    // The library wants its own alignment.
    const std::unique_ptr<lbfgsfloatval_t, void (*)(lbfgsfloatval_t*)> point(lbfgs_malloc(n), &lbfgs_free);
    if (!point) throw std::bad_alloc();
    std::copy(x.data(), x.data() + n, point.get());

    lbfgs_parameter_t parameters;
    lbfgs_parameter_init(&parameters);
    parameters.m = options.memory;
    parameters.max_linesearch = options.evaluations;
    parameters.past = 0;
    parameters.epsilon = 1e-12;
    parameters.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    parameters.wolfe = 0.9;

    Call call{objective, stop, x.size(), options, {}, nullptr};
    // A line search that fails leaves the last accepted point; forgetting the collected curvature often helps
    // there.
    for (std::size_t steps = 0;;) {
        const int code = lbfgs(n, point.get(), nullptr, &evaluate, &report, &call, &parameters);
        if (code >= 0 || call.values.size() < steps + 5 || call.exception) break;
        steps = call.values.size();
    }
    if (call.exception) std::rethrow_exception(call.exception);
    std::copy(point.get(), point.get() + n, x.data());
}

}  // namespace rankcert::search
