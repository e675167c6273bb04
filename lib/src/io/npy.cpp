#include "rankcert/io/npy.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "io/npy_header.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

void reverse_bytes(std::vector<std::byte>& data, std::size_t size) {
    for (auto at = data.begin(); at != data.end(); at += static_cast<std::ptrdiff_t>(size)) {
        std::reverse(at, at + static_cast<std::ptrdiff_t>(size));
    }
}

/// From Fortran order (first index runs fastest) to C order (last index runs fastest).
std::vector<std::byte> to_c_order(std::span<const std::byte> data, const std::vector<std::uint64_t>& shape,
                                  std::size_t size) {
    struct Axis {
        std::size_t length;
        std::size_t stride;  // of the Fortran order, in elements
        std::size_t index;
    };
    std::vector<Axis> axes;
    std::size_t count = 1;
    for (const std::uint64_t length : shape) {
        axes.push_back({static_cast<std::size_t>(length), count, 0});
        count *= static_cast<std::size_t>(length);  // cannot wrap: the data is as long as the shape says
    }
    std::vector<std::byte> result(data.size());
    std::size_t from = 0;
    for (std::size_t to = 0; to < count; ++to) {
        std::memcpy(result.data() + to * size, data.data() + from * size, size);
        for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
            from += axis->stride;
            if (++axis->index < axis->length) break;
            from -= axis->stride * axis->length;
            axis->index = 0;
        }
    }
    return result;
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> bytes, const std::string& file) {
    const auto fail = [&file](const std::string& what) {
        throw Error(file + ": not a valid .npy file: " + what);
    };
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!text.starts_with(kMagic)) fail("it does not begin with \\x93NUMPY");
    if (text.size() < 8) fail("it ends inside its first 8 bytes");
    const int major = std::to_integer<int>(bytes[6]);
    const int minor = std::to_integer<int>(bytes[7]);
    if (major < 1 || major > 3 || minor != 0) {
        fail("format version " + std::to_string(major) + "." + std::to_string(minor) +
             " is not one of 1.0, 2.0, 3.0");
    }
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::size_t start = 8 + length_bytes;
    if (text.size() < start) fail("it ends inside the length of its header");
    std::size_t header_length = 0;
    for (std::size_t k = 0; k < length_bytes; ++k) {
        header_length |= std::to_integer<std::size_t>(bytes[8 + k]) << (8 * k);
    }
    if (header_length > text.size() - start) {
        fail("its header should have " + std::to_string(header_length) + " bytes, but only " +
             std::to_string(text.size() - start) + " follow");
    }
    io::NpyHeader header = io::parse_npy_header(text.substr(start, header_length), file);
    const auto data = bytes.subspan(start + header_length);
    const std::size_t size = size_of(header.dtype);
    const auto expected = byte_size(header.shape, static_cast<unsigned>(8 * size));
    if (!expected) fail("the shape " + to_string(header.shape) + " is too large");
    if (*expected != data.size()) {
        fail("the shape " + to_string(header.shape) + " of " + to_string(header.dtype) + " needs " +
             std::to_string(*expected) + " bytes of data, but " + std::to_string(data.size()) +
             " follow the header");
    }
    Tensor tensor;
    tensor.dtype = header.dtype;
    tensor.shape = std::move(header.shape);
    if (header.fortran_order && tensor.shape.size() > 1 && !data.empty()) {
        tensor.data = to_c_order(data, tensor.shape, size);
    } else {
        tensor.data.assign(data.begin(), data.end());
    }
    if (header.big_endian && size > 1) reverse_bytes(tensor.data, size);
    return tensor;
}

Tensor read_npy(const std::filesystem::path& path) { return parse_npy(read_file(path), path.string()); }

std::vector<std::byte> format_npy(const Tensor& tensor) {
    const char* type = nullptr;
    switch (tensor.dtype) {
        case DType::boolean:
            type = "|b1";
            break;
        case DType::u8:
            type = "|u1";
            break;
        case DType::i8:
            type = "|i1";
            break;
        case DType::u16:
            type = "<u2";
            break;
        case DType::i16:
            type = "<i2";
            break;
        case DType::u32:
            type = "<u4";
            break;
        case DType::i32:
            type = "<i4";
            break;
        case DType::u64:
            type = "<u8";
            break;
        case DType::i64:
            type = "<i8";
            break;
        case DType::f16:
            type = "<f2";
            break;
        case DType::f32:
            type = "<f4";
            break;
        case DType::f64:
            type = "<f8";
            break;
        case DType::f8_e4m3:
        case DType::f8_e5m2:
        case DType::bf16:
            throw Error(std::string("the .npy format has no ") + to_string(tensor.dtype) +
                        "; write the tensor as float32");
    }
    std::string shape = "(";
    for (const std::uint64_t dimension : tensor.shape) shape += std::to_string(dimension) + ", ";
    if (tensor.shape.size() == 1) shape.pop_back();
    if (tensor.shape.size() > 1) shape.resize(shape.size() - 2);
    std::string header =
        "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': " + shape + "), }";
    while ((10 + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    if (header.size() > 0xffff) throw Error("the array has too many dimensions for a .npy file");
    std::string text(kMagic);
    text += '\x01';
    text += '\x00';
    text += static_cast<char>(header.size() & 0xff);
    text += static_cast<char>(header.size() >> 8);
    text += header;
    const auto head = std::as_bytes(std::span(text));
    std::vector<std::byte> bytes(head.begin(), head.end());
    bytes.insert(bytes.end(), tensor.data.begin(), tensor.data.end());
    return bytes;
}

}  // namespace rankcert
