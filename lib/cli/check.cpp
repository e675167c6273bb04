#include "check.hpp"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "describe.hpp"
#include "exit_code.hpp"
#include "formal.hpp"
#include "interrupt.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"
#include "workers.hpp"

namespace rankcert::cli {

namespace {

/// What became of one certificate file: text for standard output, or one sentence for standard error.
struct Outcome {
    std::string text;
    std::string failure;
    int code = kProved;
};

int code_of(Decision decision) {
    switch (decision) {
        case Decision::proved:
            return kProved;
        case Decision::refuted:
            return kRefuted;
        case Decision::undecided:
            break;
    }
    return kUndecided;
}

nlohmann::ordered_json to_json(const std::string& file, const std::string& level,
                               const ClaimVerdict& verdict) {
    // Only what was proved just now is in these two fields; what is merely claimed is not.
    const auto rank = [](const auto& proof) -> nlohmann::ordered_json {
        return proof ? nlohmann::ordered_json((*proof)->rank) : nlohmann::ordered_json(nullptr);
    };
    return {{"certificate", file},
            {"level", level},
            {"verdict", to_string(verdict.decision)},
            {"lower", rank(verdict.lower)},
            {"upper", rank(verdict.upper)},
            {"epsilon", to_string(verdict.epsilon)},
            {"reason", verdict.reason}};
}

/// The bounds are those that were proved, whatever was claimed; one key more than at the other levels.
nlohmann::ordered_json to_json(const std::string& file, const std::string& matrix_sha256,
                               const Rational& epsilon, const FormalVerdict& verdict) {
    return {{"certificate", file},
            {"level", "formal"},
            {"verdict", to_string(verdict.decision)},
            {"lower", verdict.lower},
            {"upper", verdict.upper},
            {"epsilon", to_string(epsilon)},
            {"reason", verdict.reason},
            {"matrix_sha256", matrix_sha256}};
}

std::string to_line(const Claim& claim, const FormalVerdict& verdict, bool verbose) {
    const std::string epsilon = "  ε=" + decimal_or_fraction(claim.epsilon, 12) + "  ";
    const std::string bracket = bracket_text(verdict.lower, verdict.upper);
    std::string line = epsilon;
    if (verdict.decision == Decision::proved) {
        line += bracket + "  proved\n";
    } else {
        line += "claimed " + claim_text(claim) + "  " + to_string(verdict.decision) + ": " + verdict.reason +
                "\n" + epsilon + bracket + "  is what is proved formally\n";
    }
    if (verbose) line += "    lower by " + verdict.lower_method + ", upper by " + verdict.upper_method + "\n";
    return line;
}

std::string to_line(const Claim& claim, const ClaimVerdict& verdict, bool verbose, const Bundle& bundle) {
    std::string line = "  ε=" + decimal_or_fraction(verdict.epsilon, 12) + "  ";
    if (verdict.decision == Decision::proved) {
        const auto rank = [](const auto& proof) {
            return proof ? std::optional((*proof)->rank) : std::nullopt;
        };
        line += bracket_text(rank(verdict.lower), rank(verdict.upper)) + "  proved\n";
    } else {
        line += "claimed " + claim_text(claim) + "  " + to_string(verdict.decision) + ": " + verdict.reason +
                "\n";
    }
    if (verbose) {
        line +=
            "    lower by " +
            std::string(
                claim.lower_witness < 0
                    ? "none"
                    : method_name(bundle.lower_witnesses[static_cast<std::size_t>(claim.lower_witness)])) +
            ", upper by " +
            std::string(
                claim.upper_witness < 0
                    ? "none"
                    : method_name(bundle.upper_witnesses[static_cast<std::size_t>(claim.upper_witness)])) +
            "\n";
    }
    if (verdict.top_k) {
        const TopKBudget& budget = **verdict.top_k;
        line += "    top-k budget " +
                (budget.lower == budget.upper
                     ? std::to_string(budget.upper)
                     : std::to_string(budget.lower) + " to " + std::to_string(budget.upper)) +
                " proved (a sparsity figure, not a rank)\n";
    }
    return line;
}

/// What of the subject may have come from a file.
std::vector<std::string> roles_of(const Subject& subject) {
    if (!subject.head) return {"matrix"};
    const MaskKind mask = subject.head->mask.kind;
    if (mask == MaskKind::boolean || mask == MaskKind::additive) return {"query", "key", "mask"};
    return {"query", "key"};
}

std::string report(const std::string& file, const Bundle& bundle, const CheckArguments& arguments,
                   const Rational& rho, const std::string& verdicts, const std::set<std::string>& compared) {
    std::string text = printable(file) + "\n";
    text += "  " + describe_origin(bundle.input) + "\n";
    for (const std::string& line : describe_subject(bundle)) text += "  " + line + "\n";
    text += "  level " + arguments.level + ", " + rho_text(rho) + (rho == 0 ? "" : " computed anew") + "\n";
    text += verdicts;
    std::vector<std::string> open;
    for (const std::string& role : roles_of(bundle.subject)) {
        if (!compared.contains(role)) open.push_back(role);
    }
    if (!compared.empty()) {
        text += "  checked: " + join({compared.begin(), compared.end()}, " and ") + " against " +
                printable(join(arguments.inputs, ", ")) + " (SHA-256 and values)\n";
    }
    if (!open.empty()) {
        text += "  not checked: whether " + join(open, " and ") +
                (bundle.input.role_file_sha256.empty() ? " came from the file named above"
                                                       : " came from the files they are said to be from") +
                " (give --input FILE)\n";
    }
    return text;
}

std::set<std::string> compared_roles(const Bundle& bundle, const std::string& input) {
    const std::vector<std::string> roles = require_input(bundle, input);
    return {roles.begin(), roles.end()};
}

Outcome check_at_level(const std::string& file, const Bundle& bundle, const CheckArguments& arguments,
                       const std::set<std::string>& compared) {
    Outcome outcome;
    const std::vector<ClaimVerdict> verdicts =
        check(bundle, arguments.level == "fast" ? Level::fast : Level::exact);
    std::string lines;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        outcome.code = worse(outcome.code, code_of(verdicts[i].decision));
        lines += arguments.json ? dump_line(to_json(file, arguments.level, verdicts[i]))
                                : to_line(bundle.claims[i], verdicts[i], arguments.verbose, bundle);
    }
    outcome.text =
        arguments.json ? lines : report(file, bundle, arguments, verdicts.front().rho, lines, compared);
    return outcome;
}

Outcome check_at_formal_level(const std::string& file, const Bundle& bundle, const CheckArguments& arguments,
                              const std::string& program, const std::set<std::string>& compared) {
    Outcome outcome;
    const FormalReport formal = check_formally(bundle, program);
    std::string lines;
    for (std::size_t i = 0; i < formal.verdicts.size(); ++i) {
        const FormalVerdict& verdict = formal.verdicts[i];
        outcome.code = worse(outcome.code, code_of(verdict.decision));
        lines += arguments.json
                     ? dump_line(to_json(file, formal.matrix_sha256, bundle.claims[i].epsilon, verdict))
                     : to_line(bundle.claims[i], verdict, arguments.verbose);
    }
    if (!arguments.json) {
        lines += "  " + formal_statement(bundle, formal) + "\n";
        if (!formal.matrix_sha256.empty()) lines += "  " + formal_trust(bundle) + "\n";
        lines = report(file, bundle, arguments, formal.exact.front().rho, lines, compared);
    }
    outcome.text = lines;
    return outcome;
}

Outcome check_file(const std::string& file, const CheckArguments& arguments,
                   const std::string& formal_checker) {
    Outcome outcome;
    try {
        const Bundle bundle = read_bundle(file);
        std::set<std::string> compared;
        for (const std::string& input : arguments.inputs) compared.merge(compared_roles(bundle, input));
        if (bundle.claims.empty()) {
            throw Error(printable(file) + " claims nothing, so there is nothing to prove: make it again.");
        }
        outcome = formal_checker.empty()
                      ? check_at_level(file, bundle, arguments, compared)
                      : check_at_formal_level(file, bundle, arguments, formal_checker, compared);
    } catch (const Error& error) {
        outcome = {"", error.what(), kBadInput};
    } catch (const std::exception& error) {
        outcome = {"", printable(file) + ": internal fault: " + error.what(), kInternalFault};
    }
    return outcome;
}

}  // namespace

int run_check(const CheckArguments& arguments) {
    const std::string formal_checker =
        arguments.level == "formal" ? find_formal_checker(arguments.formal_checker) : std::string();
    std::vector<Outcome> outcomes(arguments.certificates.size());
    int code = kProved;
    catch_signals();
    ProgressLine progress(outcomes.size(), outcomes.size() == 1 ? "certificate" : "certificates");
    run_in_order(
        outcomes.size(), arguments.threads,
        [&](std::size_t i) {
            outcomes[i] = check_file(arguments.certificates[i], arguments, formal_checker);
            progress.report(i, 1, "");
        },
        [&](std::size_t i) {
            const Outcome& outcome = outcomes[i];
            code = worse(code, outcome.code);
            progress.around([&] {
                if (!outcome.failure.empty()) std::fprintf(stderr, "rankcert: %s\n", outcome.failure.c_str());
                print(outcome.text);
            });
            outcomes[i] = {};
        });
    return code;
}

}  // namespace rankcert::cli
