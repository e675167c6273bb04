#include "rigor/trusted.hpp"
//
#include <algorithm>

#include "audit/factor_rows.hpp"
#include "audit/residual.hpp"
#include "rankcert/linalg/product.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::audit {
namespace {

/// The facts of B that claims are decided by.
class Facts {
  public:
    Facts(const Approximation& b, const std::vector<FactorClaim>& claims) : b_(b) {
        for (const FactorClaim& claim : claims) {
            facts_.claims.push_back({claim, Answer::proved, std::nullopt});
            if (claim.tolerance < 0) throw Error("a tolerance must not be negative");
        }
    }

    FactorFacts run() {
        constexpr Index kBlock = 64;
        bool first = true;
        for (Index begin = 0; begin < b_.rows(); begin += kBlock) {
            std::vector<Index> rows;
            for (Index i = begin; i < std::min(begin + kBlock, b_.rows()); ++i) rows.push_back(i);
            ExactRows exact;
            try {
                exact = b_.exact(rows);
            } catch (const TooMuchWork&) {
                for (const Index i : rows) refute_fast(i);
                continue;
            }
            const ExactMatrix sums = b_.is_normalised() ? exact.denominator : exact_row_sums(exact.numerator);
            for (Index k = 0; k < static_cast<Index>(rows.size()); ++k) {
                const Index i = rows[as_size(k)];
                const Rational denominator = exact.denominator(k, 0);
                if (denominator <= 0) {
                    facts_.undefined_rows.push_back(i);
                    continue;
                }
                const Rational sum = sums(k, 0) / denominator;
                if (first || sum < facts_.least_row_sum) facts_.least_row_sum = sum;
                if (first || sum > facts_.largest_row_sum) facts_.largest_row_sum = sum;
                const Index column = smallest_column(exact.numerator, k);
                const Rational entry = exact.numerator(k, column) / denominator;
                if (first || entry < smallest_) {
                    smallest_ = entry;
                    facts_.smallest_place = {i, column};
                }
                first = false;
                decide(i, sum, exact.numerator, k);
            }
        }
        facts_.smallest_entry.set(smallest_);
        for (FactorClaimResult& result : facts_.claims) {
            if (result.answer != Answer::proved) continue;
            if (!facts_.open_rows.empty()) result.answer = Answer::undecided;
            if (!facts_.undefined_rows.empty()) result.answer = Answer::undefined;
        }
        return std::move(facts_);
    }

  private:
    static bool asks_sums(const FactorClaim& claim) {
        return claim.kind == FactorClaimKind::row_stochastic || claim.kind == FactorClaimKind::row_sums;
    }
    static bool asks_signs(const FactorClaim& claim) {
        return claim.kind == FactorClaimKind::row_stochastic || claim.kind == FactorClaimKind::non_negative;
    }
    static Index smallest_column(const ExactMatrix& a, Index row) {
        Index column = 0;
        Integer least = a.mantissa(row, 0);
        for (Index j = 1; j < a.cols(); ++j) {
            Integer entry = a.mantissa(row, j);
            if (entry >= least) continue;
            least = std::move(entry);
            column = j;
        }
        return column;
    }

    void decide(Index i, const Rational& sum, const ExactMatrix& numerator, Index k) {
        const Rational deviation = sum > 1 ? Rational(sum - 1) : Rational(1 - sum);
        for (FactorClaimResult& result : facts_.claims) {
            if (result.failure) continue;
            const FactorClaim& claim = result.claim;
            const bool of_signs = asks_signs(claim);
            if (asks_sums(claim) && deviation > claim.tolerance) result.failure = Place{i, -1};
            for (Index j = 0; j < numerator.cols() && !result.failure; ++j) {
                const bool hidden = claim.kind == FactorClaimKind::causal &&
                                    j > position(i, b_.rows(), b_.cols(), claim.alignment);
                if (!of_signs && !hidden) continue;
                const Integer entry = numerator.mantissa(k, j);
                if ((of_signs && entry < 0) || (hidden && entry != 0)) result.failure = Place{i, j};
            }
            if (result.failure) result.answer = Answer::refuted;
        }
    }

    /// What float64 refutes of a row that is too much work.
    void refute_fast(Index i) {
        std::vector<Interval> entries;
        const std::optional<RowState> state = b_.enclose(i, entries);
        if (state == RowState::undefined) {
            facts_.undefined_rows.push_back(i);
            return;
        }
        facts_.open_rows.push_back(i);
        if (!state) return;
        Interval deviation(-1, -1);
        for (const Interval& entry : entries) deviation = deviation + entry;
        for (FactorClaimResult& result : facts_.claims) {
            const FactorClaim& claim = result.claim;
            for (Index j = 0; j < b_.cols() && !result.failure; ++j) {
                const Interval& entry = entries[as_size(j)];
                const bool is_negative = entry.upper()<0, is_positive = entry.lower()> 0;
                const bool hidden = claim.kind == FactorClaimKind::causal &&
                                    j > position(i, b_.rows(), b_.cols(), claim.alignment);
                if ((asks_signs(claim) && is_negative) || (hidden && (is_negative || is_positive)))
                    result.failure = Place{i, j};
            }
            if (!result.failure && asks_sums(claim) &&
                certainly_less(enclose(claim.tolerance), abs(deviation)))
                result.failure = Place{i, -1};
            if (result.failure) result.answer = Answer::refuted;
        }
    }

    FactorRows b_;
    FactorFacts facts_;
    Rational smallest_ = 0;
};

}  // namespace

const char* to_string(FactorClaimKind kind) noexcept {
    switch (kind) {
        case FactorClaimKind::row_sums:
            return "row-sums";
        case FactorClaimKind::non_negative:
            return "non-negative";
        case FactorClaimKind::causal:
            return "causal";
        case FactorClaimKind::row_stochastic:
            break;
    }
    return "row-stochastic";
}

Answer FactorFacts::answer() const {
    Answer all = undefined_rows.empty() ? Answer::proved : Answer::undefined;
    for (const FactorClaimResult& result : claims) all = both(all, result.answer);
    return all;
}

FactorFacts audit_claims(const Approximation& b, const std::vector<FactorClaim>& claims) {
    validate(b);
    if (b.rows() == 0 || b.cols() == 0)
        throw Error("an approximation without rows or columns has nothing to audit");
    const FloatingPointGuard guard;
    return Facts(b, claims).run();
}

PseudoInverseAudit audit_pseudo_inverse(const Eigen::Ref<const Eigen::MatrixXd>& c,
                                        const Eigen::Ref<const Eigen::MatrixXd>& w,
                                        const Rational& tolerance) {
    require_finite_entries(c, "the matrix");
    require_finite_entries(w, "the pseudo-inverse");
    if (c.rows() != w.cols() || c.cols() != w.rows())
        throw Error("the pseudo-inverse of a " + std::to_string(c.rows()) + "×" + std::to_string(c.cols()) +
                    " matrix is not " + std::to_string(w.rows()) + "×" + std::to_string(w.cols()));
    const FloatingPointGuard guard;
    const BallMatrix cw = enclose_product(c, w), wc = enclose_product(w, c);
    const auto exact_c = [&] { return ExactMatrix::from_double(c); };
    const auto exact_w = [&] { return ExactMatrix::from_double(w); };
    const Tolerances wanted{tolerance, std::nullopt};
    PseudoInverseAudit audit;
    audit.first = measure([&] { return enclose_product(cw, c) - point_matrix(c); },
                          [&] { return exact_c() * exact_w() * exact_c() - exact_c(); }, wanted);
    audit.second = measure([&] { return enclose_product(wc, w) - point_matrix(w); },
                           [&] { return exact_w() * exact_c() * exact_w() - exact_w(); }, wanted);
    const auto skew = [](const ExactMatrix& a) { return a - a.transpose(); };
    audit.third =
        measure([&] { return cw - transpose(cw); }, [&] { return skew(exact_c() * exact_w()); }, wanted);
    audit.fourth =
        measure([&] { return wc - transpose(wc); }, [&] { return skew(exact_w() * exact_c()); }, wanted);
    audit.answer = Answer::proved;
    for (const ErrorNorms* norms : {&audit.first, &audit.second, &audit.third, &audit.fourth})
        audit.answer = both(audit.answer, norms->norm_at_most(tolerance));
    return audit;
}

}  // namespace rankcert::audit
