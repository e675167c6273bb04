#pragma once
/// \file fast_witnesses.hpp  Float64 witnesses of each kind for a float64 matrix, on a grid, valid for some
/// ε.

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "rankcert/certificate/checker.hpp"

namespace rankcert::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Random = std::mt19937_64;

inline double unit_double(Random& random) { return std::ldexp(static_cast<double>(random() >> 11), -53); }
inline Index index_below(Index end, Random& random) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(end));
}
[[nodiscard]] MatrixXd rounded_to(const MatrixXd& a, int bits);
[[nodiscard]] ExactMatrix gridded(const MatrixXd& a, int bits = 30);
/// Rows that sum to about one, a few large entries each, as attention has them; or entries of either sign.
[[nodiscard]] MatrixXd random_attention(Index m, Index n, bool stochastic, Random& random);
[[nodiscard]] std::vector<Index> shuffled(Index n, Random& random);
[[nodiscard]] std::optional<FixedSpaceWitness> make_fixed_space(const MatrixXd& a, Index k, Random& random);
[[nodiscard]] std::optional<NeumannWitness> make_neumann(const MatrixXd& a, Index k, Random& random);
[[nodiscard]] std::optional<EckartYoungWitness> make_eckart_young(const MatrixXd& a, Index r, Random& random);
[[nodiscard]] FactorWitness make_factors(const MatrixXd& a, Index r, Random& random);
[[nodiscard]] RepresentativeRowsWitness make_rows(const MatrixXd& a, Index r, Random& random);

// ---- mutants ---------------------------------------------------------------------------------------------
/// One entry changed by a power of two, or set to something special; rarely a change of shape or order.
[[nodiscard]] ExactMatrix mutated(const ExactMatrix& a, Random& random);

}  // namespace rankcert::test
