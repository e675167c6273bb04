#include "rankcert/search/high_precision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "factors.hpp"
#include "high_precision_matrix.hpp"
#include "rankcert/search/work.hpp"

namespace rankcert::search {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();
/// How far below the quantity that decides, in bits, everything is rounded: margins down to 2⁻⁵⁰ are kept.
constexpr long kGuardBits = 56;
/// A remainder this many bits above the tolerance is still a matrix that float64 resolves.
constexpr double kFloatBits = 30;

double estimate_log2(mpfr_srcptr value) {
    if (mpfr_zero_p(value)) return kNothing;
    long exponent = 0;
    const double mantissa = mpfr_get_d_2exp(&exponent, value, MPFR_RNDN);
    return std::log2(std::fabs(mantissa)) + static_cast<double>(exponent);
}

/// log₂ of the largest row ℓ1 norm of the part of `a` from (first, first) on.
double estimate_log2_norm(const RealMatrix& a, Index first) {
    Real sum(64), largest(64);
    for (Index i = first; i < a.rows(); ++i) {
        mpfr_set_zero(sum.get(), 1);
        for (Index j = first; j < a.cols(); ++j) {
            if (mpfr_signbit(a.at(i, j))) {
                mpfr_sub(sum.get(), sum.get(), a.at(i, j), MPFR_RNDN);
            } else {
                mpfr_add(sum.get(), sum.get(), a.at(i, j), MPFR_RNDN);
            }
        }
        mpfr_max(largest.get(), largest.get(), sum.get(), MPFR_RNDN);
    }
    return estimate_log2(largest.get());
}

long bits_above(double log2) { return static_cast<long>(std::ceil(log2)); }

long log2_size(Index n) { return bits_above(std::log2(static_cast<double>(std::max<Index>(n, 1)))) + 1; }

ExactMatrix unit_columns(Index rows, const std::vector<Index>& ones) {
    const auto cols = static_cast<Index>(ones.size());
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(rows, cols);
    for (Index c = 0; c < cols; ++c) out(ones[static_cast<std::size_t>(c)], c) = 1;
    return ExactMatrix::from_double(out);
}

}  // namespace

double estimate_log2(const Rational& value) {
    if (value == 0) return kNothing;
    Real x(64);
    mpfr_set_q(x.get(), value.backend().data(), MPFR_RNDN);
    return estimate_log2(static_cast<mpfr_srcptr>(x.get()));
}

struct HighPrecisionSearch::State {
    ExactMatrix a;
    mpfr_prec_t bits;
    Options options;
    RealMatrix lu;                   ///< permuted: L below the diagonal (its own is 1), U on and above
    std::vector<Index> rows, cols;   ///< position in lu → index in a
    std::vector<double> log2_error;  ///< after 0, 1, … steps
    std::map<Index, RealMatrix> inverses;

    State(const ExactMatrix& matrix, unsigned precision, const Options& given)
        : a(matrix), bits(static_cast<mpfr_prec_t>(precision)), options(given), lu(matrix, bits) {
        rows.resize(static_cast<std::size_t>(a.rows()));
        cols.resize(static_cast<std::size_t>(a.cols()));
        std::iota(rows.begin(), rows.end(), Index{0});
        std::iota(cols.begin(), cols.end(), Index{0});
        eliminate();
    }

    [[nodiscard]] Index rank() const { return static_cast<Index>(log2_error.size()) - 1; }

    /// So many multiplications with a subtraction each: about 60 ns, more for long numbers.
    void charge(double operations) const {
        charge_work(operations * (6e-8 + 2e-13 * static_cast<double>(bits) * static_cast<double>(bits)));
    }

    void eliminate() {
        Real product(bits);
        double first_pivot = 0;
        for (Index k = 0;; ++k) {
            log2_error.push_back(estimate_log2_norm(lu, k));
            if (k == std::min(lu.rows(), lu.cols())) return;
            Index p = k, q = k;
            for (Index i = k; i < lu.rows(); ++i) {
                for (Index j = k; j < lu.cols(); ++j) {
                    if (mpfr_cmpabs(lu.at(i, j), lu.at(p, q)) > 0) p = i, q = j;
                }
            }
            const double pivot = estimate_log2(static_cast<mpfr_srcptr>(lu.at(p, q)));
            if (k == 0) first_pivot = pivot;
            if (!(pivot > first_pivot - static_cast<double>(bits) + 16)) return;
            charge(static_cast<double>((lu.rows() - k) * (lu.cols() - k)));
            lu.swap_rows(k, p);
            lu.swap_cols(k, q);
            std::swap(rows[static_cast<std::size_t>(k)], rows[static_cast<std::size_t>(p)]);
            std::swap(cols[static_cast<std::size_t>(k)], cols[static_cast<std::size_t>(q)]);
            for (Index i = k + 1; i < lu.rows(); ++i) {
                if (mpfr_zero_p(lu.at(i, k))) continue;
                mpfr_div(lu.at(i, k), lu.at(i, k), lu.at(k, k), MPFR_RNDN);
                for (Index j = k + 1; j < lu.cols(); ++j) {
                    if (mpfr_zero_p(lu.at(k, j))) continue;
                    mpfr_mul(product.get(), lu.at(i, k), lu.at(k, j), MPFR_RNDN);
                    mpfr_sub(lu.at(i, j), lu.at(i, j), product.get(), MPFR_RNDN);
                }
            }
        }
    }

    /// The inverse of the block of the first k pivots, in the order of the pivots.
    const RealMatrix& inverse(Index k) {
        if (const auto found = inverses.find(k); found != inverses.end()) return found->second;
        RealMatrix x(k, k, bits);
        charge(.7 * static_cast<double>(k * k * k));
        Real product(bits);
        auto subtract = [&](mpfr_ptr target, mpfr_srcptr u, mpfr_srcptr v) {
            if (mpfr_zero_p(u) || mpfr_zero_p(v)) return;
            mpfr_mul(product.get(), u, v, MPFR_RNDN);
            mpfr_sub(target, target, product.get(), MPFR_RNDN);
        };
        // L⁻¹ by rows from above, then U⁻¹ L⁻¹ by rows from below; whole rows at a time.
        for (Index i = 0; i < k; ++i) {
            mpfr_set_ui(x.at(i, i), 1, MPFR_RNDN);
            for (Index l = 0; l < i; ++l) {
                for (Index j = 0; j <= l; ++j) subtract(x.at(i, j), lu.at(i, l), x.at(l, j));
            }
        }
        for (Index i = k - 1; i >= 0; --i) {
            for (Index l = i + 1; l < k; ++l) {
                for (Index j = 0; j < k; ++j) subtract(x.at(i, j), lu.at(i, l), x.at(l, j));
            }
            for (Index j = 0; j < k; ++j) mpfr_div(x.at(i, j), x.at(i, j), lu.at(i, i), MPFR_RNDN);
        }
        return inverses.emplace(k, std::move(x)).first->second;
    }

    /// L (rows×k) and U (k×cols) of the first k steps in the order of a, as integers at 2^exponent, with room
    /// for more columns of L and rows of U.
    FactorWitness factors(Index k, long exponent, const FactorWitness* more, long scale) const {
        const Index extra = more == nullptr ? 0 : more->left.cols();
        const Index rank = k + extra;
        std::vector<Integer> left(static_cast<std::size_t>(a.rows() * rank));
        std::vector<Integer> right(static_cast<std::size_t>(rank * a.cols()));
        const long left_exponent = extra == 0 ? exponent : std::min(exponent, more->left.exponent());
        const long right_exponent =
            extra == 0 ? exponent : std::min(exponent, more->right.exponent() + scale);
        Real one(bits);
        mpfr_set_ui(one.get(), 1, MPFR_RNDN);
        for (Index i = 0; i < a.rows(); ++i) {
            for (Index l = 0; l < std::min(k, i + 1); ++l) {
                left[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)] * rank + l)] =
                    round_to_integer(i == l ? one.get() : lu.at(i, l), left_exponent);
            }
        }
        for (Index l = 0; l < k; ++l) {
            for (Index j = l; j < a.cols(); ++j) {
                right[static_cast<std::size_t>(l * a.cols() + cols[static_cast<std::size_t>(j)])] =
                    round_to_integer(lu.at(l, j), right_exponent);
            }
        }
        for (Index e = 0; e < extra; ++e) {
            for (Index i = 0; i < a.rows(); ++i) {
                left[static_cast<std::size_t>(i * rank + k + e)] =
                    more->left.mantissa(i, e) << static_cast<unsigned>(more->left.exponent() - left_exponent);
            }
            for (Index j = 0; j < a.cols(); ++j) {
                right[static_cast<std::size_t>((k + e) * a.cols() + j)] =
                    more->right.mantissa(e, j)
                    << static_cast<unsigned>(more->right.exponent() + scale - right_exponent);
            }
        }
        return {ExactMatrix::from_integers(a.rows(), rank, std::move(left), left_exponent),
                ExactMatrix::from_integers(rank, a.cols(), std::move(right), right_exponent), 1};
    }

    /// (a − L U) · 2^−scale after k steps as doubles, in the order of a.
    Eigen::MatrixXd remainder(Index k, long scale) const {
        RealMatrix rest(a, bits);
        charge(static_cast<double>(a.rows() * a.cols() * k));
        Real product(bits);
        Eigen::MatrixXd out(a.rows(), a.cols());
        for (Index i = 0; i < a.rows(); ++i) {
            const Index row = rows[static_cast<std::size_t>(i)];
            for (Index j = 0; j < a.cols(); ++j) {
                const Index col = cols[static_cast<std::size_t>(j)];
                mpfr_ptr target = rest.at(row, col);
                for (Index l = 0; l < std::min({k, i + 1, j + 1}); ++l) {
                    if (i == l) {
                        mpfr_sub(target, target, lu.at(l, j), MPFR_RNDN);
                        continue;
                    }
                    if (mpfr_zero_p(lu.at(i, l)) || mpfr_zero_p(lu.at(l, j))) continue;
                    mpfr_mul(product.get(), lu.at(i, l), lu.at(l, j), MPFR_RNDN);
                    mpfr_sub(target, target, product.get(), MPFR_RNDN);
                }
                mpfr_mul_2si(target, target, -scale, MPFR_RNDN);
                out(row, col) = mpfr_get_d(target, MPFR_RNDN);
            }
        }
        return out;
    }
};

HighPrecisionSearch::HighPrecisionSearch(const ExactMatrix& a, unsigned bits, const Options& options)
    : state_(std::make_unique<State>(a, std::max(bits, 64U), options)) {}
HighPrecisionSearch::~HighPrecisionSearch() = default;
HighPrecisionSearch::HighPrecisionSearch(HighPrecisionSearch&&) noexcept = default;
HighPrecisionSearch& HighPrecisionSearch::operator=(HighPrecisionSearch&&) noexcept = default;

Index HighPrecisionSearch::rank() const { return state_->rank(); }

double HighPrecisionSearch::estimate_log2_error(Index k) const {
    return state_->log2_error[static_cast<std::size_t>(k)];
}

double HighPrecisionSearch::estimate_log2_reach(Index k) {
    return -estimate_log2_norm(state_->inverse(k), 0);
}

NeumannWitness HighPrecisionSearch::propose_block(Index k) {
    State& s = *state_;
    const RealMatrix& inverse = s.inverse(k);
    const auto count = static_cast<std::size_t>(k);
    const std::vector<Index> rows(s.rows.begin(), s.rows.begin() + k);
    const std::vector<Index> cols(s.cols.begin(), s.cols.begin() + k);
    // I − R G changes by at most ‖G‖ k 2^exponent when R is put on the grid.
    const long exponent = -(kGuardBits + log2_size(k) + std::max(0L, bits_above(s.log2_error.front())));
    std::vector<Integer> mantissas;
    mantissas.reserve(count * count);
    for (Index i = 0; i < k; ++i) {
        for (Index j = 0; j < k; ++j) mantissas.push_back(round_to_integer(inverse.at(i, j), exponent));
    }
    return {unit_columns(s.a.rows(), rows).transpose(), unit_columns(s.a.cols(), cols),
            ExactMatrix::from_integers(k, k, std::move(mantissas), exponent)};
}

FactorWitness HighPrecisionSearch::propose_cross(Index k, const Rational& tolerance) {
    const State& s = *state_;
    const double size = tolerance > 0 ? search::estimate_log2(tolerance) : -static_cast<double>(s.bits);
    const long exponent = bits_above(size) - kGuardBits - log2_size(k) - log2_size(s.a.cols()) -
                          std::max(0L, bits_above(s.log2_error.front()));
    return s.factors(k, exponent, nullptr, 0);
}

std::optional<FactorWitness> HighPrecisionSearch::propose_nearest_singular() {
    State& s = *state_;
    const Index n = s.a.rows();
    if (n < 2 || s.a.cols() != n || rank() != n) return std::nullopt;
    const RealMatrix& inverse = s.inverse(n);  // rows in the order of s.cols, columns in that of s.rows
    Real sum(s.bits), largest(s.bits), entry(s.bits);
    Index best = 0;
    for (Index i = 0; i < n; ++i) {
        mpfr_set_zero(sum.get(), 1);
        for (Index j = 0; j < n; ++j) {
            mpfr_abs(entry.get(), inverse.at(i, j), MPFR_RNDN);
            mpfr_add(sum.get(), sum.get(), entry.get(), MPFR_RNDN);
        }
        if (mpfr_cmp(sum.get(), largest.get()) > 0) {
            mpfr_set(largest.get(), sum.get(), MPFR_RNDN);
            best = i;
        }
    }
    // The error is 1/‖a⁻¹‖ in every row; x is rounded far below it.
    const long exponent = -(bits_above(estimate_log2(static_cast<mpfr_srcptr>(largest.get()))) + kGuardBits +
                            log2_size(n) + std::max(0L, bits_above(s.log2_error.front())));
    const Index dropped = s.cols[static_cast<std::size_t>(best)];
    const Integer one = Integer(1) << static_cast<unsigned>(-exponent);
    std::vector<Index> kept;
    std::vector<Integer> right(static_cast<std::size_t>((n - 1) * n));
    std::vector<Index> position(static_cast<std::size_t>(n));  // index in a → row of the inverse
    for (Index i = 0; i < n; ++i) position[static_cast<std::size_t>(s.cols[static_cast<std::size_t>(i)])] = i;
    for (Index c = 0; c < n; ++c) {
        if (c == dropped) continue;
        const auto at = static_cast<Index>(kept.size());
        kept.push_back(c);
        mpfr_set_zero(sum.get(), 1);
        for (Index j = 0; j < n; ++j) {
            const bool negative = mpfr_signbit(inverse.at(best, j)) != 0;
            (negative ? mpfr_sub : mpfr_add)(sum.get(), sum.get(),
                                             inverse.at(position[static_cast<std::size_t>(c)], j), MPFR_RNDN);
        }
        mpfr_div(sum.get(), sum.get(), largest.get(), MPFR_RNDN);
        right[static_cast<std::size_t>(at * n + c)] = one;
        right[static_cast<std::size_t>(at * n + dropped)] = -round_to_integer(sum.get(), exponent);
    }
    return FactorWitness{s.a.select_cols(kept),
                         ExactMatrix::from_integers(n - 1, n, std::move(right), exponent), 1};
}

std::optional<FactorWitness> HighPrecisionSearch::propose_refined(const Rational& tolerance, Index lower,
                                                                  Index upper, double seconds,
                                                                  const std::function<bool()>& stop) {
    const State& s = *state_;
    if (!(tolerance > 0)) return std::nullopt;
    const double goal = search::estimate_log2(tolerance);
    Index k = 0;
    while (k < rank() && s.log2_error[static_cast<std::size_t>(k)] > goal + kFloatBits) ++k;
    if (k + 1 >= upper) return std::nullopt;
    const double left = s.log2_error[static_cast<std::size_t>(k)];
    if (!std::isfinite(left)) return std::nullopt;
    const long scale = bits_above(left);
    // In units of 2^scale; what the exact steps lose by rounding (2⁻⁴⁰ of the tolerance) is negligible.
    const double float_tolerance = std::exp2(goal - static_cast<double>(scale)) * (1 - 1e-9);
    UpperSearch search(s.remainder(k, scale), s.options);
    std::optional<FactorWitness> best;
    Index best_rank = upper - k;
    auto take = [&](FactorWitness& factors) {
        if (factors.left.cols() >= best_rank) return;
        best_rank = factors.left.cols();
        best = std::move(factors);
    };
    for (UpperWitness& witness : search.propose_quick(float_tolerance)) {
        if (auto* factors = std::get_if<FactorWitness>(&witness)) take(*factors);
    }
    auto optimised =
        search.propose_optimised(float_tolerance, std::max<Index>(lower - k, 1), best_rank, seconds, stop);
    if (optimised) take(*optimised);
    if (!best) return std::nullopt;
    const long exponent = bits_above(goal) - kGuardBits - log2_size(k) - log2_size(s.a.cols()) -
                          std::max(0L, bits_above(s.log2_error.front()));
    return s.factors(k, exponent, &*best, scale);
}

}  // namespace rankcert::search
