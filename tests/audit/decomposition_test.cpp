// Claimed decompositions and singular vectors.

#include "rankcert/audit/decomposition.hpp"

#include <doctest/doctest.h>

#include <Eigen/SVD>
#include <cmath>

#include "audit/oracle.hpp"
#include "linalg/ball_helpers.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::audit;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using rankcert::test::Kind;
using rankcert::test::kKinds;
using rankcert::tests::matrix;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

VectorOptions sine_at_most(const char* sine) {
    VectorOptions options;
    options.sine = parse_rational(sine);
    return options;
}
bool at_most(const std::optional<MpInterval>& x, const char* bound) {
    return x && certainly_less_equal(*x, parse_rational(bound));
}
bool contains(const std::optional<MpInterval>& x, const Rational& value) { return x && x->contains(value); }

}  // namespace

TEST_CASE("residuals and defects of decompositions, exactly where float64 does not tell") {
    const MatrixXd a = matrix({{3, -8}, {4, 6}});  // [[3, −4], [4, 3]] · diag(1, 2)
    const MatrixXd u = matrix({{3, -4}, {4, 3}}), one = MatrixXd::Identity(2, 2);
    VectorXd values(2);
    values << 1, 2;
    DecompositionOptions options;
    options.residual = 0;
    const DecompositionAudit exact = audit_decomposition(a, u, values, one, options);
    CHECK(exact.answer == Answer::proved);
    CHECK(*exact.residual.exact_norm == 0);
    CHECK(exact.left_defect.max_abs.contains(24.0));  // U is 5 times orthogonal
    CHECK(*exact.right_defect.exact_norm == 0);
    options.defect = parse_rational("1e-15");
    CHECK(audit_decomposition(a, u, values, one, options).answer == Answer::refuted);
    options.residual = parse_rational("1e-14");
    const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    CHECK(audit_decomposition(a, svd.matrixU(), svd.singularValues(), svd.matrixV(), options).answer ==
          Answer::proved);
    // A sign lost in one vector is 2σ in the residual.
    MatrixXd flipped = svd.matrixU();
    flipped.col(1) *= -1;
    const DecompositionAudit wrong =
        audit_decomposition(a, flipped, svd.singularValues(), svd.matrixV(), options);
    CHECK(wrong.answer == Answer::refuted);
    CHECK(wrong.residual.frobenius.upper_double() > 9.99);
    CHECK(wrong.residual.frobenius.lower_double() < 10.01);
    // Cut off at rank 1, and sizes from 1e-200 to 1e200.
    for (const double size : {1e-200, 1., 1e200}) {
        const DecompositionAudit cut =
            audit_decomposition(size * a, svd.matrixU().leftCols(1), size * svd.singularValues().head(1),
                                svd.matrixV().leftCols(1), {});
        CHECK(cut.residual.frobenius.upper_double() < 5.001 * size);
        CHECK(cut.residual.frobenius.lower_double() > 4.999 * size);
    }
    CHECK_THROWS_WITH_AS((void)audit_decomposition(a, matrix({{1, 0}, {kNan, 0}}), values, one),
                         doctest::Contains("(1, 0) of U"), Error);
    CHECK_THROWS_AS((void)audit_decomposition(a, one, values, MatrixXd::Identity(3, 2)), Error);
}

TEST_CASE("residuals of random decompositions contain the exact ones") {
    test::Random random(23);
    for (int round = 0; round < 10; ++round) {
        for (const Kind kind : kKinds) {
            const Index m = 1 + static_cast<Index>(random() % 4), n = 1 + static_cast<Index>(random() % 4);
            const Index k = 1 + static_cast<Index>(random() % 3);
            const MatrixXd a = test::random_matrix(m, n, kind, random);
            const MatrixXd u = test::random_matrix(m, k, kind, random),
                           v = test::random_matrix(n, k, kind, random);
            const MatrixXd s = test::random_matrix(k, 1, kind, random);
            DecompositionOptions options;
            const ExactMatrix error = ExactMatrix::from_double(a) -
                                      ExactMatrix::from_double(u) *
                                          ExactMatrix::from_double(MatrixXd(VectorXd(s).asDiagonal())) *
                                          ExactMatrix::from_double(v).transpose();
            options.residual = error.norm();
            const bool tie = random() % 2 == 0;
            if (!tie) *options.residual *= 1 - to_rational(0x1p-70);
            const DecompositionAudit audit = audit_decomposition(a, u, s, v, options);
            CHECK(audit.answer == (tie || error.norm() == 0 ? Answer::proved : Answer::refuted));
            CHECK(audit.residual.norm.contains(error.norm()));
            CHECK(sqr(audit.residual.frobenius.with_precision(256)).contains(error.squared_frobenius_norm()));
        }
    }
}

TEST_CASE("angles of singular vectors") {
    const MatrixXd a = matrix({{3, -8}, {4, 6}});  // values 10 and 5: u₁ = (−4, 3)/5, v₁ = e₂
    const MatrixXd u = matrix({{-4, 3}, {3, 4}}), v = matrix({{0, 1}, {1, 0}});
    const VectorAudit exact = audit_singular_vectors(a, u, v, sine_at_most("1e-100"));
    CHECK(exact.answer == Answer::proved);
    // Wide and tall, other signs and lengths.
    CHECK(audit_singular_vectors(a.transpose(), v, -3 * u, sine_at_most("1e-100")).answer == Answer::proved);
    // fl(.6), fl(.8): the sine is that of exact arithmetic.
    const MatrixXd rounded = matrix({{-.8, .6}, {.6, .8}});
    const VectorAudit near = audit_singular_vectors(a, rounded, v, sine_at_most("1e-16"));
    CHECK(near.answer == Answer::proved);
    const Rational p = to_rational(.8), q = to_rational(.6);
    const Rational sine_squared = (3 * p - 4 * q) * (3 * p - 4 * q) / (25 * (p * p + q * q));
    CHECK(sqr(near.left[0]->with_precision(256)).contains(sine_squared));
    CHECK(at_most(near.right[0], "1e-30"));
    // Vectors exchanged are at right angles; 1/2 is refuted, and named.
    const VectorAudit exchanged = audit_singular_vectors(a, u, v.rowwise().reverse(), sine_at_most("0.5"));
    CHECK(exchanged.answer == Answer::refuted);
    CHECK_FALSE(exchanged.left_fails);
    CHECK(contains(exchanged.right[0], 1));
    // No gap, no direction: the identity has any basis.
    const MatrixXd one = MatrixXd::Identity(3, 3);
    const VectorAudit any = audit_singular_vectors(one, one, one, sine_at_most("1"));
    CHECK(any.answer == Answer::undecided);
    CHECK_FALSE(any.left[0].has_value());
    // A pair among simple values: those that are simple are decided.
    MatrixXd pair = MatrixXd(VectorXd(VectorXd::Ones(3)).asDiagonal());
    pair(0, 0) = 2;
    const VectorAudit some = audit_singular_vectors(pair, one, one, sine_at_most("0"));
    CHECK(at_most(some.left[0], "1e-50"));
    CHECK_FALSE(some.right[1].has_value());
    CHECK_FALSE(some.right[2].has_value());
    // A zero vector has no direction.
    CHECK(audit_singular_vectors(a, MatrixXd::Zero(2, 2), v, sine_at_most("0.9")).answer == Answer::refuted);
}

TEST_CASE("vectors of zero, of close and of tiny values") {
    // Rank 1: the null vectors are unique for 2×2, and the left ones are not for 3×2.
    const MatrixXd a = matrix({{1, 1}, {2, 2}});
    const MatrixXd u = matrix({{1, 2}, {2, -1}}), v = matrix({{1, 1}, {1, -1}});
    CHECK(audit_singular_vectors(a, u, v, sine_at_most("1e-50")).answer == Answer::proved);
    MatrixXd off = v;
    off(0, 1) = 1.25;
    const VectorAudit wrong = audit_singular_vectors(a, u, off, sine_at_most("0.01"));
    CHECK(wrong.answer == Answer::refuted);
    CHECK(*wrong.failure == 1);
    const MatrixXd tall = matrix({{1, 1}, {2, 2}, {0, 0}}), left = matrix({{1, 2}, {2, -1}, {0, 0}});
    const VectorAudit half = audit_singular_vectors(tall, left, v, sine_at_most("1e-50"));
    CHECK(half.answer == Answer::undecided);
    CHECK(at_most(half.right[1], "0"));
    CHECK_FALSE(half.left[1].has_value());
    // Values 1 and 1 + 2⁻⁵²: float64 says nothing of them, 128 bits do.
    const MatrixXd close = matrix({{1, 0}, {0, 1 + 0x1p-52}}), swap = matrix({{0, 1}, {1, 0}});
    CHECK(audit_singular_vectors(close, swap, swap, sine_at_most("1e-15")).answer == Answer::proved);
    const VectorAudit other =
        audit_singular_vectors(close, MatrixXd::Identity(2, 2), swap, sine_at_most("0.9"));
    CHECK(other.answer == Answer::refuted);
    CHECK(other.left_fails);
    // 25 I + δ (3, 4)(3, 4)ᵀ has the vectors (3, 4) and (−4, 3), exactly, which MPFR's are not: an enclosure
    // that forgets how far those are from the exact ones excludes the angle 0.
    const MatrixXd w = matrix({{3, -4}, {4, 3}});
    for (const int e : {-8, -20, -33, -44}) {
        const MatrixXd narrow =
            25 * MatrixXd::Identity(2, 2) + std::ldexp(1.0, e) * matrix({{9, 12}, {12, 16}});
        for (const unsigned bits : {128U, 1024U}) {
            VectorOptions options = sine_at_most("1e-20");
            options.most_bits = bits;
            const VectorAudit found = audit_singular_vectors(narrow, w, w, options);
            CHECK(found.answer == Answer::proved);
            for (Index i = 0; i < 2; ++i) {
                CHECK(contains(found.left[static_cast<std::size_t>(i)], 0));
                CHECK(contains(found.right[static_cast<std::size_t>(i)], 0));
            }
        }
    }
    // A graded matrix: σ₂ is 1e-40 of σ₁.
    const MatrixXd graded = matrix({{1, 0}, {0, 1e-40}});
    CHECK(audit_singular_vectors(graded, MatrixXd::Identity(2, 2), MatrixXd::Identity(2, 2),
                                 sine_at_most("1e-20"))
              .answer == Answer::proved);
}

TEST_CASE(
    "angles of random matrices' float64 vectors are small, and those of perturbed ones are what was done") {
    test::Random random(29);
    for (const Index n : {2, 5, 12}) {
        const MatrixXd a = test::random_matrix(n + 2, n, Kind::uniform, random);
        const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
        const VectorAudit good =
            audit_singular_vectors(a, svd.matrixU(), svd.matrixV(), sine_at_most("1e-12"));
        CHECK(good.answer == Answer::proved);
        MatrixXd v = svd.matrixV();
        v.col(0) += 1e-3 * v.col(1);
        const VectorAudit bad = audit_singular_vectors(a, svd.matrixU(), v, sine_at_most("9e-4"));
        CHECK(bad.answer == Answer::refuted);
        CHECK(at_most(bad.right[0], "0.00100001"));
    }
}
