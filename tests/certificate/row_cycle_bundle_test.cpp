#include <doctest/doctest.h>

#include "certificate/bundle_samples.hpp"
#include "certificate/row_cycles.hpp"
#include "rankcert/io/safetensors.hpp"

// Row cycles in files.

using namespace rankcert;
using namespace rankcert::test;
using files::contains;
using files::refusal;

namespace {

/// I_4 with a cycle of rank 3 (rows 0, 1, 3 and more) and one of rank 4, whose claims are true.
Bundle sample() {
    std::mt19937_64 random(61);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(4, 4);
    Bundle bundle;
    bundle.subject.centre = ExactMatrix::identity(4);
    bundle.input.file = "identity.npy";
    bundle.lower_witnesses = {*with_vectors(random_cycle(3, 4, 3, random), one, 4),
                              *with_vectors(cross_polytope({0, 1, 2, 3}), one, 4), LowerRule::nonzero};
    bundle.upper_witnesses = {UpperRule::shape};
    bundle.claims = {samples::claim("1/2", 3, 0, 4, 0), samples::claim("9/10", 4, 1, 4, 0)};
    return bundle;
}

RowCycleWitness& cycle(Bundle& bundle, std::size_t at = 0) {
    return std::get<RowCycleWitness>(bundle.lower_witnesses[at]);
}

std::string refuse_statement(const Bundle& bundle, const std::string& from, const std::string& to) {
    Safetensors contents = parse_safetensors(format_bundle(bundle), "x");
    std::string& statement = contents.metadata.at("statement");
    const auto at = statement.find(from);
    REQUIRE(at != std::string::npos);
    statement.replace(at, from.size(), to);
    const files::Bytes bytes = samples::with_digest(format_safetensors(contents));
    const std::string sentence = refusal([&] { return parse_bundle(bytes, "c.safetensors"); });
    CHECK(files::is_clear(sentence, "c.safetensors"));
    return sentence;
}

}  // namespace

TEST_CASE("row cycles read back from their file and are proved") {
    const Bundle bundle = sample();
    const files::Bytes bytes = format_bundle(bundle);
    const Bundle again = parse_bundle(bytes, "c");
    CHECK(format_bundle(again) == bytes);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& x = std::get<RowCycleWitness>(bundle.lower_witnesses[i]);
        const auto& y = std::get<RowCycleWitness>(again.lower_witnesses[i]);
        CHECK(method_name(again.lower_witnesses[i]) == std::string("row_cycle"));
        CHECK(x.rank == y.rank);
        CHECK(x.vectors == y.vectors);
        REQUIRE(x.sets.size() == y.sets.size());
        for (std::size_t j = 0; j < x.sets.size(); ++j) {
            CHECK(x.sets[j].rows == y.sets[j].rows);
            CHECK(x.sets[j].negative == y.sets[j].negative);
            CHECK(x.sets[j].vector == y.sets[j].vector);
        }
    }
    for (const Level level : {Level::fast, Level::exact}) {
        for (const ClaimVerdict& verdict : check(again, level)) CHECK(verdict.decision == Decision::proved);
    }
}

TEST_CASE("a claim beyond what the row cycle proves is refuted") {
    Bundle bundle = sample();
    bundle.claims[0].lower = 4;
    CHECK(check(bundle, Level::exact)[0].decision == Decision::refuted);
    bundle = sample();
    bundle.claims[0].epsilon = 1;
    CHECK(check(bundle, Level::exact)[0].decision == Decision::refuted);
    CHECK(check(bundle, Level::fast)[0].decision == Decision::undecided);
}

TEST_CASE("row cycles of a wrong form are refused by the writer and by check") {
    const auto change = [](auto&& how) {
        Bundle bundle = sample();
        how(cycle(bundle));
        CHECK(refusal([&] { return check(bundle, Level::exact); }) != "(accepted)");
        return refusal([&] { return format_bundle(bundle); });
    };
    const std::string first = "the lower witness number 0";
    const auto has = [&](const std::string& sentence, const std::string& part) {
        CAPTURE(sentence);
        CHECK(contains(sentence, first));
        CHECK(contains(sentence, part));
    };
    has(change([](RowCycleWitness& w) { w.rank = 1; }), "rank 1");
    has(change([](RowCycleWitness& w) { w.rank = 4; }), "3 rows where 4");
    has(change([](RowCycleWitness& w) { w.sets[1].rows[2] = 4; }), "row 4");
    has(change([](RowCycleWitness& w) { w.sets[1].rows[0] = -1; }), "row -1");
    has(change([](RowCycleWitness& w) { w.sets[1].rows[1] = w.sets[1].rows[0]; }), "strictly increasing");
    has(change([](RowCycleWitness& w) { w.sets[1].negative |= 1; }), "first sign");
    has(change([](RowCycleWitness& w) { w.sets[1].negative |= 8; }), "more signs");
    has(change([](RowCycleWitness& w) { w.sets[1].vector = 99; }), "vector 99");
    has(change([](RowCycleWitness& w) { w.sets[1].vector = -1; }), "vector -1");
    has(change([](RowCycleWitness& w) { std::swap(w.sets[0], w.sets[1]); }), "out of order");
    has(change([](RowCycleWitness& w) { w.sets.insert(w.sets.begin(), w.sets[0]); }), "twice the same");
    has(change([](RowCycleWitness& w) { w.sets[1].vector = w.sets[0].vector; }), "belongs to no set");
    has(change([](RowCycleWitness& w) { w.vectors = ExactMatrix(w.vectors.rows(), 3); }), "length 3");
}

TEST_CASE("conditions of the theorem are left to the checker") {
    // Two is not a cube's coordinate and one set is missing: well formed, and proves nothing.
    Bundle bundle = sample();
    cycle(bundle).vectors = cycle(bundle).vectors.scale(2);
    cycle(bundle, 1).sets.pop_back();
    std::vector<Index> kept;
    for (SignedRowSet& set : cycle(bundle, 1).sets) {
        kept.push_back(set.vector);
        set.vector = static_cast<Index>(kept.size()) - 1;
    }
    cycle(bundle, 1).vectors = cycle(bundle, 1).vectors.select_rows(kept);
    const auto verdicts = check(parse_bundle(format_bundle(bundle), "c"), Level::exact);
    CHECK(verdicts[0].decision == Decision::refuted);
    CHECK(contains(verdicts[0].reason, "above 1"));
    CHECK(verdicts[1].decision == Decision::refuted);
}

TEST_CASE("statements whose row cycles are malformed are refused") {
    const Bundle bundle = sample();
    CHECK(contains(refuse_statement(bundle, "\"rank\":3,\"rows\"", "\"rank\":1,\"rows\""), "rank below 2"));
    CHECK(contains(refuse_statement(bundle, "\"rank\":3,\"rows\"", "\"rank\":63,\"rows\""), "0 to 62"));
    CHECK(contains(refuse_statement(bundle, "\"rank\":3,\"rows\"", "\"rank\":4,\"rows\""), "'rank' says"));
    CHECK(contains(refuse_statement(bundle, "\"rank\":3,\"rows\"", "\"rank\":-3,\"rows\""), "whole number"));
    CHECK(contains(refuse_statement(bundle, "\"rank\":3,\"rows\"", "\"rank\":3,\"more\":0,\"rows\""),
                   "unknown key"));
    CHECK(contains(refuse_statement(bundle, "\"rank\":3,\"rows\"", "\"rows\""), "no key 'rank'"));
    CHECK(contains(refuse_statement(bundle, "\"rows\":[[0,", "\"rows\":[[-1,"), "not an index"));
    CHECK(contains(refuse_statement(bundle, "\"rows\":[[0,", "\"rows\":[[0.5,"), "not an index"));
    CHECK(contains(refuse_statement(bundle, "\"rows\":[[0,", "\"rows\":[[99,"), "row 99"));
    CHECK(contains(refuse_statement(bundle, "\"signs\":[\"+", "\"signs\":[\"-"), "first sign"));
    CHECK(contains(refuse_statement(bundle, "\"signs\":[\"+", "\"signs\":[\"++"), "one + or - for each"));
    CHECK(contains(refuse_statement(bundle, "\"signs\":[\"+", "\"signs\":[\"*"), "one + or - for each"));
    CHECK(contains(refuse_statement(bundle, "\"signs\":[", "\"signs\":[7,"), "different lengths"));
    const std::string vector =
        "\"vector\":[" + std::to_string(std::get<RowCycleWitness>(bundle.lower_witnesses[0]).sets[0].vector) +
        ",";
    CHECK(contains(refuse_statement(bundle, vector, "\"vector\":["), "different lengths"));
    CHECK(contains(refuse_statement(bundle, vector, "\"vector\":[\"0\","), "not an index"));
    CHECK(contains(refuse_statement(bundle, vector, "\"vector\":[99,"), "vector 99"));
    CHECK(contains(refuse_statement(bundle, "\"kind\":\"row_cycle\"", "\"kind\":\"row_cycles\""),
                   "unknown kind"));
}
