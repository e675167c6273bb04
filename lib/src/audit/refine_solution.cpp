#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <cmath>

#include "audit/refine_solution.hpp"
#include "audit/residual.hpp"
#include "rankcert/linalg/product.hpp"

namespace rankcert::audit {
namespace {

using Index = Eigen::Index;

/// The exponent e of the largest entry of a column, 2^(e−1) ≤ max < 2^e; least where all are 0.
long column_exponent(const ExactMatrix& a, Index c, long least) {
    unsigned bits = 0;
    for (Index i = 0; i < a.rows(); ++i) {
        const Integer entry = boost::multiprecision::abs(a.mantissa(i, c));
        if (entry != 0) bits = std::max(bits, static_cast<unsigned>(msb(entry)) + 1);
    }
    return bits == 0 ? least : a.exponent() + static_cast<long>(bits);
}

/// diag(2^exponents) as an exact column.
ExactMatrix powers(const std::vector<long>& exponents) {
    const long least = *std::min_element(exponents.begin(), exponents.end());
    std::vector<Integer> mantissas;
    for (const long e : exponents) mantissas.push_back(Integer(1) << static_cast<unsigned>(e - least));
    return ExactMatrix::from_integers(static_cast<Index>(exponents.size()), 1, std::move(mantissas), least);
}

}  // namespace

RefinedSolution::RefinedSolution(ExactMatrix g, ExactMatrix b, BallMatrix inverse, ExactMatrix x)
    : g_(std::move(g)),
      b_(std::move(b)),
      x_(std::move(x)),
      inverse_(std::move(inverse)),
      radius_(Eigen::MatrixXd::Constant(x_.rows(), x_.cols(), std::numeric_limits<double>::infinity())),
      exponents_(as_size(x_.cols()), 0) {}

void RefinedSolution::step() {
    const ExactMatrix residual = b_ - g_ * x_;
    if (residual.bits() == 0) {
        is_exact_ = true;
        radius_.setZero();
        return;
    }
    Eigen::MatrixXd low(residual.rows(), residual.cols()), high = low;
    std::vector<long> exponents;
    for (Index c = 0; c < residual.cols(); ++c) {
        const long e = column_exponent(residual, c, residual.exponent());
        exponents.push_back(e);
        for (Index i = 0; i < residual.rows(); ++i) {
            const Rational scaled = to_rational(residual.mantissa(i, c), residual.exponent() - e);
            low(i, c) = lower_double(scaled);
            high(i, c) = upper_double(scaled);
        }
    }
    BallMatrix change = enclose_product(inverse_, matrix_from_bounds(low, high));
    x_ = x_ + ExactMatrix::from_double(change.midpoint).transpose().scale_rows(powers(exponents)).transpose();
    radius_ = std::move(change.radius);
    exponents_ = std::move(exponents);
}

MpInterval RefinedSolution::value(Index i, Index c, unsigned bits) const {
    const MpInterval centre(x_.mantissa(i, c), x_.exponent(), bits);
    const double r = radius_(i, c);
    if (r == 0) return centre;
    return centre + scale(MpInterval::hull_of(-r, r, bits), exponents_[as_size(c)]);
}

double RefinedSolution::estimate_log2_radius() const {
    double largest = -std::numeric_limits<double>::infinity();
    for (Index c = 0; c < radius_.cols(); ++c) {
        const double r = radius_.col(c).maxCoeff();
        if (!(r > 0)) continue;
        if (!std::isfinite(r)) return std::numeric_limits<double>::infinity();
        largest = std::max(largest,
                           static_cast<double>(std::ilogb(r)) + static_cast<double>(exponents_[as_size(c)]));
    }
    return largest;
}

}  // namespace rankcert::audit
