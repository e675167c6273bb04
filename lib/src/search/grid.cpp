#include "grid.hpp"

#include <cmath>

namespace rankcert::search {

Matrix round_to_grid(const ConstRef& a, int bits) {
    // Scaling by a power of two is exact short of overflow and underflow; what overflows stands on the grid.
    return a.unaryExpr([bits](double x) {
        const double scaled = std::ldexp(x, bits);
        return std::isfinite(scaled) ? std::ldexp(std::nearbyint(scaled), -bits) : x;
    });
}

Matrix truncate_to_grid(const ConstRef& a, int bits) {
    return a.unaryExpr([bits](double x) {
        const double scaled = std::ldexp(x, bits);
        return std::isfinite(scaled) ? std::ldexp(std::trunc(scaled), -bits) : x;
    });
}

int relative_grid(const ConstRef& a, int digits) {
    const double largest = a.size() == 0 ? 0.0 : a.cwiseAbs().maxCoeff();
    if (!(largest > 0)) return digits;
    return digits - std::ilogb(largest);
}

double estimate_rounding(Eigen::Index n, double size) {
    constexpr double kUnit = 0x1p-53;
    return 4 * static_cast<double>(n + 2) * kUnit * (1 + size);
}

bool contracts_exactly(const Matrix& d, const Matrix& s, const Matrix& a, double tolerance) {
    const ExactMatrix exact_d = ExactMatrix::from_double(d);
    const ExactMatrix exact_s = ExactMatrix::from_double(s);
    const ExactMatrix residual = exact_d - exact_s * (ExactMatrix::from_double(a) * exact_d);
    return residual.norm() + to_rational(tolerance) * exact_s.norm() < 1;
}

}  // namespace rankcert::search
