// The rules of lib/docs/certificates.md, section "Rules". They speak of A itself, so no ρ enters. A
// well-formed softmax head has positive entries at the visible keys, zeros elsewhere, and rows that sum to
// one, exactly, whatever its member of the family: logits are finite real numbers and each row sees a key
// (validate).

#include <algorithm>
#include <set>
#include <string>

#include "exact_measure.hpp"

namespace rankcert::detail {

namespace {

bool is_nonzero(const Subject& subject, Index i, Index j) {
    return subject.head ? subject.head->visible(i, j) : subject.centre.mantissa(i, j) != 0;
}

// The larger of the numbers of different last and of different first non-zero columns: one row for each
// value, in their order, and these columns make a triangular matrix without a zero on its diagonal.
Index echelon_rank(const Subject& subject) {
    std::set<Index> first, last;
    for (Index i = 0; i < subject.rows(); ++i) {
        Index a = 0, b = subject.cols();
        while (a < b && !is_nonzero(subject, i, a)) ++a;
        while (b > a && !is_nonzero(subject, i, b - 1)) --b;
        if (a == b) continue;  // a zero row
        first.insert(a);
        last.insert(b - 1);
    }
    return static_cast<Index>(std::max(first.size(), last.size()));
}

Index count_equal_rows_once(const ExactMatrix& a) {
    std::set<std::vector<Integer>> rows;
    for (Index i = 0; i < a.rows(); ++i) {
        std::vector<Integer> row;
        for (Index j = 0; j < a.cols(); ++j) row.push_back(a.mantissa(i, j));
        rows.insert(std::move(row));
    }
    return static_cast<Index>(rows.size());
}

Rational norm_of(const Subject& subject) { return subject.head ? Rational(1) : subject.centre.norm(); }

UpperMeasure upper_rank_of(const ExactMatrix& a) {
    const RankBounds rank = enclose_rank(a);
    if (rank.lower == rank.upper) return {UpperMeasure::Always{rank.upper}, nullptr};
    return {UpperMeasure::Nothing{"the exact rank of this matrix, " + std::to_string(rank.lower) +
                                      " at least, is more work than a check may do: prove it by exact factors",
                                  true},
            nullptr};
}

constexpr const char* kNeedsMatrix = "the rank rule needs a matrix that is given exactly, not a softmax head";

}  // namespace

LowerMeasure measure_rule(LowerRule rule, const Subject& subject) {
    switch (rule) {
        case LowerRule::nonzero:
            return {LowerMeasure::Norm{norm_of(subject)}, nullptr};
        case LowerRule::support:
            return {LowerMeasure::AtZero{echelon_rank(subject)}, nullptr};
        case LowerRule::exact_rank:
            if (subject.head) return {LowerMeasure::Nothing{kNeedsMatrix}, nullptr};
            return {LowerMeasure::AtZero{enclose_rank(subject.centre).lower}, nullptr};
    }
    return {LowerMeasure::Nothing{"there is no such rule"}, nullptr};
}

UpperMeasure measure_rule(UpperRule rule, const Subject& subject) {
    switch (rule) {
        case UpperRule::zero:
            return {UpperMeasure::Norm{norm_of(subject)}, nullptr};
        case UpperRule::shape:
            return {UpperMeasure::Always{std::min(subject.rows(), subject.cols())}, nullptr};
        case UpperRule::distinct_rows:
            return {UpperMeasure::Always{subject.head ? count_distinct_rows(*subject.head)
                                                      : count_equal_rows_once(subject.centre)},
                    nullptr};
        case UpperRule::exact_rank:
            if (subject.head) return {UpperMeasure::Nothing{kNeedsMatrix}, nullptr};
            return upper_rank_of(subject.centre);
    }
    return {UpperMeasure::Nothing{"there is no such rule"}, nullptr};
}

}  // namespace rankcert::detail
