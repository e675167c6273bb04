#include <algorithm>
#include <optional>

#include "bracket/bracket_support.hpp"

/// Thousands of random small matrices against what is known of them exactly, by rational arithmetic that
/// shares nothing with the library.

using namespace bracket_support;

namespace {

using Table = std::vector<std::vector<Rational>>;

struct Sample {
    Index rows = 0, cols = 0;
    std::vector<long> numerators;  ///< over 64

    [[nodiscard]] ExactMatrix exact() const { return dyadic(rows, cols, numerators, 6); }
    [[nodiscard]] Table table() const {
        Table out(static_cast<std::size_t>(rows), std::vector<Rational>(static_cast<std::size_t>(cols)));
        for (std::size_t i = 0; i < out.size(); ++i) {
            for (std::size_t j = 0; j < out[i].size(); ++j) {
                out[i][j] = Rational(numerators[i * static_cast<std::size_t>(cols) + j], 64);
            }
        }
        return out;
    }
};

class Generator {
  public:
    explicit Generator(unsigned seed) : engine_(seed) {}

    long between(long low, long high) {
        return low + static_cast<long>(engine_() % static_cast<std::uint64_t>(high - low + 1));
    }

    /// Stochastic, or of any signs, or of low rank with a little noise, or sparse.
    Sample sample(Index rows, Index cols) {
        Sample out{rows, cols, std::vector<long>(static_cast<std::size_t>(rows * cols))};
        const long kind = between(0, 3);
        for (Index i = 0; i < rows; ++i) {
            long left = 64;
            const long factor = between(-2, 2);
            for (Index j = 0; j < cols; ++j) {
                long& x = out.numerators[static_cast<std::size_t>(i * cols + j)];
                if (kind == 0) {
                    x = j + 1 == cols ? left : between(0, left);
                    left -= x;
                } else if (kind == 1) {
                    x = between(-64, 64);
                } else if (kind == 2) {
                    x = factor * (8 + 3 * j) + between(-1, 1);
                } else {
                    x = between(0, 2) == 0 ? between(-64, 64) : 0;
                }
            }
        }
        return out;
    }

  private:
    std::mt19937_64 engine_;
};

std::size_t oracle_rank(Table a) {
    std::size_t rank = 0;
    for (std::size_t j = 0; !a.empty() && j < a[0].size() && rank < a.size(); ++j) {
        std::size_t p = rank;
        while (p < a.size() && a[p][j] == 0) ++p;
        if (p == a.size()) continue;
        std::swap(a[p], a[rank]);
        for (std::size_t i = rank + 1; i < a.size(); ++i) {
            const Rational factor = a[i][j] / a[rank][j];
            for (std::size_t k = j; k < a[i].size(); ++k) a[i][k] -= factor * a[rank][k];
        }
        ++rank;
    }
    return rank;
}

Rational oracle_norm(const Table& a) {
    Rational out = 0;
    for (const auto& row : a) {
        Rational sum = 0;
        for (const Rational& x : row) sum += abs(x);
        out = std::max(out, sum);
    }
    return out;
}

/// The distance of a square matrix to the singular ones: 1/‖a⁻¹‖, the inverse by Cramer's rule; 0 where it is
/// singular.
Rational determinant(const Table& a) {
    if (a.empty()) return 1;
    Rational sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
        if (a[0][j] == 0) continue;
        Table minor;
        for (std::size_t i = 1; i < a.size(); ++i) {
            minor.push_back(a[i]);
            minor.back().erase(minor.back().begin() + static_cast<std::ptrdiff_t>(j));
        }
        const Rational term = a[0][j] * determinant(minor);
        if (j % 2 == 0)
            sum += term;
        else
            sum -= term;
    }
    return sum;
}

Rational oracle_singular_distance(const Table& a) {
    const Rational all = determinant(a);
    if (all == 0) return 0;
    Rational largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {  // row i of the inverse: cofactors of column i
        Rational sum = 0;
        for (std::size_t j = 0; j < a.size(); ++j) {
            Table minor;
            for (std::size_t k = 0; k < a.size(); ++k) {
                if (k == j) continue;
                minor.push_back(a[k]);
                minor.back().erase(minor.back().begin() + static_cast<std::ptrdiff_t>(i));
            }
            sum += abs(determinant(minor));
        }
        largest = std::max(largest, sum);
    }
    return abs(all) / largest;
}

/// The distance of a 2×N matrix to those of rank 1: min_y ‖yᵀ a‖₁ / ‖y‖₁. (yᵀ a = yᵀ(a − b) where yᵀ b = 0;
/// and b = a − sign(y) yᵀa / ‖y‖₁ attains it.) On each side of the ℓ1 circle the norm is convex and linear
/// between the points where an entry vanishes, so that its least value is at one of them or at an end.
Rational oracle_two_rows(const Table& a) {
    std::optional<Rational> best;
    for (const long sign : {1L, -1L}) {
        const auto value = [&](const Rational& t) {
            Rational sum = 0;
            for (std::size_t j = 0; j < a[0].size(); ++j)
                sum += abs(Rational(t * a[0][j] + sign * (1 - t) * a[1][j]));
            return sum;
        };
        std::vector<Rational> points = {0, 1};
        for (std::size_t j = 0; j < a[0].size(); ++j) {
            const Rational slope = a[0][j] - sign * a[1][j];
            if (slope != 0) points.push_back(-sign * a[1][j] / slope);
        }
        for (const Rational& t : points) {
            if (t >= 0 && t <= 1 && (!best || value(t) < *best)) best = value(t);
        }
    }
    return *best;
}

/// The distance of an m×2 matrix to those of rank 1: min_x ‖a x‖_∞ / ‖x‖_∞. On each side of the square the
/// largest of the |a_i x| is convex and linear between the points where two of ±a_i x meet.
Rational oracle_two_columns(const Table& a) {
    std::optional<Rational> best;
    for (const bool swapped : {false, true}) {  // x = (1, t) or (t, 1)
        const auto one = [&](std::size_t i) { return a[i][swapped ? 1 : 0]; };
        const auto two = [&](std::size_t i) { return a[i][swapped ? 0 : 1]; };
        const auto value = [&](const Rational& t) {
            Rational largest = 0;
            for (std::size_t i = 0; i < a.size(); ++i)
                largest = std::max(largest, Rational(abs(Rational(one(i) + t * two(i)))));
            return largest;
        };
        std::vector<Rational> points = {-1, 1};
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t k = 0; k < a.size(); ++k) {
                for (const long sign : {1L, -1L}) {  // one(i) + t two(i) = sign (one(k) + t two(k))
                    const Rational slope = two(i) - sign * two(k);
                    if (slope != 0) points.push_back((sign * one(k) - one(i)) / slope);
                }
            }
        }
        for (const Rational& t : points) {
            if (t >= -1 && t <= 1 && (!best || value(t) < *best)) best = value(t);
        }
    }
    return *best;
}

void check_against_oracle(const Table& a, const BracketResult& result) {
    const Rational norm = oracle_norm(a);
    const std::size_t m = a.size(), n = a[0].size();
    std::optional<Rational> distance;  // to the matrices of rank below min(m, n)
    if (m == n)
        distance = oracle_singular_distance(a);
    else if (m == 2 && n > 2)
        distance = oracle_two_rows(a);
    else if (n == 2 && m > 2)
        distance = oracle_two_columns(a);
    const auto full = static_cast<Index>(std::min(m, n));
    for (const Bracket& bracket : result.brackets) {
        CAPTURE(to_string(bracket.epsilon));
        if (bracket.epsilon == 0) check_rank(bracket, static_cast<Index>(oracle_rank(a)));
        if (bracket.epsilon >= norm) check_rank(bracket, 0);
        if (bracket.epsilon < norm) CHECK(bracket.lower_rank() >= 1);
        if (distance && bracket.epsilon >= *distance) CHECK(bracket.lower_rank() <= full - 1);
        if (distance && bracket.epsilon < *distance) CHECK(bracket.upper_rank() == full);
        // Both sides of the distance are found, too, not only never contradicted.
        if (m == n && bracket.epsilon < *distance) CHECK(bracket.lower_rank() == full);
        if (m == n && bracket.epsilon >= *distance) CHECK(bracket.upper_rank() <= full - 1);
    }
}

void check_overlap(const BracketResult& x, const BracketResult& y) {
    for (std::size_t i = 0; i < x.brackets.size(); ++i) {
        CHECK(x.brackets[i].lower_rank() <= y.brackets[i].upper_rank());
        CHECK(y.brackets[i].lower_rank() <= x.brackets[i].upper_rank());
    }
}

}  // namespace

TEST_CASE("brackets of random small matrices never contradict an exact oracle") {
    Generator random(20240701);
    for (int round = 0; round < 3000; ++round) {
        CAPTURE(round);
        const Index rows = random.between(1, 6);
        const Index cols = random.between(0, 2) == 0 ? rows : random.between(1, 6);
        const Sample sample = random.sample(rows, cols);
        const Table table = sample.table();
        std::vector<Rational> epsilons = {0, Rational(random.between(1, 16), 64),
                                          Rational(random.between(17, 90), 64)};
        if (rows == cols) {
            // At the distance itself, and a hair beside it.
            const Rational distance = oracle_singular_distance(table);
            for (const Rational& epsilon : {distance, Rational(distance * (1 - power_of_two(-40))),
                                            Rational(distance * (1 + power_of_two(-40)))}) {
                if (std::find(epsilons.begin(), epsilons.end(), epsilon) == epsilons.end())
                    epsilons.push_back(epsilon);
            }
        }
        check_against_oracle(table, bracket_checked(sample.exact(), epsilons, quick(.001)));
    }
}

TEST_CASE("brackets of a matrix, of its rearrangements and of its multiples never contradict each other") {
    Generator random(7);
    for (int round = 0; round < 300; ++round) {
        CAPTURE(round);
        const Sample sample = random.sample(random.between(2, 6), random.between(2, 6));
        const ExactMatrix a = sample.exact();
        const std::vector<Rational> epsilons = {Rational(random.between(1, 12), 64),
                                                Rational(random.between(13, 60), 64)};
        const BracketResult plain = bracket_checked(a, epsilons, quick(.001));
        std::vector<Index> rows, cols;
        for (Index i = 0; i < a.rows(); ++i) rows.insert(rows.begin() + random.between(0, i), i);
        for (Index j = 0; j < a.cols(); ++j) cols.insert(cols.begin() + random.between(0, j), j);
        rows.push_back(rows.front());  // one row twice
        check_overlap(plain, bracket_checked(a.select_rows(rows).select_cols(cols), epsilons, quick(.001)));
        check_overlap(plain, bracket_checked(a.scale(-1), epsilons, quick(.001)));
        std::vector<Rational> thrice;
        for (const Rational& epsilon : epsilons) thrice.push_back(3 * epsilon);
        check_overlap(plain, bracket_checked(a.scale(3), thrice, quick(.001)));
    }
}
