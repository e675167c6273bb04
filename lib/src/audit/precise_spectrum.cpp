#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <numeric>

#include "audit/jacobi.hpp"
#include "audit/precise_spectrum.hpp"

namespace rankcert::audit {
namespace {

using Index = Eigen::Index;

/// value · 2^−exponent rounded to an integer; 0 for what is not a number (the proof then fails, nothing else
/// does).
Integer rounded(mpfr_srcptr value, long exponent) {
    Integer result = 0;
    if (mpfr_number_p(value) == 0) return result;
    MpFloat shifted(mpfr_get_prec(value));
    mpfr_mul_2si(shifted, value, -exponent, MPFR_RNDN);
    if (mpfr_get_exp(static_cast<mpfr_srcptr>(shifted)) > (1L << 20)) return result;
    mpfr_get_z(result.backend().data(), shifted, MPFR_RNDN);
    return result;
}

/// Columns of x as multiples of 2^−bits.
ExactMatrix columns(const MpMatrix& x, const std::vector<Index>& chosen) {
    std::vector<Integer> mantissas;
    const auto exponent = -static_cast<long>(x.bits());
    for (Index i = 0; i < x.rows(); ++i)
        for (const Index j : chosen) mantissas.push_back(rounded(x.at(i, j), exponent));
    return ExactMatrix::from_integers(x.rows(), static_cast<Index>(chosen.size()), std::move(mantissas),
                                      exponent);
}

/// The exponent of the largest of the values; 0 where all are 0.
long largest_exponent(const std::vector<MpFloat>& values) {
    bool any = false;
    long exponent = 0;
    for (const MpFloat& value : values) {
        if (mpfr_regular_p(static_cast<mpfr_srcptr>(value)) == 0) continue;
        const auto e = static_cast<long>(mpfr_get_exp(static_cast<mpfr_srcptr>(value)));
        exponent = any ? std::max(exponent, e) : e;
        any = true;
    }
    return exponent;
}

MpInterval root(const Rational& square) { return sqrt(MpInterval(square, 128)).with_precision(64); }

MpInterval defect_of(const ExactMatrix& x) {
    return root((x.transpose() * x - ExactMatrix::identity(x.cols())).squared_frobenius_norm());
}

MpInterval around(const Rational& value, const MpInterval& radius, unsigned bits) {
    return MpInterval(value, bits) + hull(radius, -radius).with_precision(bits);
}

}  // namespace

ExactSvd precise_svd(const Eigen::MatrixXd& a, unsigned bits, const Eigen::MatrixXd& start) {
    const EstimatedSvd svd = estimate_svd(a, bits, start);
    const long top = largest_exponent(svd.values);
    const long grid = top - static_cast<long>(bits) - 8;
    std::vector<Index> kept;
    for (Index j = 0; j < a.cols(); ++j) {
        mpfr_srcptr value = svd.values[static_cast<std::size_t>(j)];
        if (mpfr_regular_p(value) != 0 && mpfr_get_exp(value) > top - static_cast<long>(bits) + 20)
            kept.push_back(j);
    }
    std::stable_sort(kept.begin(), kept.end(), [&](Index x, Index y) {
        return mpfr_greater_p(svd.values[static_cast<std::size_t>(x)],
                              svd.values[static_cast<std::size_t>(y)]) != 0;
    });
    ExactSvd result;
    result.left = columns(svd.left, kept);
    result.right = columns(svd.right, kept);
    std::vector<Integer> mantissas;
    for (const Index j : kept) mantissas.push_back(rounded(svd.values[static_cast<std::size_t>(j)], grid));
    for (const Integer& mantissa : mantissas) result.values.push_back(to_rational(mantissa, grid));
    const ExactMatrix sigma =
        ExactMatrix::from_integers(static_cast<Index>(kept.size()), 1, std::move(mantissas), grid);
    result.defect = defect_of(result.left) + defect_of(result.right);
    const ExactMatrix error =
        ExactMatrix::from_double(a) - result.left * result.right.transpose().scale_rows(sigma);
    result.residual = root(error.squared_frobenius_norm());
    return result;
}

std::optional<ExactSvd> evaluate_svd(const Eigen::MatrixXd& a, const Eigen::MatrixXd& left,
                                     const Eigen::VectorXd& values, const Eigen::MatrixXd& right) {
    ExactSvd result;
    for (Index i = 0; i < values.size(); ++i) {
        if (!(values[i] >= 0) || (i > 0 && values[i] > values[i - 1])) return std::nullopt;
        result.values.push_back(to_rational(values[i]));
    }
    result.left = ExactMatrix::from_double(left);
    result.right = ExactMatrix::from_double(right);
    result.defect = defect_of(result.left) + defect_of(result.right);
    const ExactMatrix scaled = result.right.transpose().scale_rows(ExactMatrix::from_double(values));
    result.residual = root((ExactMatrix::from_double(a) - result.left * scaled).squared_frobenius_norm());
    return result;
}

std::vector<MpInterval> enclose_values(const ExactSvd& svd, Index count, unsigned bits) {
    // |σ_i − Σ_i| ≤ x (1 + x) Σ_i/2 + ρ.
    const unsigned precision = bits + 32;
    const MpInterval one(Rational(1), 64);
    std::vector<MpInterval> values;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const Rational sigma = i < svd.values.size() ? svd.values[i] : Rational(0);
        const MpInterval half(Rational(sigma / 2), 64);
        MpInterval value = around(sigma, svd.defect * (one + svd.defect) * half + svd.residual, precision);
        if (mpfr_sgn(value.lower_mpfr()) < 0) mpfr_set_zero(value.mutable_lower(), 1);
        values.push_back(std::move(value));
    }
    return values;
}

std::vector<MpInterval> precise_eigenvalues(const Eigen::MatrixXd& a, unsigned bits,
                                            const Eigen::MatrixXd& start) {
    const EstimatedEigen eigen = estimate_eigen(a, bits, start);
    const long grid = largest_exponent(eigen.values) - static_cast<long>(bits) - 8;
    std::vector<Index> order(static_cast<std::size_t>(a.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    std::vector<Integer> mantissas;
    for (const MpFloat& value : eigen.values) mantissas.push_back(rounded(value, grid));
    std::stable_sort(order.begin(), order.end(), [&](Index x, Index y) {
        return mantissas[static_cast<std::size_t>(x)] < mantissas[static_cast<std::size_t>(y)];
    });
    std::sort(mantissas.begin(), mantissas.end());
    const ExactMatrix x = columns(eigen.vectors, order);
    const MpInterval defect = defect_of(x);
    const ExactMatrix lambda = ExactMatrix::from_integers(a.rows(), 1, mantissas, grid);
    const ExactMatrix error = ExactMatrix::from_double(a) - x * x.transpose().scale_rows(lambda);
    const MpInterval residual = root(error.squared_frobenius_norm());
    // |λ_i − Λ_i| ≤ α |Λ_i| + ρ.
    std::vector<MpInterval> values;
    for (const Integer& mantissa : mantissas) {
        const Rational value = to_rational(mantissa, grid);
        values.push_back(around(value, defect * abs(MpInterval(value, 64)) + residual, bits + 32));
    }
    return values;
}

}  // namespace rankcert::audit
