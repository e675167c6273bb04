#include "certificate/fast_witnesses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/estimate.hpp"

namespace rankcert::test {
namespace {

/// The pseudo-inverse, nothing where it is not finite.
std::optional<MatrixXd> estimate_pseudo_inverse(const MatrixXd& a) {
    const auto svd = detail::estimate_singular_vectors(a);
    if (!svd) return std::nullopt;
    const MatrixXd inverse = svd->right * svd->values.cwiseInverse().asDiagonal() * svd->left.transpose();
    if (!inverse.allFinite() || inverse.cwiseAbs().maxCoeff() > 1e6) return std::nullopt;
    return inverse;
}

}  // namespace

MatrixXd rounded_to(const MatrixXd& a, int bits) {
    return (a * std::ldexp(1.0, bits)).array().round().matrix() * std::ldexp(1.0, -bits);
}

ExactMatrix gridded(const MatrixXd& a, int bits) { return ExactMatrix::from_double(rounded_to(a, bits)); }

MatrixXd random_attention(Index m, Index n, bool stochastic, Random& random) {
    MatrixXd a(m, n);
    for (Index k = 0; k < a.size(); ++k) {
        const double u = unit_double(random);
        a.data()[k] = stochastic ? std::exp(6 * u) : 2 * u - 1;
    }
    if (stochastic)
        for (Index i = 0; i < m; ++i) a.row(i) /= a.row(i).sum();
    return rounded_to(a, 53);
}

std::vector<Index> shuffled(Index n, Random& random) {
    std::vector<Index> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), Index{0});
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
    return all;
}

std::optional<FixedSpaceWitness> make_fixed_space(const MatrixXd& a, Index k, Random& random) {
    const std::vector<Index> columns = shuffled(a.cols(), random);
    MatrixXd d = MatrixXd::Zero(a.cols(), k);
    for (Index i = 0; i < a.cols(); ++i)
        d(i, index_below(k, random)) = std::ldexp(double(index_below(65, random) - 32), -6);
    FixedSpaceWitness w;
    for (Index c = 0; c < k; ++c) {
        w.pivots.push_back(columns[static_cast<std::size_t>(c)]);
        d.row(w.pivots.back()).setZero();
        d(w.pivots.back(), c) = 1;
    }
    const auto inverse = estimate_pseudo_inverse(a * d);
    if (!inverse) return std::nullopt;
    const MatrixXd s = d * *inverse;
    w.basis = gridded(d, 6);
    w.inverse = gridded(s, 32);
    return w;
}

std::optional<NeumannWitness> make_neumann(const MatrixXd& a, Index k, Random& random) {
    const std::vector<Index> rows = shuffled(a.rows(), random);
    const std::vector<Index> columns = shuffled(a.cols(), random);
    MatrixXd s = MatrixXd::Zero(k, a.rows());
    MatrixXd d = MatrixXd::Zero(a.cols(), k);
    for (Index c = 0; c < k; ++c) {
        s(c, rows[static_cast<std::size_t>(c)]) = random() % 2 == 0 ? 1 : -0.75;
        d(columns[static_cast<std::size_t>(c)], c) = random() % 2 == 0 ? 1 : -1;
    }
    const auto r = estimate_pseudo_inverse(s * a * d);
    if (!r) return std::nullopt;
    return NeumannWitness{gridded(s), gridded(d), gridded(*r, 32)};
}

std::optional<EckartYoungWitness> make_eckart_young(const MatrixXd& a, Index r, Random& random) {
    EckartYoungWitness w;
    w.rank = r;
    w.side = random() % 2 == 0 ? GramSide::rows : GramSide::columns;
    MatrixXd s(a.rows(), 1);
    for (Index i = 0; i < a.rows(); ++i) s(i, 0) = 0.5 + unit_double(random);
    s *= 0.9999 / s.norm();
    const Index groups = 1 + index_below(a.cols(), random);
    MatrixXd g = MatrixXd::Zero(a.cols(), groups);
    for (Index j = 0; j < a.cols(); ++j) g(j, j % groups) = random() % 2 == 0 ? 1 : -1;
    if (random() % 2 == 0) g = MatrixXd::Identity(a.cols(), a.cols());
    s = rounded_to(s, 20);
    const MatrixXd k = s.col(0).asDiagonal() * a * g;
    const MatrixXd h = w.side == GramSide::rows ? MatrixXd(k * k.transpose()) : MatrixXd(k.transpose() * k);
    const auto eigen = detail::estimate_eigenvectors(h);
    if (!eigen) return std::nullopt;
    const Index p = h.rows();
    const Index large = std::min(r, p);
    const VectorXd values = eigen->values;
    const double t = large == p ? 0.0 : std::max(0.0, values(p - 1 - large));
    w.row_weights = ExactMatrix::from_double(s);
    w.grouping = ExactMatrix::from_double(g);
    w.threshold = gridded(MatrixXd::Constant(1, 1, t), 50);
    w.large_factor = gridded(eigen->vectors.rightCols(large) *
                                 (values.tail(large).array() - t).max(0.0).sqrt().matrix().asDiagonal(),
                             40);
    w.small_factor = gridded(eigen->vectors.leftCols(p - large) *
                                 (t - values.head(p - large).array()).max(0.0).sqrt().matrix().asDiagonal(),
                             40);
    return w;
}

FactorWitness make_factors(const MatrixXd& a, Index r, Random& random) {
    const auto svd = detail::estimate_singular_vectors(a).value();
    const MatrixXd left = svd.left.leftCols(r) * svd.values.head(r).asDiagonal();
    const Integer denominator = random() % 2 == 0 ? Integer(1) : Integer(1 + static_cast<long>(random() % 9));
    return {gridded(left * denominator.convert_to<double>()), gridded(svd.right.leftCols(r).transpose()),
            denominator};
}

RepresentativeRowsWitness make_rows(const MatrixXd& a, Index r, Random& random) {
    RepresentativeRowsWitness w;
    for (Index i = 0; i < a.rows(); ++i) {
        Index best = index_below(r, random);
        for (Index p = 0; p < r; ++p)
            if ((a.row(i) - a.row(p)).cwiseAbs().sum() < (a.row(i) - a.row(best)).cwiseAbs().sum()) best = p;
        w.representative.push_back(best);
    }
    return w;
}

ExactMatrix mutated(const ExactMatrix& a, Random& random) {
    if (a.rows() == 0 || a.cols() == 0) return a;
    if (random() % 16 == 0) return a.transpose();
    if (random() % 16 == 0) return a.scale(random() % 2 == 0 ? 2 : -1);
    MatrixXd values = a.to_double();
    if (random() % 16 == 0) return ExactMatrix::from_double(values.rowwise().reverse());
    double& entry = values.data()[index_below(values.size(), random)];
    switch (random() % 8) {
        case 0:
            entry = 0;
            break;
        case 1:
            entry = -entry;
            break;
        case 2:
            entry = 1e200;
            break;
        case 3:
            entry = 5e-324;
            break;
        default:
            entry += std::ldexp(random() % 2 == 0 ? 1.0 : -1.0, -static_cast<int>(random() % 54));
    }
    return ExactMatrix::from_double(values);
}

}  // namespace rankcert::test
