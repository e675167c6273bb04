#pragma once
// Plain exact arithmetic on witnesses, written from the theorems: a second opinion that shares nothing with
// the searches nor with the checkers.

#include <random>
#include <set>
#include <vector>

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

inline Index proved_rank(const RowCycleWitness& w, const ExactMatrix& a, const Rational& epsilon) {
    if (w.rank < 2 || w.vectors.cols() != a.cols()) return 0;
    for (Index i = 0; i < w.vectors.rows(); ++i) {
        for (Index j = 0; j < w.vectors.cols(); ++j) {
            if (abs(w.vectors(i, j)) > 1) return 0;
        }
    }
    const ExactMatrix products = a * w.vectors.transpose();
    std::set<std::vector<Index>> members, odd_faces;  // rows as ±(i + 1), the first positive
    int alternating = 0;
    for (const SignedRowSet& set : w.sets) {
        std::vector<Index> rows;
        bool alternates = true;
        for (std::size_t j = 0; j < set.rows.size(); ++j) {
            const bool minus = (set.negative >> j & 1) != 0;
            if (j > 0 && set.rows[j] <= set.rows[j - 1]) return 0;
            if (j > 0 && minus == (rows.back() < 0)) alternates = false;
            rows.push_back(minus ? -set.rows[j] - 1 : set.rows[j] + 1);
            const Rational product = products(set.rows[j], set.vector);
            if (!((minus ? Rational(-product) : product) > epsilon)) return 0;
        }
        if (static_cast<Index>(rows.size()) != w.rank || rows[0] < 0 || !members.insert(rows).second)
            return 0;
        if (alternates) ++alternating;
        for (std::size_t j = 0; j < rows.size(); ++j) {
            std::vector<Index> face = rows;
            face.erase(face.begin() + static_cast<std::ptrdiff_t>(j));
            if (face[0] < 0) {
                for (Index& row : face) row = -row;
            }
            if (!odd_faces.insert(face).second) odd_faces.erase(face);
        }
    }
    return odd_faces.empty() && alternating % 2 == 1 ? w.rank : 0;
}

inline Index proved_rank(const LowerWitness& witness, const ExactMatrix& a, const Rational& epsilon) {
    struct Visitor {
        const ExactMatrix& a;
        const Rational& epsilon;
        Index operator()(const FixedSpaceWitness& w) const { return proved_rank(w, a, epsilon); }
        Index operator()(const NeumannWitness& w) const { return proved_rank(w, a, epsilon); }
        Index operator()(const EckartYoungWitness& w) const { return proved_rank(w, a, epsilon); }
        Index operator()(const RowCycleWitness& w) const { return proved_rank(w, a, epsilon); }
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
