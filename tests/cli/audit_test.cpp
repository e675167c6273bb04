// rankcert audit: what it prints, exit codes, certificates, and what it refuses.

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "inputs.hpp"
#include "program.hpp"

namespace {

using inputs::Folder;
using nlohmann::json;
using namespace rankcert;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// One head of zero logits, 3 queries and keys, whose claim is given; metadata as declared.
std::string write_zero_logits(const Folder& folder, const std::vector<float>& claim,
                              const std::map<std::string, std::string>& metadata = {{"beta", "1"}}) {
    Safetensors contents;
    contents.metadata = metadata;
    contents.tensors = {inputs::float32_tensor("q", 3, 2, std::vector<float>(6, 0)),
                        inputs::float32_tensor("k", 3, 2, std::vector<float>(6, 0)),
                        inputs::float32_tensor("v", 3, 1, {0, 1, 2}),
                        inputs::float32_tensor("attn", 3, 3, claim),
                        inputs::float32_tensor("o", 3, 1, {1, 1, 1}),
                        inputs::float32_tensor("mask", 3, 3, std::vector<float>{1, 0, 0, 1, 1, 0, 1, 1, 1})};
    const std::string path = folder / "run.safetensors";
    inputs::write_safetensors(path, contents);
    return path;
}
const std::vector<float> kUniform(9, 1.0F / 3);
const std::vector<float> kCausal = {1, 0, 0, .5F, .5F, 0, 1.0F / 3, 1.0F / 3, 1.0F / 3};

}  // namespace

TEST_CASE("audit: proved, refuted and undefined have exit codes 0, 1 and 2, and the table says why") {
    const Folder folder;
    const std::string file = write_zero_logits(folder, kUniform);
    auto result = program::run({"audit", "attention", file, "--claim-that", "correctly-rounded"});
    CHECK(result.code == 0);
    CHECK(contains(result.out, "9/9"));
    CHECK(contains(result.out, "proved"));
    result = program::run(
        {"audit", "attention", file, "--causal", "--claim-that", "causal", "--claim-that", "ulps=1"});
    CHECK(result.code == 1);
    CHECK(
        contains(result.out, "causal is refuted: 0 hold, 3 fail, 0 are open; the first that fails: [0, 1]"));
    CHECK(contains(result.out, "estimate: the result is what one gets with the causal mask dropped"));
    result = program::run({"audit", "output", file, "--claim-that", "max-abs=1e-12"});
    CHECK(result.code == 0);
    result = program::run({"audit", "attention", write_zero_logits(folder, {NAN, 0, 0, 0, 0, 0, 0, 0, 0})});
    CHECK(result.code == 1);
    CHECK(contains(result.out, "1 claimed entries are NaN or infinite"));
    const std::string empty = folder / "empty.safetensors";
    Safetensors contents;
    contents.tensors = {inputs::float32_tensor("q", 1, 1, {0}), inputs::float32_tensor("k", 2, 1, {0, 0}),
                        inputs::float32_tensor("attn", 1, 2, {NAN, NAN}),
                        inputs::float32_tensor("mask", 1, 2, {0, 0})};
    inputs::write_safetensors(empty, contents);
    result = program::run(
        {"audit", "attention", empty, "--scale", "1", "--mask", "mask", "--mask-kind", "boolean"});
    CHECK(result.code == 2);
    CHECK(contains(result.out, "undefined rows: 0"));
    CHECK(program::run({"audit", "attention", empty, "--scale", "1", "--mask", "mask", "--mask-kind",
                        "boolean", "--empty-rows", "nan"})
              .code == 0);
}

TEST_CASE("audit: the JSON form keeps what is proved and what is an estimate apart") {
    const Folder folder;
    const std::string file = write_zero_logits(folder, kCausal, {{"beta", "1"}, {"mask", "causal"}});
    const auto result = program::run(
        {"audit", "attention", file, "--json", "--claim-that", "faithful", "--claim-that", "row-sums"});
    CHECK(result.code == 1);  // 3 · fl(1/3) is not 1
    REQUIRE(inputs::lines(result.out).size() == 1);
    const json line = json::parse(result.out);
    CHECK(line["verdict"] == "refuted");
    CHECK(line["proved"]["correctly_rounded"] == 9);
    CHECK(line["proved"]["max_abs"]["row"] == 2);
    CHECK(std::stod(line["proved"]["max_abs"]["lower"].get<std::string>()) <= 1e-8);
    CHECK(std::stod(line["proved"]["max_abs"]["upper"].get<std::string>()) >= 9.9e-9);
    CHECK(line["proved"]["worst_row_sum"]["sum"] == "33554433/33554432");
    CHECK(line["claims"][1]["claim"] == "faithful");
    CHECK(line["claims"][1]["verdict"] == "proved");
    CHECK(line["claims"][2]["verdict"] == "refuted");
    CHECK(line["declaration"]["causal"] == true);
    CHECK(line["tensors"]["query"]["sha256"].get<std::string>().size() == 64);
    CHECK(line["estimate"].contains("seconds"));
    CHECK(!line["proved"].contains("seconds"));
    // The schema of the docs names exactly these keys.
    const json schema = json::parse(
        inputs::read_text(std::string(RANKCERT_TEST_DATA) + "/../../lib/docs/audit-report.schema.json"));
    for (const auto& [key, value] : line.items()) CHECK(schema["properties"].contains(key));
    for (const auto& key : schema["required"]) CHECK(line.contains(key.get<std::string>()));
    for (const auto& [key, value] : line["proved"].items())
        CHECK(schema["$defs"]["proved"]["properties"].contains(key));
    for (const auto& key : schema["$defs"]["proved"]["required"])
        CHECK(line["proved"].contains(key.get<std::string>()));
}

TEST_CASE("audit: JUnit XML has a case a claim, failures and errors apart") {
    const Folder folder;
    const std::string file = write_zero_logits(folder, kUniform);
    const std::string xml = folder / "audit.xml";
    CHECK(program::run({"audit", "attention", file, "--causal", "--claim-that", "causal", "--claim-that",
                        "max-abs=1", "--junit", xml})
              .code == 1);
    const std::string text = inputs::read_text(xml);
    CHECK(contains(text, "tests=\"3\" failures=\"1\" errors=\"0\""));
    CHECK(contains(text, "<failure type=\"refuted\""));
    CHECK(text.starts_with("<?xml"));
}

TEST_CASE("audit: a manifest declares what options would, and options win") {
    const Folder folder;
    const std::string file = write_zero_logits(folder, kCausal, {});
    const std::string manifest = folder / "run.json";
    inputs::write_text(
        manifest,
        R"m({"scale":"1/sqrt(d)","mask":"boolean","tensors":{"mask":"mask","claim":"attn"},"claims":["correctly-rounded"]})m");
    CHECK(program::run({"audit", "attention", file, "--manifest", manifest}).code == 0);
    CHECK(
        program::run({"audit", "attention", file, "--manifest", manifest, "--mask-kind", "additive"}).code ==
        1);
    inputs::write_text(manifest, R"({"scale":"1","colour":"red"})");
    const auto result = program::run({"audit", "attention", file, "--manifest", manifest});
    CHECK(result.code == 3);
    CHECK(inputs::is_one_sentence(result.err));
    CHECK(contains(result.err, "colour"));
}

TEST_CASE("audit: a certificate is proved again, bound to its input, and refuted where it was changed") {
    const Folder folder;
    const std::string file = write_zero_logits(folder, kCausal);
    CHECK(program::run({"audit", "attention", file, "--causal", "--claim-that", "max-abs=1e-7", "-o",
                        folder / "certs"})
              .code == 0);
    const std::string certificate = folder / "certs/run.audit.safetensors";
    for (const char* level : {"exact", "fast"}) {
        const auto result = program::run({"check", certificate, "--level", level, "--input", file});
        CHECK(result.code == 0);
        CHECK(contains(result.out, "proved again"));
    }
    const auto as_json = program::run({"check", certificate, "--json"});
    CHECK(json::parse(as_json.out)["verdict"] == "proved");
    CHECK(json::parse(as_json.out)["answer"] == "proved");
    CHECK(program::run({"check", certificate, "--level", "formal", "--formal-checker", "/bin/true"}).code ==
          3);

    Safetensors contents = read_safetensors(certificate);
    std::string& statement = contents.metadata.at("statement");
    const std::string good = statement;
    statement.replace(statement.find("max-abs=1/10000000"), 18, "max-abs=1/20000000");
    inputs::write_safetensors(certificate, contents);
    CHECK(program::run({"check", certificate}).code == 0);  // true of these tensors too
    statement.replace(statement.find("max-abs=1/20000000"), 18, "max-abs=1/9000000000");
    inputs::write_safetensors(certificate, contents);
    CHECK(program::run({"check", certificate}).code == 1);
    statement = good;
    contents.tensors[0].data[0] = std::byte{1};
    inputs::write_safetensors(certificate, contents);
    const auto changed = program::run({"check", certificate});
    CHECK(changed.code == 3);
    CHECK(contains(changed.err, "SHA-256"));
    const auto other = program::run({"check", certificate, "--input", write_zero_logits(folder, kUniform)});
    CHECK(other.code == 3);
}

TEST_CASE("audit: bad input is one sentence and exit code 3, with nothing printed or written") {
    const Folder folder;
    const std::string file = write_zero_logits(folder, kUniform, {});
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{}, "--scale"},
        {{"--scale", "1", "--mask", "mask"}, "--mask-kind"},
        {{"--scale", "1", "--claim", "nothing"}, "nothing"},
        {{"--scale", "1", "--query", "nothing"}, "nothing"},
        {{"--scale", "1", "--claim-that", "ulps"}, "ulps"},
        {{"--scale", "1", "--claim-that", "within=1"}, "within"},
        {{"--scale", "1", "--rows", "3"}, "0 to 2"},
        {{"--scale", "1", "--rows", "x"}, "whole number"},
        {{"--scale", "one"}, "scale"},
        {{"--scale", "1", "--softcap", "-1"}, "softcap"},
        {{"--scale", "1", "--softcap", "much"}, "softcap"},
        {{"--scale", "1", "--ratio", "2"}, "--baseline"},
        {{"--scale", "1", "--claim", "v"}, "shape"},
        {{"--scale", "1", "--head", "layer9"}, "layer9"},
        {{"--scale", "1", "--alibi", "o"}, "query heads"},
        {{"--scale", "1", "--window", "1,2,3"}, "window"},
    };
    for (const auto& [options, part] : cases) {
        std::vector<std::string> arguments = {"audit",   "attention",       file, "-o", folder / "out",
                                              "--junit", folder / "out.xml"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto result = program::run(arguments);
        CAPTURE(part);
        CHECK(result.code == 3);
        CHECK(result.out.empty());
        CHECK(inputs::is_one_sentence(result.err));
        CHECK(contains(result.err, part));
        CHECK(!std::filesystem::exists(folder / "out.xml"));
        CHECK(!std::filesystem::exists(folder / "out"));
    }
}
