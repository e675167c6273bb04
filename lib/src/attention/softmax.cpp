#include "rigor/trusted.hpp"
//
#include <algorithm>

#include "attention/family.hpp"
#include "attention/magnitude.hpp"
#include "attention/softmax_rows.hpp"
#include "rankcert/attention/softmax.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace {

using attention_detail::ExactLogits;
using attention_detail::FamilyDistance;
using attention_detail::SoftmaxRows;
using Eigen::Index;

constexpr unsigned kLeastBits = 64;
/// Of the sums of errors: they need few, and are rounded in their direction.
constexpr mpfr_prec_t kErrorBits = 64;

/// Bounds of Σ_j |a_j − ã_j| for one row from enclosures of the a_j.
class RowError {
  public:
    /// centre_bits: every ã has at most so many significant bits, so it is held exactly.
    explicit RowError(unsigned centre_bits) : centre_(std::max<mpfr_prec_t>(centre_bits, MPFR_PREC_MIN)) {}

    void start_row() {
        mpfr_set_zero(lower_, 1);
        mpfr_set_zero(upper_, 1);
    }
    /// One more entry: a in [low, high], ã = mantissa · 2^exponent.
    void add(mpfr_srcptr low, mpfr_srcptr high, const Integer& mantissa, long exponent) {
        attention_detail::set(centre_, mantissa, exponent, MPFR_RNDN);
        mpfr_sub(below_, centre_, low, MPFR_RNDU);
        mpfr_sub(above_, high, centre_, MPFR_RNDU);
        mpfr_max(above_, above_, below_, MPFR_RNDU);
        mpfr_add(upper_, upper_, above_, MPFR_RNDU);
        mpfr_sub(below_, centre_, high, MPFR_RNDD);
        mpfr_sub(above_, low, centre_, MPFR_RNDD);
        mpfr_max(above_, above_, below_, MPFR_RNDD);
        if (mpfr_cmp_ui(above_, 0) > 0) mpfr_add(lower_, lower_, above_, MPFR_RNDD);
    }
    /// One more entry: a = 0, because the key is hidden.
    void add_hidden(const Integer& mantissa, long exponent) {
        if (mantissa == 0) return;
        attention_detail::set(centre_, mantissa, exponent, MPFR_RNDN);
        mpfr_abs(centre_, centre_, MPFR_RNDN);
        mpfr_add(upper_, upper_, centre_, MPFR_RNDU);
        mpfr_add(lower_, lower_, centre_, MPFR_RNDD);
    }

    [[nodiscard]] MpFloat& lower() noexcept { return lower_; }
    [[nodiscard]] MpFloat& upper() noexcept { return upper_; }

  private:
    MpFloat centre_;
    MpFloat lower_{kErrorBits}, upper_{kErrorBits};
    MpFloat below_{kErrorBits}, above_{kErrorBits};
};

/// The largest error over the rows, from both sides.
class LargestError {
  public:
    LargestError() {
        mpfr_set_zero(lower_, 1);
        mpfr_set_zero(upper_, 1);
    }
    void include(const MpFloat& lower, const MpFloat& upper) {
        mpfr_max(lower_, lower_, lower, MPFR_RNDD);
        mpfr_max(upper_, upper_, upper, MPFR_RNDU);
    }
    /// As rationals; bounds below 2^(−64 bits) are not told apart from zero, outward.
    [[nodiscard]] ErrorBounds bounds(unsigned bits) const {
        const long least = -64L * static_cast<long>(bits);
        return {attention_detail::to_short_rational(lower_, least, false),
                attention_detail::to_short_rational(upper_, least, true)};
    }

  private:
    MpFloat lower_{kErrorBits}, upper_{kErrorBits};
};

/// The multiple of 2^−precision nearest to the midpoint of [low, high]: its mantissa. scratch has the bits of
/// low.
Integer nearest_on_grid(MpFloat& scratch, mpfr_srcptr low, mpfr_srcptr high, unsigned precision) {
    mpfr_add(scratch, low, high, MPFR_RNDN);
    mpfr_mul_2si(scratch, scratch, static_cast<long>(precision) - 1, MPFR_RNDN);
    Integer mantissa;
    mpfr_get_z(mantissa.backend().data(), scratch, MPFR_RNDN);
    return mantissa;
}

}  // namespace

SoftmaxEnclosure enclose_softmax(const Head& head, unsigned precision) {
    validate(head);
    // 64 bits beyond the grid, in whole limbs: then the grid's spacing is all of the error that one can see.
    const unsigned bits = (precision + 64 + 63) / 64 * 64;
    const long exponent = -static_cast<long>(precision);
    const ExactLogits logits(head);
    FamilyDistance family(logits, bits);
    SoftmaxRows rows(logits, bits);
    RowError error(precision + 1);
    LargestError largest;
    MpFloat scratch(static_cast<mpfr_prec_t>(bits));
    std::vector<Integer> mantissas(static_cast<std::size_t>(head.queries() * head.keys()));
    for (Index i = 0; i < head.queries(); ++i) {
        rows.enclose_row(i);
        error.start_row();
        for (std::size_t k = 0; k < rows.keys().size(); ++k) {
            Integer& mantissa = mantissas[static_cast<std::size_t>(i * head.keys() + rows.keys()[k])];
            mantissa = nearest_on_grid(scratch, rows.lower(k), rows.upper(k), precision);
            error.add(rows.lower(k), rows.upper(k), mantissa, exponent);
        }
        family.add_to(error.upper(), i, rows.dot_differences());
        largest.include(error.lower(), error.upper());
    }
    return {ExactMatrix::from_integers(head.queries(), head.keys(), std::move(mantissas), exponent),
            largest.bounds(bits)};
}

ErrorBounds enclose_softmax_error(const Head& head, const ExactMatrix& centre, unsigned working_bits) {
    validate(head);
    if (centre.rows() != head.queries() || centre.cols() != head.keys()) {
        throw Error("the centre matrix is " + std::to_string(centre.rows()) + "×" +
                    std::to_string(centre.cols()) + " but the head's attention matrix is " +
                    std::to_string(head.queries()) + "×" + std::to_string(head.keys()) +
                    ": the centre belongs to another head");
    }
    attention_detail::require_moderate(centre, "centre matrix");
    const unsigned bits = std::max(working_bits, kLeastBits);
    const ExactLogits logits(head);
    FamilyDistance family(logits, bits);
    SoftmaxRows rows(logits, bits);
    RowError error(centre.bits());
    LargestError largest;
    for (Index i = 0; i < head.queries(); ++i) {
        rows.enclose_row(i);
        error.start_row();
        std::size_t k = 0;
        for (Index j = 0; j < head.keys(); ++j) {
            if (k < rows.keys().size() && rows.keys()[k] == j) {
                error.add(rows.lower(k), rows.upper(k), centre.mantissa(i, j), centre.exponent());
                ++k;
            } else {
                error.add_hidden(centre.mantissa(i, j), centre.exponent());
            }
        }
        family.add_to(error.upper(), i, rows.dot_differences());
        largest.include(error.lower(), error.upper());
    }
    return largest.bounds(bits);
}

}  // namespace rankcert
