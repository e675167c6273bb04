// Masks in certificate files, and the files that they came from.

#include <doctest/doctest.h>

#include <limits>

#include "certificate/bundle_samples.hpp"
#include "rankcert/attention/mask.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/io/safetensors.hpp"
#include "support/folder.hpp"

using namespace rankcert;
using files::contains;
using files::refusal;
using support::Folder;

namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// A 3×3 mask as a model stores it: a linear bias on a causal pattern.
Tensor stored_mask(double bias = -0.25) {
    Eigen::MatrixXd values(3, 3);
    values << 0, kHidden, kHidden, bias, 0, kHidden, 2 * bias, bias, 0;
    return from_matrix("", values);
}

Bundle with_mask(const Tensor& tensor, MaskReading reading = MaskReading::additive) {
    Bundle bundle = samples::head(53);
    Head& head = *bundle.subject.head;
    head.mask = to_mask(tensor, reading);
    bundle.subject.centre = enclose_softmax(head, 53).centre;
    return bundle;
}

}  // namespace

TEST_CASE("a mask of biases and minus infinity is stored as both and read back") {
    const Bundle bundle = with_mask(stored_mask());
    REQUIRE(bundle.subject.head->mask.kind == MaskKind::additive);
    const files::Bytes bytes = format_bundle(bundle);
    const Bundle again = parse_bundle(bytes, "c");
    CHECK(is_same_mask(again.subject.head->mask, bundle.subject.head->mask, true));
    CHECK(format_bundle(again) == bytes);
    const Safetensors contents = parse_safetensors(bytes, "c");
    REQUIRE(contents.find("visible") != nullptr);
    CHECK(contents.find("visible")->dtype == DType::boolean);
    CHECK(contents.find("mask")->dtype == DType::f64);
    CHECK(contains(contents.metadata.at("statement"), "\"mask\":{\"kind\":\"additive_and_boolean\"}"));
    // The support rule sees the zeros: full rank at ε = 0.
    for (const Level level : {Level::exact, Level::fast}) {
        for (const ClaimVerdict& verdict : check(again, level)) {
            CHECK(verdict.decision == Decision::proved);
            CHECK(verdict.rho > 0);
            CHECK(verdict.rho < Rational(1, 1000000000));
        }
    }
    // Without minus infinity nothing changes in the file.
    Eigen::MatrixXd finite = Eigen::MatrixXd::Constant(3, 3, 0.5);
    const Safetensors plain = parse_safetensors(format_bundle(with_mask(from_matrix("", finite))), "c");
    CHECK(plain.find("visible") == nullptr);
    CHECK(contains(plain.metadata.at("statement"), "\"mask\":{\"kind\":\"additive\"}"));
}

TEST_CASE("a file whose hidden keys have biases, or whose mask lacks a part, is refused") {
    const Bundle bundle = with_mask(stored_mask());
    const auto refuse = [&](const auto& change) {
        Safetensors contents = parse_safetensors(format_bundle(bundle), "x");
        change(contents);
        const files::Bytes bytes = samples::with_digest(format_safetensors(contents));
        const std::string sentence = refusal([&] { return parse_bundle(bytes, "c.safetensors"); });
        CHECK(files::is_clear(sentence, "c.safetensors"));
        return sentence;
    };
    const auto named = [](Safetensors& contents, const char* name) -> Tensor& {
        for (Tensor& tensor : contents.tensors)
            if (tensor.name == name) return tensor;
        throw std::logic_error("no such tensor");
    };
    CHECK(contains(refuse([&](Safetensors& c) { named(c, "visible").data[3] = std::byte{0}; }), "(1, 0)"));
    CHECK(contains(refuse([&](Safetensors& c) {
                       for (std::byte& b : named(c, "visible").data) b = std::byte{0};
                       for (std::byte& b : named(c, "mask").data) b = std::byte{0};
                   }),
                   "row 0"));
    CHECK(contains(refuse([&](Safetensors& c) { std::erase_if(c.tensors, [](const Tensor& t) { return t.name == "visible"; }); }),
                   "no tensor 'visible'"));
    CHECK(contains(refuse([&](Safetensors& c) {
                       std::string& statement = c.metadata.at("statement");
                       const std::string from = "additive_and_boolean";
                       statement.replace(statement.find(from), from.size(), "additive");
                   }),
                   "'visible'"));
    // An empty table of visible keys is another spelling of none.
    CHECK(refuse([&](Safetensors& c) {
        named(c, "visible").shape = {0, 0};
        named(c, "visible").data.clear();
    }) != "(accepted)");
    Bundle hidden = bundle;
    hidden.subject.head->mask.keep(2, 0) = false;
    CHECK(refusal([&] { return check(hidden, Level::exact); }) != "(accepted)");
}

TEST_CASE("a mask's own file is recognised by its hash, and its numbers are compared") {
    const Folder folder;
    for (const bool biased : {true, false}) {
        CAPTURE(biased);
        const Tensor tensor = stored_mask(biased ? -0.25 : 0);
        Bundle bundle = with_mask(tensor);
        CHECK(bundle.subject.head->mask.kind == (biased ? MaskKind::additive : MaskKind::boolean));
        const files::Bytes bytes = format_npy(tensor);
        const auto path = folder.put("mask.npy", bytes);
        bundle.input.tensors["mask"] = "";
        bundle.input.tensor_sha256["mask"] = sha256(tensor);
        bundle.input.role_file_sha256["mask"] = sha256(bytes);
        CHECK(require_input(bundle, path) == std::vector<std::string>{"mask"});
        CHECK(parse_bundle(format_bundle(bundle), "c").input.role_file_sha256 == bundle.input.role_file_sha256);

        const auto other = folder.put("other.npy", format_npy(stored_mask(-0.5)));
        CHECK(contains(refusal([&] { return require_input(bundle, other); }), "is not the file"));
        // The hash fits, the mask of the certificate is another one.
        Bundle wrong = bundle;
        wrong.subject.head->mask = to_mask(stored_mask(-0.5), MaskReading::additive);
        CHECK(contains(refusal([&] { return require_input(wrong, path); }), "mask tensor does not hold"));
        wrong = bundle;
        wrong.subject.head->mask.keep(0, 1) = true;
        CHECK(contains(refusal([&] { return require_input(wrong, path); }), "mask tensor does not hold"));
        wrong = bundle;
        wrong.input.tensor_sha256["mask"] = std::string(64, '0');
        CHECK(contains(refusal([&] { return require_input(wrong, path); }), "mask tensor is not the one"));
        // Nothing is recorded: the numbers tell.
        Bundle bare = with_mask(tensor);
        CHECK(require_input(bare, path) == std::vector<std::string>{"mask"});
        CHECK(contains(refusal([&] { return require_input(bare, other); }), "is not the file"));
        bare.input.file_sha256.clear();
        CHECK(require_input(bare, path) == std::vector<std::string>{"mask"});
        CHECK(contains(refusal([&] { return require_input(bare, other); }), "none of the inputs"));
    }
}

TEST_CASE("a mask may stand in the file of query and key") {
    const Folder folder;
    Tensor tensor = stored_mask();
    Bundle bundle = with_mask(tensor);
    tensor.name = "layer0.mask";
    Safetensors contents;
    contents.tensors = {from_matrix("layer0.head1.q", bundle.subject.head->query.to_double(), DType::f32),
                        from_matrix("layer0.head1.k", bundle.subject.head->key.to_double(), DType::f32), tensor};
    const files::Bytes bytes = format_safetensors(contents);
    const auto path = folder.put("model.safetensors", bytes);
    bundle.input.file_sha256 = sha256(bytes);
    CHECK(require_input(bundle, path) == std::vector<std::string>{"key", "query"});
    bundle.input.tensors["mask"] = "layer0.mask";
    CHECK(require_input(bundle, path) == std::vector<std::string>{"key", "mask", "query"});
    bundle.subject.head->mask.bias = bundle.subject.head->mask.bias.scale(2);
    CHECK(contains(refusal([&] { return require_input(bundle, path); }), "mask tensor does not hold"));
}

TEST_CASE("a safetensors file whose header's length spells PK is no archive") {
    const Folder folder;
    Bundle bundle = samples::head(53);
    Safetensors contents;
    contents.tensors = {from_matrix("layer0.head1.q", bundle.subject.head->query.to_double(), DType::f32),
                        from_matrix("layer0.head1.k", bundle.subject.head->key.to_double(), DType::f32)};
    constexpr std::size_t kLength = 0x4b50;  // "PK" in little-endian bytes; a multiple of 8
    contents.metadata["note"] = "";
    const std::size_t before = format_safetensors(contents).size() - 48;
    contents.metadata["note"] = std::string(8 + kLength - before, 'x');
    const files::Bytes bytes = format_safetensors(contents);
    REQUIRE(files::to_text(bytes).starts_with("PK"));
    bundle.input.file_sha256 = sha256(bytes);
    CHECK(require_input(bundle, folder.put("pk", bytes)).size() == 2);
    CHECK(!is_npz(bytes));
    CHECK(is_npz(files::zip({})));
    CHECK(is_npz(files::zip({files::stored("q.npy", "x")})));
    // Even the four bytes of an archive may be a length (of 67 megabytes), but then "{" follows.
    CHECK(!is_npz(files::to_bytes(std::string("PK\x03\x04\0\0\0\0{", 9))));
    CHECK(is_npz(files::to_bytes(std::string("PK\x03\x04\x14\0\0\0\x08", 9))));
}

TEST_CASE("what asks for gigabytes is left undecided and says so") {
    // One-word integers of sizes 2^30000 apart: aligned, the residual would take gigabytes.
    Bundle bundle;
    constexpr Index n = 256;
    bundle.subject.centre =
        ExactMatrix::from_integers(n, n, std::vector<Integer>(n * n, Integer(1)), -32768);
    const ExactMatrix tiny = bundle.subject.centre;
    FixedSpaceWitness witness;
    witness.basis = ExactMatrix::identity(n);
    witness.inverse = ExactMatrix::from_integers(n, n, std::vector<Integer>(n * n, Integer(1)), -32768);
    for (Index i = 0; i < n; ++i) witness.pivots.push_back(i);
    bundle.input.file = "a.npy";
    bundle.lower_witnesses = {witness};
    bundle.upper_witnesses = {FactorWitness{ExactMatrix::identity(n).scale(Integer(1) << 32000), tiny, 1}};
    bundle.claims = {samples::claim("1/4", n, 0, n, 0)};
    const std::vector<ClaimVerdict> verdicts = check(parse_bundle(format_bundle(bundle), "c"), Level::exact);
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].decision == Decision::undecided);
    CHECK(contains(verdicts[0].reason, "gigabyte"));
}
