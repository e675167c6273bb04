#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "factors.hpp"
#include "rankcert/search/dense.hpp"

namespace rankcert::search {

namespace {

constexpr std::size_t kPlain = 0;
constexpr std::size_t kColumnWeights = 1;
constexpr std::size_t kFirstRandom = 2;

}  // namespace

UpperSearch::UpperSearch(Eigen::MatrixXd a, const Options& options) : a_(std::move(a)), options_(options) {}

/// Number 0 is of a itself, 1 of a with rare columns made larger, the others of a with random weights.
const UpperSearch::Decomposition& UpperSearch::decomposition(std::size_t index) {
    if (decompositions_.size() <= index) decompositions_.resize(index + 1);
    auto& slot = decompositions_[index];
    if (slot) return *slot;
    const Index m = a_.rows(), n = a_.cols();
    Vector row_scale = Vector::Ones(m), col_scale = Vector::Ones(n);
    if (index == kColumnWeights) {
        const double largest = a_.cwiseAbs().maxCoeff();
        col_scale = a_.cwiseAbs()
                        .colwise()
                        .maxCoeff()
                        .transpose()
                        .cwiseMax(1e-2 * largest)
                        .cwiseSqrt()
                        .cwiseInverse();
    } else if (index >= kFirstRandom) {
        // The generator's bits are the same everywhere; the standard's distributions are not.
        std::mt19937_64 generator(options_.seed * 1'000'003ULL + index);
        auto weight = [&] {
            const double uniform = (static_cast<double>(generator() >> 11) + 1) * 0x1p-53;
            return std::sqrt(.1 - std::log(uniform));
        };
        for (double& w : row_scale) w = weight();
        for (double& w : col_scale) w = weight();
    }
    slot.emplace();
    const auto parts = svd(row_scale.asDiagonal() * a_ * col_scale.asDiagonal());
    if (parts) {
        const Vector root = parts->values.cwiseSqrt();
        slot->left = row_scale.cwiseInverse().asDiagonal() * parts->u * root.asDiagonal();
        slot->right = root.asDiagonal() * parts->v.transpose() * col_scale.cwiseInverse().asDiagonal();
    } else {
        slot->left.resize(m, 0);
        slot->right.resize(0, n);
    }
    // The error of every truncation, once for all tolerances.
    Matrix residual = a_;
    slot->errors.push_back(residual.cwiseAbs().rowwise().sum().maxCoeff());
    for (Index r = 0; r < slot->left.cols(); ++r) {
        residual.noalias() -= slot->left.col(r) * slot->right.row(r);
        slot->errors.push_back(residual.cwiseAbs().rowwise().sum().maxCoeff());
    }
    return *slot;
}

Factors UpperSearch::truncated(std::size_t index, Index rank) {
    const Decomposition& parts = decomposition(index);
    const Index r = std::min(rank, parts.left.cols());
    return {parts.left.leftCols(r), parts.right.topRows(r), parts.errors[static_cast<std::size_t>(r)]};
}

Index UpperSearch::truncated_rank(std::size_t index, double tolerance) {
    const auto& errors = decomposition(index).errors;
    const auto found = std::find_if(errors.begin(), errors.end(), [&](double e) { return e <= tolerance; });
    return static_cast<Index>(found - errors.begin());
}

const Factors* UpperSearch::known(Index rank) const {
    const auto found = best_.find(rank);
    return found == best_.end() ? nullptr : &found->second;
}

void UpperSearch::keep(const Factors& factors) {
    const auto [slot, added] = best_.try_emplace(factors.left.cols(), factors);
    if (!added && factors.estimate_error < slot->second.estimate_error) slot->second = factors;
}

std::vector<UpperWitness> UpperSearch::propose_quick(double tolerance) {
    std::vector<std::pair<Index, UpperWitness>> found;
    if (a_.size() == 0 || !a_.allFinite() || !(tolerance >= 0)) return {};
    for (const std::size_t index : {kPlain, kColumnWeights}) {
        // The coarsest grids cost something: where they cost the rank, one more column is taken.
        const Index full = decomposition(index).left.cols();
        for (Index r = truncated_rank(index, search_goal(tolerance)); r <= full; ++r) {
            if (auto witness = round_factors(a_, truncated(index, r), tolerance)) {
                found.emplace_back(r, std::move(*witness));
                break;
            }
        }
    }
    if (!nearest_singular_) {
        nearest_singular_.emplace(nearest_singular_factors(a_));
        if (*nearest_singular_) keep(**nearest_singular_);
    }
    for (const auto& [rank, factors] : best_) {
        if (factors.estimate_error > tolerance) continue;
        if (auto witness = round_factors(a_, factors, tolerance)) {
            found.emplace_back(rank, std::move(*witness));
            break;
        }
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

/// Tries to reach the tolerance with the given rank, from more and more starts as effort grows. What it finds
/// is kept, reached or not.
bool UpperSearch::attempt(Index rank, double tolerance, int effort, double deadline,
                          const std::function<bool()>& stop) {
    const double goal = search_goal(tolerance);
    auto over = [&] { return now_seconds() > deadline || (stop && stop()); };
    auto reached = [&](const Factors& start) {
        if (start.left.cols() != rank) return false;
        const Factors better = improve_factors(a_, start, tolerance, deadline - now_seconds());
        keep(better);
        return better.estimate_error <= goal;
    };
    /// The first `rank` columns of a product of a higher rank.
    auto cut = [&](const Factors& larger) {
        auto ordered = balance(larger);
        if (!ordered || ordered->left.cols() < rank) return Factors{};
        Factors start{ordered->left.leftCols(rank), ordered->right.topRows(rank), 0};
        start.estimate_error = estimate_factor_error(a_, start.left, start.right);
        return start;
    };
    if (const Factors* before = known(rank)) {
        if (before->estimate_error <= goal) return true;
        if (before->estimate_error < 1.3 * tolerance && reached(Factors(*before))) return true;
    }
    if (over()) return false;
    if (reached(truncated(kPlain, rank))) return true;
    if (effort == 0 || over()) return false;
    if (const Factors* next = known(rank + 1)) {
        // To the bottom of the higher rank first (an unreachable tolerance makes it go on), then cut.
        const Factors deep = improve_factors(a_, *next, .95 * next->estimate_error, deadline - now_seconds());
        keep(deep);
        if (!over() && reached(cut(deep))) return true;
    }
    if (over()) return false;
    if (reached(truncated(kColumnWeights, rank))) return true;
    for (int draw = 0; draw < 2 * (effort - 1); ++draw) {
        if (over()) return false;
        if (reached(truncated(kFirstRandom + static_cast<std::size_t>(draw), rank))) return true;
    }
    return false;
}

std::optional<FactorWitness> UpperSearch::propose_optimised(double tolerance, Index lower, Index upper,
                                                            double seconds,
                                                            const std::function<bool()>& stop) {
    if (a_.size() == 0 || !a_.allFinite() || !(tolerance > 0)) return std::nullopt;
    const double deadline = now_seconds() + seconds;
    auto over = [&] { return now_seconds() > deadline || (stop && stop()); };
    Index high = upper;                         // reached
    Index low = std::max<Index>(lower, 1) - 1;  // out of reach, or believed to be
    while (high - low > 1 && !over()) {
        const Index rank = low + (high - low) / 2;
        (attempt(rank, tolerance, 0, deadline, stop) ? high : low) = rank;
    }
    while (high > std::max<Index>(lower, 1) && !over()) {
        if (!attempt(high - 1, tolerance, 3, deadline, stop)) break;
        --high;
    }
    for (Index rank = high; rank < upper; ++rank) {
        const Factors* factors = known(rank);
        if (factors == nullptr || factors->estimate_error > tolerance) continue;
        if (auto witness = round_factors(a_, *factors, tolerance)) return witness;
    }
    return std::nullopt;
}

std::optional<FactorWitness> propose_svd_factors(const Eigen::MatrixXd& a, double tolerance,
                                                 const Options& options) {
    for (UpperWitness& witness : UpperSearch(a, options).propose_quick(tolerance)) {
        if (auto* factors = std::get_if<FactorWitness>(&witness)) return std::move(*factors);
    }
    return std::nullopt;
}

}  // namespace rankcert::search
