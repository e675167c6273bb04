#include "row_cycle_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "row_cycle_kernels.hpp"

namespace rankcert::search {

namespace {

constexpr int kMost = 64;  ///< rows in a set
using Weights = std::array<double, kMost>;

/// Multiply-adds a nominal second, for the budget.
constexpr double kRate = 2e9;

/// δ in units of an entry's size: first, last, and how it falls; and the barrier's weight: N δ times this.
constexpr double kFirst = 0.3, kLast = 4e-6, kFall = 0.4;
constexpr double kBarrier = 0.02;
constexpr int kIterations = 40;  ///< a stage

/// Solves (H, 1; 1ᵀ, 0)(p, ν) = (−g, 0) for a positive definite H (lower triangle, k×k, overwritten); false
/// where it is not.
bool newton_direction(double* h, const double* g, int k, double* p) {
    // Cholesky
    for (int j = 0; j < k; ++j) {
        double d = h[j * k + j];
        for (int q = 0; q < j; ++q) d -= h[j * k + q] * h[j * k + q];
        if (!(d > 0)) return false;
        const double root = std::sqrt(d);
        h[j * k + j] = root;
        for (int i = j + 1; i < k; ++i) {
            double x = h[i * k + j];
            for (int q = 0; q < j; ++q) x -= h[i * k + q] * h[j * k + q];
            h[i * k + j] = x / root;
        }
    }
    double x[kMost], y[kMost];
    const auto solve = [&](double* r) {
        for (int i = 0; i < k; ++i) {
            for (int q = 0; q < i; ++q) r[i] -= h[i * k + q] * r[q];
            r[i] /= h[i * k + i];
        }
        for (int i = k - 1; i >= 0; --i) {
            for (int q = i + 1; q < k; ++q) r[i] -= h[q * k + i] * r[q];
            r[i] /= h[i * k + i];
        }
    };
    for (int i = 0; i < k; ++i) x[i] = -g[i], y[i] = 1;
    solve(x);
    solve(y);
    double sum_x = 0, sum_y = 0;
    for (int i = 0; i < k; ++i) sum_x += x[i], sum_y += y[i];
    if (!(sum_y > 0)) return false;
    const double nu = sum_x / sum_y;
    for (int i = 0; i < k; ++i) p[i] = x[i] - nu * y[i];
    return true;
}

}  // namespace

SetValues::SetValues(const Matrix& a)
    : rows_(a.rows()),
      cols_(a.cols()),
      non_negative_(a.size() > 0 && a.minCoeff() >= 0),
      a_(static_cast<std::size_t>(a.size())) {
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(a_.data(), rows_,
                                                                                       cols_) = a;
    for (Index i = 0; i < rows_; ++i) row_sums_.push_back(a.row(i).sum());
    unit_ = estimate_norm(a) / static_cast<double>(std::max<Index>(cols_, 1));
    const auto n = static_cast<std::size_t>(cols_);
    for (auto* v : {&combination_, &direction_, &vector_, &best_vector_}) v->resize(n);
}

SetBounds SetValues::evaluate(std::span<const Index> rows, std::uint64_t negative, double threshold,
                              std::span<float> weights, double accuracy) {
    const int k = static_cast<int>(rows.size());
    const int n = static_cast<int>(cols_);
    if (negative == 0 && non_negative_) {  // no v is better than 1
        double least = row_sums_[static_cast<std::size_t>(rows[0])];
        for (const Index row : rows) least = std::min(least, row_sums_[static_cast<std::size_t>(row)]);
        std::fill(best_vector_.begin(), best_vector_.end(), 1.0);
        return {least, least};
    }
    signed_rows_.resize(static_cast<std::size_t>(k * n));
    for (int i = 0; i < k; ++i) {
        const double sign = (negative >> static_cast<unsigned>(i) & 1) != 0 ? -1 : 1;
        const double* from = row(rows[static_cast<std::size_t>(i)]);
        double* to = signed_rows_.data() + i * n;
        for (int j = 0; j < n; ++j) to[j] = sign * from[j];
    }
    const double* s = signed_rows_.data();
    Weights lambda{}, gradient{}, step{};
    double total = 0;
    for (int i = 0; i < k; ++i) {
        lambda[static_cast<std::size_t>(i)] =
            std::max(1e-4, static_cast<double>(weights[static_cast<std::size_t>(i)]));
        total += lambda[static_cast<std::size_t>(i)];
    }
    for (int i = 0; i < k; ++i) lambda[static_cast<std::size_t>(i)] /= total;
    SetBounds bounds{-HUGE_VAL, HUGE_VAL};
    double* w = combination_.data();
    double* d = direction_.data();
    double* v = vector_.data();
    hessian_.resize(static_cast<std::size_t>(k * k + k * n));
    double* h = hessian_.data();
    const auto step_cost = [&](std::size_t active) {
        work_ += (3.0 * k * n + 8.0 * n + 0.5 * k * k * static_cast<double>(active) + 0.5 * k * k * k + 50) /
                 kRate;
    };
    for (double smoothing = kFirst; smoothing > kLast; smoothing *= kFall) {
        const double delta = smoothing * unit_;
        const double mu = kBarrier * delta * n;
        row_cycle::combine(s, lambda.data(), k, n, w);
        for (int iteration = 0; iteration < kIterations; ++iteration) {
            double smooth = 0;
            const double upper = row_cycle::clip(w, 1 / delta, delta, n, v, smooth);
            if (upper < bounds.upper) {
                bounds.upper = upper;
                for (int i = 0; i < k; ++i)
                    weights[static_cast<std::size_t>(i)] =
                        static_cast<float>(lambda[static_cast<std::size_t>(i)]);
            }
            if (bounds.upper <= threshold) {
                step_cost(0);
                return bounds;
            }
            row_cycle::products(s, v, k, n, gradient.data());
            const double lower = *std::min_element(gradient.begin(), gradient.begin() + k);
            if (lower > bounds.lower) {
                bounds.lower = lower;
                best_vector_ = vector_;
            }
            if (bounds.lower > threshold || bounds.upper - bounds.lower <= accuracy * bounds.upper) {
                step_cost(0);
                return bounds;
            }
            active_.clear();
            for (int j = 0; j < n; ++j) {
                if (v[j] > -1 && v[j] < 1) active_.push_back(j);
            }
            step_cost(active_.size());
            row_cycle::gram(s, active_.data(), static_cast<int>(active_.size()), k, n, h + k * k, h);
            double value = smooth;
            for (int i = 0; i < k; ++i) {
                const double l = lambda[static_cast<std::size_t>(i)];
                for (int q = 0; q <= i; ++q) h[i * k + q] /= delta;
                h[i * k + i] += mu / (l * l);
                gradient[static_cast<std::size_t>(i)] -= mu / l;
                value -= mu * std::log(l);
            }
            if (!newton_direction(h, gradient.data(), k, step.data())) break;
            double decrement = 0, alpha = 1;
            for (int i = 0; i < k; ++i) {
                const auto at = static_cast<std::size_t>(i);
                decrement -= gradient[at] * step[at];
                if (step[at] < 0) alpha = std::min(alpha, -0.9 * lambda[at] / step[at]);
            }
            if (!(decrement > 0.02 * mu)) break;
            row_cycle::combine(s, step.data(), k, n, d);
            bool moved = false;
            for (int tries = 0; tries < 30 && !moved; ++tries, alpha *= 0.5) {
                double next = row_cycle::smooth_norm(w, d, alpha, delta, n);
                for (int i = 0; i < k; ++i) {
                    const auto at = static_cast<std::size_t>(i);
                    next -= mu * std::log(lambda[at] + alpha * step[at]);
                }
                if (!(next <= value - 0.1 * alpha * decrement)) continue;
                for (int i = 0; i < k; ++i) {
                    const auto at = static_cast<std::size_t>(i);
                    lambda[at] += alpha * step[at];
                }
                for (int j = 0; j < n; ++j) w[j] += alpha * d[j];
                moved = true;
            }
            if (!moved) break;
        }
    }
    return bounds;
}

}  // namespace rankcert::search
