// Whether a file is the input that a bundle speaks of.

#include <algorithm>

#include "bundle_format.hpp"
#include "io/text.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/io/safetensors.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace {

/// The tensors of a file of any kind that we read; the one of a .npy file has no name.
struct Input {
    std::string file;
    std::string hash;
    bool is_npy = false;
    Safetensors contents;
};

Input read_input(const std::filesystem::path& path) {
    Input input;
    input.file = path.string();
    const std::vector<std::byte> bytes = read_file(path);
    input.hash = sha256(bytes);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.starts_with("\x93NUMPY")) {
        input.is_npy = true;
        input.contents.tensors.push_back(parse_npy(bytes, input.file));
    } else if (text.starts_with("PK")) {
        input.contents.tensors = parse_npz(bytes, input.file);
    } else {
        input.contents = parse_safetensors(bytes, input.file);
    }
    return input;
}

/// Whether a tensor holds the embedded values. Throws where it is no matrix of finite numbers.
bool has_values(const Tensor& tensor, const ExactMatrix& embedded, const std::string& file) {
    try {
        return ExactMatrix::from_double(to_matrix(tensor)) == embedded;
    } catch (const Error& error) {
        throw Error(file + ": " + error.what());
    }
}

/// Throws where the tensor of a role is not the recorded one, or does not hold the embedded values.
void require_values(const Tensor& tensor, const ExactMatrix& embedded, const std::string& role,
                    const Bundle& bundle, const std::string& file) {
    const auto recorded = bundle.input.tensor_sha256.find(role);
    if (recorded != bundle.input.tensor_sha256.end() && sha256(tensor) != recorded->second) {
        throw Error(file + ": the " + role +
                    " tensor is not the one of the certificate (its SHA-256 differs)");
    }
    if (!has_values(tensor, embedded, file)) {
        throw Error(file + ": the " + role + " tensor does not hold the numbers that the certificate holds");
    }
}

/// The embedded matrix of each role.
std::vector<std::pair<std::string, const ExactMatrix*>> embedded_matrices(const Bundle& bundle) {
    if (!bundle.subject.head) return {{"matrix", &bundle.subject.centre}};
    return {{"key", &bundle.subject.head->key}, {"query", &bundle.subject.head->query}};
}

const Tensor& tensor_of(const Input& input, const std::string& role, const Bundle& bundle) {
    if (input.is_npy) return input.contents.tensors.front();
    const auto name = bundle.input.tensors.find(role);
    if (name == bundle.input.tensors.end()) {
        throw Error(input.file + ": the certificate does not say which tensor of it is the " + role);
    }
    const Tensor* tensor = input.contents.find(name->second);
    if (tensor == nullptr)
        throw Error(input.file + ": has no tensor " + io::in_quotes(name->second) + " (the " + role + ")");
    return *tensor;
}

/// No hash of one whole file is recorded: query and key came as files of their own. Which of them is this
/// one? A role whose file's hash is recorded is recognised by that, any other by its values.
std::vector<std::string> require_one_of(const Input& input, const Bundle& bundle) {
    std::vector<std::string> roles;
    for (const auto& [role, embedded] : embedded_matrices(bundle)) {
        const auto recorded = bundle.input.role_file_sha256.find(role);
        const bool is_recorded = recorded != bundle.input.role_file_sha256.end();
        if (is_recorded && recorded->second != input.hash) continue;
        const Tensor& tensor = tensor_of(input, role, bundle);
        if (!is_recorded && !has_values(tensor, *embedded, input.file)) continue;
        require_values(tensor, *embedded, role, bundle, input.file);
        roles.push_back(role);
    }
    if (roles.empty()) {
        throw Error(input.file + ": is none of the inputs that the certificate speaks of (its SHA-256 is " +
                    input.hash + ")");
    }
    return roles;
}

}  // namespace

std::vector<std::string> require_input(const Bundle& bundle, const std::filesystem::path& file) {
    const Input input = read_input(file);
    const std::string& recorded = bundle.input.file_sha256;
    if (recorded.empty()) return require_one_of(input, bundle);
    if (recorded != input.hash) {
        throw Error(input.file + ": is not the file of the certificate: its SHA-256 is " + input.hash +
                    ", not " + recorded);
    }
    std::vector<std::string> roles;
    for (const auto& [role, embedded] : embedded_matrices(bundle)) {
        require_values(tensor_of(input, role, bundle), *embedded, role, bundle, input.file);
        roles.push_back(role);
    }
    return roles;
}

}  // namespace rankcert
