#include <string>
#include <vector>

#include "certificate/fast_chain.hpp"
#include "certificate/fast_measure.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::detail {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

UpperMeasure nothing(const std::string& reason) { return {UpperMeasure::Nothing{reason}, nullptr}; }

/// The denominator where it is a double, else nothing.
std::optional<double> as_double(const Integer& value) {
    const double near = estimate_double(Rational(value));
    if (!bits_are_finite(near) || to_rational(near) != Rational(value)) return std::nullopt;
    return near;
}

UpperMeasure error(Index rank, double bound, const Integer& denominator, const Rational& shift) {
    if (!bits_are_finite(bound))
        return nothing("float64 overflows on this witness: the exact level can tell");
    return {UpperMeasure::Error{rank, to_rational(bound) / Rational(denominator) + shift}, nullptr};
}

}  // namespace

// Theorem "Factors": ‖c Ã − U V‖ ≤ c t implies r_t(Ã) ≤ r.
UpperMeasure measure_fast(const FactorWitness& witness, const FastCentre& centre) {
    const FloatingPointGuard guard;
    const MatrixXd& a = centre.values;
    if (witness.left.rows() != a.rows() || witness.right.cols() != a.cols() ||
        witness.left.cols() != witness.right.rows())
        return nothing("the shapes of the factors do not fit the matrix or each other");
    if (!(witness.denominator > 0)) return nothing("the common denominator of the factors is not positive");
    const std::optional<double> c = as_double(witness.denominator);
    if (!c || !witness.left.is_double() || !witness.right.is_double())
        return nothing("a number of the witness is not a float64: the exact level can tell");

    Tracked product = witness.left.to_double() * tracked(witness.right.to_double());
    MatrixXd difference = a;
    if (*c != 1) {
        // fl(c ã) misses c ã by at most u |fl(c ã)| (1 + 2u) + η.
        difference *= *c;
        const VectorXd reach = upper_row_reach(difference);
        const double rest = static_cast<double>(a.cols()) * kUnderflowUnit;
        for (Index i = 0; i < reach.size(); ++i)
            product.row_error[i] =
                upper_sum(product.row_error[i], upper_sum(upper_product(reach[i], 0x1p-52), rest));
    }
    difference -= product.value;
    const Rational shift = centre.shift > 0 ? to_rational(centre.shift) : Rational(0);
    return error(witness.left.cols(), upper_distance(difference, product.row_error), witness.denominator,
                 shift);
}

// Theorem "Representative rows". A difference of two rows is rounded once an entry.
UpperMeasure measure_fast(const RepresentativeRowsWitness& witness, const FastCentre& centre) {
    const FloatingPointGuard guard;
    const MatrixXd& a = centre.values;
    const std::vector<Index>& p = witness.representative;
    if (static_cast<Index>(p.size()) != a.rows())
        return nothing("there is not one representative for each row");
    std::vector<bool> used(p.size());
    Index rank = 0;
    for (const Index row : p) {
        if (row < 0 || row >= a.rows()) return nothing("a representative is not a row of the matrix");
        if (!used[static_cast<std::size_t>(row)]) ++rank;
        used[static_cast<std::size_t>(row)] = true;
    }
    MatrixXd difference = a;
    for (Index i = 0; i < a.rows(); ++i) difference.row(i) -= a.row(p[static_cast<std::size_t>(i)]);
    const Rational shift = centre.shift > 0 ? 2 * to_rational(centre.shift) : Rational(0);
    return error(rank, upper_distance(difference, VectorXd::Zero(a.rows())), 1, shift);
}

}  // namespace rankcert::detail
