#include "factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rankcert/search/dense.hpp"
#include "rankcert/search/lbfgs.hpp"

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
/// the largest row ℓ1 norm of R. Keeps the factors with the least true norm among all that it has been asked
/// for.
class SmoothedNorm {
  public:
    SmoothedNorm(const Matrix& a, Index rank) : a_(a), rank_(rank) {
        best_.estimate_error = std::numeric_limits<double>::infinity();
        residual_.resize(a.rows(), a.cols());
        smooth_.resize(a.rows(), a.cols());
    }

    void set(double delta, double temperature) {
        delta_ = delta;
        temperature_ = temperature;
    }

    double operator()(const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> gradient) {
        const Index m = a_.rows(), n = a_.cols();
        const Eigen::Map<const Matrix> u(x.data(), m, rank_);
        const Eigen::Map<const Matrix> v(x.data() + m * rank_, rank_, n);
        residual_ = a_;
        gemm(1, u, Op::none, v, Op::none, -1, residual_);
        const double error = residual_.cwiseAbs().rowwise().sum().maxCoeff();
        if (error < best_.estimate_error) {
            best_.estimate_error = error;
            best_.left = u;
            best_.right = v;
        }
        smooth_ = (residual_.array().square() + delta_ * delta_).sqrt();
        const Vector norms = smooth_.rowwise().sum().array() - delta_ * static_cast<double>(n);
        const double largest = norms.maxCoeff();
        Vector weight = ((norms.array() - largest) / temperature_).exp();
        const double total = weight.sum();
        weight /= total;
        residual_ = weight.asDiagonal() * (residual_.array() / smooth_.array()).matrix();
        left_gradient_.resize(m, rank_);
        right_gradient_.resize(rank_, n);
        gemm(1, residual_, Op::none, v, Op::transpose, 0, left_gradient_);
        gemm(1, u, Op::transpose, residual_, Op::none, 0, right_gradient_);
        gradient.head(m * rank_) = left_gradient_.reshaped();
        gradient.tail(rank_ * n) = right_gradient_.reshaped();
        return largest + temperature_ * std::log(total / static_cast<double>(m));
    }

    [[nodiscard]] const Factors& best() const noexcept { return best_; }

  private:
    const Matrix& a_;
    Index rank_;
    double delta_ = 1, temperature_ = 1;
    Matrix residual_, smooth_, left_gradient_, right_gradient_;
    Factors best_;
};

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

Factors improve_factors(const Matrix& a, const Factors& start, double tolerance, double seconds) {
    struct Stage {
        double delta, temperature;
        double hopeless;  ///< after this stage an error beyond so many tolerances will not come down to one
    };
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const Stage stages[] = {
        {1e-1, .3, kNever}, {3e-2, .1, 1.35}, {1e-2, .03, 1.12}, {3e-3, .01, kNever}, {1e-3, .003, kNever}};
    const Index m = a.rows(), n = a.cols(), rank = start.left.cols();
    const double goal = search_goal(tolerance);
    if (rank == 0 || m == 0 || n == 0 || !(tolerance > 0) || start.estimate_error <= goal) return start;

    const double deadline = now_seconds() + seconds;
    SmoothedNorm norm(a, rank);
    Vector x(m * rank + rank * n);
    x << start.left.reshaped(), start.right.reshaped();
    const Objective objective = [&](const Eigen::Ref<const Vector>& at, Eigen::Ref<Vector> gradient) {
        return norm(at, gradient);
    };
    const StopTest stop = [&](const Eigen::Ref<const Vector>&) {
        return norm.best().estimate_error <= goal || now_seconds() > deadline;
    };
    LbfgsOptions options;
    options.iterations = 150;
    options.tolerance = 1e-5;
    for (const Stage& stage : stages) {
        norm.set(4 * stage.delta * tolerance / static_cast<double>(n), stage.temperature * tolerance);
        minimize(x, objective, stop, options);
        const double error = norm.best().estimate_error;
        if (error <= goal || now_seconds() > deadline || !(error <= stage.hopeless * tolerance)) break;
    }
    return norm.best().estimate_error < start.estimate_error ? norm.best() : start;
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
