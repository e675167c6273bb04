#pragma once
/// \file exact_mutants.hpp  Witnesses with something changed: a number, a shape, an order, an index.

#include <random>

#include "rankcert/certificate/witness.hpp"

namespace rankcert::test {

[[nodiscard]] ExactMatrix mutant(const ExactMatrix& a, std::mt19937_64& random);
[[nodiscard]] std::vector<Index> mutant(std::vector<Index> indices, std::mt19937_64& random);

/// What is done to one matrix of a witness.
using ChangeMatrix = ExactMatrix (*)(const ExactMatrix&, std::mt19937_64&);

[[nodiscard]] FixedSpaceWitness mutant(FixedSpaceWitness w, std::mt19937_64& random,
                                       ChangeMatrix change = mutant);
[[nodiscard]] NeumannWitness mutant(NeumannWitness w, std::mt19937_64& random, ChangeMatrix change = mutant);
[[nodiscard]] EckartYoungWitness mutant(EckartYoungWitness w, std::mt19937_64& random,
                                        ChangeMatrix change = mutant);
[[nodiscard]] RowCycleWitness mutant(RowCycleWitness w, std::mt19937_64& random, ChangeMatrix change = mutant);
[[nodiscard]] FactorWitness mutant(FactorWitness w, std::mt19937_64& random, ChangeMatrix change = mutant);
[[nodiscard]] RepresentativeRowsWitness mutant(const RepresentativeRowsWitness& w, std::mt19937_64& random,
                                               ChangeMatrix unused = mutant);

}  // namespace rankcert::test
