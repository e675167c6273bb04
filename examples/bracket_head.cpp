/// \file bracket_head.cpp  Proves a bracket of one attention head and writes its certificate.
///
/// Usage: bracket_head HEADS.safetensors HEAD EPSILON CERTIFICATE
/// for example: bracket_head data/ppocrv4rec-n64-a.safetensors layer0.head0 1/4 layer0.head0.cert.safetensors

#include <iostream>

#include "rankcert/bracket/bracket.hpp"
#include "rankcert/io/safetensors.hpp"
#include "rankcert/rigor/error.hpp"

namespace {

rankcert::ExactMatrix load(const rankcert::Safetensors& file, const std::string& name) {
    const rankcert::Tensor* tensor = file.find(name);
    if (tensor == nullptr) throw rankcert::Error("there is no tensor " + name + " in the file");
    return rankcert::ExactMatrix::from_double(rankcert::to_matrix(*tensor));
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 5) throw rankcert::Error("usage: bracket_head HEADS.safetensors HEAD EPSILON CERTIFICATE");
    const rankcert::Safetensors file = rankcert::read_safetensors(argv[1]);

    // A = softmax(Q Kᵀ / sqrt(d)), no mask. Everything in a Head is exact.
    rankcert::Head head;
    head.query = load(file, std::string(argv[2]) + ".q");
    head.key = load(file, std::string(argv[2]) + ".k");
    head.scale.sqrt_of = static_cast<std::uint64_t>(head.query.cols());

    rankcert::BracketResult result = rankcert::bracket_head(head, {rankcert::parse_rational(argv[3])});
    const rankcert::Bracket& bracket = result.brackets.front();
    std::cout << bracket.lower_rank() << " ≤ r ≤ " << bracket.upper_rank() << ", proved\n";

    result.bundle.input.file = std::filesystem::path(argv[1]).filename();
    result.bundle.input.head = argv[2];
    result.bundle.format = rankcert::NumberFormat::float32;  // of the file's q and k
    rankcert::write_bundle(result.bundle, argv[4]);
    return 0;
} catch (const rankcert::Error& error) {
    std::cerr << "bracket_head: " << error.what() << '\n';
    return 3;
}
