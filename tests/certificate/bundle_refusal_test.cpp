// Bundles and files that are not exactly certificates.

#include <doctest/doctest.h>

#include <algorithm>

#include "certificate/bundle_samples.hpp"
#include "rankcert/io/safetensors.hpp"

using namespace rankcert;
using files::contains;
using files::refusal;

namespace {

/// The same certificate with a change to its parts and a digest that fits.
template <class Change>
std::string refuse_changed(const Bundle& bundle, const Change& change) {
    Safetensors contents = parse_safetensors(format_bundle(bundle), "x");
    change(contents);
    const files::Bytes bytes = samples::with_digest(format_safetensors(contents));
    const std::string sentence = refusal([&] { return parse_bundle(bytes, "c.safetensors"); });
    CHECK(files::is_clear(sentence, "c.safetensors"));
    return sentence;
}

std::string refuse_statement(const Bundle& bundle, const std::string& from, const std::string& to) {
    return refuse_changed(bundle, [&](Safetensors& contents) {
        std::string& statement = contents.metadata.at("statement");
        const auto at = statement.find(from);
        REQUIRE(at != std::string::npos);
        statement.replace(at, from.size(), to);
    });
}

std::string refuse_bundle(const Bundle& bundle) {
    return refusal([&] { return format_bundle(bundle); });
}

}  // namespace

TEST_CASE("bundles whose parts do not fit are refused by the writer, and by check") {
    const auto change = [](auto&& how) {
        Bundle bundle = samples::identity();
        how(bundle);
        CHECK(refusal([&] { return check(bundle, Level::exact); }) != "(accepted)");
        return refuse_bundle(bundle);
    };
    CHECK(contains(change([](Bundle& b) { b.claims.clear(); }), "claims nothing"));
    CHECK(contains(change([](Bundle& b) { b.claims[0].epsilon = -1; }), "negative"));
    CHECK(contains(change([](Bundle& b) { b.claims[0].epsilon = b.claims[1].epsilon; }), "repeats"));
    CHECK(contains(change([](Bundle& b) { b.claims[0].lower_witness = 7; }), "there are 7"));
    CHECK(contains(change([](Bundle& b) { b.claims[0].upper_witness = 99; }), "there are 8"));
    CHECK(contains(change([](Bundle& b) { b.claims[0].lower_witness = -2; }), "-2"));
    CHECK(contains(change([](Bundle& b) { b.claims[0].lower_witness = -1; }), "no witness"));
    CHECK(contains(change([](Bundle& b) { b.claims[0].lower = -1; }), "out of range"));
    CHECK(contains(change([](Bundle& b) { b.claims[4].upper_witness = -1; }), "claims nothing"));
    CHECK(contains(change([](Bundle& b) { b.claims.back().top_k->upper = 4; }), "top-k"));
    CHECK(contains(change([](Bundle& b) { b.claims.back().top_k->epsilon = 0; }), "top-k"));
    CHECK(contains(change([](Bundle& b) { b.subject.centre = ExactMatrix(0, 3); }), "empty"));
    CHECK(
        contains(change([](Bundle& b) { b.subject.centre = ExactMatrix(3, 2); }), "lower witness number 0"));
    const auto with_space = [&change](auto&& how) {
        return change([&](Bundle& b) { how(std::get<FixedSpaceWitness>(b.lower_witnesses[0])); });
    };
    CHECK(contains(with_space([](auto& w) { w.pivots.pop_back(); }), "2 pivots for 3"));
    CHECK(contains(with_space([](auto& w) { w.pivots[0] = 1; }), "twice"));
    CHECK(contains(with_space([](auto& w) { w.pivots[0] = 3; }), "index 3"));
    CHECK(contains(with_space([](auto& w) { w.pivots[0] = -1; }), "index -1"));
    CHECK(contains(with_space([](auto& w) { w.basis = ExactMatrix(2, 3); }), "basis"));
    CHECK(contains(with_space([](auto& w) { w.inverse = ExactMatrix(3, 2); }), "inverse"));
    CHECK(contains(
        change([](Bundle& b) { std::get<NeumannWitness>(b.lower_witnesses[1]).decoder = ExactMatrix(3, 2); }),
        "decoder"));
    CHECK(contains(change([](Bundle& b) { std::get<EckartYoungWitness>(b.lower_witnesses[2]).rank = -1; }),
                   "rank"));
    CHECK(contains(change([](Bundle& b) {
                       std::get<EckartYoungWitness>(b.lower_witnesses[2]).threshold = ExactMatrix(1, 2);
                   }),
                   "threshold"));
    CHECK(contains(
        change([](Bundle& b) { std::get<FactorWitness>(b.upper_witnesses[0]).right = ExactMatrix(2, 3); }),
        "right"));
    CHECK(contains(change([](Bundle& b) { std::get<FactorWitness>(b.upper_witnesses[0]).denominator = 0; }),
                   "denominator"));
    CHECK(contains(change([](Bundle& b) {
                       std::get<RepresentativeRowsWitness>(b.upper_witnesses[3]).representative = {0, 1};
                   }),
                   "2 rows for 3"));
    CHECK(contains(change([](Bundle& b) {
                       std::get<RepresentativeRowsWitness>(b.upper_witnesses[3]).representative = {0, 1, 3};
                   }),
                   "index 3"));
    CHECK(contains(change([](Bundle& b) { b.input.tensors = {{"query", "q"}}; }), "role"));
    Bundle head = samples::head(53);
    head.format = NumberFormat::float16;
    head.subject.head->query = samples::matrix(3, 2, {0.1, 0, 0, 0, 0, 0});
    CHECK(contains(refuse_bundle(head), "not exactly a number"));
    head = samples::head(53);
    head.subject.centre = ExactMatrix(3, 2);
    CHECK(contains(refuse_bundle(head), "centre"));
}

TEST_CASE("statements that are not exactly those of the format are refused") {
    const Bundle matrix = samples::identity();
    const Bundle head = samples::head(53);
    // numbers that are not in lowest terms, not canonical, not rational
    for (const char* epsilon : {"2/4", "0.5", "+1/2", "1/-2", "01/2", " 1/2", "1/2 ", "1/0", "", "x", "5e-1",
                                "-1/2", "1e999999999"}) {
        CAPTURE(epsilon);
        CHECK(refuse_statement(matrix, "\"epsilon\":\"1/2\"",
                               "\"epsilon\":\"" + std::string(epsilon) + "\"") != "(accepted)");
    }
    CHECK(
        contains(refuse_statement(matrix, "\"epsilon\":\"1/2\"", "\"epsilon\":0.5"), "no text in 'epsilon'"));
    CHECK(contains(refuse_statement(matrix, "\"epsilon\":\"1/2\"", "\"epsilon\":\"1/3\""), "repeats"));
    // keys: unknown, missing, twice, in another order, white space
    CHECK(contains(refuse_statement(matrix, "\"exponents\":{}", "\"exponents\":{},\"extra\":1"),
                   "unknown key 'extra'"));
    CHECK(contains(refuse_statement(matrix, "\"exponents\":{},", ""), "no key 'exponents'"));
    CHECK(contains(refuse_statement(matrix, "\"exponents\":{}", "\"exponents\":{},\"exponents\":{}"),
                   "duplicate key"));
    CHECK(contains(refuse_statement(matrix, "\"exponents\":{}", "\"exponents\": {}"), "canonical"));
    CHECK(contains(refuse_statement(matrix, "{\"format\":\"float64\",\"kind\":\"matrix\"}",
                                    "{\"kind\":\"matrix\",\"format\":\"float64\"}"),
                   "canonical"));
    CHECK(contains(refuse_statement(matrix, "identity.npy", "\\u0069dentity.npy"), "canonical"));
    CHECK(contains(refuse_statement(matrix, "\"kind\":\"matrix\"", "\"kind\":\"matrices\""), "unknown kind"));
    CHECK(contains(refuse_statement(matrix, "\"format\":\"float64\"", "\"format\":\"float63\""),
                   "number format"));
    CHECK(contains(refuse_statement(matrix, "\"file_sha256\":\"aa", "\"file_sha256\":\"AA"), "SHA-256"));
    CHECK(contains(refuse_statement(matrix, "\"pivots\":[0,1,2]", "\"pivots\":[0,1,1]"), "twice"));
    CHECK(contains(refuse_statement(matrix, "\"pivots\":[0,1,2]", "\"pivots\":[0,1,-1]"), "not an index"));
    CHECK(contains(refuse_statement(matrix, "\"pivots\":[0,1,2]", "\"pivots\":[0,1,2.0]"), "not an index"));
    CHECK(contains(refuse_statement(matrix, "\"pivots\":[0,1,2]", "\"pivots\":[0,1,4294967298]"),
                   "not an index"));
    CHECK(
        contains(refuse_statement(matrix, "\"denominator\":\"3\"", "\"denominator\":\"3/2\""), "not whole"));
    CHECK(contains(refuse_statement(matrix, "\"denominator\":\"3\"", "\"denominator\":\"-3\""),
                   "not positive"));
    CHECK(contains(refuse_statement(matrix, "\"kind\":\"neumann\"", "\"kind\":\"newmann\""), "unknown kind"));
    CHECK(contains(refuse_statement(matrix, "\"kind\":\"rule:shape\"", "\"kind\":\"rule:shapes\""),
                   "unknown kind"));
    CHECK(contains(refuse_statement(matrix, "\"kind\":\"neumann\"", "\"kind\":\"fixed_space\",\"pivots\":[]"),
                   "no tensor"));
    CHECK(contains(refuse_statement(matrix, "\"side\":\"rows\"", "\"side\":\"row\""), "unknown value 'row'"));
    CHECK(contains(refuse_statement(matrix, "\"lower\":{\"rank\":3,\"witness\":0}", "\"lower\":{\"rank\":3}"),
                   "witness"));
    CHECK(contains(refuse_statement(matrix, "\"lower\":{\"rank\":3,\"witness\":0}", "\"lower\":3"),
                   "not a JSON object"));
    CHECK(contains(refuse_statement(matrix, "\"exponents\":{}", "\"exponents\":{\"centre\":0}"), "I64"));
    CHECK(
        contains(refuse_statement(matrix, "\"exponents\":{}", "\"exponents\":{\"nothing\":0}"), "canonical"));
    CHECK(contains(
        refuse_statement(matrix, "\"exponents\":{}", "\"exponents\":{\"centre\":18446744073709551615}"),
        "32768"));
    CHECK(
        contains(refuse_statement(matrix, "\"exponents\":{}", "\"exponents\":{\"centre\":-32769}"), "32768"));
    CHECK(contains(refuse_statement(head, "\"softcap\":null", "\"softcap\":50"), "softcap"));
    CHECK(contains(refuse_statement(head, "\"sink\":null", "\"sink\":0"), "sink"));
    CHECK(contains(refuse_statement(head, "\"empty_rows\":\"error\"", "\"empty_rows\":\"zero\""),
                   "empty_rows"));
    CHECK(contains(refuse_statement(head, ",\"softcap\":null", ""), "softcap"));
    CHECK(contains(refuse_statement(head, "\"alignment\":\"bottom_right\",", ""), "alignment"));
    CHECK(contains(refuse_statement(head, "\"sqrt_of\":2", "\"sqrt_of\":0"), "sqrt"));
    CHECK(contains(refuse_statement(head, "\"sqrt_of\":2", "\"sqrt_of\":18446744073709551616"), "sqrt_of"));
    CHECK(contains(refuse_statement(head, "\"low\":\"1\"", "\"low\":\"2\""), "interval"));
    CHECK(contains(refuse_statement(head, "\"format\":\"float32\"", "\"format\":\"float64\""), "F32"));
    CHECK(refuse_statement(head, "\"rounded_from\":null", "\"rounded_from\":\"float8\"") != "(accepted)");
    CHECK(refuse_statement(head, "{\"claims\"", "[\"claims\"") != "(accepted)");
}

TEST_CASE("tensors that are not exactly those of the statement are refused") {
    const Bundle bundle = samples::identity();
    const auto index_of = [](const Safetensors& contents, const std::string& name) {
        for (std::size_t i = 0; i < contents.tensors.size(); ++i) {
            if (contents.tensors[i].name == name) return i;
        }
        return contents.tensors.size();
    };
    CHECK(contains(refuse_changed(bundle,
                                  [&](Safetensors& c) {
                                      c.tensors.erase(c.tensors.begin() +
                                                      static_cast<std::ptrdiff_t>(index_of(c, "centre")));
                                  }),
                   "no tensor 'centre'"));
    CHECK(contains(refuse_changed(bundle,
                                  [](Safetensors& c) {
                                      c.tensors.push_back({"more", DType::f64, {}, files::Bytes(8)});
                                  }),
                   "belongs to nothing"));
    CHECK(contains(
        refuse_changed(bundle, [&](Safetensors& c) { c.tensors[index_of(c, "centre")].name = "center"; }),
        "no tensor 'centre'"));
    CHECK(contains(
        refuse_changed(bundle, [&](Safetensors& c) { c.tensors[index_of(c, "centre")].dtype = DType::i64; }),
        "I64"));
    CHECK(contains(refuse_changed(bundle,
                                  [&](Safetensors& c) {
                                      c.tensors[index_of(c, "centre")].shape = {9, 1};
                                  }),
                   "lower witness number 0"));
    CHECK(contains(
        refuse_changed(bundle, [&](Safetensors& c) { c.tensors[index_of(c, "centre")].shape = {9}; }),
        "[9]"));
    CHECK(contains(refuse_changed(bundle,
                                  [&](Safetensors& c) {
                                      c.tensors[index_of(c, "lower.2.large_factor")].shape = {3, 0, 1};
                                  }),
                   "F64 [rows, cols]"));
    CHECK(
        contains(refuse_changed(bundle,
                                [&](Safetensors& c) {
                                    c.tensors[index_of(c, "lower.2.large_factor")].shape = {3, 1ULL << 30, 0};
                                }),
                 "no matrix"));
    // −0.0 is a number of which the canonical form is 0.0.
    CHECK(contains(
        refuse_changed(bundle,
                       [&](Safetensors& c) { c.tensors[index_of(c, "centre")].data[15] = std::byte{0x80}; }),
        "canonical"));
    CHECK(contains(refuse_changed(samples::head(53),
                                  [&](Safetensors& c) {
                                      auto& data = c.tensors[index_of(c, "query")].data;
                                      std::fill(data.begin(), data.begin() + 4, std::byte{0});
                                      data[3] = std::byte{0x80};
                                  }),
                   "canonical"));
    // NaN
    CHECK(contains(refuse_changed(bundle,
                                  [&](Safetensors& c) {
                                      auto& data = c.tensors[index_of(c, "centre")].data;
                                      data[14] = std::byte{0xf8};
                                      data[15] = std::byte{0x7f};
                                  }),
                   "[0, 1]"));
    // another order of the tensors
    CHECK(contains(
        refuse_changed(bundle, [](Safetensors& c) { std::swap(c.tensors.front(), c.tensors.back()); }),
        "canonical"));
    // limbs: doubles in limbs, a limb too many, an exponent that could be larger
    Bundle wide = bundle;
    wide.subject.centre = samples::diagonal(3, (Integer(1) << 70) + 1, -70);
    CHECK(contains(refuse_changed(wide,
                                  [&](Safetensors& c) {
                                      Tensor& centre = c.tensors[index_of(c, "centre")];
                                      centre.shape = {3, 3, 3};
                                      files::Bytes data;
                                      for (std::size_t k = 0; k < 9; ++k) {
                                          data.insert(
                                              data.end(),
                                              centre.data.begin() + static_cast<std::ptrdiff_t>(16 * k),
                                              centre.data.begin() + static_cast<std::ptrdiff_t>(16 * k + 16));
                                          data.insert(data.end(), 8, std::byte{0});
                                      }
                                      centre.data = data;
                                  }),
                   "canonical"));
    CHECK(contains(refuse_changed(wide,
                                  [&](Safetensors& c) {
                                      for (std::size_t k = 0; k < 9; k += 4)
                                          c.tensors[index_of(c, "centre")].data[16 * k] = std::byte{0};
                                  }),
                   "canonical"));
    CHECK(contains(refuse_statement(wide, "\"exponents\":{\"centre\":-70}", "\"exponents\":{}"), "F64"));
    // booleans that are neither
    Bundle masked = samples::head(53);
    masked.subject.head->mask = {};
    masked.subject.head->mask.kind = MaskKind::boolean;
    masked.subject.head->mask.keep = BoolMatrix::Identity(3, 3);
    CHECK(
        contains(refuse_changed(
                     masked, [&](Safetensors& c) { c.tensors[index_of(c, "mask")].data[1] = std::byte{2}; }),
                 "[0, 1]"));
    CHECK(
        contains(refuse_changed(
                     masked, [&](Safetensors& c) { c.tensors[index_of(c, "mask")].data[0] = std::byte{0}; }),
                 "row 0"));
}

TEST_CASE("files that are no certificates, or of another version, are refused") {
    const Bundle bundle = samples::two_by_two();
    Safetensors other;
    other.tensors.push_back(from_matrix("q", Eigen::MatrixXd::Identity(2, 2)));
    const files::Bytes bytes = format_safetensors(other);
    CHECK(contains(refusal([&] { return parse_bundle(bytes, "c"); }), "not a rankcert certificate"));
    CHECK(contains(refuse_changed(bundle, [](Safetensors& c) { c.metadata["format_version"] = "2"; }),
                   "version '2'"));
    CHECK(contains(refuse_changed(bundle, [](Safetensors& c) { c.metadata["format"] = "other"; }),
                   "not a rankcert"));
    CHECK(contains(refuse_changed(bundle, [](Safetensors& c) { c.metadata["more"] = ""; }),
                   "unknown metadata 'more'"));
    CHECK(contains(refuse_changed(bundle, [](Safetensors& c) { c.metadata.erase("information"); }),
                   "must have"));
    CHECK(contains(refuse_changed(bundle, [](Safetensors& c) { c.metadata["information"] = "[]"; }),
                   "information"));
    CHECK(contains(refuse_changed(bundle, [](Safetensors& c) { c.metadata["information"] = "{\"a\":1}"; }),
                   "information"));
    CHECK(contains(refuse_changed(bundle, [](Safetensors& c) { c.metadata["information"] = "{ }"; }),
                   "canonical"));
    files::Bytes damaged = format_bundle(bundle);
    damaged.back() ^= std::byte{1};
    CHECK(contains(refusal([&] { return parse_bundle(damaged, "c"); }), "digest"));
}
