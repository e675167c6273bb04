// The rank itself, where elementary geometry gives it. For k×k submatrices, and for matrices with as many
// rows as columns, the distance to the singular matrices is 1/‖A⁻¹‖ (lib/docs/certificates.md, "Nearest
// singular matrix"). With two rows, A − E loses rank where λᵀ(A − E) = 0 for some λ ≠ 0: ‖λᵀA‖₁ = ‖λᵀE‖₁ is
// at most ‖λ‖₁ ‖E‖, and E_i = sign(λ_i) λᵀA/‖λ‖₁ attains that, so the distance is min ‖λᵀA‖₁/‖λ‖₁. With two
// columns (A − E)x = 0 gives min ‖Ax‖_∞/‖x‖_∞ in the same way. Distances move by at most ‖A − A′‖.

#include "certificate/head_oracle.hpp"

namespace rankcert::test {
namespace {

Rational magnitude(const Rational& x) { return x < 0 ? Rational(-x) : x; }

/// All sets of k indices below n.
std::vector<std::vector<std::size_t>> subsets(std::size_t n, std::size_t k) {
    std::vector<std::vector<std::size_t>> result;
    for (unsigned bits = 0; bits < (1U << n); ++bits) {
        std::vector<std::size_t> chosen;
        for (std::size_t i = 0; i < n; ++i)
            if ((bits >> i & 1U) != 0) chosen.push_back(i);
        if (chosen.size() == k) result.push_back(chosen);
    }
    return result;
}

Rational distance_to_singular(const Shaped& a) {
    const auto inverted = inverse(a);
    return inverted ? Rational(1 / largest_row(*inverted)) : Rational(0);
}

/// min over λ of ‖λᵀA‖₁/‖λ‖₁ for two rows of non-negative entries: λ = (t, t − 1) is convex in t and linear
/// between the t where an entry of λᵀA vanishes; λ of one sign gives no less than the ends.
Rational distance_of_two_rows(const Table& a) {
    Rational least = 2;
    std::vector<Rational> candidates{0, 1};
    for (std::size_t j = 0; j < a[0].size(); ++j)
        if (a[0][j] + a[1][j] > 0) candidates.push_back(a[1][j] / (a[0][j] + a[1][j]));
    for (const Rational& t : candidates) {
        Rational sum = 0;
        for (std::size_t j = 0; j < a[0].size(); ++j) sum += magnitude(t * a[0][j] - (1 - t) * a[1][j]);
        least = std::min(least, sum);
    }
    return least;
}

/// min over x of ‖Ax‖_∞/‖x‖_∞ for two columns: x = (1, t) or (t, 1), |t| ≤ 1; the largest of the |a + b t|
/// has its least value at an end, where one vanishes, or where two are equal.
Rational distance_of_two_columns(const Table& a) {
    Rational least = 2;
    for (const std::size_t one : {0U, 1U}) {
        std::vector<Rational> candidates{-1, 1};
        const auto add_root = [&candidates](const Rational& constant, const Rational& slope) {
            if (slope != 0 && magnitude(constant) <= magnitude(slope))
                candidates.push_back(-constant / slope);
        };
        for (const Row& x : a) {
            add_root(x[one], x[1 - one]);
            for (const Row& y : a) {
                add_root(x[one] - y[one], x[1 - one] - y[1 - one]);
                add_root(x[one] + y[one], x[1 - one] + y[1 - one]);
            }
        }
        for (const Rational& t : candidates) {
            Rational largest = 0;
            for (const Row& x : a) largest = std::max(largest, magnitude(x[one] + t * x[1 - one]));
            least = std::min(least, largest);
        }
    }
    return least;
}

}  // namespace

RankOracle::RankOracle(const BoundTable& a, std::size_t distinct_rows)
    : middle_error_(0), distinct_rows_(distinct_rows) {
    constexpr long kGrid = 96;
    for (const auto& row : a) {
        Row middle;
        Rational error = 0;
        for (const Bounds& x : row) {
            // An exact entry stays itself.
            Rational y = x.low;
            if (x.low != x.high) {
                const Rational scaled = (x.low + x.high) / 2 * two_to(kGrid);
                y = Rational(Integer(numerator(scaled) / denominator(scaled))) * two_to(-kGrid);
            }
            error += std::max(Rational(x.high - y), Rational(y - x.low));
            middle.push_back(y);
        }
        middle_error_ = std::max(middle_error_, error);
        middle_.push_back(middle);
    }
}

const Bounds& RankOracle::largest_distance(std::size_t k) {
    const auto found = distances_.find(k);
    if (found != distances_.end()) return found->second;
    Rational largest = 0;
    for (const auto& rows : subsets(middle_.size(), k))
        for (const auto& cols : subsets(middle_[0].size(), k)) {
            Shaped part = zeros(k, k);
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t j = 0; j < k; ++j) part.at[i][j] = middle_[rows[i]][cols[j]];
            largest = std::max(largest, distance_to_singular(part));
        }
    return distances_[k] = {largest - middle_error_, largest + middle_error_};
}

std::optional<Bounds> RankOracle::full_rank_distance() const {
    const std::size_t m = middle_.size(), n = middle_[0].size();
    std::optional<Rational> distance;
    if (m == n)
        distance = distance_to_singular({m, n, middle_});
    else if (m == 2 && n > 2)
        distance = distance_of_two_rows(middle_);
    else if (n == 2 && m > 2)
        distance = distance_of_two_columns(middle_);
    if (!distance) return std::nullopt;
    return Bounds{*distance - middle_error_, *distance + middle_error_};
}

bool RankOracle::denies_at_least(Index k, const Rational& epsilon) {
    if (k <= 0) return false;
    if (epsilon >= 1) return true;  // ‖A‖ = 1
    const std::size_t least = std::min(middle_.size(), middle_[0].size());
    const auto wanted = static_cast<std::size_t>(k);
    if (wanted > least || wanted > distinct_rows_) return true;
    if (wanted < least || wanted == 1) return false;
    if (!full_) full_ = full_rank_distance();
    return *full_ && epsilon >= (*full_)->high;
}

bool RankOracle::denies_at_most(Index k, const Rational& epsilon) {
    if (k < 0) return true;
    if (epsilon >= 1) return false;
    if (k == 0) return true;
    const std::size_t least = std::min(middle_.size(), middle_[0].size());
    const auto next = static_cast<std::size_t>(k) + 1;
    if (next > least) return false;
    if (next == least) {
        if (!full_) full_ = full_rank_distance();
        if (*full_) return epsilon < (*full_)->low;
    }
    return epsilon < largest_distance(next).low;
}

}  // namespace rankcert::test
