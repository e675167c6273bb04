#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <cmath>

#include "audit/exact_meter.hpp"
#include "audit/exact_solve.hpp"
#include "audit/refine_solution.hpp"
#include "audit/residual.hpp"
#include "rankcert/audit/solve.hpp"
#include "rankcert/linalg/inverse.hpp"
#include "rankcert/linalg/product.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::audit {
namespace {

using MatrixRef = Eigen::Ref<const Eigen::MatrixXd>;

constexpr unsigned kBits = 512;
constexpr int kMostSteps = 12;
/// Up to here, what an exact 0 or a tie may leave open at any precision is pursued.
constexpr int kMostStepsForRoundings = 6;

std::string shape_of(const MatrixRef& a) { return std::to_string(a.rows()) + "×" + std::to_string(a.cols()); }

bool is_audited(ClaimKind kind) {
    switch (kind) {
        case ClaimKind::finite:
        case ClaimKind::max_abs:
        case ClaimKind::row_l1:
        case ClaimKind::relative:
        case ClaimKind::ulps:
        case ClaimKind::close:
        case ClaimKind::correctly_rounded:
        case ClaimKind::faithful:
        case ClaimKind::frobenius:
            return true;
        default:
            return false;
    }
}

class SolveAuditor {
  public:
    SolveAuditor(const MatrixRef& g, const MatrixRef& b, const MatrixRef& claimed,
                 const SolveOptions& options)
        : g_(g), b_(b), claimed_(claimed), options_(options), format_(limits_of(options.format)) {
        require_finite_entries(g, "G");
        require_finite_entries(b, "B");
        if (g.rows() != g.cols() || b.rows() != g.rows())
            throw Error("equations G X = B need a square G and as many rows of B, not " + shape_of(g) +
                        " and " + shape_of(b));
        if (claimed.rows() != g.cols() || claimed.cols() != b.cols())
            throw Error("the claimed solution is " + shape_of(claimed) + " but must be " +
                        std::to_string(g.cols()) + "×" + std::to_string(b.cols()));
        for (Index j = 0; j < claimed.cols(); ++j) {
            for (Index i = 0; i < claimed.rows(); ++i) {
                if (!std::isfinite(claimed(i, j)) || is_of_format(claimed(i, j), format_)) continue;
                throw Error("entry (" + std::to_string(i) + ", " + std::to_string(j) +
                            ") of the claim is not a " + to_string(options.format) +
                            " number: name the format that the solution has");
            }
        }
        claims_.push_back({ClaimKind::finite, 0, 0});
        claims_.insert(claims_.end(), options.claims.begin(), options.claims.end());
        for (const Claim& claim : claims_) {
            if (!is_audited(claim.kind))
                throw Error(std::string("the claim \"") + to_string(claim.kind) +
                            "\" is not one of a solution");
        }
    }

    SolveAudit run() {
        enclose_residual();
        if (!solve_fast()) find_rank();
        if (audit_.solvability == Solvability::unique && (rows_.empty() || is_open())) solve_in_fractions();
        return summary();
    }

  private:
    [[nodiscard]] ExactMatrix exact_g() const { return ExactMatrix::from_double(g_); }
    [[nodiscard]] ExactMatrix exact_b() const { return ExactMatrix::from_double(b_); }

    void enclose_residual() {
        if (claimed_.size() != 0 && !claimed_.allFinite()) return;
        audit_.residual =
            measure([&] { return enclose_product(g_, claimed_) - point_matrix(b_); },
                    [&] { return exact_g() * ExactMatrix::from_double(claimed_) - exact_b(); }, {});
    }

    /// False where float64 does not prove that G is regular.
    bool solve_fast() {
        const std::optional<InverseEnclosure> inverse = enclose_inverse(g_);
        if (!inverse) return false;
        audit_.solvability = Solvability::unique;
        audit_.rank_lower = audit_.rank_upper = g_.rows();
        if (claimed_.size() == 0) {
            measure_exact([](Index, Index) { return Rational(0); });
            return true;
        }
        try {
            const Eigen::MatrixXd start =
                claimed_.unaryExpr([](double x) { return std::isfinite(x) ? x : 0.0; });
            RefinedSolution x(exact_g(), exact_b(), inverse->inverse, ExactMatrix::from_double(start));
            double known = std::numeric_limits<double>::infinity();
            for (int step = 0; step < kMostSteps; ++step) {
                RefinedSolution next = x;
                next.step();
                if (!next.is_exact() && step > 0 && !(next.estimate_log2_radius() <= known - 1)) break;
                x = std::move(next);
                known = x.estimate_log2_radius();
                if (x.is_exact()) {
                    measure_exact([&](Index i, Index c) { return x.exact_value(i, c); });
                    break;
                }
                measure_enclosed(x);
                if (!is_open(step < kMostStepsForRoundings)) break;
            }
        } catch (const TooMuchWork&) {  // what was measured stands
        }
        return true;
    }

    void find_rank() {
        const RankBounds rank = enclose_rank(exact_g(), std::max(options_.most_work, kMostRankWork));
        audit_.rank_lower = rank.lower;
        audit_.rank_upper = rank.upper;
        if (rank.lower == g_.rows()) audit_.solvability = Solvability::unique;
        if (rank.upper == g_.rows()) return;
        Eigen::MatrixXd both(g_.rows(), g_.cols() + b_.cols());
        both << g_, b_;
        const RankBounds extended = enclose_rank(ExactMatrix::from_double(both));
        if (extended.lower > rank.upper) audit_.solvability = Solvability::none;
        if (extended.upper == rank.lower) audit_.solvability = Solvability::many;
    }

    void solve_in_fractions() {
        try {
            const auto exact = solve_exactly(exact_g(), exact_b(), options_.most_work);
            if (!exact) return;
            audit_.is_exact = true;
            measure_exact([&](Index i, Index c) { return (*exact)[as_size(i * b_.cols() + c)]; });
        } catch (const TooMuchWork&) {
        }
    }

    template <class Value>
    void measure_exact(const Value& value) {
        rows_.clear();
        audit_.solution.assign(as_size(claimed_.size()), MpInterval(64));
        squares_ = 0;
        RowMeter<Fractions> meter({}, format_, claims_);
        for (Index c = 0; c < claimed_.cols(); ++c) {
            meter.start();
            for (Index i = 0; i < claimed_.rows(); ++i) {
                const Rational t = value(i, c);
                audit_.solution[as_size(i * claimed_.cols() + c)].set(t);
                meter.add(i, t, t == 0, claimed_(i, c), nullptr);
                if (!std::isfinite(claimed_(i, c))) continue;
                const Rational error = t - to_rational(claimed_(i, c));
                *squares_ += error * error;
            }
            rows_.push_back(meter.finish());
        }
    }

    void measure_enclosed(const RefinedSolution& x) {
        rows_.clear();
        audit_.solution.clear();
        RowMeter<WideMpfr> meter({{kBits}}, format_, claims_);
        for (Index c = 0; c < claimed_.cols(); ++c) {
            meter.start();
            for (Index i = 0; i < claimed_.rows(); ++i)
                meter.add(i, x.value(i, c, kBits), false, claimed_(i, c), nullptr);
            rows_.push_back(meter.finish());
        }
        for (Index i = 0; i < claimed_.rows(); ++i)
            for (Index c = 0; c < claimed_.cols(); ++c)
                audit_.solution.push_back(x.value(i, c, kBits).with_precision(64));
    }

    [[nodiscard]] Answer decide_frobenius(const Rational& bound) const {
        if (audit_.not_finite != 0) return Answer::refuted;
        if (squares_) return bound >= 0 && *squares_ <= bound * bound ? Answer::proved : Answer::refuted;
        return decide_at_most(audit_.frobenius, bound);
    }

    [[nodiscard]] bool is_open(bool roundings = true) const {
        if (squares_) return false;
        const auto wide = [](const Extreme& extreme) {
            return !extreme.infinite && !is_narrow(extreme.value);
        };
        MpInterval squares(64);
        bool is_finite = true;
        for (const RowErrors& row : rows_) {
            for (const ClaimCount& count : row.claims) {
                if (count.open != 0) return true;
            }
            if (wide(row.max_abs) || wide(row.l1)) return true;
            if (roundings && (row.rounding_open() || wide(row.relative) || wide(row.ulps))) return true;
            squares = squares + row.squares;
            is_finite = is_finite && row.not_finite == 0;
        }
        for (const Claim& claim : claims_) {
            if (claim.kind == ClaimKind::frobenius && is_finite &&
                decide_at_most(sqrt(squares), claim.first) == Answer::undecided)
                return true;
        }
        return false;
    }

    static void include(LargestError& largest, const Extreme& extreme, Index c) {
        const Place place{extreme.column, c};
        if (extreme.infinite) {
            if (!largest.infinite) largest.place = place;
            largest.infinite = true;
        }
        if (!largest.infinite && (largest.place.row < 0 || mpfr_greater_p(extreme.value.lower_mpfr(),
                                                                          largest.value.lower_mpfr()) != 0))
            largest.place = place;
        largest.value = max(largest.value, extreme.value);
    }

    SolveAudit summary() {
        for (const Claim& claim : claims_) {
            audit_.claims.emplace_back();
            audit_.claims.back().claim = claim;
        }
        MpInterval squares(64);
        const bool measured =
            audit_.solvability == Solvability::unique && rows_.size() == as_size(claimed_.cols());
        for (std::size_t c = 0; c < rows_.size() && measured; ++c) {
            const RowErrors& row = rows_[c];
            const auto column = static_cast<Index>(c);
            include(audit_.max_abs, row.max_abs, column);
            include(audit_.l1, row.l1, column);
            include(audit_.relative, row.relative, column);
            include(audit_.ulps, row.ulps, column);
            squares = squares + row.squares;
            audit_.correctly_rounded += row.correct;
            audit_.not_correctly_rounded += row.not_correct;
            audit_.faithful += row.faithful;
            audit_.not_faithful += row.not_faithful;
            audit_.not_finite += row.not_finite;
            for (std::size_t k = 0; k < claims_.size(); ++k) {
                ClaimResult& result = audit_.claims[k];
                result.holds += row.claims[k].holds;
                result.fails += row.claims[k].fails;
                result.open += row.claims[k].open;
                if (row.claims[k].fails != 0 && !result.failure)
                    result.failure = Place{row.claims[k].first_failure, column};
            }
        }
        sqrt_into(audit_.frobenius, squares);
        if (!measured) {
            const MpInterval any = MpInterval::hull_of(0.0, std::numeric_limits<double>::infinity(), 64);
            for (LargestError* error : {&audit_.max_abs, &audit_.l1, &audit_.relative, &audit_.ulps})
                error->value = any;
            audit_.frobenius = any;
            audit_.solution.clear();
        }
        for (ClaimResult& result : audit_.claims) decide(result, measured);
        return std::move(audit_);
    }

    void decide(ClaimResult& result, bool measured) const {
        if (result.claim.kind == ClaimKind::finite && !measured) {
            result.fails = static_cast<std::uint64_t>(
                claimed_.unaryExpr([](double x) { return std::isfinite(x) ? 0.0 : 1.0; }).sum());
            result.holds = static_cast<std::uint64_t>(claimed_.size()) - result.fails;
        } else if (!measured) {
            result.open = 1;
        } else if (result.claim.kind == ClaimKind::frobenius) {
            const Answer answer = decide_frobenius(result.claim.first);
            result.holds = answer == Answer::proved ? 1 : 0;
            result.fails = answer == Answer::refuted ? 1 : 0;
            result.open = answer == Answer::undecided ? 1 : 0;
        }
        result.answer = result.fails != 0  ? Answer::refuted
                        : result.open != 0 ? Answer::undecided
                                           : Answer::proved;
        if (result.claim.kind == ClaimKind::finite || result.answer == Answer::refuted) return;
        if (audit_.solvability == Solvability::none) result.answer = Answer::refuted;
        if (audit_.solvability == Solvability::many) result.answer = Answer::undefined;
    }

    const MatrixRef& g_;
    const MatrixRef& b_;
    const MatrixRef& claimed_;
    const SolveOptions& options_;
    FormatLimits format_;
    std::vector<Claim> claims_;
    SolveAudit audit_;
    std::vector<RowErrors> rows_;      ///< one a right-hand side
    std::optional<Rational> squares_;  ///< Σ |x − t|² of the finite ones, where t is known exactly
};

}  // namespace

const char* to_string(Solvability solvability) noexcept {
    switch (solvability) {
        case Solvability::unique:
            return "unique";
        case Solvability::none:
            return "no solution";
        case Solvability::many:
            return "not unique";
        case Solvability::unknown:
            break;
    }
    return "unknown";
}

Answer SolveAudit::answer() const {
    Answer all = Answer::proved;
    if (solvability == Solvability::none) all = Answer::refuted;
    if (solvability == Solvability::many) all = Answer::undefined;
    if (solvability == Solvability::unknown) all = Answer::undecided;
    for (const ClaimResult& result : claims) all = both(all, result.answer);
    return all;
}

SolveAudit audit_solution(const MatrixRef& g, const MatrixRef& b, const MatrixRef& claimed,
                          const SolveOptions& options) {
    const FloatingPointGuard guard;
    return SolveAuditor(g, b, claimed, options).run();
}

InverseAudit audit_inverse(const MatrixRef& g, const MatrixRef& claimed, const SolveOptions& options) {
    const FloatingPointGuard guard;
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(g.rows(), g.rows());
    InverseAudit audit;
    audit.entries = audit_solution(g, identity, claimed, options);
    if (claimed.size() == 0 || claimed.allFinite())
        audit.left = measure([&] { return enclose_product(claimed, g) - point_matrix(identity); },
                             [&] {
                                 return ExactMatrix::from_double(claimed) * ExactMatrix::from_double(g) -
                                        ExactMatrix::identity(g.rows());
                             },
                             {});
    return audit;
}

}  // namespace rankcert::audit
