#include <algorithm>
#include <cmath>

#include "session.hpp"

namespace rankcert::detail {

namespace {

/// A finer grid decides more where |v − ε| is not at least 2^this times ρ. (Ã is totally positive only up to
/// its rounding, and interpolation magnifies that.)
constexpr double kMagnified = 20;

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
    one_dimensional_->follow(epsilon, seconds);
    const auto rank = one_dimensional_->estimate_rank(epsilon);
    const double log_epsilon = search::estimate_log2(epsilon);
    const double log_keys = std::log2(static_cast<double>(head_->keys()));
    unsigned precision = first_precision_;
    const auto refine = [&] { precision = std::min(2 * precision, options_.max_precision); };
    // No grid of a larger spacing than ε says anything; for a family none is better than another.
    while (head_->is_single() && precision < options_.max_precision && log_keys - precision > log_epsilon)
        refine();
    for (;; refine()) {
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
        if (at.lower >= at.upper || !rank || !head_->is_single() || precision >= options_.max_precision)
            return;
        const double unseen = search::estimate_log2(rho) + kMagnified;
        const auto too_coarse = [&](Index n) {
            return log2_distance(one_dimensional_->estimate_log2_value(n).value(), log_epsilon) < unseen;
        };
        if (!(at.lower < *rank && too_coarse(*rank - 1)) && !(at.upper > *rank && too_coarse(*rank))) return;
    }
}

}  // namespace rankcert::detail
