#include <doctest/doctest.h>

#include "certificate/bundle_samples.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/io/safetensors.hpp"
#include "support/folder.hpp"

using namespace rankcert;
using files::contains;
using files::refusal;
using support::Folder;

namespace {

std::string refuse(const Bundle& bundle, const std::filesystem::path& file) {
    const std::string sentence = refusal([&] { return require_input(bundle, file); });
    CHECK(files::is_clear(sentence, file.string()));
    return sentence;
}

Tensor tensor_of(const char* name, const ExactMatrix& matrix, DType dtype = DType::f32) {
    return from_matrix(name, matrix.to_double(), dtype);
}

}  // namespace

TEST_CASE("a certificate written to disk reads back") {
    const Folder folder;
    const Bundle bundle = samples::identity();
    const auto path = folder.put("c.safetensors", files::to_bytes("an older file"));
    write_bundle(bundle, path);
    CHECK(format_bundle(read_bundle(path)) == format_bundle(bundle));
}

TEST_CASE("the input of a head is recognised by its hash and by its values") {
    const Folder folder;
    Bundle bundle = samples::head(53);
    const Head& head = *bundle.subject.head;
    Safetensors contents;
    contents.tensors = {tensor_of("layer0.head1.q", head.query), tensor_of("layer0.head1.k", head.key)};
    const files::Bytes bytes = format_safetensors(contents);
    const auto path = folder.put("model.safetensors", bytes);
    bundle.input.file_sha256 = sha256(bytes);
    CHECK(require_input(bundle, path) == std::vector<std::string>{"key", "query"});
    bundle.input.tensor_sha256 = {{"query", sha256(contents.tensors[0])},
                                  {"key", sha256(contents.tensors[1])}};
    CHECK(require_input(bundle, path).size() == 2);

    Bundle wrong = bundle;
    wrong.input.tensor_sha256["key"] = std::string(64, '0');
    CHECK(contains(refuse(wrong, path), "key tensor is not the one"));
    wrong = bundle;
    wrong.input.file_sha256[0] = wrong.input.file_sha256[0] == '0' ? '1' : '0';
    CHECK(contains(refuse(wrong, path), "is not the file"));
    // No hash of the file, but one of another tensor.
    wrong = bundle;
    wrong.input.file_sha256.clear();
    CHECK(require_input(wrong, path).size() == 2);
    wrong.input.tensor_sha256["key"] = std::string(64, '0');
    CHECK(contains(refuse(wrong, path), "key tensor is not the one"));
    wrong = bundle;
    wrong.input.tensors["key"] = "layer0.head2.k";
    CHECK(contains(refuse(wrong, path), "no tensor 'layer0.head2.k'"));
    wrong.input.tensors.erase("key");
    CHECK(contains(refuse(wrong, path), "does not say"));
    // The hash is right, but the certificate speaks of other numbers.
    wrong = bundle;
    wrong.subject.head->query = wrong.subject.head->query.scale(2);
    CHECK(contains(refuse(wrong, path), "query tensor does not hold the numbers"));
    // Another file with the same tensors.
    contents.metadata = {{"x", "y"}};
    CHECK(contains(refuse(bundle, folder.put("other.safetensors", format_safetensors(contents))),
                   "is not the file"));
    CHECK(contains(refuse(bundle, folder.put("bad", files::to_bytes("bad"))), "bad"));
}

TEST_CASE("the input may be an archive or a matrix of its own") {
    const Folder folder;
    Bundle bundle = samples::head(53);
    const auto text = [](const Tensor& tensor) { return files::to_text(format_npy(tensor)); };
    const files::Bytes archive = files::zip(
        {files::stored("layer0.head1.q.npy", text(tensor_of("", bundle.subject.head->query, DType::f64))),
         files::stored("layer0.head1.k.npy", text(tensor_of("", bundle.subject.head->key)))});
    bundle.input.file_sha256 = sha256(archive);
    CHECK(require_input(bundle, folder.put("a.npz", archive)).size() == 2);

    Bundle matrix = samples::two_by_two();
    const files::Bytes array = format_npy(tensor_of("", matrix.subject.centre, DType::f16));
    matrix.input.file_sha256 = sha256(array);
    const auto path = folder.put("a.npy", array);
    CHECK(require_input(matrix, path) == std::vector<std::string>{"matrix"});
    matrix.subject.centre = matrix.subject.centre.scale(3);
    CHECK(contains(refuse(matrix, path), "does not hold the numbers"));
}

TEST_CASE("query and key in files of their own are each recognised") {
    const Folder folder;
    Bundle bundle = samples::head(53);
    const files::Bytes query = format_npy(tensor_of("", bundle.subject.head->query));
    const files::Bytes key = format_npy(tensor_of("", bundle.subject.head->key));
    bundle.input.file_sha256.clear();
    bundle.input.tensors = {{"query", ""}, {"key", ""}};
    bundle.input.role_file_sha256 = {{"query", sha256(query)}, {"key", sha256(key)}};
    const auto query_path = folder.put("q.npy", query);
    CHECK(require_input(bundle, query_path) == std::vector<std::string>{"query"});
    CHECK(require_input(bundle, folder.put("k.npy", key)) == std::vector<std::string>{"key"});
    CHECK(
        contains(refuse(bundle, folder.put("other.npy", format_npy(tensor_of("", ExactMatrix::identity(2))))),
                 "none of the inputs"));
    // Without any hash the numbers tell.
    Bundle bare = bundle;
    bare.input.role_file_sha256.clear();
    CHECK(require_input(bare, query_path) == std::vector<std::string>{"query"});
    bare.subject.head->query = bare.subject.head->query.scale(2);
    CHECK(contains(refuse(bare, query_path), "none of the inputs"));
    // The hash is the query's, the numbers are not.
    bundle.subject.head->query = bundle.subject.head->query.scale(2);
    CHECK(contains(refuse(bundle, query_path), "does not hold the numbers"));
    CHECK(parse_bundle(format_bundle(bundle), "c").input.role_file_sha256 == bundle.input.role_file_sha256);
}
