#include <algorithm>
#include <string>

#include "exact_measure.hpp"

namespace rankcert::detail {

namespace {

UpperMeasure nothing(std::string reason) { return {UpperMeasure::Nothing{std::move(reason)}, nullptr}; }

}  // namespace

// Theorem "Factors": ‖c Ã − U V‖ ≤ c t implies r_t(Ã) ≤ r, by B = U V / c.
UpperMeasure measure_exactly(const FactorWitness& witness, const Subject& subject) {
    const ExactMatrix& u = witness.left;
    const ExactMatrix& v = witness.right;
    if (u.rows() != subject.rows()) return nothing("the left factor U does not have the rows of the matrix");
    if (v.cols() != subject.cols())
        return nothing("the right factor V does not have the columns of the matrix");
    if (u.cols() != v.rows()) return nothing("the factors U and V do not fit each other");
    if (!(witness.denominator > 0)) return nothing("the common denominator of the factors is not positive");
    const Rational error =
        (subject.centre.scale(witness.denominator) - u * v).norm() / Rational(witness.denominator);
    return {UpperMeasure::Error{u.cols(), error}, nullptr};
}

// Theorem "Representative rows": B with the rows Ã_p(i) has as many distinct rows as p has values.
UpperMeasure measure_exactly(const RepresentativeRowsWitness& witness, const Subject& subject) {
    const std::vector<Index>& p = witness.representative;
    if (p.size() != static_cast<std::size_t>(subject.rows()))
        return nothing("there is not one representative for each row");
    std::vector<bool> used(p.size());
    for (const Index row : p) {
        if (row < 0 || row >= subject.rows()) return nothing("a representative is not a row of the matrix");
        used[static_cast<std::size_t>(row)] = true;
    }
    const Rational error = (subject.centre - subject.centre.select_rows(p)).norm();
    return {UpperMeasure::Error{static_cast<Index>(std::count(used.begin(), used.end(), true)), error},
            nullptr};
}

}  // namespace rankcert::detail
