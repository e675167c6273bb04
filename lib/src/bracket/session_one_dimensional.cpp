#include <algorithm>
#include <cmath>

#include "rankcert/search/work.hpp"
#include "session.hpp"

namespace rankcert::detail {

namespace {

/// A finer grid decides more where |v − ε| is not at least 2^this times ρ. (Ã is totally positive only up to
/// its rounding, and interpolation magnifies that.)
constexpr double kMagnified = 20;

/// What the matrix on a grid costs with its checks, in nominal seconds: a few exponentials an entry, and
/// numbers that grow.
double grid_cost(const Head& head, unsigned precision) {
    return 5e-8 * static_cast<double>(head.queries() * head.keys()) * precision;
}

/// log₂ |2^x − 2^y|.
double log2_distance(double x, double y) {
    const double top = std::max(x, y);
    return top + std::log2(std::abs(std::exp2(x - top) - std::exp2(y - top)));
}

}  // namespace

void Session::search_one_dimensional(const Rational& epsilon, double seconds) {
    if (!head_ || head_->query.cols() != 1 || head_->mask.kind != MaskKind::none || epsilon == 0) return;
    if (!one_dimensional_) {
        const Rational slope = head_->scale.factor * (head_->multiplier_low + head_->multiplier_high) / 2;
        one_dimensional_.emplace(head_->query, head_->key, slope, head_->scale.sqrt_of);
    }
    const double start = search::work_seconds();
    one_dimensional_->follow(epsilon, .75 * seconds);
    const auto rank = one_dimensional_->estimate_rank(epsilon);
    const double log_epsilon = search::estimate_log2(epsilon);
    const double log_keys = std::log2(static_cast<double>(head_->keys()));
    unsigned precision = first_precision_;
    // A finer grid: not for a family, which it does not serve better, nor where it takes more than the
    // budget.
    const double deadline = start + seconds;
    const auto affordable = [&](unsigned finer) {
        if (grids_.contains(finer)) return true;
        const double cost = grid_cost(*head_, finer);
        if (!head_->is_single() || search::work_seconds() + cost > deadline) return false;
        search::charge_work(cost);
        return true;
    };
    // No grid whose spacing is above ε says anything.
    const auto next = [&](unsigned p) { return std::min(2 * p, options_.max_precision); };
    while (log_keys - precision > log_epsilon && next(precision) > precision) precision = next(precision);
    if (!affordable(precision)) return;
    for (;;) {
        Grid& grid = this->grid(precision);
        const Rational rho = grid.rho();
        const ExactMatrix& centre = grid.subject().centre;
        Standing at = standing(epsilon);
        if (const auto witness = one_dimensional_->propose_lower(centre, epsilon + rho, at.lower)) {
            grid.offer(*witness, epsilon, at.lower);
        }
        if (const auto witness = one_dimensional_->propose_upper(centre, epsilon - rho, at.upper)) {
            grid.offer(*witness, epsilon, at.upper);
        }
        at = standing(epsilon);
        if (at.lower >= at.upper || !rank) return;
        const double unseen = search::estimate_log2(rho) + kMagnified;
        const auto too_coarse = [&](Index n) {
            return log2_distance(one_dimensional_->estimate_log2_value(n).value(), log_epsilon) < unseen;
        };
        const bool helps =
            (at.lower < *rank && too_coarse(*rank - 1)) || (at.upper > *rank && too_coarse(*rank));
        const unsigned finer = next(precision);
        if (!helps || finer == precision || !affordable(finer)) return;
        precision = finer;
    }
}

}  // namespace rankcert::detail
