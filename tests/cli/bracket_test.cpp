// rankcert bracket on small inputs whose answer is known.

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "inputs.hpp"
#include "program.hpp"
#include "rankcert/io/npy.hpp"

namespace {

namespace fs = std::filesystem;
using inputs::Folder;
using nlohmann::json;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// bracket … --json --effort 0.2 -o FOLDER/out, proved, as parsed lines.
std::vector<json> bracket(const Folder& folder, std::vector<std::string> arguments,
                          const std::string& out = "out") {
    arguments.insert(arguments.begin(), "bracket");
    for (const char* word : {"--json", "--effort", "0.2", "-o"}) arguments.emplace_back(word);
    arguments.push_back(folder / out);
    const auto result = program::run(arguments);
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    std::vector<json> cells;
    for (const std::string& line : inputs::lines(result.out)) cells.push_back(json::parse(line));
    return cells;
}

/// Every certificate in the folder is proved again, exactly.
void check_all(const std::string& folder, std::size_t expected) {
    std::vector<std::string> arguments = {"check", "--level", "exact"};
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().string().ends_with(".cert.safetensors")) arguments.push_back(entry.path().string());
    }
    CHECK(arguments.size() == 3 + expected);
    const auto result = program::run(arguments);
    CAPTURE(result.err);
    CAPTURE(result.out);
    CHECK(result.code == 0);
}

rankcert::Tensor identity(std::uint64_t n) {
    std::vector<float> values(n * n, 0.0F);
    for (std::uint64_t i = 0; i < n; ++i) values[i * n + i] = 1;
    return inputs::float32_tensor("", n, n, values);
}

}  // namespace

TEST_CASE("a JSON line has exactly the keys that are promised, in their order") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 2, 6, 2);
    const auto result = program::run({"bracket", folder / "h.safetensors", "--epsilon", "1/4,0.15", "--json",
                                      "--effort", "0.2", "-o", folder / "out"});
    REQUIRE(result.code == 0);
    const auto lines = inputs::lines(result.out);
    REQUIRE(lines.size() == 4);
    for (const std::string& line : lines) {
        const auto cell = nlohmann::ordered_json::parse(line);
        std::vector<std::string> keys;
        for (const auto& [key, value] : cell.items()) keys.push_back(key);
        CHECK(keys == std::vector<std::string>{"file", "head", "n", "beta_multiplier", "epsilon", "lower",
                                               "upper", "lower_method", "upper_method", "verdict", "rho",
                                               "seconds", "certificate"});
        CHECK(cell["n"] == 6);
        CHECK(cell["verdict"] == "proved");
        CHECK(cell["beta_multiplier"] == "1");
        CHECK(cell["lower"].get<int>() >= 1);
        CHECK(cell["lower"].get<int>() <= cell["upper"].get<int>());
        CHECK(cell["upper"].get<int>() <= 6);
        CHECK(cell["rho"].get<double>() > 0);
        CHECK(cell["rho"].get<double>() < 1e-13);
        CHECK(fs::exists(cell["certificate"].get<std::string>()));
    }
    CHECK(json::parse(lines[0])["head"] == "layer0.head0");
    CHECK(json::parse(lines[0])["epsilon"] == "1/4");
    CHECK(json::parse(lines[1])["epsilon"] == "3/20");
    CHECK(json::parse(lines[2])["head"] == "layer0.head1");
    check_all(folder / "out", 2);
    CHECK(inputs::read_text(folder / "out/brackets.jsonl") == result.out);
    CHECK(inputs::lines(inputs::read_text(folder / "out/brackets.csv")).size() == 5);
}

TEST_CASE("a line for people says the bracket, the verdict and the certificate") {
    const Folder folder;
    inputs::write_npy(folder / "identity.npy", identity(4));
    const auto result = program::run(
        {"bracket", "--matrix", folder / "identity.npy", "--epsilon", "1/4,1", "-v", "-o", folder / "out"});
    REQUIRE(result.code == 0);
    CHECK(contains(result.out, "identity  ε=1/4  r_ε(A) = 4"));
    CHECK(contains(result.out, "ε=1    r_ε(A) = 0"));
    CHECK(contains(result.out, "proved  " + (folder / "out/identity.cert.safetensors")));
    CHECK(contains(result.out, "lower by "));
    CHECK(!contains(result.out, "estimate"));
}

TEST_CASE("the identity has rank n below one and zero from there on; ε is never a double") {
    const Folder folder;
    for (const std::uint64_t n : {1, 2, 7}) {
        inputs::write_npy(folder / "i.npy", identity(n));
        const auto cells = bracket(folder,
                                   {"--matrix", folder / "i.npy", "--epsilon",
                                    "0,1/3,0.99999999999999999999999999,1,1.00000000000000000000000001"},
                                   "out" + std::to_string(n));
        REQUIRE(cells.size() == 5);
        for (std::size_t i = 0; i < 5; ++i) {
            const auto rank = i < 3 ? n : 0;
            CHECK(cells[i]["lower"] == rank);
            CHECK(cells[i]["upper"] == rank);
        }
        CHECK(cells[2]["epsilon"] == "99999999999999999999999999/100000000000000000000000000");
    }
}

TEST_CASE("a matrix whose rank changes at a/(2 − a) is told apart on both sides of it") {
    const Folder folder;
    inputs::write_npy(folder / "m.npy",
                      inputs::float32_tensor("", 2, 2, {1, 0, 0.5F, 0.5F}));  // threshold 1/3
    const auto cells = bracket(folder, {"--matrix", folder / "m.npy", "--epsilon", "0.333333,1/3,0.333334"});
    REQUIRE(cells.size() == 3);
    CHECK(cells[0]["lower"] == 2);
    CHECK(cells[1]["upper"] == 1);
    CHECK(cells[2]["upper"] == 1);
    CHECK(cells[2]["lower"] == 1);
}

TEST_CASE(
    "a causal head at temperature multiplier zero has full rank at ε = 0, an unmasked one has rank one") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 5, 2);
    const auto causal = bracket(
        folder, {folder / "h.safetensors", "--mask", "causal", "--beta-multiplier", "0", "--epsilon", "0"},
        "causal");
    CHECK(causal.at(0)["lower"] == 5);
    CHECK(causal.at(0)["beta_multiplier"] == "0");
    const auto none =
        bracket(folder, {folder / "h.safetensors", "--beta-multiplier", "0", "--epsilon", "0,1/2"}, "none");
    CHECK(none.at(0)["upper"] == 1);
    CHECK(none.at(1)["lower"] == 1);
    CHECK(none.at(1)["upper"] == 1);
}

TEST_CASE("each multiplier is a run of its own, and an interval is one for all of its members") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 4, 2);
    const auto cells = bracket(
        folder, {folder / "h.safetensors", "--beta-multiplier", "1/2,1,0.9..1.1", "--epsilon", "1/4"});
    REQUIRE(cells.size() == 3);
    CHECK(cells[0]["beta_multiplier"] == "1/2");
    CHECK(cells[1]["beta_multiplier"] == "1");
    CHECK(cells[2]["beta_multiplier"] == "9/10..11/10");
    CHECK(cells[2]["rho"].get<double>() > 1e-3);
    CHECK(cells[2]["lower"].get<int>() <= cells[1]["lower"].get<int>());
    CHECK(cells[2]["upper"].get<int>() >= cells[1]["lower"].get<int>());
    check_all(folder / "out", 3);
    const auto check = program::run({"check", cells[2]["certificate"].get<std::string>()});
    CHECK(contains(check.out, "every temperature multiplier from 9/10 to 11/10"));
}

TEST_CASE("a bracket for all inputs that round to the given ones has a larger ρ and says so") {
    const Folder folder;
    rankcert::Safetensors contents;
    contents.metadata = {{"beta", "0.5"}, {"mask", "none"}};
    contents.tensors = {inputs::float32_tensor("q", 2, 1, {1, 2}),
                        inputs::float32_tensor("k", 2, 1, {0.5F, -1})};
    inputs::write_safetensors(folder / "h.safetensors", contents);
    const auto cells =
        bracket(folder, {folder / "h.safetensors", "--rounded-from", "bfloat16", "--epsilon", "1/4"});
    CHECK(cells.at(0)["rho"].get<double>() > 1e-4);
    CHECK(cells.at(0)["head"] == "h");
    CHECK(contains(program::run({"check", cells.at(0)["certificate"].get<std::string>()}).out,
                   "round to these in bfloat16"));
}

TEST_CASE("a pair of arrays makes a head, with scale and mask from the options") {
    const Folder folder;
    inputs::write_npy(folder / "query.npy", inputs::random_tensor("", 3, 4, 1));
    inputs::write_npy(folder / "key.npy", inputs::random_tensor("", 5, 4, 2));
    const std::vector<std::string> pair = {"--query", folder / "query.npy", "--key",     folder / "key.npy",
                                           "--scale", "1/sqrt(d)",          "--epsilon", "1/4"};
    for (const char* alignment : {"bottom-right", "top-left"}) {
        std::vector<std::string> arguments = pair;
        for (const char* word : {"--mask", "causal", "--alignment", alignment}) arguments.emplace_back(word);
        const auto cells = bracket(folder, arguments, alignment);
        CHECK(cells.at(0)["n"] == 3);
        const std::string certificate = cells.at(0)["certificate"];
        const auto check = program::run(
            {"check", certificate, "--input", folder / "query.npy", "--input", folder / "key.npy"});
        CAPTURE(check.err);
        CHECK(check.code == 0);
        CHECK(contains(check.out, "1/sqrt(4)"));
        CHECK(contains(check.out, alignment));
        CHECK(contains(check.out, "checked: key and query"));
        CHECK(!contains(check.out, "not checked"));
    }
}

TEST_CASE("mask files are read as what they are declared to be") {
    const Folder folder;
    // Zero logits: the mask alone makes the matrix.
    rankcert::Safetensors contents;
    contents.metadata = {{"beta", "1"}, {"mask", "none"}};
    contents.tensors = {inputs::float32_tensor("q", 2, 1, {0, 0}), inputs::float32_tensor("k", 2, 1, {0, 0})};
    inputs::write_safetensors(folder / "h.safetensors", contents);
    inputs::write_npy(folder / "mask.npy", inputs::float32_tensor("", 2, 2, {1, 1, 0, 1}));
    // Boolean: [1/2, 1/2], [0, 1], of rank 2 up to a/(2 − a) = 1/3 at a = 1/2. Additive: [1/2, 1/2],
    // [0.2689, 0.7311], of distance |det| = 0.23 over at most ... from rank 1: rank 1 at 1/4 already.
    const auto run = [&](const std::string& kind) {
        return bracket(folder,
                       {folder / "h.safetensors", "--mask", folder / "mask.npy", "--mask-kind", kind,
                        "--epsilon", "0.3,0.34"},
                       kind);
    };
    CHECK(run("boolean").at(0)["lower"] == 2);
    CHECK(run("boolean").at(1)["upper"] == 1);
    CHECK(run("additive").at(0)["upper"] == 1);
    // 0 and −infinity added to the logits are the boolean mask.
    inputs::write_npy(folder / "mask.npy", inputs::float32_tensor("", 2, 2, {0, 0, -INFINITY, 0}));
    CHECK(bracket(folder,
                  {folder / "h.safetensors", "--mask", folder / "mask.npy", "--mask-kind", "additive",
                   "--epsilon", "0.3"},
                  "infinite")
              .at(0)["lower"] == 2);
}

TEST_CASE("a mask of biases and minus infinity is bracketed, certified, and compared with its file") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 6, 2);
    // ALiBi on a causal pattern, as models store it.
    std::vector<float> bias;
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) bias.push_back(j <= i ? -0.5F * static_cast<float>(i - j) : -INFINITY);
    inputs::write_npy(folder / "mask.npy", inputs::float32_tensor("", 6, 6, bias));
    bias[6] = -1;
    inputs::write_npy(folder / "other.npy", inputs::float32_tensor("", 6, 6, bias));
    const std::vector<std::string> arguments = {
        folder / "h.safetensors", "--mask", folder / "mask.npy", "--mask-kind", "additive", "--epsilon", "0,1/2"};
    const auto cells = bracket(folder, arguments);
    CHECK(cells.at(0)["lower"] == 6);  // triangular with a positive diagonal
    CHECK(cells.at(1)["lower"] >= 1);
    CHECK(cells.at(1)["upper"] < 6);
    const std::string certificate = cells.at(0)["certificate"];
    for (const char* level : {"exact", "fast"}) {
        const auto check =
            program::run({"check", certificate, "--level", level, "--input", folder / "h.safetensors", "--input",
                          folder / "mask.npy"});
        CHECK(check.code == 0);
        CHECK(contains(check.out, "additive, a bias of 6×6 on the logits, 21 of 36 entries visible"));
        CHECK(contains(check.out, "checked: key and mask and query against"));
        CHECK(!contains(check.out, "not checked"));
    }
    const auto half = program::run({"check", certificate, "--input", folder / "h.safetensors"});
    CHECK(half.code == 0);
    CHECK(contains(half.out, "not checked: whether mask came from"));
    const auto wrong = program::run({"check", certificate, "--input", folder / "other.npy"});
    CHECK(wrong.code == 3);
    CHECK(inputs::is_one_sentence(wrong.err));
    // A certificate about another mask is not resumed.
    std::vector<std::string> again = {"bracket"};
    again.insert(again.end(), arguments.begin(), arguments.end());
    again[3] = folder / "other.npy";
    again.insert(again.end(), {"-o", std::filesystem::path(certificate).parent_path().string()});
    const auto other = program::run(again);
    CHECK(other.code == 3);
    CHECK(contains(other.err, "about another input"));
}

TEST_CASE("options override the file and are echoed beside what the file says") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 4, 2);
    const auto result = program::run({"bracket", folder / "h.safetensors", "--mask", "causal", "--scale",
                                      "1/8", "--epsilon", "1", "-o", folder / "out"});
    CHECK(result.code == 0);
    CHECK(contains(result.out, "mask causal (--mask; the file says none)"));
    CHECK(contains(result.out, "1/8 (--scale; the file says 0.5)"));
    CHECK(contains(result.out, "4×2 F32"));
}

TEST_CASE(
    "a scale in the metadata is the double nearest to its text, a scale from the user the exact number") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 3, 2, {{"beta", "0.1"}, {"mask", "none"}});
    bracket(folder, {folder / "h.safetensors", "--epsilon", "1"}, "file");
    bracket(folder, {folder / "h.safetensors", "--epsilon", "1", "--scale", "0.1"}, "option");
    const auto file = program::run({"info", folder / "file/layer0.head0.cert.safetensors"});
    const auto option = program::run({"info", folder / "option/layer0.head0.cert.safetensors"});
    CHECK(contains(file.out, "3602879701896397/36028797018963968"));
    CHECK(contains(option.out, "scale 0.1,"));
    CHECK(contains(file.out, "claimed, not checked here"));
}

TEST_CASE("heads come in natural order whatever the number of threads, and the brackets are the same") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 11, 4, 2);
    std::vector<std::string> names;
    std::vector<json> first;
    for (const char* threads : {"1", "2", "5"}) {
        const auto cells =
            bracket(folder, {folder / "h.safetensors", "--epsilon", "1/4", "--threads", threads}, threads);
        REQUIRE(cells.size() == 11);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            CHECK(cells[i]["head"] == "layer0.head" + std::to_string(i));
            if (!first.empty()) {
                // Searches have a time limit, so only what any two proofs must share is compared.
                CHECK(cells[i]["lower"].get<int>() <= first[i]["upper"].get<int>());
                CHECK(cells[i]["upper"].get<int>() >= first[i]["lower"].get<int>());
            }
        }
        if (first.empty()) first = cells;
    }
}

TEST_CASE("chosen heads alone are bracketed") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 3, 4, 2);
    const auto cells =
        bracket(folder, {folder / "h.safetensors", "--head", "layer0.head2,layer0.head0", "--epsilon", "1"});
    REQUIRE(cells.size() == 2);
    CHECK(cells[0]["head"] == "layer0.head0");
    CHECK(cells[1]["head"] == "layer0.head2");
    for (const json& cell : cells) CHECK(cell["lower"] == 0);
}

TEST_CASE("the top-k budget is reported as a sparsity figure beside the bracket") {
    const Folder folder;
    inputs::write_npy(folder / "i.npy", identity(3));
    const auto result = program::run(
        {"bracket", "--matrix", folder / "i.npy", "--epsilon", "1/4", "--top-k", "-o", folder / "out"});
    CHECK(result.code == 0);
    CHECK(contains(
        result.out,
        "top-k budget 1 (entries that carry all but ε of every row: a sparsity figure, not a rank)"));
}

TEST_CASE("a closed standard input is no matter, and a full standard output is an error") {
    const Folder folder;
    inputs::write_npy(folder / "i.npy", identity(2));
    program::Options options;
    options.close_stdin = true;
    CHECK(program::run({"bracket", "--matrix", folder / "i.npy", "--epsilon", "1/4", "-o", folder / "out"},
                       options)
              .code == 0);
    options.stdout_path = "/dev/full";
    const auto result = program::run(
        {"bracket", "--matrix", folder / "i.npy", "--epsilon", "1/4", "-o", folder / "out"}, options);
    CHECK(result.code == 3);
    CHECK(inputs::is_one_sentence(result.err));
}

TEST_CASE("an npz archive with query and key is a head") {
    const Folder folder;
    fs::copy_file(std::string(RANKCERT_TEST_DATA) + "/cli/head.npz", folder / "head.npz");
    const auto cells =
        bracket(folder, {folder / "head.npz", "--scale", "1", "--mask", "none", "--epsilon", "1/4"});
    CHECK(cells.at(0)["n"] == 2);
    CHECK(cells.at(0)["head"] == "head");
    CHECK(
        program::run({"check", cells.at(0)["certificate"].get<std::string>(), "--input", folder / "head.npz"})
            .code == 0);
    CHECK(contains(program::run({"info", folder / "head.npz"}).out, "npz"));
}
