#include "rigor/trusted.hpp"
//
#include "audit/residual.hpp"
#include "rankcert/audit/decomposition.hpp"
#include "rankcert/linalg/product.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::audit {
namespace {

using MatrixRef = Eigen::Ref<const Eigen::MatrixXd>;

ErrorNorms defect_of(const MatrixRef& x, const std::optional<Rational>& tolerance) {
    const Eigen::MatrixXd transposed = x.transpose();
    return measure(
        [&] {
            return enclose_product(transposed, x) -
                   point_matrix(Eigen::MatrixXd::Identity(x.cols(), x.cols()));
        },
        [&] {
            const ExactMatrix exact = ExactMatrix::from_double(x);
            return exact.transpose() * exact - ExactMatrix::identity(x.cols());
        },
        {tolerance, std::nullopt});
}

}  // namespace

DecompositionAudit audit_decomposition(const MatrixRef& a, const MatrixRef& left,
                                       const Eigen::VectorXd& values, const MatrixRef& right,
                                       const DecompositionOptions& options) {
    require_finite_entries(a, "A");
    require_finite_entries(left, "U");
    require_finite_entries(values, "the values");
    require_finite_entries(right, "V");
    if (left.rows() != a.rows() || right.rows() != a.cols() || left.cols() != values.size() ||
        right.cols() != values.size())
        throw Error("a decomposition of a " + std::to_string(a.rows()) + "×" + std::to_string(a.cols()) +
                    " matrix with " + std::to_string(values.size()) +
                    " values has a U and a V with as many columns, " + std::to_string(a.rows()) + " and " +
                    std::to_string(a.cols()) + " rows");
    const FloatingPointGuard guard;
    const Eigen::MatrixXd transposed = right.transpose();
    DecompositionAudit audit;
    audit.residual = measure(
        [&] {
            const Eigen::MatrixXd sigma = values.asDiagonal();
            return point_matrix(a) - enclose_product(enclose_product(left, sigma), transposed);
        },
        [&] {
            const ExactMatrix scaled =
                ExactMatrix::from_double(transposed).scale_rows(ExactMatrix::from_double(values));
            return ExactMatrix::from_double(a) - ExactMatrix::from_double(left) * scaled;
        },
        {options.residual, std::nullopt});
    audit.left_defect = defect_of(left, options.defect);
    audit.right_defect = defect_of(right, options.defect);
    if (options.residual) audit.answer = audit.residual.norm_at_most(*options.residual);
    if (options.defect) {
        audit.answer = both(audit.answer, audit.left_defect.norm_at_most(*options.defect));
        audit.answer = both(audit.answer, audit.right_defect.norm_at_most(*options.defect));
    }
    return audit;
}

}  // namespace rankcert::audit
