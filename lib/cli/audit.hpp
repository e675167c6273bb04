#pragma once
/// \file audit.hpp  rankcert audit: what a floating-point result of attention is worth.

#include <map>
#include <string>
#include <vector>

namespace rankcert::cli {

struct AuditArguments {
    std::string subject;   ///< "attention", "output"; or of matrices: see audit_linear.hpp
    std::string file;      ///< .safetensors or .npz
    std::string manifest;  ///< a JSON file, or empty
    /// Names of tensors by role, as given: exact, or the part after the head's name.
    std::map<std::string, std::string> names;
    std::vector<std::string> heads;
    std::string layout, scale, softcap, alignment, window, mask_kind, sink, empty_rows, ratio;
    bool causal = false, no_causal = false;
    std::vector<std::string> rows, claims;
    std::string junit;
    std::string output;  ///< folder for certificates, or empty
    bool no_diagnosis = false;
    // of matrices
    std::string rank, threshold, threshold_of;
    bool normalised = false, causal_factors = false, symmetric = false;
    unsigned threads = 0;
    bool json = false, verbose = false;
};

int run_audit_command(const AuditArguments& arguments);

}  // namespace rankcert::cli
