#pragma once
/// \file upper_support.hpp  Matrices and exact judgements for the tests of the upper searches.

#include <cmath>
#include <random>

#include "rankcert/search/upper.hpp"

namespace upper_support {

using rankcert::ExactMatrix;
using rankcert::FactorWitness;
using rankcert::Index;
using rankcert::Rational;

/// ‖a − U V‖ without any rounding.
inline Rational exact_error(const ExactMatrix& a, const FactorWitness& w) {
    return (a.scale(w.denominator) - w.left * w.right).norm() / Rational(w.denominator);
}

/// A stochastic matrix with entries of very different sizes: softmax rows of random logits, rounded to 2⁻⁴⁰.
inline Eigen::MatrixXd random_stochastic(Index rows, Index cols, double sharpness, unsigned seed) {
    std::mt19937_64 generator(seed);
    auto uniform = [&] { return static_cast<double>(generator() >> 11) * 0x1p-53 - .5; };
    Eigen::MatrixXd q(rows, 8), k(cols, 8);
    for (double& x : q.reshaped()) x = uniform();
    for (double& x : k.reshaped()) x = uniform();
    Eigen::MatrixXd a = (sharpness * q * k.transpose()).array().exp();
    for (Index i = 0; i < rows; ++i) a.row(i) /= a.row(i).sum();
    return a.unaryExpr([](double x) { return std::nearbyint(x * 0x1p40) * 0x1p-40; });
}

inline Eigen::MatrixXd threshold_matrix(double a) { return Eigen::Matrix2d{{1, 0}, {1 - a, a}}; }

}  // namespace upper_support
