#include "row_regression.hpp"

#include <glpk.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "rankcert/search/work.hpp"

namespace rankcert::search {

namespace {

/// The program of one row after the other: only the objective changes, so that each starts from the basis
/// that the one before ended with. GLPK's state is the thread's own.
class RowProgram {
  public:
    explicit RowProgram(const Matrix& right) : problem_(glp_create_prob()), scale_(right.rows()) {
        const Index rank = right.rows(), n = right.cols();
        glp_prob* p = problem_.get();
        glp_set_obj_dir(p, GLP_MAX);
        glp_add_rows(p, to_int(rank));
        glp_add_cols(p, to_int(n));
        std::vector<int> places(static_cast<std::size_t>(n) + 1);
        std::iota(places.begin(), places.end(), 0);
        std::vector<double> values(places.size());
        for (Index k = 0; k < rank; ++k) {
            const double largest = right.row(k).cwiseAbs().maxCoeff();
            scale_(k) = largest > 0 ? 1 / largest : 1;
            for (Index j = 0; j < n; ++j) values[static_cast<std::size_t>(j) + 1] = right(k, j) * scale_(k);
            glp_set_row_bnds(p, to_int(k) + 1, GLP_FX, 0, 0);
            glp_set_mat_row(p, to_int(k) + 1, to_int(n), places.data(), values.data());
        }
        for (Index j = 0; j < n; ++j) glp_set_col_bnds(p, to_int(j) + 1, GLP_DB, -1, 1);
    }

    std::optional<Vector> solve(const Eigen::Ref<const Vector>& row) {
        glp_prob* p = problem_.get();
        for (Index j = 0; j < row.size(); ++j) glp_set_obj_coef(p, to_int(j) + 1, row(j));
        glp_smcp how;
        glp_init_smcp(&how);
        how.msg_lev = GLP_MSG_OFF;
        how.it_lim = 20 * (glp_get_num_rows(p) + glp_get_num_cols(p));
        const int before = glp_get_it_cnt(p);
        const int refused = glp_simplex(p, &how);
        // What an iteration takes with dense rows, measured for n = 64 to 256.
        constexpr double kOperationsPerSecond = 4e8;
        const double size =
            static_cast<double>(glp_get_num_rows(p)) * (glp_get_num_rows(p) + glp_get_num_cols(p));
        charge_work((2 + glp_get_it_cnt(p) - before) * size / kOperationsPerSecond);
        if (refused != 0) return std::nullopt;
        Vector u(scale_.size());
        for (Index k = 0; k < u.size(); ++k) u(k) = glp_get_row_dual(p, to_int(k) + 1) * scale_(k);
        if (!u.allFinite()) return std::nullopt;
        return u;
    }

  private:
    static int to_int(Index value) { return static_cast<int>(value); }

    struct Delete {
        void operator()(glp_prob* problem) const { glp_delete_prob(problem); }
    };
    std::unique_ptr<glp_prob, Delete> problem_;
    Vector scale_;  ///< of the rows of V in the program
};

}  // namespace

std::optional<Factors> regress_rows(const Matrix& a, const Factors& factors, double tolerance) {
    if (factors.left.cols() == 0 || a.size() == 0 || !factors.right.allFinite()) return std::nullopt;
    const auto error = [&](Index i, const Vector& u) {
        return (a.row(i).transpose() - factors.right.transpose() * u).lpNorm<1>();
    };
    RowProgram program(factors.right);
    Factors out = factors;
    bool better = false;
    for (Index i = 0; i < a.rows(); ++i) {
        const double before = error(i, factors.left.row(i).transpose());
        if (before <= tolerance) continue;
        const auto u = program.solve(a.row(i).transpose());
        if (!u || !(error(i, *u) < before)) continue;
        out.left.row(i) = u->transpose();
        better = true;
    }
    if (!better) return std::nullopt;
    out.estimate_error = estimate_factor_error(a, out.left, out.right);
    return out;
}

}  // namespace rankcert::search
