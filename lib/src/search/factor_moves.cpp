#include "factor_moves.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "factors.hpp"
#include "rankcert/search/work.hpp"

namespace rankcert::search {
namespace {

Vector row_errors(const Matrix& residual) { return residual.cwiseAbs().rowwise().sum(); }

Vector random_weights(Index count, double spread, Random& random) {
    Vector weights(count);
    for (double& w : weights) w = std::exp(spread * random.normal());
    return weights;
}

}  // namespace

Vector rare_column_weights(const Matrix& a) {
    const double largest = a.cwiseAbs().maxCoeff();
    return a.cwiseAbs().colwise().maxCoeff().transpose().cwiseMax(1e-2 * largest).cwiseSqrt().cwiseInverse();
}

std::optional<Factors> weighted_start(const Matrix& a, Index rank, const Vector& row_weights,
                                      const Vector& column_weights) {
    const auto parts = svd(row_weights.asDiagonal() * a * column_weights.asDiagonal());
    if (!parts || parts->values.size() < rank) return std::nullopt;
    const Vector root = parts->values.head(rank).cwiseSqrt();
    Factors out;
    out.left = row_weights.cwiseInverse().asDiagonal() * parts->u.leftCols(rank) * root.asDiagonal();
    out.right =
        root.asDiagonal() * parts->v.leftCols(rank).transpose() * column_weights.cwiseInverse().asDiagonal();
    out.estimate_error = estimate_factor_error(a, out.left, out.right);
    return out;
}

std::optional<Factors> insert_bad_row(const Matrix& a, const Factors& factors, Random& random) {
    const Index m = a.rows(), n = a.cols(), rank = factors.left.cols();
    Matrix residual = a;
    gemm(-1, factors.left, Op::none, factors.right, Op::none, 1, residual);
    const Vector errors = row_errors(residual);
    std::vector<Index> order(static_cast<std::size_t>(m));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return errors(i) > errors(j); });
    const double place = random.uniform();  // the worst most often
    const Index among = std::min(m, std::max<Index>(4, m / 8));
    const Index row = order[static_cast<std::size_t>(place * place * static_cast<double>(among))];
    const double size = std::sqrt(residual.row(row).norm());
    if (!(size > 0)) return std::nullopt;

    Factors more{Matrix::Zero(m, rank + 1), Matrix(rank + 1, n), 0};
    more.left.leftCols(rank) = factors.left;
    more.left(row, rank) = size;
    more.right << factors.right, residual.row(row) / size;
    const auto ordered = balance(more);
    if (!ordered) return std::nullopt;
    residual.row(row).setZero();
    Index worst = 0;
    double least = std::numeric_limits<double>::infinity();
    charge_work(static_cast<double>((rank + 1) * a.size()) / kEntriesPerSecond / 2);
    for (Index c = 0; c <= rank; ++c) {
        const Matrix without = residual + ordered->left.col(c) * ordered->right.row(c);
        const double cost = row_errors(without).maxCoeff() * (1 + .3 * random.uniform());
        if (!(cost < least)) continue;
        least = cost;
        worst = c;
    }
    Factors out{Matrix(m, rank), Matrix(rank, n), 0};
    for (Index c = 0, to = 0; c <= rank; ++c) {
        if (c == worst) continue;
        out.left.col(to) = ordered->left.col(c);
        out.right.row(to++) = ordered->right.row(c);
    }
    out.estimate_error = estimate_factor_error(a, out.left, out.right);
    return out;
}

std::optional<Factors> forget_rows(const Matrix& a, const Factors& factors, Random& random) {
    const Index m = a.rows();
    Matrix product = multiply(factors.left, factors.right);
    const Vector errors = row_errors(a - product);
    const double worst = errors.maxCoeff();
    Vector weights = random_weights(m, .7, random);
    for (Index i = 0; i < m; ++i) {
        if (errors(i) < .9 * worst || random.below(4) != 0) continue;
        product.row(i) = a.row(i);
        weights(i) = 3;
    }
    auto out = weighted_start(product, factors.left.cols(), weights, Vector::Ones(a.cols()));
    if (out) out->estimate_error = estimate_factor_error(a, out->left, out->right);
    return out;
}

std::optional<Factors> reweighted_start(const Matrix& a, const Factors& factors, Random& random) {
    const Vector errors = row_errors(a - multiply(factors.left, factors.right));
    const double worst = std::max(errors.maxCoeff(), std::numeric_limits<double>::min());
    const Vector rows =
        random_weights(a.rows(), .3, random).cwiseProduct((errors / (2 * worst)).array().exp().matrix());
    Vector columns = random_weights(a.cols(), .3 * random.uniform(), random);
    if (random.below(2) == 0) columns = columns.cwiseProduct(rare_column_weights(a));
    return weighted_start(a, factors.left.cols(), rows, columns);
}

}  // namespace rankcert::search
