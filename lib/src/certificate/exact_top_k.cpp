#include <algorithm>

#include "exact_measure.hpp"

namespace rankcert::detail {

namespace {

// The number of entries of row i that are not known to be zero.
Index support_size(const Subject& subject, Index i) {
    Index count = 0;
    for (Index j = 0; j < subject.cols(); ++j)
        count += (subject.head ? subject.head->visible(i, j) : subject.centre.mantissa(i, j) != 0) ? 1 : 0;
    return count;
}

// The least k with rest(k) · 2^exponent ≤ bound, where rest(k) is the sum of all entries but the k largest.
Index least_count(const std::vector<Integer>& ascending, long exponent, const Rational& bound) {
    if (bound < 0) return static_cast<Index>(ascending.size());
    // An integer is at most bound / 2^exponent where it is at most its floor.
    const Rational scaled = bound * to_rational(Integer(1), -exponent);
    const Integer most = numerator(scaled) / denominator(scaled);
    Integer sum = 0;
    Index dropped = 0;
    for (const Integer& entry : ascending) {
        sum += entry;
        if (sum > most) break;
        ++dropped;
    }
    return static_cast<Index>(ascending.size()) - dropped;
}

}  // namespace

// Section "Top-k budget": with ρ ≥ ‖A − Ã‖ the rest of a row beyond its k largest entries differs by at most
// ρ between A and Ã. Where that is too coarse the support decides: its size suffices always, and for a
// softmax row it is needed at ε = 0.
TopKBudget exact_top_k_budget(const Subject& subject, const Rational& upper_rho, const Rational& epsilon) {
    TopKBudget budget{0, 0, epsilon};
    for (Index i = 0; i < subject.rows(); ++i) {
        std::vector<Integer> entries;
        for (Index j = 0; j < subject.cols(); ++j) entries.push_back(abs(subject.centre.mantissa(i, j)));
        std::sort(entries.begin(), entries.end());
        const Index support = support_size(subject, i);
        const long exponent = subject.centre.exponent();
        Index upper = std::min(support, least_count(entries, exponent, epsilon - upper_rho));
        Index lower = std::min(support, least_count(entries, exponent, epsilon + upper_rho));
        if (epsilon == 0 && subject.head) lower = support;
        if (epsilon >= 1 && subject.head) upper = 0;
        if (epsilon < 1 && subject.head) lower = std::max<Index>(lower, 1);
        budget.lower = std::max(budget.lower, lower);
        budget.upper = std::max(budget.upper, upper);
    }
    return budget;
}

}  // namespace rankcert::detail
