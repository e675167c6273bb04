#pragma once
/// \file ball_helpers.hpp  Awkward float64 matrices, awkward callers, and exact answers for small matrices.

#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "rankcert/linalg/ball_matrix.hpp"
#include "rankcert/linalg/exact_matrix.hpp"
#include "rigor/hostile_environment.hpp"

namespace rankcert::test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Random = std::mt19937_64;

inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// The environments that a caller may have left behind.
struct Environment {
    int rounding_mode;
    bool flush;
};
inline const std::vector<Environment>& environments() {
    static const std::vector<Environment> all{{FE_TONEAREST, false}, {FE_TONEAREST, true},
                                              {FE_UPWARD, false},    {FE_DOWNWARD, true},
                                              {FE_TOWARDZERO, true}, {FE_UPWARD, true}};
    return all;
}
/// f() as called by such a caller. Assertions stay outside.
template <class F>
auto called_in(const Environment& environment, F f) {
    const tests::HostileEnvironment hostile(environment.rounding_mode, environment.flush);
    return f();
}

/// Kinds of entries that rounding treats differently.
enum class Kind { uniform, integers, ties, wide, subnormal, huge, cancelling, sparse };
inline constexpr Kind kKinds[] = {Kind::uniform,   Kind::integers, Kind::ties,       Kind::wide,
                                  Kind::subnormal, Kind::huge,     Kind::cancelling, Kind::sparse};

inline double random_double(Kind kind, Random& random) {
    const double unit = std::ldexp(static_cast<double>(random() >> 11), -53);
    const double sign = (random() & 1) != 0 ? 1.0 : -1.0;
    const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
    switch (kind) {
        case Kind::uniform:
            return sign * unit;
        case Kind::integers:
            return sign * below(8);
        case Kind::ties:
            return sign * (1 + std::ldexp(below(4), -52)) * std::ldexp(1.0, below(3) - 27);
        case Kind::wide:
            return sign * std::ldexp(unit + 0.5, below(900) - 450);
        case Kind::subnormal:
            return sign * std::ldexp(below(1 << 20), -1074 + below(40));
        case Kind::huge:
            return sign * std::ldexp(unit + 0.5, 480 + below(20));
        case Kind::cancelling:
            return sign * (1 + std::ldexp(below(16), -52));
        case Kind::sparse:
            return random() % 3 == 0 ? sign * (unit + 1e-3) : 0.0;
    }
    return 0;
}

inline MatrixXd random_matrix(Index rows, Index cols, Kind kind, Random& random) {
    MatrixXd a(rows, cols);
    for (Index k = 0; k < a.size(); ++k) a.data()[k] = random_double(kind, random);
    return a;
}
inline MatrixXd random_symmetric(Index n, Kind kind, Random& random) {
    MatrixXd a = random_matrix(n, n, kind, random);
    for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < j; ++i) a(i, j) = a(j, i);
    return a;
}

/// A ball around a random midpoint, radii between nothing and several times the entry, and one of its members
/// (an end, or something between, that is a member exactly).
inline BallMatrix random_ball(Index rows, Index cols, Kind kind, Random& random) {
    BallMatrix ball{random_matrix(rows, cols, kind, random), MatrixXd(rows, cols)};
    for (Index k = 0; k < ball.radius.size(); ++k) {
        const double size = std::abs(ball.midpoint.data()[k]);
        const double choices[] = {0,    size * 1e-15, size * 1e-3,
                                  size, 3 * size,     std::abs(random_double(kind, random))};
        ball.radius.data()[k] = choices[random() % 6];
    }
    return ball;
}
inline MatrixXd random_member(const BallMatrix& ball, Random& random) {
    MatrixXd a(ball.rows(), ball.cols());
    for (Index j = 0; j < a.cols(); ++j)
        for (Index i = 0; i < a.rows(); ++i) {
            const double m = ball.midpoint(i, j);
            const double r = ball.radius(i, j);
            const double choices[] = {m, m + r, m - r, m + r * 0.5, m - r * 0.25};
            a(i, j) = choices[random() % 5];
            if (!contains(ball, i, j, to_rational(a(i, j)))) a(i, j) = m;  // m ± r was rounded outwards
        }
    return a;
}

inline Rational absolute(const Rational& x) { return x < 0 ? Rational(-x) : x; }
inline ExactMatrix exact(const MatrixXd& a) { return ExactMatrix::from_double(a); }

// ---- exact answers
// -----------------------------------------------------------------------------------------

using RationalMatrix = std::vector<std::vector<Rational>>;

inline RationalMatrix rationals(const ExactMatrix& a) {
    RationalMatrix result(static_cast<std::size_t>(a.rows()));
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < a.cols(); ++j) result[static_cast<std::size_t>(i)].push_back(a(i, j));
    return result;
}

/// The inverse, by Gauss and Jordan; empty for a singular matrix.
inline RationalMatrix exact_inverse(RationalMatrix a) {
    const std::size_t n = a.size();
    RationalMatrix b(n, std::vector<Rational>(n, 0));
    for (std::size_t i = 0; i < n; ++i) b[i][i] = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        while (pivot < n && a[pivot][k] == 0) ++pivot;
        if (pivot == n) return {};
        std::swap(a[k], a[pivot]);
        std::swap(b[k], b[pivot]);
        const Rational scale = 1 / a[k][k];
        for (std::size_t j = 0; j < n; ++j) {
            a[k][j] *= scale;
            b[k][j] *= scale;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k || a[i][k] == 0) continue;
            const Rational factor = a[i][k];
            for (std::size_t j = 0; j < n; ++j) {
                a[i][j] -= factor * a[k][j];
                b[i][j] -= factor * b[k][j];
            }
        }
    }
    return b;
}

/// Eigenvalues of an exact symmetric matrix, counted: the characteristic polynomial (Faddeev and Le Verrier)
/// has real roots only, so that Descartes' rule of signs counts the positive ones exactly, with multiplicity.
class EigenvalueCounter {
  public:
    explicit EigenvalueCounter(const ExactMatrix& symmetric) {
        const RationalMatrix a = rationals(symmetric);
        const std::size_t n = a.size();
        coefficients_.assign(n + 1, 0);
        coefficients_[n] = 1;
        RationalMatrix m(n, std::vector<Rational>(n, 0));
        for (std::size_t k = 1; k <= n; ++k) {
            // m ← a m + c_{n−k+1} I, c_{n−k} = −tr(a m)/k
            RationalMatrix next = times(a, m);
            for (std::size_t i = 0; i < n; ++i) next[i][i] += coefficients_[n - k + 1];
            m = next;
            Rational trace = 0;
            const RationalMatrix product = times(a, m);
            for (std::size_t i = 0; i < n; ++i) trace += product[i][i];
            coefficients_[n - k] = -trace / Rational(static_cast<long>(k));
        }
    }
    /// The number of eigenvalues > x.
    [[nodiscard]] Index above(const Rational& x) const { return sign_changes(shifted(x)); }
    /// The number of eigenvalues ≥ x.
    [[nodiscard]] Index at_least(const Rational& x) const {
        const std::vector<Rational> p = shifted(x);
        Index zeros = 0;
        while (zeros < static_cast<Index>(p.size()) && p[static_cast<std::size_t>(zeros)] == 0) ++zeros;
        return sign_changes(p) + zeros;
    }

  private:
    static RationalMatrix times(const RationalMatrix& a, const RationalMatrix& b) {
        const std::size_t n = a.size();
        RationalMatrix c(n, std::vector<Rational>(n, 0));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < n; ++k)
                for (std::size_t j = 0; j < n; ++j) c[i][j] += a[i][k] * b[k][j];
        return c;
    }
    /// Coefficients of p(y + x), by Horner.
    [[nodiscard]] std::vector<Rational> shifted(const Rational& x) const {
        std::vector<Rational> p = coefficients_;
        for (std::size_t k = 0; k + 1 < p.size(); ++k)
            for (std::size_t j = p.size() - 1; j-- > k;) p[j] += x * p[j + 1];
        return p;
    }
    static Index sign_changes(const std::vector<Rational>& p) {
        Index changes = 0;
        int last = 0;
        for (const Rational& c : p) {
            const int sign = c > 0 ? 1 : (c < 0 ? -1 : 0);
            if (sign != 0 && last != 0 && sign != last) ++changes;
            if (sign != 0) last = sign;
        }
        return changes;
    }

    std::vector<Rational> coefficients_;  // of λ^0, λ^1, …
};

}  // namespace rankcert::test
