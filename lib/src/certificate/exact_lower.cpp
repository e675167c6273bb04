#include <limits>
#include <string>

#include "exact_measure.hpp"

namespace rankcert::detail {

namespace {

LowerMeasure nothing(std::string reason) { return {LowerMeasure::Nothing{std::move(reason)}, nullptr}; }

std::string shape(const ExactMatrix& a) { return std::to_string(a.rows()) + "×" + std::to_string(a.cols()); }

// Empty where `a` is rows×cols, else a sentence.
std::string fault_of_shape(const char* name, const ExactMatrix& a, Index rows, Index cols) {
    if (a.rows() == rows && a.cols() == cols) return {};
    return std::string(name) + " is " + shape(a) + " where " + std::to_string(rows) + "×" +
           std::to_string(cols) + " is needed";
}

// Whether the indices are distinct and in [0, end).
bool are_distinct_indices(const std::vector<Index>& indices, Index end) {
    std::vector<bool> seen(static_cast<std::size_t>(end));
    for (const Index index : indices) {
        if (index < 0 || index >= end || seen[static_cast<std::size_t>(index)]) return false;
        seen[static_cast<std::size_t>(index)] = true;
    }
    return true;
}

}  // namespace

// Theorem "Fixed space": D_J = I_k and ‖D − S Ã D‖ + t ‖S‖ < 1 imply r_t(Ã) ≥ k.
LowerMeasure measure_exactly(const FixedSpaceWitness& witness, const Subject& subject) {
    const ExactMatrix& d = witness.basis;
    const ExactMatrix& s = witness.inverse;
    const Index k = d.cols();
    if (const auto fault = fault_of_shape("the basis D", d, subject.cols(), k); !fault.empty())
        return nothing(fault);
    if (const auto fault = fault_of_shape("the inverse S", s, subject.cols(), subject.rows()); !fault.empty())
        return nothing(fault);
    if (static_cast<std::size_t>(k) != witness.pivots.size())
        return nothing("the number of pivots is not the number of columns of the basis D");
    if (!are_distinct_indices(witness.pivots, d.rows()))
        return nothing("the pivots are not distinct row indices of the basis D");
    if (!(d.select_rows(witness.pivots) == ExactMatrix::identity(k)))
        return nothing("the pivot rows of the basis D are not the identity");
    return {LowerMeasure::Contraction{k, (d - s * (subject.centre * d)).norm(), s.norm()}, nullptr};
}

// Theorem "Neumann": ‖S‖ ≤ 1, ‖D‖ ≤ 1 and ‖I − R S Ã D‖ + t ‖R‖ < 1 imply r_t(Ã) ≥ M.
LowerMeasure measure_exactly(const NeumannWitness& witness, const Subject& subject) {
    const ExactMatrix& s = witness.selection;
    const ExactMatrix& d = witness.decoder;
    const ExactMatrix& r = witness.inverse;
    const Index size = s.rows();
    if (const auto fault = fault_of_shape("the selection S", s, size, subject.rows()); !fault.empty())
        return nothing(fault);
    if (const auto fault = fault_of_shape("the decoder D", d, subject.cols(), size); !fault.empty())
        return nothing(fault);
    if (const auto fault = fault_of_shape("the inverse R", r, size, size); !fault.empty())
        return nothing(fault);
    if (s.norm() > 1) return nothing("the selection S has a row of ℓ1 norm above 1");
    if (d.norm() > 1) return nothing("the decoder D has a row of ℓ1 norm above 1");
    const ExactMatrix product = r * (s * (subject.centre * d));
    return {LowerMeasure::Contraction{size, (ExactMatrix::identity(size) - product).norm(), r.norm()},
            nullptr};
}

// Theorem "Weighted, grouped Eckart–Young", product form: with K = diag(s) Ã G, H = K Kᵀ or Kᵀ K of order p,
// t ≥ 0 and δ = ‖t I + L Lᵀ − H − C Cᵀ‖, the tail of K beyond r is at least tr H − r t − ‖L‖_F² − p δ. Where
// that exceeds t², r + 1 is a lower bound. For r ≥ p the tail is 0 and the expression cannot be positive, so
// nothing false is proved there.
LowerMeasure measure_exactly(const EckartYoungWitness& witness, const Subject& subject) {
    const ExactMatrix& weights = witness.row_weights;
    const ExactMatrix& grouping = witness.grouping;
    if (const auto fault = fault_of_shape("the row weights s", weights, subject.rows(), 1); !fault.empty())
        return nothing(fault);
    if (const auto fault = fault_of_shape("the grouping G", grouping, subject.cols(), grouping.cols());
        !fault.empty())
        return nothing(fault);
    if (const auto fault = fault_of_shape("the threshold t", witness.threshold, 1, 1); !fault.empty())
        return nothing(fault);
    const bool rows = witness.side == GramSide::rows;
    const Index order = rows ? subject.rows() : grouping.cols();
    const ExactMatrix& large = witness.large_factor;
    const ExactMatrix& small = witness.small_factor;
    if (const auto fault = fault_of_shape("the factor L", large, order, large.cols()); !fault.empty())
        return nothing(fault);
    if (const auto fault = fault_of_shape("the factor C", small, order, small.cols()); !fault.empty())
        return nothing(fault);
    if (witness.rank < 0) return nothing("the rank r is negative");
    const Rational t = witness.threshold(0, 0);
    if (t < 0) return nothing("the threshold t is negative");
    if (weights.squared_frobenius_norm() > 1)
        return nothing("the squares of the row weights s sum to more than 1");
    for (const Rational& square : grouping.row_squares())
        if (square > 1) return nothing("the grouping G has a row of ℓ2 norm above 1");

    const ExactMatrix k = (subject.centre * grouping).scale_rows(weights);
    const ExactMatrix gram = rows ? k * k.transpose() : k.transpose() * k;
    const ExactMatrix threshold =  // t I
        ExactMatrix::identity(order).scale_rows(
            witness.threshold.select_rows(std::vector<Index>(static_cast<std::size_t>(order), 0)));
    const ExactMatrix defect = threshold + large * large.transpose() - gram - small * small.transpose();
    const Rational tail = gram.trace() - Rational(witness.rank) * t - large.squared_frobenius_norm() -
                          Rational(order) * defect.norm();
    if (witness.rank == std::numeric_limits<Index>::max()) return nothing("the rank r is absurdly large");
    return {LowerMeasure::Tail{witness.rank + 1, tail}, nullptr};
}

}  // namespace rankcert::detail
