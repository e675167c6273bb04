#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <cmath>

#include "audit/factor_targets.hpp"
#include "audit/residual.hpp"
#include "audit/rows.hpp"

namespace rankcert::audit {
namespace {

class StoredTarget : public Target {
  public:
    explicit StoredTarget(const Eigen::Ref<const Eigen::MatrixXd>& a) : a_(a) {
        require_finite_entries(a, "A");
    }
    [[nodiscard]] Index rows() const override { return a_.rows(); }
    [[nodiscard]] Index cols() const override { return a_.cols(); }
    [[nodiscard]] bool is_exact() const override { return true; }

    [[nodiscard]] RowState enclose(Index i, std::vector<Interval>& entries) override {
        entries.clear();
        for (Index j = 0; j < cols(); ++j) entries.emplace_back(a_(i, j));
        return RowState::defined;
    }

    /// A − N/d = (d A − N)/d, d > 0.
    [[nodiscard]] std::vector<RowDistance> distances(const std::vector<Index>& rows, const ExactRows& b,
                                                     unsigned) override {
        Eigen::MatrixXd part(static_cast<Index>(rows.size()), cols());
        for (Index k = 0; k < part.rows(); ++k) part.row(k) = a_.row(rows[as_size(k)]);
        const ExactMatrix error = ExactMatrix::from_double(part).scale_rows(b.denominator) - b.numerator;
        const std::vector<Rational> sums = error.row_norms(), squares = error.row_squares();
        std::vector<RowDistance> result(rows.size());
        for (Index k = 0; k < part.rows(); ++k) {
            RowDistance& row = result[as_size(k)];
            const Rational d = b.denominator(k, 0);
            Integer largest = -1;
            for (Index j = 0; j < cols(); ++j) {
                const Integer size = boost::multiprecision::abs(error.mantissa(k, j));
                if (size <= largest) continue;
                largest = size;
                row.column = j;
            }
            if (largest < 0) largest = 0;
            row.exact_l1 = Rational(sums[as_size(k)] / d);
            row.exact_max_abs = Rational(to_rational(largest, error.exponent()) / d);
            row.l1.set(*row.exact_l1);
            row.max_abs.set(*row.exact_max_abs);
            row.squares.set(Rational(squares[as_size(k)] / (d * d)));
        }
        return result;
    }

  private:
    Eigen::MatrixXd a_;
};

class HeadTarget : public Target {
  public:
    explicit HeadTarget(const AttentionHead& head) : head_(head), fast_((validate(head), head)) {}
    [[nodiscard]] Index rows() const override { return head_.queries(); }
    [[nodiscard]] Index cols() const override { return head_.keys(); }
    [[nodiscard]] bool is_exact() const override { return false; }

    [[nodiscard]] RowState enclose(Index i, std::vector<Interval>& entries) override {
        if (i < first_ || i >= first_ + count_) {
            first_ = i;
            count_ = std::min<Index>(kBlock, rows() - i);
            fast_.enclose(first_, count_, block_);
        }
        const Index k = i - first_;
        const RowState state = block_.state[as_size(k)];
        entries.clear();
        if (state == RowState::empty && head_.empty_rows == EmptyRows::zero) {
            entries.assign(as_size(cols()), Interval(0, 0));
            return RowState::defined;
        }
        if (state != RowState::defined) return RowState::undefined;
        const double theta = block_.relative(k);
        const bool usable = std::isfinite(theta);
        const Interval band = usable ? 1.0 + Interval(-theta, theta) : entire_interval();
        const Interval tiny(-kFastAbsolute, kFastAbsolute);
        for (Index j = 0; j < cols(); ++j) {
            const double weight = block_.weights(j, k);
            if (!head_.visible(i, j)) {
                entries.emplace_back(0.0);
            } else if (!usable) {
                entries.emplace_back(0.0, 1.0);
            } else {
                const Interval raw = Interval(weight) * band + tiny;
                entries.emplace_back(std::max(raw.lower(), 0.0), std::min(raw.upper(), 1.0));
            }
        }
        return RowState::defined;
    }

    [[nodiscard]] std::vector<RowDistance> distances(const std::vector<Index>& rows, const ExactRows& b,
                                                     unsigned bits) override {
        std::vector<RowDistance> result(rows.size());
        PreciseRows precise(head_, bits);
        std::vector<Index> keys;
        const MpInterval zero(bits);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            find_visible(head_, rows[k], keys);
            precise.enclose(rows[k], keys);
            const auto& weights = precise.weights();
            const auto at = static_cast<Index>(k);
            const MpInterval denominator(b.denominator.mantissa(at, 0), b.denominator.exponent(), bits);
            MpInterval l1(bits), largest(bits), squares(bits);
            std::size_t next = 0;
            for (Index j = 0; j < cols(); ++j) {
                const bool visible = next < keys.size() && keys[next] == j;
                const MpInterval entry =
                    MpInterval(b.numerator.mantissa(at, j), b.numerator.exponent(), bits) / denominator;
                const MpInterval error = abs((visible ? weights[next] : zero) - entry);
                if (visible) ++next;
                if (result[k].column < 0 || mpfr_greater_p(error.lower_mpfr(), largest.lower_mpfr()) != 0)
                    result[k].column = j;
                l1 = l1 + error;
                max_into(largest, largest, error);
                squares = squares + sqr(error);
            }
            result[k].l1.set(l1);
            result[k].max_abs.set(largest);
            result[k].squares.set(squares);
        }
        return result;
    }

  private:
    static constexpr Index kBlock = 32;
    const AttentionHead& head_;
    FastProblem fast_;
    FastRows block_;
    Index first_ = 0, count_ = 0;
};

}  // namespace

std::unique_ptr<Target> make_target(const Eigen::Ref<const Eigen::MatrixXd>& a) {
    return std::make_unique<StoredTarget>(a);
}
std::unique_ptr<Target> make_target(const AttentionHead& head) { return std::make_unique<HeadTarget>(head); }

}  // namespace rankcert::audit
