#include "rankcert/audit/certificate.hpp"

#include <mpfr.h>

#include <array>
#include <nlohmann/json.hpp>

#include "certificate/bundle_fields.hpp"
#include "io/text.hpp"
#include "rankcert/io/json.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/version.hpp"

namespace rankcert::audit {

using rankcert::to_string;

namespace {

using detail::Fields;
using io::in_quotes;
using Json = nlohmann::ordered_json;

constexpr const char* kFormatName = "rankcert-audit";
constexpr const char* kFormatVersion = "1";
constexpr std::array<Answer, 4> kAnswers = {Answer::proved, Answer::refuted, Answer::undecided,
                                            Answer::undefined};

/// An end of an interval as a short decimal, rounded outward.
Rational short_end(mpfr_srcptr x, bool up) {
    std::array<char, 64> text{};
    mpfr_snprintf(text.data(), text.size(), up ? "%.11RUe" : "%.11RDe", x);
    return mpfr_inf_p(x) != 0 || mpfr_zero_p(x) != 0 ? Rational(0) : parse_rational(text.data());
}

StatedError state(const MpInterval& value, bool infinite) {
    // An upper end that is not finite says nothing; nor does it need to.
    if (infinite || mpfr_inf_p(value.upper_mpfr()) != 0)
        return {true, short_end(value.lower_mpfr(), false), 0};
    return {false, short_end(value.lower_mpfr(), false), short_end(value.upper_mpfr(), true)};
}

std::string decimal(const Rational& x, bool up) { return up ? upper_decimal(x, 12) : lower_decimal(x, 12); }

Json to_json(const StatedError& error) {
    if (error.infinite) return {{"lower", decimal(error.lower, false)}, {"upper", "inf"}};
    return {{"lower", decimal(error.lower, false)}, {"upper", decimal(error.upper, true)}};
}

Json to_json(const StatedHead& head) {
    Json answers = Json::array();
    for (const Answer answer : head.answers) answers.push_back(to_string(answer));
    return {{"batch", head.batch},
            {"head", head.head},
            {"max_abs", to_json(head.max_abs)},
            {"row_l1", to_json(head.row_l1)},
            {"frobenius", to_json(head.frobenius)},
            {"undefined_rows", head.undefined_rows},
            {"answers", answers},
            {"ratio_answer", head.ratio_answer ? Json(to_string(*head.ratio_answer)) : Json(nullptr)},
            {"answer", to_string(head.answer)}};
}

Answer answer_of(const nlohmann::json& json, const Fields& fields) {
    for (const Answer answer : kAnswers) {
        if (json == to_string(answer)) return answer;
    }
    fields.fail("an answer must be proved, refuted, undecided or undefined");
}

StatedError read_error(Fields& outer, const char* key) {
    Fields fields = outer.object(key);
    StatedError error;
    const auto number = [&](const std::string& text) {
        try {
            return parse_rational(text);
        } catch (const Error&) {
            fields.fail("an end of an enclosure must be a number");
        }
    };
    error.lower = number(fields.text("lower"));
    const std::string upper = fields.text("upper");
    error.infinite = upper == "inf";
    if (!error.infinite) error.upper = number(upper);
    fields.finish();
    if (error.lower < 0 || (!error.infinite && error.upper < error.lower))
        fields.fail("an enclosure of an error must have ends 0 ≤ lower ≤ upper");
    return error;
}

StatedHead read_head(const nlohmann::json& json, const std::string& where) {
    Fields fields(json, where);
    StatedHead head;
    head.batch = fields.index("batch");
    head.head = fields.index("head");
    head.max_abs = read_error(fields, "max_abs");
    head.row_l1 = read_error(fields, "row_l1");
    head.frobenius = read_error(fields, "frobenius");
    head.undefined_rows = fields.indices("undefined_rows");
    for (const auto& answer : fields.array("answers")) head.answers.push_back(answer_of(answer, fields));
    const nlohmann::json& ratio = fields.get("ratio_answer");
    if (!ratio.is_null()) head.ratio_answer = answer_of(ratio, fields);
    head.answer = answer_of(fields.get("answer"), fields);
    fields.finish();
    return head;
}

/// Judges what is said of one error: proved, refuted or undecided.
Decision judge(const StatedError& stated, const MpInterval& found, bool infinite) {
    if (infinite) return stated.infinite ? Decision::proved : Decision::refuted;
    if (certainly_less(found, stated.lower)) return Decision::refuted;
    if (stated.infinite)
        return mpfr_cmp_q(found.lower_mpfr(), stated.lower.backend().data()) >= 0 ? Decision::proved
                                                                                  : Decision::undecided;
    if (certainly_less(stated.upper, found)) return Decision::refuted;
    const bool inside = mpfr_cmp_q(found.lower_mpfr(), stated.lower.backend().data()) >= 0 &&
                        mpfr_cmp_q(found.upper_mpfr(), stated.upper.backend().data()) <= 0;
    return inside ? Decision::proved : Decision::undecided;
}

/// A stated answer against the one found: the open ones claim nothing.
Decision judge(Answer stated, Answer found) {
    if (stated == found) return Decision::proved;
    if (stated == Answer::undecided) return Decision::proved;
    return found == Answer::undecided ? Decision::undecided : Decision::refuted;
}

/// The answer that a head's other statements amount to.
Answer conjunction(const StatedHead& head) {
    Answer all = head.undefined_rows.empty() ? Answer::proved : Answer::undefined;
    for (const Answer answer : head.answers) all = both(all, answer);
    return head.ratio_answer ? both(all, *head.ratio_answer) : all;
}

HeadVerdict judge(const StatedHead& stated, const HeadReport& found) {
    HeadVerdict verdict{stated.batch, stated.head, Decision::proved, found.answer(), ""};
    const auto include = [&](Decision decision, const std::string& what) {
        if (decision == Decision::proved || verdict.decision == Decision::refuted) return;
        if (verdict.decision == Decision::undecided && decision == Decision::undecided) return;
        verdict.decision = decision;
        verdict.reason =
            what + (decision == Decision::refuted ? " is not what was found now" : " could not be confirmed");
    };
    const HeadAudit& audit = found.audit;
    include(judge(stated.max_abs, audit.max_abs.value, audit.max_abs.infinite), "the largest absolute error");
    include(judge(stated.row_l1, audit.row_l1.value, audit.row_l1.infinite), "the largest row l1 error");
    include(judge(stated.frobenius, audit.frobenius, audit.not_finite != 0), "the Frobenius error");
    if (stated.undefined_rows != audit.undefined_rows)
        include(Decision::refuted, "the list of undefined rows");
    for (std::size_t k = 0; k < stated.answers.size(); ++k)
        include(judge(stated.answers[k], audit.claims[k].answer),
                "the answer to " + to_string(audit.claims[k].claim));
    if (stated.ratio_answer)
        include(judge(*stated.ratio_answer, *found.ratio_answer), "the answer to the ratio");
    if (stated.answer != conjunction(stated)) include(Decision::refuted, "the answer over all claims");
    if (verdict.decision == Decision::proved) verdict.answer = stated.answer;
    return verdict;
}

}  // namespace

AuditCertificate make_certificate(const Declaration& declaration, const Tensors& tensors,
                                  const AuditReport& report) {
    AuditCertificate certificate;
    certificate.declaration = declaration;
    for (const auto& [role, tensor] : tensors) {
        certificate.names[role] = tensor.name;
        Tensor copy = tensor;
        copy.name = role;
        certificate.tensors.emplace(role, std::move(copy));
    }
    for (const HeadReport& head : report.heads) {
        const HeadAudit& audit = head.audit;
        StatedHead stated;
        stated.batch = head.batch;
        stated.head = head.head;
        stated.max_abs = state(audit.max_abs.value, audit.max_abs.infinite);
        stated.row_l1 = state(audit.row_l1.value, audit.row_l1.infinite);
        stated.frobenius = state(audit.frobenius, audit.not_finite != 0);
        stated.undefined_rows = audit.undefined_rows;
        for (const ClaimResult& result : audit.claims) stated.answers.push_back(result.answer);
        stated.ratio_answer = head.ratio_answer;
        stated.answer = head.answer();
        certificate.heads.push_back(std::move(stated));
    }
    return certificate;
}

std::vector<std::byte> format_certificate(const AuditCertificate& certificate) {
    Json tensors = Json::object(), heads = Json::array();
    Safetensors contents;
    for (const auto& [role, tensor] : certificate.tensors) {
        tensors[role] = {{"name", certificate.names.at(role)}, {"sha256", sha256(tensor)}};
        contents.tensors.push_back(tensor);
    }
    for (const StatedHead& head : certificate.heads) heads.push_back(to_json(head));
    const Json statement = {
        {"declaration", to_json(certificate.declaration)}, {"tensors", tensors}, {"heads", heads}};
    contents.metadata = {{"format", kFormatName},
                         {"format_version", kFormatVersion},
                         {"statement", statement.dump(-1, ' ', false, Json::error_handler_t::replace)},
                         {"tool_version", kVersion}};
    return format_safetensors(contents);
}

bool is_audit_certificate(const Safetensors& contents) {
    const auto found = contents.metadata.find("format");
    return found != contents.metadata.end() && found->second == kFormatName;
}

AuditCertificate parse_certificate(std::span<const std::byte> bytes, const std::string& file) {
    Safetensors contents = parse_safetensors(bytes, file);
    const auto metadata = [&](const char* key) {
        const auto found = contents.metadata.find(key);
        if (found == contents.metadata.end())
            throw Error(file + ": an audit certificate has the metadata " + in_quotes(key));
        return found->second;
    };
    if (!is_audit_certificate(contents)) throw Error(file + ": is not an audit certificate");
    if (metadata("format_version") != kFormatVersion)
        throw Error(file + ": has version " + in_quotes(metadata("format_version")) +
                    " of the audit format, but only version " + kFormatVersion +
                    " is known: use the program that wrote it");
    const nlohmann::json json = parse_json(metadata("statement"), file + ": statement", 16);
    Fields fields(json, file + ": statement");
    AuditCertificate certificate;
    certificate.declaration = declaration_from_json(fields.get("declaration"), file + ": declaration");
    const nlohmann::json& tensors = fields.get("tensors");
    if (!tensors.is_object()) fields.fail("the tensors must be an object by role");
    for (Tensor& tensor : contents.tensors) {
        if (!tensors.contains(tensor.name))
            throw Error(file + ": the statement does not name the tensor " + in_quotes(tensor.name));
        Fields about(tensors.at(tensor.name), file + ": tensor " + in_quotes(tensor.name));
        certificate.names[tensor.name] = about.text("name");
        if (about.text("sha256") != sha256(tensor))
            about.fail("its SHA-256 is not the stated one: the file was changed");
        about.finish();
        const std::string role = tensor.name;
        certificate.tensors.emplace(role, std::move(tensor));
    }
    if (tensors.size() != certificate.tensors.size()) fields.fail("it names a tensor that is not there");
    for (const auto& head : fields.array("heads"))
        certificate.heads.push_back(read_head(head, file + ": a head"));
    fields.finish();
    return certificate;
}

std::vector<HeadVerdict> check(const AuditCertificate& certificate, bool exact, unsigned threads) {
    RunOptions options;
    options.threads = threads;
    options.by_mpfr = exact;
    const AuditReport report = run_audit(certificate.declaration, certificate.tensors, options);
    if (report.heads.size() != certificate.heads.size()) {
        throw Error("the certificate states " + std::to_string(certificate.heads.size()) +
                    " heads but its tensors have " + std::to_string(report.heads.size()) +
                    ": it was cut or put together wrongly");
    }
    std::vector<HeadVerdict> verdicts;
    for (std::size_t k = 0; k < report.heads.size(); ++k) {
        const StatedHead& stated = certificate.heads[k];
        const HeadReport& found = report.heads[k];
        if (stated.batch != found.batch || stated.head != found.head ||
            stated.answers.size() != found.audit.claims.size() ||
            stated.ratio_answer.has_value() != found.ratio_answer.has_value())
            throw Error("head " + std::to_string(k) +
                        " of the certificate does not answer what its declaration asks");
        verdicts.push_back(judge(stated, found));
    }
    return verdicts;
}

}  // namespace rankcert::audit
