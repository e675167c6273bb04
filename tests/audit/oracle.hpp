#pragma once
/// \file oracle.hpp  Attention by another road: 1,500 bits of plain arithmetic, nothing shared with the
/// library but types.

#include <boost/multiprecision/mpfr.hpp>
#include <vector>

#include "rankcert/audit/errors.hpp"

namespace rankcert::tests {

using audit::AttentionHead;
using audit::Index;
using audit::RowMatrix;
using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<450>,
                                           boost::multiprecision::et_off>;

Real real(const Rational& x);
Rational rational(const Real& x);

/// Row i of A; empty where it has no value.
std::vector<Real> exact_row(const AttentionHead& head, Index i);

/// A matrix of the given rows.
RowMatrix matrix(const std::vector<std::vector<double>>& rows);
/// A head of one query and d = 1 whose logits are the given ones.
AttentionHead head_of_logits(const std::vector<double>& logits);
/// The nearest number of a format (ties to even), by exact rationals.
double rounded(const Rational& x, NumberFormat format);

}  // namespace rankcert::tests
