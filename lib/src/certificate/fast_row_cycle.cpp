#include <algorithm>

#include "certificate/fast_measure.hpp"
#include "certificate/row_cycle.hpp"
#include "linalg/kernel.hpp"
#include "rankcert/linalg/norms.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::detail {
namespace {

LowerMeasure nothing(std::string reason) { return {LowerMeasure::Nothing{std::move(reason)}, nullptr}; }

/// So many vectors at a time are multiplied: what bounds the memory.
constexpr Index kBlock = 512;

}  // namespace

// Theorem "Signed row cycles". fl(a_i v) misses (Ã v)_i by at most c R_i + a + shift, where R_i bounds the ℓ1
// norm of row i of the float64 centre and so |a_i|ᵀ|v|, as |v| ≤ 1 (Lemmas 1 and 4), and
// ‖Ã − values‖ ‖v‖ ≤ shift. The side conditions are exact.
LowerMeasure measure_fast(const RowCycleWitness& witness, const FastCentre& centre) {
    const FloatingPointGuard guard;
    const Eigen::MatrixXd& a = centre.values;
    if (std::string fault = fault_of_form(witness, a.rows(), a.cols()); !fault.empty())
        return nothing("the row cycle " + fault);
    if (!witness.vectors.is_double())
        return nothing("a number of the witness is not a float64: the exact level can tell");
    const Eigen::MatrixXd vectors = witness.vectors.to_double();
    if (!(largest_entry(vectors) <= 1)) return nothing("a vector has an entry above 1 in absolute value");
    if (std::string fault = fault_of_cycle(witness); !fault.empty()) return nothing(std::move(fault));

    // The rows that occur, and sets in the order of their vectors.
    std::vector<Index> place(static_cast<std::size_t>(a.rows()), -1);
    std::vector<Index> rows;
    for (const SignedRowSet& set : witness.sets) {
        for (const Index row : set.rows) {
            if (place[static_cast<std::size_t>(row)] >= 0) continue;
            place[static_cast<std::size_t>(row)] = static_cast<Index>(rows.size());
            rows.push_back(row);
        }
    }
    std::vector<const SignedRowSet*> sets;
    for (const SignedRowSet& set : witness.sets) sets.push_back(&set);
    std::stable_sort(sets.begin(), sets.end(),
                     [](const auto* x, const auto* y) { return x->vector < y->vector; });

    Eigen::MatrixXd used(static_cast<Index>(rows.size()), a.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) used.row(static_cast<Index>(i)) = a.row(rows[i]);
    const auto [relative, absolute] = product_error(a.cols());
    const Eigen::VectorXd norms = upper_row_norms(used);
    double least = std::numeric_limits<double>::infinity();
    auto next = sets.begin();
    for (Index from = 0; from < vectors.rows(); from += kBlock) {
        const Index count = std::min(kBlock, vectors.rows() - from);
        const Eigen::MatrixXd products =
            multiply(used, vectors.middleRows(from, count), Op::plain, Op::transposed);
        if (!all_finite(products))
            return nothing("float64 overflows on this witness: the exact level can tell");
        for (; next != sets.end() && (*next)->vector < from + count; ++next) {
            for (std::size_t j = 0; j < (*next)->rows.size(); ++j) {
                const Index row = place[static_cast<std::size_t>((*next)->rows[j])];
                const double product = products(row, (*next)->vector - from);
                const double error =
                    upper_sum(upper_sum(upper_product(relative, norms[row]), absolute), centre.shift);
                const double value =
                    lower_difference(((*next)->negative >> j & 1) != 0 ? -product : product, error);
                if (!bits_are_finite(value))
                    return nothing("float64 overflows on this witness: the exact level can tell");
                if (value < least) least = value;
            }
        }
    }
    least = pinned(least);
    if (!bits_are_finite(least))
        return nothing("float64 overflows on this witness: the exact level can tell");
    return {LowerMeasure::Value{witness.rank, to_rational(least)}, nullptr};
}

}  // namespace rankcert::detail
