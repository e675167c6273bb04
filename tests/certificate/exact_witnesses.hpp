#pragma once
/// \file exact_witnesses.hpp  Witnesses of each kind for a small exact matrix, valid for some ε.

#include <optional>

#include "certificate/exact_oracle.hpp"

namespace rankcert::test {

/// `count` distinct indices below `end`, in a random order.
[[nodiscard]] std::vector<Index> some_indices(std::size_t count, std::size_t end, std::mt19937_64& random);

/// D on k columns with the identity at J and small fractions elsewhere; S = D (Ã_I D)⁻¹ on k rows I.
[[nodiscard]] std::optional<FixedSpaceWitness> fixed_space(const Shaped& a, std::size_t k,
                                                           std::mt19937_64& random);
[[nodiscard]] std::optional<NeumannWitness> neumann(const Shaped& a, std::size_t k, std::mt19937_64& random);
[[nodiscard]] EckartYoungWitness eckart_young(const ExactMatrix& a, std::size_t r, std::mt19937_64& random);
/// r columns of A times a coarse guess of how the others depend on them.
[[nodiscard]] FactorWitness factors(const ExactMatrix& a, std::size_t r, std::mt19937_64& random);

}  // namespace rankcert::test
