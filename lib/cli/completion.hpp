#pragma once
/// \file completion.hpp  rankcert completion: scripts by which a shell completes our commands and options.

#include <string>
#include <vector>

namespace rankcert::cli {

struct CompletionArguments {
    std::string shell;
};

[[nodiscard]] int run_completion(const CompletionArguments& arguments);

/// What can stand behind an option or as an argument.
enum class ValueKind { none, other, file, folder, words };

struct CompletionOption {
    std::vector<std::string> names;  ///< "-o", "--output"; empty for a positional argument
    std::string help;
    ValueKind value = ValueKind::none;
    std::vector<std::string> words;  ///< for ValueKind::words
};

struct CompletionCommand {
    std::string name;
    std::string help;
    std::vector<CompletionOption> options;
};

[[nodiscard]] std::string bash_completion(const std::vector<CompletionCommand>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<CompletionCommand>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<CompletionCommand>& commands);

}  // namespace rankcert::cli
