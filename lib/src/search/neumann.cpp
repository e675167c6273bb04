#include <algorithm>
#include <cmath>
#include <utility>

#include "grid.hpp"
#include "rankcert/search/lower.hpp"
#include "rankcert/search/work.hpp"

namespace rankcert::search {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// A choice of rows of a, and for each a group of columns: labels[j] is the place of the row whose group
/// column j belongs to, −1 where it belongs to none.
struct Decoder {
    std::vector<Index> rows;
    std::vector<Index> labels;
    [[nodiscard]] Index rank() const { return static_cast<Index>(rows.size()); }
};

/// S a D: X_pq = Σ over the columns j with label q of a(rows[p], j).
Matrix decoded(const Matrix& a, const Decoder& decoder) {
    const Index k = decoder.rank();
    Matrix x = Matrix::Zero(k, k);
    for (Index j = 0; j < a.cols(); ++j) {
        const Index q = decoder.labels[at(j)];
        if (q < 0) continue;
        for (Index p = 0; p < k; ++p) x(p, q) += a(decoder.rows[at(p)], j);
    }
    return x;
}

/// Rows and columns of a in the order of elimination with complete pivoting.
std::pair<std::vector<Index>, std::vector<Index>> complete_pivoting(const Matrix& a) {
    std::vector<Index> rows, cols;
    Matrix rest = a;
    const double smallest = a.cwiseAbs().maxCoeff() * 0x1p-50;
    for (Index step = 0; step < std::min(a.rows(), a.cols()); ++step) {
        Index i = 0, j = 0;
        if (!(rest.cwiseAbs().maxCoeff(&i, &j) > smallest)) break;
        const Vector column = rest.col(j) / rest(i, j);
        const Eigen::RowVectorXd row = rest.row(i);
        rest.noalias() -= column * row;
        rest.row(i).setZero();
        rest.col(j).setZero();
        rows.push_back(i);
        cols.push_back(j);
    }
    return {rows, cols};
}

/// The most pivots whose block is farther than the tolerance from the singular matrices. The leading k×k
/// block of the pivot block L U is L_k U_k, so its inverse is the sum of its first k terms (column of
/// U⁻¹)(row of L⁻¹): the norms of all of these inverses together cost O(n³).
Decoder select_by_pivoting(const Matrix& a, double tolerance) {
    const auto [rows, cols] = complete_pivoting(a);
    const Index n = static_cast<Index>(rows.size());
    Matrix lu(n, n);
    for (Index p = 0; p < n; ++p) {
        for (Index q = 0; q < n; ++q) lu(p, q) = a(rows[at(p)], cols[at(q)]);
    }
    for (Index k = 0; k < n; ++k) {
        const Index rest = n - k - 1;
        lu.col(k).tail(rest) /= lu(k, k);
        lu.bottomRightCorner(rest, rest).noalias() -= lu.col(k).tail(rest) * lu.row(k).tail(rest);
    }
    const Matrix identity = Matrix::Identity(n, n);
    const Matrix inverse_lower = lu.triangularView<Eigen::UnitLower>().solve(identity);
    const Matrix inverse_upper = lu.triangularView<Eigen::Upper>().solve(identity);
    Matrix inverse_block = Matrix::Zero(n, n);
    Index best = 0;
    for (Index k = 0; k < n; ++k) {
        inverse_block.topLeftCorner(k + 1, k + 1).noalias() +=
            inverse_upper.col(k).head(k + 1) * inverse_lower.row(k).head(k + 1);
        if (estimate_norm(inverse_block.topLeftCorner(k + 1, k + 1)) * tolerance < 1) best = k + 1;
    }
    Decoder decoder{{rows.begin(), rows.begin() + best}, std::vector<Index>(at(a.cols()), -1)};
    for (Index k = 0; k < best; ++k) decoder.labels[at(cols[at(k)])] = k;
    return decoder;
}

/// Rows in farthest-first order by ℓ1 distance, from the most concentrated one on.
std::vector<Index> farthest_first(const Matrix& a) {
    const Matrix columns = a.transpose();  // rows of a lie together in memory
    const auto distances_to = [&](Index i) -> Vector {
        return (columns.colwise() - columns.col(i)).cwiseAbs().colwise().sum().transpose();
    };
    Index next = 0;
    a.rowwise().maxCoeff().maxCoeff(&next);
    std::vector<Index> order{next};
    Vector distance = distances_to(next);
    while (static_cast<Index>(order.size()) < a.rows()) {
        if (!(distance.maxCoeff(&next) > 0)) break;  // all that are left equal a chosen one
        order.push_back(next);
        distance = distance.cwiseMin(distances_to(next));
    }
    return order;
}

/// Each column goes to the row, of those chosen, that attends to it most.
Decoder group_columns(const Matrix& a, std::vector<Index> rows) {
    Decoder decoder{std::move(rows), std::vector<Index>(at(a.cols()), 0)};
    for (Index j = 0; j < a.cols(); ++j) {
        Index& label = decoder.labels[at(j)];
        for (Index p = 1; p < decoder.rank(); ++p) {
            if (a(decoder.rows[at(p)], j) > a(decoder.rows[at(label)], j)) label = p;
        }
    }
    return decoder;
}

/// Row sums of |(S a D)⁻¹|; nothing where it is singular.
std::optional<Vector> inverse_row_sums(const Matrix& a, const Decoder& decoder) {
    const auto r = inverse(decoded(a, decoder));
    if (!r) return std::nullopt;
    return Vector(r->cwiseAbs().rowwise().sum());
}

/// From all given rows, drops the one with the largest row sum in the inverse until the rest fits the
/// tolerance.
Decoder drop_worst(const Matrix& a, std::vector<Index> rows, double tolerance, Index at_least,
                   double deadline) {
    while (static_cast<Index>(rows.size()) > at_least && work_seconds() < deadline) {
        const Decoder decoder = group_columns(a, rows);
        const auto sums = inverse_row_sums(a, decoder);
        if (!sums) {
            rows.pop_back();  // the last of the farthest-first order is the nearest to another
            continue;
        }
        Index worst = 0;
        if (sums->maxCoeff(&worst) * tolerance < 1) return decoder;
        rows.erase(rows.begin() + worst);
    }
    return {};
}

Decoder select_by_groups(const Matrix& a, double tolerance, Index at_least, double deadline) {
    const std::vector<Index> order = farthest_first(a);
    const Index n = static_cast<Index>(order.size());
    Decoder best;
    const auto take = [&](Decoder decoder) {
        if (decoder.rank() > best.rank()) best = std::move(decoder);
    };
    constexpr Index kPatience = 12;  // sizes in a row that do not fit
    for (Index k = std::max<Index>(1, at_least); k <= n && work_seconds() < deadline; ++k) {
        Decoder decoder = group_columns(a, {order.begin(), order.begin() + k});
        const auto sums = inverse_row_sums(a, decoder);
        if (sums && sums->maxCoeff() * tolerance < 1) {
            take(std::move(decoder));
        } else if (k > std::max(best.rank(), at_least) + kPatience) {
            break;
        }
    }
    for (const Index extra : {Index{24}, n}) {
        const Index size = std::min(n, std::max(best.rank(), at_least) + extra);
        take(drop_worst(a, {order.begin(), order.begin() + size}, tolerance, std::max(best.rank(), at_least),
                        deadline));
    }
    return best;
}

/// R on the coarsest grid on which ‖I − R X‖ + t ‖R‖ < 1 still holds, by estimate.
std::optional<NeumannWitness> round_neumann(const Matrix& a, const Decoder& decoder, double tolerance) {
    const Index k = decoder.rank();
    const Matrix x = decoded(a, decoder);
    const auto r = inverse(x);
    if (!r) return std::nullopt;
    Matrix selection = Matrix::Zero(k, a.rows());
    for (Index p = 0; p < k; ++p) selection(p, decoder.rows[at(p)]) = 1;
    Matrix grouping = Matrix::Zero(a.cols(), k);
    for (Index j = 0; j < a.cols(); ++j) {
        if (decoder.labels[at(j)] >= 0) grouping(j, decoder.labels[at(j)]) = 1;
    }
    for (const int digits : {20, 26, 36, 46, 60}) {
        const Matrix rounded = round_to_grid(*r, relative_grid(*r, digits));
        const double norm = estimate_norm(rounded);
        const double residual = estimate_norm(Matrix::Identity(k, k) - multiply(rounded, x));
        const double error = estimate_rounding(k + a.cols(), norm * estimate_norm(x));
        const double left = residual + tolerance * norm;
        // I − R X is D − S a D for a := X, D := I, S := R (X is a sum of few entries of a, rounded: nearly
        // exact).
        if (left + error < 1 ||
            (left < 1 + error && contracts_exactly(Matrix::Identity(k, k), rounded, x, tolerance))) {
            return NeumannWitness{ExactMatrix::from_double(selection), ExactMatrix::from_double(grouping),
                                  ExactMatrix::from_double(rounded)};
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<NeumannWitness> propose_neumann(const Matrix& a, double tolerance, const Options& options) {
    constexpr Index kLargest = 1536;  // elimination by single pivots, n³ operations of memory traffic
    if (a.size() == 0 || !a.allFinite() || !(tolerance >= 0)) return std::nullopt;
    if (std::max(a.rows(), a.cols()) > kLargest) return std::nullopt;
    const double deadline = work_seconds() + .1 * options.seconds;
    const Decoder single = select_by_pivoting(a, tolerance);
    const Decoder grouped = select_by_groups(a, tolerance, single.rank(), deadline);
    for (const Decoder* decoder : {&grouped, &single}) {
        if (decoder->rank() == 0) continue;
        if (auto witness = round_neumann(a, *decoder, tolerance)) return witness;
    }
    return std::nullopt;
}

}  // namespace rankcert::search
