// Makes tests/data/certificates. Nothing runs this by itself:
//   make_certificates certificates DATA    writes the certificates and their inputs, anew
//   make_certificates transcript DATA      writes what the exact checker says of the certificates that are
//   there
// DATA is the folder tests/data.

#include <exception>
#include <iostream>
#include <string_view>

#include "environment/generate/subjects.hpp"
#include "environment/report.hpp"
#include "rankcert/io/file.hpp"

namespace rankcert::tests {

void Made::add(CertificateMaker& maker) {
    Bundle bundle = maker.finish();
    std::cout << maker.name() << ": " << bundle.claims.size() << " claims" << std::endl;
    names.push_back(maker.name());
    if (bundle.input.file.empty()) {
        constexpr DType types[] = {DType::f16, DType::bf16, DType::f32, DType::f64};
        const DType type = types[static_cast<std::size_t>(bundle.format)];
        const auto put = [&](const char* role, const ExactMatrix& matrix) {
            inputs.tensors.push_back(from_matrix(maker.name() + '.' + role, matrix.to_double(), type));
            bundle.input.tensors[role] = inputs.tensors.back().name;
            bundle.input.tensor_sha256[role] = sha256(inputs.tensors.back());
        };
        if (bundle.subject.head) {
            put("query", bundle.subject.head->query);
            put("key", bundle.subject.head->key);
        } else {
            put("matrix", bundle.subject.centre);
        }
    }
    bundles.push_back(std::move(bundle));
}

}  // namespace rankcert::tests

namespace {

using namespace rankcert;

void write_certificates(const std::filesystem::path& data) {
    tests::Made made;
    tests::make_matrices(made);
    tests::make_heads(made, data / "heads");
    const auto folder = data / "certificates";
    for (const auto& old : tests::certificates_in(folder)) std::filesystem::remove(old);
    const std::vector<std::byte> inputs = format_safetensors(made.inputs);
    write_file_atomically(folder / "inputs.safetensors", inputs);
    for (std::size_t i = 0; i < made.bundles.size(); ++i) {
        Bundle& bundle = made.bundles[i];
        if (bundle.input.file.empty()) {
            bundle.input.file = "inputs.safetensors";
            bundle.input.file_sha256 = sha256(inputs);
        }
        write_bundle(bundle, folder / (made.names[i] + ".cert.safetensors"));
    }
}

void write_transcript(const std::filesystem::path& data) {
    std::string text;
    for (const auto& file : tests::certificates_in(data / "certificates"))
        text += tests::report(file, Level::exact).text;
    write_file_atomically(data / "certificates/exact.txt", text);
}

}  // namespace

int main(int argc, char** argv) try {
    const std::string_view what = argc == 3 ? argv[1] : "";
    if (what == "certificates") {
        write_certificates(argv[2]);
    } else if (what == "transcript") {
        write_transcript(argv[2]);
    } else {
        std::cerr << "usage: make_certificates certificates|transcript DATA\n";
        return 3;
    }
    return 0;
} catch (const std::exception& error) {
    std::cerr << "make_certificates: " << error.what() << '\n';
    return 3;
}
