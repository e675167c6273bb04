#include "info.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "describe.hpp"
#include "exit_code.hpp"
#include "load.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestValue = 200;  // of a metadata entry on the screen

std::string shortened(const std::string& text) {
    std::string safe = printable(text);
    if (width_of(safe) <= kLongestValue) return safe;
    while (width_of(safe) > kLongestValue || (safe.back() & 0xC0) == 0x80) safe.pop_back();
    return safe + "…";
}

Json to_json(const Tensor& tensor) {
    return {{"name", tensor.name},
            {"dtype", to_string(tensor.dtype)},
            {"shape", tensor.shape},
            {"first_values", first_values(tensor)},
            {"sha256", sha256(tensor)}};
}

std::string to_lines(const std::vector<Tensor>& tensors) {
    std::size_t name_width = 0;
    for (const Tensor& tensor : tensors) name_width = std::max(name_width, width_of(printable(tensor.name)));
    name_width = std::min<std::size_t>(name_width, 60);
    std::string text;
    for (const Tensor& tensor : tensors) {
        const std::string values = first_values(tensor);
        text += "  " + pad(printable(tensor.name), name_width) + "  " + pad(to_string(tensor.dtype), 4) +
                "  " + pad(dimensions(tensor.shape), 9) + "  sha256 " + sha256(tensor) +
                (values.empty() ? "" : "  [" + values + "]") + "\n";
    }
    return text;
}

void show_input(const InputFile& input, const std::string& kind, std::uintmax_t size, bool json) {
    std::vector<HeadTensors> heads;
    std::string fault;
    try {
        heads = find_heads(input);
    } catch (const Error& error) {
        fault = error.what();
    }
    if (json) {
        Json names = Json::array();
        for (const HeadTensors& head : heads) names.push_back(head.name);
        Json tensors = Json::array();
        for (const Tensor& tensor : input.contents.tensors) tensors.push_back(to_json(tensor));
        print(dump_line({{"file", input.path},
                         {"kind", kind},
                         {"bytes", size},
                         {"sha256", input.sha256},
                         {"heads", names},
                         {"metadata", input.contents.metadata},
                         {"tensors", tensors}}));
        return;
    }
    std::string text = printable(input.path) + ": " + kind + ", " + std::to_string(size) + " bytes, sha256 " +
                       input.sha256 + "\n";
    const auto said = [&](const char* key, const char* name, const char* option) {
        const auto found = input.contents.metadata.find(key);
        return std::string(name) + " " +
               (found == input.contents.metadata.end()
                    ? std::string("not given in the file (use ") + option + ")"
                    : shortened(found->second));
    };
    if (kind != "npy") {
        text += std::to_string(heads.size()) + (heads.size() == 1 ? " head" : " heads");
        if (!heads.empty())
            text += ", " + said("beta", "scale", "--scale") + ", " + said("mask", "mask", "--mask");
        text += "\n";
        if (!fault.empty()) text += "  " + fault + "\n";
    }
    for (const HeadTensors& head : heads) {
        text += "  " + (head.name.empty() ? "(one head without a name)" : printable(head.name)) + ": " +
                printable(head.query->name) + " with " + printable(head.key->name) + "\n";
    }
    if (!input.contents.metadata.empty()) text += "metadata\n";
    for (const auto& [key, value] : input.contents.metadata) {
        text += "  " + shortened(key) + ": " + shortened(value) + "\n";
    }
    text += std::to_string(input.contents.tensors.size()) +
            (input.contents.tensors.size() == 1 ? " tensor\n" : " tensors\n") +
            to_lines(input.contents.tensors);
    print(text);
}

void show_certificate(const std::string& path, const std::vector<std::byte>& bytes, bool json) {
    const Bundle bundle = read_bundle(path);
    const std::vector<std::string> subject = describe_subject(bundle);
    if (json) {
        Json claims = Json::array();
        for (const Claim& claim : bundle.claims) {
            claims.push_back(
                {{"epsilon", to_string(claim.epsilon)},
                 {"claimed_lower", claim.lower_witness < 0 ? Json(nullptr) : Json(claim.lower)},
                 {"claimed_upper", claim.upper_witness < 0 ? Json(nullptr) : Json(claim.upper)}});
        }
        print(dump_line({{"file", path},
                         {"kind", "certificate"},
                         {"bytes", bytes.size()},
                         {"sha256", sha256(bytes)},
                         {"input_file", bundle.input.file},
                         {"input_sha256", bundle.input.file_sha256},
                         {"head", bundle.input.head},
                         {"subject", subject},
                         {"claims", claims}}));
        return;
    }
    std::string text = printable(path) + ": certificate, " + std::to_string(bytes.size()) +
                       " bytes, sha256 " + sha256(bytes) + "\n";
    text += "about " + describe_origin(bundle.input) + "\n";
    if (!bundle.input.file_sha256.empty()) text += "  file sha256 " + bundle.input.file_sha256 + "\n";
    for (const std::string& line : subject) text += "  " + line + "\n";
    text += "  " + meaning_of_rank() + "\n";
    text += "claimed, not checked here (rankcert check proves it)\n";
    for (const Claim& claim : bundle.claims) {
        text += "  ε=" + decimal_or_fraction(claim.epsilon, 12) + "  " + claim_text(claim) + "\n";
    }
    text += "witnesses\n";
    for (const LowerWitness& witness : bundle.lower_witnesses) {
        text += std::string("  lower  ") + method_name(witness) + "\n";
    }
    for (const UpperWitness& witness : bundle.upper_witnesses) {
        text += std::string("  upper  ") + method_name(witness) + "\n";
    }
    print(text);
}

}  // namespace

int run_info(const InfoArguments& arguments) {
    const std::string& path = arguments.file;
    const std::vector<std::byte> bytes = read_file(path);
    const FileKind kind = kind_of(path, bytes);
    if (kind == FileKind::npy) {
        InputFile input;
        input.path = path;
        input.sha256 = sha256(bytes);
        input.contents.tensors.push_back(parse_npy(bytes, path));
        input.contents.tensors.front().name = stem_of(path);
        show_input(input, "npy", bytes.size(), arguments.json);
        return kProved;
    }
    const InputFile input = read_input(path);
    const auto format = input.contents.metadata.find("format");
    if (format != input.contents.metadata.end() && format->second.starts_with("rankcert-certificate")) {
        show_certificate(path, bytes, arguments.json);
        return kProved;
    }
    show_input(input, kind == FileKind::npz ? "npz" : "safetensors", bytes.size(), arguments.json);
    return kProved;
}

}  // namespace rankcert::cli
