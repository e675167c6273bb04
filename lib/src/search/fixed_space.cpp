#include <algorithm>
#include <cmath>
#include <utility>

#include "grid.hpp"
#include "rankcert/search/lower.hpp"

namespace rankcert::search {
namespace {

/// c⁺ of a matrix with independent columns.
std::optional<Matrix> left_inverse(const Matrix& c) {
    const auto factors = qr(c);
    if (!factors) return std::nullopt;
    const auto r = inverse(factors->r);
    if (!r) return std::nullopt;
    return multiply_nt(*r, factors->q);
}

/// D with D_J = I: the same space, J chosen by QR with column pivoting of Dᵀ.
struct PivotedBasis {
    Matrix basis;
    std::vector<Index> pivots;
};

std::optional<PivotedBasis> pivot_basis(const Matrix& basis) {
    const Index k = basis.cols();
    const auto orthonormal = qr(basis);
    if (!orthonormal) return std::nullopt;
    const auto order = pivot_columns(orthonormal->q.transpose());
    if (!order) return std::nullopt;
    PivotedBasis result{{}, {order->begin(), order->begin() + k}};
    Matrix block(k, k);
    for (Index i = 0; i < k; ++i)
        block.row(i) = orthonormal->q.row(result.pivots[static_cast<std::size_t>(i)]);
    const auto transposed = solve(block.transpose(), orthonormal->q.transpose());  // (D D_J⁻¹)ᵀ
    if (!transposed) return std::nullopt;
    result.basis = transposed->transpose();
    for (Index i = 0; i < k; ++i) {
        result.basis.row(result.pivots[static_cast<std::size_t>(i)]) = Matrix::Identity(k, k).row(i);
    }
    return result;
}

Matrix unit_columns(Index rows, const std::vector<Index>& places, Index count) {
    Matrix units = Matrix::Zero(rows, count);
    for (Index j = 0; j < count; ++j) units(places[static_cast<std::size_t>(j)], j) = 1;
    return units;
}

}  // namespace

std::optional<FixedSpaceWitness> round_fixed_space(const Matrix& a, const FixedSpace& space,
                                                   double tolerance) {
    if (space.rank() < 1 || space.rank() > a.cols() || !space.basis.allFinite() ||
        !space.inverse.allFinite()) {
        return std::nullopt;
    }
    const auto pivoted = pivot_basis(space.basis);
    if (!pivoted) return std::nullopt;
    for (const int digits : {26, 34, 42, 50, 60}) {
        const Matrix d = round_to_grid(pivoted->basis, relative_grid(pivoted->basis, digits));
        const Matrix c = multiply(a, d);
        const auto pseudo = left_inverse(c);
        if (!pseudo) return std::nullopt;
        Matrix s = space.inverse;
        for (int step = 0; step < 2; ++step) {  // the second pass removes the first's rounding errors
            Matrix rest = d;
            gemm(-1, s, Op::none, c, Op::none, 1, rest);
            gemm(1, rest, Op::none, *pseudo, Op::none, 1, s);
        }
        if (!s.allFinite()) return std::nullopt;
        s = round_to_grid(s, relative_grid(s, digits));
        Matrix rest = d;
        gemm(-1, s, Op::none, c, Op::none, 1, rest);
        const double norm = estimate_norm(s);
        const double error =
            estimate_rounding(a.rows() + a.cols(), norm * estimate_norm(a) * estimate_norm(d));
        const double left = estimate_norm(rest) + tolerance * norm;
        if (left + error < 1 || (left < 1 + error && contracts_exactly(d, s, a, tolerance))) {
            return FixedSpaceWitness{ExactMatrix::from_double(d), ExactMatrix::from_double(s),
                                     pivoted->pivots};
        }
    }
    return std::nullopt;
}

std::optional<FixedSpace> full_fixed_space(const Matrix& a) {
    if (a.size() == 0 || !a.allFinite()) return std::nullopt;
    const Index m = a.rows(), n = a.cols();
    FixedSpace best;
    const auto take = [&](Matrix basis, std::optional<Matrix> s) {
        if (!s || !s->allFinite()) return;
        const double norm = estimate_norm(*s);
        if (norm > 0 && 1 / norm > best.reach) best = {std::move(basis), std::move(*s), 1 / norm};
    };
    if (m == n) {
        take(Matrix::Identity(n, n), inverse(a));
    } else if (m > n) {  // a left inverse, or the inverse of n rows
        take(Matrix::Identity(n, n), left_inverse(a));
        if (const auto order = pivot_columns(a.transpose())) {
            const Matrix units = unit_columns(m, *order, n);
            if (const auto block = inverse(multiply_tn(units, a))) {
                take(Matrix::Identity(n, n), multiply_nt(*block, units));
            }
        }
    } else if (const auto order = pivot_columns(a)) {  // m columns
        const Matrix units = unit_columns(n, *order, m);
        if (const auto block = inverse(multiply(a, units))) take(units, multiply(units, *block));
    }
    if (!(best.reach > 0)) return std::nullopt;
    return best;
}

}  // namespace rankcert::search
