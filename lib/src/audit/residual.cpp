#include "rigor/trusted.hpp"
//
#include <algorithm>

#include "audit/residual.hpp"
#include "linalg/kernel.hpp"
#include "rankcert/linalg/norms.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::audit {
namespace {

constexpr double kNarrow = 1.01;

Answer decide(const MpInterval& x, const std::optional<Rational>& exact, const Rational& bound) {
    if (exact) return *exact <= bound ? Answer::proved : Answer::refuted;
    return decide_at_most(x, bound);
}

}  // namespace

std::size_t as_size(Index i) { return static_cast<std::size_t>(i); }

Answer decide_at_most(const MpInterval& x, const Rational& bound) {
    if (certainly_less_equal(x, bound)) return Answer::proved;
    if (certainly_less(bound, x)) return Answer::refuted;
    return Answer::undecided;
}

bool is_narrow(const MpInterval& x) {
    // Below the range of doubles an enclosure counts as narrow only where it is a point.
    if (x.is_point()) return true;
    const double low = x.lower_double(), high = x.upper_double();
    return low > 0 && high <= kNarrow * low;
}

Answer ErrorNorms::norm_at_most(const Rational& tolerance) const {
    return decide(norm, exact_norm, tolerance);
}
Answer ErrorNorms::max_abs_at_most(const Rational& tolerance) const {
    return decide(max_abs, exact_max_abs, tolerance);
}

void require_finite_entries(const Eigen::Ref<const Eigen::MatrixXd>& a, const char* name) {
    detail::require_finite(a, name);
}

ErrorNorms norms_of(const BallMatrix& error) {
    const FloatingPointGuard guard;
    const Eigen::MatrixXd low = lower_bounds(error), high = upper_bounds(error);
    Eigen::MatrixXd least(low.rows(), low.cols()), most(low.rows(), low.cols());
    ErrorNorms norms;
    double largest_least = -1, largest_most = 0;
    for (Index j = 0; j < low.cols(); ++j) {
        for (Index i = 0; i < low.rows(); ++i) {
            least(i, j) = std::max({0.0, low(i, j), -high(i, j)});
            most(i, j) = std::max(-low(i, j), high(i, j));
            largest_most = std::max(largest_most, most(i, j));
            if (least(i, j) > largest_least) {
                largest_least = least(i, j);
                norms.place = {i, j};
            }
        }
    }
    norms.max_abs = MpInterval::hull_of(std::max(largest_least, 0.0), largest_most, 64);
    const Eigen::VectorXd rows = lower_row_norms(least);
    double largest_row = -1;
    for (Index i = 0; i < rows.size(); ++i) {
        if (rows[i] > largest_row) {
            largest_row = rows[i];
            norms.row = i;
        }
    }
    norms.norm = MpInterval::hull_of(std::max(largest_row, 0.0), upper_row_norm(most), 64);
    norms.frobenius = MpInterval::hull_of(lower_frobenius_norm(least), upper_frobenius_norm(most), 64);
    return norms;
}

ErrorNorms norms_of(const ExactMatrix& error) {
    ErrorNorms norms;
    const std::vector<Rational> rows = error.row_norms();
    norms.exact_norm = Rational(0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (norms.row >= 0 && rows[i] <= *norms.exact_norm) continue;
        norms.exact_norm = rows[i];
        norms.row = static_cast<Index>(i);
    }
    Integer largest = 0;
    for (Index i = 0; i < error.rows(); ++i) {
        for (Index j = 0; j < error.cols(); ++j) {
            const Integer entry = error.mantissa(i, j);
            const Integer size = entry < 0 ? Integer(-entry) : entry;
            if (norms.place.row >= 0 && size <= largest) continue;
            largest = size;
            norms.place = {i, j};
        }
    }
    norms.exact_max_abs = to_rational(largest, error.exponent());
    norms.norm.set(*norms.exact_norm);
    norms.max_abs.set(*norms.exact_max_abs);
    norms.frobenius = sqrt(MpInterval(error.squared_frobenius_norm(), 128)).with_precision(64);
    return norms;
}

ErrorNorms measure(const std::function<BallMatrix()>& fast, const std::function<ExactMatrix()>& exact,
                   const Tolerances& tolerances) {
    ErrorNorms norms = norms_of(fast());
    const bool decided =
        (!tolerances.norm || norms.norm_at_most(*tolerances.norm) != Answer::undecided) &&
        (!tolerances.max_abs || norms.max_abs_at_most(*tolerances.max_abs) != Answer::undecided);
    if (decided && is_narrow(norms.norm) && is_narrow(norms.max_abs) && is_narrow(norms.frobenius))
        return norms;
    try {
        return norms_of(exact());
    } catch (const TooMuchWork&) {
        return norms;
    }
}

}  // namespace rankcert::audit
