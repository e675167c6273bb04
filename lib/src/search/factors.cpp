#include "factors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "rankcert/search/dense.hpp"
#include "rankcert/search/lbfgs.hpp"
#include "rankcert/search/work.hpp"

namespace rankcert::search {

namespace {

/// Every entry to the nearest multiple of 2^exponent.
Matrix round_to_grid(const Matrix& values, int exponent) {
    return values.unaryExpr(
        [exponent](double x) { return std::ldexp(std::nearbyint(std::ldexp(x, -exponent)), exponent); });
}

int exponent_of_largest(const Matrix& values) {
    const double largest = values.size() == 0 ? 0 : values.cwiseAbs().maxCoeff();
    return largest > 0 ? std::ilogb(largest) : 0;
}

/// F(U, V) = T log mean_i exp(e_i / T) with e_i = Σ_j (√(R_ij² + δ²) − δ), R = U V − a: a smooth stand-in for
/// the largest row ℓ1 norm of R. The variables are Uᵀ (r×m) and V (r×N), one after the other; rows of R are
/// kept as columns, so that each is one stretch of memory. Products are computed in Scalar, sums over rows in
/// float64. Keeps the factors with the least true norm among all that it has been asked for.
template <class Scalar>
class SmoothedNorm {
  public:
    using Entries = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

    SmoothedNorm(const Matrix& a, Index rank)
        : turned_(a.transpose().cast<Scalar>()),
          rank_(rank),
          residual_(a.cols(), a.rows()),
          sums_(a.rows()) {}

    void set(double delta, double temperature) {
        delta_ = delta;
        temperature_ = temperature;
    }

    double operator()(const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> gradient) {
        const Index m = turned_.cols(), n = turned_.rows();
        const Eigen::Map<const Matrix> wide_left(x.data(), rank_, m),
            wide_right(x.data() + rank_ * m, rank_, n);
        if constexpr (std::is_same_v<Scalar, double>) {
            return evaluate(x, wide_left, wide_right, gradient);
        } else {
            left_ = wide_left.template cast<Scalar>();
            right_ = wide_right.template cast<Scalar>();
            return evaluate(x, left_, right_, gradient);
        }
    }

    [[nodiscard]] double best_error() const noexcept { return best_error_; }
    [[nodiscard]] Factors best() const {
        const Index m = turned_.cols(), n = turned_.rows();
        return {best_.head(rank_ * m).reshaped(rank_, m).transpose(),
                best_.tail(rank_ * n).reshaped(rank_, n), best_error_};
    }

  private:
    double evaluate(const Eigen::Ref<const Vector>& x, const Eigen::Ref<const Entries>& left,
                    const Eigen::Ref<const Entries>& right, Eigen::Ref<Vector> gradient) {
        const Index m = turned_.cols(), n = turned_.rows();
        charge_work(3 * static_cast<double>(turned_.size()) / kEntriesPerSecond);
        residual_ = turned_;
        gemm(Scalar(1), right, Op::transpose, left, Op::none, Scalar(-1), residual_);
        const auto square = static_cast<Scalar>(delta_ * delta_);
        double error = 0;
        for (Index i = 0; i < m; ++i) {
            auto row = residual_.col(i).array();
            error = std::max(error, row.abs().template cast<double>().sum());
            smooth_ = (row.square() + square).sqrt();
            sums_(i) = smooth_.template cast<double>().sum() - delta_ * static_cast<double>(n);
            row /= smooth_;
        }
        if (error < best_error_) {
            best_error_ = error;
            best_ = x;
        }
        const double largest = sums_.maxCoeff();
        Vector weight = ((sums_.array() - largest) / temperature_).exp();
        const double total = weight.sum();
        weight /= total;
        residual_ *= weight.template cast<Scalar>().asDiagonal();
        Eigen::Map<Matrix> by_left(gradient.data(), rank_, m),
            by_right(gradient.data() + rank_ * m, rank_, n);
        if constexpr (std::is_same_v<Scalar, double>) {
            gemm(1, right, Op::none, residual_, Op::none, 0, by_left);
            gemm(1, left, Op::none, residual_, Op::transpose, 0, by_right);
        } else {
            product_.resize(rank_, m);
            gemm(Scalar(1), right, Op::none, residual_, Op::none, Scalar(0), product_);
            by_left = product_.template cast<double>();
            product_.resize(rank_, n);
            gemm(Scalar(1), left, Op::none, residual_, Op::transpose, Scalar(0), product_);
            by_right = product_.template cast<double>();
        }
        return largest + temperature_ * std::log(total / static_cast<double>(m));
    }

    Entries turned_;  ///< aᵀ
    Index rank_;
    double delta_ = 1, temperature_ = 1;
    Entries residual_, left_, right_, product_;
    Eigen::Array<Scalar, Eigen::Dynamic, 1> smooth_;
    Vector sums_;
    double best_error_ = std::numeric_limits<double>::infinity();
    Vector best_;
};

/// improve_factors with products in Scalar, until the error is at most `goal`.
template <class Scalar>
Factors improve_in(const Matrix& a, Factors start, double tolerance, double goal, const Refinement& how) {
    // δ and T fall together, by 1.5 a stage from a cold start: as good as five times as many steps in stages
    // that fall by 3.
    constexpr double kColdStart = .1, kWarmStart = .03, kEnd = 1e-3;
    // Large matrices: few attempts that end are worth more than one that does not.
    const bool large = std::max(a.rows(), a.cols()) > 384;
    const double fall = how.warm || large ? 2 : 1.5;
    const int steps = large ? 40 : (how.warm ? 60 : 80);
    const double hope = large ? 8 : 5;
    const Index m = a.rows(), n = a.cols(), rank = start.left.cols();
    SmoothedNorm<Scalar> norm(a, rank);
    Vector x(rank * (m + n));
    x.head(rank * m) = start.left.transpose().reshaped();
    x.tail(rank * n) = start.right.reshaped();
    const StopTest stop = [&](const Eigen::Ref<const Vector>&) {
        return norm.best_error() <= goal || work_seconds() > how.deadline;
    };
    LbfgsOptions options;
    options.iterations = steps;
    options.memory = lbfgs_memory(x.size());
    options.tolerance = 1e-5;
    for (double size = how.warm ? kWarmStart : kColdStart; size > kEnd; size /= fall) {
        norm.set(4 * size * tolerance / static_cast<double>(n), 3 * size * tolerance);
        minimize(x, std::ref(norm), stop, options);
        const double error = norm.best_error();
        if (error <= goal || work_seconds() > how.deadline) break;
        how.seen(norm.best());
        // What the stages to come still gain is seldom more than this.
        if (size < .05 && error > (1 + hope * size) * std::max(tolerance, how.rival)) break;
    }
    Factors found = norm.best();
    if constexpr (!std::is_same_v<Scalar, double>)
        found.estimate_error = estimate_factor_error(a, found.left, found.right);
    return found.estimate_error < start.estimate_error ? std::move(found) : std::move(start);
}

}  // namespace

double estimate_factor_error(const Matrix& a, const Matrix& left, const Matrix& right) {
    if (a.size() == 0) return 0;
    Matrix residual = a;
    if (left.cols() > 0) gemm(1, left, Op::none, right, Op::none, -1, residual);
    const double error = residual.cwiseAbs().rowwise().sum().maxCoeff();
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

std::optional<FactorWitness> round_factors(const Matrix& a, const Factors& factors, double tolerance) {
    if (!factors.left.allFinite() || !factors.right.allFinite()) return std::nullopt;
    const int left_top = exponent_of_largest(factors.left), right_top = exponent_of_largest(factors.right);
    for (const int bits : {18, 22, 26, 32, 40, 52}) {
        const Matrix left = round_to_grid(factors.left, left_top - bits);
        const Matrix right = round_to_grid(factors.right, right_top - bits);
        // An error that float64 cannot tell from the tolerance is left to a finer grid, and at last to the
        // checker.
        const double slack = bits < 52 ? 1e-9 * tolerance : 0;
        if (estimate_factor_error(a, left, right) <= tolerance - slack) {
            return FactorWitness{ExactMatrix::from_double(left), ExactMatrix::from_double(right), 1};
        }
    }
    return std::nullopt;
}

std::optional<Factors> balance(const Factors& factors) {
    const auto left = qr(factors.left);
    const auto right = qr(factors.right.transpose());
    if (!left || !right) return std::nullopt;
    const auto core = svd(multiply_nt(left->r, right->r));
    if (!core) return std::nullopt;
    const Vector root = core->values.cwiseSqrt();
    Factors out;
    out.left = multiply(left->q, core->u) * root.asDiagonal();
    out.right = root.asDiagonal() * multiply_tn(core->v, right->q.transpose());
    out.estimate_error = factors.estimate_error;
    return out;
}

Factors improve_factors(const Matrix& a, Factors start, double tolerance, const Refinement& how) {
    const double goal = search_goal(tolerance);
    if (start.left.cols() == 0 || a.size() == 0 || !(tolerance > 0) || start.estimate_error <= goal)
        return start;
    // Float32 sees the errors of rows to about 1e-6 of the rows' own norms: fine for tolerances that are not
    // much smaller than these, and in two thirds to half the time.
    constexpr double kLeastForSingle = 0x1p-6, kSlack = 2e-5;
    if (!(tolerance > kLeastForSingle * estimate_norm(a)))
        return improve_in<double>(a, std::move(start), tolerance, goal, how);
    return improve_in<float>(a, std::move(start), tolerance, goal * (1 - kSlack), how);
}

std::optional<Factors> with_exact_rows(const Matrix& a, const Factors& factors, double tolerance,
                                       Index below) {
    const Index m = a.rows(), n = a.cols(), rank = factors.left.cols();
    Vector errors;
    {
        Matrix residual = a;
        if (rank > 0) gemm(-1, factors.left, Op::none, factors.right, Op::none, 1, residual);
        errors = residual.cwiseAbs().rowwise().sum();
    }
    std::vector<Index> bad;
    for (Index i = 0; i < m; ++i) {
        if (!(errors(i) <= tolerance)) bad.push_back(i);
    }
    const auto count = static_cast<Index>(bad.size());
    if (count == 0 || rank + count >= below) return std::nullopt;
    Factors out{Matrix::Zero(m, rank + count), Matrix(rank + count, n), 0};
    out.left.leftCols(rank) = factors.left;
    out.right.topRows(rank) = factors.right;
    double largest = 0;
    for (Index i = 0; i < m; ++i) largest = errors(i) <= tolerance ? std::max(largest, errors(i)) : largest;
    for (Index c = 0; c < count; ++c) {
        const Index row = bad[static_cast<std::size_t>(c)];
        out.left.row(row).setZero();
        out.left(row, rank + c) = 1;
        out.right.row(rank + c) = a.row(row);
    }
    out.estimate_error = largest;
    return out;
}

std::optional<Factors> nearest_singular_factors(const Matrix& a) {
    const Index n = a.rows();
    if (n < 2 || a.cols() != n) return std::nullopt;
    const auto inverted = inverse(a);
    if (!inverted) return std::nullopt;
    // For the row j of a⁻¹ with the largest ℓ1 norm and its signs s, x = a⁻¹ s / ‖a⁻¹‖ has x_j = 1 and |x_i|
    // ≤ 1, and a x = s / ‖a⁻¹‖. So B = a (I − x e_jᵀ), which is singular, differs from a by a x in column j
    // alone.
    Index j = 0;
    const double norm = inverted->cwiseAbs().rowwise().sum().maxCoeff(&j);
    const Vector signs = inverted->row(j).unaryExpr([](double y) { return y < 0 ? -1.0 : 1.0; }).transpose();
    const Vector x = (*inverted * signs) / norm;
    Factors out;
    out.left.resize(n, n - 1);
    out.right = Matrix::Zero(n - 1, n);
    for (Index i = 0, at = 0; i < n; ++i) {
        if (i == j) continue;
        out.left.col(at) = a.col(i);
        out.right(at, i) = 1;
        out.right(at, j) = -x(i);
        ++at;
    }
    out.estimate_error = estimate_factor_error(a, out.left, out.right);
    return out;
}

}  // namespace rankcert::search
