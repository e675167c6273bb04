#pragma once
/// \file load.hpp  From the user's files and options to heads and matrices. Nothing is guessed.

#include <optional>
#include <string>
#include <vector>

#include "numbers.hpp"
#include "rankcert/certificate/bundle.hpp"
#include "rankcert/io/safetensors.hpp"

namespace rankcert::cli {

/// Query and key of one head as found in a file, before any option is applied.
struct HeadTensors {
    std::string name;  ///< "layer2.head1"; empty where the file holds one head without a name
    const Tensor* query = nullptr;
    const Tensor* key = nullptr;
};

/// An input as read from disk.
struct InputFile {
    std::string path;                                ///< as the user wrote it
    std::string sha256;                              ///< of the file; empty for a pair of files
    std::map<std::string, std::string> role_sha256;  ///< of the files of a pair
    Safetensors contents;
};

enum class FileKind { npy, npz, safetensors };

/// By the extension where it is one of these, else by the first bytes; what is none of the others is taken
/// for .safetensors.
[[nodiscard]] FileKind kind_of(const std::string& path, const std::vector<std::byte>& bytes);

/// Reads a .safetensors or an .npz file. Throws Error for others.
[[nodiscard]] InputFile read_input(const std::string& path);
/// Reads a --query and a --key file into one input with the tensors "query" and "key".
[[nodiscard]] InputFile read_pair(const std::string& query_path, const std::string& key_path);

/// The heads of a file in natural order: PREFIX.q with PREFIX.k, PREFIX.query with PREFIX.key, or these
/// without a prefix. Throws Error where one of a pair is missing.
[[nodiscard]] std::vector<HeadTensors> find_heads(const InputFile& input);

/// What the user said about the operator; empty texts mean "as the file says".
struct OperatorOptions {
    std::string scale;
    std::string mask;
    std::string mask_kind;
    std::string alignment;
    std::string rounded_from;
    std::string option_hint;  ///< for errors: what to write, such as "--scale"
};

/// One thing to bracket.
struct Task {
    std::string name;  ///< head name, or the file's stem
    std::optional<Head> head;
    ExactMatrix matrix;  ///< where there is no head
    NumberFormat format = NumberFormat::float64;
    InputReference input;
    std::string path;             ///< the input as the user wrote it
    std::string beta_multiplier;  ///< "1", "1/2", "1/2..2"

    [[nodiscard]] Eigen::Index rows() const { return head ? head->queries() : matrix.rows(); }
    [[nodiscard]] Eigen::Index cols() const { return head ? head->keys() : matrix.cols(); }
};

struct LoadedTasks {
    std::vector<Task> tasks;
    std::vector<std::string> notes;  ///< what was read and what the options overrode, a line each
};

/// The tasks of the chosen heads (all where `names` is empty) times the multipliers, validated.
[[nodiscard]] LoadedTasks load_heads(const InputFile& input, const std::vector<std::string>& names,
                                     const OperatorOptions& options,
                                     const std::vector<Multiplier>& multipliers);

/// The task of an explicit matrix in an .npy file.
[[nodiscard]] LoadedTasks load_matrix(const std::string& path);

/// The first entries of a matrix, for a reader to recognise the layout by.
[[nodiscard]] std::string first_values(const Tensor& tensor);

/// The last part of a path, and that without its extension.
[[nodiscard]] std::string file_name_of(const std::string& path);
[[nodiscard]] std::string stem_of(const std::string& path);

}  // namespace rankcert::cli
