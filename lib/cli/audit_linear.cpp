#include "audit_linear.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "audit_report.hpp"
#include "exit_code.hpp"
#include "load.hpp"
#include "output.hpp"
#include "rankcert/audit/declaration.hpp"
#include "rankcert/audit/factors.hpp"
#include "rankcert/audit/solve.hpp"
#include "rankcert/audit/spectrum.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

using audit::Answer;
using audit::ErrorNorms;
using audit::Index;
using audit::LargestError;
using Eigen::MatrixXd;
using Json = nlohmann::ordered_json;

/// What was found: lines for a reader, fields for a machine, and the answer.
struct Findings {
    std::string text;
    Json proved = Json::object();
    Json claims = Json::array();
    Answer answer = Answer::proved;

    void say(const std::string& line) { text += "  " + line + "\n"; }
    void judge(const std::string& claim, Answer verdict, const std::string& more = "") {
        say(claim + ": " + to_string(verdict) + (more.empty() ? "" : ", " + more));
        claims.push_back({{"claim", claim}, {"verdict", to_string(verdict)}});
        answer = both(answer, verdict);
    }
};

std::string range(const MpInterval& x, bool infinite = false) {
    if (infinite) return "inf";
    const std::string low = lower_text(x, 6), high = upper_text(x, 6);
    return low == high ? high : low + ".." + high;
}
Json interval(const MpInterval& x, bool infinite = false) {
    if (infinite) return {{"lower", "inf"}, {"upper", "inf"}};
    return {{"lower", lower_text(x, 12)}, {"upper", upper_text(x, 12)}};
}

void add(Findings& out, const std::string& key, const std::string& what, const MpInterval& x,
         bool infinite = false) {
    out.say(what + " " + range(x, infinite));
    out.proved[key] = interval(x, infinite);
}
void add(Findings& out, const std::string& key, const std::string& what, const LargestError& x) {
    add(out, key, what, x.value, x.infinite);
}
void add(Findings& out, const std::string& key, const std::string& what, const ErrorNorms& x) {
    add(out, key + "_row_l1", what + ", largest row l1", x.norm);
    add(out, key + "_max_abs", what + ", largest entry", x.max_abs);
    add(out, key + "_frobenius", what + ", Frobenius", x.frobenius);
}

std::string list_of(const std::vector<Index>& rows) {
    std::vector<std::string> items;
    for (const Index row : rows) items.push_back(std::to_string(row));
    return join(items, ", ");
}
void add_rows(Findings& out, const std::string& key, const std::string& what,
              const std::vector<Index>& rows) {
    out.proved[key] = rows;
    if (!rows.empty()) out.say(what + ": " + list_of(rows));
}

Rational number(const std::string& text, const std::string& what) {
    try {
        return parse_rational(text);
    } catch (const Error&) {
        throw Error(what + " \"" + printable(text) +
                    "\" is not a number: write it as a decimal or a fraction.");
    }
}

/// "name=value" or "name".
std::pair<std::string, std::string> parts(const std::string& claim) {
    const std::size_t equals = claim.find('=');
    if (equals == std::string::npos) return {claim, ""};
    return {claim.substr(0, equals), claim.substr(equals + 1)};
}

[[noreturn]] void refuse_claim(const std::string& claim, const std::string& known) {
    throw Error("The claim \"" + printable(claim) + "\" is not one of this audit: its claims are " + known +
                ".");
}

class LinearAudit {
  public:
    explicit LinearAudit(const AuditArguments& arguments) : arguments_(arguments) {
        if (arguments.file.ends_with(".npy")) {
            throw Error(printable(arguments.file) +
                        " holds one array: give a .safetensors or .npz file with all that the audit needs.");
        }
        input_ = read_input(arguments.file);
    }

    int run() {
        Findings out;
        const std::string& subject = arguments_.subject;
        if (subject == "factors") audit_factors(out);
        if (subject == "pseudo-inverse") audit_pseudo_inverse(out);
        if (subject == "spectrum") audit_spectrum(out);
        if (subject == "rank") audit_rank(out);
        if (subject == "solve" || subject == "inverse") audit_equations(out);
        if (arguments_.json) {
            Json tensors = Json::object();
            for (const auto& [role, tensor] : used_)
                tensors[role] = {{"tensor", tensor->name + " " + to_string(tensor->dtype) + " " +
                                                dimensions(tensor->shape)},
                                 {"sha256", sha256(*tensor)}};
            print(dump_line({{"file", arguments_.file},
                             {"audit", subject},
                             {"verdict", to_string(out.answer)},
                             {"proved", out.proved},
                             {"claims", out.claims},
                             {"tensors", tensors}}));
        } else {
            std::string text = printable(arguments_.file) + ": audit of " + subject + "\n";
            for (const auto& [role, tensor] : used_)
                text += "  " + role + ": " + printable(tensor->name) + " " + to_string(tensor->dtype) + " " +
                        dimensions(tensor->shape) + "\n";
            print(text + out.text + "  verdict: " + to_string(out.answer) + "\n");
        }
        return code_of(out.answer);
    }

  private:
    // ---- tensors ------------------------------------------------------------------------------------------

    const Tensor* find(const std::string& role, const std::vector<std::string>& usual) {
        std::vector<std::string> names = usual;
        const auto given = arguments_.names.find(role);
        const bool named = given != arguments_.names.end() && !given->second.empty();
        if (named) names = {given->second};
        for (const std::string& name : names) {
            if (const Tensor* tensor = input_.contents.find(name)) {
                used_[role] = tensor;
                return tensor;
            }
        }
        if (named)
            throw Error(printable(arguments_.file) + " has no tensor \"" + printable(given->second) +
                        "\" for the " + role + ".");
        return nullptr;
    }
    const Tensor& require(const std::string& role, const std::vector<std::string>& usual) {
        const Tensor* tensor = find(role, usual);
        if (tensor == nullptr) {
            throw Error(printable(arguments_.file) + " has no tensor " + printable(join(usual, " or ")) +
                        " for the " + role + ": name it with --" + role + ".");
        }
        return *tensor;
    }
    static MatrixXd matrix(const Tensor& tensor) {
        if (tensor.shape.size() != 1) return to_matrix(tensor);
        Tensor column = tensor;  // a vector is a column
        column.shape.push_back(1);
        return to_matrix(column);
    }
    /// A claimed result: NaN and infinities may stand in it.
    static MatrixXd claimed(const Tensor& tensor) {
        if (tensor.shape.size() > 2 || tensor.shape.empty())
            throw Error("tensor " + printable(tensor.name) + " has the shape " + dimensions(tensor.shape) +
                        ": a vector or a matrix is needed.");
        const auto rows = static_cast<Index>(tensor.shape[0]);
        const Index cols = tensor.shape.size() == 2 ? static_cast<Index>(tensor.shape[1]) : 1;
        const std::vector<double> values = to_doubles(tensor);
        return Eigen::Map<const audit::RowMatrix>(values.data(), rows, cols);
    }
    static NumberFormat format_of(const Tensor& tensor) {
        switch (tensor.dtype) {
            case DType::f16:
                return NumberFormat::float16;
            case DType::bf16:
                return NumberFormat::bfloat16;
            case DType::f32:
                return NumberFormat::float32;
            case DType::f64:
                return NumberFormat::float64;
            default:
                throw Error("tensor " + printable(tensor.name) + " has the type " +
                            std::string(to_string(tensor.dtype)) +
                            ": a claimed result must be F16, BF16, F32 or F64.");
        }
    }

    // ---- factors ------------------------------------------------------------------------------------------

    audit::Approximation approximation() {
        audit::Approximation b;
        if (const Tensor* whole = find("approximation", {"b"})) {
            b.factors = {matrix(*whole)};
        } else {
            const MatrixXd u = matrix(require("u", {"u"}));
            const Tensor* w = find("w", {"w"});
            const MatrixXd v = matrix(require("v", {"v"}));
            b.factors = {u};
            if (w != nullptr) b.factors.push_back(matrix(*w));
            b.factors.push_back(v);
        }
        b.normalised = arguments_.normalised;
        if (arguments_.causal_factors) b.causal = alignment();
        return b;
    }
    [[nodiscard]] CausalAlignment alignment() const {
        return arguments_.alignment == "top-left" ? CausalAlignment::top_left : CausalAlignment::bottom_right;
    }

    void audit_factors(Findings& out) {
        const audit::Approximation b = approximation();
        std::vector<audit::FactorClaim> claims;
        audit::FactorOptions options;
        for (const std::string& text : arguments_.claims) {
            const auto [name, value] = parts(text);
            const Rational tolerance = value.empty() ? Rational(0) : number(value, "The tolerance");
            if (name == "row-l1" && !value.empty()) {
                options.epsilon = tolerance;
            } else if (name == "row-stochastic") {
                claims.push_back({audit::FactorClaimKind::row_stochastic, tolerance, alignment()});
            } else if (name == "row-sums") {
                claims.push_back({audit::FactorClaimKind::row_sums, tolerance, alignment()});
            } else if (name == "non-negative") {
                claims.push_back({audit::FactorClaimKind::non_negative, tolerance, alignment()});
            } else if (name == "causal") {
                claims.push_back({audit::FactorClaimKind::causal, tolerance, alignment()});
            } else {
                refuse_claim(text, "row-l1=E, row-stochastic[=E], row-sums[=E], non-negative, causal");
            }
        }
        if (const auto target = compare(b, options)) {
            add(out, "error", "A - B", target->error);
            add_rows(out, "undefined_rows_of_a", "rows of A without a value", target->undefined_target_rows);
            if (options.epsilon) {
                out.judge(
                    "row-l1=" + to_string(*options.epsilon), target->answer,
                    target->failing_row >= 0 ? "row " + std::to_string(target->failing_row) + " fails" : "");
            } else if (!target->undefined_target_rows.empty()) {
                out.answer = both(out.answer, Answer::undefined);
            }
        } else if (options.epsilon) {
            throw Error("The claim row-l1 compares with A: give --matrix, or q and k with their operator.");
        }
        const audit::FactorFacts facts = audit_claims(b, claims);
        add_rows(out, "undefined_rows", "undefined rows of B (the sum is not positive)",
                 facts.undefined_rows);
        out.proved["least_row_sum"] = to_string(facts.least_row_sum);
        out.proved["largest_row_sum"] = to_string(facts.largest_row_sum);
        out.say("row sums of B from " + lower_decimal(facts.least_row_sum, 8) + " to " +
                upper_decimal(facts.largest_row_sum, 8));
        add(out, "smallest_entry", "smallest entry of B", facts.smallest_entry);
        for (const auto& result : facts.claims) {
            std::string claim = to_string(result.claim.kind);
            if (result.claim.tolerance != 0) claim += "=" + to_string(result.claim.tolerance);
            std::string failure;
            if (result.failure) {
                failure = "row " + std::to_string(result.failure->row);
                if (result.failure->column >= 0)
                    failure += ", column " + std::to_string(result.failure->column);
                failure += " fails";
            }
            out.judge(claim, result.answer, failure);
        }
        if (!facts.undefined_rows.empty()) out.answer = both(out.answer, Answer::undefined);
    }

    std::optional<audit::FactorAudit> compare(const audit::Approximation& b,
                                              const audit::FactorOptions& options) {
        if (const Tensor* a = find("matrix", {"a"})) return audit_approximation(matrix(*a), b, options);
        const Tensor* query = find("query", {"q", "query"});
        const Tensor* key = find("key", {"k", "key"});
        if (query == nullptr || key == nullptr) return std::nullopt;
        audit::AttentionHead head;
        head.query = to_matrix(*query);
        head.key = to_matrix(*key);
        std::string scale = arguments_.scale;
        if (scale.empty()) {
            const auto beta = input_.contents.metadata.find("beta");
            if (beta == input_.contents.metadata.end())
                throw Error(
                    printable(arguments_.file) +
                    ": the factor of q·k is not declared: add --scale, such as --scale \"1/sqrt(d)\".");
            scale = to_string(nearest_double_of(beta->second, printable(arguments_.file) + ": beta"));
        }
        head.scale = parse_scale(scale, head.query.cols());
        if (!arguments_.softcap.empty()) head.softcap = number(arguments_.softcap, "The softcap");
        const auto mask = input_.contents.metadata.find("mask");
        head.causal = arguments_.causal || (mask != input_.contents.metadata.end() &&
                                            mask->second == "causal" && !arguments_.no_causal);
        if (head.causal && head.queries() != head.keys() && arguments_.alignment.empty())
            throw Error("The numbers of queries and keys differ: say --alignment bottom-right or top-left.");
        head.alignment = alignment();
        return audit_approximation(head, b, options);
    }

    void audit_pseudo_inverse(Findings& out) {
        Rational tolerance = 0;
        for (const std::string& text : arguments_.claims) {
            const auto [name, value] = parts(text);
            if (name != "row-l1" || value.empty())
                refuse_claim(text, "row-l1=E, of each of the four residuals");
            tolerance = number(value, "The tolerance");
        }
        const auto found = audit::audit_pseudo_inverse(matrix(require("matrix", {"a", "matrix"})),
                                                       matrix(require("claim", {"x", "claim"})), tolerance);
        add(out, "cwc", "C W C - C", found.first);
        add(out, "wcw", "W C W - W", found.second);
        add(out, "cw", "C W - (C W)^T", found.third);
        add(out, "wc", "W C - (W C)^T", found.fourth);
        out.judge("pseudo-inverse, row-l1=" + to_string(tolerance), found.answer);
    }

    // ---- spectra and ranks --------------------------------------------------------------------------------

    std::optional<BallMatrix> ball(const MatrixXd& a) {
        const Tensor* radius = find("radius", {"radius"});
        if (radius == nullptr) return std::nullopt;
        return BallMatrix{a, matrix(*radius)};
    }

    void audit_spectrum(Findings& out) {
        const MatrixXd a = matrix(require("matrix", {"a", "matrix"}));
        const Tensor& claim = require("claim", {"s", "claim"});
        const MatrixXd values = claimed(claim);
        if (values.cols() != 1 && values.rows() != 1)
            throw Error("tensor " + printable(claim.name) + " has the shape " + dimensions(claim.shape) +
                        ": claimed values are a vector.");
        audit::SpectrumOptions options;
        options.format = format_of(claim);
        for (const std::string& text : arguments_.claims) {
            const auto [name, value] = parts(text);
            using Kind = audit::SpectrumClaimKind;
            const std::pair<const char*, Kind> kinds[] = {{"max-abs", Kind::absolute},
                                                          {"backward", Kind::backward},
                                                          {"relative", Kind::relative},
                                                          {"ulps", Kind::ulps},
                                                          {"correctly-rounded", Kind::correctly_rounded},
                                                          {"faithful", Kind::faithful}};
            const auto* kind = std::find_if(std::begin(kinds), std::end(kinds),
                                            [n = name](const auto& k) { return n == k.first; });
            const bool plain = name == "correctly-rounded" || name == "faithful";
            if (kind == std::end(kinds) || plain != value.empty())
                refuse_claim(text, "max-abs=E, backward=E, relative=E, ulps=K, correctly-rounded, faithful");
            options.claims.push_back({kind->second, plain ? Rational(0) : number(value, "The tolerance")});
        }
        const Eigen::VectorXd vector = values.reshaped();
        const auto region = ball(a);
        const bool symmetric = arguments_.symmetric;
        const audit::SpectrumAudit found = region
                                               ? (symmetric ? audit_eigenvalues(*region, vector, options)
                                                            : audit_singular_values(*region, vector, options))
                                               : (symmetric ? audit_eigenvalues(a, vector, options)
                                                            : audit_singular_values(a, vector, options));
        if (!found.was_sorted)
            out.say("the claimed values were not sorted; they were sorted before the comparison");
        out.proved["was_sorted"] = found.was_sorted;
        Json list = Json::array();
        for (const MpInterval& value : found.values) list.push_back(interval(value));
        out.proved[symmetric ? "eigenvalues" : "singular_values"] = list;
        for (std::size_t k = 0; k < found.values.size() && (k < 8 || arguments_.verbose); ++k)
            out.say(std::string(symmetric ? "eigenvalue " : "singular value ") + std::to_string(k) + " in " +
                    range(found.values[k]));
        add(out, "max_abs", "largest error", found.largest);
        add(out, "backward", "largest error over the largest value", found.backward);
        add(out, "relative", "largest relative error", found.relative);
        add(out, "ulps", "largest error in ulps", found.ulps);
        out.proved["correctly_rounded"] = found.correctly_rounded;
        out.proved["faithful"] = found.faithful;
        for (std::size_t k = 0; k < found.claims.size(); ++k)
            out.judge(arguments_.claims[k], found.claims[k].answer,
                      found.claims[k].failure ? "value " + std::to_string(*found.claims[k].failure) + " fails"
                                              : "");
        if (!found.is_finite) out.judge("finite", Answer::refuted);
    }

    void audit_rank(Findings& out) {
        const MatrixXd a = matrix(require("matrix", {"a", "matrix"}));
        const auto region = ball(a);
        std::optional<Index> rank;
        if (!arguments_.rank.empty()) {
            Index value = -1;
            const auto [end, error] = std::from_chars(arguments_.rank.data(),
                                                      arguments_.rank.data() + arguments_.rank.size(), value);
            if (error != std::errc() || end != arguments_.rank.data() + arguments_.rank.size() || value < 0)
                throw Error("The rank \"" + printable(arguments_.rank) + "\" is not a whole number ≥ 0.");
            rank = value;
        }
        if (!arguments_.claims.empty())
            refuse_claim(arguments_.claims.front(), "given by --rank and --threshold");
        audit::RankAudit found;
        std::string what = "rank";
        if (arguments_.threshold.empty()) {
            found = region ? audit::audit_rank(*region, rank) : audit::audit_rank(a, rank);
        } else {
            audit::Threshold threshold;
            threshold.factor = number(arguments_.threshold, "The threshold");
            if (threshold.factor < 0) throw Error("The threshold " + arguments_.threshold + " is negative.");
            const std::string& of = arguments_.threshold_of;
            threshold.kind = of == "sigma1"      ? audit::ThresholdKind::of_largest
                             : of == "frobenius" ? audit::ThresholdKind::of_frobenius
                             : of == "row-l1"    ? audit::ThresholdKind::of_row_norm
                                                 : audit::ThresholdKind::absolute;
            found = region ? audit_numerical_rank(*region, threshold, rank)
                           : audit_numerical_rank(a, threshold, rank);
            what = "number of singular values above the threshold";
            if (found.threshold) add(out, "threshold", "threshold", *found.threshold);
        }
        out.say(what + (region ? ", for every matrix within the radius: " : " of the stored matrix: ") +
                (found.lower == found.upper
                     ? std::to_string(found.lower)
                     : std::to_string(found.lower) + " to " + std::to_string(found.upper)));
        out.proved["lower"] = found.lower;
        out.proved["upper"] = found.upper;
        out.judge(rank ? "it is " + std::to_string(*rank) : "it is known", found.answer);
    }

    // ---- equations ----------------------------------------------------------------------------------------

    void audit_equations(Findings& out) {
        const bool inverse = arguments_.subject == "inverse";
        const MatrixXd g = matrix(require("matrix", {"a", "matrix"}));
        const Tensor& claim = require("claim", {"x", "claim"});
        audit::SolveOptions options;
        options.format = format_of(claim);
        for (const std::string& text : arguments_.claims) options.claims.push_back(audit::parse_claim(text));
        if (inverse) {
            const audit::InverseAudit found = audit::audit_inverse(g, claimed(claim), options);
            report(out, found.entries);
            if (found.left) add(out, "left_residual", "X G - I", *found.left);
        } else {
            report(out,
                   audit::audit_solution(g, matrix(require("right", {"b", "rhs"})), claimed(claim), options));
        }
    }

    void report(Findings& out, const audit::SolveAudit& found) {
        out.proved["solvability"] = to_string(found.solvability);
        out.proved["rank"] = {{"lower", found.rank_lower}, {"upper", found.rank_upper}};
        out.say(std::string("solutions: ") + to_string(found.solvability) + ", rank " +
                std::to_string(found.rank_lower) +
                (found.rank_lower == found.rank_upper ? "" : " to " + std::to_string(found.rank_upper)));
        if (found.residual) add(out, "residual", "G X - B", *found.residual);
        if (found.solvability == audit::Solvability::unique) {
            add(out, "max_abs", "largest error", found.max_abs);
            add(out, "l1", "largest l1 error of a column", found.l1);
            add(out, "relative", "largest relative error", found.relative);
            add(out, "ulps", "largest error in ulps", found.ulps);
            add(out, "frobenius", "Frobenius error", found.frobenius, found.not_finite != 0);
            out.proved["correctly_rounded"] = found.correctly_rounded;
            out.proved["faithful"] = found.faithful;
        }
        for (const auto& result : found.claims) {
            std::string failure;
            if (result.failure)
                failure = "unknown " + std::to_string(result.failure->row) + " of column " +
                          std::to_string(result.failure->column) + " fails";
            out.judge(to_string(result.claim), result.answer, failure);
        }
        out.answer = both(out.answer, found.answer());
    }

    const AuditArguments& arguments_;
    InputFile input_;
    std::map<std::string, const Tensor*> used_;
};

}  // namespace

bool is_linear(const std::string& subject) { return subject != "attention" && subject != "output"; }

int run_linear_audit(const AuditArguments& arguments) { return LinearAudit(arguments).run(); }

}  // namespace rankcert::cli
