#pragma once
/// \file check.hpp  rankcert check: proves the claims of certificates again.

#include <string>
#include <vector>

namespace rankcert::cli {

struct CheckArguments {
    std::vector<std::string> certificates;
    std::vector<std::string> inputs;
    std::string level = "exact";
    std::string formal_checker;  ///< path of rankcert-formal; empty: look for it
    unsigned threads = 0;
    bool json = false;
    bool verbose = false;
};

/// Returns the exit code: the worst over all claims of all files.
[[nodiscard]] int run_check(const CheckArguments& arguments);

}  // namespace rankcert::cli
