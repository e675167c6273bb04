#include "exact_singular.hpp"

#include <algorithm>

namespace rankcert::detail {

namespace {

using Row = std::vector<Rational>;

/// a⁻¹ by Gauss–Jordan elimination; empty where a is singular.
std::vector<Row> inverse(const ExactMatrix& a) {
    const auto n = static_cast<std::size_t>(a.rows());
    std::vector<Row> left(n, Row(n)), right(n, Row(n));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) left[i][j] = a(static_cast<Index>(i), static_cast<Index>(j));
        right[i][i] = 1;
    }
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t p = k;
        while (p < n && left[p][k] == 0) ++p;
        if (p == n) return {};
        std::swap(left[p], left[k]);
        std::swap(right[p], right[k]);
        const Rational pivot = left[k][k];
        for (std::size_t j = 0; j < n; ++j) left[k][j] /= pivot, right[k][j] /= pivot;
        for (std::size_t i = 0; i < n; ++i) {
            const Rational factor = left[i][k];
            if (i == k || factor == 0) continue;
            for (std::size_t j = 0; j < n; ++j) {
                left[i][j] -= factor * left[k][j];
                right[i][j] -= factor * right[k][j];
            }
        }
    }
    return right;
}

}  // namespace

std::optional<FactorWitness> propose_exact_nearest_singular(const ExactMatrix& a) {
    const Index n = a.rows();
    if (n < 2 || a.cols() != n) return std::nullopt;
    const auto inverted = inverse(a);
    if (inverted.empty()) return std::nullopt;
    // With the row j of a⁻¹ of the largest ℓ1 norm and its signs s, x = a⁻¹ s / ‖a⁻¹‖ has x_j = 1, |x_i| ≤ 1
    // and a x = s / ‖a⁻¹‖: a (I − x e_jᵀ) is singular and differs from a by a x in column j alone.
    auto norm = [](const Row& row) {
        Rational sum = 0;
        for (const Rational& entry : row) sum += abs(entry);
        return sum;
    };
    std::size_t j = 0;
    for (std::size_t i = 1; i < inverted.size(); ++i) {
        if (norm(inverted[i]) > norm(inverted[j])) j = i;
    }
    const Rational largest = norm(inverted[j]);
    Row x;
    Integer denominator_of_all = 1;
    for (const Row& row : inverted) {
        Rational sum = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (inverted[j][i] < 0)
                sum -= row[i];
            else
                sum += row[i];
        }
        x.push_back(sum / largest);
        denominator_of_all = lcm(denominator_of_all, Integer(denominator(x.back())));
    }
    std::vector<Index> kept;
    std::vector<Integer> right(static_cast<std::size_t>((n - 1) * n));
    for (Index c = 0; c < n; ++c) {
        if (c == static_cast<Index>(j)) continue;
        const auto row = static_cast<Index>(kept.size());
        kept.push_back(c);
        right[static_cast<std::size_t>(row * n + c)] = denominator_of_all;
        const Rational entry = x[static_cast<std::size_t>(c)] * denominator_of_all;
        right[static_cast<std::size_t>(row * n) + j] = -Integer(numerator(entry));
    }
    return FactorWitness{a.select_cols(kept), ExactMatrix::from_integers(n - 1, n, std::move(right), 0),
                         denominator_of_all};
}

}  // namespace rankcert::detail
