// rankcert audit of matrices: factors, pseudo-inverse, spectrum, rank, solve, inverse.

#include <doctest/doctest.h>

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

std::string write(const Folder& folder, std::vector<Tensor> tensors, const std::string& name = "matrices") {
    Safetensors contents;
    contents.tensors = std::move(tensors);
    const std::string path = folder / (name + ".safetensors");
    inputs::write_safetensors(path, contents);
    return path;
}
Tensor f32(const std::string& name, std::uint64_t rows, std::uint64_t cols,
           const std::vector<float>& values) {
    return inputs::float32_tensor(name, rows, cols, values);
}

}  // namespace

TEST_CASE(
    "audit spectrum: C08, a wrong driver result is refuted, an unsorted right one is sorted and proved") {
    const Folder folder;
    const Tensor a = f32("a", 2, 2, {2, 0, 0, 1});
    auto result = program::run(
        {"audit", "spectrum", write(folder, {a, f32("s", 2, 1, {1, 2})}), "--claim-that", "max-abs=0"});
    CHECK(result.code == 0);
    CHECK(contains(result.out, "not sorted"));
    result = program::run(
        {"audit", "spectrum", write(folder, {a, f32("s", 2, 1, {1, 1})}), "--claim-that", "max-abs=1/2"});
    CHECK(result.code == 1);
    CHECK(contains(result.out, "value 0 fails"));
    result = program::run({"audit", "spectrum",
                           write(folder, {f32("a", 2, 2, {0, 1, 1, 0}), f32("s", 2, 1, {-1, 1})}),
                           "--symmetric", "--claim-that", "correctly-rounded"});
    CHECK(result.code == 0);
}

TEST_CASE("audit rank: exact, and above a threshold; C14, C02") {
    const Folder folder;
    const std::string file = write(folder, {f32("a", 3, 3, {1e8F, 0, 0, 0, 1, 0, 0, 0, 1e-9F})});
    CHECK(program::run({"audit", "rank", file, "--rank", "3"}).code == 0);
    CHECK(program::run({"audit", "rank", file, "--rank", "2"}).code == 1);
    CHECK(program::run({"audit", "rank", file, "--rank", "2", "--threshold", "6.7e-8"}).code == 0);
    CHECK(program::run(
              {"audit", "rank", file, "--rank", "1", "--threshold", "1e-7", "--threshold-of", "sigma1"})
              .code == 0);
    CHECK(program::run(
              {"audit", "rank", file, "--rank", "2", "--threshold", "1e-7", "--threshold-of", "frobenius"})
              .code == 1);
    // For every matrix within radii: the least singular value may be 0 or not.
    const std::string ball =
        write(folder, {f32("a", 2, 2, {1, 0, 0, 1e-9F}), f32("radius", 2, 2, {0, 0, 0, 1e-8F})});
    CHECK(program::run({"audit", "rank", ball, "--rank", "2"}).code == 2);
    CHECK(program::run({"audit", "rank", ball, "--rank", "1", "--threshold", "1e-6"}).code == 0);
}

TEST_CASE("audit solve and inverse: a solution, a singular system") {
    const Folder folder;
    const Tensor g = f32("a", 2, 2, {2, 1, 1, 1}), b = f32("b", 2, 1, {3, 2});
    auto result = program::run({"audit", "solve", write(folder, {g, b, f32("x", 2, 1, {1, 1})}),
                                "--claim-that", "max-abs=0", "--json"});
    CHECK(result.code == 0);
    CHECK(json::parse(result.out)["proved"]["rank"]["lower"] == 2);
    result = program::run(
        {"audit", "solve", write(folder, {g, b, f32("x", 2, 1, {1, 1.5F})}), "--claim-that", "max-abs=0.1"});
    CHECK(result.code == 1);
    CHECK(contains(result.out, "unknown 1 of column 0 fails"));
    CHECK(program::run({"audit", "inverse", write(folder, {g, f32("x", 2, 2, {1, -1, -1, 2})}),
                        "--claim-that", "correctly-rounded"})
              .code == 0);
    result = program::run(
        {"audit", "inverse", write(folder, {f32("a", 2, 2, {1, 1, 1, 1}), f32("x", 2, 2, {1, 0, 0, 1})})});
    CHECK(result.code == 1);
    CHECK(contains(result.out, "no solution"));
    const std::string many =
        write(folder, {f32("a", 2, 2, {1, 1, 1, 1}), f32("b", 2, 1, {1, 1}), f32("x", 2, 1, {1, 0})});
    CHECK(program::run({"audit", "solve", many}).code == 2);
}

TEST_CASE("audit factors: against a matrix, against a head, normalised, and by themselves") {
    const Folder folder;
    const Tensor u = f32("u", 2, 1, {1, 1}), v = f32("v", 1, 2, {.5F, .5F});
    const std::string file = write(folder, {f32("a", 2, 2, {.5F, .5F, .25F, .75F}), u, v});
    CHECK(program::run(
              {"audit", "factors", file, "--claim-that", "row-l1=1/2", "--claim-that", "row-stochastic"})
              .code == 0);
    CHECK(program::run({"audit", "factors", file, "--claim-that", "row-l1=0.49"}).code == 1);
    CHECK(program::run({"audit", "factors", file, "--claim-that", "causal"}).code == 1);
    const Tensor zero = f32("q", 2, 1, {0, 0}), key = f32("k", 2, 1, {0, 0});
    CHECK(program::run({"audit", "factors", write(folder, {zero, key, u, v}), "--scale", "1", "--claim-that",
                        "row-l1=1e-30"})
              .code == 0);
    CHECK(program::run({"audit", "factors", write(folder, {zero, key, u, v}), "--scale", "1", "--causal",
                        "--claim-that", "row-l1=0.9"})
              .code == 1);
    // B04: a denominator of zero.
    const auto result =
        program::run({"audit", "factors", write(folder, {u, f32("v", 1, 2, {1, -1})}), "--normalised"});
    CHECK(result.code == 2);
    CHECK(contains(result.out, "0, 1"));
    CHECK(program::run(
              {"audit", "pseudo-inverse", write(folder, {f32("a", 1, 2, {1, 0}), f32("x", 2, 1, {1, 0})})})
              .code == 0);
    CHECK(program::run(
              {"audit", "pseudo-inverse", write(folder, {f32("a", 1, 2, {1, 0}), f32("x", 2, 1, {1, 1})})})
              .code == 1);
}

TEST_CASE("audits of matrices refuse bad input with one sentence and exit code 3") {
    const Folder folder;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor a = f32("a", 2, 2, {1, 0, 0, 1}), s = f32("s", 2, 1, {1, 1});
    const std::string both = write(folder, {a, s}, "both"), alone = write(folder, {a}, "alone");
    const std::vector<std::vector<std::string>> cases = {{"spectrum", both, "--claim-that", "closeness=1"},
                                                         {"spectrum", both, "--claim-that", "max-abs"},
                                                         {"rank", alone, "--rank", "two"},
                                                         {"rank", alone, "--threshold", "-1"},
                                                         {"solve", alone, "--claim-that", "max-abs=1"},
                                                         {"factors", alone},
                                                         {"spectrum", "nothing.npy"}};
    for (auto arguments : cases) {
        arguments.insert(arguments.begin(), "audit");
        const auto result = program::run(arguments);
        CAPTURE(arguments[1]);
        CHECK(result.code == 3);
        CHECK(result.out.empty());
        CHECK(inputs::is_one_sentence(result.err));
    }
    // C07: an entry that is not finite is named.
    const auto result = program::run({"audit", "rank", write(folder, {f32("a", 2, 2, {nan, 1, 1, 0})})});
    CHECK(result.code == 3);
    CHECK(contains(result.err, "[0, 0]"));
}
