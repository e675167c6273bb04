#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>

#include "audit/row_meter.hpp"
#include "audit/rows.hpp"
#include "linalg/kernel.hpp"
#include "rankcert/audit/errors.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::audit {

using rankcert::to_string;

namespace {

constexpr Index kBlock = 32;  // rows
constexpr unsigned kFirstBits = 128;
constexpr double kUnit = 0x1p-53;
constexpr double kSlack = 1.0625;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Calls work(0), …, work(count − 1) on several threads, each under a FloatingPointGuard.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    std::mutex mutex;
    const auto run = [&] {
        const FloatingPointGuard guard;
        try {
            for (std::size_t i = next++; i < count; i = next++) work(i);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < threads && t < count; ++t) others.emplace_back(run);
    run();
    others.clear();
    if (failure) std::rethrow_exception(failure);
}

/// V, where it is not A itself that is audited.
struct Values {
    const RowMatrix* given = nullptr;
    Eigen::MatrixXd cleaned, sizes;  ///< numbers that are not finite replaced by 0; absolute values
    Eigen::VectorXd column_sums;     ///< upper bounds of Σ_j |v_jc|
    std::vector<char> finite_row;
    bool all_finite = true;
};

Values prepare(const RowMatrix& value) {
    Values values;
    values.given = &value;
    values.cleaned = value.unaryExpr([](double x) { return std::isfinite(x) ? x : 0.0; });
    values.sizes = values.cleaned.cwiseAbs();
    values.column_sums = kSlack * values.sizes.colwise().sum().transpose();
    for (Index j = 0; j < value.rows(); ++j) {
        values.finite_row.push_back(value.row(j).allFinite() ? 1 : 0);
        values.all_finite = values.all_finite && values.finite_row.back() != 0;
    }
    return values;
}

class Auditor {
  public:
    Auditor(const AttentionHead& head, const RowMatrix* value, const RowMatrix& claim,
            const AuditOptions& options)
        : head_(head), claim_(claim), options_(options), format_(limits_of(options.format)) {
        validate(head);
        if (value != nullptr) {
            if (value->rows() != head.keys()) {
                throw Error("there are " + std::to_string(value->rows()) + " values for " +
                            std::to_string(head.keys()) + " keys: each key needs one");
            }
            const FloatingPointGuard guard;
            values_ = prepare(*value);
        }
        const Index width = value != nullptr ? value->cols() : head.keys();
        if (claim.rows() != head.queries() || claim.cols() != width) {
            throw Error("the claim is " + std::to_string(claim.rows()) + "×" + std::to_string(claim.cols()) +
                        " but must be " + std::to_string(head.queries()) + "×" + std::to_string(width) +
                        (value != nullptr
                             ? ", a row for each query and a column for each feature of the values"
                             : ", a row for each query and a column for each key"));
        }
        for (Index i = 0; i < claim.rows(); ++i) {
            for (Index j = 0; j < claim.cols(); ++j) {
                if (!std::isfinite(claim(i, j)) || is_of_format(claim(i, j), format_)) continue;
                throw Error("entry (" + std::to_string(i) + ", " + std::to_string(j) +
                            ") of the claim is not a " + to_string(options.format) +
                            " number: name the format that the result has");
            }
        }
        claims_.push_back({ClaimKind::finite, 0, 0});
        claims_.insert(claims_.end(), options.claims.begin(), options.claims.end());
        for (const Claim& claimed : claims_) needs_magnitude_ |= claimed.kind == ClaimKind::within;
        if (needs_magnitude_ && value == nullptr)
            throw Error(
                "the claim \"within\" compares with Σ|a||v|: it needs the values, so audit an output");
        queries_ = options.rows;
        if (queries_.empty()) {
            queries_.resize(static_cast<std::size_t>(head.queries()));
            std::iota(queries_.begin(), queries_.end(), Index{0});
        }
        for (const Index i : queries_) {
            if (i < 0 || i >= head.queries())
                throw Error("there is no query " + std::to_string(i) + ": the head has " +
                            std::to_string(head.queries()));
        }
    }

    HeadAudit run() {
        rows_.resize(queries_.size());
        unmeasured_.assign(queries_.size(), 0);
        const FloatingPointGuard guard;
        const FastProblem fast(head_);
        const std::size_t blocks = (queries_.size() + kBlock - 1) / kBlock;
        in_parallel(blocks, options_.threads, [&](std::size_t b) { measure_block(fast, b); });
        std::vector<char> was_precise(rows_.size(), 0);
        for (unsigned bits = kFirstBits; bits <= options_.most_bits; bits *= 2) {
            std::vector<std::size_t> poor = poor_rows(bits);
            if (poor.empty()) break;
            for (const std::size_t r : poor) was_precise[r] = 1;
            in_parallel(poor.size(), options_.threads,
                        [&](std::size_t k) { measure_precisely(poor[k], bits); });
        }
        HeadAudit audit = summary();
        audit.precise_rows =
            static_cast<std::uint64_t>(std::count(was_precise.begin(), was_precise.end(), char{1}));
        return audit;
    }

  private:
    [[nodiscard]] bool of_output() const { return values_.given != nullptr; }

    /// The state of row i for its output: a value that is read may not be finite.
    [[nodiscard]] RowState with_values(RowState state, const std::vector<Index>& keys) const {
        if (state != RowState::defined || !of_output() || values_.all_finite) return state;
        for (const Index j : keys) {
            if (values_.finite_row[static_cast<std::size_t>(j)] == 0) return RowState::undefined;
        }
        return state;
    }

    /// A row that no arithmetic is needed for; returns whether it is one.
    [[nodiscard]] bool settle_plain(std::size_t r, RowState state) {
        RowErrors& row = rows_[r];
        const Index i = queries_[r];
        if (state == RowState::empty && head_.empty_rows == EmptyRows::zero) {
            RowMeter<Doubles> meter({}, format_, claims_);
            const Interval zero(0, 0);
            for (Index c = 0; c < claim_.cols(); ++c) meter.add(c, zero, true, claim_(i, c), &zero);
            row = meter.finish();
        } else if (state != RowState::defined) {
            row = RowErrors{};
            row.claims.resize(claims_.size());
            if (state == RowState::empty && head_.empty_rows == EmptyRows::nan) {
                for (Index c = 0; c < claim_.cols(); ++c)
                    row.claims.front().add(std::isnan(claim_(i, c)), true, c);
            }
        }
        row.state = state;
        return state != RowState::defined;
    }

    void measure_block(const FastProblem& fast, std::size_t block) {
        const std::size_t first = block * kBlock;
        const std::size_t end = std::min(first + kBlock, queries_.size());
        std::size_t r = first;
        while (r < end) {  // runs of consecutive queries
            std::size_t stop = r + 1;
            while (stop < end && queries_[stop] == queries_[stop - 1] + 1) ++stop;
            measure_run(fast, r, stop);
            r = stop;
        }
    }

    void measure_run(const FastProblem& fast, std::size_t first, std::size_t end) {
        FastRows rows;
        const auto count = static_cast<Index>(end - first);
        fast.enclose(queries_[first], count, rows);
        Eigen::MatrixXd output, sizes;
        if (of_output()) {
            output = detail::multiply(rows.weights, values_.cleaned, detail::Op::transposed);
            sizes = detail::multiply(rows.weights, values_.sizes, detail::Op::transposed);
        }
        RowMeter<Doubles> meter({}, format_, claims_);
        std::vector<Index> keys;
        for (Index k = 0; k < count; ++k) {
            const std::size_t r = first + static_cast<std::size_t>(k);
            const Index i = queries_[r];
            RowState state = rows.state[static_cast<std::size_t>(k)];
            if (of_output() && !values_.all_finite) {
                find_visible(head_, i, keys);
                state = with_values(state, keys);
            }
            if (settle_plain(r, state)) continue;
            const double theta = rows.relative(k);
            if (!std::isfinite(theta) || options_.by_mpfr) {
                rows_[r].entries = 0;
                unmeasured_[r] = 1;
                continue;
            }
            meter.start();
            const Interval tiny(-kFastAbsolute, kFastAbsolute);
            const Interval band = 1.0 + Interval(-theta, theta);
            if (of_output()) {
                const double n = static_cast<double>(head_.keys() + 2);
                for (Index c = 0; c < claim_.cols(); ++c) {
                    const double radius = kSlack * ((theta + kSlack * kUnit * n) * sizes(k, c)) +
                                          0x1p-1060 * (values_.column_sums(c) + n);
                    const Interval exact = std::isfinite(radius) && std::isfinite(output(k, c))
                                               ? Interval(output(k, c)) + Interval(-radius, radius)
                                               : entire_interval();
                    const Interval magnitude = Interval(sizes(k, c)) + Interval(-radius, radius);
                    meter.add(c, exact, false, claim_(i, c), &magnitude);
                }
            } else {
                for (Index j = 0; j < head_.keys(); ++j) {
                    const double weight = rows.weights(j, k);
                    // A weight that underflowed looks like a hidden one.
                    if (weight == 0 && !head_.visible(i, j)) {
                        meter.add(j, Interval(0, 0), true, claim_(i, j), nullptr);
                        continue;
                    }
                    const Interval raw = Interval(weight) * band + tiny;
                    meter.add(j, Interval(std::max(raw.lower(), 0.0), std::min(raw.upper(), 1.0)), false,
                              claim_(i, j), nullptr);
                }
            }
            rows_[r] = meter.finish();
        }
    }

    void measure_precisely(std::size_t r, unsigned bits) {
        const Index i = queries_[r];
        std::vector<Index> keys;
        find_visible(head_, i, keys);
        PreciseRows precise(head_, bits);
        precise.enclose(i, keys);
        const auto& weights = precise.weights();
        RowMeter<Mpfr> meter({bits}, format_, claims_);
        if (!of_output()) {
            const MpInterval zero(bits);
            std::size_t k = 0;
            for (Index j = 0; j < head_.keys(); ++j) {
                const bool visible = k < keys.size() && keys[k] == j;
                meter.add(j, visible ? weights[k] : zero, !visible, claim_(i, j), nullptr);
                if (visible) ++k;
            }
        } else {
            MpInterval sum(bits), magnitude(bits);
            MpFloat v(53);
            for (Index c = 0; c < claim_.cols(); ++c) {
                sum.set(0.0);
                magnitude.set(0.0);
                bool is_zero = true;
                for (std::size_t k = 0; k < keys.size(); ++k) {
                    const double value = (*values_.given)(keys[k], c);
                    if (value == 0) continue;
                    is_zero = false;
                    const bool up = value > 0;
                    mpfr_set_d(v, value, MPFR_RNDN);
                    const auto& w = weights[k];
                    mpfr_fma(sum.mutable_lower(), v, up ? w.lower_mpfr() : w.upper_mpfr(), sum.lower_mpfr(),
                             MPFR_RNDD);
                    mpfr_fma(sum.mutable_upper(), v, up ? w.upper_mpfr() : w.lower_mpfr(), sum.upper_mpfr(),
                             MPFR_RNDU);
                    if (!needs_magnitude_) continue;
                    mpfr_abs(v, v, MPFR_RNDN);
                    mpfr_fma(magnitude.mutable_lower(), v, w.lower_mpfr(), magnitude.lower_mpfr(), MPFR_RNDD);
                    mpfr_fma(magnitude.mutable_upper(), v, w.upper_mpfr(), magnitude.upper_mpfr(), MPFR_RNDU);
                }
                meter.add(c, sum, is_zero, claim_(i, c), needs_magnitude_ ? &magnitude : nullptr);
            }
        }
        rows_[r] = meter.finish();
        unmeasured_[r] = 0;
    }

    /// Rows whose enclosures do not decide what was asked, or leave the two-sided bounds of an error more
    /// than 1 % apart.
    [[nodiscard]] std::vector<std::size_t> poor_rows(unsigned bits) const {
        constexpr double kGap = 1.005;
        const auto most = [&](auto member) {
            double low = 0;
            for (const RowErrors& row : rows_) low = std::max(low, (row.*member).value.lower_double());
            return low;
        };
        const double abs_low = most(&RowErrors::max_abs), l1_low = most(&RowErrors::l1);
        const double relative_low = most(&RowErrors::relative), ulps_low = most(&RowErrors::ulps);
        double squares_low = 0;
        for (const RowErrors& row : rows_) squares_low += row.squares.lower_double();
        // A largest error is known to 1 % once no row's upper bound is above the best lower bound by more.
        const auto open = [&](const Extreme& extreme, double low) {
            return !extreme.infinite && extreme.value.upper_double() > kGap * low &&
                   extreme.value.upper_double() > kGap * extreme.value.lower_double();
        };
        std::vector<std::size_t> poor;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const RowErrors& row = rows_[r];
            if (row.state != RowState::defined) continue;
            bool is_poor = unmeasured_[r] != 0 || open(row.max_abs, abs_low) || open(row.l1, l1_low);
            is_poor = is_poor || row.squares.upper_double() - row.squares.lower_double() >
                                     .01 * squares_low / static_cast<double>(rows_.size());
            for (const ClaimCount& count : row.claims) is_poor = is_poor || count.open != 0;
            // These may stay open at any precision: an exact tie, an exact 0.
            if (bits <= 4 * kFirstBits)
                is_poor = is_poor || row.rounding_open() || open(row.relative, relative_low) ||
                          open(row.ulps, ulps_low);
            if (is_poor) poor.push_back(r);
        }
        return poor;
    }

    void include(LargestError& largest, const Extreme& extreme, Index row) const {
        if (extreme.infinite) {
            if (!largest.infinite) largest.place = {row, extreme.column};
            largest.infinite = true;
        }
        if (!largest.infinite && (largest.place.row < 0 || mpfr_greater_p(extreme.value.lower_mpfr(),
                                                                          largest.value.lower_mpfr()) != 0)) {
            largest.place = {row, extreme.column};
        }
        largest.value = max(largest.value, extreme.value);
    }

    [[nodiscard]] HeadAudit summary() {
        HeadAudit audit;
        audit.claims.resize(claims_.size());
        for (std::size_t k = 0; k < claims_.size(); ++k) audit.claims[k].claim = claims_[k];
        MpInterval squares(64);
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const RowErrors& row = rows_[r];
            const Index i = queries_[r];
            if (row.state == RowState::empty) audit.empty_rows.push_back(i);
            if (row.state == RowState::undefined ||
                (row.state == RowState::empty && head_.empty_rows == EmptyRows::error))
                audit.undefined_rows.push_back(i);
            audit.entries += row.entries;
            audit.not_finite += row.not_finite;
            audit.correctly_rounded += row.correct;
            audit.not_correctly_rounded += row.not_correct;
            audit.faithful += row.faithful;
            audit.not_faithful += row.not_faithful;
            if (row.entries != 0) {
                include(audit.max_abs, row.max_abs, i);
                include(audit.row_l1, row.l1, i);
                include(audit.relative, row.relative, i);
                include(audit.ulps, row.ulps, i);
            }
            add_into(squares, squares, row.squares);
            for (std::size_t k = 0; k < claims_.size(); ++k) {
                ClaimResult& result = audit.claims[k];
                const ClaimCount& count = row.claims[k];
                result.holds += count.holds;
                result.fails += count.fails;
                result.open += count.open;
                if (count.fails != 0 && !result.failure) result.failure = Place{i, count.first_failure};
            }
        }
        sqrt_into(audit.frobenius, squares);
        count_unread(audit);
        for (ClaimResult& result : audit.claims) {
            check_stored(result, audit);
            if (result.claim.kind == ClaimKind::frobenius) {
                const bool infinite = audit.not_finite != 0;
                const bool holds = !infinite && certainly_less_equal(audit.frobenius, result.claim.first);
                const bool fails = infinite || certainly_less(result.claim.first, audit.frobenius);
                result.holds = holds ? 1 : 0;
                result.fails = fails ? 1 : 0;
                result.open = holds || fails ? 0 : 1;
            }
            result.answer = result.fails != 0               ? Answer::refuted
                            : !audit.undefined_rows.empty() ? Answer::undefined
                            : result.open != 0              ? Answer::undecided
                                                            : Answer::proved;
        }
        return audit;
    }

    /// Claims of the stored numbers by themselves; they are exact, so nothing stays open.
    void check_stored(ClaimResult& result, HeadAudit& audit) const {
        const ClaimKind kind = result.claim.kind;
        const auto note = [&](bool holds, Index i, Index j) {
            if (holds) {
                ++result.holds;
            } else if (result.fails++ == 0) {
                result.failure = Place{i, j};
            }
        };
        if (kind == ClaimKind::row_sums) {
            for (std::size_t r = 0; r < rows_.size(); ++r) {
                if (rows_[r].state == RowState::defined)
                    check_row_sum(queries_[r], result.claim, audit, note);
            }
        }
        if (kind != ClaimKind::non_negative && kind != ClaimKind::causal && kind != ClaimKind::masked_zero)
            return;
        for (const Index i : queries_) {
            for (Index j = 0; j < claim_.cols(); ++j) {
                const double c = claim_(i, j);
                if (kind == ClaimKind::non_negative) note(c >= 0, i, j);
                if (kind == ClaimKind::causal && j > head_.position(i)) note(c == 0, i, j);
                if (kind == ClaimKind::masked_zero && !head_.visible(i, j)) note(c == 0, i, j);
            }
        }
    }

    template <class Note>
    void check_row_sum(Index i, const Claim& claim, HeadAudit& audit, const Note& note) const {
        if (!claim_.row(i).allFinite()) {
            note(false, i, -1);
            return;
        }
        // 2,300 bits hold every sum of doubles.
        MpFloat sum(2300), term(53);
        mpfr_set_zero(sum, 1);
        for (Index j = 0; j < claim_.cols(); ++j) {
            mpfr_set_d(term, claim_(i, j), MPFR_RNDN);
            mpfr_add(sum, sum, term, MPFR_RNDN);
        }
        Rational exact;
        mpfr_get_q(exact.backend().data(), sum);
        const Rational deviation = exact > 1 ? Rational(exact - 1) : Rational(1 - exact);
        note(deviation <= claim.first, i, -1);
        if (!audit.worst_sum || certainly_less(audit.sum_deviation->value, deviation)) {
            audit.worst_sum = exact;
            audit.sum_deviation.emplace();
            audit.sum_deviation->value.set(deviation);
            audit.sum_deviation->place = {i, -1};
        }
    }

    /// Rows of K and V with numbers that are not finite, none of which a visible key reads.
    void count_unread(HeadAudit& audit) const {
        std::vector<Index> bad;
        for (Index j = 0; j < head_.keys(); ++j) {
            const bool key = head_.key.row(j).allFinite();
            const bool value = !of_output() || values_.finite_row[static_cast<std::size_t>(j)] != 0;
            if (!key || !value) bad.push_back(j);
        }
        for (const Index j : bad) {
            const bool read =
                std::any_of(queries_.begin(), queries_.end(), [&](Index i) { return head_.visible(i, j); });
            if (!read) ++audit.unread_not_finite;
        }
    }

    const AttentionHead& head_;
    const RowMatrix& claim_;
    const AuditOptions& options_;
    FormatLimits format_;
    Values values_;
    std::vector<Claim> claims_;
    bool needs_magnitude_ = false;
    std::vector<Index> queries_;
    std::vector<RowErrors> rows_;
    std::vector<char> unmeasured_;  ///< rows that float64 did not serve
};

}  // namespace

const char* to_string(Answer answer) noexcept {
    switch (answer) {
        case Answer::proved:
            return "proved";
        case Answer::refuted:
            return "refuted";
        case Answer::undefined:
            return "undefined";
        case Answer::undecided:
            break;
    }
    return "undecided";
}

Answer both(Answer a, Answer b) noexcept {
    for (const Answer answer : {Answer::refuted, Answer::undefined, Answer::undecided}) {
        if (a == answer || b == answer) return answer;
    }
    return Answer::proved;
}

const char* to_string(ClaimKind kind) noexcept {
    switch (kind) {
        case ClaimKind::max_abs:
            return "max-abs";
        case ClaimKind::row_l1:
            return "row-l1";
        case ClaimKind::relative:
            return "relative";
        case ClaimKind::ulps:
            return "ulps";
        case ClaimKind::close:
            return "close";
        case ClaimKind::within:
            return "within";
        case ClaimKind::correctly_rounded:
            return "correctly-rounded";
        case ClaimKind::faithful:
            return "faithful";
        case ClaimKind::frobenius:
            return "frobenius";
        case ClaimKind::row_sums:
            return "row-sums";
        case ClaimKind::non_negative:
            return "non-negative";
        case ClaimKind::causal:
            return "causal";
        case ClaimKind::masked_zero:
            return "masked-zero";
        case ClaimKind::finite:
            break;
    }
    return "finite";
}

Answer HeadAudit::answer() const {
    Answer all = undefined_rows.empty() ? Answer::proved : Answer::undefined;
    for (const ClaimResult& result : claims) all = both(all, result.answer);
    return all;
}

HeadAudit audit_attention(const AttentionHead& head, const RowMatrix& claim, const AuditOptions& options) {
    return Auditor(head, nullptr, claim, options).run();
}

HeadAudit audit_output(const AttentionHead& head, const RowMatrix& value, const RowMatrix& claim,
                       const AuditOptions& options) {
    return Auditor(head, &value, claim, options).run();
}

}  // namespace rankcert::audit
