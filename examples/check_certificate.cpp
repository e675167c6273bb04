/// \file check_certificate.cpp  Proves the claims of a certificate again. It uses the checkers alone, no
/// search.
///
/// Usage: check_certificate CERTIFICATE

#include <iostream>

#include "rankcert/certificate/bundle.hpp"
#include "rankcert/rigor/error.hpp"

int main(int argc, char** argv) try {
    if (argc != 2) throw rankcert::Error("usage: check_certificate CERTIFICATE");
    const rankcert::Bundle bundle = rankcert::read_bundle(argv[1]);
    bool all_proved = true;
    for (const rankcert::ClaimVerdict& verdict : rankcert::check(bundle, rankcert::Level::exact)) {
        std::cout << "ε = " << rankcert::to_string(verdict.epsilon) << ": " << to_string(verdict.decision);
        // A Proved value can come from a checker alone, so what is printed here was proved a moment ago.
        if (verdict.lower) std::cout << ", r ≥ " << (*verdict.lower)->rank;
        if (verdict.upper) std::cout << ", r ≤ " << (*verdict.upper)->rank;
        std::cout << '\n';
        all_proved = all_proved && verdict.decision == rankcert::Decision::proved;
    }
    return all_proved ? 0 : 1;
} catch (const rankcert::Error& error) {
    std::cerr << "check_certificate: " << error.what() << '\n';
    return 3;
}
