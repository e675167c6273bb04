// Approximations of attention: the cases B01 to B06 of known faults, ties, and random factors against
// rationals.

#include "rankcert/audit/factors.hpp"

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

bool lies_in(const MpInterval& x, const char* low, const char* high) {
    return certainly_less(parse_rational(low), x) && certainly_less(x, parse_rational(high));
}
bool contains_exactly(const ErrorNorms& norms, const Rational& norm, const Rational& max_abs,
                      const Rational& squares) {
    return norms.norm.contains(norm) && norms.max_abs.contains(max_abs) &&
           sqr(norms.frobenius.with_precision(256)).contains(squares);
}

/// Rows of softmax of scale · x yᵀ, in double.
MatrixXd softmax(const Eigen::VectorXd& x, const Eigen::VectorXd& y, double scale) {
    MatrixXd a(x.size(), y.size());
    for (Index i = 0; i < a.rows(); ++i) {
        double most = -kInf, sum = 0;
        for (Index j = 0; j < a.cols(); ++j) most = std::max(most, scale * x[i] * y[j]);
        for (Index j = 0; j < a.cols(); ++j) sum += a(i, j) = std::exp(scale * x[i] * y[j] - most);
        a.row(i) /= sum;
    }
    return a;
}

/// The cubic iteration towards a pseudo-inverse of the Nyström attention programs.
MatrixXd iterate(const MatrixXd& core, int steps) {
    const MatrixXd one = MatrixXd::Identity(core.rows(), core.cols());
    MatrixXd z = core.transpose() /
                 (core.cwiseAbs().rowwise().sum().maxCoeff() * core.cwiseAbs().colwise().sum().maxCoeff());
    for (int step = 0; step < steps; ++step) {
        const MatrixXd az = core * z;
        z = .25 * z * (13 * one - az * (15 * one - az * (7 * one - az)));
    }
    return z;
}

struct Nystrom {
    AttentionHead head;
    MatrixXd left, core, right;
};
Nystrom nystrom(Index n, Index landmarks) {
    Nystrom result;
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -2, 2);
    Eigen::VectorXd y(landmarks);
    for (Index l = 0; l < landmarks; ++l) y[l] = x.segment(l * (n / landmarks), n / landmarks).mean();
    result.head.query = x;
    result.head.key = x;
    result.head.scale.factor = 4;
    result.left = softmax(x, y, 4);
    result.core = softmax(y, y, 4);
    result.right = softmax(y, x, 4);
    return result;
}

FactorOptions at_most(const char* epsilon) {
    FactorOptions options;
    options.epsilon = parse_rational(epsilon);
    return options;
}
const FactorClaim kStochastic{FactorClaimKind::row_stochastic, parse_rational("1e-12"), {}};
const FactorClaim kNonNegative{FactorClaimKind::non_negative, 0, {}};
const FactorClaim kCausal{FactorClaimKind::causal, 0, CausalAlignment::bottom_right};
Answer claim_answer(const Approximation& b, const FactorClaim& claim) {
    return audit_claims(b, {claim}).claims.front().answer;
}

}  // namespace

TEST_CASE("B01: an iterated pseudo-inverse that has not converged") {
    const Nystrom given = nystrom(64, 8);
    {
        const Approximation b = product(given.left, iterate(given.core, 6), given.right);
        const FactorAudit audit = audit_approximation(given.head, b, at_most("0.15"));
        CHECK(lies_in(audit.error.norm, "0.1596", "0.1598"));
        CHECK(audit.answer == Answer::refuted);
        CHECK(audit_approximation(given.head, b, at_most("0.16")).answer == Answer::proved);
        const FactorFacts facts = audit_claims(b, {kStochastic, kNonNegative});
        CHECK(facts.claims[0].answer == Answer::refuted);
        CHECK(facts.claims[1].answer == Answer::refuted);
        CHECK(lies_in(MpInterval(facts.least_row_sum, 64), "0.98274", "0.98276"));
        CHECK(lies_in(MpInterval(facts.largest_row_sum, 64), "1.00779", "1.00781"));
        CHECK(lies_in(facts.smallest_entry, "-0.00780", "-0.00778"));
        CHECK(audit_pseudo_inverse(given.core, iterate(given.core, 6), parse_rational("0.001")).answer ==
              Answer::refuted);
    }
    const MatrixXd exact = given.core.inverse();
    for (const MatrixXd& w : {iterate(given.core, 20), exact}) {
        const Approximation b = product(given.left, w, given.right);
        const FactorAudit audit = audit_approximation(given.head, b, at_most("0.3680"));
        CHECK(lies_in(audit.error.norm, "0.3678", "0.3680"));
        CHECK(audit.answer == Answer::proved);
        const FactorFacts facts = audit_claims(b, {kStochastic, kNonNegative});
        CHECK(facts.least_row_sum > 1 - parse_rational("1e-13"));
        CHECK(facts.largest_row_sum < 1 + parse_rational("1e-13"));
        CHECK(facts.claims[0].answer == Answer::refuted);  // the sums are right, signs are not
        CHECK(claim_answer(b, {FactorClaimKind::row_sums, parse_rational("1e-13"), {}}) == Answer::proved);
        CHECK(facts.claims[1].answer == Answer::refuted);
        CHECK(lies_in(facts.smallest_entry, "-0.0592", "-0.0590"));
        CHECK(audit_pseudo_inverse(given.core, w, parse_rational("1e-8")).answer == Answer::proved);
    }
}

TEST_CASE("B01: residuals of the 16×16 core after 6, 12 and 30 steps") {
    MatrixXd core(16, 16);
    for (Index i = 0; i < 16; ++i) {
        for (Index j = 0; j < 16; ++j) core(i, j) = std::exp(-static_cast<double>((i - j) * (i - j)) / 8);
        core.row(i) /= core.row(i).sum();
    }
    const auto residual = [&](int steps) {
        return audit_pseudo_inverse(core, iterate(core, steps), parse_rational("1e-6"));
    };
    const auto largest = [&](int steps) {
        const MatrixXd z = iterate(core, steps);
        return (core * z - MatrixXd::Identity(16, 16)).cwiseAbs().maxCoeff();
    };
    CHECK(largest(6) == doctest::Approx(.594).epsilon(.01));
    CHECK(residual(6).answer == Answer::refuted);
    CHECK(residual(12).answer == Answer::refuted);
    CHECK(residual(30).first.norm_at_most(parse_rational("1e-9")) == Answer::proved);
}

TEST_CASE("Penrose's conditions are told apart, and exact pseudo-inverses have residuals of exactly 0") {
    const MatrixXd c = matrix({{2, 0, 0}, {0, .25, 0}});  // rank 2, 2×3
    const MatrixXd right = matrix({{.5, 0}, {0, 4}, {0, 0}});
    const PseudoInverseAudit good = audit_pseudo_inverse(c, right, 0);
    CHECK(good.answer == Answer::proved);
    CHECK(*good.first.exact_norm == 0);
    MatrixXd generalised = right;
    generalised(2, 0) = 1;  // C W C = C, W C W = W, C W symmetric; W C is not
    const PseudoInverseAudit other = audit_pseudo_inverse(c, generalised, parse_rational("1.99"));
    CHECK(*other.first.exact_norm == 0);
    CHECK(*other.second.exact_norm == 0);
    CHECK(*other.third.exact_norm == 0);
    CHECK(other.fourth.norm.contains(2.0));
    CHECK(other.answer == Answer::refuted);
    CHECK(audit_pseudo_inverse(c, generalised, 2).answer == Answer::proved);
    CHECK(audit_pseudo_inverse(MatrixXd::Zero(3, 2), MatrixXd::Zero(2, 3), 0).answer == Answer::proved);
    CHECK(audit_pseudo_inverse(MatrixXd::Ones(1, 1), MatrixXd::Constant(1, 1, 1 + 0x1p-52), 0).answer ==
          Answer::refuted);
    CHECK_THROWS_AS((void)audit_pseudo_inverse(c, c, 0), Error);
    CHECK_THROWS_WITH_AS((void)audit_pseudo_inverse(matrix({{1, kNan}}), matrix({{1}, {0}}), 0),
                         doctest::Contains("(0, 1)"), Error);
}

TEST_CASE("B04: a row whose denominator is zero or negative is undefined, and named") {
    AttentionHead head;
    head.query = matrix({{-1}, {1}});
    head.key = matrix({{1}, {2}});
    // relu features: q = −1 gives 0.
    const Approximation relu = kernel_features(matrix({{0}, {1}}), matrix({{1}, {2}}));
    const FactorAudit audit = audit_approximation(head, relu, at_most("2"));
    CHECK(audit.answer == Answer::undefined);
    CHECK(audit.undefined_rows == std::vector<Index>{0});
    CHECK(claim_answer(relu, kStochastic) == Answer::undefined);
    CHECK(audit_claims(relu, {kStochastic}).undefined_rows == std::vector<Index>{0});
    // An error in another row is not hidden by it.
    CHECK(audit_approximation(head, relu, at_most("1e-3")).answer == Answer::refuted);
    CHECK(audit_approximation(head, relu, at_most("1e-3")).failing_row == 1);
    // Signed features: −1 + 1 = 0, exactly, though no float64 enclosure of the sum of products is a point.
    for (const double size : {1.0, 0.1, 1e-200, 1e300}) {
        const Approximation signed_features =
            kernel_features(matrix({{size}, {1}}), matrix({{-size}, {size}}));
        const FactorAudit s = audit_approximation(head, signed_features, at_most("2"));
        CHECK(s.answer == Answer::undefined);
        CHECK(s.undefined_rows == std::vector<Index>{0, 1});
        CHECK(s.open_rows.empty());
    }
    const Approximation negative = kernel_features(matrix({{1}, {-1}}), matrix({{1}, {2}}));
    CHECK(audit_approximation(head, negative, at_most("2")).undefined_rows == std::vector<Index>{1});
    // A sum that is positive by one part in 2^52 is defined.
    const Approximation barely = kernel_features(matrix({{1}, {1}}), matrix({{-1}, {1 + 0x1p-52}}));
    CHECK(audit_approximation(head, barely, at_most("1e20")).answer == Answer::proved);
    CHECK(audit_claims(barely, {{FactorClaimKind::row_sums, 0, {}}}).answer() == Answer::proved);
    CHECK(claim_answer(barely, kNonNegative) == Answer::refuted);
    // In the causal form a row has its own keys alone: the first row is −1, undefined.
    const Approximation causal =
        kernel_features(matrix({{1}, {1}}), matrix({{-1}, {2}}), CausalAlignment::bottom_right);
    CHECK(audit_approximation(head, causal, {}).undefined_rows == std::vector<Index>{0});
}

TEST_CASE("B05: a causal mask on a projected key axis lets the future through") {
    const MatrixXd project = matrix({{.5, .5, 0, 0}, {0, 0, .5, .5}});
    Eigen::VectorXd q(4), k(4);
    q << 1, .5, -.25, 2;
    k << .3, -1, .7, .2;
    const Eigen::VectorXd projected = project * k;
    MatrixXd p = softmax(q, projected, 1);
    CHECK(claim_answer(product(p, project), kCausal) == Answer::refuted);
    // With the projected key of the future masked, too: the projected key that has token 4 in it has token 3.
    p(0, 1) = p(1, 1) = 0;
    p(0, 0) = p(1, 0) = 1;
    const FactorFacts facts = audit_claims(product(p, project), {kCausal});
    CHECK(facts.answer() == Answer::refuted);
    CHECK(facts.claims[0].failure->row == 0);
    CHECK(facts.claims[0].failure->column == 1);
    // Zero products are exact zeros: an approximation that is causal is proved to be.
    const MatrixXd lower = MatrixXd(MatrixXd::Ones(4, 4).triangularView<Eigen::Lower>());
    CHECK(claim_answer(product(lower, lower), kCausal) == Answer::proved);
    // Zeros by cancellation, and a number that only underflow makes 0.
    CHECK(claim_answer(product(matrix({{.1, .1}, {1, 0}}), matrix({{1, 3}, {1, -3}})), kCausal) ==
          Answer::proved);
    CHECK(claim_answer(product(matrix({{1e-200}, {1}}), matrix({{1, 1e-200}})), kCausal) == Answer::refuted);
    CHECK(claim_answer(explicit_matrix(matrix({{1, 0, 0}, {0, 0, 0}})), kCausal) == Answer::proved);
    CHECK(claim_answer(explicit_matrix(matrix({{1, 1, 0}})),
                       {FactorClaimKind::causal, 0, CausalAlignment::top_left}) == Answer::refuted);
}

TEST_CASE("B06: a cumulative normaliser belongs to queries, not to keys") {
    for (const Index n : {3, 17}) {
        AttentionHead head;
        head.query = RowMatrix::Zero(n, 1);
        head.key = head.query;
        head.causal = true;
        const MatrixXd ones = MatrixXd::Ones(n, 1);
        const Approximation right = kernel_features(ones, ones, CausalAlignment::bottom_right);
        CHECK(audit_approximation(head, right, at_most("1e-30")).answer == Answer::proved);
        CHECK(audit_claims(right, {{FactorClaimKind::row_stochastic, 0, {}}, kCausal}).answer() ==
              Answer::proved);
        MatrixXd wrong = MatrixXd::Zero(n, n);
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j <= i; ++j) wrong(i, j) = 1 / static_cast<double>(j + 1);
        const FactorAudit audit = audit_approximation(head, explicit_matrix(wrong), at_most("0.9"));
        CHECK(audit.error.row == n - 1);
        CHECK((audit.answer == Answer::refuted) == (n > 3));
        CHECK(claim_answer(explicit_matrix(wrong), kStochastic) == Answer::refuted);
    }
}

TEST_CASE("ties with ε are decided where A is stored") {
    const MatrixXd a = matrix({{.75, .25}, {.1, .9}});
    const MatrixXd b = matrix({{.5, .5}, {.1, .9}});
    CHECK(audit_approximation(a, explicit_matrix(b), at_most("1/2")).answer == Answer::proved);
    CHECK(audit_approximation(a, explicit_matrix(b), at_most("1/2")).error.norm.contains(Rational(1, 2)));
    CHECK(audit_approximation(a, explicit_matrix(b), at_most("0.49999999999999999999")).answer ==
          Answer::refuted);
    CHECK(audit_approximation(a, product(a, MatrixXd::Identity(2, 2)), at_most("0")).answer ==
          Answer::proved);
    CHECK(audit_approximation(MatrixXd::Constant(1, 1, 1. / 3),
                              kernel_features(MatrixXd::Ones(1, 1), MatrixXd::Ones(1, 1)), at_most("2/3"))
              .answer == Answer::refuted);
    // 1/3 against the double nearest to it: the exact error is 2^−54/3.
    const Approximation thirds = kernel_features(MatrixXd::Ones(1, 1), MatrixXd::Ones(3, 1));
    const MatrixXd near = MatrixXd::Constant(1, 3, 1. / 3);
    const FactorAudit audit = audit_approximation(near, thirds, {});
    CHECK(*audit.error.exact_max_abs == Rational(1, 3) - to_rational(1. / 3));
    CHECK(*audit.error.exact_norm == 1 - 3 * to_rational(1. / 3));
    FactorOptions tie;
    tie.epsilon = *audit.error.exact_norm;
    CHECK(audit_approximation(near, thirds, tie).answer == Answer::proved);
}

TEST_CASE("what is not a number, or does not fit, is refused by name") {
    const MatrixXd a = MatrixXd::Identity(2, 2);
    CHECK_THROWS_WITH_AS((void)audit_approximation(matrix({{1, 0}, {kInf, 1}}), explicit_matrix(a)),
                         doctest::Contains("(1, 0)"), Error);
    CHECK_THROWS_WITH_AS((void)audit_approximation(a, product(a, matrix({{1, kNan}, {0, 1}}))),
                         doctest::Contains("(0, 1) of the second factor"), Error);
    CHECK_THROWS_AS((void)audit_approximation(a, product(a, MatrixXd::Zero(3, 2))), Error);
    CHECK_THROWS_AS((void)audit_approximation(a, explicit_matrix(MatrixXd::Zero(3, 2))), Error);
    CHECK_THROWS_AS((void)audit_claims(Approximation{}, {}), Error);
    AttentionHead empty;
    empty.query = RowMatrix::Zero(2, 1);
    empty.key = empty.query;
    empty.keep = BoolMatrix::Constant(2, 2, true);
    empty.keep.row(1).setConstant(false);
    const FactorAudit audit =
        audit_approximation(empty, explicit_matrix(MatrixXd::Constant(2, 2, .5)), at_most("1"));
    CHECK(audit.answer == Answer::undefined);
    CHECK(audit.undefined_target_rows == std::vector<Index>{1});
    empty.empty_rows = EmptyRows::zero;
    CHECK(audit_approximation(empty, explicit_matrix(MatrixXd::Constant(2, 2, .5)), at_most("1")).answer ==
          Answer::proved);
}

TEST_CASE("enclosures hold the exact errors of random factors, and answers agree with them") {
    test::Random random(7);
    int decided = 0, undefined = 0, total = 0;
    for (int round = 0; round < 60; ++round) {
        for (const Kind kind : kKinds) {
            const Index m = 1 + static_cast<Index>(random() % 4), n = 1 + static_cast<Index>(random() % 5);
            const Index r = 1 + static_cast<Index>(random() % 3);
            Approximation b;
            const auto count = random() % 3;
            if (count == 0) b = explicit_matrix(test::random_matrix(m, n, kind, random));
            if (count == 1)
                b = product(test::random_matrix(m, r, kind, random), test::random_matrix(r, n, kind, random));
            if (count == 2)
                b = product(test::random_matrix(m, r, kind, random),
                            test::random_matrix(r, r, Kind::integers, random),
                            test::random_matrix(r, n, Kind::cancelling, random));
            b.normalised = random() % 2 == 0;
            if (random() % 3 == 0) b.causal = CausalAlignment::top_left;
            // A: random, or the approximation rounded.
            ExactMatrix p = ExactMatrix::from_double(b.factors[0]);
            for (std::size_t k = 1; k < b.factors.size(); ++k) p = p * ExactMatrix::from_double(b.factors[k]);
            MatrixXd a = p.estimate_double();
            if (!a.allFinite() || random() % 2 == 0) a = test::random_matrix(m, n, kind, random);
            std::vector<Index> bad;
            Rational norm = 0, largest = 0, squares = 0;
            for (Index i = 0; i < m; ++i) {
                std::vector<Rational> row;
                Rational sum = 0;
                for (Index j = 0; j < n; ++j) {
                    row.push_back(b.causal && j > i ? Rational(0) : p(i, j));
                    sum += row.back();
                }
                if (!b.normalised) sum = 1;
                if (sum <= 0) {
                    bad.push_back(i);
                    continue;
                }
                Rational l1 = 0;
                for (Index j = 0; j < n; ++j) {
                    const Rational error =
                        abs(Rational(row[static_cast<std::size_t>(j)] / sum - to_rational(a(i, j))));
                    l1 += error;
                    squares += error * error;
                    largest = std::max(largest, error);
                }
                norm = std::max(norm, l1);
            }
            FactorOptions options;
            const auto which = random() % 3;
            const Rational nudge = norm * to_rational(0x1p-60);
            if (which != 0) options.epsilon = which == 1 ? norm : Rational(norm - nudge);
            const FactorAudit audit = audit_approximation(a, b, options);
            ++total;
            CHECK(audit.undefined_rows == bad);
            CHECK(audit.open_rows.empty());
            CHECK(contains_exactly(audit.error, norm, largest, squares));
            if (audit.error.exact_norm) CHECK(*audit.error.exact_norm == norm);
            if (audit.error.exact_max_abs) CHECK(*audit.error.exact_max_abs == largest);
            if (options.epsilon) {
                const Answer right = *options.epsilon < norm ? Answer::refuted
                                     : bad.empty()           ? Answer::proved
                                                             : Answer::undefined;
                CHECK(audit.answer == right);
                ++decided;
            }
            if (!bad.empty()) ++undefined;
        }
    }
    CHECK(decided > total / 2);
    CHECK(undefined > 20);
}
