#include <algorithm>

#include "load.hpp"
#include "load_mask.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

NumberFormat format_of(const Tensor& tensor) {
    switch (tensor.dtype) {
        case DType::f16:
            return NumberFormat::float16;
        case DType::bf16:
            return NumberFormat::bfloat16;
        case DType::f32:
            return NumberFormat::float32;
        default:
            return NumberFormat::float64;
    }
}

/// A format that holds the numbers of both exactly.
NumberFormat common_format(const Tensor& query, const Tensor& key) {
    const NumberFormat a = format_of(query);
    const NumberFormat b = format_of(key);
    if (a == b) return a;
    const bool double_needed = a == NumberFormat::float64 || b == NumberFormat::float64;
    return double_needed ? NumberFormat::float64 : NumberFormat::float32;
}

std::string list_of(const std::vector<std::string>& names) {
    if (names.size() <= 4) {
        return printable(join(names, ", "));
    }
    return printable(names.front()) + ", " + printable(names[1]) + ", …, " + printable(names.back());
}

std::vector<HeadTensors> choose(const InputFile& input, const std::vector<HeadTensors>& heads,
                                const std::vector<std::string>& names) {
    if (names.empty()) return heads;
    std::vector<std::string> known;
    for (const HeadTensors& head : heads) known.push_back(head.name);
    std::vector<HeadTensors> chosen;
    for (const HeadTensors& head : heads) {
        if (std::find(names.begin(), names.end(), head.name) != names.end()) chosen.push_back(head);
    }
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const std::string near = nearest_name(name, known);
        throw Error(printable(input.path) + " has no head \"" + printable(name) + "\"" +
                    (near.empty() ? std::string() : ", did you mean \"" + printable(near) + "\"?") +
                    " (it has " + std::to_string(known.size()) + ": " + list_of(known) + ")");
    }
    return chosen;
}

const Tensor& require_matrix(const Tensor& tensor, const std::string& path) {
    if (!is_floating(tensor.dtype)) {
        throw Error(printable(path) + ": tensor " + printable(tensor.name) + " has the type " +
                    to_string(tensor.dtype) + ": query and key must be F16, BF16, F32 or F64.");
    }
    if (tensor.shape.size() != 2) {
        throw Error(printable(path) + ": tensor " + printable(tensor.name) + " has the shape " +
                    dimensions(tensor.shape) +
                    ": a head's query and key are tables with one row a token; store each head apart.");
    }
    return tensor;
}

std::string metadata(const InputFile& input, const std::string& name) {
    const auto found = input.contents.metadata.find(name);
    return found == input.contents.metadata.end() ? std::string() : found->second;
}

struct OperatorChoice {
    std::string scale_note;
    std::string mask_note;
    std::optional<MaskFile> mask_file;
};

Scale choose_scale(const InputFile& input, const OperatorOptions& options, Eigen::Index dimension,
                   OperatorChoice& choice) {
    const std::string stored = metadata(input, "beta");
    if (!options.scale.empty()) {
        const Scale scale = parse_scale(options.scale, dimension);
        choice.scale_note =
            describe(scale) + " (--scale" +
            (stored.empty() ? std::string(")") : "; the file says " + printable(stored) + ")");
        return scale;
    }
    if (stored.empty()) {
        throw Error(printable(input.path) +
                    " does not say by what factor q·k is scaled (no \"beta\" in its metadata): give --scale "
                    "'1/sqrt(d)' or a number.");
    }
    Scale scale;
    scale.factor = nearest_double_of(stored, printable(input.path) + ": the metadata entry \"beta\"");
    choice.scale_note = printable(stored) + " (from the file, as the float64 number)";
    return scale;
}

Mask choose_mask(const InputFile& input, const OperatorOptions& options, Eigen::Index queries,
                 Eigen::Index keys, OperatorChoice& choice) {
    const std::string stored = metadata(input, "mask");
    const bool from_option = !options.mask.empty();
    const std::string text = from_option ? options.mask : stored;
    if (text.empty()) {
        throw Error(printable(input.path) +
                    " does not say which keys a query sees (no \"mask\" in its metadata): give --mask none, "
                    "causal or a FILE.");
    }
    if (!from_option && text != "none" && text != "causal") {
        throw Error(printable(input.path) + ": the metadata entry \"mask\" is \"" + printable(text) +
                    "\", which is neither none nor causal: give --mask none, causal or a FILE.");
    }
    Mask mask;
    if (text == "none" || text == "causal") {
        if (!options.mask_kind.empty()) {
            throw Error("--mask-kind says how to read a mask file, but the mask is " + text +
                        ": leave it out, or give --mask FILE.");
        }
        mask.kind = text == "none" ? MaskKind::none : MaskKind::causal;
    } else {
        choice.mask_file = read_mask(text, options.mask_kind, queries, keys);
        mask = choice.mask_file->mask;
    }
    choice.mask_note = printable(text);
    if (!options.alignment.empty()) {
        if (mask.kind != MaskKind::causal) {
            throw Error("--alignment is for causal masks, and the mask is " + printable(text) +
                        ": leave it out.");
        }
        mask.alignment =
            options.alignment == "top-left" ? CausalAlignment::top_left : CausalAlignment::bottom_right;
        choice.mask_note += ", " + options.alignment;
    } else if (mask.kind == MaskKind::causal && queries != keys) {
        throw Error(printable(input.path) + ": a causal mask over " + std::to_string(queries) +
                    " queries and " + std::to_string(keys) +
                    " keys can be meant in two ways: give --alignment bottom-right (the last query sees all "
                    "keys) or top-left (query i sees keys 0 to i).");
    }
    choice.mask_note +=
        from_option
            ? " (--mask" + (stored.empty() ? std::string(")") : "; the file says " + printable(stored) + ")")
            : " (from the file)";
    return mask;
}

}  // namespace

LoadedTasks load_heads(const InputFile& input, const std::vector<std::string>& names,
                       const OperatorOptions& options, const std::vector<Multiplier>& multipliers) {
    if (metadata(input, "format").starts_with("rankcert-certificate")) {
        throw Error(printable(input.path) +
                    " is a certificate, not an input: prove it again with rankcert check.");
    }
    const std::vector<HeadTensors> heads = find_heads(input);
    if (heads.empty()) {
        throw Error(
            printable(input.path) +
            " has no attention head: a head is a pair of tensors named NAME.q and NAME.k, or query and key.");
    }
    std::optional<NumberFormat> rounded_from;
    if (!options.rounded_from.empty()) rounded_from = parse_number_format(options.rounded_from);
    LoadedTasks loaded;
    OperatorChoice last;
    for (const HeadTensors& tensors : choose(input, heads, names)) {
        const Tensor& query = require_matrix(*tensors.query, input.path);
        const Tensor& key = require_matrix(*tensors.key, input.path);
        if (query.shape[1] != key.shape[1]) {
            throw Error(printable(input.path) + ": " + printable(query.name) + " is " +
                        dimensions(query.shape) + " and " + printable(key.name) + " is " +
                        dimensions(key.shape) + ": query and key must have the same number of columns.");
        }
        Head head;
        const auto exact = [&](const Tensor& tensor) {
            try {
                return ExactMatrix::from_double(to_matrix(tensor));
            } catch (const Error& error) {
                throw Error(printable(input.path) + ": " + error.what());
            }
        };
        head.query = exact(query);
        head.key = exact(key);
        OperatorChoice choice;
        head.scale = choose_scale(input, options, head.query.cols(), choice);
        head.mask = choose_mask(input, options, head.queries(), head.keys(), choice);
        head.rounded_from = rounded_from;
        if (loaded.tasks.empty() || choice.scale_note != last.scale_note ||
            choice.mask_note != last.mask_note) {
            loaded.notes.push_back(
                (tensors.name.empty() ? std::string() : printable(tensors.name) + ": ") + "q " +
                dimensions(query.shape) + " " + to_string(query.dtype) + " [" + first_values(query) +
                "], k " + dimensions(key.shape) + " " + to_string(key.dtype) + " [" + first_values(key) +
                "], scale " + choice.scale_note + ", mask " + choice.mask_note +
                (rounded_from ? ", any Q, K that round to these in " + options.rounded_from : std::string()));
            last = choice;
        }
        for (const Multiplier& multiplier : multipliers) {
            Task task;
            task.name = tensors.name.empty() ? stem_of(input.path) : tensors.name;
            head.multiplier_low = multiplier.low;
            head.multiplier_high = multiplier.high;
            task.head = head;
            try {
                validate(head);
            } catch (const Error& error) {
                throw Error(printable(input.path) + ": " +
                            (tensors.name.empty() ? std::string() : printable(tensors.name) + ": ") +
                            error.what());
            }
            task.format = common_format(query, key);
            task.input.file = printable(file_name_of(input.path));
            task.input.file_sha256 = input.sha256;
            task.input.tensors = {{"query", query.name}, {"key", key.name}};
            task.input.head = tensors.name;
            task.input.tensor_sha256 = {{"query", sha256(query)}, {"key", sha256(key)}};
            task.input.role_file_sha256 = input.role_sha256;
            if (choice.mask_file) {
                task.input.tensors["mask"] = "";
                task.input.tensor_sha256["mask"] = choice.mask_file->tensor_sha256;
                task.input.role_file_sha256["mask"] = choice.mask_file->file_sha256;
            }
            task.path = input.path;
            task.beta_multiplier = multiplier.text;
            loaded.tasks.push_back(std::move(task));
        }
    }
    return loaded;
}

LoadedTasks load_matrix(const std::string& path) {
    const std::vector<std::byte> bytes = read_file(path);
    Tensor tensor = parse_npy(bytes, path);
    tensor.name = "matrix";
    if (!is_floating(tensor.dtype) || tensor.shape.size() != 2) {
        throw Error(printable(path) + " holds a " + dimensions(tensor.shape) + " array of " +
                    to_string(tensor.dtype) +
                    ": --matrix takes a two-dimensional array of floating-point numbers.");
    }
    if (tensor.data.empty()) {
        throw Error(printable(path) + " holds an empty array of shape " + dimensions(tensor.shape) +
                    ": there is nothing to bracket.");
    }
    Task task;
    try {
        task.matrix = ExactMatrix::from_double(to_matrix(tensor));
    } catch (const Error& error) {
        throw Error(printable(path) + ": " + error.what());
    }
    task.name = stem_of(path);
    task.format = format_of(tensor);
    task.input.file = printable(file_name_of(path));
    task.input.file_sha256 = sha256(bytes);
    task.input.tensors = {{"matrix", ""}};
    task.input.tensor_sha256 = {{"matrix", sha256(tensor)}};
    task.path = path;
    task.beta_multiplier = "1";
    LoadedTasks loaded;
    loaded.notes.push_back("matrix " + dimensions(tensor.shape) + " " + to_string(tensor.dtype) + " [" +
                           first_values(tensor) + "], taken as it stands");
    loaded.tasks.push_back(std::move(task));
    return loaded;
}

}  // namespace rankcert::cli
