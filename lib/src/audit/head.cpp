#include "rigor/trusted.hpp"
//
#include "rankcert/audit/head.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::audit {

using rankcert::to_string;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string shape(Index rows, Index cols) { return std::to_string(rows) + "×" + std::to_string(cols); }

void require_shape(Index rows, Index cols, const AttentionHead& head, const char* what) {
    if (rows == 0 && cols == 0) return;
    if ((rows == head.queries() || rows == 1) && cols == head.keys()) return;
    throw Error(std::string("the ") + what + " is " + shape(rows, cols) + " but must be " +
                shape(head.queries(), head.keys()) + " or " + shape(1, head.keys()) +
                ", a row for each query (or one for all) and a column for each key");
}

}  // namespace

bool AttentionHead::visible(Index i, Index j) const noexcept {
    const Index p = position(i);
    if (causal && j > p) return false;
    if (window_before && j < p - *window_before) return false;
    if (window_after && j > p + *window_after) return false;
    if (keep.size() != 0 && !keep(keep.rows() == 1 ? 0 : i, j)) return false;
    return bias.size() == 0 || bias(bias.rows() == 1 ? 0 : i, j) != -kInfinity;
}

void validate(const AttentionHead& head) {
    if (head.queries() == 0) throw Error("the query matrix has no rows: give at least one query");
    if (head.keys() == 0) throw Error("the key matrix has no rows: give at least one key");
    if (head.query.cols() == 0) throw Error("the query matrix has no columns: give at least one feature");
    if (head.query.cols() != head.key.cols()) {
        throw Error("queries have " + std::to_string(head.query.cols()) + " features but keys have " +
                    std::to_string(head.key.cols()) +
                    ": both need the same number (is one of them stored transposed?)");
    }
    if (head.scale.sqrt_of == 0) throw Error("the scale divides by sqrt(0): give the dimension of the head");
    if (head.softcap && !(*head.softcap > 0)) {
        throw Error("the softcap " + to_string(*head.softcap) +
                    " is not positive: give the c of c · tanh(x/c)");
    }
    if (head.window_before.value_or(0) < 0 || head.window_after.value_or(0) < 0)
        throw Error("a window reaches a negative number of keys: give how many it reaches to each side");
    if (head.sink && !std::isfinite(*head.sink)) throw Error("the sink's logit is not finite: give a number");
    if (head.alibi_slope && !std::isfinite(*head.alibi_slope))
        throw Error("the ALiBi slope is not finite: give a number");
    require_shape(head.keep.rows(), head.keep.cols(), head, "boolean mask");
    require_shape(head.bias.rows(), head.bias.cols(), head, "bias");
    for (Index i = 0; i < head.bias.rows(); ++i) {
        for (Index j = 0; j < head.bias.cols(); ++j) {
            const double value = head.bias(i, j);
            if (std::isfinite(value) || value == -kInfinity) continue;
            throw Error("entry (" + std::to_string(i) + ", " + std::to_string(j) + ") of the bias is " +
                        (value > 0 ? "+infinity" : "NaN") +
                        ": a bias is a number, or -infinity to hide the key");
        }
    }
}

}  // namespace rankcert::audit
