// What is declared of tensors: layouts, grouped heads, masks, alignment, claims; and that nothing else is
// accepted.

#include "rankcert/audit/declaration.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "audit/oracle.hpp"
#include "rankcert/io/json.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::audit;
using namespace rankcert::tests;

namespace {

using Shape = std::vector<std::uint64_t>;

/// A float64 tensor of any shape; `at` gives the entry at a C-order position.
template <class F>
Tensor tensor(const std::string& name, const Shape& shape, F at) {
    std::uint64_t size = 1;
    for (const std::uint64_t d : shape) size *= d;
    Eigen::MatrixXd row(1, static_cast<Index>(size));
    for (std::uint64_t k = 0; k < size; ++k) row(0, static_cast<Index>(k)) = at(k);
    Tensor t = from_matrix(name, row);
    t.shape = shape;
    return t;
}
Tensor constant(const std::string& name, const Shape& shape, double value) {
    return tensor(name, shape, [&](std::uint64_t) { return value; });
}

std::string refusal(const Declaration& declaration, const Tensors& tensors) {
    try {
        (void)run_audit(declaration, tensors);
    } catch (const Error& error) {
        return error.what();
    }
    return "(accepted)";
}
bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Zero logits, heads of one token and one feature; values are 0 in the first half of the key heads, 1 in the
/// others.
Tensors grouped(std::uint64_t query_heads, std::uint64_t key_heads, std::uint64_t tokens) {
    Tensors t;
    t["query"] = constant("q", {query_heads, tokens, 1}, 0);
    t["key"] = constant("k", {key_heads, tokens, 1}, 0);
    t["value"] = tensor("v", {key_heads, tokens, 1},
                        [&](std::uint64_t k) { return k / tokens >= key_heads / 2 ? 1 : 0; });
    return t;
}

Declaration exact_output() {
    Declaration d;
    d.subject = Subject::output;
    d.scale = "1";
    d.claims = {{ClaimKind::correctly_rounded, 0, 0}};
    return d;
}

}  // namespace

TEST_CASE("A16: query head h uses key head ⌊h·Hk/Hq⌋; tiled heads are refuted, head by head") {
    for (const auto& [query_heads, key_heads] :
         {std::pair<std::uint64_t, std::uint64_t>{4, 2}, {48, 2}, {8, 4}, {2, 2}}) {
        for (const std::uint64_t tokens : {1, 3}) {
            Tensors t = grouped(query_heads, key_heads, tokens);
            t["claim"] = tensor("o", {query_heads, tokens, 1}, [&, q = query_heads](std::uint64_t k) {
                return k / tokens >= q / 2 ? 1 : 0;
            });
            CHECK(run_audit(exact_output(), t).answer() == Answer::proved);
            t["claim"] = tensor("o", {query_heads, tokens, 1}, [&, n = key_heads](std::uint64_t k) {
                return k / tokens % n >= n / 2 ? 1 : 0;
            });
            const AuditReport tiled = run_audit(exact_output(), t);
            CHECK(tiled.answer() == (query_heads == key_heads ? Answer::proved : Answer::refuted));
            if (query_heads == 4) {
                CHECK(tiled.heads[0].answer() == Answer::proved);
                CHECK(tiled.heads[1].answer() == Answer::refuted);
                CHECK(tiled.heads[2].answer() == Answer::refuted);
                CHECK(tiled.heads[3].answer() == Answer::proved);
            }
        }
    }
    Tensors odd = grouped(3, 2, 1);
    odd["claim"] = constant("o", {3, 1, 1}, 0);
    CHECK(contains(refusal(exact_output(), odd), "must divide"));
}

TEST_CASE("layouts: the same numbers with heads before and after tokens") {
    const std::uint64_t b = 2, h = 3, m = 4, n = 5, d = 2;
    const auto entry = [](std::uint64_t seed, std::uint64_t at) {
        return std::sin(static_cast<double>(7 * seed + 13 * at));
    };
    Tensors first, last;
    const auto add = [&](const std::string& role, std::uint64_t tokens, std::uint64_t width,
                         std::uint64_t seed) {
        first[role] = tensor(role, {b, h, tokens, width}, [&](std::uint64_t k) { return entry(seed, k); });
        last[role] = tensor(role, {b, tokens, h, width}, [&](std::uint64_t k) {
            const std::uint64_t c = k % width, head = k / width % h, token = k / width / h % tokens,
                                batch = k / width / h / tokens;
            return entry(seed, ((batch * h + head) * tokens + token) * width + c);
        });
    };
    add("query", m, d, 1);
    add("key", n, d, 2);
    add("value", n, 3, 3);
    add("claim", m, 3, 4);
    Declaration declaration = exact_output();
    declaration.claims.clear();
    const AuditReport x = run_audit(declaration, first);
    declaration.layout = Layout::tokens_first;
    const AuditReport y = run_audit(declaration, last, {2, false, {}});
    REQUIRE(x.heads.size() == b * h);
    REQUIRE(y.heads.size() == b * h);
    for (std::size_t k = 0; k < x.heads.size(); ++k) {
        CHECK(x.heads[k].batch == y.heads[k].batch);
        CHECK(x.heads[k].head == static_cast<Index>(k % h));
        CHECK(to_string(x.heads[k].audit.max_abs.value) == to_string(y.heads[k].audit.max_abs.value));
        CHECK(to_string(x.heads[k].audit.frobenius) == to_string(y.heads[k].audit.frobenius));
    }
    CHECK(to_string(x.heads[0].audit.frobenius) != to_string(x.heads[1].audit.frobenius));
    CHECK(contains(refusal(declaration, first), "tensor"));  // the other layout does not fit
}

TEST_CASE(
    "masks and biases go with all logits that their shape leaves open, and their kind must be declared") {
    Tensors t;
    t["query"] = constant("q", {2, 2, 1}, 0);
    t["key"] = constant("k", {2, 2, 1}, 0);
    t["claim"] =
        tensor("a", {2, 2, 2}, [](std::uint64_t k) { return k % 4 < 2 ? .5 : (k % 2 == 0 ? 0. : 1.); });
    Declaration d;
    d.scale = "1";
    d.claims = {{ClaimKind::correctly_rounded, 0, 0}};
    d.mask = MaskReading::boolean;
    const auto numbers = [](std::uint64_t k) { return k == 2 ? 0. : 1.; };
    for (const Shape& shape : {Shape{2, 2}, Shape{1, 2, 2}, Shape{1, 1, 2, 2}}) {
        t["mask"] = tensor("m", shape, numbers);
        CHECK(run_audit(d, t).answer() == Answer::proved);
    }
    t["mask"] = tensor("m", {2, 2}, numbers);
    d.mask = MaskReading::additive;
    CHECK(run_audit(d, t).answer() == Answer::refuted);
    d.mask = MaskReading::boolean;
    t["mask"] = constant("m", {2}, 1);  // one row for all
    CHECK(run_audit(d, t).answer() == Answer::refuted);
    t["mask"] = constant("m", {3, 2}, 1);
    CHECK(contains(refusal(d, t), "goes with logits"));
    t["mask"] = constant("m", {2, 2}, .5);
    CHECK(contains(refusal(d, t), "neither 0 nor 1"));
    d.mask.reset();
    CHECK(contains(refusal(d, t), "does not use it"));
    // −infinity hides, whichever tensor it is in; sums that float64 does not hold are refused.
    t["mask"] = tensor("m", {2, 2}, [](std::uint64_t k) { return k == 2 ? -INFINITY : 0.; });
    t["bias"] = constant("b", {2, 2}, 3);
    d.mask = MaskReading::additive;
    d.bias = true;
    CHECK(run_audit(d, t).answer() == Answer::proved);
    t["mask"] = constant("m", {2, 2}, 0x1p-60);
    CHECK(contains(refusal(d, t), "not a float64 number"));
}

TEST_CASE("an alignment is asked for exactly where it matters") {
    Tensors t;
    t["query"] = constant("q", {2, 1}, 0);
    t["key"] = constant("k", {5, 1}, 0);
    t["claim"] = constant("a", {2, 5}, .2);
    Declaration d;
    d.scale = "1";
    CHECK(refusal(d, t) == "(accepted)");
    d.causal = true;
    CHECK(contains(refusal(d, t), "bottom-right or top-left"));
    d.alignment = CausalAlignment::bottom_right;
    CHECK(refusal(d, t) == "(accepted)");
    d.causal = false;
    d.alignment.reset();
    d.window_before = 1;
    CHECK(contains(refusal(d, t), "bottom-right or top-left"));
}

TEST_CASE("sinks and slopes come one a query head") {
    Tensors t;
    t["query"] = constant("q", {2, 1, 1}, 0);
    t["key"] = constant("k", {1, 3, 1}, 0);
    t["claim"] = tensor("a", {2, 1, 3}, [](std::uint64_t k) { return k < 3 ? .25 : 1. / 3; });
    t["sink"] = tensor("s", {2}, [](std::uint64_t k) { return k == 0 ? 0. : -1e4; });
    Declaration d;
    d.scale = "1";
    d.sink = SinkKind::logits;
    d.claims = {{ClaimKind::correctly_rounded, 0, 0}};
    CHECK(run_audit(d, t).answer() == Answer::proved);
    t["sink"] = constant("s", {3}, 0);
    CHECK(contains(refusal(d, t), "one number for each of the 2 query heads"));
    t.erase("sink");
    CHECK(contains(refusal(d, t), "sink"));
    d.sink = SinkKind::one;
    CHECK(run_audit(d, t).heads[0].answer() == Answer::proved);
    CHECK(run_audit(d, t).heads[1].answer() == Answer::refuted);
    d.alibi = true;
    t["alibi"] = constant("slopes", {2}, .5);
    d.alignment = CausalAlignment::bottom_right;
    CHECK(run_audit(d, t).heads[0].answer() == Answer::refuted);
}

TEST_CASE("A23: a ratio to a baseline whose error is 0 is not defined") {
    Tensors t;
    t["query"] = constant("q", {1, 1}, 0);
    t["key"] = constant("k", {1, 1}, 0);
    t["claim"] = constant("a", {1, 1}, 1 + 0x1p-52);
    t["baseline"] = constant("b", {1, 1}, 1);
    Declaration d;
    d.scale = "1";
    d.ratio = 4;
    AuditReport report = run_audit(d, t);
    CHECK(!report.heads[0].ratio);
    CHECK(report.answer() == Answer::undefined);
    t["baseline"] = constant("b", {1, 1}, 1 - 0x1p-53);
    report = run_audit(d, t);
    REQUIRE(report.heads[0].ratio);
    CHECK(report.heads[0].ratio->contains(Rational(2)));
    CHECK(report.answer() == Answer::proved);
    d.ratio = parse_rational("1.99");
    CHECK(run_audit(d, t).answer() == Answer::refuted);
    t["baseline"] = constant("b", {1, 1}, NAN);
    CHECK(run_audit(d, t).answer() == Answer::undefined);
    t["claim"] = constant("a", {1, 1}, NAN);
    CHECK(run_audit(d, t).answer() == Answer::refuted);
}

TEST_CASE("a declaration survives its JSON form, and nothing but the form is read") {
    Declaration d;
    d.subject = Subject::output;
    d.layout = Layout::tokens_first;
    d.scale = "3/8/sqrt(64)";
    d.softcap = Rational(101, 2);
    d.causal = true;
    d.alignment = CausalAlignment::top_left;
    d.window_before = 128;
    d.mask = MaskReading::additive;
    d.alibi = true;
    d.sink = SinkKind::one;
    d.empty_rows = EmptyRows::nan;
    d.rows = {0, 7};
    for (const char* claim :
         {"max-abs=1e-6", "close=1e-5,1/3", "ulps=2", "faithful", "row-sums", "row-sums=1/10"})
        d.claims.push_back(parse_claim(claim));
    d.ratio = Rational(3, 2);
    const std::string text = to_json(d).dump();
    const Declaration again = declaration_from_json(parse_json(text, "test"), "test");
    CHECK(to_json(again).dump() == text);
    CHECK(again.claims.size() == 6);
    CHECK(again.claims[1].second == Rational(1, 3));
    CHECK(parse_scale(again.scale, 9).sqrt_of == 64);

    for (const char* bad :
         {R"({"scal":"1"})", R"({"scale":1})", R"({"causal":"yes"})", R"({"layout":"BHDN"})",
          R"({"rows":[-1]})", R"({"rows":[1.5]})", R"({"claims":"ulps=2"})", R"({"claims":["ulps"]})",
          R"({"claims":["ulps=x"]})", R"({"claims":["close=1"]})", R"({"claims":["faithful=1"]})",
          R"({"claims":["ulps=-1"]})", R"({"claims":["nonsense=1"]})", R"({"softcap":"fifty"})", R"([])",
          R"({"sink":true})"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS((void)declaration_from_json(parse_json(bad, "test"), "test"), Error);
    }
}
