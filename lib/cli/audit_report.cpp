#include "audit_report.hpp"

#include <mpfr.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "exit_code.hpp"
#include "numbers.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

using audit::Answer;
using audit::ClaimResult;
using audit::HeadAudit;
using audit::HeadReport;
using audit::LargestError;
using Json = nlohmann::ordered_json;

std::string decimal(const char* format, int digits, mpfr_srcptr x) {
    if (mpfr_inf_p(x) != 0) return mpfr_sgn(x) > 0 ? "inf" : "-inf";
    if (mpfr_zero_p(x) != 0) return "0";
    std::array<char, 128> text{};
    mpfr_snprintf(text.data(), text.size(), format, digits - 1, x);
    return text.data();
}

std::string range(const LargestError& error) {
    if (error.infinite) return "inf";
    const std::string low = lower_text(error.value, 4), high = upper_text(error.value, 4);
    return low == high ? high : low + ".." + high;
}

std::string range(const MpInterval& value) { return range(LargestError{value, false, {}}); }

std::string place(const audit::Place& at) {
    if (at.column < 0) return "row " + std::to_string(at.row);
    return "[" + std::to_string(at.row) + ", " + std::to_string(at.column) + "]";
}

std::string head_name(const AuditedGroup& group, const HeadReport& head) {
    const auto& heads = group.report.heads;
    if (heads.size() == 1) return group.name;
    std::string name = group.name + " ";
    if (heads.back().batch > 0) name += "batch " + std::to_string(head.batch) + " ";
    return name + "head " + std::to_string(head.head);
}

/// The head with the largest absolute error, where the bounds tell which it is.
std::string worst_head(const AuditedGroup& group) {
    const auto& heads = group.report.heads;
    const auto upper = [](const HeadReport& head) { return head.audit.max_abs.value.upper_mpfr(); };
    const HeadReport* worst = &heads.front();
    for (const HeadReport& head : heads) {
        if (worst->audit.max_abs.infinite) break;
        if (head.audit.max_abs.infinite || mpfr_greater_p(upper(head), upper(*worst)) != 0) worst = &head;
    }
    const audit::Place& at = worst->audit.max_abs.place;
    return "  largest error of all heads: " + printable(head_name(group, *worst)) + " at " + place(at) +
           ", at most " +
           (worst->audit.max_abs.infinite ? std::string("inf") : upper_text(worst->audit.max_abs.value, 4)) +
           "\n";
}

/// "12 of 64 rounded correctly", with what is open.
std::string counts(std::uint64_t yes, std::uint64_t no, std::uint64_t all) {
    std::string text = std::to_string(yes) + "/" + std::to_string(all);
    const std::uint64_t open = all - yes - no;
    if (open != 0) text += " (" + std::to_string(open) + " open)";
    return text;
}

std::string list_of(const std::vector<audit::Index>& rows) {
    std::string text;
    for (std::size_t k = 0; k < rows.size() && k < 8; ++k) append(text, std::to_string(rows[k]), ", ");
    if (rows.size() > 8) text += ", … (" + std::to_string(rows.size()) + " in all)";
    return text;
}

Json interval(const MpInterval& value, bool infinite = false) {
    if (infinite) return {{"lower", "inf"}, {"upper", "inf"}};
    return {{"lower", lower_text(value, 10)}, {"upper", upper_text(value, 10)}};
}

Json largest(const LargestError& error) {
    Json json = interval(error.value, error.infinite);
    json["row"] = error.place.row;
    if (error.place.column >= 0) json["column"] = error.place.column;
    return json;
}

Json to_json(const ClaimResult& result) {
    Json json = {{"claim", to_string(result.claim)},
                 {"verdict", to_string(result.answer)},
                 {"holds", result.holds},
                 {"fails", result.fails},
                 {"open", result.open}};
    if (result.failure)
        json["first_failure"] = {{"row", result.failure->row}, {"column", result.failure->column}};
    return json;
}

/// What is proved of one result.
Json to_json(const HeadAudit& a) {
    const auto open = [&](std::uint64_t yes, std::uint64_t no) { return a.entries - yes - no; };
    Json json = {{"max_abs", largest(a.max_abs)},
                 {"row_l1", largest(a.row_l1)},
                 {"relative", largest(a.relative)},
                 {"ulps", largest(a.ulps)},
                 {"frobenius", interval(a.frobenius, a.not_finite != 0)},
                 {"entries", a.entries},
                 {"not_finite", a.not_finite},
                 {"correctly_rounded", a.correctly_rounded},
                 {"correctly_rounded_open", open(a.correctly_rounded, a.not_correctly_rounded)},
                 {"faithful", a.faithful},
                 {"faithful_open", open(a.faithful, a.not_faithful)},
                 {"undefined_rows", a.undefined_rows},
                 {"empty_rows", a.empty_rows}};
    if (a.worst_sum)
        json["worst_row_sum"] = {{"row", a.sum_deviation->place.row}, {"sum", to_string(*a.worst_sum)}};
    return json;
}

std::string xml(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) {
        switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string failure_text(const ClaimResult& result) {
    std::string text = to_string(result.claim) + " is " + to_string(result.answer) + ": " +
                       std::to_string(result.holds) + " hold, " + std::to_string(result.fails) + " fail, " +
                       std::to_string(result.open) + " are open";
    if (result.failure) text += "; the first that fails: " + place(*result.failure);
    return text;
}

}  // namespace

std::string lower_text(const MpInterval& x, int digits) { return decimal("%.*RDe", digits, x.lower_mpfr()); }
std::string upper_text(const MpInterval& x, int digits) { return decimal("%.*RUe", digits, x.upper_mpfr()); }

std::string operator_text(const audit::Declaration& d) {
    std::string text = "scale " + d.scale;
    if (d.softcap) text += ", softcap " + decimal_or_fraction(*d.softcap);
    if (d.causal) text += ", causal";
    if (d.window_before || d.window_after) {
        text += ", window " + (d.window_before ? std::to_string(*d.window_before) : std::string("∞")) +
                " before, " + (d.window_after ? std::to_string(*d.window_after) : std::string("∞")) +
                " after";
    }
    if (d.alignment)
        text += *d.alignment == CausalAlignment::top_left ? ", aligned top-left" : ", aligned bottom-right";
    if (d.mask) text += *d.mask == MaskReading::boolean ? ", boolean mask" : ", additive mask";
    if (d.bias) text += ", bias";
    if (d.alibi) text += ", ALiBi";
    if (d.sink == audit::SinkKind::one) text += ", softmax plus one";
    if (d.sink == audit::SinkKind::logits) text += ", sink logits";
    if (d.empty_rows != audit::EmptyRows::error)
        text += d.empty_rows == audit::EmptyRows::zero ? ", empty rows are 0" : ", empty rows are NaN";
    return text;
}

int code_of(Answer answer) noexcept {
    switch (answer) {
        case Answer::proved:
            return kProved;
        case Answer::refuted:
            return kRefuted;
        default:
            return kUndecided;
    }
}

std::string to_text(const std::string& file, const AuditedGroup& group, bool verbose) {
    const audit::AuditReport& report = group.report;
    const bool output = group.declaration.subject == audit::Subject::output;
    std::string text = printable(file) + ": " + printable(group.name) + ", " +
                       (output ? "output" : "attention matrix") + " in " + to_string(report.format) + ", " +
                       std::to_string(report.queries) + " queries, " + std::to_string(report.keys) +
                       " keys, " + std::to_string(report.features) + " features\n  " +
                       operator_text(group.declaration) + "\n";
    if (verbose) {
        for (const auto& [role, tensor] : group.tensors)
            text += "  " + role + ": " + printable(tensor) + "\n";
    }
    std::vector<std::array<std::string, 8>> lines = {
        {"head", "max |error|", "row l1", "relative", "ulps", "rounded correctly", "faithful", "verdict"}};
    for (const HeadReport& head : report.heads) {
        const HeadAudit& a = head.audit;
        lines.push_back({printable(head_name(group, head)), range(a.max_abs), range(a.row_l1),
                         range(a.relative), range(a.ulps),
                         counts(a.correctly_rounded, a.not_correctly_rounded, a.entries),
                         counts(a.faithful, a.not_faithful, a.entries), to_string(head.answer())});
    }
    std::array<std::size_t, 8> widths{};
    for (const auto& line : lines)
        for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], width_of(line[k]));
    for (const auto& line : lines) {
        std::string row = " ";
        for (std::size_t k = 0; k < line.size(); ++k)
            row += " " + pad(line[k], widths[k]) + (k + 1 < line.size() ? " " : "");
        while (row.ends_with(' ')) row.pop_back();
        text += row + "\n";
    }
    if (report.heads.size() > 1) text += worst_head(group);
    for (std::size_t h = 0; h < report.heads.size(); ++h) {
        const HeadReport& head = report.heads[h];
        const HeadAudit& a = head.audit;
        const std::string name = "  " + printable(head_name(group, head)) + ": ";
        if (verbose) {
            text += name + "largest error at " + place(a.max_abs.place) + ", worst row " +
                    std::to_string(a.row_l1.place.row) + ", Frobenius " +
                    (a.not_finite != 0 ? std::string("inf") : range(a.frobenius)) + "\n";
        }
        if (!a.undefined_rows.empty()) text += name + "undefined rows: " + list_of(a.undefined_rows) + "\n";
        if (a.not_finite != 0)
            text += name + std::to_string(a.not_finite) + " claimed entries are NaN or infinite\n";
        if (a.unread_not_finite != 0)
            text += name + std::to_string(a.unread_not_finite) +
                    " tokens hold NaN or infinities that no query reads\n";
        if (a.worst_sum)
            text += name + "row " + std::to_string(a.sum_deviation->place.row) +
                    " of the stored numbers sums to " + decimal_or_fraction(*a.worst_sum) + " exactly\n";
        for (const ClaimResult& result : a.claims) {
            if (verbose || result.answer != Answer::proved) text += name + failure_text(result) + "\n";
        }
        if (const auto causes = group.estimate_causes.find(h); causes != group.estimate_causes.end()) {
            for (const auto& finding : causes->second)
                text += name + "estimate: the result is what one gets with " + finding.variant + "\n";
        }
        if (head.baseline) {
            text += name + "the baseline's largest error: " + range(head.baseline->max_abs) + "; ratio " +
                    (head.ratio ? range(*head.ratio) : std::string("not defined")) +
                    (head.ratio_answer ? std::string(", ") + to_string(*head.ratio_answer) : "") + "\n";
        }
    }
    if (!group.certificate.empty()) text += "  certificate: " + printable(group.certificate) + "\n";
    return text;
}

Json to_json(const std::string& file, const AuditedGroup& group, std::size_t number) {
    const HeadReport& head = group.report.heads[number];
    Json claims = Json::array();
    for (const ClaimResult& result : head.audit.claims) claims.push_back(to_json(result));
    Json tensors = Json::object();
    for (const auto& [role, tensor] : group.tensors)
        tensors[role] = {{"tensor", tensor}, {"sha256", group.hashes.at(role)}};
    Json json = {{"file", file},
                 {"name", group.name},
                 {"batch", head.batch},
                 {"head", head.head},
                 {"format", to_string(group.report.format)},
                 {"verdict", to_string(head.answer())},
                 {"proved", to_json(head.audit)},
                 {"claims", claims}};
    if (head.baseline) {
        json["proved_of_baseline"] = to_json(*head.baseline);
        json["proved_ratio"] = head.ratio ? interval(*head.ratio) : Json("not defined");
        if (head.ratio_answer) json["ratio_verdict"] = to_string(*head.ratio_answer);
    }
    json["information"] = {{"unread_tokens_not_finite", head.audit.unread_not_finite},
                           {"rows_by_mpfr", head.audit.precise_rows}};
    json["declaration"] = audit::to_json(group.declaration);
    json["tensors"] = tensors;
    if (!group.certificate.empty()) json["certificate"] = group.certificate;
    json["estimate"] = {{"seconds", group.estimate_seconds}};
    if (const auto causes = group.estimate_causes.find(number); causes != group.estimate_causes.end()) {
        Json list = Json::array();
        for (const auto& finding : causes->second)
            list.push_back({{"variant", finding.variant}, {"distance", finding.estimate_distance}});
        json["estimate"]["reproduced_by"] = list;
    }
    return json;
}

std::string to_junit(const std::string& file, const std::vector<AuditedGroup>& groups) {
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"" + xml(file) + "\">\n";
    for (const AuditedGroup& group : groups) {
        std::string cases;
        std::size_t tests = 0, failures = 0, errors = 0;
        const auto add = [&](const std::string& name, const std::string& claim, Answer answer,
                             const std::string& what) {
            ++tests;
            cases += "    <testcase classname=\"" + xml(name) + "\" name=\"" + xml(claim) + "\"";
            if (answer == Answer::proved) {
                cases += "/>\n";
                return;
            }
            const bool refuted = answer == Answer::refuted;
            ++(refuted ? failures : errors);
            const std::string tag = refuted ? "failure" : "error";
            cases += ">\n      <" + tag + " type=\"" + to_string(answer) + "\" message=\"" + xml(what) +
                     "\"/>\n    </testcase>\n";
        };
        for (const HeadReport& head : group.report.heads) {
            const std::string name = head_name(group, head);
            for (const ClaimResult& result : head.audit.claims)
                add(name, to_string(result.claim), result.answer, failure_text(result));
            if (head.ratio_answer)
                add(name, "ratio", *head.ratio_answer, "the ratio to the baseline's error");
        }
        text += "  <testsuite name=\"" + xml(group.name) + "\" tests=\"" + std::to_string(tests) +
                "\" failures=\"" + std::to_string(failures) + "\" errors=\"" + std::to_string(errors) +
                "\">\n" + cases + "  </testsuite>\n";
    }
    return text + "</testsuites>\n";
}

}  // namespace rankcert::cli
