#pragma once
// Plain exact arithmetic on witnesses, written from the theorems: a second opinion that shares nothing with
// the searches nor with the checkers.

#include <random>
#include <set>

#include "rankcert/search/lower.hpp"

namespace rankcert::test {

/// The rank that the witness proves for r_ε(a), 0 where it proves nothing.
inline Index proved_rank(const FixedSpaceWitness& w, const ExactMatrix& a, const Rational& epsilon) {
    const Index k = w.basis.cols();
    if (w.basis.rows() != a.cols() || w.inverse.rows() != a.cols() || w.inverse.cols() != a.rows()) return 0;
    const std::set<Index> distinct(w.pivots.begin(), w.pivots.end());
    if (static_cast<Index>(w.pivots.size()) != k || static_cast<Index>(distinct.size()) != k) return 0;
    if (!(w.basis.select_rows(w.pivots) == ExactMatrix::identity(k))) return 0;
    const Rational residual = (w.basis - w.inverse * (a * w.basis)).norm();
    return residual + epsilon * w.inverse.norm() < 1 ? k : 0;
}

inline Index proved_rank(const NeumannWitness& w, const ExactMatrix& a, const Rational& epsilon) {
    const Index k = w.selection.rows();
    if (w.selection.cols() != a.rows() || w.decoder.rows() != a.cols() || w.decoder.cols() != k) return 0;
    if (w.inverse.rows() != k || w.inverse.cols() != k) return 0;
    if (w.selection.norm() > 1 || w.decoder.norm() > 1) return 0;
    const Rational residual = (ExactMatrix::identity(k) - w.inverse * (w.selection * (a * w.decoder))).norm();
    return residual + epsilon * w.inverse.norm() < 1 ? k : 0;
}

inline Index proved_rank(const EckartYoungWitness& w, const ExactMatrix& a, const Rational& epsilon) {
    if (w.row_weights.rows() != a.rows() || w.grouping.rows() != a.cols()) return 0;
    if (w.row_weights.squared_frobenius_norm() > 1) return 0;
    for (const Rational& square : w.grouping.row_squares()) {
        if (square > 1) return 0;
    }
    const ExactMatrix k = (a * w.grouping).scale_rows(w.row_weights);
    const ExactMatrix h = w.side == GramSide::rows ? k * k.transpose() : k.transpose() * k;
    const Index p = h.rows();
    if (w.large_factor.rows() != p || w.small_factor.rows() != p) return 0;
    const Rational t = w.threshold(0, 0);
    if (t < 0 || w.rank < 0) return 0;
    const ExactMatrix ones = ExactMatrix::from_double(Eigen::MatrixXd::Ones(p, 1));
    const ExactMatrix e = ExactMatrix::identity(p).scale_rows(ones * w.threshold) +
                          w.large_factor * w.large_factor.transpose() - h -
                          w.small_factor * w.small_factor.transpose();
    const Rational tail =
        h.trace() - Rational(w.rank) * t - w.large_factor.squared_frobenius_norm() - Rational(p) * e.norm();
    return tail > epsilon * epsilon ? w.rank + 1 : 0;
}

inline Index proved_rank(const LowerWitness& witness, const ExactMatrix& a, const Rational& epsilon) {
    struct Visitor {
        const ExactMatrix& a;
        const Rational& epsilon;
        Index operator()(const FixedSpaceWitness& w) const { return proved_rank(w, a, epsilon); }
        Index operator()(const NeumannWitness& w) const { return proved_rank(w, a, epsilon); }
        Index operator()(const EckartYoungWitness& w) const { return proved_rank(w, a, epsilon); }
        Index operator()(const LowerRule&) const { return 0; }
    };
    return std::visit(Visitor{a, epsilon}, witness);
}

/// Rows of positive entries that sum to about one, each concentrated on a few columns.
inline search::Matrix random_attention(Index m, Index n, double sharpness, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    search::Matrix a(m, n);
    for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < m; ++i) a(i, j) = std::exp(sharpness * normal(engine));
    }
    for (Index i = 0; i < m; ++i) a.row(i) /= a.row(i).sum();
    return a;
}

/// [[1, 0], [1 − x, x]], whose threshold between ranks 2 and 1 is x/(2 − x).
inline search::Matrix two_rows(double x) { return (search::Matrix(2, 2) << 1, 0, 1 - x, x).finished(); }

/// The tolerance that is asked of a search so that its proposals serve ε.
inline double tolerance_for(const Rational& epsilon) { return upper_double(epsilon); }

}  // namespace rankcert::test
