// The bytes of a certificate file.

#include <algorithm>

#include "bundle_format.hpp"
#include "io/text.hpp"
#include "rankcert/io/json.hpp"
#include "rankcert/io/sha256.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/version.hpp"

namespace rankcert {

namespace detail {
namespace {

using Bytes = std::vector<std::byte>;

/// What every certificate begins with, after the eight bytes of the header's length; the digest follows.
constexpr std::string_view kBeginning = "{\"__metadata__\":{\"digest\":\"";
constexpr std::size_t kDigestAt = 8 + kBeginning.size();
constexpr std::size_t kDigestSize = 64;

/// The digest that belongs to a file: SHA-256 of the file with 64 zeros in the digest's place.
/// Precondition: the file is at least that long.
std::string digest_of(std::span<const std::byte> bytes) {
    Sha256 hash;
    hash.update(bytes.first(kDigestAt));
    hash.update(std::string(kDigestSize, '0'));
    hash.update(bytes.subspan(kDigestAt + kDigestSize));
    return hash.finish();
}

/// The name of the tensor that says which keys are visible: a boolean mask is nothing else, an additive mask has
/// its biases too, under the name "mask".
const char* name_of_visible(const Mask& mask) {
    return mask.kind == MaskKind::boolean ? "mask" : "visible";
}

Tensor bool_tensor(const char* name, const BoolMatrix& keep) {
    Tensor tensor{name,
                  DType::boolean,
                  {static_cast<std::uint64_t>(keep.rows()), static_cast<std::uint64_t>(keep.cols())},
                  {}};
    for (Index i = 0; i < keep.rows(); ++i) {
        for (Index j = 0; j < keep.cols(); ++j)
            tensor.data.push_back(keep(i, j) ? std::byte{1} : std::byte{0});
    }
    return tensor;
}

Tensor operand(const char* name, const ExactMatrix& matrix, NumberFormat format) {
    if (!matrix.is_double())
        throw Error("the matrix '" + std::string(name) + "' does not hold floating-point numbers");
    return from_matrix(name, matrix.to_double(), dtype_of(format));
}

std::string format_information(const std::map<std::string, std::string>& information) {
    return nlohmann::json(information).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::map<std::string, std::string> parse_information(const std::string& text, const std::string& file) {
    const nlohmann::json json = parse_json(text, file + ": information", 2);
    std::map<std::string, std::string> information;
    if (!json.is_object()) throw Error(file + ": information is not a JSON object");
    for (const auto& [key, value] : json.items()) {
        if (!value.is_string()) throw Error(file + ": information " + io::in_quotes(key) + " is not a text");
        information[key] = value.get<std::string>();
    }
    return information;
}

/// The file of a bundle whose matrices are these tensors, in this order.
Bytes assemble(const Bundle& bundle, std::vector<Tensor> tensors,
               const std::map<std::string, long>& exponents) {
    Safetensors contents;
    contents.tensors = std::move(tensors);
    contents.metadata = {{"digest", std::string(kDigestSize, '0')},
                         {"format", std::string(kFormatName)},
                         {"format_version", std::string(kFormatVersion)},
                         {"information", format_information(bundle.information)},
                         {"statement", format_statement(bundle, exponents)}};
    Bytes bytes = format_safetensors(contents);
    const std::string digest = digest_of(bytes);
    std::transform(digest.begin(), digest.end(), bytes.begin() + kDigestAt,
                   [](char c) { return static_cast<std::byte>(c); });
    return bytes;
}

/// Whether a floating tensor has an element whose only bit is the sign.
bool has_negative_zero(const Tensor& tensor) {
    const std::size_t size = size_of(tensor.dtype);
    for (std::size_t at = 0; at < tensor.data.size(); at += size) {
        bool others = false;
        for (std::size_t k = 0; k + 1 < size; ++k) others = others || tensor.data[at + k] != std::byte{0};
        if (!others && tensor.data[at + size - 1] == std::byte{0x80}) return true;
    }
    return false;
}

/// The tensors of a file, each to be asked for once.
class Tensors {
  public:
    Tensors(const Safetensors& contents, const std::string& file) : file_(file) {
        if (!contents.unread.empty()) {
            throw Error(file + ": tensor " + io::in_quotes(contents.unread.front().name) +
                        " does not belong to a certificate");
        }
        for (const Tensor& tensor : contents.tensors) left_[tensor.name] = &tensor;
    }

    const Tensor& take(const std::string& name) {
        const auto found = left_.find(name);
        if (found == left_.end()) throw Error(file_ + ": has no tensor " + io::in_quotes(name));
        const Tensor& tensor = *found->second;
        left_.erase(found);
        return tensor;
    }

    void finish() const {
        if (left_.empty()) return;
        throw Error(file_ + ": tensor " + io::in_quotes(left_.begin()->first) +
                    " belongs to nothing in the statement");
    }

  private:
    const std::string& file_;
    std::map<std::string, const Tensor*> left_;
};

/// Reads the matrices of a file and judges, one by one, whether each stands there as the writer would store
/// it. That is so of a floating tensor without NaN and infinities exactly where it has no -0.0, since
/// widening and narrowing are exact; of limbs where storing them again gives the same.
class MatrixReader {
  public:
    MatrixReader(const Safetensors& contents, const std::map<std::string, long>& exponents,
                 const std::string& file)
        : tensors_(contents, file), exponents_(exponents) {}

    [[nodiscard]] ExactMatrix operand(const std::string& name, NumberFormat format) {
        const Tensor& tensor = take(name);
        if (tensor.dtype != dtype_of(format)) {
            throw Error("tensor '" + name + "' is " + to_string(tensor.dtype) + " where the statement says " +
                        to_string(dtype_of(format)));
        }
        ExactMatrix matrix = ExactMatrix::from_double(to_matrix(tensor));
        is_canonical_ = is_canonical_ && !has_negative_zero(tensor);
        return matrix;
    }

    [[nodiscard]] BoolMatrix visible(const char* name) { return to_bool_matrix(take(name)); }

    [[nodiscard]] ExactMatrix matrix(const std::string& name) {
        const Tensor& tensor = take(name);
        const auto found = exponents_.find(name);
        const auto exponent = found == exponents_.end() ? std::nullopt : std::optional(found->second);
        ExactMatrix result = load_matrix(tensor, exponent);
        if (!exponent) {
            is_canonical_ = is_canonical_ && !has_negative_zero(tensor);
            return result;
        }
        used_exponents_.insert(*found);
        const StoredMatrix again = store_matrix(name, result);
        is_canonical_ = is_canonical_ && again.exponent == exponent && again.tensor.shape == tensor.shape &&
                        again.tensor.data == tensor.data;
        return result;
    }

    /// Throws Error where the file has other tensors too, or is not the one file of this bundle.
    void finish(const Bundle& bundle, std::span<const std::byte> bytes, const std::string& file) {
        tensors_.finish();
        // One meaning, one file: this leaves no room for white space, other spellings of a number, another
        // order of keys or tensors, or limbs that say nothing.
        if (is_canonical_) {
            const Bytes again = assemble(bundle, std::move(in_order_), used_exponents_);
            if (std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) return;
        }
        throw Error(
            file + ": is not in the canonical form of a certificate; write it as certificate-format.md says");
    }

  private:
    const Tensor& take(const std::string& name) { return in_order_.emplace_back(tensors_.take(name)); }

    Tensors tensors_;
    const std::map<std::string, long>& exponents_;
    std::map<std::string, long> used_exponents_;
    std::vector<Tensor> in_order_;
    bool is_canonical_ = true;
};

/// Version 1 of the format.
Bundle parse_version_1(const Safetensors& contents, std::span<const std::byte> bytes,
                       const std::string& file) {
    Statement statement = parse_statement(contents.metadata.at("statement"), file);
    Bundle& bundle = statement.bundle;
    bundle.information = parse_information(contents.metadata.at("information"), file);
    MatrixReader reader(contents, statement.exponents, file);
    try {
        if (bundle.subject.head) {
            Head& head = *bundle.subject.head;
            head.query = reader.operand("query", bundle.format);
            head.key = reader.operand("key", bundle.format);
            if (statement.has_visible) head.mask.keep = reader.visible(name_of_visible(head.mask));
        }
        visit_all_matrices(
            bundle, [&](const std::string& name, ExactMatrix& matrix) { matrix = reader.matrix(name); });
        require_well_formed(bundle);
        reader.finish(bundle, bytes, file);
    } catch (const Error& error) {
        const std::string sentence = error.what();
        throw Error(sentence.starts_with(file) ? sentence : file + ": " + sentence);
    }
    return std::move(bundle);
}

}  // namespace

std::vector<std::byte> format_exactly(const Bundle& bundle) {
    require_well_formed(bundle);
    std::vector<Tensor> tensors;
    if (bundle.subject.head) {
        const Head& head = *bundle.subject.head;
        tensors.push_back(operand("query", head.query, bundle.format));
        tensors.push_back(operand("key", head.key, bundle.format));
        if (has_visible(head.mask))
            tensors.push_back(bool_tensor(name_of_visible(head.mask), head.mask.keep));
    }
    std::map<std::string, long> exponents;
    visit_all_matrices(bundle, [&](const std::string& name, const ExactMatrix& matrix) {
        StoredMatrix stored = store_matrix(name, matrix);
        if (stored.exponent) exponents[name] = *stored.exponent;
        tensors.push_back(std::move(stored.tensor));
    });
    return assemble(bundle, std::move(tensors), exponents);
}

}  // namespace detail

std::vector<std::byte> format_bundle(const Bundle& bundle) {
    Bundle with_tool = bundle;
    with_tool.information.try_emplace("tool", std::string("rankcert ") + kVersion);
    return detail::format_exactly(with_tool);
}

void write_bundle(const Bundle& bundle, const std::filesystem::path& path) {
    write_file_atomically(path, format_bundle(bundle));
}

Bundle parse_bundle(std::span<const std::byte> bytes, const std::string& file) {
    const Safetensors contents = parse_safetensors(bytes, file);
    const auto& metadata = contents.metadata;
    const auto value = [&metadata](const std::string& key) -> std::string_view {
        const auto found = metadata.find(key);
        return found == metadata.end() ? std::string_view() : std::string_view(found->second);
    };
    if (value("format") != detail::kFormatName) {
        throw Error(file +
                    ": is not a rankcert certificate (its metadata has no format \"rankcert-certificate\")");
    }
    if (value("format_version") != detail::kFormatVersion) {
        throw Error(file + ": is a certificate of the format version " +
                    io::in_quotes(value("format_version")) +
                    "; this program knows version 1, so use a newer one");
    }
    for (const auto& [key, text] : metadata) {
        if (key != "digest" && key != "format" && key != "format_version" && key != "information" &&
            key != "statement") {
            throw Error(file + ": has the unknown metadata " + io::in_quotes(key));
        }
    }
    if (metadata.size() != 5)
        throw Error(file + ": must have a digest, information and a statement in its metadata");
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.substr(8, detail::kBeginning.size()) != detail::kBeginning ||
        value("digest").size() != detail::kDigestSize) {
        throw Error(file + ": does not begin with its digest, as a certificate does");
    }
    if (detail::digest_of(bytes) != value("digest")) {
        throw Error(
            file +
            ": was changed or damaged after it was written (its digest does not match); make it again");
    }
    return detail::parse_version_1(contents, bytes, file);
}

Bundle read_bundle(const std::filesystem::path& path) {
    return parse_bundle(read_file(path, detail::kMaxCertificateBytes), path.string());
}

}  // namespace rankcert
