/// \file bracket_matrix.cpp  The rank of a small matrix as the tolerance grows past its threshold.
///
/// A = [[1, 0], [1 − a, a]] with a = 1/2 can be replaced by a matrix of rank one from ε = a/(2 − a) = 1/3 on.

#include <iostream>

#include "rankcert/bracket/bracket.hpp"

int main() {
    Eigen::MatrixXd a(2, 2);
    a << 1.0, 0.0,  //
        0.5, 0.5;
    const std::vector<rankcert::Rational> epsilons = {
        rankcert::parse_rational("0.333"), rankcert::parse_rational("1/3"), rankcert::parse_rational("1")};
    const auto result = rankcert::bracket_matrix(rankcert::ExactMatrix::from_double(a), epsilons);
    for (const rankcert::Bracket& bracket : result.brackets) {
        std::cout << "ε = " << rankcert::to_string(bracket.epsilon) << ": " << bracket.lower_rank() << " ≤ r ≤ "
                  << bracket.upper_rank() << "  (" << bracket.lower_method << ", " << bracket.upper_method
                  << ")\n";
    }
}
