// Files that are missing, malformed, incomplete or not meant: one sentence, exit code 3, nothing on stdout,
// and no certificate.

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "inputs.hpp"
#include "program.hpp"
#include "rankcert/io/npy.hpp"

namespace {

namespace fs = std::filesystem;
using inputs::Folder;
using rankcert::DType;
using rankcert::Safetensors;
using rankcert::Tensor;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Runs bracket on a file with more options, expects a refusal, and returns its sentence.
std::string refusal(const Folder& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bracket");
    for (const char* word : {"--epsilon", "1/4", "-o"}) arguments.emplace_back(word);
    arguments.push_back(folder / "out");
    const auto result = program::run(arguments);
    CAPTURE(result.err);
    CHECK(result.code == 3);
    CHECK(result.out.empty());
    CHECK(inputs::is_one_sentence(result.err));
    CHECK(!fs::exists(folder / "out"));
    return result.err;
}

Safetensors one_head(Tensor query, Tensor key,
                     std::map<std::string, std::string> metadata = {{"beta", "0.5"}, {"mask", "none"}}) {
    Safetensors contents;
    contents.metadata = std::move(metadata);
    contents.tensors.push_back(std::move(query));
    contents.tensors.push_back(std::move(key));
    return contents;
}

std::string with_head(const Folder& folder, const Safetensors& contents, std::vector<std::string> more = {}) {
    inputs::write_safetensors(folder / "h.safetensors", contents);
    more.insert(more.begin(), folder / "h.safetensors");
    return refusal(folder, more);
}

}  // namespace

TEST_CASE("a file that is missing, a folder, empty or not of a known format is refused by name") {
    const Folder folder;
    CHECK(contains(refusal(folder, {folder / "nothing.safetensors"}), "nothing.safetensors"));
    CHECK(contains(refusal(folder, {folder.path().string()}), folder.path().string()));
    inputs::write_text(folder / "empty.safetensors", "");
    CHECK(contains(refusal(folder, {folder / "empty.safetensors"}), "empty.safetensors"));
    inputs::write_text(folder / "text.safetensors", "this is not a file of tensors, only a line of text\n");
    CHECK(contains(refusal(folder, {folder / "text.safetensors"}), "text.safetensors"));
    inputs::write_text(folder / "text.npz", "neither is this\n");
    CHECK(contains(refusal(folder, {folder / "text.npz"}), "text.npz"));
    inputs::write_npy(folder / "q.npy", inputs::random_tensor("q", 4, 2, 1));
    CHECK(contains(refusal(folder, {folder / "q.npy"}), "--query"));
    CHECK(contains(refusal(folder, {"--matrix", folder / "text.npz"}), "text.npz"));
    for (const char* command : {"info", "check"}) {
        const auto result = program::run({command, folder / "text.safetensors"});
        CHECK(result.code == 3);
        CHECK(result.out.empty());
        CHECK(inputs::is_one_sentence(result.err));
    }
}

TEST_CASE("an unknown head is answered with the heads that there are") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 3, 4, 2);
    const std::string error = refusal(folder, {folder / "h.safetensors", "--head", "layer0.head7"});
    CHECK(contains(error, "layer0.head7"));
    CHECK(contains(error, "layer0.head0"));
    CHECK(contains(error, "did you mean"));
    CHECK(contains(refusal(folder, {folder / "h.safetensors", "--head", "encoder"}), "layer0.head2"));
    refusal(folder, {folder / "h.safetensors", "--head", ""});
}

TEST_CASE("a head without its partner, or a file without heads, is refused") {
    const Folder folder;
    Safetensors contents;
    contents.tensors = {inputs::random_tensor("layer0.head0.q", 4, 2, 1)};
    CHECK(contains(with_head(folder, contents), "layer0.head0.k"));
    contents.tensors = {inputs::random_tensor("layer0.head0.k", 4, 2, 1)};
    CHECK(contains(with_head(folder, contents), "layer0.head0.q"));
    contents.tensors = {inputs::random_tensor("weights", 4, 2, 1)};
    CHECK(contains(with_head(folder, contents), "no attention head"));
    contents.tensors.clear();
    CHECK(contains(with_head(folder, contents), "no attention head"));
}

TEST_CASE("scale and mask are never guessed") {
    const Folder folder;
    const Tensor q = inputs::random_tensor("q", 4, 2, 1);
    const Tensor k = inputs::random_tensor("k", 4, 2, 2);
    CHECK(contains(with_head(folder, one_head(q, k, {{"mask", "none"}})), "--scale"));
    CHECK(contains(with_head(folder, one_head(q, k, {{"beta", "0.5"}})), "--mask"));
    CHECK(contains(with_head(folder, one_head(q, k, {{"beta", "0.5"}, {"mask", "sliding"}})), "sliding"));
    for (const char* beta : {"", "fast", "nan", "inf", "1e400", "-"}) {
        CAPTURE(beta);
        CHECK(contains(with_head(folder, one_head(q, k, {{"beta", beta}, {"mask", "none"}})), "beta"));
    }
    inputs::write_npy(folder / "q.npy", q);
    inputs::write_npy(folder / "k.npy", k);
    CHECK(contains(refusal(folder, {"--query", folder / "q.npy", "--key", folder / "k.npy"}), "--scale"));
    CHECK(contains(refusal(folder, {"--query", folder / "q.npy", "--key", folder / "k.npy", "--scale", "1"}),
                   "--mask"));
}

TEST_CASE("a causal mask over unequal lengths needs its alignment, and no other mask takes one") {
    const Folder folder;
    const Safetensors longer =
        one_head(inputs::random_tensor("q", 3, 2, 1), inputs::random_tensor("k", 5, 2, 2),
                 {{"beta", "0.5"}, {"mask", "causal"}});
    CHECK(contains(with_head(folder, longer), "--alignment"));
    CHECK(contains(with_head(folder, longer, {"--mask", "none", "--alignment", "top-left"}), "--alignment"));
    // Five queries over two keys, bottom-right: the first three rows see nothing.
    const Safetensors shorter =
        one_head(inputs::random_tensor("q", 5, 2, 1), inputs::random_tensor("k", 2, 2, 2),
                 {{"beta", "0.5"}, {"mask", "causal"}});
    CHECK(contains(with_head(folder, shorter, {"--alignment", "bottom-right"}), "row 0"));
}

TEST_CASE("shapes and types that make no head are refused with both tensors' names") {
    const Folder folder;
    const std::string error = with_head(
        folder, one_head(inputs::random_tensor("a.q", 4, 2, 1), inputs::random_tensor("a.k", 4, 3, 2)));
    CHECK(contains(error, "a.q"));
    CHECK(contains(error, "4×3"));
    Tensor cube = inputs::random_tensor("a.q", 4, 2, 1);
    cube.shape = {2, 2, 2};
    CHECK(contains(with_head(folder, one_head(cube, inputs::random_tensor("a.k", 4, 2, 2))), "2×2×2"));
    Tensor whole = inputs::random_tensor("a.q", 4, 2, 1);
    whole.dtype = DType::i32;
    CHECK(contains(with_head(folder, one_head(whole, inputs::random_tensor("a.k", 4, 2, 2))), "I32"));
    with_head(folder,
              one_head(inputs::float32_tensor("a.q", 0, 2, {}), inputs::random_tensor("a.k", 4, 2, 2)));
    with_head(folder,
              one_head(inputs::random_tensor("a.q", 4, 2, 1), inputs::float32_tensor("a.k", 0, 2, {})));
}

TEST_CASE("NaN and infinity are refused with the tensor and the index") {
    const Folder folder;
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
        std::vector<float> values(8, 0.5F);
        values[5] = bad;  // row 2, column 1
        const Tensor sick = inputs::float32_tensor("layer3.head1.q", 4, 2, values);
        const std::string error =
            with_head(folder, one_head(sick, inputs::random_tensor("layer3.head1.k", 4, 2, 2)));
        CAPTURE(error);
        CHECK(contains(error, "layer3.head1.q"));
        CHECK(contains(error, "2"));
        CHECK(contains(error, "1"));
        inputs::write_npy(folder / "a.npy", inputs::float32_tensor("", 4, 2, values));
        CHECK(contains(refusal(folder, {"--matrix", folder / "a.npy"}), "a.npy"));
    }
}

TEST_CASE("a sick head stops the run before any other head is printed") {
    const Folder folder;
    Safetensors contents = one_head(inputs::random_tensor("layer0.head0.q", 4, 2, 1),
                                    inputs::random_tensor("layer0.head0.k", 4, 2, 2));
    contents.tensors.push_back(inputs::float32_tensor("layer0.head1.q", 1, 2, {1, NAN}));
    contents.tensors.push_back(inputs::float32_tensor("layer0.head1.k", 1, 2, {1, 2}));
    CHECK(contains(with_head(folder, contents), "layer0.head1.q"));
}

TEST_CASE("the kind of a mask file is declared, never guessed") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 2, 2);
    const auto with_mask = [&](const Tensor& mask, std::vector<std::string> more = {}) {
        inputs::write_npy(folder / "mask.npy", mask);
        more.insert(more.begin(), {folder / "h.safetensors", "--mask", folder / "mask.npy"});
        return refusal(folder, more);
    };
    const Tensor floats = inputs::float32_tensor("", 2, 2, {1, 1, 0, 1});
    CHECK(contains(with_mask(floats), "--mask-kind"));
    CHECK(contains(with_mask(inputs::float32_tensor("", 2, 2, {1, 1, 0, 0.5F}), {"--mask-kind", "boolean"}),
                   "[1, 1]"));
    CHECK(contains(with_mask(inputs::float32_tensor("", 2, 2, {1, NAN, 0, 1}), {"--mask-kind", "additive"}),
                   "[0, 1]"));
    CHECK(contains(with_mask(inputs::float32_tensor("", 2, 2, {1, 0, INFINITY, 1}), {"--mask-kind", "additive"}),
                   "[1, 0]"));
    CHECK(contains(with_mask(inputs::float32_tensor("", 2, 2, {1, 0, -INFINITY, -INFINITY}),
                             {"--mask-kind", "additive"}),
                   "row 1"));
    CHECK(contains(with_mask(inputs::float32_tensor("", 1, 4, {1, 1, 0, 1}), {"--mask-kind", "boolean"}),
                   "1×4"));
    Tensor booleans{"", DType::boolean, {2, 2}, {std::byte{1}, std::byte{1}, std::byte{0}, std::byte{1}}};
    CHECK(contains(with_mask(booleans, {"--mask-kind", "additive"}), "boolean"));
    booleans.data[3] = std::byte{0};  // row 1 sees nothing
    CHECK(contains(with_mask(booleans), "row 1"));
    CHECK(contains(refusal(folder, {folder / "h.safetensors", "--mask", "diagonal"}), "diagonal"));
    CHECK(contains(refusal(folder, {folder / "h.safetensors", "--mask", "causal", "--mask-kind", "boolean"}),
                   "--mask-kind"));
    CHECK(contains(refusal(folder, {folder / "h.safetensors", "--mask", folder / "none.npy"}), "none.npy"));
}

TEST_CASE("a folder that cannot be written to is refused") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 4, 2);
    inputs::write_text(folder / "file", "not a folder\n");
    for (const std::string& output :
         {folder / "file", folder / "file/deeper", std::string("/proc/rankcert")}) {
        const auto result =
            program::run({"bracket", folder / "h.safetensors", "--epsilon", "1/4", "-o", output});
        CAPTURE(output);
        CAPTURE(result.err);
        CHECK(result.code == 3);
        CHECK(result.out.empty());
        CHECK(inputs::is_one_sentence(result.err));
    }
    CHECK(inputs::read_text(folder / "file") == "not a folder\n");
}

TEST_CASE("a file too large for the memory is an internal fault, told in a sentence") {
    const Folder folder;
    inputs::write_text(folder / "huge.safetensors", std::string(8, '\0'));
    fs::resize_file(folder / "huge.safetensors",
                    std::uintmax_t{16} << 30);  // sparse: it takes no room on disk
    program::Options options;
    options.memory_bytes = 8UL << 30;
    const auto result = program::run({"info", folder / "huge.safetensors"}, options);
    CAPTURE(result.err);
    CHECK(result.code == 4);
    CHECK(result.out.empty());
    CHECK(inputs::is_one_sentence(result.err));
}

TEST_CASE("info shows heads, shapes, first values, scale, mask and hashes of an input") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 3, 4, 2);
    const auto result = program::run({"info", folder / "h.safetensors"});
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    for (const char* part : {"3 heads", "layer0.head2.q", "4×2", "F32", "scale 0.5", "mask none"}) {
        CAPTURE(part);
        CHECK(contains(result.out, part));
    }
    const auto bytes = rankcert::read_file(folder / "h.safetensors");
    CHECK(contains(result.out, rankcert::sha256(bytes)));
    const auto json = program::run({"info", folder / "h.safetensors", "--json"});
    CHECK(json.code == 0);
    CHECK(inputs::lines(json.out).size() == 1);
    CHECK(contains(json.out, rankcert::sha256(inputs::random_tensor("layer0.head1.q", 4, 2, 3, 2))));

    inputs::write_npy(folder / "q.npy", inputs::float32_tensor("", 2, 3, {1, 2, 3, 4, 5, 6}));
    const auto npy = program::run({"info", folder / "q.npy"});
    CHECK(npy.code == 0);
    CHECK(contains(npy.out, "2×3"));
    CHECK(contains(npy.out, "1, 2, 3"));
}

TEST_CASE("names out of a hostile file cannot steer the terminal") {
    const Folder folder;
    Safetensors contents;
    contents.metadata = {{"beta", "0.5"}, {"mask", "none"}, {"note", "\x1b[2Jgone\r\n"}};
    contents.tensors = {inputs::random_tensor("\x1b[31m.q", 2, 2, 1),
                        inputs::random_tensor("\x1b[31m.k", 2, 2, 2)};
    inputs::write_safetensors(folder / "h.safetensors", contents);
    const auto info = program::run({"info", folder / "h.safetensors"});
    CHECK(info.code == 0);
    CHECK(!contains(info.out, "\x1b"));
    const auto bracket =
        program::run({"bracket", folder / "h.safetensors", "--epsilon", "1", "-o", folder / "out", "--json"});
    CHECK(bracket.code == 0);
    CHECK(!contains(bracket.out, "\x1b"));
    for (const auto& entry : fs::directory_iterator(folder / "out")) {
        CHECK(!contains(entry.path().filename().string(), "\x1b"));
    }
}
