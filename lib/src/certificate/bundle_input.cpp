// Whether a file is the input that a bundle speaks of.

#include <algorithm>

#include "bundle_format.hpp"
#include "io/text.hpp"
#include "rankcert/attention/mask.hpp"
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
    } else if (is_npz(bytes)) {
        input.contents.tensors = parse_npz(bytes, input.file);
    } else {
        input.contents = parse_safetensors(bytes, input.file);
    }
    return input;
}

/// What the certificate holds of one role.
struct Role {
    const char* name;
    const ExactMatrix* matrix = nullptr;  ///< of query, key and matrix
    const Mask* mask = nullptr;           ///< of mask
};

/// The roles whose values stand in the certificate, in alphabetical order.
std::vector<Role> embedded_roles(const Bundle& bundle) {
    if (!bundle.subject.head) return {{"matrix", &bundle.subject.centre, nullptr}};
    const Head& head = *bundle.subject.head;
    std::vector<Role> roles = {{"key", &head.key, nullptr}};
    if (head.mask.kind == MaskKind::boolean || head.mask.kind == MaskKind::additive)
        roles.push_back({"mask", nullptr, &head.mask});
    roles.push_back({"query", &head.query, nullptr});
    return roles;
}

/// Whether a tensor holds the embedded values. Throws where a matrix is none of finite numbers.
bool has_values(const Tensor& tensor, const Role& role, const std::string& file) {
    if (role.mask != nullptr) return holds_mask(tensor, *role.mask);
    try {
        return ExactMatrix::from_double(to_matrix(tensor)) == *role.matrix;
    } catch (const Error& error) {
        throw Error(file + ": " + error.what());
    }
}

/// The same, where it is open whether the tensor is this role's at all.
bool may_hold(const Tensor& tensor, const Role& role, const std::string& file) {
    try {
        return has_values(tensor, role, file);
    } catch (const Error&) {
        return false;
    }
}

/// Throws where the tensor of a role is not the recorded one, or does not hold the embedded values.
void require_values(const Tensor& tensor, const Role& role, const Bundle& bundle, const std::string& file) {
    const auto recorded = bundle.input.tensor_sha256.find(role.name);
    if (recorded != bundle.input.tensor_sha256.end() && sha256(tensor) != recorded->second) {
        throw Error(file + ": the " + std::string(role.name) +
                    " tensor is not the one of the certificate (its SHA-256 differs)");
    }
    if (!has_values(tensor, role, file)) {
        throw Error(file + ": the " + std::string(role.name) +
                    " tensor does not hold the numbers that the certificate holds");
    }
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

/// Whether the certificate says that the role stands in its one input file, or, where it names none, in whatever
/// holds it. A mask is in the file only where the certificate names its tensor there.
bool is_in_the_file(const Role& role, const Bundle& bundle) {
    if (bundle.input.role_file_sha256.contains(role.name)) return false;
    return role.mask == nullptr || bundle.input.tensors.contains(role.name);
}

/// The file is not the one input file of the certificate: which of the roles that came as files of their own is
/// it? One whose file's hash is recorded is recognised by that, any other by its values.
std::vector<std::string> require_one_of(const Input& input, const Bundle& bundle) {
    const bool has_main_file = !bundle.input.file_sha256.empty();
    std::vector<std::string> roles;
    for (const Role& role : embedded_roles(bundle)) {
        const auto recorded = bundle.input.role_file_sha256.find(role.name);
        const bool is_recorded = recorded != bundle.input.role_file_sha256.end();
        if (is_recorded && recorded->second != input.hash) continue;
        if (has_main_file && is_in_the_file(role, bundle)) continue;
        const bool has_name = bundle.input.tensors.contains(role.name);
        if (role.mask != nullptr && !is_recorded && !has_name && !input.is_npy) continue;
        const Tensor& tensor = tensor_of(input, role.name, bundle);
        if (!is_recorded && !may_hold(tensor, role, input.file)) continue;
        require_values(tensor, role, bundle, input.file);
        roles.push_back(role.name);
    }
    if (!roles.empty()) return roles;
    if (has_main_file) {
        throw Error(input.file + ": is not the file of the certificate: its SHA-256 is " + input.hash +
                    ", not " + bundle.input.file_sha256);
    }
    throw Error(input.file + ": is none of the inputs that the certificate speaks of (its SHA-256 is " +
                input.hash + ")");
}

}  // namespace

std::vector<std::string> require_input(const Bundle& bundle, const std::filesystem::path& file) {
    const Input input = read_input(file);
    if (bundle.input.file_sha256.empty() || bundle.input.file_sha256 != input.hash)
        return require_one_of(input, bundle);
    std::vector<std::string> roles;
    for (const Role& role : embedded_roles(bundle)) {
        if (!is_in_the_file(role, bundle)) continue;
        require_values(tensor_of(input, role.name, bundle), role, bundle, input.file);
        roles.push_back(role.name);
    }
    return roles;
}

}  // namespace rankcert
