#include "rigor/trusted.hpp"
//
#include <algorithm>

#include "audit/factor_targets.hpp"
#include "audit/residual.hpp"
#include "rankcert/audit/factors.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::audit {
namespace {

constexpr double kGap = 1.005;
constexpr unsigned kFirstBits = 128;
constexpr std::size_t kBlock = 64;  // rows that are computed exactly at a time

enum class RowStatus { measured, undefined, undefined_target, open };

class FactorAuditor {
  public:
    FactorAuditor(Target& target, const Approximation& b, const FactorOptions& options)
        : target_(target), b_(b), options_(options) {
        if (target.rows() != b_.rows() || target.cols() != b_.cols())
            throw Error("A is " + std::to_string(target.rows()) + "×" + std::to_string(target.cols()) +
                        " and its approximation " + std::to_string(b_.rows()) + "×" +
                        std::to_string(b_.cols()) + ": the shapes must agree");
        const auto rows = as_size(b_.rows());
        status_.assign(rows, RowStatus::open);
        precise_.assign(rows, 0);
        distances_.resize(rows);
    }

    FactorAudit run() {
        for (Index i = 0; i < b_.rows(); ++i) measure(i);
        for (unsigned bits = kFirstBits; bits <= options_.most_bits; bits *= 2) {
            const std::vector<Index> poor = poor_rows();
            if (poor.empty()) break;
            for (std::size_t k = 0; k < poor.size(); k += kBlock) {
                const auto end =
                    poor.begin() + static_cast<std::ptrdiff_t>(std::min(k + kBlock, poor.size()));
                try {
                    measure_precisely({poor.begin() + static_cast<std::ptrdiff_t>(k), end}, bits);
                } catch (const TooMuchWork&) {  // what float64 said of these rows stands
                }
            }
            if (target_.is_exact()) break;
        }
        return summary();
    }

  private:
    void measure(Index i) {
        if (target_.enclose(i, exact_) == RowState::undefined) {
            status_[as_size(i)] = RowStatus::undefined_target;
            return;
        }
        const std::optional<RowState> state = b_.enclose(i, claimed_);
        if (!state) return;
        if (*state == RowState::undefined) {
            status_[as_size(i)] = RowStatus::undefined;
            return;
        }
        status_[as_size(i)] = RowStatus::measured;
        Interval l1(0, 0), squares(0, 0);
        double low = 0, high = 0;
        RowDistance& row = distances_[as_size(i)];
        for (std::size_t j = 0; j < exact_.size(); ++j) {
            const Interval error = abs(exact_[j] - claimed_[j]);
            l1 = l1 + error;
            squares = squares + sqr(error);
            if (row.column < 0 || error.lower() > low) row.column = static_cast<Index>(j);
            low = std::max(low, error.lower());
            high = std::max(high, error.upper());
        }
        row.l1 = MpInterval::hull_of(l1.lower(), l1.upper(), 64);
        row.squares = MpInterval::hull_of(squares.lower(), squares.upper(), 64);
        row.max_abs = MpInterval::hull_of(low, high, 64);
    }

    void measure_precisely(std::vector<Index> rows, unsigned bits) {
        ExactRows b = b_.exact(rows);
        std::vector<Index> kept, places;
        for (Index k = 0; k < b.denominator.rows(); ++k) {
            const Index i = rows[as_size(k)];
            precise_[as_size(i)] = 1;
            if (b.denominator.mantissa(k, 0) <= 0) {
                status_[as_size(i)] = RowStatus::undefined;
                continue;
            }
            status_[as_size(i)] = RowStatus::measured;
            kept.push_back(i);
            places.push_back(k);
        }
        if (kept.size() != rows.size()) {
            b.numerator = b.numerator.select_rows(places);
            b.denominator = b.denominator.select_rows(places);
        }
        if (kept.empty()) return;
        std::vector<RowDistance> distances = target_.distances(kept, b, bits);
        for (std::size_t k = 0; k < kept.size(); ++k) distances_[as_size(kept[k])] = std::move(distances[k]);
    }

    [[nodiscard]] Answer row_answer(const RowDistance& row) const {
        if (!options_.epsilon) return Answer::proved;
        if (row.exact_l1) return *row.exact_l1 <= *options_.epsilon ? Answer::proved : Answer::refuted;
        return decide_at_most(row.l1, *options_.epsilon);
    }

    /// Rows that are undecided, or that leave a norm over all rows less certain than 1 %.
    [[nodiscard]] std::vector<Index> poor_rows() const {
        double l1 = 0, largest = 0, squares = 0, count = 0;
        for (std::size_t r = 0; r < status_.size(); ++r) {
            if (status_[r] != RowStatus::measured) continue;
            l1 = std::max(l1, distances_[r].l1.lower_double());
            largest = std::max(largest, distances_[r].max_abs.lower_double());
            squares += distances_[r].squares.lower_double();
            ++count;
        }
        const auto is_wide = [](const MpInterval& x, double best) {
            return !x.is_point() && x.upper_double() > kGap * best &&
                   x.upper_double() > kGap * x.lower_double();
        };
        std::vector<Index> poor;
        for (std::size_t r = 0; r < status_.size(); ++r) {
            if (status_[r] == RowStatus::open) poor.push_back(static_cast<Index>(r));
            if (status_[r] != RowStatus::measured) continue;
            const RowDistance& row = distances_[r];
            if (row.exact_l1) continue;
            const double doubt = row.squares.upper_double() - row.squares.lower_double();
            if (row_answer(row) == Answer::undecided || is_wide(row.l1, l1) ||
                is_wide(row.max_abs, largest) || !(doubt * count <= .01 * squares))
                poor.push_back(static_cast<Index>(r));
        }
        return poor;
    }

    /// The largest of exact values, where no enclosure of another one reaches above it.
    template <class Enclosure, class Exact>
    [[nodiscard]] std::optional<Rational> exact_largest(const Enclosure& enclosure,
                                                        const Exact& exact) const {
        std::optional<Rational> largest;
        for (std::size_t r = 0; r < status_.size(); ++r) {
            const auto& value = exact(distances_[r]);
            if (status_[r] == RowStatus::measured && value && (!largest || *value > *largest))
                largest = value;
        }
        if (!largest) return largest;
        for (std::size_t r = 0; r < status_.size(); ++r) {
            if (status_[r] == RowStatus::open) return std::nullopt;
            if (status_[r] == RowStatus::measured && !exact(distances_[r]) &&
                !certainly_less_equal(enclosure(distances_[r]), *largest))
                return std::nullopt;
        }
        return largest;
    }

    [[nodiscard]] FactorAudit summary() const {
        FactorAudit audit;
        ErrorNorms& error = audit.error;
        MpInterval squares(64);
        bool is_undecided = false;
        for (std::size_t r = 0; r < status_.size(); ++r) {
            const auto i = static_cast<Index>(r);
            audit.precise_rows += precise_[r];
            if (status_[r] == RowStatus::undefined) audit.undefined_rows.push_back(i);
            if (status_[r] == RowStatus::undefined_target) audit.undefined_target_rows.push_back(i);
            if (status_[r] == RowStatus::open) audit.open_rows.push_back(i);
            if (status_[r] != RowStatus::measured) continue;
            const RowDistance& row = distances_[r];
            if (error.row < 0 || mpfr_greater_p(row.l1.lower_mpfr(), error.norm.lower_mpfr()) != 0)
                error.row = i;
            if (error.place.row < 0 ||
                mpfr_greater_p(row.max_abs.lower_mpfr(), error.max_abs.lower_mpfr()) != 0)
                error.place = {i, row.column};
            max_into(error.norm, error.norm, row.l1);
            max_into(error.max_abs, error.max_abs, row.max_abs);
            squares = squares + row.squares;
            const Answer answer = row_answer(row);
            is_undecided = is_undecided || answer == Answer::undecided;
            if (answer == Answer::refuted && audit.failing_row < 0) audit.failing_row = i;
        }
        if (!audit.open_rows.empty()) {  // they may hold anything
            const MpInterval any = MpInterval::hull_of(0.0, std::numeric_limits<double>::infinity(), 64);
            for (MpInterval* norm : {&error.norm, &error.max_abs, &squares}) *norm = *norm + any;
        }
        sqrt_into(error.frobenius, squares);
        error.exact_norm = exact_largest([](const RowDistance& row) -> const MpInterval& { return row.l1; },
                                         [](const RowDistance& row) -> const auto& { return row.exact_l1; });
        error.exact_max_abs =
            exact_largest([](const RowDistance& row) -> const MpInterval& { return row.max_abs; },
                          [](const RowDistance& row) -> const auto& { return row.exact_max_abs; });
        if (error.exact_norm) error.norm.set(*error.exact_norm);
        if (error.exact_max_abs) error.max_abs.set(*error.exact_max_abs);
        const bool is_undefined = !audit.undefined_rows.empty() || !audit.undefined_target_rows.empty();
        audit.answer = audit.failing_row >= 0                     ? Answer::refuted
                       : is_undefined                             ? Answer::undefined
                       : is_undecided || !audit.open_rows.empty() ? Answer::undecided
                                                                  : Answer::proved;
        return audit;
    }

    Target& target_;
    FactorRows b_;
    const FactorOptions& options_;
    std::vector<Interval> exact_, claimed_;
    std::vector<RowStatus> status_;
    std::vector<char> precise_;
    std::vector<RowDistance> distances_;
};

FactorAudit run(Target& target, const Approximation& b, const FactorOptions& options) {
    validate(b);
    return FactorAuditor(target, b, options).run();
}

}  // namespace

FactorAudit audit_approximation(const Eigen::Ref<const Eigen::MatrixXd>& a, const Approximation& b,
                                const FactorOptions& options) {
    const FloatingPointGuard guard;
    return run(*make_target(a), b, options);
}

FactorAudit audit_approximation(const AttentionHead& a, const Approximation& b,
                                const FactorOptions& options) {
    const FloatingPointGuard guard;
    return run(*make_target(a), b, options);
}

}  // namespace rankcert::audit
