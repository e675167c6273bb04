#include "rigor/trusted.hpp"
//
#include <cmath>
#include <limits>

#include "attention/logits.hpp"
#include "audit/rows.hpp"
#include "linalg/kernel.hpp"
#include "rankcert/rigor/exp_kernel.hpp"

// Statement and proof of every constant below: lib/docs/audit.md, section "Rows in float64".

namespace rankcert::audit {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kSlack = 1.0625;
constexpr double kTiny = 0x1p-500;
constexpr double kMostRelative = 0x1p-10;
constexpr Index kLargestSize = Index{1} << 30;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Rows of a with 0 for what is not finite.
Eigen::MatrixXd cleaned(const RowMatrix& a) {
    return a.unaryExpr([](double x) { return std::isfinite(x) ? x : 0.0; });
}

/// Upper bounds of the Euclidean norms of the rows.
Eigen::VectorXd upper_norms(const Eigen::MatrixXd& a) {
    return a.rowwise().squaredNorm().cwiseSqrt().unaryExpr([](double x) { return x * kSlack + kTiny; });
}

double larger(double value, double largest) { return value > largest ? value : largest; }

}  // namespace

FastProblem::FastProblem(const AttentionHead& head)
    : head_(&head), states_(head), query_(cleaned(head.query)), key_(cleaned(head.key)) {
    query_norm_ = upper_norms(query_);
    key_norm_ = upper_norms(key_);
    attention_detail::ExactFactor factor = attention_detail::exact_factor(head.scale, 1);
    negative_ = factor.factor < 0;
    if (negative_) factor.factor = -factor.factor;
    const auto approximate = attention_detail::approximate(factor);
    factor_ = approximate.value_or(0);
    if (head.softcap) cap_ = lower_double(*head.softcap);
    usable_ = approximate && head.keys() < kLargestSize && head.query.cols() < kLargestSize &&
              (!head.softcap || (cap_ >= 0x1p-400 && cap_ <= 0x1p400));
}

void FastProblem::enclose(Index first, Index count, FastRows& rows) const {
    rows.weights.setZero(head_->keys(), count);
    rows.relative.setConstant(count, kInfinity);
    rows.state.assign(static_cast<std::size_t>(count), RowState::defined);
    Eigen::MatrixXd dots;
    if (usable_) {
        dots = detail::multiply(key_, query_.middleRows(first, count), detail::Op::plain,
                                detail::Op::transposed);
        if (negative_) dots = -dots;
    }
    std::vector<Index> keys;
    for (Index r = 0; r < count; ++r) {
        find_visible(*head_, first + r, keys);
        const RowState state = states_.of(first + r, keys);
        rows.state[static_cast<std::size_t>(r)] = state;
        if (state != RowState::defined) continue;
        if (keys.empty()) {
            rows.relative(r) = 0;  // all is hidden, and A_ij = 0 exactly
        } else if (usable_) {
            enclose_row(first + r, dots.col(r).data(), keys, rows.weights.col(r).data(), rows.relative(r));
        }
    }
}

void FastProblem::enclose_row(Index i, const double* dots, const std::vector<Index>& keys, double* weights,
                              double& relative) const {
    const std::size_t count = keys.size();
    const bool sink = head_->sink.has_value();
    const bool capped = cap_ != 0;
    const bool biased = head_->has_bias() || sink;

    // The terms beside the product, last of all the sink's; and the largest of their parts.
    std::vector<double> bias;
    double largest_bias = 0;
    if (biased) {
        bias.resize(count + 1, 0.0);
        const double* given =
            head_->bias.size() == 0 ? nullptr : head_->bias.row(head_->bias.rows() == 1 ? 0 : i).data();
        const Index position = head_->position(i);
        for (std::size_t k = 0; k < count; ++k) {
            const double added = given == nullptr ? 0 : given[keys[k]];
            const double distance =
                static_cast<double>(position < keys[k] ? keys[k] - position : position - keys[k]);
            const double sloped = head_->alibi_slope ? -*head_->alibi_slope * distance : 0;
            bias[k] = added + sloped;
            if (head_->alibi_slope) largest_bias = larger(std::fabs(added) + std::fabs(sloped), largest_bias);
        }
        if (sink) bias[count] = *head_->sink;
    }

    double largest_key = 0;
    for (const Index j : keys) largest_key = larger(key_norm_(j), largest_key);
    const double dot_error =
        kSlack * (kUnit * static_cast<double>(head_->query.cols())) * (query_norm_(i) * largest_key) + kTiny;

    // Logits, but for a common shift; the sink's product is 0.
    std::vector<double> logit(count + (sink ? 1 : 0), 0.0);
    double largest_product = 0;
    for (std::size_t k = 0; k < count; ++k) {
        logit[k] = factor_ * dots[keys[k]];
        largest_product = larger(std::fabs(logit[k]), largest_product);
    }
    double base_error = factor_ * dot_error;
    if (capped) {
        for (double& x : logit) x /= cap_;
        tanh_approx(logit.data(), logit.data(), static_cast<long>(logit.size()));
        for (double& x : logit) x *= cap_;
        base_error += 16 * kUnit * largest_product + cap_ * (kTanhError + 8 * kUnit);
    }
    std::size_t reference = 0;
    double best = -kInfinity;
    for (std::size_t k = 0; k < logit.size(); ++k) {
        const double x = biased ? logit[k] + bias[k] : logit[k];
        if (x > best) {
            best = x;
            reference = k;
        }
    }
    // Less the reference: without a softcap the dot products are subtracted before they are scaled.
    const double shift = logit[reference];
    const double reference_dot = reference < count ? dots[keys[reference]] : 0;
    double largest_difference = 0, largest_shift = 0;
    for (std::size_t k = 0; k < logit.size(); ++k) {
        const double dot = k < count ? dots[keys[k]] : 0;
        logit[k] = capped ? logit[k] - shift : factor_ * (dot - reference_dot);
        largest_difference = larger(std::fabs(logit[k]), largest_difference);
        if (!biased) continue;
        const double difference = bias[k] - bias[reference];
        logit[k] += difference;
        largest_shift = larger(std::fabs(difference) + std::fabs(logit[k]), largest_shift);
    }
    const double logit_error =
        kSlack * (base_error + kUnit * (10 * largest_difference + largest_shift + 8 * largest_bias)) + kTiny;

    exp_approx(logit.data(), logit.data(), static_cast<long>(logit.size()));
    double sum = 0;
    for (const double weight : logit) sum += weight;
    relative = kSlack * (2 * logit_error + 4 * kExpRelativeError + kUnit * static_cast<double>(count + 4));
    if (!(relative <= kMostRelative) || !std::isfinite(sum) || !std::isfinite(best)) {
        relative = kInfinity;
        return;
    }
    for (std::size_t k = 0; k < count; ++k) weights[keys[k]] = logit[k] / sum;
}

}  // namespace rankcert::audit
