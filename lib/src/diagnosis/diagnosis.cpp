#include "rankcert/diagnosis/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace rankcert::diagnosis {
namespace {

using audit::AttentionHead;
using audit::HeadInput;
using audit::Index;
using audit::RowMatrix;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// How a program may compute it; the defaults are what one expects of float64.
struct Arithmetic {
    bool subtract_maximum = true;
    bool round_exponentials = false;  ///< to the format
    bool round_sums = false;          ///< running sums of weights too
    bool round_products = false;      ///< outputs are summed before they are divided, in the format
    bool cap_hidden = false;          ///< the softcap comes after the mask: hidden keys have the logit −c
};

double rounded(double x, const FormatLimits& format) {
    if (x == 0 || !std::isfinite(x)) return x;
    const long last = std::max<long>(std::ilogb(x) - format.digits + 1, format.least_exponent);
    const double y =
        std::ldexp(std::nearbyint(std::ldexp(x, static_cast<int>(-last))), static_cast<int>(last));
    return std::fabs(y) >= std::ldexp(1.0, static_cast<int>(format.end_exponent) - 1) * 2
               ? std::copysign(kInfinity, y)
               : y;
}

RowMatrix compute(const HeadInput& input, const Arithmetic& how) {
    const AttentionHead& head = input.head;
    const FormatLimits format = limits_of(input.format);
    const auto in_format = [&](double x, bool when) { return when ? rounded(x, format) : x; };
    const double scale =
        estimate_double(head.scale.factor) / std::sqrt(static_cast<double>(head.scale.sqrt_of));
    const double cap = head.softcap ? estimate_double(*head.softcap) : 0;
    const bool output = input.value.size() != 0;
    const Index n = head.keys();
    RowMatrix result(head.queries(), output ? input.value.cols() : n);
    std::vector<double> logit(static_cast<std::size_t>(n));
    for (Index i = 0; i < head.queries(); ++i) {
        double top = head.sink.value_or(-kInfinity);
        for (Index j = 0; j < n; ++j) {
            double& x = logit[static_cast<std::size_t>(j)];
            const bool visible = head.visible(i, j);
            if (!visible) {
                x = how.cap_hidden && cap > 0 ? -cap : -kInfinity;
            } else {
                x = scale * head.query.row(i).dot(head.key.row(j));
                if (cap > 0) x = cap * std::tanh(x / cap);
                if (head.alibi_slope)
                    x -= *head.alibi_slope * std::fabs(static_cast<double>(head.position(i) - j));
                if (head.bias.size() != 0) x += head.bias(head.bias.rows() == 1 ? 0 : i, j);
            }
            top = std::max(top, x);
        }
        const double shift = how.subtract_maximum ? top : 0;
        double sum = head.sink ? in_format(std::exp(*head.sink - shift), how.round_exponentials) : 0;
        Eigen::RowVectorXd weights(n);
        for (Index j = 0; j < n; ++j) {
            weights(j) =
                in_format(std::exp(logit[static_cast<std::size_t>(j)] - shift), how.round_exponentials);
            sum = in_format(sum + weights(j), how.round_sums);
        }
        const auto row = result.row(i);
        if (!output) {
            result.row(i) = weights / sum;
            continue;
        }
        for (Index c = 0; c < row.cols(); ++c) {
            double total = 0;
            for (Index j = 0; j < n; ++j) {
                if (weights(j) == 0) continue;  // what a hidden key carries is not read
                total = in_format(total + weights(j) * input.value(j, c), how.round_products);
            }
            result(i, c) = total / sum;
        }
    }
    return result;
}

/// The largest difference; NaN is at distance 0 from NaN and infinitely far from numbers.
double distance(const RowMatrix& a, const RowMatrix& b) {
    double largest = 0;
    for (Index i = 0; i < a.rows(); ++i) {
        for (Index j = 0; j < a.cols(); ++j) {
            const double x = a(i, j), y = b(i, j);
            if (x == y || (std::isnan(x) && std::isnan(y))) continue;
            largest = std::isfinite(x) && std::isfinite(y) ? std::max(largest, std::fabs(x - y)) : kInfinity;
        }
    }
    return largest;
}

/// What one finds when each entry of the claim is rounded to its format, and some for the program's own
/// roundings.
double tolerance(const RowMatrix& result, const FormatLimits& format) {
    double size = 0;
    for (const double x : result.reshaped())
        if (std::isfinite(x)) size = std::max(size, std::fabs(x));
    return std::ldexp(size, static_cast<int>(5 - format.digits));
}

class Trials {
  public:
    Trials(const audit::Declaration& declaration, const audit::Tensors& tensors, Index batch, Index head)
        : declaration_(declaration),
          tensors_(tensors),
          batch_(batch),
          head_(head),
          input_(audit::extract_head(declaration, tensors, batch, head)) {
        declared_ = distance(compute(input_, {}), input_.claim);
    }

    void run(const std::string& variant, const std::function<void(HeadInput&)>& change,
             const Arithmetic& how = {}) {
        HeadInput other = input_;
        change(other);
        judge(variant, compute(other, how));
    }
    void run(const std::string& variant, const Arithmetic& how) { judge(variant, compute(input_, how)); }
    void run_key_head(const std::string& variant, Index key_head) {
        judge(variant, compute(audit::extract_head(declaration_, tensors_, batch_, head_, key_head), {}));
    }

    [[nodiscard]] const HeadInput& input() const noexcept { return input_; }
    [[nodiscard]] Index head() const noexcept { return head_; }
    [[nodiscard]] std::vector<Finding> findings() {
        std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
            return a.estimate_distance < b.estimate_distance;
        });
        return std::move(findings_);
    }

  private:
    void judge(const std::string& variant, const RowMatrix& result) {
        const double near = distance(result, input_.claim);
        if (near <= tolerance(result, limits_of(input_.format)) && near * 4 < declared_)
            findings_.push_back({variant, near});
    }

    const audit::Declaration& declaration_;
    const audit::Tensors& tensors_;
    Index batch_, head_;
    HeadInput input_;
    double declared_ = 0;
    std::vector<Finding> findings_;
};

void try_masks(Trials& trials) {
    const AttentionHead& head = trials.input().head;
    if (head.causal) {
        trials.run("the causal mask dropped", [](HeadInput& x) { x.head.causal = false; });
    } else {
        for (const auto& [alignment, name] : {std::pair{CausalAlignment::bottom_right, "bottom-right"},
                                              {CausalAlignment::top_left, "top-left"}}) {
            trials.run(std::string("a causal mask aligned ") + name, [alignment](HeadInput& x) {
                x.head.causal = true;
                x.head.alignment = alignment;
            });
        }
    }
    if (head.queries() != head.keys() &&
        (head.causal || head.alibi_slope || head.window_before || head.window_after)) {
        const bool top_left = head.alignment == CausalAlignment::top_left;
        trials.run(std::string("positions aligned ") + (top_left ? "bottom-right" : "top-left"),
                   [top_left](HeadInput& x) {
                       x.head.alignment =
                           top_left ? CausalAlignment::bottom_right : CausalAlignment::top_left;
                   });
    }
    if (head.window_before || head.window_after) {
        trials.run("the window dropped",
                   [](HeadInput& x) { x.head.window_before.reset(), x.head.window_after.reset(); });
    }
    if (head.keep.size() != 0) {
        trials.run("the mask dropped", [](HeadInput& x) { x.head.keep.resize(0, 0); });
        trials.run("the boolean mask added to the logits as ones and zeros", [](HeadInput& x) {
            x.head.bias = x.head.keep.cast<double>();
            x.head.keep.resize(0, 0);
        });
        trials.run("the boolean mask read the other way round",
                   [](HeadInput& x) { x.head.keep = (!x.head.keep.array()).matrix(); });
    }
    if (head.bias.size() != 0) {
        trials.run("the additive mask or bias dropped", [](HeadInput& x) { x.head.bias.resize(0, 0); });
        trials.run("the additive mask read as boolean, 0 hides", [](HeadInput& x) {
            x.head.keep = (x.head.bias.array() != 0).matrix();
            x.head.bias.resize(0, 0);
        });
        trials.run("the additive mask read as boolean, 0 keeps", [](HeadInput& x) {
            x.head.keep = (x.head.bias.array() == 0).matrix();
            x.head.bias.resize(0, 0);
        });
    }
}

void try_logits(Trials& trials) {
    const AttentionHead& head = trials.input().head;
    const auto d = static_cast<std::uint64_t>(head.query.cols());
    trials.run("the scale missing", [](HeadInput& x) { x.head.scale = {}; });
    if (d > 1) {
        trials.run("the scale too small by sqrt(d)", [d](HeadInput& x) { x.head.scale.sqrt_of *= d; });
        trials.run("the scale too large by sqrt(d)", [d](HeadInput& x) {
            x.head.scale.factor *= Rational(Integer(d));
            x.head.scale.sqrt_of *= d;
        });
        trials.run("the scale 1/d", [d](HeadInput& x) {
            x.head.scale = {Rational(1) / Rational(Integer(d)), 1};
        });
    }
    if (head.query.cols() == head.keys()) {
        trials.run("K transposed", [](HeadInput& x) { x.head.key = RowMatrix(x.head.key.transpose()); });
    }
    if (head.softcap) {
        trials.run("the softcap missing", [](HeadInput& x) { x.head.softcap.reset(); });
        trials.run("the softcap applied after the mask", [](HeadInput&) {}, {.cap_hidden = true});
    }
    if (head.alibi_slope) {
        trials.run("ALiBi with the other sign",
                   [](HeadInput& x) { x.head.alibi_slope = -*x.head.alibi_slope; });
        trials.run("ALiBi missing", [](HeadInput& x) { x.head.alibi_slope.reset(); });
    }
    if (head.sink) {
        trials.run("the sink missing", [](HeadInput& x) { x.head.sink.reset(); });
    } else {
        trials.run("softmax plus one", [](HeadInput& x) { x.head.sink = 0; });
    }
}

void try_arithmetic(Trials& trials) {
    const std::string format = to_string(trials.input().format);
    trials.run("no maximum subtracted, exponentials in " + format,
               {.subtract_maximum = false, .round_exponentials = true});
    trials.run("no maximum subtracted, exponentials and sums in " + format,
               {.subtract_maximum = false, .round_exponentials = true, .round_sums = true});
    trials.run("the sum of the exponentials kept in " + format,
               {.round_exponentials = true, .round_sums = true});
    if (trials.input().value.size() != 0) {
        trials.run("outputs summed before the division, kept in " + format, {.round_products = true});
        trials.run("outputs and weights summed before the division, kept in " + format,
                   {.round_exponentials = true, .round_sums = true, .round_products = true});
    }
}

}  // namespace

std::vector<Finding> diagnose(const audit::Declaration& declaration, const audit::Tensors& tensors,
                              Index batch, Index head) {
    Trials trials(declaration, tensors, batch, head);
    const HeadInput& input = trials.input();
    if (input.key_heads < input.query_heads)
        trials.run_key_head("key heads tiled: query head h with key head h mod Hk", head % input.key_heads);
    try_masks(trials);
    try_logits(trials);
    try_arithmetic(trials);
    return trials.findings();
}

}  // namespace rankcert::diagnosis
