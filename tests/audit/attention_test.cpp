// The cases A01 to A27 of known faults in attention programs, with the right values.

#include <doctest/doctest.h>

#include <cmath>

#include "audit/oracle.hpp"

using namespace rankcert;
using namespace rankcert::audit;
using namespace rankcert::tests;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

AuditOptions options(NumberFormat format, std::vector<Claim> claims = {}) {
    AuditOptions chosen;
    chosen.format = format;
    chosen.claims = std::move(claims);
    return chosen;
}
Claim claim(ClaimKind kind, const char* first = "0", const char* second = "0") {
    return {kind, parse_rational(first), parse_rational(second)};
}

/// The answer to one claim beside `finite`.
Answer answer(const AttentionHead& head, const RowMatrix& claimed, const Claim& what,
              NumberFormat format = NumberFormat::float64) {
    const HeadAudit audit = audit_attention(head, claimed, options(format, {what}));
    REQUIRE(audit.claims.size() == 2);
    return both(audit.claims[0].answer, audit.claims[1].answer);
}

AttentionHead zero_logits(Index queries, Index keys) {
    AttentionHead head;
    head.query = RowMatrix::Zero(queries, 1);
    head.key = RowMatrix::Zero(keys, 1);
    return head;
}

bool lies_in(const MpInterval& x, const char* low, const char* high) {
    return certainly_less(parse_rational(low), x) && certainly_less(x, parse_rational(high));
}

}  // namespace

TEST_CASE("A01: an empty row is undefined, or what the declared convention says") {
    const double e = std::exp(1.0);
    for (const Index size : {2, 5, 65}) {
        for (const Index empty : {Index{0}, size - 1}) {
            AttentionHead head;
            head.query = RowMatrix::Identity(size, size);
            head.key = head.query;
            head.keep = BoolMatrix::Constant(size, size, true);
            head.keep.row(empty).setConstant(false);
            RowMatrix good = RowMatrix::Constant(size, size, 1 / (e + static_cast<double>(size) - 1));
            good.diagonal() *= e;
            const Claim close = claim(ClaimKind::max_abs, "1e-12");
            for (const double filling : {kNan, 0.0, 1 / static_cast<double>(size), 7.0}) {
                CAPTURE(filling);
                good.row(empty).setConstant(filling);
                head.empty_rows = EmptyRows::error;
                const HeadAudit audit = audit_attention(head, good, options(NumberFormat::float64, {close}));
                CHECK(audit.answer() == Answer::undefined);
                CHECK(audit.undefined_rows == std::vector<Index>{empty});
                head.empty_rows = EmptyRows::nan;
                CHECK(answer(head, good, close) == (std::isnan(filling) ? Answer::proved : Answer::refuted));
                head.empty_rows = EmptyRows::zero;
                CHECK(answer(head, good, close) == (filling == 0 ? Answer::proved : Answer::refuted));
            }
            // An error elsewhere is not hidden by the undefined row.
            head.empty_rows = EmptyRows::error;
            good(empty == 0 ? 1 : 0, 0) = kNan;
            CHECK(answer(head, good, close) == Answer::refuted);
        }
    }
}

TEST_CASE("A02: a finite “minus infinity” on a whole row cancels; as a boolean mask the row is empty") {
    AttentionHead head = head_of_logits({.5, 1.5, 2.5});
    head.bias = RowMatrix::Constant(1, 3, -0x1.fffffep127);
    const RowMatrix right = matrix({{0.090030573170380462, 0.24472847105479767, 0.66524095577482187}});
    const RowMatrix uniform = RowMatrix::Constant(1, 3, 1. / 3);
    CHECK(answer(head, right, claim(ClaimKind::row_l1, "1e-15")) == Answer::proved);
    CHECK(answer(head, uniform, claim(ClaimKind::row_l1, "0.66")) == Answer::refuted);
    CHECK(lies_in(audit_attention(head, uniform, options(NumberFormat::float64)).row_l1.value, "0.663",
                  "0.664"));
    head.bias = RowMatrix();
    head.keep = BoolMatrix::Constant(1, 3, false);
    CHECK(answer(head, uniform, claim(ClaimKind::row_l1, "1")) == Answer::undefined);
}

TEST_CASE("A04: what only a hidden key carries does not matter, and is told") {
    for (const double bad : {kNan, kInf, 1e10}) {
        AttentionHead head = head_of_logits({1, bad});
        head.keep = BoolMatrix(1, 2);
        head.keep << true, false;
        CHECK(answer(head, matrix({{1, 0}}), claim(ClaimKind::correctly_rounded)) == Answer::proved);
        RowMatrix value = matrix({{3, -.25}, {bad, 1}});
        const HeadAudit audit =
            audit_output(head, value, matrix({{3, -.25}}), options(NumberFormat::float16));
        CHECK(audit.answer() == Answer::proved);
        CHECK(audit.correctly_rounded == 2);
        CHECK(audit.unread_not_finite == (std::isfinite(bad) ? 0 : 1));
        // Where it is read there is no value, whatever is claimed.
        head.keep = BoolMatrix();
        if (!std::isfinite(bad))
            CHECK(answer(head, matrix({{1, 0}}), claim(ClaimKind::max_abs, "2")) == Answer::undefined);
        head.key(1, 0) = 1;
        if (!std::isfinite(bad))
            CHECK(audit_output(head, value, matrix({{3, 0}}), options(NumberFormat::float16)).answer() ==
                  Answer::undefined);
    }
}

TEST_CASE("A05: logits that overflow 16 bits, and weights below the double range") {
    AttentionHead head;
    head.query = RowMatrix::Constant(1, 128, 256);
    head.key = RowMatrix(2, 128);
    head.key.row(0).setConstant(256);
    head.key.row(1).setConstant(255.75);
    head.scale.sqrt_of = 128;
    CHECK(answer(head, matrix({{1, 3.4451e-315}}), claim(ClaimKind::relative, "1e-5")) == Answer::proved);
    CHECK(answer(head, matrix({{1, 3.4461e-315}}), claim(ClaimKind::relative, "1e-5")) == Answer::refuted);
    CHECK(answer(head, matrix({{kNan, kNan}}), claim(ClaimKind::max_abs, "10")) == Answer::refuted);
}

TEST_CASE("A06: a denominator summed in 16 bits") {
    const AttentionHead half = zero_logits(1, 4096), brain = zero_logits(1, 512);
    struct Case {
        const AttentionHead* head;
        double wrong, right;
        NumberFormat format;
    };
    for (const auto& [head, wrong, right, format] :
         {Case{&half, 1. / 2048, 1. / 4096, NumberFormat::float16},
          Case{&brain, 1. / 256, 1. / 512, NumberFormat::bfloat16}}) {
        const RowMatrix bad = RowMatrix::Constant(1, head->keys(), wrong),
                        good = RowMatrix::Constant(1, head->keys(), right);
        const HeadAudit audit = audit_attention(*head, bad, options(format, {claim(ClaimKind::row_sums)}));
        CHECK(audit.row_l1.value.contains(Rational(1)));
        CHECK(audit.claims[1].answer == Answer::refuted);
        CHECK(*audit.worst_sum == 2);
        CHECK(answer(*head, good, claim(ClaimKind::row_sums), format) == Answer::proved);
        CHECK(answer(*head, good, claim(ClaimKind::correctly_rounded), format) == Answer::proved);
    }
}

TEST_CASE("A07 and A08: no maximum subtracted; the exact value is the measure, not a second result") {
    const AttentionHead large = head_of_logits({1000, 1001});
    CHECK(answer(large, matrix({{0.268941421369995, 0.731058578630005}}),
                 claim(ClaimKind::relative, "1e-14")) == Answer::proved);
    CHECK(answer(large, matrix({{0, 0}}), claim(ClaimKind::max_abs, "0.7")) == Answer::refuted);
    CHECK(answer(large, matrix({{kNan, kNan}}), claim(ClaimKind::max_abs, "2")) == Answer::refuted);
    const AttentionHead spread = head_of_logits({90, 2, -2});
    CHECK(answer(spread, matrix({{1, 6.0546e-39, 1.1089e-40}}), claim(ClaimKind::relative, "1e-4")) ==
          Answer::proved);
    CHECK(answer(spread, matrix({{1, 6.0546e-39, 1.1089e-40}}), claim(ClaimKind::relative, "1e-6")) ==
          Answer::refuted);
    const AttentionHead extreme = head_of_logits({1, 2, 3, 4000});
    CHECK(answer(extreme, matrix({{0, 0, 0, 1}}), claim(ClaimKind::correctly_rounded)) == Answer::proved);
    CHECK(answer(extreme, matrix({{0, 0, 0, 1}}), claim(ClaimKind::relative, "0.5")) == Answer::refuted);
    // The error of the 1 is known to a relative 1 % once 1 − 2e-1736 is told from 1.
    AuditOptions many_bits = options(NumberFormat::float64);
    many_bits.most_bits = 8192;
    const HeadAudit audit = audit_attention(extreme, matrix({{0, 0, 0, 1}}), many_bits);
    CHECK(lies_in(audit.max_abs.value, "2.00e-1736", "2.01e-1736"));
    CHECK(lies_in(audit.row_l1.value, "4.00e-1736", "4.01e-1736"));
    CHECK(audit.relative.value.contains(Rational(1)));
}

TEST_CASE("A09: one key has weight one, whatever its logit") {
    for (const double size : {133120., 1e30, 0.}) {
        AttentionHead head;
        head.query = head.key = RowMatrix::Constant(1, 64, size);
        head.scale.factor = parse_rational("1/8");
        const RowMatrix value = RowMatrix::Constant(1, 64, size);
        CHECK(answer(head, matrix({{1}}), claim(ClaimKind::max_abs)) == Answer::proved);
        const NumberFormat format = size == 1e30 ? NumberFormat::float64 : NumberFormat::bfloat16;
        const HeadAudit audit =
            audit_output(head, value, value, options(format, {claim(ClaimKind::max_abs)}));
        CHECK(audit.answer() == Answer::proved);
        for (const double wrong : {kNan, kInf, -1.})
            CHECK(answer(head, matrix({{wrong}}), claim(ClaimKind::max_abs, "1e-3")) == Answer::refuted);
    }
}

TEST_CASE("A11 and A13: a softcap") {
    AttentionHead head = head_of_logits({5000, 100});
    head.softcap = 50;
    const RowMatrix right = matrix({{0.857980986956718, 0.142019013043282}});
    CHECK(answer(head, right, claim(ClaimKind::relative, "1e-14")) == Answer::proved);
    CHECK(answer(head, matrix({{kNan, kNan}}), claim(ClaimKind::relative, "1")) == Answer::refuted);
    head = head_of_logits({40, 20});
    head.softcap = 30;
    CHECK(answer(head, matrix({{0.999819276484218, 1.80723515781577e-4}}),
                 claim(ClaimKind::relative, "1e-14")) == Answer::proved);
    CHECK(answer(head, matrix({{1 - 8.86e-11, 8.86e-11}}), claim(ClaimKind::row_l1, "1e-4")) ==
          Answer::refuted);
    CHECK(answer(head, matrix({{1 - 2.06e-9, 2.06e-9}}), claim(ClaimKind::row_l1, "1e-4")) ==
          Answer::refuted);
    head.softcap.reset();
    CHECK(answer(head, matrix({{1 - 2.06e-9, 2.06e-9}}), claim(ClaimKind::relative, "1e-3")) ==
          Answer::proved);
}

TEST_CASE("A14: causal alignment where lengths differ") {
    AttentionHead head = zero_logits(2, 5);
    head.causal = true;
    const RowMatrix bottom = matrix({{.25, .25, .25, .25, 0}, {.2, .2, .2, .2, .2}});
    const RowMatrix top = matrix({{1, 0, 0, 0, 0}, {.5, .5, 0, 0, 0}});
    const Claim exact = claim(ClaimKind::correctly_rounded);
    CHECK(answer(head, bottom, exact) == Answer::proved);
    CHECK(answer(head, top, exact) == Answer::refuted);
    head.alignment = CausalAlignment::top_left;
    CHECK(answer(head, top, exact) == Answer::proved);
    CHECK(answer(head, bottom, exact) == Answer::refuted);
    head = zero_logits(5, 2);
    head.causal = true;
    const HeadAudit audit =
        audit_attention(head, RowMatrix::Constant(5, 2, .5), options(NumberFormat::float64));
    CHECK(audit.undefined_rows == std::vector<Index>{0, 1, 2});
}

TEST_CASE("A15: a causal mask that was dropped") {
    for (const Index n : {3, 16, 65}) {
        AttentionHead head = zero_logits(n, n);
        head.causal = true;
        const RowMatrix uniform = RowMatrix::Constant(n, n, 1. / static_cast<double>(n));
        const HeadAudit audit = audit_attention(
            head, uniform,
            options(NumberFormat::float64, {claim(ClaimKind::causal), claim(ClaimKind::masked_zero)}));
        CHECK(audit.claims[1].answer == Answer::refuted);
        CHECK(audit.claims[1].fails == static_cast<std::uint64_t>(n * (n - 1) / 2));
        REQUIRE(audit.claims[1].failure);
        CHECK(audit.claims[1].failure->row == 0);
        CHECK(audit.claims[1].failure->column == 1);
        CHECK(audit.claims[2].answer == Answer::refuted);
        RowMatrix right = RowMatrix::Zero(n, n);
        for (Index i = 0; i < n; ++i) right.row(i).head(i + 1).setConstant(1. / static_cast<double>(i + 1));
        CHECK(answer(head, right, claim(ClaimKind::correctly_rounded)) == Answer::proved);
        CHECK(answer(head, right, claim(ClaimKind::causal)) == Answer::proved);
    }
}

TEST_CASE("A20: one mask by its two readings") {
    AttentionHead head = zero_logits(2, 2);
    const RowMatrix additive = matrix({{.5, .5}, {0.268941421369995, 0.731058578630005}}),
                    keep = matrix({{.5, .5}, {0, 1}});
    head.bias = matrix({{1, 1}, {0, 1}});
    CHECK(answer(head, additive, claim(ClaimKind::relative, "1e-14")) == Answer::proved);
    CHECK(answer(head, keep, claim(ClaimKind::max_abs, "0.1")) == Answer::refuted);
    head.bias = RowMatrix();
    head.keep = BoolMatrix(2, 2);
    head.keep << true, true, false, true;
    CHECK(answer(head, keep, claim(ClaimKind::correctly_rounded)) == Answer::proved);
    CHECK(answer(head, additive, claim(ClaimKind::masked_zero)) == Answer::refuted);
}

TEST_CASE("A21: an output accumulated in 16 bits overflows, the right one does not") {
    const AttentionHead head = zero_logits(1, 64);
    const RowMatrix value = RowMatrix::Constant(64, 3, 2000);
    const HeadAudit audit = audit_output(
        head, value, value.topRows(1), options(NumberFormat::float16, {claim(ClaimKind::correctly_rounded)}));
    CHECK(audit.answer() == Answer::proved);
    CHECK(
        audit_output(head, value, RowMatrix::Constant(1, 3, kInf), options(NumberFormat::float16)).answer() ==
        Answer::refuted);
}

TEST_CASE("A23: one ulp off, measured") {
    const AttentionHead head = head_of_logits({3});
    for (const NumberFormat format :
         {NumberFormat::float16, NumberFormat::bfloat16, NumberFormat::float32, NumberFormat::float64}) {
        const double ulp = std::ldexp(1.0, 1 - static_cast<int>(limits_of(format).digits));
        const HeadAudit audit = audit_attention(head, matrix({{1 + ulp}}), options(format));
        CHECK(audit.ulps.value.contains(Rational(1)));
        CHECK(audit.max_abs.value.contains(to_rational(ulp)));
        CHECK(audit.not_correctly_rounded == 1);
        CHECK(audit.not_faithful == 1);
    }
}

TEST_CASE("A24: rounded weights do not sum to one; the exact sum is told") {
    const AttentionHead head = zero_logits(1, 3);
    struct Case {
        NumberFormat format;
        double third;
        const char* sum;
    };
    for (const auto& [format, third, sum] :
         {Case{NumberFormat::bfloat16, 0.333984375, "1.001953125"},
          Case{NumberFormat::float16, 0.333251953125, "0.999755859375"},
          Case{NumberFormat::float32, 0x1.555556p-2, "1.000000029802322387695312"}}) {
        const HeadAudit audit = audit_attention(
            head, RowMatrix::Constant(1, 3, third),
            options(format, {claim(ClaimKind::row_sums), claim(ClaimKind::correctly_rounded)}));
        CHECK(audit.claims[1].answer == Answer::refuted);
        CHECK(audit.claims[2].answer == Answer::proved);
        CHECK(*audit.worst_sum == 3 * to_rational(third));
        const Rational off = *audit.worst_sum - parse_rational(sum);
        CHECK(off < parse_rational("1e-20"));
        CHECK(off > parse_rational("-1e-20"));
    }
}

TEST_CASE("A27: no length is special") {
    for (const Index n : {1, 2, 31, 32, 33, 1023, 1024, 1025, 1088}) {
        AttentionHead head = zero_logits(1, n);
        CHECK(answer(head, RowMatrix::Constant(1, n, 1. / static_cast<double>(n)),
                     claim(ClaimKind::correctly_rounded)) == Answer::proved);
        head.sink = 0.;
        CHECK(answer(head, RowMatrix::Constant(1, n, 1. / static_cast<double>(n + 1)),
                     claim(ClaimKind::correctly_rounded)) == Answer::proved);
    }
}

TEST_CASE("bad input is refused with the reason") {
    const AttentionHead head = zero_logits(2, 3);
    const RowMatrix good = RowMatrix::Constant(2, 3, .25);
    CHECK_THROWS_AS((void)audit_attention(head, RowMatrix::Zero(3, 2), options(NumberFormat::float64)),
                    Error);
    CHECK_THROWS_AS(
        (void)audit_attention(head, RowMatrix::Constant(2, 3, .1), options(NumberFormat::float32)), Error);
    CHECK_THROWS_AS((void)audit_output(head, RowMatrix::Zero(2, 4), RowMatrix::Zero(2, 4),
                                       options(NumberFormat::float64)),
                    Error);
    CHECK_THROWS_AS(
        (void)audit_attention(head, good, options(NumberFormat::float64, {claim(ClaimKind::within, "1")})),
        Error);
    AuditOptions rows = options(NumberFormat::float64);
    rows.rows = {2};
    CHECK_THROWS_AS((void)audit_attention(head, good, rows), Error);
    AttentionHead odd = head;
    odd.softcap = 0;
    CHECK_THROWS_AS(validate(odd), Error);
    odd = head;
    odd.bias = RowMatrix::Constant(2, 3, kInf);
    CHECK_THROWS_AS(validate(odd), Error);
    odd = head;
    odd.keep = BoolMatrix::Constant(3, 2, true);
    CHECK_THROWS_AS(validate(odd), Error);
}
