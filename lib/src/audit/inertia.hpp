#pragma once
/// \file inertia.hpp  How many eigenvalues of an exact symmetric matrix are positive, negative and zero.
/// Internal to the room.
///
/// Theorem (Sylvester). P A Pᵀ has as many positive, negative and zero eigenvalues as A, P regular.
/// Fraction-free elimination (E. H. Bareiss, Math. Comp. 22, 1968) with pivots on the diagonal, rows and
/// columns exchanged alike, leaves after k steps d_k times the Schur complement of the leading k×k block,
/// whose determinant is d_k; so the k-th pivot of the decomposition L D Lᵀ is d_k/d_(k−1). Where the diagonal
/// of what is left is zero and some entry a_ij is not, row and column j are added to row and column i, which
/// makes 2 a_ij of a_ii: a congruence, and one that minors which hold the rows of the first k steps are
/// linear in. Where all that is left is zero, so are as many eigenvalues.

#include <optional>

#include "rankcert/linalg/exact_matrix.hpp"

namespace rankcert::audit {

struct Inertia {
    Eigen::Index positive = 0, negative = 0, zero = 0;
};

/// Of a symmetric matrix. Nothing where it would take more than `most_work` multiply-adds of words, roughly;
/// what it took is taken off.
[[nodiscard]] std::optional<Inertia> exact_inertia(const ExactMatrix& symmetric, double& work_left);

/// The same of q (A − t I) with t = p/q, q > 0: how many eigenvalues are above, below and at t.
[[nodiscard]] std::optional<Inertia> exact_inertia_at(const ExactMatrix& symmetric, const Rational& t,
                                                      double& work_left);

}  // namespace rankcert::audit
