#include "equioscillation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rankcert/search/work.hpp"

namespace rankcert::search {

namespace {

constexpr int kMostSteps = 400;     ///< of Newton's method; a few are usual, near-identities take a hundred
constexpr int kMostHalvings = 4;    ///< of a step
constexpr long kResolvedBits = 40;  ///< relative accuracy of the knots' effect and of the equal values
constexpr long kExchangeBits = 32;  ///< rows are exchanged for values larger by this fraction

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Newton's method on one set of rows after the other.
class Equioscillation {
  public:
    Equioscillation(const RealMatrix& a, StepFunction& step)
        : a_(a),
          step_(step),
          n_(step.size()),
          bits_(a.bits()),
          matrix_(n_ + 1, n_ + 1, bits_),
          change_(n_ + 1, 1, bits_),
          value_(bits_),
          other_(bits_),
          low_(bits_),
          high_(bits_) {}

    std::optional<double> run() {
        if (!take_extremes(true)) return std::nullopt;
        for (int count = 0; count < kMostSteps; ++count) {
            if (!newton_direction()) return std::nullopt;
            if (!stays_in_cells()) {
                if (!shortened_step() && !step_to_border()) return std::nullopt;
                continue;
            }
            for (Index l = 0; l < n_; ++l) {
                mpfr_ptr knot = step_.knots.at(0, l);
                mpfr_add(knot, knot, change_.at(l, 0), MPFR_RNDN);
                if (mpfr_cmp_si(knot, step_.cells[at(l)]) < 0)
                    mpfr_set_si(knot, step_.cells[at(l)], MPFR_RNDN);
                if (mpfr_cmp_si(knot, step_.cells[at(l)] + 1) > 0) {
                    mpfr_set_si(knot, step_.cells[at(l)] + 1, MPFR_RNDN);
                }
            }
            const double size = estimate_log2(static_cast<mpfr_srcptr>(change_.at(n_, 0)));
            if (mpfr_sgn(change_.at(n_, 0)) <= 0 || size < 24 - .5 * static_cast<double>(bits_))
                return std::nullopt;
            const std::vector<Index> before = step_.rows;
            if (!take_extremes(false)) return std::nullopt;
            if (step_.rows == before) return size;
        }
        return std::nullopt;
    }

  private:
    /// Solves y_{i_k} + Σ_l dy_{i_k}/dt_l · dt_l = (−1)^k v for dt and v.
    bool newton_direction() {
        const RealMatrix x = cell_means(step_, a_.cols(), bits_);
        for (Index k = 0; k <= n_; ++k) {
            const Index row = step_.rows[at(k)];
            for (Index l = 0; l < n_; ++l) {
                mpfr_mul_si(matrix_.at(k, l), a_.at(row, step_.cells[at(l)]), l % 2 == 0 ? 2 : -2, MPFR_RNDN);
            }
            mpfr_set_si(matrix_.at(k, n_), k % 2 == 0 ? -1 : 1, MPFR_RNDN);
            row_value(change_.at(k, 0), a_, row, x);
            mpfr_neg(change_.at(k, 0), change_.at(k, 0), MPFR_RNDN);
        }
        spread(x, low_.get());
        return solve_in_place(matrix_, change_);
    }

    /// out ← max − min of (−1)^k y over the rows in use: 0 where they equioscillate.
    void spread(const RealMatrix& x, mpfr_ptr out) {
        for (Index k = 0; k <= n_; ++k) {
            row_value(value_.get(), a_, step_.rows[at(k)], x);
            if (k % 2 != 0) mpfr_neg(value_.get(), value_.get(), MPFR_RNDN);
            if (k == 0) {
                mpfr_set(out, value_.get(), MPFR_RNDN);
                mpfr_set(other_.get(), value_.get(), MPFR_RNDN);
            }
            mpfr_min(out, out, value_.get(), MPFR_RNDN);
            mpfr_max(other_.get(), other_.get(), value_.get(), MPFR_RNDN);
        }
        mpfr_sub(out, other_.get(), out, MPFR_RNDN);
    }

    /// Whether the full step leaves every knot in its cell, up to what is not resolved.
    bool stays_in_cells() {
        mpfr_ptr slack = other_.get();
        mpfr_div_2si(slack, change_.at(n_, 0), kResolvedBits, MPFR_RNDN);
        mpfr_abs(slack, slack, MPFR_RNDN);
        for (Index l = 0; l < n_; ++l) {
            mpfr_ptr moved = value_.get();
            mpfr_add(moved, step_.knots.at(0, l), change_.at(l, 0), MPFR_RNDN);
            mpfr_sub_si(moved, moved, step_.cells[at(l)], MPFR_RNDN);
            mpfr_add(high_.get(), moved, slack, MPFR_RNDN);
            if (!(mpfr_sgn(high_.get()) >= 0)) return false;
            mpfr_sub(high_.get(), moved, slack, MPFR_RNDN);
            if (!(mpfr_cmp_ui(high_.get(), 1) <= 0)) return false;
        }
        return true;
    }

    /// The longest of the steps 1, 1/2, … that keeps the knots in different cells and reduces the spread
    /// (low_).
    bool shortened_step() {
        StepFunction trial(n_, bits_);
        trial.rows = step_.rows;
        for (int halvings = 0; halvings < kMostHalvings; ++halvings) {
            bool fits = true;
            Index before = -1;
            for (Index l = 0; l < n_ && fits; ++l) {
                mpfr_ptr knot = trial.knots.at(0, l);
                mpfr_div_2si(knot, change_.at(l, 0), halvings, MPFR_RNDN);
                mpfr_add(knot, knot, step_.knots.at(0, l), MPFR_RNDN);
                fits = mpfr_sgn(knot) >= 0 && mpfr_cmp_si(knot, a_.cols()) <= 0;
                if (!fits) break;
                const Index cell = std::min<Index>(mpfr_get_si(knot, MPFR_RNDD), a_.cols() - 1);
                fits = cell > before;
                trial.cells[at(l)] = before = cell;
            }
            if (!fits) continue;
            spread(cell_means(trial, a_.cols(), bits_), high_.get());
            // By a tenth of what would be right were y linear.
            mpfr_set_d(value_.get(), 1 - .1 * std::ldexp(1., -halvings), MPFR_RNDN);
            mpfr_mul(value_.get(), value_.get(), low_.get(), MPFR_RNDN);
            if (mpfr_cmp(high_.get(), value_.get()) >= 0) continue;
            for (Index l = 0; l < n_; ++l) mpfr_swap(step_.knots.at(0, l), trial.knots.at(0, l));
            step_.cells = trial.cells;
            return true;
        }
        return false;
    }

    /// Goes as far as the first knot that reaches a border, where the spread cannot grow, and takes that knot
    /// into the next cell.
    bool step_to_border() {
        mpfr_ptr part = high_.get();
        mpfr_set_ui(part, 1, MPFR_RNDN);
        Index first = -1;
        for (Index l = 0; l < n_; ++l) {
            const int sign = mpfr_sgn(change_.at(l, 0));
            if (sign == 0) continue;
            mpfr_si_sub(value_.get(), step_.cells[at(l)] + (sign > 0 ? 1 : 0), step_.knots.at(0, l),
                        MPFR_RNDN);
            mpfr_div(value_.get(), value_.get(), change_.at(l, 0), MPFR_RNDN);
            if (mpfr_cmp(value_.get(), part) >= 0) continue;
            mpfr_set(part, value_.get(), MPFR_RNDN);
            first = l;
        }
        if (first < 0) return false;
        for (Index l = 0; l < n_; ++l) {
            mpfr_mul(value_.get(), change_.at(l, 0), part, MPFR_RNDN);
            mpfr_add(step_.knots.at(0, l), step_.knots.at(0, l), value_.get(), MPFR_RNDN);
        }
        const bool right = mpfr_sgn(change_.at(first, 0)) > 0;
        return enter_next(first, right);
    }

    /// The knot at a border of its cell enters the next one. Where another knot is in there, x depends on the
    /// difference of the two alone: both move on together until the other stands on its far border, and that
    /// one enters the cell beyond. x does not change.
    bool enter_next(Index l, bool right) {
        const Index by = right ? 1 : -1;
        mpfr_set_si(step_.knots.at(0, l), step_.cells[at(l)] + (right ? 1 : 0), MPFR_RNDN);
        for (;;) {
            const Index next = step_.cells[at(l)] + by;
            if (next < 0 || next >= a_.cols()) return false;
            step_.cells[at(l)] = next;
            const Index other = l + by;
            if (other < 0 || other >= n_ || step_.cells[at(other)] != next) return true;
            const Index far = next + (right ? 1 : 0);
            mpfr_si_sub(value_.get(), far, step_.knots.at(0, other), MPFR_RNDN);
            mpfr_add(step_.knots.at(0, l), step_.knots.at(0, l), value_.get(), MPFR_RNDN);
            mpfr_set_si(step_.knots.at(0, other), far, MPFR_RNDN);
            l = other;
        }
    }

    /// Takes the rows of the extremes of y where there are n + 1. Rows stay where no other is larger by more
    /// than is resolved. A start may have fewer extremes (y has at most n changes of sign), a solution not.
    bool take_extremes(bool start) {
        const RealMatrix x = cell_means(step_, a_.cols(), bits_);
        RealMatrix y(1, a_.rows(), bits_);
        for (Index i = 0; i < a_.rows(); ++i) row_value(y.at(0, i), a_, i, x);
        const std::vector<Index> rows = extreme_rows(y);
        if (static_cast<Index>(rows.size()) != n_ + 1 || mpfr_sgn(y.at(0, rows.front())) < 0) return start;
        if (start) {
            step_.rows = rows;
            return true;
        }
        Real least(bits_), most(bits_);
        for (Index k = 0; k <= n_; ++k) {
            mpfr_abs(value_.get(), y.at(0, step_.rows[at(k)]), MPFR_RNDN);
            if (k == 0) mpfr_set(least.get(), value_.get(), MPFR_RNDN);
            mpfr_min(least.get(), least.get(), value_.get(), MPFR_RNDN);
            mpfr_abs(value_.get(), y.at(0, rows[at(k)]), MPFR_RNDN);
            mpfr_max(most.get(), most.get(), value_.get(), MPFR_RNDN);
        }
        mpfr_div_2si(value_.get(), least.get(), kExchangeBits, MPFR_RNDN);
        mpfr_add(least.get(), least.get(), value_.get(), MPFR_RNDN);
        if (mpfr_cmp(most.get(), least.get()) > 0) step_.rows = rows;
        return true;
    }

    const RealMatrix& a_;
    StepFunction& step_;
    Index n_;
    mpfr_prec_t bits_;
    RealMatrix matrix_, change_;  ///< change_: dt, then v
    Real value_, other_, low_, high_;
};

}  // namespace

double estimate_log2(mpfr_srcptr value) {
    if (mpfr_zero_p(value)) return -std::numeric_limits<double>::infinity();
    long exponent = 0;
    const double mantissa = mpfr_get_d_2exp(&exponent, value, MPFR_RNDN);
    return std::log2(std::fabs(mantissa)) + static_cast<double>(exponent);
}

void charge_operations(double count, mpfr_prec_t bits) {
    charge_work(count * (6e-8 + 2e-13 * static_cast<double>(bits) * static_cast<double>(bits)));
}

RealMatrix cell_means(const StepFunction& step, Index cols, mpfr_prec_t bits) {
    RealMatrix x(1, cols, bits);
    for (Index j = 0, l = 0; j < cols; ++j) {
        const int sign = l % 2 == 0 ? 1 : -1;
        if (l == step.size() || step.cells[at(l)] != j) {
            mpfr_set_si(x.at(0, j), sign, MPFR_RNDN);
            continue;
        }
        mpfr_sub_si(x.at(0, j), step.knots.at(0, l), j, MPFR_RNDN);  // the share before the knot
        mpfr_mul_2si(x.at(0, j), x.at(0, j), 1, MPFR_RNDN);
        mpfr_sub_si(x.at(0, j), x.at(0, j), 1, MPFR_RNDN);
        if (sign < 0) mpfr_neg(x.at(0, j), x.at(0, j), MPFR_RNDN);
        ++l;
    }
    return x;
}

void row_value(mpfr_ptr out, const RealMatrix& a, Index row, const RealMatrix& x) {
    Real product(mpfr_get_prec(out));
    mpfr_set_zero(out, 1);
    for (Index j = 0; j < a.cols(); ++j) {
        mpfr_srcptr factor = x.at(0, j);
        if (mpfr_cmp_si(factor, 1) == 0) {
            mpfr_add(out, out, a.at(row, j), MPFR_RNDN);
        } else if (mpfr_cmp_si(factor, -1) == 0) {
            mpfr_sub(out, out, a.at(row, j), MPFR_RNDN);
        } else {
            mpfr_mul(product.get(), a.at(row, j), factor, MPFR_RNDN);
            mpfr_add(out, out, product.get(), MPFR_RNDN);
        }
    }
    charge_operations(.8 * static_cast<double>(a.cols()), mpfr_get_prec(out));
}

bool solve_in_place(RealMatrix& m, RealMatrix& rhs) {
    const Index n = m.rows(), width = rhs.cols();
    Real factor(m.bits()), product(m.bits());
    charge_operations(static_cast<double>(n) * static_cast<double>(n) *
                          (static_cast<double>(n) / 3 + static_cast<double>(width)),
                      m.bits());
    const auto subtract = [&](RealMatrix& from, Index i, Index k, Index first) {
        for (Index j = first; j < from.cols(); ++j) {
            if (mpfr_zero_p(from.at(k, j))) continue;
            mpfr_mul(product.get(), factor.get(), from.at(k, j), MPFR_RNDN);
            mpfr_sub(from.at(i, j), from.at(i, j), product.get(), MPFR_RNDN);
        }
    };
    for (Index k = 0; k < n; ++k) {
        Index pivot = k;
        for (Index i = k + 1; i < n; ++i) {
            if (mpfr_cmpabs(m.at(i, k), m.at(pivot, k)) > 0) pivot = i;
        }
        if (mpfr_zero_p(m.at(pivot, k)) || !mpfr_number_p(m.at(pivot, k))) return false;
        m.swap_rows(k, pivot);
        rhs.swap_rows(k, pivot);
        for (Index i = k + 1; i < n; ++i) {
            if (mpfr_zero_p(m.at(i, k))) continue;
            mpfr_div(factor.get(), m.at(i, k), m.at(k, k), MPFR_RNDN);
            subtract(m, i, k, k + 1);
            subtract(rhs, i, k, 0);
        }
    }
    for (Index k = n - 1; k >= 0; --k) {
        for (Index j = 0; j < width; ++j) mpfr_div(rhs.at(k, j), rhs.at(k, j), m.at(k, k), MPFR_RNDN);
        for (Index i = 0; i < k; ++i) {
            if (mpfr_zero_p(m.at(i, k))) continue;
            mpfr_set(factor.get(), m.at(i, k), MPFR_RNDN);
            subtract(rhs, i, k, 0);
        }
    }
    return true;
}

std::vector<Index> extreme_rows(const RealMatrix& y) {
    std::vector<Index> rows;
    int sign = 0;
    for (Index i = 0; i < y.cols(); ++i) {
        const int here = mpfr_sgn(y.at(0, i));
        if (here == 0) continue;
        if (here != sign) {
            rows.push_back(i);
            sign = here;
        } else if (mpfr_cmpabs(y.at(0, i), y.at(0, rows.back())) > 0) {
            rows.back() = i;
        }
    }
    return rows;
}

StepFunction interlaced(const StepFunction& step, Index rows, Index cols, mpfr_prec_t bits) {
    const Index n = step.size() + 1;
    StepFunction out(n, bits);
    Real low(bits), high(bits);
    for (Index l = 0; l < n; ++l) {
        // Equal parts of [0, K]: the new knot l lies (n − l)/(n + 1) of the way from old knot l − 1 to old
        // knot l.
        if (l > 0) mpfr_set(low.get(), step.knots.at(0, l - 1), MPFR_RNDN);
        if (l < n - 1) {
            mpfr_set(high.get(), step.knots.at(0, l), MPFR_RNDN);
        } else {
            mpfr_set_si(high.get(), cols, MPFR_RNDN);
        }
        mpfr_ptr knot = out.knots.at(0, l);
        mpfr_sub(knot, high.get(), low.get(), MPFR_RNDN);
        mpfr_mul_si(knot, knot, n - l, MPFR_RNDN);
        mpfr_div_si(knot, knot, n + 1, MPFR_RNDN);
        mpfr_add(knot, knot, low.get(), MPFR_RNDN);
        out.cells[at(l)] = std::min<Index>(mpfr_get_si(knot, MPFR_RNDD), cols - 1);
    }
    const auto spread_out = [](std::vector<Index>& places, Index end) {
        for (std::size_t i = 1; i < places.size(); ++i) places[i] = std::max(places[i], places[i - 1] + 1);
        Index limit = end - 1;
        for (auto place = places.rbegin(); place != places.rend(); ++place)
            limit = (*place = std::min(*place, limit)) - 1;
    };
    spread_out(out.cells, cols);
    for (Index l = 0; l < n; ++l) {
        mpfr_ptr knot = out.knots.at(0, l);
        if (mpfr_cmp_si(knot, out.cells[at(l)]) < 0) mpfr_set_si(knot, out.cells[at(l)], MPFR_RNDN);
        if (mpfr_cmp_si(knot, out.cells[at(l)] + 1) > 0) mpfr_set_si(knot, out.cells[at(l)] + 1, MPFR_RNDN);
    }
    for (Index k = 0; n == 1 && k <= n; ++k) out.rows[at(k)] = k == 0 ? 0 : rows - 1;
    for (Index k = 0; n > 1 && k <= n; ++k) {
        const double left = k == 0 ? 0 : static_cast<double>(step.rows[at(k - 1)]);
        const double right = k == n ? static_cast<double>(rows - 1) : static_cast<double>(step.rows[at(k)]);
        out.rows[at(k)] =
            std::lround(left + (right - left) * static_cast<double>(n - k) / static_cast<double>(n));
    }
    spread_out(out.rows, rows);
    return out;
}

std::optional<double> equioscillate(const RealMatrix& a, StepFunction& step) {
    return Equioscillation(a, step).run();
}

}  // namespace rankcert::search
