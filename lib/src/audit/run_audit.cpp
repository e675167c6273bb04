#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <cmath>

#include "io/text.hpp"
#include "rankcert/audit/declaration.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::audit {

using rankcert::to_string;

namespace {

using io::in_quotes;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A tensor's values with a place for each of four axes; an axis that the tensor lacks, or that has size 1
/// where that is allowed, has stride 0.
struct Values {
    std::string name;
    std::vector<double> data;
    std::array<Index, 4> size{1, 1, 1, 1};  ///< batch, head, row, column
    std::array<Index, 4> stride{0, 0, 0, 0};

    [[nodiscard]] RowMatrix matrix(Index batch, Index head, Index rows, Index cols) const {
        const double* at = data.data() + batch * stride[0] + head * stride[1];
        RowMatrix out(rows, cols);
        for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < cols; ++j) out(i, j) = at[i * stride[2] + j * stride[3]];
        return out;
    }
};

[[noreturn]] void refuse_shape(const Tensor& tensor, const std::string& role, const std::string& what) {
    throw Error("tensor " + in_quotes(tensor.name) + ", the " + role + ", has the shape " +
                to_string(tensor.shape) + ", but " + what);
}

Values load(const Tensor& tensor, const std::string& role, bool tokens_first) {
    Values values;
    values.name = tensor.name;
    values.data = to_doubles(tensor);
    const std::size_t rank = tensor.shape.size();
    if (rank < 2 || rank > 4) refuse_shape(tensor, role, "it must have two to four dimensions");
    // Where each dimension goes, last to first.
    std::vector<std::size_t> axes = {3, 2, 1, 0};
    if (tokens_first && rank > 2) std::swap(axes[1], axes[2]);
    Index stride = 1;
    for (std::size_t k = 0; k < rank; ++k) {
        const auto size = static_cast<Index>(tensor.shape[rank - 1 - k]);
        values.size[axes[k]] = size;
        values.stride[axes[k]] = stride;
        stride *= size;
    }
    return values;
}

class Problem {
  public:
    Problem(const Declaration& declaration, const Tensors& tensors) : d_(declaration), tensors_(tensors) {
        const bool tokens_first = d_.layout == Layout::tokens_first;
        query_ = load(required("query"), "query", tokens_first);
        key_ = load(required("key"), "key", tokens_first);
        batches_ = query_.size[0];
        heads_ = query_.size[1];
        queries_ = query_.size[2];
        features_ = query_.size[3];
        keys_ = key_.size[2];
        if (batches_ * heads_ * queries_ * features_ == 0 || keys_ == 0)
            throw Error("the query or the key has a dimension of size 0: there is nothing to audit");
        require_keys(key_, "key", features_);
        if (d_.subject == Subject::output) {
            value_ = load(required("value"), "value", tokens_first);
            if (value_.size[2] != keys_ || value_.size[3] == 0) {
                refuse_shape(
                    tensors_.at("value"), "value",
                    "it must have a token for each of the " + std::to_string(keys_) + " keys, and features");
            }
            require_keys(value_, "value", value_.size[3]);
        }
        claim_ = load_result("claim");
        const Tensor& claim = required("claim");
        format_ = format_of(claim);
        if (tensors_.contains("baseline")) {
            baseline_ = load_result("baseline");
            baseline_format_ = format_of(required("baseline"));
        }
        if (d_.ratio && !tensors_.contains("baseline"))
            throw Error("a ratio compares with a second result: give the baseline's tensor");
        load_mask();
        if (d_.bias) bias_ = load_over_logits("bias");
        if (d_.alibi) slopes_ = load_per_head("alibi");
        if (d_.sink == SinkKind::logits) sinks_ = load_per_head("sink");
        require_no_others();
        scale_ = parse_scale(d_.scale, features_);
        if (!d_.alignment && queries_ != keys_ &&
            (d_.causal || d_.alibi || d_.window_before || d_.window_after)) {
            throw Error("there are " + std::to_string(queries_) + " queries and " + std::to_string(keys_) +
                        " keys: say how their positions are aligned, bottom-right or top-left");
        }
        for (const Index row : d_.rows) {
            if (row >= queries_) {
                throw Error("there is no query " + std::to_string(row) + ": there are " +
                            std::to_string(queries_));
            }
        }
    }

    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(batches_ * heads_); }

    [[nodiscard]] HeadReport audit(std::size_t number, const RunOptions& how) const {
        HeadReport report;
        report.batch = static_cast<Index>(number) / heads_;
        report.head = static_cast<Index>(number) % heads_;
        const Index b = report.batch, h = report.head;
        const AttentionHead head = make_head(b, h);
        AuditOptions options;
        options.format = format_;
        options.claims = d_.claims;
        options.threads = std::max(how.threads, 1U);
        options.by_mpfr = how.by_mpfr;
        options.rows = d_.rows;
        const Index width = d_.subject == Subject::output ? value_.size[3] : keys_;
        const RowMatrix value =
            d_.subject == Subject::output ? value_.matrix(b, of_keys(h, value_), keys_, width) : RowMatrix();
        const auto run = [&](const Values& result) {
            const RowMatrix matrix = result.matrix(b, h, queries_, width);
            return d_.subject == Subject::output ? audit_output(head, value, matrix, options)
                                                 : audit_attention(head, matrix, options);
        };
        report.audit = run(claim_);
        if (!baseline_.data.empty()) {
            options.format = baseline_format_;
            options.claims.clear();
            report.baseline = run(baseline_);
            compare(report);
        }
        return report;
    }

    [[nodiscard]] HeadInput extract(Index b, Index h, std::optional<Index> key_head) const {
        if (b < 0 || b >= batches_ || h < 0 || h >= heads_ || key_head.value_or(0) < 0 ||
            key_head.value_or(0) >= key_.size[1])
            throw Error("there is no such head: there are " + std::to_string(heads_) + " query heads and " +
                        std::to_string(key_.size[1]) + " key heads in " + std::to_string(batches_) +
                        " batch entries");
        const bool output = d_.subject == Subject::output;
        HeadInput input;
        input.head = make_head(b, h);
        if (key_head) input.head.key = key_.matrix(b, *key_head, keys_, features_);
        const Index width = output ? value_.size[3] : keys_;
        if (output) input.value = value_.matrix(b, key_head.value_or(of_keys(h, value_)), keys_, width);
        input.claim = claim_.matrix(b, h, queries_, width);
        input.format = format_;
        input.query_heads = heads_;
        input.key_heads = key_.size[1];
        return input;
    }

    [[nodiscard]] AuditReport empty_report() const {
        AuditReport report;
        report.format = format_;
        report.queries = queries_;
        report.keys = keys_;
        report.features = features_;
        return report;
    }

  private:
    [[nodiscard]] const Tensor& required(const std::string& role) const {
        const auto found = tensors_.find(role);
        if (found == tensors_.end())
            throw Error("the audit needs a tensor for the " + role + ": say which it is");
        return found->second;
    }

    [[nodiscard]] static NumberFormat format_of(const Tensor& tensor) {
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
                throw Error("tensor " + in_quotes(tensor.name) + " has the type " + to_string(tensor.dtype) +
                            ": a claimed result must be F16, BF16, F32 or F64");
        }
    }

    /// The head of a tensor with fewer heads that goes with query head h.
    [[nodiscard]] Index of_keys(Index h, const Values& of) const { return h * of.size[1] / heads_; }

    void require_keys(const Values& values, const char* role, Index width) const {
        const Tensor& tensor = tensors_.at(role);
        if (values.size[0] != batches_) {
            refuse_shape(tensor, role, "the query has " + std::to_string(batches_) + " batch entries");
        }
        if (values.size[3] != width) {
            refuse_shape(tensor, role, "the query has " + std::to_string(width) + " features a token");
        }
        if (values.size[1] == 0 || heads_ % values.size[1] != 0) {
            refuse_shape(tensor, role,
                         "its number of heads must divide the query's, " + std::to_string(heads_));
        }
    }

    [[nodiscard]] Values load_result(const char* role) const {
        const Tensor& tensor = required(role);
        const bool output = d_.subject == Subject::output;
        Values values = load(tensor, role, output && d_.layout == Layout::tokens_first);
        const std::array<Index, 4> wanted{batches_, heads_, queries_, output ? value_.size[3] : keys_};
        if (values.size != wanted) {
            refuse_shape(tensor, role,
                         "it must have " + std::to_string(wanted[0]) + " batch entries, " +
                             std::to_string(wanted[1]) + " heads, " + std::to_string(wanted[2]) +
                             " rows and " + std::to_string(wanted[3]) + " columns");
        }
        return values;
    }

    /// [batch, heads, queries, keys], each but the last perhaps missing or 1.
    [[nodiscard]] Values load_over_logits(const char* role) const {
        Tensor tensor = required(role);
        if (tensor.shape.size() == 1) tensor.shape.insert(tensor.shape.begin(), 1);
        Values values = load(tensor, role, false);
        const std::array<Index, 4> full{batches_, heads_, queries_, keys_};
        for (std::size_t axis = 0; axis < 4; ++axis) {
            if (values.size[axis] == 1 && axis < 3) {
                values.stride[axis] = 0;
            } else if (values.size[axis] != full[axis]) {
                refuse_shape(tensor, role,
                             "it goes with logits of the shape [" + std::to_string(batches_) + ", " +
                                 std::to_string(heads_) + ", " + std::to_string(queries_) + ", " +
                                 std::to_string(keys_) + "] (leading dimensions may be 1 or left out)");
            }
        }
        return values;
    }

    [[nodiscard]] std::vector<double> load_per_head(const char* role) const {
        const Tensor& tensor = required(role);
        std::vector<double> values = to_doubles(tensor);
        if (static_cast<Index>(values.size()) != heads_) {
            refuse_shape(
                tensor, role,
                "it must have one number for each of the " + std::to_string(heads_) + " query heads");
        }
        return values;
    }

    void load_mask() {
        if (!d_.mask) return;
        const Tensor& tensor = required("mask");
        if (*d_.mask == MaskReading::additive && tensor.dtype == DType::boolean) {
            throw Error("tensor " + in_quotes(tensor.name) +
                        ", the mask, holds booleans, which are not added to logits: declare it boolean");
        }
        mask_ = load_over_logits("mask");
        if (*d_.mask != MaskReading::boolean) return;
        for (std::size_t k = 0; k < mask_.data.size(); ++k) {
            if (mask_.data[k] == 0 || mask_.data[k] == 1) continue;
            throw Error(
                "tensor " + in_quotes(tensor.name) + ", the mask: entry " + std::to_string(k) +
                " (in C order) is neither 0 nor 1, as a boolean mask's must be: declare it additive if it is "
                "added to the logits");
        }
    }

    void require_no_others() const {
        for (const auto& [role, tensor] : tensors_) {
            const bool known = role == "query" || role == "key" || role == "claim" || role == "baseline" ||
                               (role == "value" && d_.subject == Subject::output) ||
                               (role == "mask" && d_.mask) || (role == "bias" && d_.bias) ||
                               (role == "alibi" && d_.alibi) ||
                               (role == "sink" && d_.sink == SinkKind::logits);
            if (known) continue;
            throw Error(
                "a tensor is given for the " + role + ", " + in_quotes(tensor.name) +
                ", but the declared operator does not use it: declare how it is used, or leave it out");
        }
    }

    [[nodiscard]] AttentionHead make_head(Index b, Index h) const {
        AttentionHead head;
        head.query = query_.matrix(b, h, queries_, features_);
        head.key = key_.matrix(b, of_keys(h, key_), keys_, features_);
        head.scale = scale_;
        head.softcap = d_.softcap;
        head.causal = d_.causal;
        head.alignment = d_.alignment.value_or(CausalAlignment::bottom_right);
        head.window_before = d_.window_before;
        head.window_after = d_.window_after;
        head.empty_rows = d_.empty_rows;
        const auto rows_of = [&](const Values& v) { return v.stride[2] == 0 ? Index{1} : queries_; };
        if (d_.bias) head.bias = bias_.matrix(b, h, rows_of(bias_), keys_);
        if (d_.mask == MaskReading::boolean) {
            head.keep = (mask_.matrix(b, h, rows_of(mask_), keys_).array() != 0).matrix();
        } else if (d_.mask == MaskReading::additive) {
            add_mask(head, mask_.matrix(b, h, rows_of(mask_), keys_));
        }
        if (d_.alibi) head.alibi_slope = slopes_[static_cast<std::size_t>(h)];
        if (d_.sink == SinkKind::one) head.sink = 0;
        if (d_.sink == SinkKind::logits) head.sink = sinks_[static_cast<std::size_t>(h)];
        return head;
    }

    /// An additive mask beside a bias: their sum must be a double, entry by entry, unless one of them hides
    /// the key.
    static void add_mask(AttentionHead& head, RowMatrix mask) {
        if (head.bias.size() == 0) {
            head.bias = std::move(mask);
            return;
        }
        const Index rows = std::max(head.bias.rows(), mask.rows());
        RowMatrix sum(rows, mask.cols());
        for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < mask.cols(); ++j) {
                const double x = head.bias(head.bias.rows() == 1 ? 0 : i, j),
                             y = mask(mask.rows() == 1 ? 0 : i, j);
                const bool hides = x == -kInfinity || y == -kInfinity;
                sum(i, j) = hides ? -kInfinity : x + y;
                if (hides || !std::isfinite(x) || !std::isfinite(y))
                    continue;  // what is wrong with these is told elsewhere
                if (!std::isfinite(sum(i, j)) || to_rational(x) + to_rational(y) != to_rational(sum(i, j))) {
                    throw Error("entry (" + std::to_string(i) + ", " + std::to_string(j) +
                                ") of mask and bias: their sum is not a float64 number; add them exactly "
                                "into one tensor");
                }
            }
        }
        head.bias = std::move(sum);
    }

    void compare(HeadReport& report) const {
        const LargestError& mine = report.audit.max_abs;
        const LargestError& other = report.baseline->max_abs;
        const bool finite = !mine.infinite && !other.infinite;
        if (finite && mpfr_cmp_ui(other.value.lower_mpfr(), 0) > 0) report.ratio = mine.value / other.value;
        if (!d_.ratio) return;
        if (!report.audit.undefined_rows.empty()) {
            report.ratio_answer = Answer::undefined;
        } else if (mine.infinite) {
            report.ratio_answer = Answer::refuted;
        } else if (!report.ratio) {
            report.ratio_answer = Answer::undefined;  // of nothing, or of a result that is no number
        } else {
            report.ratio_answer = certainly_less_equal(*report.ratio, *d_.ratio) ? Answer::proved
                                  : certainly_less(*d_.ratio, *report.ratio)     ? Answer::refuted
                                                                                 : Answer::undecided;
        }
    }

    const Declaration& d_;
    const Tensors& tensors_;
    Values query_, key_, value_, claim_, baseline_, mask_, bias_;
    std::vector<double> slopes_, sinks_;
    Index batches_ = 0, heads_ = 0, queries_ = 0, features_ = 0, keys_ = 0;
    NumberFormat format_ = NumberFormat::float64, baseline_format_ = NumberFormat::float64;
    Scale scale_;
};

}  // namespace

Answer HeadReport::answer() const {
    return ratio_answer ? both(audit.answer(), *ratio_answer) : audit.answer();
}

Answer AuditReport::answer() const {
    Answer all = Answer::proved;
    for (const HeadReport& head : heads) all = both(all, head.answer());
    return all;
}

HeadInput extract_head(const Declaration& declaration, const Tensors& tensors, Index batch, Index head,
                       std::optional<Index> key_head) {
    return Problem(declaration, tensors).extract(batch, head, key_head);
}

AuditReport run_audit(const Declaration& declaration, const Tensors& tensors, const RunOptions& run) {
    const Problem problem(declaration, tensors);
    AuditReport report = problem.empty_report();
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (run.progress) run.progress(k, problem.count());
        report.heads.push_back(problem.audit(k, run));
    }
    return report;
}

}  // namespace rankcert::audit
