#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/logits.hpp"
#include "linalg/kernel.hpp"
#include "rankcert/attention/perturbation.hpp"
#include "rankcert/attention/softmax.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/exp_kernel.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

// Statement and proof of every constant below: lib/docs/softmax.md, section "The float64 bound". It uses no
// function of libm but fabs and sqrt, which IEEE 754 defines exactly.

namespace rankcert {
namespace {

using attention_detail::approximate;
using attention_detail::exact_factor;
using attention_detail::ExactFactor;
using Eigen::Index;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kUnit = 0x1p-53;   ///< u: a rounding's relative error
constexpr double kSlack = 1.0625;   ///< covers the second order and the rounding of the bounds themselves
constexpr double kTiny = 0x1p-500;  ///< covers every underflow
constexpr double kFinalSlack = 1 + 0x1p-45;
constexpr Index kBlock = 16;                    ///< rows
constexpr Index kLargestSize = Index{1} << 40;  ///< sizes up to it keep n u below 2^−12

ExactFactor magnitude(ExactFactor factor) {
    if (factor.factor < 0) factor.factor = -factor.factor;
    return factor;
}

/// Largest of numbers; NaN, as a value, is passed over.
double larger(double value, double largest) { return value > largest ? value : largest; }

/// What does not depend on the row.
struct Problem {
    const Head* head = nullptr;
    Eigen::MatrixXd dots;  ///< fl(K Qᵀ), negated where the scale is negative: column i belongs to query i
    Eigen::MatrixXd dot_sizes;     ///< fl(|K| |Q|ᵀ)
    RowMatrix bias;                ///< empty where there is none
    double factor = 0;             ///< within 6u of |multiplier · scale|
    double half_width = 0;         ///< the same for half the family's width
    double largest = 0;            ///< the same for the family's largest multiplier
    std::vector<double> rounding;  ///< upper bounds of upper_rounding_oscillation, or empty
};

/// One row: its visible keys and the softmax of its computed logits.
struct Row {
    std::vector<Index> keys;
    std::vector<double> weights;
    double error = 0;  ///< with a finite distance T as below, all that A_i may be off beside it
};

void find_visible_keys(const Head& head, Index i, std::vector<Index>& keys) {
    if (head.mask.kind == MaskKind::none && !keys.empty()) return;  // the same in every row
    keys.clear();
    for (Index j = 0; j < head.keys(); ++j) {
        if (head.visible(i, j)) keys.push_back(j);
    }
}

void enclose_row(const Problem& problem, Index i, Row& row) {
    const Head& head = *problem.head;
    const double unit_n = kUnit * static_cast<double>(head.keys() + 1);
    const bool biased = problem.bias.size() != 0;
    const double* dots = problem.dots.col(i).data();
    const double* sizes = problem.dot_sizes.col(i).data();

    find_visible_keys(head, i, row.keys);
    const std::size_t count = row.keys.size();
    row.weights.resize(count);

    // The reference: any key would do; a largest logit keeps the exponentials in range.
    Index reference = row.keys.front();
    double largest_dot = -std::numeric_limits<double>::infinity();
    double least_dot = std::numeric_limits<double>::infinity();
    double largest_size = 0;
    double best = -std::numeric_limits<double>::infinity();
    for (const Index j : row.keys) {
        const double dot = dots[j];
        const double logit = biased ? problem.factor * dot + problem.bias(i, j) : dot;
        if (logit > best) {
            best = logit;
            reference = j;
        }
        largest_dot = larger(dot, largest_dot);
        least_dot = dot < least_dot ? dot : least_dot;
        largest_size = larger(sizes[j], largest_size);
    }

    // Logits less that of the reference, and how far they may be off, but for a common shift.
    double largest_product = 0;
    double largest_shift = 0;
    const double reference_dot = dots[reference];
    for (std::size_t k = 0; k < count; ++k) {
        const double product = problem.factor * (dots[row.keys[k]] - reference_dot);
        largest_product = larger(std::fabs(product), largest_product);
        row.weights[k] = product;
    }
    if (biased) {
        for (std::size_t k = 0; k < count; ++k) {
            const double shift = problem.bias(i, row.keys[k]) - problem.bias(i, reference);
            row.weights[k] += shift;
            largest_shift = larger(std::fabs(shift) + std::fabs(row.weights[k]), largest_shift);
        }
    }
    const double dot_error = kSlack * (kUnit * static_cast<double>(head.query.cols())) * largest_size + kTiny;
    const double logit_error =
        kSlack * (problem.factor * dot_error + kUnit * (10 * largest_product + largest_shift)) + kTiny;

    exp_approx(row.weights.data(), row.weights.data(), static_cast<long>(count));
    double sum = 0;
    for (const double weight : row.weights) sum += weight;
    for (double& weight : row.weights) weight /= sum;

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
    row.error = kSlack * unit_n + 2 * kExpRelativeError + logit_error + family + kTiny;
    // Finite exponentials may add up to infinity, and weights of 0 would look like any others.
    if (!std::isfinite(sum)) row.error = std::numeric_limits<double>::infinity();
}

/// The bound for a row whose weights have the computed distance `distance` from the centre; NaN or infinity
/// where there is none.
double upper_row_error(const Problem& problem, const Row& row, double distance) {
    const double unit_n = kUnit * static_cast<double>(problem.head->keys() + 1);
    return kFinalSlack * (distance * (1 + kSlack * unit_n) + row.error);
}

/// The nearest multiple of 2^−53 to a number in [0, 1], exactly; NaN stays NaN.
double on_grid(double x) { return x < 0.5 ? (x + 0.5) - 0.5 : x; }

/// Fills dots and dot_sizes; says whether they are finite.
bool multiply_vectors(Problem& problem, bool negate) {
    const Eigen::MatrixXd query = problem.head->query.to_double();
    const Eigen::MatrixXd key = problem.head->key.to_double();
    problem.dots = detail::multiply(key, query, detail::Op::plain, detail::Op::transposed);
    problem.dot_sizes =
        detail::multiply(key.cwiseAbs(), query.cwiseAbs(), detail::Op::plain, detail::Op::transposed);
    if (negate) problem.dots = -problem.dots;
    return detail::all_finite(problem.dots) && detail::all_finite(problem.dot_sizes);
}

/// What both functions need to begin with; nothing where float64 does not do. Under a guard.
std::optional<Problem> make_problem(const Head& head) {
    const bool biased = head.mask.kind == MaskKind::additive;
    if (!head.query.is_double() || !head.key.is_double()) return std::nullopt;
    if (biased && !head.mask.bias.is_double()) return std::nullopt;
    if (head.keys() > kLargestSize || head.query.cols() > kLargestSize) return std::nullopt;

    const ExactFactor middle = exact_factor(head.scale, attention_detail::middle_multiplier(head));
    const auto factor = approximate(magnitude(middle));
    const auto half_width =
        approximate(magnitude(exact_factor(head.scale, (head.multiplier_high - head.multiplier_low) / 2)));
    const auto largest = approximate(magnitude(exact_factor(head.scale, head.multiplier_high)));
    if (!factor || !half_width || !largest) return std::nullopt;

    std::optional<Problem> problem(std::in_place);
    problem->head = &head;
    problem->factor = *factor;
    problem->half_width = *half_width;
    problem->largest = *largest;
    if (biased) problem->bias = head.mask.bias.to_double();
    if (head.rounded_from) {
        for (const Rational& bound : upper_rounding_oscillation(head)) {
            problem->rounding.push_back(upper_double(bound));
        }
    }
    if (!multiply_vectors(*problem, middle.factor < 0)) return std::nullopt;
    return problem;
}

// The next two are not inlined, so that no arithmetic can move before the guard.

[[gnu::noinline]] std::optional<double> upper_error(const Head& head, const Eigen::MatrixXd& centre) {
    const auto problem = make_problem(head);
    if (!problem) return std::nullopt;
    Row row;
    double largest = 0;
    for (Index i = 0; i < head.queries(); ++i) {
        enclose_row(*problem, i, row);
        double distance = 0;
        std::size_t k = 0;
        for (Index j = 0; j < head.keys(); ++j) {
            const bool visible = k < row.keys.size() && row.keys[k] == j;
            distance += std::fabs((visible ? row.weights[k] : 0) - centre(i, j));
            if (visible) ++k;
        }
        const double error = upper_row_error(*problem, row, distance);
        if (!std::isfinite(error)) return std::nullopt;
        largest = larger(error, largest);
    }
    return largest;
}

[[gnu::noinline]] std::optional<FastSoftmaxEnclosure> enclose(const Head& head) {
    const auto problem = make_problem(head);
    if (!problem) return std::nullopt;
    const Index rows = head.queries();
    FastSoftmaxEnclosure result{Eigen::MatrixXd(rows, head.keys()), 0};
    Row row;
    // The centre is stored by columns: some rows are gathered before they go there.
    Eigen::MatrixXd block = Eigen::MatrixXd::Zero(head.keys(), std::min(rows, kBlock));
    for (Index first = 0; first < rows; first += kBlock) {
        const Index size = std::min(kBlock, rows - first);
        for (Index i = first; i < first + size; ++i) {
            enclose_row(*problem, i, row);
            double* entries = block.col(i - first).data();
            if (row.keys.size() < static_cast<std::size_t>(head.keys()))
                std::fill_n(entries, head.keys(), 0.0);
            double distance = 0;
            for (std::size_t k = 0; k < row.keys.size(); ++k) {
                const double entry = on_grid(row.weights[k]);
                distance += std::fabs(row.weights[k] - entry);
                entries[row.keys[k]] = entry;
            }
            const double error = upper_row_error(*problem, row, distance);
            if (!std::isfinite(error)) return std::nullopt;
            result.error = larger(error, result.error);
        }
        result.centre.middleRows(first, size) = block.leftCols(size).transpose();
    }
    return result;
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
    if (!detail::all_finite(centre)) return std::nullopt;
    return upper_error(head, centre);
}

std::optional<FastSoftmaxEnclosure> enclose_softmax_fast(const Head& head) {
    validate(head);
    const FloatingPointGuard guard;
    return enclose(head);
}

}  // namespace rankcert
