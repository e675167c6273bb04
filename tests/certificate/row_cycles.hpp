#pragma once
/// \file row_cycles.hpp  Row cycles by construction, and a second opinion on them.

#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "certificate/exact_oracle.hpp"
#include "rankcert/certificate/checker.hpp"

namespace rankcert::test {

/// Signed rows ±(i + 1) in increasing order of i, as the theorem's page writes sets; the first is positive.
using SignedRows = std::vector<long>;

[[nodiscard]] SignedRows canonical(SignedRows set);

/// k rows with all choices of signs.
[[nodiscard]] std::set<SignedRows> cross_polytope(const std::vector<long>& rows);

/// The sum modulo 2 of a family with the boundary of a signed (k+1)-set: again a family with 2 and 3.
void add_boundary(std::set<SignedRows>& family, const SignedRows& simplex);

/// A cross-polytope on k of m rows, changed by the boundaries of `changes` random signed (k+1)-sets.
[[nodiscard]] std::set<SignedRows> random_cycle(Index k, Index m, int changes, std::mt19937_64& random);

/// The family with a vector for each set: A_I⁺ s, scaled into the cube and truncated to multiples of 2^−bits,
/// which makes all s_i A_i v nearly equal. Nothing where some A_I has not full rank.
[[nodiscard]] std::optional<RowCycleWitness> with_vectors(const std::set<SignedRows>& family,
                                                          const Eigen::MatrixXd& a, int bits);

/// The witness of these sets, set by set with these vectors (rows). Sorted.
[[nodiscard]] RowCycleWitness assemble(Index k,
                                       const std::vector<std::pair<SignedRows, Eigen::VectorXd>>& sets,
                                       Index cols);

/// The theorem in rationals, maps and vectors, written from its statement.
[[nodiscard]] Answer oracle(const RowCycleWitness& w, const Shaped& a, const Rational& eps);

/// The least s_i A_i v, by rationals.
[[nodiscard]] Rational least_product(const RowCycleWitness& w, const Shaped& a);

/// A random change of one part.
[[nodiscard]] RowCycleWitness mutant(RowCycleWitness w, Index rows, std::mt19937_64& random);

}  // namespace rankcert::test
