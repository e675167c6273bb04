// Writes small valid files, FOLDER/<reader>/<name>, for the fuzz targets to start from.

#include <filesystem>
#include <iostream>

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
    return 0;
}
