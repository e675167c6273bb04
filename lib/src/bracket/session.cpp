#include "session.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "exact_singular.hpp"
#include "power_scale.hpp"
#include "rankcert/search/work.hpp"

namespace rankcert::detail {

namespace {

constexpr Index kExactDefault = 512;       ///< up to here the final word is the exact checker's
constexpr Index kExactRankLimit = 64;      ///< exact_rank grows like n⁴
constexpr Index kTinyMatrix = 12;          ///< rational inverses, and high precision at every ε
constexpr unsigned kGuardBits = 64;        ///< that a search in high precision has beyond its matrix
constexpr double kFloatSearchLimit = -40;  ///< log₂ of the least tolerance for optimisation in float64
constexpr double kEarlyCycles = .1;        ///< share of the budget for row cycles before the linear witnesses
constexpr double kLateCycles = .25;        ///< and after them
constexpr Index kKeepAll = Index{1} << 20;           ///< entries of a matrix of which all witnesses are kept
constexpr Index kLargestRowCycles = Index{1} << 22;  ///< entries of a matrix in which row cycles are sought

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

/// Whether |2^x − 2^y| ≤ 2^distance, by estimate.
bool within(double x, double y, double distance) {
    const double top = std::max(x, y);
    if (top == kLogZero) return true;
    return std::abs(std::exp2(x - top) - std::exp2(y - top)) <= std::exp2(distance - top) + 1e-12;
}

search::Options search_options(const BracketOptions& options) {
    search::Options out;
    out.seed = options.seed;
    out.seconds = options.seconds;
    return out;
}

}  // namespace

Session::Session(std::optional<Head> head, ExactMatrix matrix, const BracketOptions& options)
    : head_(std::move(head)),
      matrix_(std::move(matrix)),
      options_(options),
      first_precision_(options.precision) {
    const Index rows = head_ ? head_->queries() : matrix_.rows();
    const Index cols = head_ ? head_->keys() : matrix_.cols();
    const bool small = rows <= kExactDefault && cols <= kExactDefault;
    final_level_ = options.final_level.value_or(small ? Level::exact : Level::fast);
    const ExactMatrix& centre = base().subject().centre;
    shift_ = normalising_shift(centre);
    const Eigen::MatrixXd values = scaled(centre, shift_).estimate_double();
    lower_search_.emplace(values, search_options(options));
    upper_search_.emplace(values, search_options(options));
}

/// The grid 2^−precision. A matrix that is given exactly is its own centre on every grid.
Grid& Session::grid(unsigned precision) {
    if (!head_) precision = first_precision_;
    if (const auto found = grids_.find(precision); found != grids_.end()) return found->second;
    Subject subject{head_, head_ ? enclose_softmax(*head_, precision).centre : matrix_};
    return grids_.try_emplace(precision, std::move(subject), precision, final_level_).first->second;
}

Standing Session::standing(const Rational& epsilon) {
    Standing out = base().standing(epsilon);
    for (auto& [precision, grid] : grids_) {
        if (precision == first_precision_) continue;
        const Standing other = grid.standing(epsilon);
        out.lower = std::max(out.lower, other.lower);
        out.upper = std::min(out.upper, other.upper);
    }
    return out;
}

bool Session::closed(const Rational& epsilon) {
    const Standing at = standing(epsilon);
    return at.lower >= at.upper;
}

double Session::lower_tolerance(const Rational& epsilon) {
    const double exact =
        std::exp2(search::estimate_log2(Rational(epsilon + base().rho())) + static_cast<double>(shift_));
    return exact * (1 + 1e-12);
}

double Session::upper_tolerance(const Rational& epsilon) {
    const Rational tolerance = epsilon - base().rho();
    if (!(tolerance > 0)) return tolerance == 0 ? 0 : -1;
    return std::exp2(search::estimate_log2(tolerance) + static_cast<double>(shift_)) * (1 - 1e-12);
}

void Session::apply_rules(const Rational& epsilon) {
    Grid& grid = base();
    const Index rows = grid.subject().rows(), cols = grid.subject().cols();
    const Index shape = std::min(rows, cols);
    if (grid.upper_count() == 0) {
        grid.offer(UpperRule::shape, epsilon, shape + 1);
        grid.offer(UpperRule::distinct_rows, epsilon, shape);
        if (!head_ && std::max(rows, cols) <= kExactRankLimit) {
            // Most matrices have full rank, which the shape says already.
            const Index rank = exact_rank(grid.subject().centre);
            if (rank < standing(epsilon).upper) grid.offer(UpperRule::exact_rank, epsilon, rank + 1);
        }
    }
    const Standing at = standing(epsilon);
    if (at.upper > 0) grid.offer(UpperRule::zero, epsilon, 1);
    if (at.lower < 1) grid.offer(LowerRule::nonzero, epsilon, 0);
    if (epsilon == 0) {
        if (head_ && head_->mask.kind == MaskKind::causal) grid.offer(LowerRule::support, epsilon, at.lower);
        if (!head_ && std::max(rows, cols) <= kExactRankLimit) {
            grid.offer(LowerRule::exact_rank, epsilon, standing(epsilon).lower);
        }
    }
}

void Session::search_quick(const Rational& epsilon) {
    Grid& grid = base();
    for (LowerWitness& witness : lower_search_->propose_quick(lower_tolerance(epsilon))) {
        const Standing at = standing(epsilon);
        if (at.lower >= at.upper) return;
        if (search::proposed_rank(witness) <= at.lower) continue;
        grid.offer(unscaled(std::move(witness), shift_), epsilon, at.lower);
    }
    const double tolerance = upper_tolerance(epsilon);
    if (!(tolerance >= 0)) return;
    for (UpperWitness& witness : upper_search_->propose_quick(tolerance)) {
        const Standing at = standing(epsilon);
        if (at.lower >= at.upper) return;
        grid.offer(unscaled(std::move(witness), shift_), epsilon, at.upper);
    }
}

void Session::search_optimised(const Rational& epsilon, double seconds,
                               const std::function<void(std::string_view)>& report) {
    const double size = search::estimate_log2(Rational(epsilon + base().rho())) + static_cast<double>(shift_);
    if (size <= kFloatSearchLimit) return;
    const double start = search::work_seconds();
    const auto telling = [&report](std::string_view stage) {
        return [&report, stage] {
            report(stage);
            return false;
        };
    };
    // Turn by turn: each side narrows the range in which the other looks. The first two turns only do that.
    const double shares[] = {0, 0, .2, .4, .6, .8, .9, 1};
    bool upper_turn = true;
    for (const double share : shares) {
        const Standing at = standing(epsilon);
        const double left = start + share * seconds - search::work_seconds();
        const bool upper = std::exchange(upper_turn, !upper_turn);
        if (at.lower >= at.upper) return;
        if (share > 0 && !(left > 0)) continue;
        if (!upper) {
            auto witness = lower_search_->propose_optimised(lower_tolerance(epsilon), at.lower, at.upper,
                                                            left, telling("lower witness"));
            if (witness) base().offer(unscaled(std::move(*witness), shift_), epsilon, at.lower);
            forget_superseded();
            continue;
        }
        const double tolerance = upper_tolerance(epsilon);
        if (!(tolerance > 0)) continue;
        auto witness =
            upper_search_->propose_optimised(tolerance, at.lower, at.upper, left, telling("upper witness"));
        if (witness) base().offer(unscaled(UpperWitness(std::move(*witness)), shift_), epsilon, at.upper);
        forget_superseded();
    }
}

void Session::forget_superseded() {
    const Subject& subject = base().subject();
    if (subject.rows() * subject.cols() > kKeepAll) base().keep_best(epsilons_);
}

bool Session::may_have_row_cycle(const Rational& epsilon) {
    const ExactMatrix& centre = base().subject().centre;
    const double size = search::estimate_log2(Rational(epsilon + base().rho())) + static_cast<double>(shift_);
    const Standing at = standing(epsilon);
    return size > kFloatSearchLimit && centre.rows() * centre.cols() <= kLargestRowCycles &&
           at.lower < at.upper && at.lower < search::kMaxProposedRowCycle;
}

void Session::search_row_cycles(const Rational& epsilon, double seconds,
                                const std::function<void(std::string_view)>& report) {
    // The search counts its work, not time: what it finds depends on what is asked and not on the clock.
    while (seconds > 0 && may_have_row_cycle(epsilon)) {
        const Standing at = standing(epsilon);
        const Index k = std::max<Index>(at.lower + 1, 2);
        if (k > at.upper) return;
        if (!row_cycles_) {
            row_cycles_.emplace(scaled(base().subject().centre, shift_).estimate_double(),
                                search_options(options_));
        }
        const double before = row_cycles_->work();
        auto witness = row_cycles_->propose(lower_tolerance(epsilon), k, seconds, [&report] {
            report("row cycles");
            return false;
        });
        seconds -= row_cycles_->work() - before;
        if (!witness || !base().offer(unscaled(std::move(*witness), shift_), epsilon, at.lower)) return;
    }
}

void Session::search_exact_singular(const Rational& epsilon) {
    const ExactMatrix& a = base().subject().centre;
    if (singular_tried_ || head_ || std::max(a.rows(), a.cols()) > kTinyMatrix) return;
    singular_tried_ = true;
    if (const auto witness = propose_exact_nearest_singular(a)) base().offer(*witness, epsilon, a.rows());
}

/// Float64 sees about 2⁻⁵⁰ of the matrix's size; the searches in it are comfortable well above that. Tiny
/// matrices cost nothing, and thin margins at full rank are what a nearly singular matrix is about.
bool Session::wants_precision(const Rational& epsilon) {
    const ExactMatrix& a = base().subject().centre;
    const double size = search::estimate_log2(Rational(epsilon + base().rho())) + static_cast<double>(shift_);
    if (std::max(a.rows(), a.cols()) <= kTinyMatrix || size < -26) return true;
    const auto curve = lower_search_->reach_curve();
    const auto full = curve.find(std::min(a.rows(), a.cols()));
    if (full == curve.end()) return false;
    return std::abs(full->second / std::exp2(size) - 1) < 1e-6;
}

void Session::search_precise(const Rational& epsilon, double seconds) {
    const double start = search::work_seconds();
    const double deadline = start + seconds;
    unsigned precision = first_precision_;
    const unsigned max_bits = options_.max_precision + kGuardBits;
    unsigned bits = head_ ? precision + kGuardBits
                          : std::clamp(base().subject().centre.bits() + kGuardBits, 2 * kGuardBits,
                                       std::max(max_bits, 2 * kGuardBits));
    for (double before = start;;) {
        Grid& grid = this->grid(precision);
        const unsigned key = head_ ? precision : bits;
        auto found = precise_.find(key);
        if (found == precise_.end()) {
            found = precise_.try_emplace(key, grid.subject().centre, bits, search_options(options_)).first;
        }
        search::HighPrecisionSearch& search = found->second;
        const Rational rho = grid.rho();
        const double log_lower = search::estimate_log2(Rational(epsilon + rho));
        const double log_epsilon = search::estimate_log2(epsilon);
        const double log_rho = search::estimate_log2(rho);
        constexpr double kSlack = 1e-6;  // estimates this near are for the checker to decide

        // Lower. Pivots fall, so that the reach falls with k, nearly: the largest ranks are tried one by one,
        // as all are in a tiny matrix, and the others by bisection.
        Standing at = standing(epsilon);
        const auto in_reach = [&](Index k) { return search.estimate_log2_reach(k) > log_lower - kSlack; };
        Index low = std::min(search.rank(), at.upper);
        for (int tries = 0; tries < kTinyMatrix && low > at.lower && !in_reach(low); ++tries) {
            --low;
            if (tries < 2 || std::max(grid.subject().rows(), grid.subject().cols()) <= kTinyMatrix) continue;
            Index high = low + 1;
            for (low = 0; high - low > 1;) {
                const Index k = low + (high - low) / 2;
                (in_reach(k) ? low : high) = k;
            }
            break;
        }
        for (Index k = low; k > at.lower && k > low - 3; --k) {
            if (grid.offer(search.propose_block(k), epsilon, at.lower)) break;
        }

        // Upper.
        at = standing(epsilon);
        const Rational tolerance = epsilon - rho;
        if (at.lower < at.upper && tolerance >= 0) {
            const double log_upper = search::estimate_log2(tolerance);
            Index k = 0;
            while (k < search.rank() && !(search.estimate_log2_error(k) <= log_upper)) ++k;
            if (k < at.upper && search.estimate_log2_error(k) <= log_upper) {
                grid.offer(search.propose_cross(k, tolerance), epsilon, at.upper);
            }
            const Index n = grid.subject().rows();
            if (standing(epsilon).upper == n && search.rank() == n && grid.subject().cols() == n &&
                search.estimate_log2_reach(n) <= log_upper + kSlack) {
                if (const auto witness = search.propose_nearest_singular()) grid.offer(*witness, epsilon, n);
            }
            at = standing(epsilon);
            if (at.lower < at.upper && at.upper > 1) {
                const double share = std::min(deadline - search::work_seconds(), seconds / 2);
                const auto witness = search.propose_refined(tolerance, at.lower, at.upper, share);
                if (witness) grid.offer(*witness, epsilon, at.upper);
            }
        }

        at = standing(epsilon);
        if (at.lower >= at.upper) return;
        bool finer = false;
        if (head_) {
            // Would a finer grid decide more? On the true matrix the numbers that decide differ by at most ρ,
            // which only shrinks with the grid where the grid makes it.
            const Index next = at.lower + 1, previous = std::min(at.upper - 1, search.rank());
            const auto undecided = [&](double log_value) {
                return within(log_value, log_epsilon, log_rho + 2);
            };
            finer = undecided(next > search.rank() ? kLogZero : search.estimate_log2_reach(next));
            if (epsilon > 0) finer = finer || undecided(search.estimate_log2_error(previous));
            const double grid_rho = std::log2(static_cast<double>(grid.subject().cols())) - precision;
            finer = finer && log_rho < grid_rho + 2;
        } else {
            // Cancellation hides what the bits do not hold: pivots, and an error that is only noise.
            const double log_upper = search::estimate_log2(epsilon);
            finer = search.rank() < at.upper && search.estimate_log2_error(search.rank()) > log_upper;
        }
        if (!finer) return;
        const double took = search::work_seconds() - before;
        before = search::work_seconds();
        if (before + 3 * took > start + std::max(4 * seconds, 20.)) return;
        if (head_) {
            if (precision >= options_.max_precision) return;
            precision = std::min(2 * precision, options_.max_precision);
            bits = precision + kGuardBits;
        } else {
            if (bits >= max_bits) return;
            bits = std::min(2 * bits, max_bits);
        }
    }
}

void Session::prepare(const Rational& epsilon, const std::function<void(std::string_view)>& report) {
    report("rules");
    apply_rules(epsilon);
    if (closed(epsilon)) return;
    report("one dimension");
    search_one_dimensional(epsilon, options_.seconds);
    if (closed(epsilon)) return;
    report("quick searches");
    search_quick(epsilon);
    if (closed(epsilon)) return;
    search_exact_singular(epsilon);
    if (closed(epsilon)) return;
    if (wants_precision(epsilon)) {
        report("high precision");
        search_precise(epsilon, options_.seconds / 2);
    }
}

void Session::search(const std::vector<Rational>& epsilons,
                     const std::function<void(double, std::size_t, std::string_view)>& report) {
    epsilons_ = epsilons;
    // From large ε to small: a lower witness found on the way serves all that follow.
    std::vector<std::size_t> order(epsilons.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto x, auto y) { return epsilons[x] > epsilons[y]; });

    // What one ε leaves of its share goes to those that stay open.
    const double start = search::work_seconds();
    const double budget = options_.seconds * static_cast<double>(epsilons.size());
    const auto share = [&] {
        return std::clamp((search::work_seconds() - start) / std::max(budget, 1e-3), 0.0, 1.0);
    };
    const auto telling = [&](std::size_t i) {
        return [&, i](std::string_view stage) { report(share(), i, stage); };
    };
    for (const std::size_t i : order) {
        prepare(epsilons[i], telling(i));
        forget_superseded();
    }
    const double rounds[] = {.5, 1};
    for (const double part : rounds) {
        for (auto i = order.begin(); i != order.end(); ++i) {
            const auto open =
                std::count_if(i, order.end(), [&](std::size_t j) { return !closed(epsilons[j]); });
            if (closed(epsilons[*i])) continue;
            // In the first round each ε has at least its ranges narrowed.
            const double rest = start + part * budget - search::work_seconds();
            if (!(rest > 0) && part == rounds[1]) continue;
            const double left = std::max(rest, 0.0);
            // Where ranks are small, row cycles reach further than the linear witnesses, and often at once.
            const Rational& epsilon = epsilons[*i];
            const double seconds = left / static_cast<double>(open);
            // In the first round they have their part whatever the ε before have used.
            const double least = part == rounds[0] ? part * options_.seconds : 0;
            search_row_cycles(epsilon, kEarlyCycles * std::max(seconds, least), telling(*i));
            const bool more = may_have_row_cycle(epsilon);
            search_optimised(epsilon, (more ? 1 - kEarlyCycles - kLateCycles : 1) * seconds, telling(*i));
            search_row_cycles(epsilon, kLateCycles * seconds, telling(*i));
        }
    }
}

BracketResult Session::finish(const std::vector<Rational>& epsilons) {
    // One grid serves all: the finest on which something was proved that no coarser one proved.
    unsigned precision = first_precision_;
    for (const Rational& epsilon : epsilons) {
        std::optional<Standing> best;
        for (auto& [candidate, grid] : grids_) {
            const Standing at = grid.standing(epsilon);
            if (best && (at.lower > best->lower || at.upper < best->upper))
                precision = std::max(precision, candidate);
            if (!best) best = at;
            best->lower = std::max(best->lower, at.lower);
            best->upper = std::min(best->upper, at.upper);
        }
    }
    Grid& chosen = grid(precision);
    for (auto& [other, grid] : grids_) {
        if (other == precision || &grid == &chosen) continue;
        for (std::size_t i = 0; i < grid.lower_count(); ++i)
            chosen.add(grid.lower_witness(static_cast<int>(i)));
        for (std::size_t i = 0; i < grid.upper_count(); ++i)
            chosen.add(grid.upper_witness(static_cast<int>(i)));
    }

    BracketResult out;
    out.bundle.subject = chosen.subject();
    out.precision = precision;
    std::map<int, int> lower_place, upper_place;
    for (const Rational& epsilon : epsilons) {
        auto [bracket, at] = chosen.settle(epsilon, options_.top_k);
        Claim claim;
        claim.epsilon = epsilon;
        claim.lower = at.lower;
        claim.upper = at.upper;
        if (at.lower_witness >= 0) {
            const auto [place, added] = lower_place.try_emplace(
                at.lower_witness, static_cast<int>(out.bundle.lower_witnesses.size()));
            if (added) out.bundle.lower_witnesses.push_back(chosen.lower_witness(at.lower_witness));
            claim.lower_witness = place->second;
        }
        const auto [place, added] =
            upper_place.try_emplace(at.upper_witness, static_cast<int>(out.bundle.upper_witnesses.size()));
        if (added) out.bundle.upper_witnesses.push_back(chosen.upper_witness(at.upper_witness));
        claim.upper_witness = place->second;
        if (bracket.top_k) claim.top_k = **bracket.top_k;
        out.bundle.claims.push_back(std::move(claim));
        out.brackets.push_back(std::move(bracket));
    }
    out.rho = chosen.rho();
    return out;
}

}  // namespace rankcert::detail
