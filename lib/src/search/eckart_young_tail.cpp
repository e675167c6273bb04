#include "eckart_young_tail.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rankcert/search/lbfgs.hpp"
#include "rankcert/search/work.hpp"

namespace rankcert::search {
namespace {

using Eigen::Index;

/// p_i = 1 / (1 + exp((λ_i − μ)/τ)) with μ such that Σ p_i = count: the occupation of the `count` least
/// eigenvalues at temperature τ.
Vector fermi_dirac(const Vector& lambda, double count, double tau) {
    const auto occupation = [&](double mu) -> Vector {
        return lambda.unaryExpr(
            [mu, tau](double x) { return 1 / (1 + std::exp(std::clamp((x - mu) / tau, -500., 500.))); });
    };
    double low = lambda.minCoeff() - 60 * tau;
    double high = lambda.maxCoeff() + 60 * tau;
    for (int step = 0; step < 60; ++step) {
        const double mu = (low + high) / 2;
        (occupation(mu).sum() > count ? high : low) = mu;
    }
    return occupation((low + high) / 2);
}

/// x log x, 0 at 0.
double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

/// The smoothed tail as a function of the free vectors x = (rows of G before normalisation; s before
/// normalisation).
class TailObjective {
  public:
    TailObjective(const Matrix& a, Index r, double tolerance, Index groups)
        : a_(a), r_(r), tolerance_(tolerance), groups_(groups) {}

    [[nodiscard]] const TailSearchResult& best() const { return best_; }
    void set_temperature(double tau) { tau_ = tau; }

    double operator()(const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> gradient) {
        const Index m = a_.rows(), n = a_.cols();
        const Eigen::Map<const Matrix> free_grouping(x.data(), n, groups_);
        const Eigen::Map<const Vector> free_weights(x.data() + n * groups_, m);
        const Vector lengths = free_grouping.rowwise().norm();
        const double weight_length = free_weights.norm();
        const Matrix g = lengths.cwiseInverse().asDiagonal() * free_grouping;
        const Vector s = free_weights.cwiseAbs() / weight_length;

        const Matrix ag = multiply(a_, g);
        const Matrix k = s.asDiagonal() * ag;
        const bool by_rows = m <= groups_;
        const auto eigen = symmetric_eigen(by_rows ? multiply_nt(k, k) : multiply_tn(k, k));
        if (!eigen) return std::numeric_limits<double>::infinity();
        const Vector lambda = eigen->values.cwiseMax(0);
        const Index count = lambda.size() - r_;
        const double tail = lambda.head(count).sum();
        if (tail > best_.tail) best_ = {{s, g}, tail};

        const Vector p = fermi_dirac(lambda, static_cast<double>(count), tau_);
        double value = p.dot(lambda);
        for (Index i = 0; i < p.size(); ++i) value += tau_ * (x_log_x(p(i)) + x_log_x(1 - p(i)));

        // d value / d H = V diag(p) Vᵀ =: P for H = K Kᵀ, so d value / d K = 2 P K (K P for H = Kᵀ K).
        const Matrix scaled = eigen->vectors * p.asDiagonal();
        const Matrix pk = by_rows ? multiply(scaled, multiply_tn(eigen->vectors, k))
                                  : multiply_nt(multiply(k, scaled), eigen->vectors);
        const double factor = -1 / (tolerance_ * tolerance_);
        Matrix by_grouping = 2 * multiply_tn(a_, s.asDiagonal() * pk);
        const Vector along =
            by_grouping.cwiseProduct(g).rowwise().sum();  // the part that only changes lengths
        by_grouping -= along.asDiagonal() * g;
        Eigen::Map<Matrix>(gradient.data(), n, groups_) =
            factor * (lengths.cwiseInverse().asDiagonal() * by_grouping);
        const Vector by_s = 2 * pk.cwiseProduct(ag).rowwise().sum();
        Eigen::Map<Vector>(gradient.data() + n * groups_, m) =
            factor * (by_s.cwiseProduct(free_weights.cwiseSign()) / weight_length -
                      free_weights * (by_s.dot(s) / (weight_length * weight_length)));
        return factor * value;
    }

  private:
    const Matrix& a_;
    Index r_;
    double tolerance_;
    Index groups_;
    double tau_ = 0;
    TailSearchResult best_;
};

}  // namespace

WeightedGrouping plain_grouping(const Matrix& a) {
    return {Vector::Constant(a.rows(), 1 / std::sqrt(static_cast<double>(a.rows()))),
            Matrix::Identity(a.cols(), a.cols())};
}

std::optional<Index> count_tail(const Matrix& a, const WeightedGrouping& choice, double tolerance) {
    const auto sigma = singular_values(choice.weights.asDiagonal() * multiply(a, choice.grouping));
    if (!sigma) return std::nullopt;
    double tail = 0;
    Index r = sigma->size();
    while (r > 0 && !(tail + (*sigma)(r - 1) * (*sigma)(r - 1) > tolerance * tolerance)) {
        --r;
        tail += (*sigma)(r) * (*sigma)(r);
    }
    return r;
}

TailSearchResult maximize_tail(const Matrix& a, Index r, double tolerance, const WeightedGrouping& start,
                               const TailSearchOptions& options) {
    const Index m = a.rows(), n = a.cols(), groups = start.grouping.cols();
    Vector x(n * groups + m);
    Eigen::Map<Matrix>(x.data(), n, groups) = start.grouping;
    // Both parts start at lengths of order one a vector, so that one step size suits both.
    x.tail(m) = start.weights * std::sqrt(static_cast<double>(m));
    TailObjective objective(a, r, tolerance, groups);
    const double target = options.goal * tolerance * tolerance;
    bool done = false;
    const auto stop = [&](const Eigen::Ref<const Vector>&) {
        done = (options.stop_at_goal && objective.best().tail > target) || work_seconds() > options.deadline;
        return done;
    };
    LbfgsOptions lbfgs;
    lbfgs.iterations = options.iterations;
    lbfgs.tolerance = 1e-4;
    for (const double temperature : {1e-2, 1e-3, 1e-4}) {
        objective.set_temperature(temperature * tolerance * tolerance);
        minimize(x, std::ref(objective), stop, lbfgs);
        if (done) break;
    }
    return objective.best();
}

GroupingBound optimise_grouping(const Matrix& a, double tolerance, const WeightedGrouping& start, Index upper,
                                const TailSearchOptions& options) {
    // A tail that barely exceeds tolerance² does not survive rounding, so it does not count.
    const double wanted = tolerance * std::sqrt(options.goal);
    GroupingBound best{start, count_tail(a, start, wanted).value_or(0)};
    while (best.bound < upper && work_seconds() < options.deadline) {
        TailSearchResult result = maximize_tail(a, best.bound, tolerance, best.choice, options);
        if (!(result.tail > 0)) break;
        const Index bound = count_tail(a, result.choice, wanted).value_or(0);
        if (bound <= best.bound) break;
        best = {std::move(result.choice), bound};
    }
    return best;
}

}  // namespace rankcert::search
