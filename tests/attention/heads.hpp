#pragma once
/// \file heads.hpp  Heads for the tests, and softmax by another road.

#include <random>
#include <string>
#include <vector>

#include "rankcert/attention/softmax.hpp"

namespace rankcert::tests {

using Eigen::Index;

/// A head whose logits are the given ones exactly: Q = I, K = logitsᵀ, scale 1.
Head head_of_logits(const Eigen::MatrixXd& logits);

/// One row of logits, given as rationals with power-of-two denominators: Q = [1].
Head head_of_row(const std::vector<double>& logits);

/// Small, awkward, and every kind of mask, scale and multiplier: entries over forty binades, zeros, equal
/// rows.
Head random_head(std::mt19937_64& random);

/// ‖A − centre‖ for a head with one member, by plain arithmetic with 1500 bits, no shift by the maximum and
/// nothing shared with the library but its number types: off by less than 2^−1200 where every |logit| is
/// below 2^40.
Rational reference_error(const Head& head, const ExactMatrix& centre);
inline Rational reference_accuracy() { return to_rational(Integer(1), -1200); }

/// The heads of a file in tests/data/heads, with the attention that the model computed.
struct RealHead {
    std::string name;
    Head head;
    Eigen::MatrixXd attention;
};
std::vector<RealHead> real_heads(const std::string& file);

}  // namespace rankcert::tests
