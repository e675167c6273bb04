#include "check_audit.hpp"

#include <nlohmann/json.hpp>

#include "audit_report.hpp"
#include "exit_code.hpp"
#include "load.hpp"
#include "output.hpp"
#include "rankcert/audit/certificate.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

using audit::AuditCertificate;
using audit::HeadVerdict;
using audit::StatedError;

std::string range(const StatedError& error) {
    const std::string low = lower_decimal(error.lower, 5);
    return error.infinite ? "at least " + low : low + ".." + upper_decimal(error.upper, 5);
}

/// Throws Error unless the file holds the certificate's tensors, bit for bit.
void require_input(const AuditCertificate& certificate, const std::string& path, const std::string& file) {
    const InputFile input = read_input(path);
    for (const auto& [role, tensor] : certificate.tensors) {
        const std::string& name = certificate.names.at(role);
        const Tensor* given = input.contents.find(name);
        if (given == nullptr) {
            throw Error(printable(path) + " has no tensor \"" + printable(name) + "\", which " +
                        printable(file) + " says its " + role + " is: it is another file.");
        }
        if (sha256(*given) != sha256(tensor)) {
            throw Error(printable(path) + ": tensor \"" + printable(name) + "\" is not the " + role + " of " +
                        printable(file) + ": it is another file, or was changed.");
        }
    }
}

nlohmann::ordered_json to_json(const std::string& file, const std::string& level,
                               const AuditCertificate& certificate, std::size_t k,
                               const HeadVerdict& verdict) {
    const auto& head = certificate.heads[k];
    const bool proved = verdict.decision == Decision::proved;
    return {{"certificate", file},
            {"level", level},
            {"batch", head.batch},
            {"head", head.head},
            {"verdict", to_string(verdict.decision)},
            {"answer",
             proved ? nlohmann::ordered_json(to_string(verdict.answer)) : nlohmann::ordered_json(nullptr)},
            {"reason", verdict.reason}};
}

}  // namespace

bool looks_like_audit(std::span<const std::byte> bytes) {
    const std::string_view beginning(reinterpret_cast<const char*>(bytes.data()),
                                     std::min<std::size_t>(bytes.size(), 256));
    return beginning.find("\"rankcert-audit\"") != std::string_view::npos;
}

AuditCheck check_audit(std::span<const std::byte> bytes, const std::string& file,
                       const CheckArguments& arguments) {
    if (arguments.level == "formal") {
        throw Error(printable(file) + " is an audit, which has no formal level: use --level exact.");
    }
    const AuditCertificate certificate = audit::parse_certificate(bytes, printable(file));
    for (const std::string& input : arguments.inputs) require_input(certificate, input, file);
    const auto verdicts =
        audit::check(certificate, arguments.level != "fast", std::max(1U, arguments.threads));
    AuditCheck result;
    std::string lines;
    for (std::size_t k = 0; k < verdicts.size(); ++k) {
        const HeadVerdict& verdict = verdicts[k];
        const auto& head = certificate.heads[k];
        result.code = worse(result.code, verdict.decision == Decision::proved    ? kProved
                                         : verdict.decision == Decision::refuted ? kRefuted
                                                                                 : kUndecided);
        if (arguments.json) {
            lines += dump_line(to_json(file, arguments.level, certificate, k, verdict));
            continue;
        }
        lines += "  batch " + std::to_string(head.batch) + " head " + std::to_string(head.head) + ": ";
        if (verdict.decision == Decision::proved) {
            lines += "max |error| " + range(head.max_abs) + ", row l1 " + range(head.row_l1) +
                     ", the claims " + to_string(verdict.answer) + ": proved again\n";
        } else {
            lines += std::string(to_string(verdict.decision)) + ": " + verdict.reason + "\n";
        }
    }
    if (!arguments.json) {
        std::string claims;
        for (const audit::Claim& claim : certificate.declaration.claims)
            append(claims, to_string(claim), ", ");
        lines = printable(file) + "\n  audit of " +
                (certificate.declaration.subject == audit::Subject::output ? "an output"
                                                                           : "an attention matrix") +
                ", " + operator_text(certificate.declaration) + (claims.empty() ? "" : "; claims " + claims) +
                "\n  level " + arguments.level + "\n" + lines;
        lines += arguments.inputs.empty()
                     ? "  not checked: whether the tensors came from the user's file (give --input FILE)\n"
                     : "  checked: the tensors against " + printable(join(arguments.inputs, ", ")) +
                           " (SHA-256)\n";
    }
    result.text = lines;
    return result;
}

}  // namespace rankcert::cli
