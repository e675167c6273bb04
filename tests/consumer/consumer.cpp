// A program of somebody who has installed rankcert: brackets the 3×3 identity.
#include <iostream>
#include <rankcert/rankcert.hpp>

int main() {
    const auto result = rankcert::bracket_matrix(rankcert::ExactMatrix::identity(3),
                                                 {rankcert::parse_rational("1/4")}, {});
    const auto& bracket = result.brackets.at(0);
    std::cout << rankcert::kVersion << ": " << bracket.lower_rank() << " ≤ r ≤ " << bracket.upper_rank() << '\n';
    return bracket.lower_rank() == 3 && bracket.upper_rank() == 3 ? 0 : 1;
}
