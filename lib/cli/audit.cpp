#include "audit.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "audit_linear.hpp"
#include "audit_report.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "load.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "rankcert/audit/certificate.hpp"
#include "rankcert/audit/declaration.hpp"
#include "rankcert/io/json.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

using audit::Declaration;
using audit::Index;

/// What tensors are called where nothing else is said: alone, or after the name of a head and a dot.
const std::map<std::string, std::vector<std::string>>& usual_names(bool output) {
    static const std::map<std::string, std::vector<std::string>> of_attention = {
        {"query", {"q", "query"}}, {"key", {"k", "key"}}, {"claim", {"attn", "attention", "claim"}}};
    static const std::map<std::string, std::vector<std::string>> of_output = {
        {"query", {"q", "query"}},
        {"key", {"k", "key"}},
        {"value", {"v", "value"}},
        {"claim", {"o", "out", "output", "claim"}}};
    return output ? of_output : of_attention;
}

/// The manifest: a declaration and, under "tensors", names by role.
struct Manifest {
    Declaration declaration;
    std::map<std::string, std::string> names;
};

Manifest read_manifest(const std::string& path) {
    Manifest manifest;
    const std::vector<std::byte> bytes = read_file(path, kMaxJsonBytes);
    nlohmann::json json =
        parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, printable(path), 8);
    if (!json.is_object()) throw Error(printable(path) + ": a manifest must be a JSON object.");
    if (const auto names = json.find("tensors"); names != json.end()) {
        if (!names->is_object())
            throw Error(printable(path) + ": \"tensors\" must be an object of names by role.");
        for (const auto& [role, name] : names->items()) {
            if (!name.is_string())
                throw Error(printable(path) + ": the name of the " + printable(role) + " must be a text.");
            manifest.names[role] = name.get<std::string>();
        }
        json.erase(names);
    }
    manifest.declaration = audit::declaration_from_json(json, printable(path));
    return manifest;
}

Index whole_number(const std::string& text, const std::string& what) {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        throw Error(what + " \"" + printable(text) + "\" is not a whole number ≥ 0.");
    return value;
}

/// "3", "10..20" (both ends included) or "last".
void add_rows(const std::string& list, Index queries, std::vector<Index>& rows) {
    for (const std::string& item : split(list, ',')) {
        if (item == "last") {
            rows.push_back(queries - 1);
            continue;
        }
        const std::size_t dots = item.find("..");
        const Index first = whole_number(item.substr(0, dots), "The row");
        const Index last = dots == std::string::npos ? first : whole_number(item.substr(dots + 2), "The row");
        if (last < first || last >= queries) {
            throw Error("The rows \"" + printable(item) + "\" do not exist: there are queries 0 to " +
                        std::to_string(queries - 1) + ".");
        }
        for (Index i = first; i <= last; ++i) rows.push_back(i);
    }
}

class AuditRun {
  public:
    explicit AuditRun(const AuditArguments& arguments)
        : arguments_(arguments), output_(arguments.subject == "output"), input_(read_input(arguments.file)) {
        if (!arguments.manifest.empty()) {
            Manifest manifest = read_manifest(arguments.manifest);
            declaration_ = std::move(manifest.declaration);
            names_ = std::move(manifest.names);
        }
        for (const auto& [role, name] : arguments.names) {
            if (!name.empty()) names_[role] = name;
        }
        apply_options();
        find_groups();
    }

    int run() {
        std::vector<AuditedGroup> groups;
        const unsigned threads =
            arguments_.threads != 0 ? arguments_.threads : std::max(1U, std::thread::hardware_concurrency());
        ProgressLine progress(prefixes_.size(), prefixes_.size() == 1 ? "audit" : "audits");
        audit::Answer all = audit::Answer::proved;
        std::string text;
        for (std::size_t k = 0; k < prefixes_.size(); ++k) {
            AuditedGroup group = prepare(prefixes_[k]);
            const auto start = std::chrono::steady_clock::now();
            try {
                audit::RunOptions options;
                options.threads = threads;
                options.progress = [&](std::size_t h, std::size_t count) {
                    stop_if_interrupted();
                    progress.report(k, static_cast<double>(h) / static_cast<double>(count), group.name);
                };
                group.report = audit::run_audit(group.declaration, tensors_, options);
            } catch (const Error& error) {
                throw Error(printable(arguments_.file) + ", " + printable(group.name) + ": " + error.what());
            }
            group.estimate_seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            progress.report(k, 1, group.name);
            all = both(all, group.report.answer());
            if (!arguments_.no_diagnosis) diagnose(group);
            if (!arguments_.output.empty()) write_certificate(group);
            if (arguments_.json) {
                for (std::size_t h = 0; h < group.report.heads.size(); ++h)
                    text += dump_line(to_json(arguments_.file, group, h));
            } else {
                text += to_text(arguments_.file, group, arguments_.verbose);
            }
            groups.push_back(std::move(group));
        }
        if (!arguments_.junit.empty())
            write_file_atomically(arguments_.junit, to_junit(arguments_.file, groups));
        progress.around([&] { print(text); });
        return code_of(all);
    }

  private:
    /// Looks into the first refuted heads, as long as that is a matter of seconds.
    void diagnose(AuditedGroup& group) const {
        constexpr double kMostWork = 1e9;  // multiply-adds of one variant
        constexpr int kMostHeads = 4;
        const audit::AuditReport& report = group.report;
        const double work = static_cast<double>(report.queries) * static_cast<double>(report.keys) *
                            static_cast<double>(report.features);
        int left = work > kMostWork ? 0 : kMostHeads;
        for (std::size_t h = 0; h < report.heads.size() && left > 0; ++h) {
            const audit::HeadReport& head = report.heads[h];
            if (head.answer() != audit::Answer::refuted) continue;
            --left;
            auto causes = diagnosis::diagnose(group.declaration, tensors_, head.batch, head.head);
            if (!causes.empty()) group.estimate_causes[h] = std::move(causes);
        }
    }

    void write_certificate(AuditedGroup& group) const {
        const std::filesystem::path folder = arguments_.output;
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (error)
            throw Error("The folder " + printable(arguments_.output) + " cannot be made: " + error.message() +
                        ".");
        group.certificate = (folder / (as_file_name(group.name) + ".audit.safetensors")).string();
        write_file_atomically(group.certificate, audit::format_certificate(audit::make_certificate(
                                                     group.declaration, tensors_, group.report)));
    }

    void apply_options() {
        Declaration& d = declaration_;
        const AuditArguments& a = arguments_;
        d.subject = output_ ? audit::Subject::output : audit::Subject::attention;
        if (!a.layout.empty()) {
            d.layout = a.layout == "BNHD" ? audit::Layout::tokens_first : audit::Layout::heads_first;
        }
        if (!a.scale.empty()) d.scale = a.scale;
        if (!a.softcap.empty()) d.softcap = number(a.softcap, "The softcap");
        if (a.causal) d.causal = true;
        if (!a.alignment.empty()) {
            d.alignment =
                a.alignment == "top-left" ? CausalAlignment::top_left : CausalAlignment::bottom_right;
        }
        if (!a.window.empty()) {
            const std::vector<std::string> sides = split(a.window, ',');
            if (sides.size() > 2)
                throw Error("The window \"" + printable(a.window) + "\" must be BEFORE or BEFORE,AFTER.");
            d.window_before = whole_number(sides[0], "The window");
            d.window_after =
                sides.size() > 1 ? std::optional(whole_number(sides[1], "The window")) : std::nullopt;
        }
        if (!a.mask_kind.empty())
            d.mask = a.mask_kind == "boolean" ? MaskReading::boolean : MaskReading::additive;
        if (d.mask && !names_.contains("mask")) names_["mask"] = "mask";
        if (names_.contains("mask") && !d.mask) {
            throw Error(
                "The mask's kind is not declared: add --mask-kind boolean (1 keeps a key) or additive (it is "
                "added "
                "to the logits).");
        }
        if (names_.contains("bias")) d.bias = true;
        if (names_.contains("alibi")) d.alibi = true;
        if (d.bias && !names_.contains("bias")) names_["bias"] = "bias";
        if (d.alibi && !names_.contains("alibi")) names_["alibi"] = "alibi";
        if (a.sink == "one") {
            d.sink = audit::SinkKind::one;
        } else if (!a.sink.empty()) {
            d.sink = audit::SinkKind::logits;
            names_["sink"] = a.sink;
        }
        if (d.sink == audit::SinkKind::logits && !names_.contains("sink")) names_["sink"] = "sink";
        if (!a.empty_rows.empty()) {
            d.empty_rows = a.empty_rows == "zero"  ? audit::EmptyRows::zero
                           : a.empty_rows == "nan" ? audit::EmptyRows::nan
                                                   : audit::EmptyRows::error;
        }
        if (!a.ratio.empty()) d.ratio = number(a.ratio, "The ratio");
        if (d.ratio && !names_.contains("baseline"))
            throw Error("--ratio compares with a second result: add --baseline TENSOR.");
        for (const std::string& claim : a.claims) d.claims.push_back(audit::parse_claim(claim));
        use_metadata();
    }

    static Rational number(const std::string& text, const std::string& what) {
        try {
            return parse_rational(text);
        } catch (const Error&) {
            throw Error(what + " \"" + printable(text) +
                        "\" is not a number: write it as a decimal or a fraction.");
        }
    }

    /// What the file itself declares, where nothing else does.
    void use_metadata() {
        const auto find = [&](const char* key) {
            const auto found = input_.contents.metadata.find(key);
            return found == input_.contents.metadata.end() ? std::string() : found->second;
        };
        if (declaration_.scale.empty()) {
            const std::string beta = find("beta");
            if (beta.empty()) {
                throw Error(
                    printable(arguments_.file) +
                    ": the factor of q·k is not declared: add --scale, such as --scale \"1/sqrt(d)\".");
            }
            declaration_.scale = to_string(nearest_double_of(beta, printable(arguments_.file) + ": beta"));
        }
        const std::string mask = find("mask");
        if (mask == "causal" && !arguments_.no_causal && arguments_.manifest.empty())
            declaration_.causal = true;
    }

    /// The tensor of a role for a head: its own, or one that all share.
    const Tensor* tensor_of(const std::string& prefix, const std::string& role) const {
        std::vector<std::string> names;
        if (const auto given = names_.find(role); given != names_.end()) {
            names = {given->second};
        } else if (const auto usual = usual_names(output_).find(role); usual != usual_names(output_).end()) {
            names = usual->second;
        }
        for (const std::string& name : names) {
            if (!prefix.empty()) {
                if (const Tensor* tensor = input_.contents.find(prefix + "." + name)) return tensor;
            }
            if (const Tensor* tensor = input_.contents.find(name)) return tensor;
        }
        return nullptr;
    }

    void find_groups() {
        std::vector<std::string> names = usual_names(output_).at("query");
        if (const auto given = names_.find("query"); given != names_.end()) names = {given->second};
        std::set<std::string> found;
        for (const Tensor& tensor : input_.contents.tensors) {
            for (const std::string& name : names) {
                if (tensor.name == name) found.insert("");
                if (tensor.name.ends_with("." + name))
                    found.insert(tensor.name.substr(0, tensor.name.size() - name.size() - 1));
            }
        }
        std::vector<std::string> all(found.begin(), found.end());
        std::sort(all.begin(), all.end(), natural_less);
        if (all.empty()) {
            throw Error(printable(arguments_.file) + " has no tensor " + printable(join(names, " or ")) +
                        " for the query: name it with --query.");
        }
        if (arguments_.heads.empty()) {
            prefixes_ = all;
            return;
        }
        for (const std::string& head : arguments_.heads) {
            if (!found.contains(head)) {
                const std::string near = nearest_name(head, all);
                throw Error(printable(arguments_.file) + " has no head \"" + printable(head) + "\"" +
                            (near.empty() ? "." : ", did you mean \"" + printable(near) + "\"?"));
            }
            prefixes_.push_back(head);
        }
    }

    AuditedGroup prepare(const std::string& prefix) {
        AuditedGroup group;
        group.name = prefix.empty() ? stem_of(arguments_.file) : prefix;
        group.declaration = declaration_;
        tensors_.clear();
        std::vector<std::string> roles = {"query", "key", "claim"};
        if (output_) roles.emplace_back("value");
        for (const auto& [role, name] : names_) {
            if (std::find(roles.begin(), roles.end(), role) == roles.end()) roles.push_back(role);
        }
        for (const std::string& role : roles) {
            const Tensor* tensor = tensor_of(prefix, role);
            if (tensor == nullptr) {
                const auto given = names_.find(role);
                throw Error(printable(arguments_.file) + " has no tensor " +
                            (given != names_.end() ? "\"" + printable(given->second) + "\" for the " + role
                                                   : "for the " + role + " of " + printable(group.name)) +
                            ": name it with --" + role + ".");
            }
            group.tensors[role] =
                tensor->name + " " + to_string(tensor->dtype) + " " + dimensions(tensor->shape);
            group.hashes[role] = sha256(*tensor);
            tensors_.emplace(role, *tensor);
        }
        const Tensor& query = tensors_.at("query");
        if (query.shape.size() >= 2) {
            const std::size_t rank = query.shape.size();
            const bool tokens_first = declaration_.layout == audit::Layout::tokens_first && rank > 2;
            const auto queries = static_cast<Index>(query.shape[tokens_first ? rank - 3 : rank - 2]);
            for (const std::string& list : arguments_.rows) add_rows(list, queries, group.declaration.rows);
        }
        return group;
    }

    const AuditArguments& arguments_;
    bool output_;
    InputFile input_;
    Declaration declaration_;
    std::map<std::string, std::string> names_;
    std::vector<std::string> prefixes_;
    audit::Tensors tensors_;
};

}  // namespace

int run_audit_command(const AuditArguments& arguments) {
    catch_signals();
    if (is_linear(arguments.subject)) return run_linear_audit(arguments);
    return AuditRun(arguments).run();
}

}  // namespace rankcert::cli
