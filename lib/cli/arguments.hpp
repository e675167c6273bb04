#pragma once
/// \file arguments.hpp  The command line as values.

#include <variant>

#include "audit.hpp"
#include "bracket.hpp"
#include "check.hpp"
#include "completion.hpp"
#include "info.hpp"
#include "version.hpp"

namespace rankcert::cli {

/// A finished conversation: print this (help) and end well.
struct HelpText {
    std::string text;
};

using Command = std::variant<HelpText, BracketArguments, AuditArguments, CheckArguments, InfoArguments, VersionArguments,
                             CompletionArguments>;

/// Reads the command line. Throws Error, one sentence, for anything that is not understood.
[[nodiscard]] Command parse_arguments(int argc, const char* const* argv);

/// The completion script of a shell ("bash", "zsh", "fish"), made from the very options that parse_arguments
/// reads.
[[nodiscard]] std::string completion_script(const std::string& shell);

}  // namespace rankcert::cli
