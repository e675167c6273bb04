#include <algorithm>
#include <cstring>
#include <sstream>

#include "load.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

bool starts_with(const std::vector<std::byte>& bytes, std::string_view magic) {
    return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

}  // namespace

std::string file_name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }
std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

FileKind kind_of(const std::string& path, const std::vector<std::byte>& bytes) {
    if (path.ends_with(".npy")) return FileKind::npy;
    if (path.ends_with(".npz")) return FileKind::npz;
    if (path.ends_with(".safetensors")) return FileKind::safetensors;
    if (starts_with(bytes, "\x93NUMPY")) return FileKind::npy;
    if (is_npz(bytes)) return FileKind::npz;
    return FileKind::safetensors;
}

InputFile read_input(const std::string& path) {
    InputFile input;
    input.path = path;
    const std::vector<std::byte> bytes = read_file(path);
    input.sha256 = sha256(bytes);
    const FileKind kind = kind_of(path, bytes);
    if (kind == FileKind::npy) {
        throw Error(printable(path) +
                    " is a single .npy array: give --query and --key for a head, or --matrix for an "
                    "attention matrix.");
    }
    if (kind == FileKind::npz) {
        input.contents.tensors = parse_npz(bytes, path);
    } else {
        input.contents = parse_safetensors(bytes, path);
    }
    return input;
}

InputFile read_pair(const std::string& query_path, const std::string& key_path) {
    InputFile input;
    input.path = query_path;
    for (const auto& [path, name] : {std::pair{&query_path, "query"}, std::pair{&key_path, "key"}}) {
        const std::vector<std::byte> bytes = read_file(*path);
        input.role_sha256[name] = sha256(bytes);
        Tensor tensor = parse_npy(bytes, *path);
        tensor.name = name;
        input.contents.tensors.push_back(std::move(tensor));
    }
    return input;
}

std::vector<HeadTensors> find_heads(const InputFile& input) {
    std::vector<HeadTensors> heads;
    const auto& tensors = input.contents.tensors;
    struct Roles {
        std::string_view query;
        std::string_view key;
    };
    for (const Roles roles : {Roles{"q", "k"}, Roles{"query", "key"}}) {
        const auto prefix_of = [](const std::string& name,
                                  std::string_view role) -> std::optional<std::string> {
            if (name == role) return std::string();
            if (name.size() > role.size() + 1 && name.ends_with(role) &&
                name[name.size() - role.size() - 1] == '.') {
                return name.substr(0, name.size() - role.size() - 1);
            }
            return std::nullopt;
        };
        const auto with_prefix = [](const std::string& prefix, std::string_view role) {
            return prefix.empty() ? std::string(role) : prefix + "." + std::string(role);
        };
        std::map<std::string, const Tensor*> keys;
        for (const Tensor& tensor : tensors) {
            if (const auto prefix = prefix_of(tensor.name, roles.key)) keys[*prefix] = &tensor;
        }
        for (const Tensor& tensor : tensors) {
            const auto prefix = prefix_of(tensor.name, roles.query);
            if (!prefix) continue;
            const auto key = keys.find(*prefix);
            if (key == keys.end()) {
                throw Error(printable(input.path) + " has a tensor " + printable(tensor.name) + " but no " +
                            printable(with_prefix(*prefix, roles.key)) +
                            " to go with it: a head needs its query and its key.");
            }
            heads.push_back({*prefix, &tensor, key->second});
            keys.erase(key);
        }
        if (!keys.empty()) {
            throw Error(printable(input.path) + " has a tensor " + printable(keys.begin()->second->name) +
                        " but no " + printable(with_prefix(keys.begin()->first, roles.query)) +
                        " to go with it: a head needs its query and its key.");
        }
    }
    std::stable_sort(heads.begin(), heads.end(),
                     [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
    for (std::size_t i = 1; i < heads.size(); ++i) {
        if (heads[i].name == heads[i - 1].name) {
            throw Error(printable(input.path) + " has both q, k and query, key for the head \"" +
                        printable(heads[i].name) + "\": keep one pair.");
        }
    }
    return heads;
}

std::string first_values(const Tensor& tensor) {
    if (!is_floating(tensor.dtype) || tensor.shape.size() != 2 || tensor.data.empty()) return "";
    // Only the first row is converted, so that a large tensor costs nothing and a NaN further on is no matter
    // here.
    Tensor row = tensor;
    row.shape = {1, std::min<std::uint64_t>(tensor.shape[1], 4)};
    row.data.resize(static_cast<std::size_t>(row.shape[1]) * size_of(tensor.dtype));
    std::ostringstream text;
    text.precision(6);
    try {
        const Eigen::MatrixXd values = to_matrix(row);
        for (Eigen::Index j = 0; j < values.cols(); ++j) text << (j > 0 ? ", " : "") << values(0, j);
    } catch (const Error&) {
        return "not finite";
    }
    if (tensor.shape[1] > 4) text << ", …";
    return text.str();
}

}  // namespace rankcert::cli
