#include "rankcert/search/one_dimensional.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "equioscillation.hpp"
#include "rankcert/search/high_precision.hpp"
#include "rankcert/search/work.hpp"
#include "step_witness.hpp"

namespace rankcert::search {

namespace {

constexpr Index kMostEntries = Index{1} << 20;  ///< of the matrix in MPFR numbers: about 100 MB
constexpr mpfr_prec_t kLeastBits = 128, kMostBits = 1 << 15;
constexpr int kMostFailures = 3;  ///< values of n in a row without a solution

/// The order of the values, and equal ones in one class.
Classes classify(const ExactMatrix& values, bool descending) {
    std::vector<Integer> keys;
    for (Index i = 0; i < values.rows(); ++i)
        keys.push_back(descending ? -values.mantissa(i, 0) : values.mantissa(i, 0));
    std::vector<Index> order(keys.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto key = [&](Index i) -> const Integer& { return keys[static_cast<std::size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return key(i) < key(j); });
    Classes out;
    for (const Index i : order) {
        if (out.empty() || key(out.back().front()) < key(i)) out.emplace_back();
        out.back().push_back(i);
    }
    return out;
}

}  // namespace

struct OneDimensionalSearch::State {
    ExactMatrix query, key;
    Rational slope;
    std::uint64_t sqrt_of;
    Classes rows, cols;
    std::optional<RealMatrix> matrix;  ///< of the classes: rows of one member, columns summed
    /// A point of the curve: the step function, and v where it was found.
    struct Point {
        StepFunction step;
        std::optional<double> log2_value;
    };
    std::vector<Point> curve;
    int failures = 0;  ///< at the end of the curve

    [[nodiscard]] Index full_rank() const { return static_cast<Index>(std::min(rows.size(), cols.size())); }

    [[nodiscard]] bool fits() const {
        return static_cast<Index>(rows.size()) <= kMostEntries / static_cast<Index>(cols.size());
    }

    /// The matrix with relative errors of about 2^−bits, so that it is totally positive as far as can be: on
    /// a grid small entries would lose that.
    void compute_matrix(mpfr_prec_t bits) {
        matrix.reset();
        RealMatrix& a =
            matrix.emplace(static_cast<Index>(rows.size()), static_cast<Index>(cols.size()), bits);
        const mpfr_prec_t finer = bits + 64;
        Real factor(finer), root(finer), logit(finer), largest(finer), sum(finer), weighted(bits);
        mpfr_set_q(factor.get(), slope.backend().data(), MPFR_RNDN);
        mpfr_set_ui(root.get(), sqrt_of, MPFR_RNDN);
        mpfr_sqrt(root.get(), root.get(), MPFR_RNDN);
        mpfr_div(factor.get(), factor.get(), root.get(), MPFR_RNDN);
        mpfr_mul_2si(factor.get(), factor.get(), query.exponent() + key.exponent(), MPFR_RNDN);
        for (Index i = 0; i < a.rows(); ++i) {
            const Integer q = query.mantissa(rows[static_cast<std::size_t>(i)].front(), 0);
            // The largest logit is at one end of the keys: k · sgn(slope q) is.
            for (int pass = 0; pass < 2; ++pass) {
                mpfr_set_zero(sum.get(), 1);
                for (Index j = 0; j < a.cols(); ++j) {
                    const Classes::value_type& members = cols[static_cast<std::size_t>(j)];
                    const Integer product = q * key.mantissa(members.front(), 0);
                    mpfr_mul_z(logit.get(), factor.get(), product.backend().data(), MPFR_RNDN);
                    if (pass == 0) {
                        if (j == 0) mpfr_set(largest.get(), logit.get(), MPFR_RNDN);
                        mpfr_max(largest.get(), largest.get(), logit.get(), MPFR_RNDN);
                        continue;
                    }
                    mpfr_sub(logit.get(), logit.get(), largest.get(), MPFR_RNDN);
                    mpfr_exp(a.at(i, j), logit.get(), MPFR_RNDN);
                    mpfr_mul_ui(a.at(i, j), a.at(i, j), members.size(), MPFR_RNDN);
                    mpfr_add(sum.get(), sum.get(), a.at(i, j), MPFR_RNDN);
                }
            }
            for (Index j = 0; j < a.cols(); ++j) mpfr_div(a.at(i, j), a.at(i, j), sum.get(), MPFR_RNDN);
        }
        charge_operations(30. * static_cast<double>(a.rows() * a.cols()), bits);
    }

    /// Adds v_n for the next n, where it can be found with the bits in use or some more.
    void find_next(double deadline) {
        const mpfr_prec_t needed = needed_bits();
        if (!matrix || matrix->bits() < needed) {
            // Numbers grow in leaps, so that the matrix is not computed for each n.
            compute_matrix(std::max(needed, matrix ? matrix->bits() / 2 * 3 : kLeastBits));
        }
        for (mpfr_prec_t bits = matrix->bits();;) {
            StepFunction step = interlaced(curve.back().step, matrix->rows(), matrix->cols(), bits);
            if (const auto value = equioscillate(*matrix, step)) {
                curve.push_back({std::move(step), value});
                failures = 0;
                return;
            }
            bits *= 2;
            if (bits > std::min(4 * needed, kMostBits) || work_seconds() > deadline) break;
            compute_matrix(bits);
        }
        // Something to start from for n + 1.
        curve.push_back(
            {interlaced(curve.back().step, matrix->rows(), matrix->cols(), matrix->bits()), std::nullopt});
        ++failures;
    }

    double last_log2() const {
        for (auto point = curve.rbegin(); point != curve.rend(); ++point) {
            if (point->log2_value) return *point->log2_value;
        }
        return 0;
    }

    /// Twice as many as v_n has zeros in front, if it falls a little more than twice as far as its
    /// predecessors.
    mpfr_prec_t needed_bits() const {
        const double last = last_log2();
        double before = 0;
        if (curve.size() > 1) before = curve[curve.size() - 2].log2_value.value_or(last);
        const double expected = last - 2 * std::max(0., before - last) - 16;
        return std::clamp(static_cast<mpfr_prec_t>(64 - 2 * expected) / 64 * 64 + 64, kLeastBits, kMostBits);
    }
};

OneDimensionalSearch::OneDimensionalSearch(const ExactMatrix& query, const ExactMatrix& key,
                                           const Rational& slope, std::uint64_t sqrt_of)
    : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.query = query;
    s.key = key;
    s.slope = slope;
    s.sqrt_of = sqrt_of;
    s.rows = classify(query, slope < 0);
    s.cols = classify(key, false);
    if (slope == 0) {
        for (std::size_t i = 1; i < s.rows.size(); ++i) {
            s.rows.front().insert(s.rows.front().end(), s.rows[i].begin(), s.rows[i].end());
        }
        s.rows.resize(1);
    }
}
OneDimensionalSearch::~OneDimensionalSearch() = default;
OneDimensionalSearch::OneDimensionalSearch(OneDimensionalSearch&&) noexcept = default;
OneDimensionalSearch& OneDimensionalSearch::operator=(OneDimensionalSearch&&) noexcept = default;

void OneDimensionalSearch::follow(const Rational& epsilon, double seconds) {
    State& s = *state_;
    if (!s.fits() || !(epsilon > 0)) return;
    const double deadline = work_seconds() + seconds;
    const double goal = search::estimate_log2(epsilon);
    if (s.curve.empty()) {
        StepFunction constant(0, 64);
        s.curve.push_back({std::move(constant), 0.});
    }
    while (static_cast<Index>(s.curve.size()) < s.full_rank() && s.last_log2() > goal &&
           s.failures < kMostFailures && work_seconds() <= deadline) {
        s.find_next(deadline);
    }
}

Index OneDimensionalSearch::full_rank() const { return state_->full_rank(); }

std::optional<double> OneDimensionalSearch::estimate_log2_value(Index n) const {
    if (n >= state_->full_rank()) return -std::numeric_limits<double>::infinity();
    if (n >= static_cast<Index>(state_->curve.size())) return std::nullopt;
    return state_->curve[static_cast<std::size_t>(n)].log2_value;
}

std::optional<Index> OneDimensionalSearch::estimate_rank(const Rational& epsilon) const {
    const double goal = search::estimate_log2(epsilon);
    for (Index n = 0; n <= full_rank(); ++n) {
        const auto value = estimate_log2_value(n);
        if (!value) return std::nullopt;
        if (*value <= goal) return n;
    }
    return std::nullopt;
}

std::optional<FixedSpaceWitness> OneDimensionalSearch::propose_lower(const ExactMatrix& centre,
                                                                     const Rational& tolerance, Index above) {
    const State& s = *state_;
    const double goal = search::estimate_log2(tolerance);
    for (auto n = static_cast<Index>(s.curve.size()) - 1; n >= above && n >= 0; --n) {
        const State::Point& point = s.curve[static_cast<std::size_t>(n)];
        if (!point.log2_value || !(*point.log2_value > goal)) continue;
        return interval_space(centre, s.rows, s.cols, point.step, *point.log2_value, goal);
    }
    return std::nullopt;
}

std::optional<FactorWitness> OneDimensionalSearch::propose_upper(const ExactMatrix& centre,
                                                                 const Rational& tolerance, Index below) {
    const State& s = *state_;
    if (!(tolerance > 0)) return std::nullopt;
    const double goal = search::estimate_log2(tolerance);
    const auto known = static_cast<Index>(s.curve.size());
    for (Index n = 1; n < std::min(below, known); ++n) {
        const State::Point& point = s.curve[static_cast<std::size_t>(n)];
        if (!point.log2_value || !(*point.log2_value < goal)) continue;
        return interpolation(centre, s.rows, s.cols, point.step, *point.log2_value, goal);
    }
    const auto columns = static_cast<Index>(s.cols.size());
    if (columns < below) return distinct_columns(centre, s.cols);
    return std::nullopt;
}

}  // namespace rankcert::search
