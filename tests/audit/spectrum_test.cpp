// Claims about singular values, eigenvalues and ranks: the cases C01 to C16 and G6, G9 of known faults,
// failures of the decomposition underneath, and random matrices against exact characteristic polynomials.

#include "rankcert/audit/spectrum.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>

#include "audit/oracle.hpp"
#include "linalg/ball_helpers.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::audit;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using rankcert::test::EigenvalueCounter;
using rankcert::test::Kind;
using rankcert::test::kKinds;
using rankcert::tests::matrix;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using enum SpectrumClaimKind;

VectorXd vector(std::initializer_list<double> values) {
    VectorXd v(static_cast<Index>(values.size()));
    std::copy(values.begin(), values.end(), v.begin());
    return v;
}
MatrixXd diagonal(std::initializer_list<double> values) { return vector(values).asDiagonal(); }

SpectrumOptions claiming(SpectrumClaimKind kind, const char* tolerance = "0") {
    SpectrumOptions options;
    options.claims.push_back({kind, parse_rational(tolerance)});
    return options;
}
Answer singular(const MatrixXd& a, const VectorXd& claimed, SpectrumClaimKind kind,
                const char* tolerance = "0") {
    return audit_singular_values(a, claimed, claiming(kind, tolerance)).answer();
}
Answer eigen(const MatrixXd& a, const VectorXd& claimed, SpectrumClaimKind kind,
             const char* tolerance = "0") {
    return audit_eigenvalues(a, claimed, claiming(kind, tolerance)).answer();
}
Index above(const MatrixXd& a, const char* t, ThresholdKind kind = ThresholdKind::absolute) {
    const RankAudit audit = audit_numerical_rank(a, {parse_rational(t), kind}, std::nullopt);
    CHECK(audit.answer == Answer::proved);
    return audit.lower == audit.upper ? audit.lower : -1;
}
Index rank_of(const MatrixXd& a) {
    const RankAudit audit = audit_rank(a, std::nullopt);
    CHECK(audit.answer == Answer::proved);
    CHECK(audit_rank(a, audit.lower).answer == Answer::proved);
    CHECK(audit_rank(a, audit.lower + 1).answer == Answer::refuted);
    return audit.lower;
}
bool is_exactly(const MpInterval& x, double value) { return x.is_point() && x.contains(value); }

}  // namespace

TEST_CASE("C01, C14, C04: the exact rank needs no tolerance") {
    CHECK(rank_of(matrix({{1, 1}, {1, 1}})) == 1);
    CHECK(rank_of(MatrixXd::Constant(37, 20, 1. / 3)) == 1);
    CHECK(rank_of(diagonal({1e8, 1, 1e-9})) == 3);
    CHECK(above(diagonal({1e8, 1, 1e-9}), "6.7e-8") == 2);
    CHECK(rank_of(diagonal({1e300, 5e-324})) == 2);
    CHECK(rank_of(matrix({{.1, .3}, {.2, .6}})) == 1);
    CHECK(rank_of(matrix({{.1, .3}, {.3, .9}})) == 2);  // the double .3 is not three times the double .1
    for (const double t : {1e-3, 1e-4}) {
        const Index n = 96;
        MatrixXd a = MatrixXd::Constant(n, n, (1 - t) / static_cast<double>(n));
        a.diagonal().array() += t;
        CHECK(rank_of(a) == n);
        CHECK(above(a, "1e-5") == n);
        VectorXd claimed = VectorXd::Constant(n, t);
        claimed[0] = 1;
        CHECK(singular(a, claimed, absolute, "1e-14") == Answer::proved);
        claimed[n - 1] = 0;
        CHECK(singular(a, claimed, absolute, "1e-5") == Answer::refuted);
    }
}

TEST_CASE("C04: 1,024 tokens") {
    const Index n = 1024;
    MatrixXd a = MatrixXd::Constant(n, n, (1 - 1e-4) / static_cast<double>(n));
    a.diagonal().array() += 1e-4;
    CHECK(audit_rank(a, n).answer == Answer::proved);
}

TEST_CASE("C02: a threshold counts singular values, whatever the shape") {
    for (const MatrixXd& a : {MatrixXd(matrix({{0, 0, 1e-14}})), MatrixXd(matrix({{0}, {0}, {1e-14}}))}) {
        CHECK(above(a, "1e-13") == 0);
        CHECK(above(a, "1e-15") == 1);
        CHECK(above(a, "0") == 1);
        CHECK(is_exactly(audit_singular_values(a, vector({1e-14})).values[0], 1e-14));
    }
}

TEST_CASE("thresholds are strict, and ties with them decided") {
    CHECK(above(diagonal({2, 1}), "1") == 1);
    CHECK(above(diagonal({2, 1}), "0.99999999999999999999999999999") == 2);
    CHECK(above(diagonal({2, 1}), "1/2", ThresholdKind::of_largest) == 1);
    CHECK(above(diagonal({2, 1}), "1", ThresholdKind::of_largest) == 0);
    CHECK(above(diagonal({2, 2}), "1", ThresholdKind::of_largest) == 0);
    CHECK(above(diagonal({3, 4}), "3/5", ThresholdKind::of_frobenius) == 1);
    CHECK(above(diagonal({3, 4}), "0.6000000000000000000001", ThresholdKind::of_frobenius) == 1);
    CHECK(above(diagonal({3, 4}), "0.5999999999999999999999", ThresholdKind::of_frobenius) == 2);
    CHECK(above(matrix({{1, 1}, {1, -1}}), "0.70710678118654752440084436210484903928",
                ThresholdKind::of_row_norm) == 2);
    CHECK(above(matrix({{1, 1}, {1, -1}}), "0.70710678118654752440084436210484903929",
                ThresholdKind::of_row_norm) == 0);
    CHECK(above(MatrixXd::Zero(3, 2), "0") == 0);
    CHECK(above(MatrixXd::Zero(3, 2), "0", ThresholdKind::of_largest) == 0);
    CHECK(above(MatrixXd::Zero(3, 2), "0.1", ThresholdKind::of_frobenius) == 0);
    CHECK(audit_numerical_rank(MatrixXd(diagonal({2, 1})), {1, ThresholdKind::absolute}, 2).answer ==
          Answer::refuted);
    // Irrational ties: both values of [[1, 1], [1, −1]] are √2, and 1/√2 of the Frobenius norm 2 is no
    // rational.
    CHECK(audit_singular_values(matrix({{1, 1}, {1, -1}}), vector({std::sqrt(2.), std::sqrt(2.)}),
                                claiming(correctly_rounded))
              .answer() == Answer::proved);
    CHECK_THROWS_AS((void)audit_numerical_rank(MatrixXd::Zero(1, 1), {-1, ThresholdKind::absolute}, 0),
                    Error);
}

TEST_CASE("C07: a matrix that is not finite is refused, and the entry named") {
    CHECK_THROWS_WITH_AS((void)audit_rank(matrix({{kInf, 1}, {1, 0}}), 0), doctest::Contains("(0, 0)"),
                         Error);
    CHECK_THROWS_WITH_AS((void)audit_singular_values(matrix({{1, 2}, {kNan, 0}}), vector({1, 1})),
                         doctest::Contains("(1, 0)"), Error);
    CHECK_THROWS_WITH_AS((void)audit_numerical_rank(matrix({{1, -kInf}}), {1, {}}, 0),
                         doctest::Contains("(0, 1)"), Error);
    CHECK_THROWS_AS((void)audit_eigenvalues(matrix({{1, 2}, {3, 4}}), vector({1, 1})), Error);
    CHECK_THROWS_AS((void)audit_singular_values(MatrixXd::Identity(2, 2), vector({1, 1, 1})), Error);
    CHECK_THROWS_AS((void)audit_eigenvalues(MatrixXd::Identity(2, 2), vector({1})), Error);
    SpectrumOptions half = claiming(absolute, "1");
    half.format = NumberFormat::float16;
    CHECK_THROWS_AS((void)audit_singular_values(MatrixXd::Identity(1, 1), vector({1.0001}), half), Error);
}

TEST_CASE("C08: a wrong result is refuted") {
    const double root = std::sqrt(2.0);
    CHECK(singular(diagonal({-1, -root}), vector({1, 1}), absolute, "0.41") == Answer::refuted);
    CHECK(singular(diagonal({-1, -root}), vector({root, 1}), absolute) == Answer::proved);
    const SpectrumAudit audit =
        audit_singular_values(diagonal({-1, -root}), vector({1, 1}), claiming(absolute, "0.5"));
    CHECK(audit.answer() == Answer::proved);
    CHECK(audit.largest.value.contains(to_rational(root) - 1));
    CHECK(audit.largest.place.column == 0);
    // A claim with a number missing, or one twice.
    CHECK(singular(diagonal({3, 2, 1}), vector({3, 3, 1}), absolute, "0.9") == Answer::refuted);
    for (const double bad : {kNan, kInf, -kInf}) {
        CHECK(singular(diagonal({2, 1}), vector({bad, 1}), absolute, "1e300") == Answer::refuted);
        CHECK(audit_singular_values(diagonal({2, 1}), vector({bad, 1})).answer() == Answer::refuted);
    }
}

TEST_CASE("C10, G9: zero matrices and degenerate shapes") {
    for (const auto& [rows, cols] :
         std::vector<std::pair<Index, Index>>{{3, 3}, {1, 1}, {2, 4}, {4, 2}, {1, 5}}) {
        const MatrixXd zero = MatrixXd::Zero(rows, cols);
        const Index p = std::min(rows, cols);
        const SpectrumAudit audit = audit_singular_values(zero, VectorXd::Zero(p), claiming(backward));
        CHECK(audit.answer() == Answer::proved);
        CHECK(audit.correctly_rounded == static_cast<std::uint64_t>(p));
        CHECK(singular(zero, VectorXd::Constant(p, 1e-300), backward, "1") == Answer::refuted);
        CHECK(singular(zero, VectorXd::Constant(p, kNan), absolute, "1") == Answer::refuted);
        CHECK(rank_of(zero) == 0);
    }
    CHECK(audit_singular_values(MatrixXd(0, 3), VectorXd(0)).answer() == Answer::proved);
    CHECK(audit_rank(MatrixXd(0, 3), 0).answer == Answer::proved);
    CHECK(audit_eigenvalues(MatrixXd(0, 0), VectorXd(0)).answer() == Answer::proved);
    CHECK(singular(matrix({{3, 4}}), vector({5}), absolute) == Answer::proved);
    MatrixXd a = MatrixXd::Zero(2, 4);
    a(1, 0) = a(0, 3) = 1;
    CHECK(singular(a, vector({1, 1}), absolute) == Answer::proved);
    CHECK(singular(a, vector({1, 1 - 0x1p-53}), absolute, "1e-17") == Answer::refuted);
}

TEST_CASE("C11: rounding noise and exact zeros") {
    const MatrixXd a = matrix({{-4, -3, -2}, {-1, 0, 1}, {2, 3, 4}});
    CHECK(rank_of(a) == 2);
    for (const double noise : {0.0, 3e-17, 1.9e-16}) {
        const SpectrumAudit audit = audit_singular_values(a, vector({std::sqrt(54.), std::sqrt(6.), noise}),
                                                          claiming(backward, "2.3e-16"));
        CHECK(audit.answer() == Answer::proved);
        CHECK(is_exactly(audit.values[2], 0));
        CHECK(sqr(audit.values[0]).contains(54.0));
        CHECK(sqr(audit.values[1]).contains(6.0));
        CHECK(audit.relative.infinite == (noise != 0));
        CHECK(audit.correctly_rounded == (noise == 0 ? 3U : 2U));
    }
    CHECK(singular(a, vector({std::sqrt(54.), std::sqrt(6.), 3e-17}), relative, "1e10") == Answer::refuted);
    CHECK(above(a, "0") == 2);
}

TEST_CASE("C13: an unsorted claim is sorted, and it is noted") {
    const SpectrumAudit audit = audit_singular_values(diagonal({2, 1}), vector({1, 2}), claiming(absolute));
    CHECK(audit.answer() == Answer::proved);
    CHECK_FALSE(audit.was_sorted);
    CHECK(audit_singular_values(diagonal({2, 1}), vector({2, 1})).was_sorted);
    CHECK_FALSE(audit_eigenvalues(diagonal({2, 1}), vector({2, 1})).was_sorted);
    CHECK(eigen(diagonal({2, -1}), vector({2, -1}), absolute) == Answer::proved);
    // The k largest.
    CHECK(singular(diagonal({1, 3, 2}), vector({2, 3}), absolute) == Answer::proved);
}

TEST_CASE("C15: a decomposition that fails, or is garbage, is no obstacle and never believed") {
    MatrixXd a = matrix({{4, 1, 0}, {1, 3, -1}, {0, -1, 2}, {1, 1, 1}});
    const VectorXd right = VectorXd(a.jacobiSvd().singularValues());
    const MatrixXd symmetric = a.topRows(3);
    VectorXd wrong = right;
    wrong[1] += .125;
    std::vector<Decomposer> bad;
    bad.emplace_back([](const MatrixXd&) { return std::nullopt; });
    bad.emplace_back(
        [](const MatrixXd&) -> std::optional<ProposedDecomposition> { throw std::runtime_error("no"); });
    bad.emplace_back([](const MatrixXd&) { return ProposedDecomposition{}; });
    for (const double filling : {kNan, kInf, 0.0, 1.0, 1e300}) {
        bad.emplace_back([filling](const MatrixXd& m) {
            const Index p = m.cols();
            return ProposedDecomposition{MatrixXd::Constant(m.rows(), p, filling),
                                         VectorXd::Constant(p, filling), MatrixXd::Constant(p, p, filling)};
        });
    }
    // A decomposition of another matrix.
    bad.emplace_back([](const MatrixXd& m) {
        const Eigen::JacobiSVD<MatrixXd> svd(m + MatrixXd::Constant(m.rows(), m.cols(), .5),
                                             Eigen::ComputeThinU | Eigen::ComputeThinV);
        return ProposedDecomposition{svd.matrixU(), svd.singularValues(), svd.matrixV()};
    });
    for (const Decomposer& decompose : bad) {
        for (const unsigned bits : {53U, 1024U}) {
            SpectrumOptions options = claiming(absolute, "1e-14");
            options.decompose = decompose;
            options.most_bits = bits;
            for (const MatrixXd& m : {a, MatrixXd(a.transpose())}) {
                const Answer good = audit_singular_values(m, right, options).answer();
                CHECK(good == (bits > 53 ? Answer::proved : Answer::undecided));
                CHECK(audit_singular_values(m, wrong, options).answer() ==
                      (bits > 53 ? Answer::refuted : Answer::undecided));
                // The norm bounds them even so.
                CHECK(audit_singular_values(m, 100 * right, options).answer() == Answer::refuted);
            }
            const VectorXd values = Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric).eigenvalues();
            CHECK(audit_eigenvalues(symmetric, values, options).answer() ==
                  (bits > 53 ? Answer::proved : Answer::undecided));
        }
    }
}

TEST_CASE("C16: half-precision numbers are doubles") {
    SpectrumOptions options = claiming(correctly_rounded);
    options.format = NumberFormat::float16;
    CHECK(
        audit_singular_values(matrix({{1, 1}, {1, -1}}), vector({1.4140625, 1.4140625}), options).answer() ==
        Answer::proved);
    CHECK(audit_singular_values(matrix({{1, 1}, {1, -1}}), vector({1.4140625, 1.4150390625}), options)
              .answer() == Answer::refuted);
    options.claims = {{ulps, Rational(1)}};
    CHECK(audit_singular_values(matrix({{1, 1}, {1, -1}}), vector({1.4140625, 1.4150390625}), options)
              .answer() == Answer::proved);
}

TEST_CASE("G6: a triple eigenvalue") {
    const MatrixXd a = matrix({{1, 2, 1, 1, 1, 1},
                               {0, 1, 0, 1, 0, 1},
                               {1, 1, 2, 0, 1, 0},
                               {0, 1, 0, 2, 1, 1},
                               {1, 1, 1, 0, 2, 0},
                               {0, 1, 1, 1, 0, 2}});
    CHECK(rank_of(a) == 6);
    CHECK(rank_of(a - MatrixXd::Identity(6, 6)) < 6);
    // Symmetric, with 1 three times: I + 3 e eᵀ/4 on the first four.
    MatrixXd s = MatrixXd::Identity(5, 5);
    s.topLeftCorner(4, 4).array() += .75;
    s(4, 4) = 0;
    CHECK(eigen(s, vector({0, 1, 1, 1, 4}), absolute) == Answer::proved);
    CHECK(eigen(s, vector({0, 1, 1, 1 + 0x1p-52, 4}), absolute, "1e-16") == Answer::refuted);
    CHECK(eigen(s, vector({0, 1, 1, 1 + 0x1p-52, 4}), ulps, "1") == Answer::proved);
    CHECK(eigen(s, vector({0, 1, 1, 1 + 0x1p-52, 4}), ulps, "0.99999999999999999999") == Answer::refuted);
    CHECK(eigen(s, vector({0, .527, 1, 1.473, 4}), absolute, "0.4") == Answer::refuted);
    CHECK(audit_eigenvalues(s, vector({0, 1, 1, 1, 4})).correctly_rounded == 5);
    CHECK(eigen(matrix({{0, 1}, {1, 0}}), vector({1, -1}), absolute) == Answer::proved);
    CHECK(eigen(matrix({{-5e-324}}), vector({-5e-324}), absolute) == Answer::proved);
}

TEST_CASE("values of all sizes: float64 is too wide, and the answers right") {
    // 1e16 apart per step; graded by rows and mixed by a unimodular matrix.
    for (const double step : {1e-8, 1e-16, 1e-60}) {
        MatrixXd a = MatrixXd::Zero(4, 4);
        for (Index i = 0; i < 4; ++i)
            for (Index j = 0; j <= i; ++j)
                a(i, j) = std::pow(step, static_cast<double>(i)) * (i == j ? 1 : .5);
        SpectrumOptions options = claiming(relative, "1e-15");
        options.tight = true;
        const SpectrumAudit first = audit_singular_values(a, VectorXd::Zero(4), options);
        CHECK(first.answer() == Answer::refuted);
        VectorXd values(4);
        Rational product = 1, determinant = 1;
        for (Index i = 0; i < 4; ++i) {
            values[i] = first.values[static_cast<std::size_t>(i)].lower_double();
            product *= to_rational(values[i]);
            determinant *= to_rational(a(i, i));
        }
        CHECK(abs(Rational(product / determinant - 1)) < parse_rational("1e-14"));
        CHECK(audit_singular_values(a, values, options).answer() == Answer::proved);
        CHECK(audit_singular_values(a, values, claiming(ulps, "16")).answer() == Answer::proved);
        values[3] *= 1 + 1e-14;
        CHECK(audit_singular_values(a, values, options).answer() == Answer::refuted);
        CHECK(audit_singular_values(a, values, claiming(backward, "1e-15")).answer() == Answer::proved);
    }
    // Beyond any precision that is allowed: not decided, and not wrong.
    SpectrumOptions few = claiming(relative, "1e-3");
    few.most_bits = 128;
    const MatrixXd far = matrix({{1e300, 1e300}, {1e-300, 2e-300}});
    CHECK(audit_singular_values(far, vector({std::sqrt(2.) * 1e300, 7e-301}), few).answer() ==
          Answer::undecided);
    few.most_bits = 4096;
    CHECK(audit_singular_values(far, vector({std::sqrt(2.) * 1e300, 1e-300 / std::sqrt(2.)}), few).answer() ==
          Answer::proved);
    CHECK(audit_singular_values(far, vector({std::sqrt(2.) * 1e300, 7e-301}), few).answer() ==
          Answer::refuted);
}

TEST_CASE("the real matrix behind a rounded one: what holds for all members") {
    const BallMatrix ball{diagonal({2, 1, .25}), MatrixXd::Constant(3, 3, .01)};
    // ‖radius‖₂ = 0.03.
    CHECK(audit_singular_values(ball, vector({2, 1, .25}), claiming(absolute, "0.0301")).answer() ==
          Answer::proved);
    CHECK(audit_singular_values(ball, vector({2, 1, .25}), claiming(absolute, "0.029")).answer() ==
          Answer::undecided);
    CHECK(audit_singular_values(ball, vector({2, 1, .15}), claiming(absolute, "0.05")).answer() ==
          Answer::refuted);
    CHECK(audit_rank(ball, 3).answer == Answer::proved);
    CHECK(audit_rank(ball, 2).answer == Answer::refuted);
    CHECK(audit_numerical_rank(ball, {Rational(1, 2), {}}, 2).answer == Answer::proved);
    CHECK(audit_numerical_rank(ball, {Rational(1, 4), {}}, 2).answer == Answer::undecided);
    CHECK(audit_numerical_rank(ball, {Rational(1, 4), ThresholdKind::of_largest}, 2).answer ==
          Answer::proved);
    CHECK(audit_numerical_rank(ball, {Rational(1, 4), ThresholdKind::of_frobenius}, 2).answer ==
          Answer::proved);
    CHECK(audit_numerical_rank(ball, {Rational(1, 4), ThresholdKind::of_row_norm}, 3).answer ==
          Answer::refuted);
    const BallMatrix singular_one{matrix({{1, 1}, {1, 1}}), MatrixXd::Constant(2, 2, 1e-10)};
    CHECK(audit_rank(singular_one, 1).answer == Answer::undecided);
    CHECK(audit_rank(singular_one, 0).answer == Answer::refuted);
    CHECK(audit_rank(BallMatrix{matrix({{1, 1}, {1, 1}}), MatrixXd::Zero(2, 2)}, 1).answer == Answer::proved);
    CHECK(audit_eigenvalues(BallMatrix{diagonal({1, -1}), MatrixXd::Constant(2, 2, .125)}, vector({-1, 1}),
                            claiming(absolute, "0.2500001"))
              .answer() == Answer::proved);
    const BallMatrix none{MatrixXd::Zero(2, 2), MatrixXd::Constant(2, 2, kInf)};
    CHECK(audit_singular_values(none, vector({1, 1}), claiming(absolute, "1e300")).answer() ==
          Answer::undecided);
    CHECK(audit_rank(none, 1).answer == Answer::undecided);
}

TEST_CASE("enclosures and answers agree with exact characteristic polynomials") {
    test::Random random(11);
    int open = 0, total = 0;
    for (int round = 0; round < 8; ++round) {
        for (const Kind kind : kKinds) {
            const Index m = 1 + static_cast<Index>(random() % 4), n = 1 + static_cast<Index>(random() % 4);
            MatrixXd a = test::random_matrix(m, n, kind, random);
            if (n > 1 && random() % 3 == 0) a.col(0) = a.col(n - 1);  // rank deficient
            if (random() % 4 == 0) a *= a.size() > 0 && kind == Kind::integers ? .25 : 1;
            const ExactMatrix e = ExactMatrix::from_double(a);
            const EigenvalueCounter count(m <= n ? e * e.transpose() : e.transpose() * e);
            const Index p = std::min(m, n);
            VectorXd claimed = VectorXd(a.jacobiSvd().singularValues());
            if (!claimed.allFinite()) claimed.setOnes(p);
            if (random() % 2 == 0)
                claimed[static_cast<Index>(random() % static_cast<std::uint64_t>(p))] *= 1 + 1e-14;
            const char* tolerance = random() % 2 == 0 ? "0" : "1e-15";
            SpectrumOptions options = claiming(absolute, tolerance);
            options.most_bits = 512;
            const SpectrumAudit audit = audit_singular_values(a, claimed, options);
            std::sort(claimed.begin(), claimed.end(), std::greater<>());
            bool holds = true;
            for (Index i = 0; i < p; ++i) {
                const MpInterval& value = audit.values[static_cast<std::size_t>(i)];
                const Rational low = value.lower(), high = value.upper();
                CHECK(count.at_least(low * low) >= i + 1);
                CHECK(count.above(high * high) <= i);
                const Rational c = to_rational(claimed[i]), t = parse_rational(tolerance);
                const Rational least = std::max(Rational(c - t), Rational(0)), most = c + t;
                holds = holds && count.at_least(least * least) >= i + 1 && count.above(most * most) <= i;
            }
            ++total;
            if (audit.answer() == Answer::undecided) {
                ++open;
            } else {
                CHECK((audit.answer() == Answer::proved) == holds);
            }
            const Rational threshold = to_rational(std::abs(claimed[p - 1]));
            const RankAudit rank = audit_numerical_rank(a, {threshold, {}}, std::nullopt, options);
            CHECK(rank.lower == count.above(threshold * threshold));
            CHECK(rank.upper == rank.lower);
            CHECK(audit_rank(a, std::nullopt).lower == count.above(0));
        }
    }
    MESSAGE(open << " of " << total << " undecided");
    CHECK(10 * open < total);
    for (int round = 0; round < 6; ++round) {
        for (const Kind kind : kKinds) {
            const Index n = 1 + static_cast<Index>(random() % 4);
            const MatrixXd a = test::random_symmetric(n, kind, random);
            const EigenvalueCounter count(ExactMatrix::from_double(a));
            SpectrumOptions options;
            options.most_bits = random() % 2 == 0 ? 53 : 256;
            const SpectrumAudit audit = audit_eigenvalues(a, VectorXd::Zero(n), options);
            for (Index i = 0; i < n; ++i) {
                const MpInterval& value = audit.values[static_cast<std::size_t>(i)];
                CHECK(count.at_least(value.lower()) >= n - i);
                CHECK(count.above(value.upper()) <= n - 1 - i);
            }
        }
    }
}
