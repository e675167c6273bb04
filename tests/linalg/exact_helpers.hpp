#pragma once
/// \file exact_helpers.hpp  A slow second opinion on exact matrices: rationals, one at a time.

#include <random>
#include <vector>

#include "rankcert/linalg/exact_matrix.hpp"

namespace rankcert::test {

using Table = std::vector<std::vector<Rational>>;

inline Table table(const ExactMatrix& a) {
    Table result(static_cast<std::size_t>(a.rows()));
    for (Eigen::Index i = 0; i < a.rows(); ++i)
        for (Eigen::Index j = 0; j < a.cols(); ++j) {
            const Integer m = a.mantissa(i, j);
            const Integer power = Integer(1) << static_cast<unsigned>(std::abs(a.exponent()));
            result[static_cast<std::size_t>(i)].push_back(a.exponent() >= 0 ? Rational(m * power)
                                                                            : Rational(m, power));
        }
    return result;
}

/// A random integer below 2^bits in magnitude, often extreme.
inline Integer random_integer(unsigned bits, std::mt19937_64& random) {
    if (bits == 0) return 0;
    const Integer top = Integer(1) << bits;
    Integer value = 0;
    switch (random() % 6) {
        case 0:
            value = top - 1;
            break;
        case 1:
            value = 0;
            break;
        case 2:
            value = Integer(1) << static_cast<unsigned>(random() % bits);
            break;
        default:
            for (unsigned b = 0; b < bits; b += 64) value = (value << 64) + Integer(random());
            value %= top;
    }
    return (random() & 1) != 0 ? value : Integer(-value);
}

/// A matrix with exactly that many bits (its first entry has them), where it has an entry.
inline ExactMatrix random_matrix(Eigen::Index rows, Eigen::Index cols, unsigned bits, long exponent,
                                 std::mt19937_64& random) {
    std::vector<Integer> values;
    for (Eigen::Index at = 0; at < rows * cols; ++at) values.push_back(random_integer(bits, random));
    if (!values.empty() && bits > 0) values.front() = (Integer(1) << bits) - 1;
    return ExactMatrix::from_integers(rows, cols, values, exponent);
}

}  // namespace rankcert::test
