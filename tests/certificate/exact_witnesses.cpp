#include "certificate/exact_witnesses.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace rankcert::test {
namespace {

ExactMatrix rounded(const Eigen::MatrixXd& a, int bits) {
    return ExactMatrix::from_double((a * std::ldexp(1.0, bits)).array().round().matrix() *
                                    std::ldexp(1.0, -bits));
}

}  // namespace

std::vector<Index> some_indices(std::size_t count, std::size_t end, std::mt19937_64& random) {
    std::vector<Index> all;
    for (std::size_t i = 0; i < end; ++i) all.push_back(static_cast<Index>(i));
    for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + below(end - i, random)]);
    all.resize(count);
    return all;
}

std::optional<FixedSpaceWitness> fixed_space(const Shaped& a, std::size_t k, std::mt19937_64& random) {
    FixedSpaceWitness w;
    w.pivots = some_indices(k, a.cols, random);
    Shaped d = zeros(a.cols, k);
    for (Row& row : d.at)
        for (Rational& x : row)
            if (random() % 3 == 0) x = Rational(static_cast<long>(random() % 65) - 32, 64);
    for (std::size_t c = 0; c < k; ++c) {
        Row& row = d.at[static_cast<std::size_t>(w.pivots[c])];
        std::fill(row.begin(), row.end(), Rational(0));
        row[c] = 1;
    }
    const std::vector<Index> chosen = some_indices(k, a.rows, random);
    Shaped part = zeros(k, a.cols);
    for (std::size_t i = 0; i < k; ++i) part.at[i] = a.at[static_cast<std::size_t>(chosen[i])];
    const auto inverted = inverse(times(part, d));
    if (!inverted) return std::nullopt;
    const Shaped small = times(d, *inverted);
    Shaped s = zeros(a.cols, a.rows);
    for (std::size_t i = 0; i < s.rows; ++i)
        for (std::size_t c = 0; c < k; ++c) s.at[i][static_cast<std::size_t>(chosen[c])] = small.at[i][c];
    w.basis = on_grid(d, 6);
    w.inverse = on_grid(s, 30);
    return w;
}

std::optional<NeumannWitness> neumann(const Shaped& a, std::size_t k, std::mt19937_64& random) {
    Shaped s = zeros(k, a.rows), d = zeros(a.cols, k);
    const auto rows = some_indices(k, a.rows, random), cols = some_indices(k, a.cols, random);
    for (std::size_t c = 0; c < k; ++c) {
        s.at[c][static_cast<std::size_t>(rows[c])] = Rational(random() % 2 == 0 ? 4 : -3, 4);
        d.at[static_cast<std::size_t>(cols[c])][c] = Rational(random() % 2 == 0 ? -1 : 1);
    }
    const auto inverted = inverse(times(times(s, a), d));
    if (!inverted) return std::nullopt;
    return NeumannWitness{on_grid(s, 2), on_grid(d, 0), on_grid(*inverted, 30)};
}

EckartYoungWitness eckart_young(const ExactMatrix& a, std::size_t r, std::mt19937_64& random) {
    EckartYoungWitness w;
    w.rank = static_cast<Index>(r);
    w.side = random() % 2 == 0 ? GramSide::rows : GramSide::columns;
    const Eigen::MatrixXd dense = a.estimate_double();
    w.row_weights =
        rounded(Eigen::MatrixXd::Constant(a.rows(), 1, 0.999 / std::sqrt(static_cast<double>(a.rows()))), 12);
    const Index groups = 1 + static_cast<Index>(below(static_cast<std::size_t>(a.cols()), random));
    Eigen::MatrixXd g = Eigen::MatrixXd::Zero(a.cols(), groups);
    for (Index j = 0; j < a.cols(); ++j) g(j, static_cast<Index>(random()) & 1 ? j % groups : 0) = 1;
    if (random() % 2 == 0) g = Eigen::MatrixXd::Identity(a.cols(), a.cols());
    w.grouping = rounded(g, 0);
    const Eigen::MatrixXd k = w.row_weights.to_double().asDiagonal() * dense * g;
    const Eigen::MatrixXd h =
        w.side == GramSide::rows ? Eigen::MatrixXd(k * k.transpose()) : Eigen::MatrixXd(k.transpose() * k);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(h);
    const Index p = h.rows(), large = std::min<Index>(w.rank, p);
    const Eigen::VectorXd values = eigen.eigenvalues();
    const double t = std::max(0.0, large == p ? 0.0 : values(p - 1 - large));
    w.threshold = rounded(Eigen::MatrixXd::Constant(1, 1, t), 50);
    w.large_factor = rounded(eigen.eigenvectors().rightCols(large) *
                                 (values.tail(large).array() - t).max(0.0).sqrt().matrix().asDiagonal(),
                             40);
    w.small_factor = rounded(eigen.eigenvectors().leftCols(p - large) *
                                 (t - values.head(p - large).array()).max(0.0).sqrt().matrix().asDiagonal(),
                             40);
    return w;
}

FactorWitness factors(const ExactMatrix& a, std::size_t r, std::mt19937_64& random) {
    const auto cols = some_indices(std::min(r, static_cast<std::size_t>(a.cols())),
                                   static_cast<std::size_t>(a.cols()), random);
    const Integer denominator = 1 + static_cast<long>(random() % 9);
    std::vector<Integer> right;
    for (const Index c : cols)
        for (Index j = 0; j < a.cols(); ++j)
            right.push_back(j == c ? denominator : Integer(static_cast<long>(random() % 3) - 1));
    return {a.select_cols(cols),
            ExactMatrix::from_integers(static_cast<Index>(cols.size()), a.cols(), right, 0), denominator};
}

}  // namespace rankcert::test
