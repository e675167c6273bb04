#include <algorithm>
#include <bit>
#include <cstdint>

#include "rankcert/search/upper.hpp"

namespace rankcert::search {

namespace {

constexpr Index kMaxRowsForBranching = 64;
constexpr long kNodeLimit = 200'000;

using Cover = std::vector<Index>;

/// d(i, j) = ‖a_i − a_j‖₁.
Eigen::MatrixXd row_distances(const Eigen::MatrixXd& a) {
    const Index m = a.rows();
    const Eigen::MatrixXd columns = a.transpose();  // rows of a lie together in memory
    Eigen::MatrixXd distance = Eigen::MatrixXd::Zero(m, m);
    for (Index j = 0; j < m; ++j) {
        for (Index i = j + 1; i < m; ++i) {
            distance(i, j) = distance(j, i) = (columns.col(i) - columns.col(j)).lpNorm<1>();
        }
    }
    return distance;
}

/// Takes, again and again, the row that covers the most rows that are not covered yet; then drops those whose
/// rows others cover too.
Cover greedy_cover(const Eigen::MatrixXd& distance, double tolerance) {
    const Index m = distance.rows();
    const auto covers = [&](Index j, Index i) { return distance(i, j) <= tolerance; };
    std::vector<std::vector<Index>> near(static_cast<std::size_t>(m));  // whom a row covers: itself, too
    std::vector<Index> gain(static_cast<std::size_t>(m), 0);            // those not covered yet
    for (Index j = 0; j < m; ++j) {
        auto& list = near[static_cast<std::size_t>(j)];
        for (Index i = 0; i < m; ++i) {
            if (covers(j, i)) list.push_back(i);
        }
        gain[static_cast<std::size_t>(j)] = static_cast<Index>(list.size());
    }
    std::vector<Index> covered(static_cast<std::size_t>(m), 0);  // by how many chosen rows
    Cover chosen;
    for (;;) {
        const auto best = std::max_element(gain.begin(), gain.end());
        if (*best == 0) break;
        chosen.push_back(static_cast<Index>(best - gain.begin()));
        for (const Index i : near[static_cast<std::size_t>(chosen.back())]) {
            if (covered[static_cast<std::size_t>(i)]++ > 0) continue;
            for (const Index j : near[static_cast<std::size_t>(i)]) --gain[static_cast<std::size_t>(j)];
        }
    }
    for (std::size_t c = 0; c < chosen.size();) {
        bool needed = false;
        for (Index i = 0; i < m; ++i) {
            needed |= covers(chosen[c], i) && covered[static_cast<std::size_t>(i)] == 1;
        }
        if (needed) {
            ++c;
            continue;
        }
        for (Index i = 0; i < m; ++i) covered[static_cast<std::size_t>(i)] -= covers(chosen[c], i) ? 1 : 0;
        chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(c));
    }
    return chosen;
}

/// Least covers by branching on the row that the fewest rows can cover. Rows are bits of a word.
class CoverBranching {
  public:
    CoverBranching(const Eigen::MatrixXd& distance, double tolerance, Cover start)
        : ball_(static_cast<std::size_t>(distance.rows())), best_(std::move(start)) {
        const Index m = distance.rows();
        for (Index j = 0; j < m; ++j) {
            for (Index i = 0; i < m; ++i) {
                if (distance(i, j) <= tolerance) ball_[static_cast<std::size_t>(j)] |= std::uint64_t{1} << i;
            }
        }
        all_ = m == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << m) - 1;
    }

    Cover solve() {
        branch(all_);
        return best_;
    }

  private:
    /// Rows of which no two have a common cover each need a row of their own: a lower bound.
    std::size_t independent_rows(std::uint64_t open) const {
        std::size_t count = 0;
        while (open != 0) {
            ++count;
            std::uint64_t reach = 0;  // the relation is symmetric: who covers i is whom i covers
            const auto i = static_cast<std::size_t>(std::countr_zero(open));
            for (std::uint64_t near = ball_[i]; near != 0; near &= near - 1) {
                reach |= ball_[static_cast<std::size_t>(std::countr_zero(near))];
            }
            open &= ~reach;
        }
        return count;
    }

    void branch(std::uint64_t open) {
        if (++nodes_ > kNodeLimit) return;
        if (open == 0) {
            if (chosen_.size() < best_.size()) best_ = chosen_;
            return;
        }
        if (chosen_.size() + independent_rows(open) >= best_.size()) return;
        std::size_t pivot = 0;
        int fewest = 65;
        for (std::uint64_t rest = open; rest != 0; rest &= rest - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(rest));
            if (const int ways = std::popcount(ball_[i]); ways < fewest) {
                fewest = ways;
                pivot = i;
            }
        }
        std::vector<std::size_t> candidates;
        for (std::uint64_t near = ball_[pivot]; near != 0; near &= near - 1) {
            candidates.push_back(static_cast<std::size_t>(std::countr_zero(near)));
        }
        std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t x, std::size_t y) {
            return std::popcount(ball_[x] & open) > std::popcount(ball_[y] & open);
        });
        for (const std::size_t j : candidates) {
            chosen_.push_back(static_cast<Index>(j));
            branch(open & ~ball_[j]);
            chosen_.pop_back();
        }
    }

    std::vector<std::uint64_t> ball_;  ///< bit i of ball_[j]: row j covers row i
    std::uint64_t all_ = 0;
    Cover chosen_;
    Cover best_;
    long nodes_ = 0;
};

}  // namespace

std::optional<RepresentativeRowsWitness> propose_representative_rows(const Eigen::MatrixXd& a,
                                                                     double tolerance, const Options&) {
    const Index m = a.rows();
    if (m == 0 || !(tolerance >= 0) || !a.allFinite()) return std::nullopt;
    const Eigen::MatrixXd distance = row_distances(a);
    Cover cover = greedy_cover(distance, tolerance);
    if (m <= kMaxRowsForBranching) cover = CoverBranching(distance, tolerance, cover).solve();
    std::sort(cover.begin(), cover.end());

    RepresentativeRowsWitness witness;
    for (Index i = 0; i < m; ++i) {
        Index nearest = cover.front();
        for (const Index j : cover) {
            if (distance(i, j) < distance(i, nearest)) nearest = j;
        }
        witness.representative.push_back(nearest);
    }
    return witness;
}

}  // namespace rankcert::search
