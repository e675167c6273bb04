#include "rankcert/search/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rankcert/search/dense.hpp"
#include "rankcert/search/work.hpp"

namespace rankcert::search {
namespace {

using Eigen::Index;

/// The last steps s and changes of the gradient y, as the columns of one matrix, with the inner products that
/// the two-loop recursion (Nocedal and Wright, Numerical Optimization, algorithm 7.4) asks for. With these
/// the recursion works on coefficients of s, y and the gradient alone, and a step reads the history three
/// times in matrix-vector products rather than in single vectors.
class History {
  public:
    History(Index size, Index memory)
        : memory_(memory),
          vectors_(Matrix::Zero(size, 2 * memory)),
          products_(Matrix::Zero(2 * memory, 2 * memory)),
          by_gradient_(Vector::Zero(2 * memory)),
          column_(2 * memory) {}

    [[nodiscard]] bool empty() const { return count_ == 0; }

    void clear() {
        count_ = 0;
        newest_ = 0;
    }

    /// Takes the step to the point whose gradient is `gradient`. A pair without positive curvature would make
    /// the next direction point uphill: then all is forgotten.
    void push(const Vector& step, const Vector& change, const Vector& gradient) {
        if (!(step.dot(change) > 0)) {
            clear();
            return;
        }
        newest_ = empty() ? 0 : (newest_ + 1) % memory_;
        count_ = std::min(count_ + 1, memory_);
        vectors_.col(newest_) = step;
        vectors_.col(memory_ + newest_) = change;
        for (const Index i : {newest_, memory_ + newest_}) {
            gemv(1, vectors_, Op::transpose, vectors_.col(i), 0, column_);
            products_.col(i) = column_;
            products_.row(i) = column_.transpose();
        }
        gemv(1, vectors_, Op::transpose, gradient, 0, by_gradient_);
    }

    /// The direction −H g, and its inner product with g. Only for a history that is not empty.
    double direction(const Vector& gradient, Vector& out) const {
        Vector c = Vector::Zero(2 * memory_);  // of the columns
        double of_gradient = -1;
        std::vector<double> alphas(static_cast<std::size_t>(count_));
        for (Index age = 0; age < count_; ++age) {
            const Index s = column(age), y = memory_ + s;
            const double alpha = (products_.col(s).dot(c) + of_gradient * by_gradient_(s)) / products_(s, y);
            alphas[static_cast<std::size_t>(age)] = alpha;
            c(y) -= alpha;
        }
        const Index y = memory_ + newest_;
        const double scale = products_(newest_, y) / products_(y, y);
        c *= scale;
        of_gradient *= scale;
        for (Index age = count_ - 1; age >= 0; --age) {
            const Index s = column(age), change = memory_ + s;
            const double beta =
                (products_.col(change).dot(c) + of_gradient * by_gradient_(change)) / products_(s, change);
            c(s) += alphas[static_cast<std::size_t>(age)] - beta;
        }
        out = of_gradient * gradient;
        gemv(1, vectors_, Op::none, c, 1, out);
        return c.dot(by_gradient_) + of_gradient * gradient.squaredNorm();
    }

  private:
    [[nodiscard]] Index column(Index age) const { return (newest_ - age + memory_) % memory_; }

    Index memory_;
    Index count_ = 0;
    Index newest_ = 0;
    Matrix vectors_;      ///< s_0 … s_{memory−1}, y_0 … y_{memory−1}
    Matrix products_;     ///< vectorsᵀ vectors, where both columns are in use
    Vector by_gradient_;  ///< vectorsᵀ g
    Vector column_;
};

/// The next step, and where it leads.
struct Trial {
    Vector point, gradient;
    double value;
};

constexpr double kDecrease = 1e-4;  ///< of the decrease that the slope promises (Armijo)
constexpr double kCurvature = 0.9;  ///< of the slope may be left (Wolfe)

/// Bisection for a step that keeps both conditions. False where none was found; trial then is the last point
/// tried.
bool search_line(const Vector& x, double value, const Vector& direction, double slope, double step,
                 const Objective& objective, int evaluations, Trial& trial) {
    double low = 0, high = std::numeric_limits<double>::infinity();
    for (int i = 0; i < evaluations; ++i) {
        trial.point = x + step * direction;
        trial.value = objective(trial.point, trial.gradient);
        const bool finite = std::isfinite(trial.value) && trial.gradient.allFinite();
        if (!finite) trial.value = std::numeric_limits<double>::infinity();
        if (!finite || trial.value > value + kDecrease * step * slope) {
            high = step;
        } else if (trial.gradient.dot(direction) < kCurvature * slope) {
            low = step;
        } else {
            return true;
        }
        step = std::isfinite(high) ? (low + high) / 2 : 2 * step;
    }
    return false;
}

}  // namespace

void minimize(Eigen::VectorXd& x, const Objective& objective, const StopTest& stop,
              const LbfgsOptions& options) {
    if (x.size() == 0 || options.iterations < 1) return;
    Vector gradient = Vector::Zero(x.size()), direction(x.size());
    double value = objective(x, gradient);
    if (!std::isfinite(value) || !gradient.allFinite()) return;
    Trial trial{x, gradient, value};
    History history(x.size(), std::max(1, options.memory));
    std::vector<double> values;  // after each step
    for (int steps = 0; steps < options.iterations;) {
        const double length = gradient.norm();
        if (!(length > 0)) return;
        double slope = 0;
        if (!history.empty()) slope = history.direction(gradient, direction);
        const bool steepest = history.empty() || !(slope < 0);
        if (steepest) {
            history.clear();
            direction = -gradient;
            slope = -length * length;
        }
        const bool good = search_line(x, value, direction, slope, steepest ? 1 / length : 1, objective,
                                      options.evaluations, trial);
        charge_work(6 * static_cast<double>(x.size()) / kEntriesPerSecond / 4);
        if (!good && !(trial.value < value)) {
            // Forgetting the collected curvature often helps where the line search fails.
            if (steepest) return;
            history.clear();
            continue;
        }
        direction = trial.point - x;  // from here on the step and, in `gradient`, its change
        gradient = trial.gradient - gradient;
        history.push(direction, gradient, trial.gradient);
        x.swap(trial.point);
        gradient.swap(trial.gradient);
        value = trial.value;
        values.push_back(value);
        ++steps;
        if (stop && stop(x)) return;
        const auto past = static_cast<std::size_t>(std::max(0, options.past));
        if (past == 0 || values.size() <= past) continue;
        if (!(values[values.size() - 1 - past] - value > options.tolerance * std::abs(value))) return;
    }
}

}  // namespace rankcert::search
