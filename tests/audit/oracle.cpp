#include "audit/oracle.hpp"

#include <cmath>

namespace rankcert::tests {

Real real(const Rational& x) { return Real(numerator(x)) / Real(denominator(x)); }

Rational rational(const Real& x) {
    Rational exact;
    mpfr_get_q(exact.backend().data(), x.backend().data());
    return exact;
}

std::vector<Real> exact_row(const AttentionHead& head, Index i) {
    const Index n = head.key.rows(), m = head.query.rows();
    const Index p = head.alignment == CausalAlignment::top_left ? i : i + n - m;
    Real scale = real(head.scale.factor) / sqrt(Real(head.scale.sqrt_of));
    std::vector<Real> row(static_cast<std::size_t>(n), Real(0));
    Real sum = head.sink ? Real(exp(Real(*head.sink))) : Real(0);
    bool any = head.sink.has_value();
    for (Index j = 0; j < n; ++j) {
        if (head.causal && j > p) continue;
        if (head.window_before && j + *head.window_before < p) continue;
        if (head.window_after && j - *head.window_after > p) continue;
        if (head.keep.size() != 0 && !head.keep(head.keep.rows() == 1 ? 0 : i, j)) continue;
        const double bias = head.bias.size() == 0 ? 0 : head.bias(head.bias.rows() == 1 ? 0 : i, j);
        if (std::isinf(bias)) continue;
        Real x = 0;
        for (Index c = 0; c < head.query.cols(); ++c) {
            if (!std::isfinite(head.query(i, c)) || !std::isfinite(head.key(j, c))) return {};
            x += Real(head.query(i, c)) * Real(head.key(j, c));
        }
        x *= scale;
        if (head.softcap) x = real(*head.softcap) * tanh(Real(x / real(*head.softcap)));
        if (head.alibi_slope) x -= Real(*head.alibi_slope) * Real(p > j ? p - j : j - p);
        x += Real(bias);
        row[static_cast<std::size_t>(j)] = exp(x);
        sum += row[static_cast<std::size_t>(j)];
        any = true;
    }
    if (!any) return {};
    for (Real& x : row) x /= sum;
    return row;
}

RowMatrix matrix(const std::vector<std::vector<double>>& rows) {
    RowMatrix a(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < a.cols(); ++j)
            a(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    return a;
}

AttentionHead head_of_logits(const std::vector<double>& logits) {
    AttentionHead head;
    head.query = RowMatrix::Ones(1, 1);
    head.key = RowMatrix(static_cast<Index>(logits.size()), 1);
    for (std::size_t j = 0; j < logits.size(); ++j) head.key(static_cast<Index>(j), 0) = logits[j];
    return head;
}

double rounded(const Rational& x, NumberFormat format) {
    const FormatLimits limits = limits_of(format);
    if (x == 0) return 0;
    const Rational size = x < 0 ? Rational(-x) : x;
    long e = 0;  // 2^e ≤ size < 2^(e+1)
    e = static_cast<long>(msb(numerator(size))) - static_cast<long>(msb(denominator(size)));
    while (to_rational(Integer(1), e) > size) --e;
    while (to_rational(Integer(1), e + 1) <= size) ++e;
    const long last = std::max(e - limits.digits + 1, limits.least_exponent);
    const Rational scaled = size * to_rational(Integer(1), -last);
    Integer whole = numerator(scaled) / denominator(scaled);
    const Rational rest = scaled - Rational(whole);
    if (rest > Rational(1, 2) || (rest == Rational(1, 2) && (whole & 1) != 0)) ++whole;
    const Rational result = to_rational(whole, last);
    if (result >= to_rational(Integer(1), limits.end_exponent))
        return x < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return (x < 0 ? -1 : 1) * lower_double(result);
}

}  // namespace rankcert::tests
