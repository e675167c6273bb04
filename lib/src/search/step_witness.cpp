#include "step_witness.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankcert::search {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

long log2_size(Index n) {
    return std::lround(std::ceil(std::log2(static_cast<double>(std::max<Index>(n, 1))))) + 1;
}

/// How many bits below the quantities that decide everything is rounded: a small part of the margin between v
/// and the tolerance.
long guard_bits(double log2_value, double log2_tolerance) {
    const double margin = -std::expm1(-std::abs(log2_value - log2_tolerance) * std::log(2.));
    return std::clamp(std::lround(std::ceil(6 - std::log2(std::max(margin, 1e-16)))), 8L, 60L);
}

mpfr_prec_t working_bits(const ExactMatrix& centre, double log2_value) {
    return static_cast<mpfr_prec_t>(centre.bits()) + 128 +
           2 * std::lround(std::max(0., std::ceil(-log2_value)));
}

/// D row by row of cells: all zero but for one or two shares (or more where knots share a cell: never here).
RealMatrix interval_shares(const StepFunction& step, Index cells, mpfr_prec_t bits) {
    RealMatrix d(cells, step.size() + 1, bits);
    for (Index j = 0, l = 0; j < cells; ++j) {
        if (l == step.size() || step.cells[at(l)] != j) {
            mpfr_set_ui(d.at(j, l), 1, MPFR_RNDN);
            continue;
        }
        mpfr_sub_si(d.at(j, l), step.knots.at(0, l), j, MPFR_RNDN);
        mpfr_ui_sub(d.at(j, l + 1), 1, d.at(j, l), MPFR_RNDN);
        ++l;
    }
    return d;
}

/// D ← D D_pivots⁻¹ by elimination with complete pivoting on columns; the pivots.
std::optional<std::vector<Index>> normalise_columns(RealMatrix& d) {
    const Index k = d.cols();
    std::vector<Index> pivots(at(k), -1);
    std::vector<bool> used(at(d.rows()), false);
    Real factor(d.bits()), product(d.bits());
    for (Index step = 0; step < k; ++step) {
        Index row = -1, col = -1;
        for (Index i = 0; i < d.rows(); ++i) {
            for (Index j = 0; !used[at(i)] && j < k; ++j) {
                if (pivots[at(j)] >= 0) continue;
                if (row < 0 || mpfr_cmpabs(d.at(i, j), d.at(row, col)) > 0) row = i, col = j;
            }
        }
        if (row < 0 || mpfr_zero_p(d.at(row, col))) return std::nullopt;
        used[at(row)] = true;
        pivots[at(col)] = row;
        mpfr_set(factor.get(), d.at(row, col), MPFR_RNDN);
        for (Index i = 0; i < d.rows(); ++i) mpfr_div(d.at(i, col), d.at(i, col), factor.get(), MPFR_RNDN);
        for (Index j = 0; j < k; ++j) {
            if (j == col || mpfr_zero_p(d.at(row, j))) continue;
            mpfr_set(factor.get(), d.at(row, j), MPFR_RNDN);
            for (Index i = 0; i < d.rows(); ++i) {
                if (mpfr_zero_p(d.at(i, col))) continue;
                mpfr_mul(product.get(), factor.get(), d.at(i, col), MPFR_RNDN);
                mpfr_sub(d.at(i, j), d.at(i, j), product.get(), MPFR_RNDN);
            }
            mpfr_set_zero(d.at(row, j), 1);
        }
    }
    charge_operations(static_cast<double>(d.rows() * k * k) / 8, d.bits());
    return pivots;
}

/// One row for each member of a class, in the places of the members.
std::vector<Integer> spread_rows(const RealMatrix& values, const Classes& classes, Index count,
                                 long exponent) {
    const Index width = values.cols();
    std::vector<Integer> out(at(count * width));
    for (Index c = 0; c < values.rows(); ++c) {
        for (Index j = 0; j < width; ++j) {
            const Integer mantissa = round_to_integer(values.at(c, j), exponent);
            for (const Index member : classes[at(c)]) out[at(member * width + j)] = mantissa;
        }
    }
    return out;
}

/// out ← Σ_l left_il right_lj.
void inner_product(mpfr_ptr out, const RealMatrix& left, Index i, const RealMatrix& right, Index j,
                   Real& scratch) {
    mpfr_set_zero(out, 1);
    for (Index l = 0; l < left.cols(); ++l) {
        if (mpfr_zero_p(left.at(i, l))) continue;
        mpfr_mul(scratch.get(), left.at(i, l), right.at(l, j), MPFR_RNDN);
        mpfr_add(out, out, scratch.get(), MPFR_RNDN);
    }
}

std::vector<Index> representatives(const Classes& classes, const std::vector<Index>& places) {
    std::vector<Index> out;
    for (const Index place : places) out.push_back(classes[at(place)].front());
    return out;
}

}  // namespace

std::optional<FixedSpaceWitness> interval_space(const ExactMatrix& centre, const Classes& rows,
                                                const Classes& cols, const StepFunction& step,
                                                double log2_value, double log2_tolerance) {
    const Index k = step.size() + 1, count = centre.cols();
    const mpfr_prec_t bits = working_bits(centre, log2_value);
    const long guard = guard_bits(log2_value, log2_tolerance);
    RealMatrix d = interval_shares(step, static_cast<Index>(cols.size()), bits);
    const auto pivots = normalise_columns(d);
    if (!pivots) return std::nullopt;

    // Rounding D moves the knots: it changes v by as much as it changes the entries, about.
    const long basis_exponent = std::lround(std::floor(log2_value)) - guard - log2_size(count) - 1;
    FixedSpaceWitness out;
    out.basis =
        ExactMatrix::from_integers(count, k, spread_rows(d, cols, count, basis_exponent), basis_exponent);
    out.pivots = representatives(cols, *pivots);

    // S for the rounded D, from exact C_J.
    const std::vector<Index> extremes = representatives(rows, step.rows);
    RealMatrix block(centre.select_rows(extremes) * out.basis, bits);
    RealMatrix inverse(k, k, bits);
    for (Index i = 0; i < k; ++i) mpfr_set_ui(inverse.at(i, i), 1, MPFR_RNDN);
    if (!solve_in_place(block, inverse)) return std::nullopt;
    // D − S Ã D grows by at most N 2^exponent for each unit of ‖Ã D‖.
    const long exponent = -(guard + log2_size(k) + 2);
    std::vector<Integer> mantissas(at(count * centre.rows()));
    Real value(bits), scratch(bits);
    for (std::size_t c = 0; c < cols.size(); ++c) {
        for (Index l = 0; l < k; ++l) {
            inner_product(value.get(), d, static_cast<Index>(c), inverse, l, scratch);
            const Integer mantissa = round_to_integer(value.get(), exponent);
            for (const Index member : cols[c])
                mantissas[at(member * centre.rows() + extremes[at(l)])] = mantissa;
        }
    }
    charge_operations(3 * static_cast<double>(k) * static_cast<double>(cols.size()), bits);
    out.inverse = ExactMatrix::from_integers(count, centre.rows(), std::move(mantissas), exponent);
    return out;
}

std::optional<FactorWitness> interpolation(const ExactMatrix& centre, const Classes& rows,
                                           const Classes& cols, const StepFunction& step, double log2_value,
                                           double log2_tolerance) {
    const Index n = step.size(), count = centre.cols();
    const mpfr_prec_t bits = working_bits(centre, log2_value);
    std::vector<Index> row_members, col_members;
    for (const auto& members : rows) row_members.push_back(members.front());
    for (const auto& members : cols) col_members.push_back(members.front());
    const RealMatrix a(centre.select_rows(row_members).select_cols(col_members), bits);

    RealMatrix x = cell_means(step, a.cols(), bits);
    for (Index j = 0; j < x.cols(); ++j) mpfr_mul_ui(x.at(0, j), x.at(0, j), cols[at(j)].size(), MPFR_RNDN);
    RealMatrix y(1, a.rows(), bits);
    for (Index i = 0; i < a.rows(); ++i) row_value(y.at(0, i), a, i, x);

    // Z Ã, without the factors that would make the mixes have weights that sum to one: they cancel.
    RealMatrix mixed(n, a.cols(), bits), block(n, n, bits);
    Real scratch(bits);
    Index change = 0;
    for (Index i = 0, before = -1, zero = -1; i < a.rows(); ++i) {
        if (mpfr_zero_p(y.at(0, i))) {
            zero = i;
            continue;
        }
        if (before >= 0 && mpfr_sgn(y.at(0, before)) != mpfr_sgn(y.at(0, i))) {
            if (change == n) return std::nullopt;
            for (Index j = 0; j < a.cols(); ++j) {
                if (zero > before) {
                    mpfr_set(mixed.at(change, j), a.at(zero, j), MPFR_RNDN);
                    continue;
                }
                mpfr_mul(scratch.get(), a.at(before, j), y.at(0, i), MPFR_RNDN);
                mpfr_mul(mixed.at(change, j), a.at(i, j), y.at(0, before), MPFR_RNDN);
                mpfr_sub(mixed.at(change, j), mixed.at(change, j), scratch.get(), MPFR_RNDN);
            }
            for (Index l = 0; l < n; ++l)
                mpfr_set(block.at(change, l), mixed.at(change, step.cells[at(l)]), MPFR_RNDN);
            ++change;
        }
        before = i;
    }
    if (change != n || !solve_in_place(block, mixed)) return std::nullopt;

    // U V changes by at most N 2^exponent a row.
    const long exponent = std::lround(std::floor(log2_tolerance)) - guard_bits(log2_value, log2_tolerance) -
                          log2_size(count) - 1;
    RealMatrix transposed(a.cols(), n, bits);
    for (Index l = 0; l < n; ++l) {
        for (Index j = 0; j < a.cols(); ++j) mpfr_set(transposed.at(j, l), mixed.at(l, j), MPFR_RNDN);
    }
    FactorWitness out;
    out.left = centre.select_cols(representatives(cols, step.cells));
    out.right = ExactMatrix::from_integers(count, n, spread_rows(transposed, cols, count, exponent), exponent)
                    .transpose();
    return out;
}

FactorWitness distinct_columns(const ExactMatrix& centre, const Classes& cols) {
    const auto rank = static_cast<Index>(cols.size());
    std::vector<Index> first;
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(rank, centre.cols());
    for (Index c = 0; c < rank; ++c) {
        first.push_back(cols[at(c)].front());
        for (const Index member : cols[at(c)]) right(c, member) = 1;
    }
    FactorWitness out;
    out.left = centre.select_cols(first);
    out.right = ExactMatrix::from_double(right);
    return out;
}

}  // namespace rankcert::search
