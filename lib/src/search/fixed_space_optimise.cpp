#include "fixed_space_optimise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "rankcert/search/lbfgs.hpp"
#include "rankcert/search/work.hpp"

namespace rankcert::search {
namespace {

/// The smoothed logarithm of ‖S‖ as a function of x = (D, Y). All large matrices are members: fresh memory
/// for each evaluation would cost as much as the arithmetic.
class InverseObjective {
  public:
    InverseObjective(const Matrix& a, Index k)
        : a_(a),
          k_(k),
          c_(a.rows(), k),
          gram_(k, k),
          pseudo_(k, a.rows()),
          rest_(a.cols(), k),
          s_(a.cols(), a.rows()),
          by_rest_(a.cols(), k),
          by_pseudo_(k, a.rows()),
          mixed_(k, k),
          turned_(a.rows(), k),
          by_c_(a.rows(), k) {}

    void set_stage(double temperature, double delta) {
        temperature_ = temperature;
        delta_ = delta;
    }
    [[nodiscard]] double best_norm() const { return best_norm_; }
    /// For once, at the end.
    [[nodiscard]] FixedSpace take_best() {
        return {std::move(best_basis_), std::move(best_inverse_), 1 / best_norm_};
    }

    double operator()(const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> gradient) {
        constexpr Op kAsIs = Op::none, kTurned = Op::transpose;
        const Index m = a_.rows(), n = a_.cols();
        const Eigen::Map<const Matrix> d(x.data(), n, k_), y(x.data() + n * k_, n, m);
        gemm(1, a_, kAsIs, d, kAsIs, 0, c_);
        gemm(1, c_, kTurned, c_, kAsIs, 0, gram_);
        const auto gram_inverse = inverse_positive_definite(gram_);
        if (!gram_inverse) return std::numeric_limits<double>::infinity();
        gemm(1, *gram_inverse, kAsIs, c_, kTurned, 0, pseudo_);  // C⁺
        rest_ = d;                                               // D − Y C
        gemm(-1, y, kAsIs, c_, kAsIs, 1, rest_);
        s_ = y;
        gemm(1, rest_, kAsIs, pseudo_, kAsIs, 1, s_);

        charge_work(5 * static_cast<double>(s_.size()) / kEntriesPerSecond);
        const double norm = s_.cwiseAbs().rowwise().sum().maxCoeff();
        if (norm < best_norm_) {
            best_norm_ = norm;
            best_basis_ = d;
            best_inverse_ = s_;
        }
        // The derivatives by S stand where those by Y will.
        Eigen::Map<Matrix> by_d(gradient.data(), n, k_), by_s(gradient.data() + n * k_, n, m);
        by_s = (s_.array().square() + delta_ * delta_).sqrt().matrix();
        const Vector rows = by_s.rowwise().sum();
        const Vector logs = rows.array().log().matrix();
        const double top = logs.maxCoeff();
        const Vector z = ((logs.array() - top) / temperature_).exp().matrix();
        const double sum = z.sum();
        const Vector scale = (z.array() / (sum * rows.array())).matrix();
        by_s = scale.asDiagonal() * s_.cwiseQuotient(by_s);

        // Reverse through S = Y + R L, R = D − Y C, L = (Cᵀ C)⁻¹ Cᵀ, C = a D.
        gemm(1, by_s, kAsIs, pseudo_, kTurned, 0, by_rest_);
        gemm(1, rest_, kTurned, by_s, kAsIs, 0, by_pseudo_);
        gemm(1, by_pseudo_, kAsIs, pseudo_, kTurned, 0, mixed_);
        turned_ = by_pseudo_.transpose();  // becomes (I − C L)(∂L)ᵀ
        gemm(-1, c_, kAsIs, mixed_, kTurned, 1, turned_);
        gemm(1, turned_, kAsIs, *gram_inverse, kAsIs, 0, by_c_);
        gemm(-1, y, kTurned, by_rest_, kAsIs, 1, by_c_);
        gemm(-1, pseudo_, kTurned, mixed_, kAsIs, 1, by_c_);
        by_d = by_rest_;
        gemm(1, a_, kTurned, by_c_, kAsIs, 1, by_d);
        gemm(-1, by_rest_, kAsIs, c_, kTurned, 1, by_s);
        return top + temperature_ * std::log(sum);
    }

  private:
    const Matrix& a_;
    Index k_;
    double temperature_ = 1;
    double delta_ = 0;
    Matrix c_, gram_, pseudo_, rest_, s_, by_rest_, by_pseudo_, mixed_, turned_, by_c_;
    double best_norm_ = std::numeric_limits<double>::infinity();
    Matrix best_basis_, best_inverse_;
};

/// D with columns combined so that a D has orthonormal columns: the well-conditioned coordinates of the
/// space.
std::optional<Matrix> normalise_basis(const Matrix& a, const Matrix& basis) {
    const auto factors = qr(multiply(a, basis));
    if (!factors) return std::nullopt;
    const auto r = inverse(factors->r);
    if (!r) return std::nullopt;
    return multiply(basis, *r);
}

}  // namespace

FixedSpace minimize_inverse(const Matrix& a, FixedSpace space, double scale,
                            const FixedSpaceOptions& options) {
    const Index m = a.rows(), n = a.cols(), k = space.rank();
    InverseObjective objective(a, k);
    bool done = false;
    for (const SmoothingStage& stage : options.stages) {
        const auto basis = normalise_basis(a, space.basis);
        if (!basis) break;
        Vector x(n * (k + m));
        Eigen::Map<Matrix>(x.data(), n, k) = *basis;
        Eigen::Map<Matrix>(x.data() + n * k, n, m) = space.inverse;
        space.inverse.resize(0, 0);
        objective.set_stage(stage.temperature, stage.smoothing * scale / static_cast<double>(m));
        const auto stop = [&](const Eigen::Ref<const Vector>&) {
            done = objective.best_norm() < options.goal || options.stop();
            return done;
        };
        LbfgsOptions lbfgs;
        lbfgs.iterations = options.iterations;
        lbfgs.memory = lbfgs_memory(x.size());
        lbfgs.tolerance = 1e-4;
        minimize(x, std::ref(objective), stop, lbfgs);
        space.basis = Eigen::Map<const Matrix>(x.data(), n, k);
        space.inverse = Eigen::Map<const Matrix>(x.data() + n * k, n, m);
        if (done) break;
    }
    return std::isfinite(objective.best_norm()) ? objective.take_best() : std::move(space);
}

RefinedSpace refine_space(const Matrix& a, FixedSpace start, double tolerance, const SpaceRefinement& how) {
    constexpr double kEnd = 2e-4;
    // Large matrices: few attempts that end are worth more than one that does not.
    const bool large = std::max(a.rows(), a.cols()) > 384;
    const double fall = large ? 2.5 : 1.5;
    RefinedSpace out{std::move(start), how.from, 0};
    FixedSpace& space =
        out.space;  // each stage begins with what the last one ended with: it only gets better
    space.reach = 0;
    while (out.temperature > kEnd) {
        const double temperature = out.temperature;
        const bool screening = temperature > kScreenSpace && how.from == kColdSpace;
        FixedSpaceOptions options;
        options.stages = {{temperature, std::min(2.5 * temperature, .5)}};
        options.iterations = large ? 30 : (screening ? 40 : 80);
        options.goal = 1 / tolerance;
        options.stop = how.stop;
        space = minimize_inverse(a, std::move(space), 1 / tolerance, options);
        out.temperature = temperature / fall > kEnd ? temperature / fall : 0;
        how.seen(space);
        if (!(space.reach > 0) || space.reach > tolerance || how.stop()) break;
        if (screening && out.temperature <= kScreenSpace) {
            out.screened = space.reach;
            constexpr double kOther = 1e-3;  // less is the same optimum once more
            if (out.screened < how.screened * (1 + kOther)) break;
        }
        const double wanted = how.rival > 0 ? std::min(tolerance, how.rival) : tolerance;
        if (temperature < .2 && space.reach * hope_at(temperature) < wanted) break;
    }
    return out;
}

std::optional<FixedSpace> without_large_rows(const FixedSpace& space, double tolerance) {
    const Index k = space.rank();
    std::vector<Index> large;
    for (Index j = 0; j < space.inverse.rows(); ++j) {
        if (!(space.inverse.row(j).cwiseAbs().sum() * tolerance < 1)) large.push_back(j);
    }
    const auto count = static_cast<Index>(large.size());
    if (count == 0 || count >= k) return std::nullopt;
    Matrix frame(k, k);
    for (Index c = 0; c < count; ++c) {
        frame.col(c) = space.basis.row(large[static_cast<std::size_t>(c)]).transpose();
    }
    frame.rightCols(k - count) = Matrix::Identity(k, k - count);
    const auto turned = qr(frame);
    if (!turned) return std::nullopt;
    FixedSpace fewer{multiply(space.basis, turned->q.rightCols(k - count)), space.inverse, 0};
    for (const Index j : large) {
        fewer.basis.row(j).setZero();
        fewer.inverse.row(j).setZero();
    }
    fewer.reach = 1 / fewer.inverse.cwiseAbs().rowwise().sum().maxCoeff();
    return fewer;
}

std::optional<FixedSpace> space_from_grouping(const Matrix& a, const WeightedGrouping& choice, Index k) {
    const auto parts = svd(choice.weights.asDiagonal() * multiply(a, choice.grouping));
    if (!parts || parts->values.size() < k || !(parts->values(k - 1) > 0)) return std::nullopt;
    FixedSpace space;
    space.basis = multiply(choice.grouping, parts->v.leftCols(k));
    space.inverse = multiply_nt(space.basis * parts->values.head(k).cwiseInverse().asDiagonal(),
                                choice.weights.asDiagonal() * parts->u.leftCols(k));
    return space;
}

std::optional<FixedSpace> drop_direction(const Matrix& a, const FixedSpace& space) {
    const Index k = space.rank();
    const auto basis = normalise_basis(a, space.basis);
    if (!basis || k < 2) return std::nullopt;
    Index worst = 0;
    space.inverse.cwiseAbs().rowwise().sum().maxCoeff(&worst);
    // Of all x = D c with ‖a x‖₂ = 1, c ∝ (row `worst` of D) has the largest x_worst. Keep its complement.
    const auto complement =
        qr((Matrix(k, k) << basis->row(worst).transpose(), Matrix::Identity(k, k - 1)).finished());
    if (!complement) return std::nullopt;
    return FixedSpace{multiply(*basis, complement->q.rightCols(k - 1)), space.inverse, 0};
}

std::optional<FixedSpace> add_direction(const Matrix& a, const FixedSpace& space, const Vector& weights) {
    const Index k = space.rank();
    const auto basis = qr(space.basis);
    if (!basis) return std::nullopt;
    const auto image = qr(weights.asDiagonal() * multiply(a, basis->q));
    if (!image) return std::nullopt;
    Matrix left = weights.asDiagonal() * a;
    const Matrix inside = multiply_tn(image->q, left);
    gemm(-1, image->q, Op::none, inside, Op::none, 1, left);
    const auto parts = svd(left);
    if (!parts || !(parts->values(0) > 0)) return std::nullopt;
    const Vector x = parts->v.col(0);
    const Vector y = weights.cwiseProduct(parts->u.col(0)) / parts->values(0);  // y · a D = 0, y · a x = 1
    FixedSpace more;
    more.basis.resize(a.cols(), k + 1);
    more.basis << basis->q, x;
    more.inverse = space.inverse + (x - space.inverse * (a * x)) * y.transpose();
    return more;
}

}  // namespace rankcert::search
