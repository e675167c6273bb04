#pragma once
/// \file errors.hpp  How far a claimed matrix is from the exact one, from both sides, and what was claimed of
/// it.
///
/// For a claimed entry c, of a floating-point format, and the exact t: |c − t|; relative |c − t|/|t| (0 where
/// both are 0, +infinity where t = 0 alone); in ulps |c − t|/ulp(t), where ulp(t) is the format's spacing at
/// |t|, from 2^e on up to 2^(e+1). c is *correctly rounded* where it is the number of the format nearest to t
/// (ties to even), and *faithful* where no other number of the format lies between c and t, and c = t where t
/// is a number of the format. A claim that is not finite is neither, and its errors are infinite.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rankcert/attention/number_format.hpp"
#include "rankcert/audit/head.hpp"
#include "rankcert/rigor/mp_interval.hpp"

namespace rankcert::audit {

/// What is said of a claim, or of several. `undefined`: not refuted, and some rows have no value.
enum class Answer { proved, refuted, undecided, undefined };
[[nodiscard]] const char* to_string(Answer answer) noexcept;
/// Of a conjunction: refuted where one is, else undefined where one is, else undecided where one is.
[[nodiscard]] Answer both(Answer a, Answer b) noexcept;

/// What can be claimed of every entry (or row) of the claimed matrix.
enum class ClaimKind {
    finite,    ///< a number that is not NaN or infinite
    max_abs,   ///< |c − t| ≤ first
    row_l1,    ///< Σ_j |c_j − t_j| ≤ first, row by row
    relative,  ///< |c − t| ≤ first · |t|
    ulps,      ///< |c − t| ≤ first · ulp(t)
    close,     ///< |c − t| ≤ second + first · |t| (rtol, atol)
    within,  ///< |c − t| ≤ first · u · Σ_j A_ij |v_j|, u = 2^−p of the format with p bits (outputs only)
    correctly_rounded,  ///< c is t rounded to the format
    faithful,
    frobenius,     ///< √Σ |c − t|² ≤ first, over the head
    row_sums,      ///< |Σ_j c_j − 1| ≤ first: of the stored numbers, row by row
    non_negative,  ///< c ≥ 0
    causal,        ///< c_ij = 0 for j > p_i
    masked_zero,   ///< c_ij = 0 where the key is hidden
};
[[nodiscard]] const char* to_string(ClaimKind kind) noexcept;

struct Claim {
    ClaimKind kind = ClaimKind::finite;
    Rational first = 0;
    Rational second = 0;
};

/// A place in the claimed matrix.
struct Place {
    Index row = -1;
    Index column = -1;
};

struct ClaimResult {
    Claim claim;
    Answer answer = Answer::undecided;
    std::uint64_t holds = 0;       ///< entries (rows) of which it is proved
    std::uint64_t fails = 0;       ///< of which it is refuted
    std::uint64_t open = 0;        ///< of which it is undecided
    std::optional<Place> failure;  ///< the first that fails
};

/// The largest of an error over the entries of the defined rows: enclosed, and where the lower end is met.
struct LargestError {
    MpInterval value{64};   ///< of the finite ones
    bool infinite = false;  ///< it is +infinity, for certain
    Place place;
};

struct HeadAudit {
    LargestError max_abs, row_l1, relative, ulps;
    MpInterval frobenius{64};
    std::uint64_t entries = 0;  ///< of defined rows
    std::uint64_t correctly_rounded = 0, not_correctly_rounded = 0;
    std::uint64_t faithful = 0, not_faithful = 0;
    std::uint64_t not_finite =
        0;  ///< claimed entries that are NaN or infinite, where the exact ones are numbers
    std::vector<Index> undefined_rows;
    std::vector<Index> empty_rows;
    std::uint64_t unread_not_finite =
        0;  ///< rows of K or V with such numbers that no visible key reads (information)
    std::vector<ClaimResult> claims;            ///< in the order asked for, the first always `finite`
    std::optional<LargestError> sum_deviation;  ///< of the stored rows, |Σ_j c_j − 1|, with the exact sum:
    std::optional<Rational> worst_sum;
    std::uint64_t precise_rows = 0;  ///< rows that took MPFR (information)

    [[nodiscard]] Answer answer() const;
};

struct AuditOptions {
    NumberFormat format = NumberFormat::float64;  ///< of the claim
    std::vector<Claim> claims;
    unsigned most_bits = 1024;  ///< of MPFR, where less does not decide
    unsigned threads = 1;
    bool by_mpfr = false;     ///< every row by MPFR, float64 is not relied on
    std::vector<Index> rows;  ///< the queries to audit; all where empty. The claim has all rows
};

/// Audits a claimed attention matrix, m×N, against A. Throws Error where validate(head) does, where shapes
/// disagree, and where a claim's entry is not a number of options.format (with the index). Cost: an m×d×N
/// product and m·N exponentials in float64; an MPFR exponential of 2.5 µs or more for each key of a row that
/// float64 does not decide.
[[nodiscard]] HeadAudit audit_attention(const AttentionHead& head, const RowMatrix& claim,
                                        const AuditOptions& options);

/// Audits a claimed output, m×w, against A V with V of N×w. A is never stored: memory O((m + N)(d + w)) and a
/// block of rows. Where a value of a visible key is not finite, the entries that read it are undefined (and
/// so their rows). Cost: two more m×N×w products.
[[nodiscard]] HeadAudit audit_output(const AttentionHead& head, const RowMatrix& value,
                                     const RowMatrix& claim, const AuditOptions& options);

}  // namespace rankcert::audit
