#pragma once
/// \file subjects.hpp  The subjects of the certificates in tests/data/certificates.

#include <filesystem>
#include <vector>

#include "environment/generate/certificate_maker.hpp"
#include "rankcert/io/safetensors.hpp"

namespace rankcert::tests {

/// Certificates, and the tensors of inputs.safetensors to which they belong.
struct Made {
    std::vector<Bundle> bundles;
    std::vector<std::string> names;
    Safetensors inputs;

    /// Takes what the maker made; its query and key, or its matrix, go to the inputs under its name.
    void add(CertificateMaker& maker);
};

/// Matrices given exactly: every witness, equality in every inequality, subnormal and enormous entries.
void make_matrices(Made& made);
/// Softmax heads of every mask, alignment, format and family. `heads`: the folder tests/data/heads.
void make_heads(Made& made, const std::filesystem::path& heads);

}  // namespace rankcert::tests
