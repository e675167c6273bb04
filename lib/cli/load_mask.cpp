#include "load_mask.hpp"

#include "rankcert/io/file.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

MaskFile read_mask(const std::string& path, const std::string& kind, Eigen::Index queries,
                   Eigen::Index keys) {
    if (!path.ends_with(".npy")) {
        throw Error("--mask \"" + printable(path) +
                    "\" is neither none nor causal nor the name of an .npy file.");
    }
    const std::vector<std::byte> bytes = read_file(path);
    const Tensor tensor = parse_npy(bytes, path);
    const std::string file = printable(path);
    const std::vector<std::uint64_t> wanted = {static_cast<std::uint64_t>(queries),
                                               static_cast<std::uint64_t>(keys)};
    if (tensor.shape != wanted) {
        throw Error(file + " is " + dimensions(tensor.shape) + ", but the head needs a mask of " +
                    dimensions(wanted) + " (queries by keys).");
    }
    if (tensor.dtype == DType::boolean && kind == "additive") {
        throw Error(file + " is a boolean mask: --mask-kind additive does not go with it.");
    }
    if (tensor.dtype != DType::boolean && kind.empty()) {
        throw Error(file + " is a mask of type " + to_string(tensor.dtype) +
                    ": say with --mask-kind boolean (1 keeps a key, 0 hides it) or additive (added to the "
                    "logits; -infinity hides a key) how to read it.");
    }
    const bool is_boolean = tensor.dtype == DType::boolean || kind == "boolean";
    MaskFile result;
    try {
        result.mask = to_mask(tensor, is_boolean ? MaskReading::boolean : MaskReading::additive);
    } catch (const Error& error) {
        throw Error(file + ": " + error.what());
    }
    result.tensor_sha256 = sha256(tensor);
    result.file_sha256 = sha256(bytes);
    return result;
}

}  // namespace rankcert::cli
