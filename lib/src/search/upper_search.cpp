#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "factor_moves.hpp"
#include "factors.hpp"
#include "rankcert/search/dense.hpp"
#include "rankcert/search/work.hpp"
#include "row_regression.hpp"

namespace rankcert::search {

namespace {

constexpr int kQuickStarts = 2;          ///< while the range of ranks is narrowed
constexpr int kLargeStarts = 1;          ///< the same for large matrices
constexpr double kDecidedByRows = 1.01;  ///< times the tolerance: what linear programs can still gain
constexpr Index kCompare = 384;          ///< where the better of two decompositions is the start

}  // namespace

UpperSearch::UpperSearch(Eigen::MatrixXd a, const Options& options) : a_(std::move(a)), options_(options) {}

UpperSearch::Decomposition UpperSearch::decompose(const Vector& column_weights) const {
    Decomposition out{Matrix(a_.rows(), 0), Matrix(0, a_.cols()), {}};
    const auto parts = svd(a_ * column_weights.asDiagonal());
    if (parts) {
        const Vector root = parts->values.cwiseSqrt();
        out.left = parts->u * root.asDiagonal();
        out.right = root.asDiagonal() * parts->v.transpose() * column_weights.cwiseInverse().asDiagonal();
    }
    return out;
}

UpperSearch::Decomposition& UpperSearch::plain() {
    if (!plain_) plain_ = decompose(Vector::Ones(a_.cols()));
    return *plain_;
}

UpperSearch::Decomposition& UpperSearch::column_weighted() {
    if (!column_weighted_) column_weighted_ = decompose(rare_column_weights(a_));
    return *column_weighted_;
}

/// Where optimisation begins. In small matrices factors end a little better from the one with rare columns
/// made larger; in larger ones, which see fewer steps, that truncation counts which is the better one at the
/// tolerance (causal heads of n = 2,048: rank 1,211 against more than 1,400). Of two decompositions of a
/// large matrix only that is kept.
UpperSearch::Decomposition& UpperSearch::first_choice(double tolerance) {
    const Index size = std::max(a_.rows(), a_.cols());
    if (size <= kCompare) return column_weighted();
    if (!plain_is_better_) {
        const Index unweighted = truncated_rank(plain(), search_goal(tolerance));
        const Index weighted = truncated_rank(column_weighted(), search_goal(tolerance));
        plain_is_better_ = unweighted <= weighted;
        if (size > kLarge) (*plain_is_better_ ? column_weighted_ : plain_).reset();
    }
    return *plain_is_better_ ? plain() : column_weighted();
}

double UpperSearch::truncated_error(Decomposition& parts, Index rank) const {
    const auto found = parts.errors.find(rank);
    if (found != parts.errors.end()) return found->second;
    const double error = estimate_factor_error(a_, parts.left.leftCols(rank), parts.right.topRows(rank));
    return parts.errors[rank] = error;
}

Factors UpperSearch::truncated(Decomposition& parts, Index rank) const {
    return {parts.left.leftCols(rank), parts.right.topRows(rank), truncated_error(parts, rank)};
}

/// The least rank whose truncation keeps within the tolerance, but for dents in the curve of errors; one
/// beyond the full rank where none does.
Index UpperSearch::truncated_rank(Decomposition& parts, double tolerance) const {
    Index low = -1, high = parts.left.cols() + 1;
    while (high - low > 1) {
        const Index rank = low + (high - low) / 2;
        (truncated_error(parts, rank) <= tolerance ? high : low) = rank;
    }
    return high;
}

namespace {

/// The first `rank` directions of a product of a higher rank.
std::optional<Factors> cut(const Matrix& a, const Factors& larger, Eigen::Index rank) {
    const auto ordered = balance(larger);
    if (!ordered || ordered->left.cols() < rank) return std::nullopt;
    Factors out{ordered->left.leftCols(rank), ordered->right.topRows(rank), 0};
    out.estimate_error = estimate_factor_error(a, out.left, out.right);
    return out;
}

}  // namespace

void UpperSearch::keep(Factors factors) {
    auto& best = attempts_[factors.left.cols()].best;
    if (!best || factors.estimate_error < best->estimate_error) best = std::move(factors);
}

/// The least rank below `upper` with factors that keep within the tolerance; `upper` where there are none.
Index UpperSearch::reached_rank(double tolerance, Index upper) const {
    for (const auto& [rank, known] : attempts_) {
        if (rank >= upper) break;
        if (known.best && known.best->estimate_error <= search_goal(tolerance)) return rank;
    }
    return upper;
}

/// Factors of large matrices take a hundred megabytes: those of this rank and of the next lower one are
/// what the searches to come start from.
void UpperSearch::forget_but(Index rank) {
    if (std::max(a_.rows(), a_.cols()) <= kLarge) return;
    for (auto& [other, known] : attempts_) {
        if (other != rank && other + 1 != rank) known.best.reset();
    }
}

std::optional<FactorWitness> UpperSearch::best_known(double tolerance, Index below) const {
    for (const auto& [rank, known] : attempts_) {
        if (rank >= below) break;
        if (!known.best || known.best->estimate_error > tolerance) continue;
        if (auto witness = round_factors(a_, *known.best, tolerance)) return witness;
    }
    return std::nullopt;
}

std::vector<UpperWitness> UpperSearch::propose_quick(double tolerance) {
    std::vector<std::pair<Index, UpperWitness>> found;
    if (a_.size() == 0 || !a_.allFinite() || !(tolerance >= 0)) return {};
    const Index full = std::min(a_.rows(), a_.cols());
    std::vector<Decomposition*> truncations;
    if (std::max(a_.rows(), a_.cols()) <= kLarge) {
        truncations = {&plain(), &column_weighted()};
    } else {
        truncations = {&first_choice(tolerance)};
    }
    for (Decomposition* parts : truncations) {
        // The coarsest grids cost something: where they cost the rank, one more column is taken.
        for (Index r = truncated_rank(*parts, search_goal(tolerance)); r <= parts->left.cols(); ++r) {
            if (auto witness = round_factors(a_, truncated(*parts, r), tolerance)) {
                found.emplace_back(r, std::move(*witness));
                break;
            }
        }
    }
    const bool open = std::none_of(found.begin(), found.end(), [&](const auto& x) { return x.first < full; });
    if (open && !nearest_singular_) {
        nearest_singular_.emplace(nearest_singular_factors(a_));
        if (*nearest_singular_) keep(**nearest_singular_);
    }
    if (auto witness = best_known(tolerance, full + 1)) {
        const Index rank = witness->left.cols();
        found.emplace_back(rank, std::move(*witness));
    }
    if (auto witness = propose_representative_rows(a_, tolerance, options_)) {
        auto chosen = witness->representative;
        std::sort(chosen.begin(), chosen.end());
        const auto rank = std::unique(chosen.begin(), chosen.end()) - chosen.begin();
        found.emplace_back(rank, std::move(*witness));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<UpperWitness> out;
    for (auto& [rank, witness] : found) out.push_back(std::move(witness));
    return out;
}

/// The starts of one rank, one after the other: three decompositions, what the next higher rank leaves, then
/// moves away from the best that is known, without end.
std::optional<Factors> UpperSearch::next_start(Index rank, double tolerance) {
    Attempts& known = attempts_[rank];
    const int start = known.starts++;
    switch (start) {
        case 0:
            return truncated(first_choice(tolerance), rank);
        case 1:
            if (std::max(a_.rows(), a_.cols()) > kLarge) return std::nullopt;
            return truncated(plain_is_better_.value_or(false) ? column_weighted() : plain(), rank);
        case 2: {
            const Vector norms = a_.rowwise().norm();
            const double floor = std::max(1e-3 * norms.maxCoeff(), std::numeric_limits<double>::min());
            return weighted_start(a_, rank, norms.cwiseMax(floor).cwiseInverse(), Vector::Ones(a_.cols()));
        }
        case 3: {
            const auto next = attempts_.find(rank + 1);
            if (next == attempts_.end() || !next->second.best) return std::nullopt;
            return cut(a_, *next->second.best, rank);
        }
        default:
            break;
    }
    if (!known.best) return std::nullopt;
    Random random((options_.seed * 1'000'003ULL + static_cast<std::uint64_t>(rank)) * 1'000'003ULL +
                  static_cast<std::uint64_t>(start));
    switch (start % 4) {
        case 0:
            return reweighted_start(a_, *known.best, random);
        case 2:
            return forget_rows(a_, *known.best, random);
        default:
            return insert_bad_row(a_, *known.best, random);
    }
}

/// Tries to reach the tolerance with the given rank, from so many new starts. What it finds is kept, reached
/// or not, also of higher ranks below `below`.
bool UpperSearch::attempt(Index rank, Index below, double tolerance, int starts,
                          const std::function<bool()>& over) {
    const double goal = search_goal(tolerance);
    Attempts& known = attempts_[rank];
    const auto reached = [&] { return known.best && known.best->estimate_error <= goal; };
    if (known.best && !reached() && known.aimed > tolerance && known.best->estimate_error < 1.3 * tolerance) {
        Factors factors = std::move(*known.best);
        known.best.reset();
        keep(improve_factors(a_, std::move(factors), tolerance));
    }
    known.aimed = tolerance;
    for (int i = 0; i < starts && !reached() && !over(); ++i) {
        const bool moved = known.starts >= 4 && known.starts % 4 != 0;
        auto start = next_start(rank, tolerance);
        charge_work(1e-5);  // so that a rank without starts comes to an end
        if (!start) continue;
        Refinement how;
        how.warm = moved;
        how.seen = [&](const Factors& seen) {
            if (auto more = with_exact_rows(a_, seen, goal, below)) keep(std::move(*more));
        };
        if (known.starts > 2 && known.best) how.rival = known.best->estimate_error;
        Factors found = improve_factors(a_, std::move(*start), tolerance, how);
        if (found.estimate_error > goal && found.estimate_error < kDecidedByRows * goal) {
            auto decided = regress_rows(a_, found, goal);
            if (decided && decided->estimate_error <= goal) found = std::move(*decided);
        }
        keep(std::move(found));
    }
    return reached();
}

std::optional<FactorWitness> UpperSearch::propose_optimised(double tolerance, Index lower, Index upper,
                                                            double seconds,
                                                            const std::function<bool()>& stop) {
    if (a_.size() == 0 || !a_.allFinite() || !(tolerance > 0)) return std::nullopt;
    if (std::max(a_.rows(), a_.cols()) > kLargestOptimised) return std::nullopt;
    const double deadline = work_seconds() + seconds;
    // Nothing in progress is cut short, unless it takes more than a third of all that one tolerance
    // may take.
    const bool large = std::max(a_.rows(), a_.cols()) > kLarge;
    const double limit = work_seconds() + std::max(seconds, options_.seconds / 3);
    const auto told = [&] { return work_seconds() > limit || (stop && stop()); };
    const auto over = [&] { return work_seconds() > deadline || told(); };
    Index high = reached_rank(tolerance, upper);
    Index low = std::max<Index>(lower, 1) - 1;  // out of reach, or believed to be
    // Where to look first: in small matrices optimised factors have a little less than half the error of
    // truncated ones. Success takes less time than failure, so that steps down are short. After a failure,
    // rank and error say where the other ranks come out, if optimised and truncated errors keep their ratio.
    Decomposition& parts = first_choice(tolerance);
    const int starts = large ? kLargeStarts : kQuickStarts;
    Index rank = truncated_rank(parts, (large ? 2.6 : 2.2) * tolerance);
    while (high - low > 1 && !told()) {
        rank = std::clamp(rank, low + 1, high - 1);
        const int left = starts - attempts_[rank].starts;
        if (attempt(rank, high, tolerance, left, told)) {
            high = reached_rank(tolerance, high);
            low = std::min(low, high - 1);
            rank = high - std::max<Index>(1, (high - low) / (large ? 12 : 3));
            continue;
        }
        low = rank;
        high = reached_rank(tolerance, high);
        low = std::min(low, high - 1);
        const auto& best = attempts_[rank].best;
        const double truncation = truncated_error(parts, rank);
        const double ratio = best && truncation > 0 ? best->estimate_error / truncation : 1;
        forget_but(high);
        const Index guess = truncated_rank(parts, .97 * tolerance / std::clamp(ratio, .1, 1.));
        rank = std::clamp(guess, low + (high - low) / 4, low + (high - low) * 2 / 3);
    }
    while (high > std::max<Index>(lower, 1) && !over()) {
        const int left = most_starts(std::max(a_.rows(), a_.cols())) - attempts_[high - 1].starts;
        if (!attempt(high - 1, high, tolerance, left, over)) break;
        high = reached_rank(tolerance, high);
    }
    auto witness = best_known(tolerance, upper);
    forget_but(high);
    return witness;
}

std::optional<FactorWitness> propose_svd_factors(const Eigen::MatrixXd& a, double tolerance,
                                                 const Options& options) {
    for (UpperWitness& witness : UpperSearch(a, options).propose_quick(tolerance)) {
        if (auto* factors = std::get_if<FactorWitness>(&witness)) return std::move(*factors);
    }
    return std::nullopt;
}

}  // namespace rankcert::search
