#pragma once
/// \file error_norms.hpp  How large a matrix of errors is, from both sides.

#include <optional>

#include "rankcert/audit/errors.hpp"

namespace rankcert::audit {

/// Enclosures of three norms of a matrix E. Where E was computed exactly the first two are known exactly,
/// too, so that a comparison with a rational number decides even a tie.
struct ErrorNorms {
    MpInterval norm{64};       ///< ‖E‖ = max_i Σ_j |e_ij|
    MpInterval max_abs{64};    ///< max |e_ij|
    MpInterval frobenius{64};  ///< √Σ e_ij²
    Place place;               ///< an entry that meets the lower end of max_abs
    Index row = -1;            ///< a row that meets the lower end of norm
    std::optional<Rational> exact_norm, exact_max_abs;

    /// Whether ‖E‖ ≤ tolerance, and whether max |e_ij| ≤ tolerance: proved, refuted or undecided.
    [[nodiscard]] Answer norm_at_most(const Rational& tolerance) const;
    [[nodiscard]] Answer max_abs_at_most(const Rational& tolerance) const;
};

}  // namespace rankcert::audit
