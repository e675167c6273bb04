#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>

#include "help.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

// The type name of an option is shown by --help and tells the completion scripts what can stand there.
constexpr const char* kFile = "FILE";
constexpr const char* kFolder = "FOLDER";

/// An option that may be given several times and takes one value each time.
CLI::Option* add_list(CLI::App& app, const std::string& names, std::vector<std::string>& values,
                      const std::string& help, const std::string& type) {
    return app.add_option(names, values, help)->type_name(type)->allow_extra_args(false)->take_all();
}

CLI::Option* add_text(CLI::App& app, const std::string& names, std::string& value, const std::string& help,
                      const std::string& type) {
    return app.add_option(names, value, help)->type_name(type);
}

/// An option that takes one of some words, "a|b|c".
CLI::Option* add_choice(CLI::App& app, const std::string& names, std::string& value, const std::string& help,
                        const std::string& words) {
    const std::vector<std::string> allowed = split(words, '|');
    const auto one_of = [allowed, names, words](const std::string& text) -> std::string {
        if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return "";
        const std::string near = nearest_name(text, allowed);
        return "is \"" + printable(text) + "\", but takes one of " + words +
               (near.empty() ? "" : " (did you mean " + near + "?)");
    };
    return add_text(app, names, value, help, words)->check(CLI::Validator(one_of, ""));
}

CLI::Option* add_threads(CLI::App& app, unsigned& threads) {
    return app.add_option("--threads", threads, "Threads to use (default: all cores)")
        ->type_name("N")
        ->check(CLI::Range(0U, 1024U).description(""));
}

/// The list of subcommands shows the first line of each description, its own help the whole.
class HelpFormatter : public CLI::Formatter {
  public:
    std::string make_subcommand(const CLI::App* sub) const override {
        std::stringstream out;
        CLI::detail::format_help(out, sub->get_name(), split(sub->get_description(), '\n').front(),
                                 get_column_width());
        return out.str();
    }
};

/// The parser with the values that it fills.
struct Parser {
    CLI::App app{kAbout, "rankcert"};
    BracketArguments bracket;
    CheckArguments check;
    InfoArguments info;
    VersionArguments version;
    CompletionArguments completion;
    bool version_flag = false;

    Parser() {
        const auto formatter = std::make_shared<HelpFormatter>();
        formatter->column_width(34);
        app.formatter(formatter);
        app.require_subcommand(0, 1);
        app.add_flag("--version", version_flag, "Print the version");
        app.footer(kMainExamples);
        add_bracket();
        add_check();
        add_info();
        CLI::App& v = *app.add_subcommand("version", "Print the version");
        v.add_flag("-v,--verbose", version.verbose, "Print those of the libraries too");
        CLI::App& c = *app.add_subcommand("completion", "Print a completion script for a shell");
        add_choice(c, "shell", completion.shell, "The shell", "bash|zsh|fish")->required();
        c.footer(kCompletionExamples);
    }

    void add_bracket() {
        CLI::App& sub = *app.add_subcommand("bracket", kBracketAbout);
        BracketArguments& a = bracket;
        const char* input = "What to bracket";
        add_text(sub, "file", a.file, "Heads in a .safetensors or .npz file", kFile);
        add_list(sub, "--head", a.heads, "Only these heads, such as layer2.head1 (may be repeated)", "NAME")
            ->group(input);
        sub.add_flag("--all", a.all, "All heads of the file (this is the default)")->group(input);
        add_text(sub, "--query", a.query, "Q as an .npy array, a row a query", kFile)->group(input);
        add_text(sub, "--key", a.key, "K as an .npy array, a row a key", kFile)->group(input);
        add_text(sub, "--matrix", a.matrix, "A itself as an .npy array, instead of a head", kFile)
            ->group(input);
        add_list(sub, "-e,--epsilon", a.epsilon, "Tolerances, as exact decimals or fractions: 1/4,0.15",
                 "LIST")
            ->group(input)
            ->required();
        const char* model = "The operator (overrides what the file says)";
        add_text(sub, "--scale", a.model.scale,
                 "Factor of q·k: 1/sqrt(d), a decimal or a fraction, taken exactly", "SCALE")
            ->group(model);
        add_text(sub, "--mask", a.model.mask, "none, causal, or an .npy file with a row a query",
                 "none|causal|FILE")
            ->group(model);
        add_choice(sub, "--mask-kind", a.model.mask_kind,
                   "How to read a mask file: 1 keeps a key and 0 hides it; or added to the logits, and "
                   "-infinity hides the key",
                   "boolean|additive")
            ->group(model);
        add_choice(sub, "--alignment", a.model.alignment,
                   "Of a causal mask where the numbers of queries and keys differ", "bottom-right|top-left")
            ->group(model);
        add_list(sub, "--beta-multiplier", a.beta_multiplier,
                 "Multiply the scale: a list, one run each; 1/2..2 is the whole interval", "LIST")
            ->group(model);
        add_choice(sub, "--rounded-from", a.model.rounded_from,
                   "Speak of all real Q, K that round to the given ones in this format",
                   "float16|bfloat16|float32|float64")
            ->group(model);
        const char* search = "The search";
        add_text(sub, "--effort", a.effort, "quick, normal, thorough, or seconds of work for each tolerance",
                 "quick|normal|thorough|SECONDS")
            ->group(search);
        sub.add_option("--seed", a.seed, "Start of the random numbers (default: 1)")
            ->type_name("N")
            ->group(search);
        add_threads(sub, a.threads)->group(search);
        add_choice(sub, "--level", a.level, "Prove at this level (default: exact up to size 512)",
                   "fast|exact")
            ->group(search);
        sub.add_flag("--top-k", a.top_k, "Also prove the top-k budget, a sparsity figure")->group(search);
        const char* output = "Output";
        add_text(sub, "-o,--output", a.output, "Folder for the certificates (default: certificates)", kFolder)
            ->group(output);
        sub.add_flag("--overwrite", a.overwrite, "Replace certificates about other inputs")->group(output);
        sub.add_flag("--json", a.json, "One JSON object a line and cell")->group(output);
        sub.add_flag("-v,--verbose", a.verbose, "Methods, ρ and times too")->group(output);
        sub.footer(kBracketExamples);
    }

    void add_check() {
        CLI::App& sub = *app.add_subcommand("check", kCheckAbout);
        sub.add_option("certificate", check.certificates, "Certificate files")->type_name(kFile)->required();
        add_list(sub, "--input", check.inputs, "Compare with this file, which the certificates are about",
                 kFile);
        add_choice(sub, "--level", check.level, "How to compute (default: exact)", "fast|exact|formal");
        add_text(sub, "--formal-checker", check.formal_checker,
                 "The program rankcert-formal, for level formal (default: $RANKCERT_FORMAL, else beside this "
                 "program, else on the PATH)",
                 kFile);
        add_threads(sub, check.threads);
        sub.add_flag("--json", check.json, "One JSON object a line and claim");
        sub.add_flag("-v,--verbose", check.verbose, "The methods too");
        sub.footer(kCheckExamples);
    }

    void add_info() {
        CLI::App& sub = *app.add_subcommand("info", kInfoAbout);
        add_text(sub, "file", info.file, "A .safetensors, .npz or .npy file, or a certificate", kFile)
            ->required();
        sub.add_flag("--json", info.json, "One JSON object");
        sub.footer(kInfoExamples);
    }

    Command command() {
        if (app.got_subcommand("bracket")) return bracket;
        if (app.got_subcommand("check")) return check;
        if (app.got_subcommand("info")) return info;
        if (app.got_subcommand("completion")) return completion;
        if (app.got_subcommand("version") || version_flag) return version;
        throw Error("Say what to do: bracket, check, info, version or completion (see rankcert --help).");
    }

    /// The names of all options of the subcommand in use, for a guess at what was meant.
    [[nodiscard]] std::vector<std::string> option_names() const {
        std::vector<std::string> names;
        const auto chosen = app.get_subcommands();
        const CLI::App& sub = chosen.empty() ? app : *chosen.front();
        for (const CLI::Option* option : sub.get_options()) {
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        }
        return names;
    }
};

std::string sentence(std::string text) {
    for (char& c : text) {
        if (c == '\n') c = ' ';
    }
    return text;
}

[[noreturn]] void refuse(const Parser& parser, const CLI::ParseError& error) {
    const auto chosen = parser.app.get_subcommands();
    const std::string see =
        " (see rankcert " + (chosen.empty() ? std::string() : chosen.front()->get_name() + " ") + "--help).";
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        const std::vector<std::string> extras = parser.app.remaining(true);
        if (!extras.empty()) {
            const std::string& first = extras.front();
            const bool option = first.starts_with("-");
            std::vector<std::string> known = option ? parser.option_names() : std::vector<std::string>();
            if (!option && chosen.empty()) known = {"bracket", "check", "info", "version", "completion"};
            const std::string near = nearest_name(first.substr(0, first.find('=')), known);
            throw Error((option ? "There is no option " : "Nothing was expected where it says ") +
                        (option ? printable(first) : "\"" + printable(first) + "\"") +
                        (near.empty() ? "" : ", did you mean " + near + "?") + see);
        }
    }
    throw Error(sentence(printable(error.what())) + see);
}

ValueKind kind_of_value(const std::string& type) {
    if (type == kFile) return ValueKind::file;
    if (type == kFolder) return ValueKind::folder;
    if (type == "none|causal|FILE") return ValueKind::file;
    if (type.find('|') != std::string::npos) return ValueKind::words;
    return ValueKind::other;
}

std::vector<CompletionCommand> completion_commands(const CLI::App& app) {
    std::vector<CompletionCommand> commands;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        CompletionCommand command{sub->get_name(), split(sub->get_description(), '\n').front(), {}};
        for (const CLI::Option* option : sub->get_options()) {
            CompletionOption entry;
            for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
            for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
            entry.help = option->get_description();
            if (option->get_items_expected_max() > 0) {  // not a flag
                entry.value = kind_of_value(option->get_type_name());
                if (entry.value == ValueKind::words) {
                    for (std::string& word : split(option->get_type_name(), '|')) {
                        if (word != "SECONDS") entry.words.push_back(word);
                    }
                }
            }
            command.options.push_back(std::move(entry));
        }
        commands.push_back(std::move(command));
    }
    return commands;
}

}  // namespace

Command parse_arguments(int argc, const char* const* argv) {
    Parser parser;
    try {
        parser.app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        const auto chosen = parser.app.get_subcommands();
        return HelpText{chosen.empty() ? parser.app.help() : chosen.front()->help("rankcert")};
    } catch (const CLI::ParseError& error) {
        refuse(parser, error);
    }
    return parser.command();
}

std::string completion_script(const std::string& shell) {
    const Parser parser;
    const std::vector<CompletionCommand> commands = completion_commands(parser.app);
    if (shell == "bash") return bash_completion(commands);
    if (shell == "zsh") return zsh_completion(commands);
    return fish_completion(commands);
}

}  // namespace rankcert::cli
