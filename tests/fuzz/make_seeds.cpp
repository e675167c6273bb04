// Writes small valid files, FOLDER/<reader>/<name>, for the fuzz targets to start from.

#include <filesystem>
#include <iostream>

#include "certificate/bundle_samples.hpp"
#include "io/files.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/io/safetensors.hpp"

namespace {

using rankcert::Tensor;

Tensor tensor(std::string name, rankcert::DType dtype, std::vector<std::uint64_t> shape) {
    Tensor result{std::move(name), dtype, std::move(shape), {}};
    const auto size = rankcert::byte_size(result.shape, static_cast<unsigned>(8 * rankcert::size_of(dtype)));
    for (std::uint64_t k = 0; k < *size; ++k) result.data.push_back(static_cast<std::byte>(k % 2));
    return result;
}

/// A head of two queries and two keys with a mask of the given kind. (What Ã is, is no matter to a reader.)
rankcert::Bundle head(rankcert::MaskKind mask) {
    rankcert::Bundle bundle = samples::two_by_two();
    rankcert::Head head;
    head.query = samples::matrix(2, 1, {0.5, -1});
    head.key = samples::matrix(2, 1, {2, 0.25});
    head.scale.sqrt_of = 2;
    head.mask.kind = mask;
    head.mask.keep = rankcert::BoolMatrix::Constant(2, 2, true);
    head.mask.bias = rankcert::ExactMatrix(2, 2);
    head.rounded_from = rankcert::NumberFormat::float16;
    bundle.format = rankcert::NumberFormat::float16;
    bundle.subject.head = std::move(head);
    bundle.input.tensors = {{"query", "q"}, {"key", "k"}};
    return bundle;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: fuzz_make_seeds FOLDER\n";
        return 3;
    }
    using rankcert::DType;
    const std::filesystem::path folder = argv[1];
    const auto put = [&folder](const std::string& reader, const std::string& name,
                               const files::Bytes& bytes) {
        std::filesystem::create_directories(folder / reader);
        rankcert::write_file_atomically(folder / reader / name, bytes);
    };
    const std::string six = files::six_floats();
    put("npy", "f4", rankcert::format_npy(tensor("", DType::f32, {2, 3})));
    put("npy", "f8-fortran", files::npy("<f8", "(2, 3)", six + six, true));
    put("npy", "big-f2", files::npy(">f2", "(2, 3)", six.substr(0, 12)));
    put("npy", "bool", rankcert::format_npy(tensor("", DType::boolean, {2, 2})));
    put("npy", "scalar-v2", files::npy_raw(2, 0, files::npy_header("<i8", "()"), six.substr(0, 8)));
    put("npy", "empty-v3", files::npy_raw(3, 0, files::npy_header("|u1", "(0, 3)"), ""));

    const std::string array = files::to_text(files::npy("<f4", "(2, 3)", six));
    files::Member deflated = files::stored("d.npy", array);
    deflated.method = 8;
    deflated.packed = std::string(1, '\1') + files::little(array.size(), 2) +
                      files::little(~array.size() & 0xffff, 2) + array;
    put("npz", "stored", files::zip({files::stored("a.npy", array)}));
    put("npz", "two", files::zip({files::stored("a.npy", array), deflated}));
    put("npz", "empty", files::zip({}));

    rankcert::Safetensors contents;
    contents.metadata = {{"beta", "0.25"}, {"mask", "causal"}};
    contents.tensors = {tensor("a.q", DType::f32, {2, 3}), tensor("a.k", DType::bf16, {4, 3}),
                        tensor("mask", DType::boolean, {2, 2}), tensor("none", DType::f64, {0, 3}),
                        tensor("s", DType::i64, {})};
    put("safetensors", "several", rankcert::format_safetensors(contents));
    put("safetensors", "unread",
        files::safetensors(R"({"a":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[0,4]}})", "1234"));
    put("safetensors", "empty", files::safetensors("{}", ""));

    put("json", "object",
        files::to_bytes(R"({"a":[1,-2,2.5e3,true,false,null,"\u00e9\ud83d\ude00"],"b":{"c":{},"d":[[]]}})"));
    put("json", "number", files::to_bytes("-0.5"));

    rankcert::Bundle wide = samples::two_by_two();
    wide.subject.centre = samples::diagonal(2, (rankcert::Integer(1) << 70) + 1, -70);
    put("certificate", "identity", rankcert::format_bundle(samples::identity()));
    put("certificate", "two-by-two", rankcert::format_bundle(samples::two_by_two()));
    put("certificate", "limbs", rankcert::format_bundle(wide));
    put("certificate", "causal", rankcert::format_bundle(head(rankcert::MaskKind::causal)));
    put("certificate", "boolean", rankcert::format_bundle(head(rankcert::MaskKind::boolean)));
    put("certificate", "additive", rankcert::format_bundle(head(rankcert::MaskKind::additive)));
    return 0;
}
