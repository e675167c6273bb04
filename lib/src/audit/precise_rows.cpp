#include "rigor/trusted.hpp"
//
#include <cmath>

#include "attention/softmax_rows.hpp"
#include "audit/rows.hpp"

namespace rankcert::audit {
namespace {

/// The logits' terms beside the product, for the visible keys and, last, the sink: exactly.
ExactMatrix exact_bias(const AttentionHead& head, Index i, const std::vector<Index>& keys, Index columns) {
    Eigen::MatrixXd given = Eigen::MatrixXd::Zero(1, columns);
    std::vector<Integer> distances(static_cast<std::size_t>(columns), Integer(0));
    for (std::size_t k = 0; k < keys.size(); ++k) {
        const Index j = keys[k];
        if (head.bias.size() != 0)
            given(0, static_cast<Index>(k)) = head.bias(head.bias.rows() == 1 ? 0 : i, j);
        const Index distance = head.position(i) - j;
        distances[k] = distance < 0 ? distance : -distance;
    }
    if (head.sink) given(0, columns - 1) = *head.sink;
    ExactMatrix bias = ExactMatrix::from_double(given);
    if (!head.alibi_slope) return bias;
    const ExactMatrix slope = ExactMatrix::from_double(Eigen::MatrixXd::Constant(1, 1, *head.alibi_slope));
    return bias + slope * ExactMatrix::from_integers(1, columns, std::move(distances), 0);
}

}  // namespace

void find_visible(const AttentionHead& head, Index i, std::vector<Index>& keys) {
    keys.clear();
    for (Index j = 0; j < head.keys(); ++j) {
        if (head.visible(i, j)) keys.push_back(j);
    }
}

RowStates::RowStates(const AttentionHead& head)
    : head_(&head),
      finite_query_(static_cast<std::size_t>(head.queries())),
      finite_key_(static_cast<std::size_t>(head.keys())) {
    for (Index i = 0; i < head.queries(); ++i)
        finite_query_[static_cast<std::size_t>(i)] = head.query.row(i).allFinite();
    for (Index j = 0; j < head.keys(); ++j) {
        finite_key_[static_cast<std::size_t>(j)] = head.key.row(j).allFinite();
        all_keys_finite_ = all_keys_finite_ && finite_key_[static_cast<std::size_t>(j)] != 0;
    }
}

RowState RowStates::of(Index i, const std::vector<Index>& keys) const {
    if (keys.empty()) return head_->sink ? RowState::defined : RowState::empty;
    if (finite_query_[static_cast<std::size_t>(i)] == 0) return RowState::undefined;
    if (all_keys_finite_) return RowState::defined;
    for (const Index j : keys) {
        if (finite_key_[static_cast<std::size_t>(j)] == 0) return RowState::undefined;
    }
    return RowState::defined;
}

void PreciseRows::enclose(Index i, const std::vector<Index>& keys) {
    const auto count = static_cast<Index>(keys.size());
    while (weights_.size() < keys.size()) weights_.emplace_back(bits_);
    weights_.resize(keys.size(), MpInterval(bits_));
    if (count == 0) return;
    // A sink is a key of zeros whose logit is its bias: the softcap leaves 0 as it is.
    const Index columns = count + (head_->sink ? 1 : 0);
    Eigen::MatrixXd key = Eigen::MatrixXd::Zero(columns, head_->key.cols());
    for (Index k = 0; k < count; ++k) key.row(k) = head_->key.row(keys[static_cast<std::size_t>(k)]);
    rankcert::Head one;
    one.query = ExactMatrix::from_double(head_->query.row(i));
    one.key = ExactMatrix::from_double(key);
    one.scale = head_->scale;
    if (head_->has_bias() || head_->sink) {
        one.mask.kind = MaskKind::additive;
        one.mask.bias = exact_bias(*head_, i, keys, columns);
    }
    const attention_detail::ExactLogits logits(one, head_->softcap);
    attention_detail::SoftmaxRows row(logits, bits_);
    row.enclose_row(0);
    for (std::size_t k = 0; k < keys.size(); ++k) {
        mpfr_set(weights_[k].mutable_lower(), row.lower(k), MPFR_RNDD);
        mpfr_set(weights_[k].mutable_upper(), row.upper(k), MPFR_RNDU);
    }
}

}  // namespace rankcert::audit
