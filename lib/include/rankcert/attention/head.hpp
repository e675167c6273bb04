#pragma once
/// \file head.hpp  An attention head, exactly as given.

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>

#include "rankcert/linalg/exact_matrix.hpp"
#include "rankcert/rigor/rational.hpp"

namespace rankcert {

/// The factor between q·k and the logit: factor / sqrt(sqrt_of), exactly. A rational or a dyadic scale has
/// sqrt_of = 1; "1/sqrt(d)" is factor = 1, sqrt_of = d.
struct Scale {
    Rational factor = 1;
    std::uint64_t sqrt_of = 1;
};

/// "1/sqrt(d)" (d = `dimension`), "1/sqrt(64)", "3/8/sqrt(64)", or a number, taken exactly. Throws Error.
[[nodiscard]] Scale parse_scale(const std::string& text, Eigen::Index dimension);
/// A text that parse_scale reads: "1/8", "1/sqrt(64)".
[[nodiscard]] std::string to_string(const Scale& scale);

enum class MaskKind { none, causal, boolean, additive };

/// For a causal mask with m queries and N keys, which keys row i sees: bottom_right j ≤ i + (N − m),
/// top_left j ≤ i. They agree for m = N.
enum class CausalAlignment { bottom_right, top_left };

using BoolMatrix = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Mask {
    MaskKind kind = MaskKind::none;
    CausalAlignment alignment = CausalAlignment::bottom_right;  ///< causal only
    /// m×N, true = visible. Always there for a boolean mask; for an additive one only where it hides keys (a
    /// bias of −infinity), else 0×0.
    BoolMatrix keep;
    ExactMatrix bias;  ///< additive only, m×N, added to the scaled logit; 0 where the key is hidden
};

/// The floating-point formats that Q and K may have been given in.
enum class NumberFormat { float16, bfloat16, float32, float64 };

/// A softmax head A = softmax(multiplier · scale · Q Kᵀ + bias), row by row over the visible keys — or, where
/// multiplier_low < multiplier_high or `rounded_from` is set, the whole family of heads with
/// multiplier ∈ [multiplier_low, multiplier_high] and with any real Q′, K′ that round (to nearest) to Q, K in
/// that format. A statement about the family holds for each of its members. The multiplier scales q·k only,
/// not an additive mask.
struct Head {
    ExactMatrix query;  ///< Q, m×d
    ExactMatrix key;    ///< K, N×d
    Scale scale;
    Rational multiplier_low = 1;
    Rational multiplier_high = 1;
    Mask mask;
    std::optional<NumberFormat> rounded_from;

    [[nodiscard]] Eigen::Index queries() const noexcept { return query.rows(); }
    [[nodiscard]] Eigen::Index keys() const noexcept { return key.rows(); }
    /// Whether row i sees key j.
    [[nodiscard]] bool visible(Eigen::Index i, Eigen::Index j) const;
    /// Whether the family has one member.
    [[nodiscard]] bool is_single() const { return multiplier_low == multiplier_high && !rounded_from; }
};

/// Throws Error where shapes disagree, a size is zero, sqrt_of is zero, the multiplier interval is empty or
/// negative, a row sees no key (the error names the row), a hidden key has a bias, or an entry of Q or K is
/// not a number of the format that `rounded_from` names (the error names the entry).
void validate(const Head& head);

}  // namespace rankcert
