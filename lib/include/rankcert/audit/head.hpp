#pragma once
/// \file head.hpp  The attention operator of one head in full, on numbers as a program stored them.
///
/// For query i and a visible key j
///     x_ij = cap(scale · q_i·k_j) − slope · |p_i − j| + bias_ij,      cap(x) = c · tanh(x/c) with a softcap
///     c, else x, A_ij = e^{x_ij} / (Σ_{l visible} e^{x_il} + [e^{sink} with a sink]),
/// and A_ij = 0 for a hidden key. p_i, the position of query i among the keys, is i + N − m (bottom right) or
/// i (top left). A key is visible where all that is declared lets it be: causal j ≤ p_i, window p_i − before
/// ≤ j ≤ p_i + after, keep, and a bias other than −infinity.
///
/// Numbers that are not finite may stand where no visible key reads them. Where they are read, and in a row
/// without visible keys and without a sink, A has no value: such a row is undefined, or what `empty_rows`
/// declares.

#include <Eigen/Core>
#include <optional>

#include "rankcert/attention/head.hpp"

namespace rankcert::audit {

using Index = Eigen::Index;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What the rows of A and of the output are in which no key is visible: `error` none (they are undefined).
enum class EmptyRows { error, zero, nan };

struct AttentionHead {
    RowMatrix query;  ///< m×d
    RowMatrix key;    ///< N×d
    Scale scale;
    std::optional<Rational> softcap;
    std::optional<double> alibi_slope;
    RowMatrix bias;   ///< m×N, 1×N (the same for all queries) or 0×0; −infinity hides the key
    BoolMatrix keep;  ///< m×N, 1×N or 0×0
    bool causal = false;
    CausalAlignment alignment = CausalAlignment::bottom_right;
    std::optional<Index> window_before;
    std::optional<Index> window_after;
    std::optional<double> sink;  ///< logit of a key without value; 0 for "softmax plus one"
    EmptyRows empty_rows = EmptyRows::error;

    [[nodiscard]] Index queries() const noexcept { return query.rows(); }
    [[nodiscard]] Index keys() const noexcept { return key.rows(); }
    [[nodiscard]] Index position(Index i) const noexcept {
        return alignment == CausalAlignment::top_left ? i : i + (keys() - queries());
    }
    [[nodiscard]] bool visible(Index i, Index j) const noexcept;
    /// Whether logits have a term beside the scaled (and capped) product.
    [[nodiscard]] bool has_bias() const noexcept { return bias.size() != 0 || alibi_slope.has_value(); }
};

/// Throws Error where shapes disagree, a size is zero, the softcap is not positive, a window is negative, a
/// bias is NaN or +infinity where its key is not hidden, or a sink or slope is not finite.
void validate(const AttentionHead& head);

/// What can be said of a row before any arithmetic.
enum class RowState {
    defined,
    empty,      ///< no key is visible and there is no sink
    undefined,  ///< its query, or a visible key, has a number that is not finite
};

}  // namespace rankcert::audit
