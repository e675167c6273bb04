#include "completion.hpp"

#include "arguments.hpp"
#include "exit_code.hpp"
#include "output.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

/// Inside single quotes of a POSIX shell.
std::string quoted(const std::string& text) {
    std::string inside;
    for (const char c : text) inside += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return "'" + inside + "'";
}

/// The first sentence of a help text, without the characters that zsh's _arguments takes for its own.
std::string zsh_help(const std::string& help) {
    std::string text;
    for (const char c : help.substr(0, help.find('\n'))) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') text += '\\';
        text += c;
    }
    return text;
}

std::string zsh_action(const CompletionOption& option) {
    switch (option.value) {
        case ValueKind::none:
            return "";
        case ValueKind::other:
            return ":value: ";
        case ValueKind::file:
            return ":file:_files";
        case ValueKind::folder:
            return ":folder:_files -/";
        case ValueKind::words:
            break;
    }
    return ":value:(" + join(option.words, " ") + ")";
}

/// The options and arguments of a command that take a value of this kind.
std::string names_with(const CompletionCommand& command, ValueKind kind) {
    std::vector<std::string> names;
    for (const CompletionOption& option : command.options) {
        if (option.value == kind) names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return join(names, "|");
}

}  // namespace

std::string bash_completion(const std::vector<CompletionCommand>& commands) {
    std::vector<std::string> names;
    for (const CompletionCommand& command : commands) names.push_back(command.name);
    std::string script =
        "# bash completion for rankcert; put it in ~/.local/share/bash-completion/completions/rankcert\n"
        "_rankcert() {\n"
        "    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W \"" +
        join(names, " ") +
        " --help --version\" -- \"$current\"))\n"
        "        return\n"
        "    fi\n"
        "    case \"${COMP_WORDS[1]}\" in\n";
    for (const CompletionCommand& command : commands) {
        std::vector<std::string> options;
        std::string positional_files;
        std::string positional_words;
        script += "        " + command.name + ")\n            case \"$previous\" in\n";
        for (const CompletionOption& option : command.options) {
            options.insert(options.end(), option.names.begin(), option.names.end());
            if (option.names.empty() && option.value == ValueKind::words)
                positional_words = join(option.words, " ");
            if (option.names.empty() && option.value == ValueKind::file) positional_files = "yes";
            if (!option.names.empty() && option.value == ValueKind::words) {
                script += "                " + join(option.names, "|") + ") COMPREPLY=($(compgen -W \"" +
                          join(option.words, " ") + "\" -- \"$current\")); return ;;\n";
            }
        }
        const std::string files = names_with(command, ValueKind::file);
        const std::string folders = names_with(command, ValueKind::folder);
        const std::string others = names_with(command, ValueKind::other);
        const std::string reply = ") compopt -o filenames; COMPREPLY=($(compgen ";
        if (!files.empty())
            script += "                " + files + reply + "-f -- \"$current\")); return ;;\n";
        if (!folders.empty())
            script += "                " + folders + reply + "-d -- \"$current\")); return ;;\n";
        if (!others.empty()) script += "                " + others + ") return ;;\n";
        script +=
            "            esac\n            case \"$current\" in\n                -*) COMPREPLY=($(compgen -W "
            "\"" +
            join(options, " ") + "\" -- \"$current\")) ;;\n";
        if (!positional_words.empty()) {
            script += "                *) COMPREPLY=($(compgen -W \"" + positional_words +
                      "\" -- \"$current\")) ;;\n";
        } else if (!positional_files.empty()) {
            script +=
                "                *) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\")) ;;\n";
        }
        script += "            esac ;;\n";
    }
    return script + "    esac\n}\ncomplete -F _rankcert rankcert\n";
}

std::string zsh_completion(const std::vector<CompletionCommand>& commands) {
    std::string script =
        "#compdef rankcert\n"
        "# zsh completion for rankcert; put it as _rankcert into a folder of $fpath\n"
        "_rankcert() {\n"
        "    local -a commands\n"
        "    commands=(\n";
    for (const CompletionCommand& command : commands) {
        script += "        " + quoted(command.name + ":" + zsh_help(command.help)) + "\n";
    }
    script +=
        "    )\n"
        "    if (( CURRENT == 2 )); then\n"
        "        _describe command commands\n"
        "        return\n"
        "    fi\n"
        "    local command=$words[2]\n"
        "    shift words\n"
        "    (( CURRENT-- ))\n"
        "    case $command in\n";
    for (const CompletionCommand& command : commands) {
        script += "        " + command.name + ")\n            _arguments -S";
        for (const CompletionOption& option : command.options) {
            script += " \\\n                ";
            if (option.names.empty()) {
                const std::string action = zsh_action(option);
                script += quoted(std::string(option.value == ValueKind::file ? "*" : "1") + action);
            } else {
                const std::string action = "[" + zsh_help(option.help) + "]" + zsh_action(option);
                for (std::size_t i = 0; i < option.names.size(); ++i) {
                    if (i > 0) script += " \\\n                ";
                    script += quoted("*" + option.names[i] + action);
                }
            }
        }
        script += " ;;\n";
    }
    return script + "    esac\n}\n_rankcert \"$@\"\n";
}

std::string fish_completion(const std::vector<CompletionCommand>& commands) {
    std::string script =
        "# fish completion for rankcert; put it in ~/.config/fish/completions/rankcert.fish\n"
        "complete -c rankcert -f\n";
    const auto escaped = [](std::string text) {  // fish's single quotes know \' and \\ alone
        std::string inside;
        for (const char c : text.substr(0, text.find('\n'))) {
            if (c == '\'' || c == '\\') inside += '\\';
            inside += c;
        }
        return "'" + inside + "'";
    };
    for (const CompletionCommand& command : commands) {
        script += "complete -c rankcert -n __fish_use_subcommand -a " + command.name + " -d " +
                  escaped(command.help) + "\n";
    }
    for (const CompletionCommand& command : commands) {
        const std::string start =
            "complete -c rankcert -n '__fish_seen_subcommand_from " + command.name + "'";
        for (const CompletionOption& option : command.options) {
            std::string line = start;
            for (const std::string& name : option.names) {
                line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            }
            switch (option.value) {
                case ValueKind::none:
                    break;
                case ValueKind::other:
                    line += " -x";
                    break;
                case ValueKind::file:
                    line += option.names.empty() ? " -F" : " -r -F";
                    break;
                case ValueKind::folder:
                    line += " -x -a '(__fish_complete_directories)'";
                    break;
                case ValueKind::words:
                    line += option.names.empty() ? " -a " : " -x -a ";
                    line += escaped(join(option.words, " "));
                    break;
            }
            if (!option.help.empty()) line += " -d " + escaped(option.help);
            script += line + "\n";
        }
    }
    return script;
}

int run_completion(const CompletionArguments& arguments) {
    print(completion_script(arguments.shell));
    return kProved;
}

}  // namespace rankcert::cli
