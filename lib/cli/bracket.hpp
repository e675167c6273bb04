#pragma once
/// \file bracket.hpp  rankcert bracket: proves L ≤ r_ε(A) ≤ U for heads and writes the certificates.

#include <string>
#include <vector>

#include "load.hpp"

namespace rankcert::cli {

struct BracketArguments {
    std::string file;
    std::string query;
    std::string key;
    std::string matrix;
    std::vector<std::string> heads;
    bool all = false;
    std::vector<std::string> epsilon;
    std::vector<std::string> beta_multiplier = {"1"};
    OperatorOptions model;
    std::string output = "certificates";
    bool overwrite = false;
    std::string effort = "normal";
    unsigned seed = 1;
    unsigned threads = 0;
    std::string level;  ///< "fast", "exact" or empty
    bool top_k = false;
    bool json = false;
    bool verbose = false;
};

/// Returns the exit code. Throws Error for bad input, before anything is printed.
[[nodiscard]] int run_bracket(const BracketArguments& arguments);

}  // namespace rankcert::cli
