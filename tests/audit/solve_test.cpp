// Claimed solutions and inverses: Hilbert's, Rump's, singular and nearly singular matrices, and random
// equations against Cramer's rule in rationals.

#include "rankcert/audit/solve.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>

#include "audit/oracle.hpp"
#include "linalg/ball_helpers.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::audit;
using Eigen::MatrixXd;
using rankcert::test::Kind;
using rankcert::test::kKinds;
using rankcert::tests::matrix;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

SolveOptions claiming(ClaimKind kind, const char* first = "0") {
    SolveOptions options;
    options.claims.push_back({kind, parse_rational(first), 0});
    return options;
}
Answer solved(const MatrixXd& g, const MatrixXd& b, const MatrixXd& x, ClaimKind kind,
              const char* first = "0") {
    return audit_solution(g, b, x, claiming(kind, first)).answer();
}

using Table = std::vector<std::vector<Rational>>;

/// The inverse by Gauss' elimination; empty for a singular matrix.
Table exact_inverse(const MatrixXd& g) {
    const auto n = static_cast<std::size_t>(g.rows());
    Table a(n, std::vector<Rational>(2 * n, 0));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
            a[i][j] = to_rational(g(static_cast<Index>(i), static_cast<Index>(j)));
        a[i][n + i] = 1;
    }
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t p = k;
        while (p < n && a[p][k] == 0) ++p;
        if (p == n) return {};
        std::swap(a[p], a[k]);
        const Rational pivot = a[k][k];
        for (Rational& entry : a[k]) entry /= pivot;
        for (std::size_t i = 0; i < n; ++i) {
            const Rational factor = a[i][k];
            if (i == k || factor == 0) continue;
            for (std::size_t j = 0; j < 2 * n; ++j) a[i][j] -= factor * a[k][j];
        }
    }
    for (auto& row : a) row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
    return a;
}
Table times(const Table& a, const MatrixXd& b) {
    Table c(a.size(), std::vector<Rational>(static_cast<std::size_t>(b.cols()), 0));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (Index j = 0; j < b.cols(); ++j)
            for (std::size_t k = 0; k < a.size(); ++k)
                c[i][static_cast<std::size_t>(j)] += a[i][k] * to_rational(b(static_cast<Index>(k), j));
    return c;
}
/// Every entry rounded to nearest.
MatrixXd nearest(const Table& a) {
    MatrixXd x(static_cast<Index>(a.size()), static_cast<Index>(a.front().size()));
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < x.cols(); ++j)
            x(i, j) = tests::rounded(a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)],
                                     NumberFormat::float64);
    return x;
}

MatrixXd hilbert(Index n) {
    return MatrixXd::NullaryExpr(n, n, [](Index i, Index j) { return 1 / static_cast<double>(i + j + 1); });
}

/// Rump's 4×4 matrix of condition 6.4e64 (S. M. Rump, Verification methods, Acta Numerica 2010).
MatrixXd rump() {
    return matrix({{-5046135670319638, -3871391041510136, -5206336348183639, -6745986988231149},
                   {-640032173419322, 8694411469684959, -564323984386760, -2807912511823001},
                   {-16935782447203334, -18752427538303772, -8188807358110413, -14820968618548534},
                   {-1069537498856711, -14079150289610606, 7074216604373039, 7257960283978710}});
}

void check_counts(const SolveAudit& audit, Index entries) {
    CHECK(audit.correctly_rounded + audit.not_correctly_rounded == static_cast<std::uint64_t>(entries));
    CHECK(audit.faithful + audit.not_faithful == static_cast<std::uint64_t>(entries));
}

}  // namespace

TEST_CASE(
    "Hilbert matrices up to n = 20: the nearest solution is proved to be that, the usual one is measured") {
    for (const Index n : {1, 2, 5, 10, 12, 13, 16, 20}) {
        CAPTURE(n);
        const MatrixXd g = hilbert(n), b = MatrixXd::Ones(n, 1);
        const Table exact = times(exact_inverse(g), b);
        const MatrixXd right = nearest(exact);
        const SolveAudit good = audit_solution(g, b, right, claiming(ClaimKind::correctly_rounded));
        CHECK(good.answer() == Answer::proved);
        CHECK(good.solvability == Solvability::unique);
        CHECK(good.correctly_rounded == static_cast<std::uint64_t>(n));
        for (Index i = 0; i < n; ++i)
            CHECK(good.solution[static_cast<std::size_t>(i)].contains(exact[static_cast<std::size_t>(i)][0]));
        const MatrixXd usual = g.partialPivLu().solve(b);
        const SolveAudit other = audit_solution(g, b, usual, claiming(ClaimKind::relative, "1e-3"));
        Rational largest = 0, relative = 0;
        for (Index i = 0; i < n; ++i) {
            const Rational t = exact[static_cast<std::size_t>(i)][0],
                           e = abs(Rational(to_rational(usual(i, 0)) - t));
            largest = std::max(largest, e);
            relative = std::max(relative, Rational(e / abs(t)));
        }
        CHECK(other.max_abs.value.contains(largest));
        CHECK(other.relative.value.contains(relative));
        CHECK(other.answer() == (relative <= parse_rational("1e-3") ? Answer::proved : Answer::refuted));
        check_counts(other, n);
        MatrixXd nudged = right;
        nudged(n - 1, 0) = std::nextafter(nudged(n - 1, 0), kInf);
        CHECK(solved(g, b, nudged, ClaimKind::correctly_rounded) == Answer::refuted);
        CHECK(solved(g, b, nudged, ClaimKind::ulps, "1.5") == Answer::proved);
    }
}

TEST_CASE("Rump's matrix: float64 proves nothing, fractions do") {
    const MatrixXd g = rump();
    const Table exact = exact_inverse(g);
    REQUIRE_FALSE(exact.empty());
    for (const auto& row : exact)
        for (const Rational& entry : row) CHECK(denominator(entry) == 1);  // det G = 1
    const SolveAudit audit = audit_inverse(g, nearest(exact), claiming(ClaimKind::correctly_rounded)).entries;
    CHECK(audit.answer() == Answer::proved);
    CHECK(audit.is_exact);
    CHECK(audit.rank_lower == 4);
    const MatrixXd usual = g.inverse();
    CHECK(audit_inverse(g, usual, claiming(ClaimKind::relative, "0.5")).entries.answer() == Answer::refuted);
    // Without the means, no answer rather than a wrong one.
    SolveOptions poor = claiming(ClaimKind::correctly_rounded);
    poor.most_work = 0;
    CHECK(
        audit_solution(g, MatrixXd::Ones(4, 1), nearest(times(exact, MatrixXd::Ones(4, 1))), poor).answer() ==
        Answer::undecided);
    poor.claims = {{ClaimKind::max_abs, 1, 0}};
    CHECK(audit_solution(g, MatrixXd::Ones(4, 1), MatrixXd::Zero(4, 1), poor).answer() == Answer::undecided);
}

TEST_CASE("singular equations have no solution, or more than one, and that is said") {
    const MatrixXd g = matrix({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
    const SolveAudit none = audit_solution(g, matrix({{1}, {1}, {2}}), MatrixXd::Zero(3, 1),
                                           claiming(ClaimKind::max_abs, "1e300"));
    CHECK(none.solvability == Solvability::none);
    CHECK(none.answer() == Answer::refuted);
    CHECK(none.rank_upper == 2);
    const SolveAudit many =
        audit_solution(g, matrix({{6}, {15}, {24}}), MatrixXd::Ones(3, 1), claiming(ClaimKind::max_abs));
    CHECK(many.solvability == Solvability::many);
    CHECK(many.answer() == Answer::undefined);
    CHECK(*many.residual->exact_norm == 0);  // it is a solution
    // One consistent right-hand side beside one that is not.
    CHECK(audit_solution(g, matrix({{6, 0}, {15, 0}, {24, 1}}), MatrixXd::Ones(3, 2)).solvability ==
          Solvability::none);
    CHECK(audit_inverse(g, MatrixXd::Zero(3, 3)).entries.answer() == Answer::refuted);
    const MatrixXd zero = MatrixXd::Zero(2, 2);
    CHECK(audit_solution(zero, MatrixXd::Zero(2, 1), MatrixXd::Zero(2, 1)).solvability == Solvability::many);
    CHECK(audit_solution(zero, MatrixXd::Ones(2, 1), MatrixXd::Zero(2, 1)).solvability == Solvability::none);
    CHECK(audit_inverse(MatrixXd::Zero(1, 1), MatrixXd::Constant(1, 1, 1e300)).entries.answer() ==
          Answer::refuted);
    // A claim that is not finite is refuted whatever there is.
    CHECK(audit_solution(g, matrix({{6}, {15}, {24}}), MatrixXd::Constant(3, 1, kNan)).answer() ==
          Answer::refuted);
    // As stored, 0.1·(1, 2, 3; …) is regular or not by its last digits: what the exact rank says.
    const MatrixXd tenths = g * .1;
    CHECK((audit_solution(tenths, MatrixXd::Ones(3, 1), MatrixXd::Zero(3, 1)).solvability ==
           Solvability::unique) == !exact_inverse(tenths).empty());
}

TEST_CASE("nearly singular, n = 1, and zeros in the solution") {
    const double near = 1 + 0x1p-52;
    const MatrixXd g = matrix({{1, 1}, {1, near}});
    const MatrixXd b = matrix({{1}, {1}});
    CHECK(solved(g, b, matrix({{1}, {0}}), ClaimKind::correctly_rounded) == Answer::proved);
    CHECK(solved(g, b, matrix({{1}, {5e-324}}), ClaimKind::correctly_rounded) == Answer::refuted);
    CHECK(solved(g, b, matrix({{1}, {5e-324}}), ClaimKind::relative, "1e300") == Answer::refuted);
    CHECK(solved(g, b, matrix({{1}, {5e-324}}), ClaimKind::max_abs, "1e-323") == Answer::proved);
    CHECK(solved(g, b, matrix({{.5}, {.5}}), ClaimKind::max_abs, "1/2") == Answer::proved);
    CHECK(solved(g, b, matrix({{.5}, {.5}}), ClaimKind::max_abs, "0.49999999999999999999999999") ==
          Answer::refuted);
    // The second solution of n = 1: 1/3, and ties of rounding in float16.
    CHECK(solved(matrix({{3}}), matrix({{1}}), matrix({{1. / 3}}), ClaimKind::correctly_rounded) ==
          Answer::proved);
    SolveOptions half = claiming(ClaimKind::correctly_rounded);
    half.format = NumberFormat::float16;
    const MatrixXd tie = matrix({{1 + 0x1p-11}});  // halfway between 1 and 1 + 2^−10
    CHECK(audit_solution(matrix({{1}}), tie, matrix({{1}}), half).answer() == Answer::proved);
    CHECK(audit_solution(matrix({{1}}), tie, matrix({{1 + 0x1p-10}}), half).answer() == Answer::refuted);
    half.claims = {{ClaimKind::faithful, 0, 0}};
    CHECK(audit_solution(matrix({{1}}), tie, matrix({{1 + 0x1p-10}}), half).answer() == Answer::proved);
    CHECK(solved(matrix({{5e-324}}), matrix({{1e-323}}), matrix({{2}}), ClaimKind::correctly_rounded) ==
          Answer::proved);
    CHECK(solved(matrix({{1e-300}}), matrix({{1e300}}), matrix({{1e308}}), ClaimKind::relative, "0.999999") ==
          Answer::refuted);
    // x = (1, 0): nothing relative to inflate (G2).
    CHECK(solved(matrix({{2, 1}, {1, 3}}), matrix({{2}, {1}}), matrix({{1}, {0}}),
                 ClaimKind::correctly_rounded) == Answer::proved);
    CHECK(audit_solution(MatrixXd(0, 0), MatrixXd(0, 2), MatrixXd(0, 2)).answer() == Answer::proved);
}

TEST_CASE("inverses: residuals from both sides") {
    const MatrixXd g = matrix({{2, .15, .05}, {0, 1.3, .2}, {0, 0, .7}});
    const MatrixXd x = nearest(exact_inverse(g));
    const InverseAudit audit = audit_inverse(g, x, claiming(ClaimKind::correctly_rounded));
    CHECK(audit.entries.answer() == Answer::proved);
    CHECK(audit.left->norm_at_most(parse_rational("1e-15")) == Answer::proved);
    CHECK(audit.entries.residual->norm_at_most(parse_rational("1e-15")) == Answer::proved);
    // A left inverse to 1e-9 that is a bad right inverse.
    MatrixXd h = MatrixXd::Identity(2, 2);
    h(0, 0) = 0x1p30;
    MatrixXd y = h.inverse();
    y(0, 1) = 0x1p-30;
    const InverseAudit both = audit_inverse(h, y);
    CHECK(both.left->max_abs.contains(0x1p-30));
    CHECK(both.left->max_abs.upper_double() < 1e-9);
    CHECK(both.entries.residual->max_abs.contains(1.0));
    CHECK(audit_inverse(h, h.inverse()).entries.correctly_rounded == 4);
}

TEST_CASE("a large well-conditioned system, and one too large for fractions") {
    test::Random random(3);
    MatrixXd g = test::random_matrix(150, 150, Kind::uniform, random);
    g.diagonal().array() += 20;
    const MatrixXd x = test::random_matrix(150, 2, Kind::integers, random);
    const MatrixXd b = (g * x).eval();
    MatrixXd usual = g.partialPivLu().solve(b);
    const SolveAudit audit = audit_solution(g, b, usual, claiming(ClaimKind::relative, "1e-10"));
    CHECK(audit.solvability == Solvability::unique);
    CHECK_FALSE(audit.is_exact);
    CHECK(audit.max_abs.value.upper_double() < 1e-12);
    CHECK(audit.max_abs.value.lower_double() > 0);
    check_counts(audit, 300);
    usual(149, 1) += 1e-6;
    CHECK(solved(g, b, usual, ClaimKind::max_abs, "9e-7") == Answer::refuted);
    // Exactly right: the residual says so.
    const MatrixXd power = MatrixXd::Identity(200, 200) * 4;
    CHECK(solved(power, MatrixXd::Constant(200, 1, 3), MatrixXd::Constant(200, 1, .75), ClaimKind::max_abs) ==
          Answer::proved);
}

TEST_CASE("what does not fit, or is no number, is refused by name") {
    const MatrixXd one = MatrixXd::Identity(2, 2);
    CHECK_THROWS_WITH_AS((void)audit_solution(matrix({{1, kInf}, {0, 1}}), one, one),
                         doctest::Contains("(0, 1) of G"), Error);
    CHECK_THROWS_WITH_AS((void)audit_solution(one, matrix({{1}, {kNan}}), MatrixXd::Ones(2, 1)),
                         doctest::Contains("(1, 0) of B"), Error);
    CHECK_THROWS_AS((void)audit_solution(MatrixXd::Ones(2, 3), one, one), Error);
    CHECK_THROWS_AS((void)audit_solution(one, one, MatrixXd::Ones(2, 1)), Error);
    CHECK_THROWS_AS((void)audit_solution(one, one, one, claiming(ClaimKind::causal)), Error);
    SolveOptions half;
    half.format = NumberFormat::bfloat16;
    CHECK_THROWS_WITH_AS((void)audit_inverse(one, one * 1.01, half), doctest::Contains("bfloat16"), Error);
}

TEST_CASE("errors, counts and answers of random equations agree with Cramer's rule") {
    test::Random random(17);
    int unique = 0, singular = 0, total = 0, undecided = 0;
    for (int round = 0; round < 40; ++round) {
        for (const Kind kind : kKinds) {
            const Index n = 1 + static_cast<Index>(random() % 5), k = 1 + static_cast<Index>(random() % 2);
            MatrixXd g = test::random_matrix(n, n, kind, random);
            if (random() % 5 == 0) g.col(0) = g.col(n - 1);
            if (n > 1 && random() % 5 == 0) g.row(0) = 2 * g.row(1);
            const MatrixXd b =
                random() % 2 == 0 ? test::random_matrix(n, k, kind, random) : MatrixXd(g.leftCols(1));
            const Table inverse = exact_inverse(g);
            const Table exact = inverse.empty() ? Table() : times(inverse, b);
            MatrixXd claimed =
                inverse.empty() || random() % 3 == 0 ? MatrixXd(g.partialPivLu().solve(b)) : nearest(exact);
            if (random() % 4 == 0) claimed(0, 0) = std::nextafter(claimed(0, 0), kInf);
            if (!claimed.allFinite()) claimed.setOnes();
            const char* bounds[] = {"0", "1/2", "1", "3"};
            const char* bound = bounds[random() % 4];
            SolveOptions options = claiming(ClaimKind::ulps, bound);
            options.claims.push_back({ClaimKind::correctly_rounded, 0, 0});
            const SolveAudit audit = audit_solution(g, b, claimed, options);
            ++total;
            if (inverse.empty()) {
                ++singular;
                CHECK((audit.solvability == Solvability::none || audit.solvability == Solvability::many));
                CHECK(audit.rank_upper < n);
                continue;
            }
            ++unique;
            CHECK(audit.solvability == Solvability::unique);
            Rational largest = 0, squares = 0, relative = 0;
            std::uint64_t right = 0;
            bool within = true;
            for (Index i = 0; i < n; ++i) {
                for (Index c = 0; c < b.cols(); ++c) {
                    const Rational& t = exact[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)];
                    const Rational e = abs(Rational(t - to_rational(claimed(i, c))));
                    largest = std::max(largest, e);
                    squares += e * e;
                    if (t != 0) relative = std::max(relative, Rational(e / abs(t)));
                    right += tests::rounded(t, NumberFormat::float64) == claimed(i, c) ? 1U : 0U;
                    const double low = lower_double(abs(t));
                    const int exponent = low >= 0x1p-1021 ? std::ilogb(low) - 52 : -1074;
                    within = within && e <= parse_rational(bound) * to_rational(Integer(1), exponent);
                    CHECK(audit.solution[static_cast<std::size_t>(i * b.cols() + c)].contains(t));
                }
            }
            CHECK(audit.max_abs.value.contains(largest));
            CHECK(sqr(audit.frobenius.with_precision(256)).contains(squares));
            if (!audit.relative.infinite) CHECK(audit.relative.value.contains(relative));
            if (audit.answer() == Answer::undecided) {
                ++undecided;
                continue;
            }
            CHECK(audit.correctly_rounded == right);
            CHECK((audit.claims[1].answer == Answer::proved) == within);
            CHECK((audit.claims[2].answer == Answer::proved) ==
                  (right == static_cast<std::uint64_t>(claimed.size())));
        }
    }
    MESSAGE(unique << " unique, " << singular << " singular, " << undecided << " undecided of " << total);
    CHECK(singular > 30);
    CHECK(undecided == 0);
}
