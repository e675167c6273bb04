#include "rigor/trusted.hpp"
//
#include <algorithm>
#include <cmath>
#include <vector>

#include "audit/inertia.hpp"

namespace rankcert::audit {
namespace {

using Index = Eigen::Index;
using Grid = std::vector<std::vector<Integer>>;

/// Multiply-adds of words: minors of order k have about k·bits bits.
double work_of(Index n, unsigned bits) {
    const double order = static_cast<double>(n);
    const double limbs = 1 + order * (bits + std::ceil(std::log2(order + 1))) / 64 / 2;
    return order * order * order / 2 * limbs * std::min(limbs, 300.0);
}

/// Makes a[k][k] a pivot by a congruence of rows and columns from k on; false where all that is left is zero.
bool find_pivot(Grid& a, std::size_t k) {
    const std::size_t n = a.size();
    const auto exchange = [&](std::size_t p) {
        std::swap(a[k], a[p]);
        for (auto& row : a) std::swap(row[k], row[p]);
    };
    std::size_t best = n;
    for (std::size_t i = k; i < n; ++i) {
        if (a[i][i] != 0 &&
            (best == n || mpz_cmpabs(a[i][i].backend().data(), a[best][best].backend().data()) < 0))
            best = i;
    }
    if (best != n) {
        if (best != k) exchange(best);
        return true;
    }
    for (std::size_t i = k; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) {
            if (a[i][j] == 0) continue;
            for (std::size_t l = k; l < n; ++l) a[i][l] += a[j][l];
            for (std::size_t l = k; l < n; ++l) a[l][i] += a[l][j];
            if (i != k) exchange(i);
            return true;
        }
    }
    return false;
}

}  // namespace

std::optional<Inertia> exact_inertia(const ExactMatrix& symmetric, double& work_left) {
    const auto n = static_cast<std::size_t>(symmetric.rows());
    const double work = work_of(symmetric.rows(), symmetric.bits());
    if (!(work <= work_left)) return std::nullopt;
    work_left -= work;
    Grid a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            a[i].push_back(symmetric.mantissa(static_cast<Index>(i), static_cast<Index>(j)));
    Inertia inertia;
    Integer previous = 1;
    for (std::size_t k = 0; k < n; ++k) {
        if (!find_pivot(a, k)) {
            inertia.zero = static_cast<Index>(n - k);
            break;
        }
        const Integer pivot = a[k][k];
        if ((pivot > 0) == (previous > 0)) {
            ++inertia.positive;
        } else {
            ++inertia.negative;
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            for (std::size_t j = k + 1; j <= i; ++j) {
                mpz_ptr z = a[i][j].backend().data();
                mpz_mul(z, z, pivot.backend().data());
                mpz_submul(z, a[i][k].backend().data(), a[k][j].backend().data());
                mpz_divexact(z, z, previous.backend().data());
                if (i != j) a[j][i] = a[i][j];
            }
        }
        previous = pivot;
    }
    return inertia;
}

std::optional<Inertia> exact_inertia_at(const ExactMatrix& symmetric, const Rational& t, double& work_left) {
    const Integer p = numerator(t), q = denominator(t);
    const Index n = symmetric.rows();
    return exact_inertia(symmetric.scale(q) - ExactMatrix::identity(n).scale(p), work_left);
}

}  // namespace rankcert::audit
