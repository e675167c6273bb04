#include "formal.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "rankcert/rigor/error.hpp"
#include "text.hpp"

extern char** environ;

namespace rankcert::cli {

namespace {

constexpr const char* kName = "rankcert-formal";

bool is_program(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::string require_program(const std::string& path, const char* whose) {
    if (is_program(path)) return path;
    throw Error(printable(path) + ", which " + whose +
                " names as the formal checker, is no program that can be run: give the path of " + kName +
                ", which `make -C proofs/coq` builds.");
}

// ---- a run of the program --------------------------------------------------------------------------------

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File temporary_file() {
    File file(std::tmpfile());
    if (!file) throw std::runtime_error("no temporary file can be made for the formal checker");
    // A checker that another thread starts has no use for it.
    fcntl(fileno(file.get()), F_SETFD, FD_CLOEXEC);
    return file;
}

std::string contents(std::FILE* file) {
    std::string text;
    std::rewind(file);
    std::array<char, 65536> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file))
        text.append(buffer.data(), got);
    return text;
}

struct Run {
    int status = 0;  ///< as waitpid gives it
    std::string out;
    std::string err;
};

/// Files instead of pipes: nobody waits for anybody.
Run run(const std::string& program, const std::string& input) {
    const File in = temporary_file();
    const File out = temporary_file();
    const File err = temporary_file();
    if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() || std::fflush(in.get()) != 0)
        throw std::runtime_error("the formal checker's input does not fit on the disk");
    std::rewind(in.get());
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);
    // In a group of its own: Ctrl-C lets running checks end, here as at the other levels.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::string name = program;
    std::array<char*, 2> arguments{name.data(), nullptr};
    pid_t process = 0;
    const int fault =
        posix_spawn(&process, program.c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (fault != 0) throw std::runtime_error(printable(program) + " cannot be started");
    Run result;
    while (waitpid(process, &result.status, 0) < 0) {
        if (errno != EINTR) throw std::runtime_error(printable(program) + " cannot be waited for");
    }
    result.out = contents(out.get());
    result.err = contents(err.get());
    return result;
}

// ---- its answer (proofs/coq/formal/format.md, "What it answers") -----------------------------------------

struct Bracket {
    Index lower = 0;
    Index upper = 0;
    int lower_witness = 0;
    int upper_witness = 0;
};

[[noreturn]] void refuse_answer() {
    throw std::runtime_error(
        "the formal checker's answer is not understood; are rankcert and it of one version?");
}

template <class Number>
Number number(const std::string& text) {
    Number value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size() || value < 0) refuse_answer();
    return value;
}

std::vector<Bracket> parse_answer(const std::string& out, const FormalText& asked) {
    std::vector<std::string> lines = split(out, '\n');
    if (lines.empty() || !lines.back().empty()) refuse_answer();
    lines.pop_back();
    const std::size_t claims = asked.epsilons.size();
    if (lines.size() < claims + 3) refuse_answer();
    auto line = lines.end() - static_cast<std::ptrdiff_t>(claims + 3);
    if (*line++ != "sha256 " + asked.matrix_sha256) refuse_answer();
    if (*line++ != "rho " + asked.rho) refuse_answer();
    std::vector<Bracket> brackets;
    for (const std::string& epsilon : asked.epsilons) {
        const std::vector<std::string> words = split(*line++, ' ');
        if (words.size() != 7 || words[0] != "bracket" || words[1] + ' ' + words[2] != epsilon)
            refuse_answer();
        const Bracket bracket{number<Index>(words[3]), number<Index>(words[4]), number<int>(words[5]),
                              number<int>(words[6])};
        const auto count = static_cast<int>(asked.methods.size());
        if (bracket.lower_witness > count || bracket.upper_witness > count) refuse_answer();
        if (bracket.lower > bracket.upper)
            throw std::runtime_error("the formal checker proved a lower bound above an upper one");
        brackets.push_back(bracket);
    }
    if (*line != "end") refuse_answer();
    return brackets;
}

std::string first_line(const std::string& text) { return printable(split(text, '\n').front()); }

// ---- verdicts --------------------------------------------------------------------------------------------

/// Beyond a limit of the formal checker nothing is proved but 0 ≤ r ≤ min(m, N).
FormalVerdict out_of_reach(const ClaimVerdict& exact, const Subject& subject, const std::string& why) {
    FormalVerdict verdict;
    verdict.upper = std::min(subject.rows(), subject.cols());
    verdict.lower_method = verdict.upper_method = "none";
    const bool is_open = exact.decision == Decision::proved;
    verdict.decision = is_open ? Decision::undecided : exact.decision;
    verdict.reason = is_open ? why : exact.reason;
    return verdict;
}

std::string why_not(const char* side, bool has_theorem, const std::string& method, Index claimed,
                    const char* relation, Index proved) {
    return std::string(side) + ": " +
           (has_theorem ? "no formal proof of "
                        : "its witness, " + method + ", has no formal theorem, so no proof of ") +
           std::to_string(claimed) + ", only of r_ε(A) " + relation + ' ' + std::to_string(proved);
}

FormalVerdict judge(const Bundle& bundle, const Claim& claim, const ClaimVerdict& exact,
                    const Bracket& bracket, const FormalText& asked) {
    const auto method = [&](int number) {
        return number == 0 ? std::string("none") : asked.methods.at(static_cast<std::size_t>(number - 1));
    };
    FormalVerdict verdict;
    verdict.lower = bracket.lower;
    verdict.upper = bracket.upper;
    verdict.lower_method = method(bracket.lower_witness);
    verdict.upper_method = method(bracket.upper_witness);
    bool proved = !claim.top_k;
    std::string open = claim.top_k ? "top-k: the budget has no formal theorem" : "";
    // Of a kind that both levels know, they must say the same.
    bool agrees = true;
    if (claim.lower_witness >= 0) {
        const auto index = static_cast<std::size_t>(claim.lower_witness);
        const LowerWitness& witness = bundle.lower_witnesses.at(index);
        const bool enough = bracket.lower >= claim.lower;
        if (!enough) {
            proved = false;
            append(open,
                   why_not("lower", has_formal_theorem(witness), method_name(witness), claim.lower, "≥",
                           bracket.lower),
                   "; ");
        }
        if (has_formal_theorem(witness)) {
            if (exact.lower && !enough) agrees = false;
            if (!exact.lower && enough && bracket.lower_witness == asked.lower_number.at(index))
                agrees = false;
        }
    }
    if (claim.upper_witness >= 0) {
        const auto index = static_cast<std::size_t>(claim.upper_witness);
        const UpperWitness& witness = bundle.upper_witnesses.at(index);
        const bool enough = bracket.upper <= claim.upper;
        const bool has_theorem = has_formal_theorem(witness, bundle.subject);
        if (!enough) {
            proved = false;
            append(open, why_not("upper", has_theorem, method_name(witness), claim.upper, "≤", bracket.upper),
                   "; ");
        }
        if (has_theorem) {
            if (exact.upper && !enough) agrees = false;
            if (!exact.upper && enough && bracket.upper_witness == asked.upper_number.at(index))
                agrees = false;
        }
    }
    if (!agrees) {
        throw std::runtime_error("the formal checker and the exact one contradict each other at ε = " +
                                 to_string(claim.epsilon) + "; please report this certificate");
    }
    if (exact.decision != Decision::proved) {
        verdict.decision = exact.decision;
        verdict.reason = exact.reason;
    } else if (proved) {
        verdict.decision = Decision::proved;
        verdict.reason =
            "theorem bracket_sound, lower by " + verdict.lower_method + ", upper by " + verdict.upper_method;
    } else {
        verdict.reason = open;
    }
    return verdict;
}

}  // namespace

std::string find_formal_checker(const std::string& option) {
    if (!option.empty()) return require_program(option, "--formal-checker");
    if (const char* named = std::getenv("RANKCERT_FORMAL"); named != nullptr && *named != '\0')
        return require_program(named, "RANKCERT_FORMAL");
    std::error_code fault;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", fault);
    if (!fault && is_program(self.parent_path() / kName)) return self.parent_path() / kName;
    const char* path = std::getenv("PATH");
    for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
        if (!folder.empty() && is_program(std::filesystem::path(folder) / kName))
            return std::filesystem::path(folder) / kName;
    }
    throw Error(std::string("The formal level needs the program ") + kName +
                ", which is neither beside this program nor on the PATH: build it with `make -C proofs/coq`, "
                "then give "
                "--formal-checker proofs/coq/build/rankcert-formal.");
}

FormalReport check_formally(const Bundle& bundle, const std::string& program) {
    FormalRequest request = request_formal_check(bundle);
    const FormalText& asked = request.formal;
    FormalReport report{{}, std::move(request.exact), {}};
    const auto beyond = [&](const std::string& limit) {
        for (const ClaimVerdict& exact : report.exact)
            report.verdicts.push_back(out_of_reach(
                exact, bundle.subject, "the certificate is beyond a limit of the formal checker: " + limit));
        return report;
    };
    if (asked.is_too_long) return beyond("its text would have more than 2^30 bytes");
    const Run answer = run(program, asked.text);
    const int code = WIFEXITED(answer.status) ? WEXITSTATUS(answer.status) : -1;
    if (code == 2) return beyond(first_line(answer.err));
    if (code != 0 && code != 1) {
        throw std::runtime_error(code < 0 ? "the formal checker was ended by a signal"
                                          : "the formal checker ended with exit code " +
                                                std::to_string(code) + ": " + first_line(answer.err));
    }
    const std::vector<Bracket> brackets = parse_answer(answer.out, asked);
    report.matrix_sha256 = asked.matrix_sha256;
    for (std::size_t i = 0; i < bundle.claims.size(); ++i) {
        report.verdicts.push_back(judge(bundle, bundle.claims[i], report.exact.at(i), brackets[i], asked));
    }
    return report;
}

std::string formal_statement(const Bundle& bundle, const FormalReport& report) {
    const Subject& subject = bundle.subject;
    if (report.matrix_sha256.empty())
        return "the formal checker has proved nothing here: 0 ≤ r_ε(A) ≤ min(m, N) needs no proof";
    return std::string("formally proved for every real matrix A within ρ of the exact ") +
           std::to_string(subject.rows()) + "×" + std::to_string(subject.cols()) + " matrix Ã" +
           (subject.head ? " whose rows are non-negative, sum to 1 and are zero exactly at the hidden keys"
                         : "") +
           ": theorem bracket_sound of proofs/coq/formal.v; SHA-256 of the text of Ã " + report.matrix_sha256;
}

std::string formal_trust(const Bundle& bundle) {
    return std::string(
               "trusted: Coq's kernel and its extraction, OCaml, zarith and GMP, the reader in "
               "rankcert-formal, the "
               "writer in rankcert") +
           (bundle.subject.head ? ", and that ρ, which the exact level computed, bounds ‖A − Ã‖ for softmax"
                                : "");
}

}  // namespace rankcert::cli
