#pragma once
/// \file factor_targets.hpp  What an approximation is compared with: a stored matrix or the rows of a head.
/// Internal to the room.

#include <memory>

#include "audit/factor_rows.hpp"

namespace rankcert::audit {

/// The errors of one row.
struct RowDistance {
    MpInterval l1{64}, max_abs{64}, squares{64};
    std::optional<Rational> exact_l1, exact_max_abs;
    Index column = -1;
};

class Target {
  public:
    virtual ~Target() = default;
    [[nodiscard]] virtual Index rows() const = 0;
    [[nodiscard]] virtual Index cols() const = 0;
    /// Encloses row i of A in float64 where it is defined. Rows are asked for in increasing order.
    [[nodiscard]] virtual RowState enclose(Index i, std::vector<Interval>& entries) = 0;
    /// The errors of some defined rows of A against rows of B with positive denominators, at `bits` bits or
    /// exactly.
    [[nodiscard]] virtual std::vector<RowDistance> distances(const std::vector<Index>& rows,
                                                             const ExactRows& b, unsigned bits) = 0;
    /// Whether distances() depends on the bits.
    [[nodiscard]] virtual bool is_exact() const = 0;
};

[[nodiscard]] std::unique_ptr<Target> make_target(const Eigen::Ref<const Eigen::MatrixXd>& a);
[[nodiscard]] std::unique_ptr<Target> make_target(const AttentionHead& head);

}  // namespace rankcert::audit
