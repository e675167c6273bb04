// Audits of random, awkward rows against plain arithmetic with 1,500 bits.

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "audit/oracle.hpp"

using namespace rankcert;
using namespace rankcert::audit;
using namespace rankcert::tests;

namespace {

using Random = std::mt19937_64;

double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }
Index whole(Random& random, Index below) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(below));
}

double entry(Random& random) {
    switch (whole(random, 8)) {
        case 0:
            return 0;
        case 1:
            return std::ldexp(uniform(random) - .5, static_cast<int>(whole(random, 60)) - 50);
        case 2:
            return std::floor(8 * uniform(random)) - 4;
        case 3:
            return 0x1p-1074 * std::floor(100 * uniform(random));
        default:
            return 4 * uniform(random) - 2;
    }
}

RowMatrix random_matrix(Random& random, Index rows, Index cols) {
    return RowMatrix::NullaryExpr(rows, cols, [&] { return entry(random); });
}

AttentionHead random_head(Random& random) {
    AttentionHead head;
    const Index m = 1 + whole(random, 4), n = 1 + whole(random, 9), d = 1 + whole(random, 4);
    head.query = random_matrix(random, m, d);
    head.key = random_matrix(random, n, d);
    if (whole(random, 4) == 0) head.key.row(0) = head.key.row(n - 1);  // ties
    head.scale.factor = whole(random, 3) == 0 ? Rational(-7, 3) : Rational(1);
    head.scale.sqrt_of = whole(random, 2) == 0 ? 1 : static_cast<std::uint64_t>(d);
    if (whole(random, 6) == 0) head.scale.factor *= 40;
    if (whole(random, 3) == 0) head.softcap = Rational(1 + whole(random, 50), 1 + whole(random, 5));
    if (whole(random, 4) == 0) head.alibi_slope = std::ldexp(1.0, -static_cast<int>(whole(random, 9)));
    if (whole(random, 3) == 0) head.bias = random_matrix(random, whole(random, 2) == 0 ? 1 : m, n);
    if (head.bias.size() != 0 && whole(random, 2) == 0)
        head.bias(0, whole(random, n)) = -std::numeric_limits<double>::infinity();
    if (head.bias.size() != 0 && whole(random, 4) == 0) head.bias.row(0) *= 0x1p10;
    head.causal = whole(random, 3) == 0;
    head.alignment = whole(random, 2) == 0 ? CausalAlignment::top_left : CausalAlignment::bottom_right;
    if (whole(random, 5) == 0) head.window_before = whole(random, 4);
    if (whole(random, 5) == 0) head.window_after = whole(random, 4);
    if (whole(random, 4) == 0) {
        head.keep = BoolMatrix(whole(random, 2) == 0 ? 1 : m, n);
        for (Index i = 0; i < head.keep.rows(); ++i)
            for (Index j = 0; j < n; ++j) head.keep(i, j) = whole(random, 4) != 0;
    }
    if (whole(random, 4) == 0) head.sink = entry(random);
    return head;
}

/// A claim of every quality: exact and rounded, a few ulps off, some digits, nonsense.
double claimed(Random& random, const Real& exact, int quality, NumberFormat format) {
    const Rational t = rational(exact);
    double c = rounded(t, format);
    switch (quality) {
        case 0:
            return c;
        case 1:
            return rounded(
                to_rational(c) + to_rational(Integer(1 + whole(random, 3)),
                                             -limits_of(format).digits - 1 + (c == 0 ? 0 : std::ilogb(c))),
                format);
        case 2:
            return rounded(t * (1 + to_rational(uniform(random) - .5) / 1000), format);
        case 3:
            return rounded(to_rational(entry(random)), format);
        default:
            return whole(random, 3) == 0 ? 0 : c;
    }
}

/// lower ≤ x ≤ upper; for a maximum that was asked for to 1 %, where it is not tiny, also upper ≤ 1.01 lower.
void check_encloses(const MpInterval& interval, const Real& x, bool narrow) {
    INFO(to_string(interval), " ", x.str(20));
    // What 1,500 bits may be off by.
    static const Real slack("1e-420");
    const Real least = x * (1 - slack) - slack, most = x * (1 + slack) + slack;
    CHECK(mpfr_cmp(interval.lower_mpfr(), most.backend().data()) <= 0);
    CHECK(mpfr_cmp(interval.upper_mpfr(), least.backend().data()) >= 0);
    if (narrow && x > 1e-14) CHECK(interval.upper_double() <= 1.01 * interval.lower_double());
}

}  // namespace

TEST_CASE("no enclosure excludes the truth, on 10,000 adversarial rows") {
    Random random(5);
    std::uint64_t rows = 0, undefined = 0, counted = 0, undecided = 0, precise = 0;
    int answers[4] = {};
    while (rows < 10000) {
        const AttentionHead head = random_head(random);
        const NumberFormat format = std::array{NumberFormat::float16, NumberFormat::bfloat16,
                                               NumberFormat::float32, NumberFormat::float64}[random() % 4];
        const FormatLimits limits = limits_of(format);
        const bool of_output = whole(random, 2) == 0;
        const RowMatrix value = random_matrix(random, head.keys(), 1 + whole(random, 3));
        const Index width = of_output ? value.cols() : head.keys();
        const int quality = static_cast<int>(whole(random, 5));
        std::vector<std::vector<Real>> exact;
        RowMatrix claim = RowMatrix::Zero(head.queries(), width);
        Real max_abs = 0, row_l1 = 0, squares = 0, ulps = 0, relative = 0;
        bool infinite = false;
        std::uint64_t correct = 0, entries = 0, within = 0;
        std::vector<Index> empty;
        const Rational tolerance(1 + whole(random, 9), 4000);
        for (Index i = 0; i < head.queries(); ++i) {
            ++rows;
            const auto a = exact_row(head, i);
            if (a.empty()) {
                ++undefined;
                empty.push_back(i);
                continue;
            }
            Real l1 = 0;
            for (Index c = 0; c < width; ++c) {
                Real t = of_output ? Real(0) : a[static_cast<std::size_t>(c)];
                if (of_output)
                    for (Index j = 0; j < head.keys(); ++j)
                        t += a[static_cast<std::size_t>(j)] * Real(value(j, c));
                claim(i, c) = claimed(random, t, quality, format);
                const Real error = abs(Real(t - Real(claim(i, c))));
                const Real size = abs(t);
                max_abs = std::max<Real>(max_abs, error);
                l1 += error;
                squares += error * error;
                if (size == 0 && error != 0) infinite = true;
                if (size != 0) relative = std::max<Real>(relative, Real(error / size));
                const long e =
                    size == 0 ? -100000 : static_cast<long>(mpfr_get_exp(size.backend().data())) - 1;
                ulps = std::max<Real>(
                    ulps, Real(ldexp(error, static_cast<int>(
                                                -std::max(e - limits.digits + 1, limits.least_exponent)))));
                correct += rounded(rational(t), format) == claim(i, c) ? 1 : 0;
                within += error <= real(tolerance) ? 1 : 0;
                ++entries;
            }
            row_l1 = std::max<Real>(row_l1, l1);
        }
        AuditOptions options;
        options.format = format;
        options.claims = {{ClaimKind::max_abs, tolerance, 0},
                          {ClaimKind::row_l1, 2 * tolerance, 0},
                          {ClaimKind::relative, tolerance, 0},
                          {ClaimKind::ulps, 3, 0},
                          {ClaimKind::frobenius, tolerance, 0}};
        const HeadAudit audit =
            of_output ? audit_output(head, value, claim, options) : audit_attention(head, claim, options);
        CAPTURE(rows);
        REQUIRE(audit.undefined_rows == empty);
        REQUIRE(audit.entries == entries);
        check_encloses(audit.max_abs.value, max_abs, true);
        check_encloses(audit.row_l1.value, row_l1, true);
        check_encloses(audit.frobenius, Real(sqrt(squares)), true);
        check_encloses(audit.ulps.value, ulps, false);
        check_encloses(audit.relative.value, relative, false);
        CHECK((!audit.relative.infinite || infinite));
        CHECK(audit.correctly_rounded <= correct);
        CHECK(correct <= entries - audit.not_correctly_rounded);
        CHECK(audit.claims[1].holds <= within);
        CHECK(within <= entries - audit.claims[1].fails);
        const auto check_answer = [&](std::size_t k, bool truth) {
            if (audit.claims[k].answer == Answer::proved) CHECK(truth);
            if (audit.claims[k].answer == Answer::refuted) CHECK(!truth);
            if (audit.claims[k].answer == Answer::undefined) CHECK(!empty.empty());
            ++answers[static_cast<int>(audit.claims[k].answer)];
        };
        check_answer(1, max_abs <= real(tolerance));
        check_answer(2, row_l1 <= real(2 * tolerance));
        check_answer(3, !infinite && relative <= real(tolerance));
        check_answer(4, ulps <= 3);
        check_answer(5, sqrt(squares) <= real(tolerance));
        counted += entries;
        undecided += entries - audit.correctly_rounded - audit.not_correctly_rounded;
        precise += audit.precise_rows;
    }
    MESSAGE(rows << " rows, " << undefined << " undefined, " << precise << " by MPFR; " << counted
                 << " entries, " << undecided << " roundings open; answers proved " << answers[0]
                 << ", refuted " << answers[1] << ", undecided " << answers[2] << ", undefined "
                 << answers[3]);
    CHECK(answers[0] > 300);
    CHECK(answers[1] > 300);
    CHECK(undecided * 50 < counted);
}
