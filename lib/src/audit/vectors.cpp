// The angles of claimed singular vectors with the exact ones.
//
// Theorem. Let A be m×n, x ∈ ℝᵐ, y ∈ ℝⁿ, s > 0, r² = ‖A y − s x‖² + ‖Aᵀx − s y‖². Let γ > 0 be at most the
// distance of s from every σ_j but σ_i, and at most s + σ_min where m = n, s where m ≠ n. Then there is a
// number t with ‖x − t u_i‖ ≤ r/γ and ‖y − t v_i‖ ≤ r/γ. Proof. H = [0 A; Aᵀ 0] has the eigenvalues ±σ_j and,
// where m ≠ n, 0; all but σ_i are at least γ from s, so σ_i is simple among them, with the eigenvector (u_i;
// v_i). Let w be the part of z = (x; y) orthogonal to it; it is invariant under H, so ‖H z − s z‖ ≥ ‖(H − s)
// w‖ ≥ γ ‖w‖, and x − t u_i, y − t v_i are parts of w. ∎ (C. Davis and W. M. Kahan, SIAM J. Numer. Anal. 7,
// 1970, in its simplest form.) So the angle of x with u_i has a sine of at most r/(γ ‖x‖), and since the
// sines of angles between lines are a metric, the sine of a claimed c with u_i is that of c with x to within
// as much.
//
// Theorem (null vectors). With σ_r the least singular value that is not 0, σ_r d ≤ ‖A c‖ ≤ σ_1 d for the
// distance d of c from the kernel: expand c in right singular vectors.
//
// Everything is exact (x, y, s are multiples of powers of two) but for the roots and quotients at the end,
// which are interval arithmetic.
#include "rigor/trusted.hpp"
//
#include <Eigen/SVD>
#include <algorithm>

#include "audit/jacobi.hpp"
#include "audit/precise_spectrum.hpp"
#include "audit/residual.hpp"
#include "linalg/estimate.hpp"
#include "rankcert/audit/decomposition.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::audit {
namespace {

using MatrixRef = Eigen::Ref<const Eigen::MatrixXd>;
using Sines = std::vector<std::optional<MpInterval>>;

constexpr unsigned kFirstBits = 128;

MpInterval root(const Rational& square) { return sqrt(MpInterval(square, 192)); }
MpInterval at_most_one(const MpInterval& x) {
    return intersection(x, MpInterval::hull_of(Rational(0), Rational(1), x.precision()));
}

/// The sine of the angle between columns of c and of x, exactly squared.
Rational squared_sine(const ExactMatrix& c, Index i, const ExactMatrix& x, Index k) {
    Integer mixed = 0, first = 0, second = 0;
    for (Index l = 0; l < c.rows(); ++l) {
        const Integer p = c.mantissa(l, i), q = x.mantissa(l, k);
        mixed += p * q;
        first += p * p;
        second += q * q;
    }
    return 1 - Rational(mixed * mixed, first * second);
}

class VectorAuditor {
  public:
    /// a has at least as many rows as columns.
    VectorAuditor(Eigen::MatrixXd a, const Eigen::MatrixXd& left, const Eigen::MatrixXd& right,
                  const VectorOptions& options)
        : a_(std::move(a)),
          exact_(ExactMatrix::from_double(a_)),
          left_(ExactMatrix::from_double(left)),
          right_(ExactMatrix::from_double(right)),
          options_(options),
          rank_(enclose_rank(exact_)) {
        result_.left.resize(as_size(left.cols()));
        result_.right.resize(as_size(right.cols()));
        for (Index i = 0; i < left.cols(); ++i) {
            if (left.col(i).cwiseAbs().maxCoeff() == 0) result_.left[as_size(i)] = MpInterval(1.0, 64);
            if (right.col(i).cwiseAbs().maxCoeff() == 0) result_.right[as_size(i)] = MpInterval(1.0, 64);
        }
    }

    VectorAudit run() {
        Eigen::MatrixXd start;
        if (const auto found = detail::estimate_singular_vectors(a_)) start = found->right;
        double work = 0;
        for (unsigned bits = kFirstBits; bits <= options_.most_bits && is_open(); bits *= 2) {
            work += work_of_jacobi(a_.rows(), a_.cols(), bits);
            if (!(work <= options_.most_work)) break;
            measure(precise_svd(a_, bits, start), bits);
            result_.bits = bits;
        }
        return std::move(result_);
    }

  private:
    [[nodiscard]] bool is_open() const {
        for (const Sines* sines : {&result_.left, &result_.right}) {
            for (const auto& sine : *sines) {
                if (!sine) return true;
                if (options_.sine ? decide_at_most(*sine, *options_.sine) == Answer::undecided
                                  : !is_narrow(*sine))
                    return true;
            }
        }
        return false;
    }

    static void improve(std::optional<MpInterval>& known, const MpInterval& better) {
        const MpInterval bounded = at_most_one(better).with_precision(64);
        known = known ? intersection(*known, bounded) : bounded;
    }

    void measure(const ExactSvd& svd, unsigned bits) {
        const std::vector<MpInterval> values = enclose_values(svd, a_.cols(), bits);
        for (Index i = 0; i < left_.cols(); ++i) {
            if (i >= rank_.upper) {
                measure_null(i, values);
            } else if (i < svd.left.cols()) {
                measure_vector(i, svd, values);
            }
        }
    }

    void measure_vector(Index i, const ExactSvd& svd, const std::vector<MpInterval>& values) {
        const unsigned bits = values.front().precision();
        const MpInterval s(svd.values[as_size(i)], bits);
        MpInterval gap = a_.rows() == a_.cols() ? s + values.back() : s;
        for (std::size_t j = 0; j < values.size(); ++j) {
            if (j != as_size(i)) gap = min(gap, abs(s - values[j]));
        }
        if (!(mpfr_sgn(gap.lower_mpfr()) > 0)) return;
        const ExactMatrix x = svd.left.select_cols({i}), y = svd.right.select_cols({i});
        const ExactMatrix scale = one_by_one(svd.values[as_size(i)]);
        const ExactMatrix upper = exact_ * y - x * scale, lower = exact_.transpose() * x - y * scale;
        const MpInterval reach = root(upper.squared_frobenius_norm() + lower.squared_frobenius_norm()) / gap;
        const auto take = [&](std::optional<MpInterval>& sine, const ExactMatrix& claimed,
                              const ExactMatrix& found) {
            const Rational length = found.squared_frobenius_norm();
            if (is_null_vector(sine) || length == 0) return;
            const MpInterval doubt = reach / root(length);
            improve(sine, root(squared_sine(claimed, i, found, 0)) + hull(doubt, -doubt));
        };
        take(result_.left[as_size(i)], left_, x);
        take(result_.right[as_size(i)], right_, y);
    }

    /// A single zero has one right vector, and one left vector where A is square.
    void measure_null(Index i, const std::vector<MpInterval>& values) {
        if (rank_.lower != a_.cols() - 1 || rank_.upper != rank_.lower || rank_.upper == 0) return;
        const MpInterval& least = values[as_size(rank_.lower - 1)];
        if (!(mpfr_sgn(least.lower_mpfr()) > 0)) return;
        const auto take = [&](std::optional<MpInterval>& sine, const ExactMatrix& a,
                              const ExactMatrix& claimed) {
            if (is_null_vector(sine)) return;
            const ExactMatrix c = claimed.select_cols({i});
            const MpInterval image =
                root((a * c).squared_frobenius_norm()) / root(c.squared_frobenius_norm());
            improve(sine, hull(image / values.front(), image / least));
        };
        take(result_.right[as_size(i)], exact_, right_);
        if (a_.rows() == a_.cols()) take(result_.left[as_size(i)], exact_.transpose(), left_);
    }

    /// Nothing has a direction that is 0.
    static bool is_null_vector(const std::optional<MpInterval>& sine) {
        return sine && sine->is_point() && sine->contains(1.0);
    }
    /// A dyadic rational.
    static ExactMatrix one_by_one(const Rational& value) {
        const auto exponent = static_cast<long>(msb(denominator(value)));
        return ExactMatrix::from_integers(1, 1, {numerator(value)}, -exponent);
    }

    Eigen::MatrixXd a_;
    ExactMatrix exact_, left_, right_;
    const VectorOptions& options_;
    RankBounds rank_;
    VectorAudit result_;
};

}  // namespace

VectorAudit audit_singular_vectors(const MatrixRef& a, const MatrixRef& left, const MatrixRef& right,
                                   const VectorOptions& options) {
    require_finite_entries(a, "A");
    require_finite_entries(left, "U");
    require_finite_entries(right, "V");
    if (left.rows() != a.rows() || right.rows() != a.cols() || left.cols() != right.cols() ||
        left.cols() > std::min(a.rows(), a.cols()))
        throw Error("the singular vectors of a " + std::to_string(a.rows()) + "×" + std::to_string(a.cols()) +
                    " matrix are the columns of two matrices with as many rows, and at most " +
                    std::to_string(std::min(a.rows(), a.cols())) + " columns each");
    VectorAudit audit;
    audit.answer = Answer::proved;
    if (left.cols() == 0) return audit;
    const FloatingPointGuard guard;
    if (a.rows() >= a.cols()) {
        audit = VectorAuditor(a, left, right, options).run();
    } else {
        audit = VectorAuditor(a.transpose(), right, left, options).run();
        std::swap(audit.left, audit.right);
    }
    audit.answer = options.sine ? Answer::proved : Answer::undecided;
    if (!options.sine) return audit;
    for (Index i = 0; i < left.cols(); ++i) {
        for (const bool of_left : {true, false}) {
            const auto& sine = (of_left ? audit.left : audit.right)[as_size(i)];
            const Answer answer = sine ? decide_at_most(*sine, *options.sine) : Answer::undecided;
            audit.answer = both(audit.answer, answer);
            if (answer != Answer::refuted || audit.failure) continue;
            audit.failure = i;
            audit.left_fails = of_left;
        }
    }
    return audit;
}

}  // namespace rankcert::audit
