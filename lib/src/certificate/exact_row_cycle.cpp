#include <algorithm>
#include <optional>

#include "exact_measure.hpp"
#include "row_cycle.hpp"

namespace rankcert::detail {

namespace {

LowerMeasure nothing(std::string reason) { return {LowerMeasure::Nothing{std::move(reason)}, nullptr}; }

/// Whether every |entry| ≤ 1.
bool is_in_cube(const ExactMatrix& vectors) {
    // |mantissa| 2^e ≤ 1. For e > 0 only zeros will do; for −e ≥ bits every entry does.
    const long exponent = vectors.exponent();
    if (static_cast<long>(vectors.bits()) + exponent <= 0) return true;
    if (exponent > 0) return vectors.bits() == 0;
    const Integer one = Integer(1) << static_cast<unsigned>(-exponent);
    for (Index i = 0; i < vectors.rows(); ++i) {
        for (Index j = 0; j < vectors.cols(); ++j) {
            if (abs(vectors.mantissa(i, j)) > one) return false;
        }
    }
    return true;
}

}  // namespace

// Theorem "Signed row cycles": |v| ≤ 1, each face in an even number of sets, an odd number of alternating
// sets, and s_i (Ã v)_i > t for every signed row of every set imply r_t(Ã) ≥ k. The measure is the least of
// the numbers s_i (Ã v)_i.
LowerMeasure measure_exactly(const RowCycleWitness& witness, const Subject& subject) {
    if (std::string fault = fault_of_form(witness, subject.rows(), subject.cols()); !fault.empty())
        return nothing("the row cycle " + fault);
    if (!is_in_cube(witness.vectors)) return nothing("a vector has an entry above 1 in absolute value");
    if (std::string fault = fault_of_cycle(witness); !fault.empty()) return nothing(std::move(fault));

    std::vector<std::vector<const SignedRowSet*>> sets(static_cast<std::size_t>(witness.vectors.rows()));
    for (const SignedRowSet& set : witness.sets) sets[static_cast<std::size_t>(set.vector)].push_back(&set);
    const std::vector<std::vector<Index>> rows = rows_of_vectors(witness);
    std::optional<Rational> least;
    for (std::size_t p = 0; p < sets.size(); ++p) {
        const ExactMatrix product = subject.centre.select_rows(rows[p]) *
                                    witness.vectors.select_rows({static_cast<Index>(p)}).transpose();
        // Which signs a row is asked for with, so that each product is compared once a sign.
        std::vector<bool> plus(rows[p].size()), minus(rows[p].size());
        for (const SignedRowSet* set : sets[p]) {
            for (std::size_t j = 0; j < set->rows.size(); ++j) {
                const auto place =
                    std::lower_bound(rows[p].begin(), rows[p].end(), set->rows[j]) - rows[p].begin();
                ((set->negative >> j & 1) != 0 ? minus : plus)[static_cast<std::size_t>(place)] = true;
            }
        }
        for (std::size_t i = 0; i < rows[p].size(); ++i) {
            const Rational value = product(static_cast<Index>(i), 0);
            if (plus[i] && (!least || value < *least)) least = value;
            if (minus[i] && (!least || -value < *least)) least = -value;
        }
    }
    if (!least) return nothing("the row cycle has no sets");  // which fault_of_cycle has said already
    return {LowerMeasure::Value{witness.rank, *least}, nullptr};
}

}  // namespace rankcert::detail
