// The command line: help, version, completion, and everything that is not understood.

#include <doctest/doctest.h>

#include <algorithm>

#include "inputs.hpp"
#include "program.hpp"

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("version names the program and its version") {
    const auto result = program::run({"version"});
    CHECK(result.code == 0);
    CHECK(result.out.starts_with("rankcert 0."));
    CHECK(result.err.empty());
    CHECK(program::run({"--version"}).out == result.out);
    CHECK(contains(program::run({"version", "-v"}).out, "MPFR"));
}

TEST_CASE("help teaches with examples, for the program and for each subcommand") {
    const auto main = program::run({"--help"});
    CHECK(main.code == 0);
    for (const char* command : {"bracket", "check", "info", "version", "completion"}) {
        CHECK(contains(main.out, command));
    }
    CHECK(contains(main.out, "Exit codes"));
    for (const char* command : {"bracket", "check", "info", "completion"}) {
        const auto result = program::run({command, "--help"});
        CAPTURE(command);
        CHECK(result.code == 0);
        CHECK(result.err.empty());
        CHECK(contains(result.out, "Examples:"));
        CHECK(contains(result.out, std::string("rankcert ") + command));
    }
}

TEST_CASE("what the command line does not understand is one sentence on stderr and exit code 3") {
    const std::vector<std::vector<std::string>> wrong = {
        {},
        {"bracet"},
        {"bracket"},
        {"bracket", "--epsilon", "1/4"},
        {"bracket", "file", "--epsilon"},
        {"bracket", "file", "--epsilon", "1/4", "--nonsense"},
        {"bracket", "file", "--epsilon", "1/4", "-x"},
        {"bracket", "file", "another", "--epsilon", "1/4"},
        {"bracket", "file", "--epsilon", "1/4", "--threads", "many"},
        {"bracket", "file", "--epsilon", "1/4", "--threads", "-1"},
        {"bracket", "file", "--epsilon", "1/4", "--seed", "x"},
        {"bracket", "file", "--epsilon", "1/4", "--level", "formal"},
        {"bracket", "file", "--epsilon", "1/4", "--alignment", "left"},
        {"bracket", "file", "--epsilon", "1/4", "--effort", "lazy"},
        {"bracket", "file", "--epsilon", "1/4", "--effort", "-3"},
        {"bracket", "file", "--epsilon", "1/4", "--effort", "0"},
        {"bracket", "file", "--query", "q.npy", "--epsilon", "1/4"},
        {"bracket", "--query", "q.npy", "--epsilon", "1/4"},
        {"bracket", "--key", "k.npy", "--epsilon", "1/4"},
        {"bracket", "--matrix", "a.npy", "--head", "layer0.head0", "--epsilon", "1/4"},
        {"bracket", "--matrix", "a.npy", "--scale", "1", "--epsilon", "1/4"},
        {"bracket", "file", "--all", "--head", "layer0.head0", "--epsilon", "1/4"},
        {"check"},
        {"check", "file", "--level", "sloppy"},
        {"info"},
        {"completion"},
        {"completion", "tcsh"},
    };
    for (const auto& arguments : wrong) {
        const auto result = program::run(arguments);
        std::string line;
        for (const std::string& argument : arguments) line += argument + " ";
        CAPTURE(line);
        CAPTURE(result.err);
        CHECK(result.code == 3);
        CHECK(result.out.empty());
        CHECK(inputs::is_one_sentence(result.err));
    }
}

TEST_CASE("a misspelt option or command is answered with the likely one") {
    CHECK(contains(program::run({"bracket", "f", "--epsilon", "1", "--beta-multiplyer", "2"}).err,
                   "--beta-multiplier"));
    CHECK(contains(program::run({"chek", "f"}).err, "check"));
    CHECK(contains(program::run({"check", "f", "--level", "exakt"}).err, "exact"));
}

TEST_CASE("lists of tolerances are read exactly or refused with a sentence that quotes them") {
    const inputs::Folder folder;
    inputs::write_heads(folder / "heads.safetensors", 1, 4, 2);
    const auto attempt = [&](const std::string& epsilon) {
        return program::run(
            {"bracket", folder / "heads.safetensors", "--epsilon", epsilon, "-o", folder / "out"});
    };
    for (const char* epsilon : {"", ",", "1/4,", ",1/4", " ", "abc", "1/0", "0x1", "nan", "inf",
                                "1e999999999", "1/4/2", "-1/4", "-1e-300", "1/4,0.25", "0.15,3/20", "1,5 "}) {
        const auto result = attempt(epsilon);
        CAPTURE(epsilon);
        CAPTURE(result.err);
        if (std::string(epsilon) == "1,5 ") {
            CHECK(result.code == 0);  // two tolerances, 1 and 5
        } else {
            CHECK(result.code == 3);
            CHECK(result.out.empty());
            CHECK(inputs::is_one_sentence(result.err));
        }
    }
    CHECK(contains(attempt("abc").err, "abc"));
    CHECK(contains(attempt("-1/4").err, "negative"));
    CHECK(contains(attempt("1/4,0.25").err, "0.25"));
}

TEST_CASE("multipliers and scales are read exactly or refused") {
    const inputs::Folder folder;
    inputs::write_heads(folder / "heads.safetensors", 1, 4, 2);
    const auto attempt = [&](const std::string& option, const std::string& value) {
        return program::run({"bracket", folder / "heads.safetensors", "--epsilon", "2", option + "=" + value,
                             "-o", folder / ("out" + value.substr(0, 1))});
    };
    for (const char* value : {"abc", "-1", "2..1", "1..", "..2", "1,1", "1/2,0.5", "1...2"}) {
        const auto result = attempt("--beta-multiplier", value);
        CAPTURE(value);
        CAPTURE(result.err);
        CHECK(result.code == 3);
        CHECK(inputs::is_one_sentence(result.err));
    }
    for (const char* value :
         {"abc", "1/sqrt()", "1/sqrt(0)", "1/sqrt(-4)", "1/sqrt(x)", "1/0", "nan", "1/sqrt(4)x"}) {
        const auto result = attempt("--scale", value);
        CAPTURE(value);
        CAPTURE(result.err);
        CHECK(result.code == 3);
        CHECK(inputs::is_one_sentence(result.err));
    }
    CHECK(attempt("--rounded-from", "float12").code == 3);
}

TEST_CASE("completion scripts name every subcommand and every option") {
    const auto help = program::run({"bracket", "--help"}).out;
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const auto result = program::run({"completion", shell});
        CAPTURE(shell);
        CHECK(result.code == 0);
        CHECK(result.err.empty());
        for (const char* command : {"bracket", "check", "info", "version", "completion"}) {
            CHECK(contains(result.out, command));
        }
        for (const char* option : {"epsilon", "beta-multiplier", "mask-kind", "alignment", "rounded-from",
                                   "level", "input", "json", "overwrite", "effort"}) {
            CAPTURE(option);
            CHECK(contains(result.out, option));
        }
        CHECK(contains(result.out, "bottom-right"));
    }
    CHECK(contains(help, "--rounded-from"));
    // A flag takes no value.
    CHECK(contains(program::run({"completion", "fish"}).out, " -l json -d "));
    CHECK(contains(program::run({"completion", "fish"}).out, " -s o -l output -x -a "));
}
