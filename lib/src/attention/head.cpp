#include "rigor/trusted.hpp"
//
#include "attention/magnitude.hpp"
#include "rankcert/attention/head.hpp"
#include "rankcert/attention/number_format.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace {

using Eigen::Index;

std::string shape(Index rows, Index cols) { return std::to_string(rows) + "×" + std::to_string(cols); }

void require_shape(Index rows, Index cols, const Head& head, const char* what) {
    if (rows != head.queries() || cols != head.keys()) {
        throw Error(std::string("the ") + what + " is " + shape(rows, cols) + " but must be " +
                    shape(head.queries(), head.keys()) + ", a row for each query and a column for each key");
    }
}

void require_visible_keys(const Head& head) {
    for (Index i = 0; i < head.queries(); ++i) {
        bool sees_one = false;
        for (Index j = 0; j < head.keys() && !sees_one; ++j) sees_one = head.visible(i, j);
        if (!sees_one) {
            throw Error("row " + std::to_string(i) +
                        " of the mask hides every key, so its softmax is undefined: drop that query, or let "
                        "it see a key");
        }
    }
}

/// One meaning, one head: what a hidden key's bias would be does not matter, so it is zero.
void require_no_hidden_bias(const Head& head) {
    for (Index i = 0; i < head.queries(); ++i) {
        for (Index j = 0; j < head.keys(); ++j) {
            if (head.mask.keep(i, j) || head.mask.bias.mantissa(i, j) == 0) continue;
            throw Error("entry (" + std::to_string(i) + ", " + std::to_string(j) +
                        ") of the additive mask has a bias, but the mask hides that key: let the bias of a "
                        "hidden key be 0");
        }
    }
}

void require_format(const ExactMatrix& values, NumberFormat format, const char* what) {
    for (Index i = 0; i < values.rows(); ++i) {
        for (Index j = 0; j < values.cols(); ++j) {
            if (!is_representable(values.mantissa(i, j), values.exponent(), format)) {
                throw Error(std::string("entry (") + std::to_string(i) + ", " + std::to_string(j) +
                            ") of the " + what + " is not a " + to_string(format) +
                            " number, so nothing rounds to it: name the format that the file has");
            }
        }
    }
}

}  // namespace

void attention_detail::require_moderate(const ExactMatrix& values, const char* what) {
    if (values.exponent() > kMostBits || values.exponent() < -kMostBits || values.bits() > kMostBits) {
        throw Error(std::string("the ") + what + " has " + std::to_string(values.bits()) +
                    "-bit entries at the scale 2^" + std::to_string(values.exponent()) +
                    ", far beyond any floating-point format: the file is damaged or is not what it says");
    }
}

bool Head::visible(Index i, Index j) const {
    switch (mask.kind) {
        case MaskKind::causal:
            return mask.alignment == CausalAlignment::top_left ? j <= i : j <= i + (keys() - queries());
        case MaskKind::boolean:
            return mask.keep(i, j);
        case MaskKind::additive:
            return mask.keep.size() == 0 || mask.keep(i, j);
        case MaskKind::none:
            break;
    }
    return true;
}

void validate(const Head& head) {
    if (head.queries() == 0) throw Error("the query matrix has no rows: give at least one query");
    if (head.keys() == 0) throw Error("the key matrix has no rows: give at least one key");
    if (head.query.cols() == 0) throw Error("the query matrix has no columns: give at least one feature");
    if (head.query.cols() != head.key.cols()) {
        throw Error("queries have " + std::to_string(head.query.cols()) + " features but keys have " +
                    std::to_string(head.key.cols()) +
                    ": both need the same number (is one of them stored transposed?)");
    }
    attention_detail::require_moderate(head.query, "query matrix");
    attention_detail::require_moderate(head.key, "key matrix");
    if (head.scale.sqrt_of == 0) throw Error("the scale divides by sqrt(0): give the dimension of the head");
    if (head.multiplier_low < 0) {
        throw Error("the temperature multiplier " + to_string(head.multiplier_low) +
                    " is negative: give one that is ≥ 0");
    }
    if (head.multiplier_low > head.multiplier_high) {
        throw Error("the multiplier interval [" + to_string(head.multiplier_low) + ", " +
                    to_string(head.multiplier_high) + "] is empty: give the smaller end first");
    }
    if (head.mask.kind == MaskKind::boolean) {
        require_shape(head.mask.keep.rows(), head.mask.keep.cols(), head, "boolean mask");
    }
    if (head.mask.kind == MaskKind::additive) {
        require_shape(head.mask.bias.rows(), head.mask.bias.cols(), head, "additive mask");
        attention_detail::require_moderate(head.mask.bias, "additive mask");
        if (head.mask.keep.size() != 0) {
            require_shape(head.mask.keep.rows(), head.mask.keep.cols(), head,
                          "table of visible keys of the additive mask");
            require_no_hidden_bias(head);
        }
    }
    require_visible_keys(head);
    if (head.rounded_from) {
        require_format(head.query, *head.rounded_from, "query matrix");
        require_format(head.key, *head.rounded_from, "key matrix");
    }
}

}  // namespace rankcert
