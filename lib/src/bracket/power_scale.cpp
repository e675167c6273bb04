#include "power_scale.hpp"

#include <algorithm>
#include <cstdlib>

namespace rankcert::detail {

ExactMatrix scaled(const ExactMatrix& a, long shift) {
    if (shift == 0) return a;
    std::vector<Integer> mantissas;
    mantissas.reserve(static_cast<std::size_t>(a.rows() * a.cols()));
    for (Index i = 0; i < a.rows(); ++i) {
        for (Index j = 0; j < a.cols(); ++j) mantissas.push_back(a.mantissa(i, j));
    }
    return ExactMatrix::from_integers(a.rows(), a.cols(), std::move(mantissas), a.exponent() + shift);
}

long normalising_shift(const ExactMatrix& a) {
    if (a.bits() == 0) return 0;
    const long size = static_cast<long>(a.bits()) + a.exponent();
    return std::abs(size) < 20 ? 0 : -size;
}

LowerWitness unscaled(LowerWitness witness, long shift) {
    if (auto* fixed = std::get_if<FixedSpaceWitness>(&witness)) {
        fixed->inverse = scaled(fixed->inverse, shift);
    } else if (auto* neumann = std::get_if<NeumannWitness>(&witness)) {
        neumann->inverse = scaled(neumann->inverse, shift);
    } else if (auto* tail = std::get_if<EckartYoungWitness>(&witness)) {
        tail->threshold = scaled(tail->threshold, -2 * shift);
        tail->large_factor = scaled(tail->large_factor, -shift);
        tail->small_factor = scaled(tail->small_factor, -shift);
    }
    // A row cycle's vectors stay in the cube: its products with the rows change with the rows.
    return witness;
}

UpperWitness unscaled(UpperWitness witness, long shift) {
    if (auto* factors = std::get_if<FactorWitness>(&witness)) factors->right = scaled(factors->right, -shift);
    return witness;
}

}  // namespace rankcert::detail
