#pragma once
/// \file exact_oracle.hpp  A slow second opinion on witnesses: tables of rationals, one formula a theorem,
/// written from lib/docs/certificates.md and not from the checker.

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "rankcert/certificate/checker.hpp"

namespace rankcert::test {

using Table = std::vector<std::vector<Rational>>;
using Row = std::vector<Rational>;

struct Shaped {  ///< a table that knows its shape when it is empty
    std::size_t rows = 0, cols = 0;
    Table at;
};

inline Shaped zeros(std::size_t rows, std::size_t cols) { return {rows, cols, Table(rows, Row(cols))}; }

inline Shaped unit(std::size_t n) {
    Shaped result = zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) result.at[i][i] = 1;
    return result;
}

inline Shaped widen(const ExactMatrix& a) {
    Shaped result = zeros(static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols()));
    for (std::size_t i = 0; i < result.rows; ++i)
        for (std::size_t j = 0; j < result.cols; ++j)
            result.at[i][j] = a(static_cast<Index>(i), static_cast<Index>(j));
    return result;
}

inline Shaped times(const Shaped& a, const Shaped& b) {
    Shaped c = zeros(a.rows, b.cols);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < b.cols; ++j)
            for (std::size_t k = 0; k < a.cols; ++k) c.at[i][j] += a.at[i][k] * b.at[k][j];
    return c;
}

inline Shaped minus(Shaped a, const Shaped& b) {
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.cols; ++j) a.at[i][j] -= b.at[i][j];
    return a;
}

inline Shaped flip(const Shaped& a) {
    Shaped t = zeros(a.cols, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.cols; ++j) t.at[j][i] = a.at[i][j];
    return t;
}

inline Rational largest_row(const Shaped& a) {
    Rational largest = 0;
    for (const Row& row : a.at) {
        Rational sum = 0;
        for (const Rational& x : row) sum += x < 0 ? Rational(-x) : x;
        if (sum > largest) largest = sum;
    }
    return largest;
}

/// The inverse by Gauss and Jordan, or nothing where there is none.
inline std::optional<Shaped> inverse(Shaped a) {
    const std::size_t n = a.rows;
    Shaped b = unit(n);
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t p = c;
        while (p < n && a.at[p][c] == 0) ++p;
        if (p == n) return std::nullopt;
        if (p != c) {
            a.at[p].swap(a.at[c]);
            b.at[p].swap(b.at[c]);
        }
        const Rational pivot = a.at[c][c];
        for (std::size_t j = 0; j < n; ++j) {
            a.at[c][j] /= pivot;
            b.at[c][j] /= pivot;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (i == c || a.at[i][c] == 0) continue;
            const Rational f = a.at[i][c];
            for (std::size_t j = 0; j < n; ++j) {
                a.at[i][j] -= f * a.at[c][j];
                b.at[i][j] -= f * b.at[c][j];
            }
        }
    }
    return b;
}

inline std::size_t rank_of(Shaped a) {
    std::size_t rank = 0;
    for (std::size_t j = 0; j < a.cols; ++j) {
        std::size_t p = rank;
        while (p < a.rows && a.at[p][j] == 0) ++p;
        if (p == a.rows) continue;
        a.at[p].swap(a.at[rank]);
        for (std::size_t i = rank + 1; i < a.rows; ++i) {
            const Rational f = a.at[i][j] / a.at[rank][j];
            for (std::size_t k = j; k < a.cols; ++k) a.at[i][k] -= f * a.at[rank][k];
        }
        ++rank;
    }
    return rank;
}

/// Rounded down to multiples of 2^−bits.
inline ExactMatrix on_grid(const Shaped& a, unsigned bits) {
    std::vector<Integer> values;
    for (const Row& row : a.at)
        for (const Rational& x : row) {
            const Rational scaled = x * Rational(Integer(1) << bits);
            Integer q = numerator(scaled) / denominator(scaled);
            if (Rational(q) > scaled) --q;
            values.push_back(q);
        }
    return ExactMatrix::from_integers(static_cast<Index>(a.rows), static_cast<Index>(a.cols), values,
                                      -static_cast<long>(bits));
}

inline Rational two_to(long e) {
    const Integer power = Integer(1) << static_cast<unsigned>(e < 0 ? -e : e);
    return e < 0 ? Rational(1) / Rational(power) : Rational(power);
}

// ---- the theorems, for a matrix that is given exactly
// -------------------------------------------------------

struct Answer {
    bool holds = false;
    Index rank = 0;
};

inline Answer oracle(const FixedSpaceWitness& w, const Shaped& a, const Rational& eps) {
    const Shaped d = widen(w.basis), s = widen(w.inverse);
    const std::size_t k = d.cols;
    if (d.rows != a.cols || s.rows != a.cols || s.cols != a.rows || w.pivots.size() != k) return {};
    for (std::size_t c = 0; c < k; ++c) {
        if (w.pivots[c] < 0 || w.pivots[c] >= static_cast<Index>(d.rows)) return {};
        for (std::size_t e = 0; e < k; ++e)
            if (d.at[static_cast<std::size_t>(w.pivots[c])][e] != (c == e ? 1 : 0)) return {};
    }
    const Rational sum = largest_row(minus(d, times(times(s, a), d))) + eps * largest_row(s);
    return {sum < 1, static_cast<Index>(k)};
}

inline Answer oracle(const NeumannWitness& w, const Shaped& a, const Rational& eps) {
    const Shaped s = widen(w.selection), d = widen(w.decoder), r = widen(w.inverse);
    const std::size_t size = s.rows;
    if (s.cols != a.rows || d.rows != a.cols || d.cols != size || r.rows != size || r.cols != size) return {};
    if (largest_row(s) > 1 || largest_row(d) > 1) return {};
    const Rational sum =
        largest_row(minus(unit(size), times(times(times(r, s), a), d))) + eps * largest_row(r);
    return {sum < 1, static_cast<Index>(size)};
}

inline Answer oracle(const EckartYoungWitness& w, const Shaped& a, const Rational& eps) {
    const Shaped s = widen(w.row_weights), g = widen(w.grouping), l = widen(w.large_factor),
                 c = widen(w.small_factor);
    const std::size_t p = w.side == GramSide::rows ? a.rows : g.cols;
    if (s.rows != a.rows || s.cols != 1 || g.rows != a.cols || l.rows != p || c.rows != p || w.rank < 0)
        return {};
    if (w.threshold.rows() != 1 || w.threshold.cols() != 1) return {};
    const Rational t = w.threshold(0, 0);
    Rational weight = 0;
    for (const Row& row : s.at) weight += row[0] * row[0];
    if (t < 0 || weight > 1) return {};
    for (const Row& row : g.at) {
        Rational square = 0;
        for (const Rational& x : row) square += x * x;
        if (square > 1) return {};
    }
    Shaped k = times(a, g);
    for (std::size_t i = 0; i < k.rows; ++i)
        for (Rational& x : k.at[i]) x *= s.at[i][0];
    if (w.side == GramSide::columns) k = flip(k);  // rows of k are now what the Gram matrix is of
    Rational value = 0, delta = 0;
    for (std::size_t i = 0; i < p; ++i) {
        Rational sum = 0;
        for (std::size_t j = 0; j < p; ++j) {
            Rational e = i == j ? t : Rational(0), h = 0;
            for (std::size_t q = 0; q < k.cols; ++q) h += k.at[i][q] * k.at[j][q];
            for (std::size_t q = 0; q < l.cols; ++q) e += l.at[i][q] * l.at[j][q];
            for (std::size_t q = 0; q < c.cols; ++q) e -= c.at[i][q] * c.at[j][q];
            e -= h;
            sum += e < 0 ? Rational(-e) : e;
            if (i == j) value += h;
        }
        for (std::size_t q = 0; q < l.cols; ++q) value -= l.at[i][q] * l.at[i][q];
        if (sum > delta) delta = sum;
    }
    value -= Rational(w.rank) * t + Rational(static_cast<long>(p)) * delta;
    return {value > eps * eps, w.rank + 1};
}

inline Answer oracle(const FactorWitness& w, const Shaped& a, const Rational& eps) {
    const Shaped u = widen(w.left), v = widen(w.right);
    if (u.rows != a.rows || v.cols != a.cols || u.cols != v.rows || w.denominator <= 0) return {};
    Shaped b = times(u, v);
    for (Row& row : b.at)
        for (Rational& x : row) x /= Rational(w.denominator);
    return {largest_row(minus(a, b)) <= eps, static_cast<Index>(u.cols)};
}

inline Answer oracle(const RepresentativeRowsWitness& w, const Shaped& a, const Rational& eps) {
    if (w.representative.size() != a.rows) return {};
    std::vector<Index> values = w.representative;
    for (std::size_t i = 0; i < a.rows; ++i) {
        const Index p = w.representative[i];
        if (p < 0 || p >= static_cast<Index>(a.rows)) return {};
        Rational sum = 0;
        for (std::size_t j = 0; j < a.cols; ++j) {
            const Rational x = a.at[i][j] - a.at[static_cast<std::size_t>(p)][j];
            sum += x < 0 ? Rational(-x) : x;
        }
        if (sum > eps) return {};
    }
    std::sort(values.begin(), values.end());
    return {true, static_cast<Index>(std::unique(values.begin(), values.end()) - values.begin())};
}

// ---- random matrices ------------------------------------------------------------------------------------

inline std::size_t below(std::size_t end, std::mt19937_64& random) {
    return static_cast<std::size_t>(random() % end);
}

/// Entries k/64 of either sign or, as `stochastic`, rows of non-negative entries that sum to 1.
inline ExactMatrix random_matrix(std::size_t rows, std::size_t cols, bool stochastic,
                                 std::mt19937_64& random) {
    std::vector<Integer> values(rows * cols);
    for (std::size_t i = 0; i < rows; ++i) {
        if (!stochastic) {
            for (std::size_t j = 0; j < cols; ++j)
                values[i * cols + j] = static_cast<long>(below(129, random)) - 64;
        } else {
            for (int unit = 0; unit < 64; ++unit) values[i * cols + below(cols, random)] += 1;
        }
    }
    return ExactMatrix::from_integers(static_cast<Index>(rows), static_cast<Index>(cols), values, -6);
}

}  // namespace rankcert::test
