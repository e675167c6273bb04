#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/logits.hpp"
#include "rankcert/attention/perturbation.hpp"
#include "rankcert/attention/softmax.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/exp_kernel.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

// Statement and proof of every constant below: lib/docs/softmax.md, section "The float64 bound". It uses no
// function of libm but fabs, fmin, fmax and sqrt, which IEEE 754 defines exactly.

namespace rankcert {
namespace {

using attention_detail::exact_factor;
using attention_detail::ExactFactor;
using Eigen::Index;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kUnit = 0x1p-53;   ///< u: a rounding's relative error
constexpr double kSlack = 1.0625;   ///< covers the second order and the rounding of the bounds themselves
constexpr double kTiny = 0x1p-500;  ///< covers every underflow
constexpr double kFinalSlack = 1 + 0x1p-45;
constexpr Index kLargestSize = Index{1} << 40;  ///< sizes up to it keep n u below 2^−12

/// A double c ≥ 0 with |c − f| ≤ 6u f for the exact factor f ≥ 0; nothing where c is not within [2^−400,
/// 2^400]. 0 is exact.
std::optional<double> approximate(const ExactFactor& factor) {
    if (factor.factor == 0) return 0.0;
    const double numerator = lower_double(factor.factor);
    const double value =
        factor.radicand == 1 ? numerator : numerator / std::sqrt(static_cast<double>(factor.radicand));
    if (!(numerator >= 0x1p-400 && value >= 0x1p-400 && numerator <= 0x1p400)) return std::nullopt;
    return value;
}

ExactFactor magnitude(ExactFactor factor) {
    if (factor.factor < 0) factor.factor = -factor.factor;
    return factor;
}

/// What does not depend on the row.
struct Problem {
    const Head* head;
    const Eigen::MatrixXd* centre;
    RowMatrix dots;                      ///< fl(Q Kᵀ), negated where the scale is negative
    RowMatrix dot_sizes;                 ///< fl(|Q| |K|ᵀ)
    RowMatrix bias;                      ///< empty where there is none
    double factor = 0;                   ///< within 6u of |multiplier · scale|
    double half_width = 0, largest = 0;  ///< the same for the family's half width, and its largest multiplier
    std::vector<double> rounding;        ///< upper bounds of upper_rounding_oscillation, or empty
};

/// Buffers of one row's visible keys.
struct Row {
    std::vector<Index> keys;
    std::vector<double> values;
};

/// The bound for one row; NaN or infinity where there is none.
double upper_row_error(const Problem& problem, Index i, Row& row) {
    const Head& head = *problem.head;
    const Index n = head.keys();
    const double unit_n = kUnit * static_cast<double>(n + 1);
    const bool biased = problem.bias.size() != 0;

    row.keys.clear();
    double hidden = 0;  // Σ |ã| over the hidden keys
    for (Index j = 0; j < n; ++j) {
        if (head.visible(i, j)) {
            row.keys.push_back(j);
        } else {
            hidden += std::fabs((*problem.centre)(i, j));
        }
    }
    const std::size_t count = row.keys.size();
    row.values.resize(count);

    // The reference: any key would do; a largest logit keeps the exponentials in range.
    Index reference = row.keys.front();
    double largest_dot = -std::numeric_limits<double>::infinity();
    double least_dot = std::numeric_limits<double>::infinity();
    double largest_size = 0;
    double best = -std::numeric_limits<double>::infinity();
    for (const Index j : row.keys) {
        const double dot = problem.dots(i, j);
        const double logit = biased ? problem.factor * dot + problem.bias(i, j) : dot;
        if (logit > best) {
            best = logit;
            reference = j;
        }
        largest_dot = std::fmax(largest_dot, dot);
        least_dot = std::fmin(least_dot, dot);
        largest_size = std::fmax(largest_size, problem.dot_sizes(i, j));
    }

    // Logits less that of the reference, and how far they may be off, but for a common shift.
    double largest_product = 0;
    double largest_shift = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const Index j = row.keys[k];
        const double product = problem.factor * (problem.dots(i, j) - problem.dots(i, reference));
        largest_product = std::fmax(largest_product, std::fabs(product));
        row.values[k] = product;
        if (biased) {
            const double shift = problem.bias(i, j) - problem.bias(i, reference);
            row.values[k] += shift;
            largest_shift = std::fmax(largest_shift, std::fabs(shift) + std::fabs(row.values[k]));
        }
    }
    const double dot_error = kSlack * (kUnit * static_cast<double>(head.query.cols())) * largest_size + kTiny;
    const double logit_error =
        kSlack * (problem.factor * dot_error + kUnit * (10 * largest_product + largest_shift)) + kTiny;

    // softmax of the computed logits, and its distance from the centre
    exp_approx(row.values.data(), row.values.data(), static_cast<long>(count));
    double sum = 0;
    for (const double value : row.values) sum += value;
    double distance = hidden;
    for (std::size_t k = 0; k < count; ++k) {
        distance += std::fabs(row.values[k] / sum - (*problem.centre)(i, row.keys[k]));
    }

    // the family: 2 tanh(osc/4) ≤ min(osc/2, 2)
    double oscillation = 0;
    if (!head.is_single() && count > 1) {
        oscillation = problem.half_width * ((largest_dot - least_dot) + 2 * dot_error);
        if (!problem.rounding.empty()) {
            oscillation += problem.largest * problem.rounding[static_cast<std::size_t>(i)];
        }
        oscillation = kSlack * oscillation;
    }
    const double family = oscillation >= 4 ? 2 : oscillation / 2;  // NaN stays NaN

    return kFinalSlack * (distance * (1 + kSlack * unit_n) + kSlack * unit_n + 2 * kExpRelativeError +
                          logit_error + family + kTiny);
}

// Not inlined, so that no arithmetic can move before the guard.
[[gnu::noinline]] std::optional<double> upper_error(Problem& problem, const Eigen::MatrixXd& query,
                                                    const Eigen::MatrixXd& key, bool negate) {
    problem.dots.noalias() = query * key.transpose();
    problem.dot_sizes.noalias() = query.cwiseAbs() * key.cwiseAbs().transpose();
    if (negate) problem.dots = -problem.dots;
    Row row;
    double largest = 0;
    for (Index i = 0; i < problem.head->queries(); ++i) {
        for (Index j = 0; j < problem.head->keys(); ++j) {
            if (!std::isfinite(problem.dots(i, j)) || !std::isfinite(problem.dot_sizes(i, j)))
                return std::nullopt;
        }
        const double error = upper_row_error(problem, i, row);
        if (!std::isfinite(error)) return std::nullopt;
        largest = std::fmax(largest, error);
    }
    return largest;
}

}  // namespace

std::optional<double> upper_softmax_error_fast(const Head& head, const Eigen::MatrixXd& centre) {
    validate(head);
    if (centre.rows() != head.queries() || centre.cols() != head.keys()) {
        throw Error(
            "the centre matrix has another shape than the head's attention matrix: it belongs to another "
            "head");
    }
    const FloatingPointGuard guard;
    const bool biased = head.mask.kind == MaskKind::additive;
    if (!centre.allFinite() || !head.query.is_double() || !head.key.is_double()) return std::nullopt;
    if (biased && !head.mask.bias.is_double()) return std::nullopt;
    if (head.keys() > kLargestSize || head.query.cols() > kLargestSize) return std::nullopt;

    const ExactFactor middle = exact_factor(head.scale, attention_detail::middle_multiplier(head));
    const auto factor = approximate(magnitude(middle));
    const auto half_width =
        approximate(magnitude(exact_factor(head.scale, (head.multiplier_high - head.multiplier_low) / 2)));
    const auto largest = approximate(magnitude(exact_factor(head.scale, head.multiplier_high)));
    if (!factor || !half_width || !largest) return std::nullopt;

    Problem problem;
    problem.head = &head;
    problem.centre = &centre;
    problem.factor = *factor;
    problem.half_width = *half_width;
    problem.largest = *largest;
    if (biased) problem.bias = head.mask.bias.to_double();
    for (const Rational& bound : upper_rounding_oscillation(head)) {
        if (head.rounded_from) problem.rounding.push_back(upper_double(bound));
    }
    return upper_error(problem, head.query.to_double(), head.key.to_double(), middle.factor < 0);
}

}  // namespace rankcert
