// A program that only checks: the identity is at distance 1 from the singular matrices, so r_ε(I_2) ≥ 2 for ε < 1.
#include <rankcert/certificate/checker.hpp>

int main() {
    using namespace rankcert;
    const ExactMatrix identity = ExactMatrix::identity(2);
    const auto checker = make_checker(Subject{std::nullopt, identity}, Level::exact);
    const LowerWitness witness = FixedSpaceWitness{identity, identity, {0, 1}};
    const bool below = checker->prove_rank_at_least(witness, Rational(1, 2)).decision == Decision::proved;
    const bool at_one = checker->prove_rank_at_least(witness, Rational(1)).decision == Decision::proved;
    return below && !at_one ? 0 : 1;
}
