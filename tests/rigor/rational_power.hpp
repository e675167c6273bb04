#pragma once
/// \file rational_power.hpp  Whole powers of rationals, exactly.

#include "rankcert/rigor/rational.hpp"

namespace rankcert::tests {

inline Rational raise(const Rational& base, long exponent) {
    Rational result(1);
    for (long k = 0; k < (exponent < 0 ? -exponent : exponent); ++k) result *= base;
    return exponent < 0 ? Rational(1 / result) : result;
}

}  // namespace rankcert::tests
