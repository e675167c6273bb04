#include "rankcert/io/npy.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "io/files.hpp"

using namespace rankcert;
using files::contains;
using files::npy;
using files::npy_header;
using files::npy_raw;
using files::raw;
using files::refusal;
using files::six_floats;

namespace {

std::string refuse(const files::Bytes& bytes) {
    const std::string sentence = refusal([&] { return parse_npy(bytes, "a.npy"); });
    CHECK(files::is_clear(sentence, "a.npy"));
    return sentence;
}

std::string data_of(const Tensor& tensor) { return files::to_text(tensor.data); }

std::string swapped(std::string data, std::size_t size) {
    for (std::size_t k = 0; k < data.size(); k += size) {
        std::reverse(data.begin() + static_cast<std::ptrdiff_t>(k),
                     data.begin() + static_cast<std::ptrdiff_t>(k + size));
    }
    return data;
}

}  // namespace

TEST_CASE("the base file reads as a 2 by 3 float32 array") {
    const Tensor tensor = parse_npy(npy("<f4", "(2, 3)", six_floats()), "a.npy");
    CHECK(tensor.dtype == DType::f32);
    CHECK(tensor.shape == std::vector<std::uint64_t>{2, 3});
    CHECK(data_of(tensor) == six_floats());
}

TEST_CASE("D01: Fortran order is turned into C order") {
    const Tensor two = parse_npy(npy("<f4", "(2, 3)", six_floats(), true), "a.npy");
    CHECK(data_of(two) == raw(std::vector<float>{0, 2, 4, 1, 3, 5}));
    // element [i, j, k] of a (2, 3, 2) array stands at i + 2 j + 6 k
    std::vector<std::uint8_t> in;
    std::vector<std::uint8_t> out;
    for (std::uint8_t v = 0; v < 12; ++v) in.push_back(v);
    for (unsigned i = 0; i < 2; ++i) {
        for (unsigned j = 0; j < 3; ++j) {
            for (unsigned k = 0; k < 2; ++k) out.push_back(static_cast<std::uint8_t>(i + 2 * j + 6 * k));
        }
    }
    const Tensor three = parse_npy(npy("|u1", "(2, 3, 2)", raw(in), true), "a.npy");
    CHECK(data_of(three) == raw(out));
    CHECK(data_of(parse_npy(npy("<f4", "(6,)", six_floats(), true), "a.npy")) == six_floats());
}

TEST_CASE("D02: versions 1, 2 and 3 read alike, others are refused") {
    const std::string header = npy_header("<f4", "(2, 3)");
    for (const int major : {1, 2, 3}) {
        CHECK(data_of(parse_npy(npy_raw(major, 0, header, six_floats()), "a.npy")) == six_floats());
    }
    CHECK(contains(refuse(npy_raw(4, 0, header, six_floats())), "version 4.0"));
    CHECK(contains(refuse(npy_raw(0, 0, header, six_floats())), "version 0.0"));
    CHECK(contains(refuse(npy_raw(1, 1, header, six_floats())), "version 1.1"));
}

TEST_CASE("D03: padding, key order, commas and quotes are free") {
    const std::string base = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    const std::vector<std::string> headers = {
        base,
        base + "\n",
        base + std::string(16 - base.size() % 16, ' ') + "\n",
        base + std::string(128 - base.size() % 64, ' ') + "\n",
        "{'shape': (2, 3,), 'descr': '<f4', 'fortran_order': False}\n",
        "{\"fortran_order\":False,\"shape\":(2,3),\"descr\":\"<f4\"}",
        " { 'descr' : '<f4' , 'shape' : ( 2 , 3 ) , 'fortran_order' : False , } \t\r\n",
    };
    for (const std::string& header : headers) {
        CAPTURE(header);
        CHECK(data_of(parse_npy(npy_raw(1, 0, header, six_floats()), "a.npy")) == six_floats());
    }
    CHECK(contains(refuse(npy("<f4", "(2L, 3L)", six_floats())), "Python 2"));
}

TEST_CASE("D04: big-endian arrays are swapped, and a type without byte order is refused") {
    const std::string eight = raw(std::vector<double>{0.1, -2.5});
    CHECK(data_of(parse_npy(npy(">f4", "(2, 3)", swapped(six_floats(), 4)), "a.npy")) == six_floats());
    CHECK(data_of(parse_npy(npy(">f8", "(2,)", swapped(eight, 8)), "a.npy")) == eight);
    CHECK(data_of(parse_npy(npy(">f2", "(1, 1)", "\x3c\x01"), "a.npy")) == std::string("\x01\x3c"));
    CHECK(data_of(parse_npy(npy(">i2", "(1,)", "\x01\x02"), "a.npy")) == "\x02\x01");
    CHECK(data_of(parse_npy(npy(">f4", "(2, 3)", swapped(six_floats(), 4), true), "a.npy")) ==
          raw(std::vector<float>{0, 2, 4, 1, 3, 5}));
    for (const char* descr : {"=f4", "|f4"})
        CHECK(contains(refuse(npy(descr, "(2, 3)", six_floats())), "order"));
    CHECK(contains(refuse(npy("f4", "(2, 3)", six_floats())), "does not begin with a byte order"));
    CHECK(contains(refuse(npy("", "(2, 3)", six_floats())), "does not begin with a byte order"));
    for (const char* descr : {"|u1", "<u1", ">u1", "=u1"}) {
        CHECK(parse_npy(npy(descr, "(2,)", "\x01\x02"), "a.npy").dtype == DType::u8);
    }
}

TEST_CASE("every integer type and bool is read") {
    const std::vector<std::pair<const char*, DType>> types = {
        {"|b1", DType::boolean}, {"|u1", DType::u8},  {"|i1", DType::i8},  {"<u2", DType::u16},
        {"<i2", DType::i16},     {"<u4", DType::u32}, {"<i4", DType::i32}, {"<u8", DType::u64},
        {"<i8", DType::i64},     {"<f2", DType::f16}, {"<f4", DType::f32}, {"<f8", DType::f64}};
    for (const auto& [descr, dtype] : types) {
        CAPTURE(descr);
        const Tensor tensor = parse_npy(npy(descr, "(1, 3)", std::string(3 * size_of(dtype), '\1')), "a.npy");
        CHECK(tensor.dtype == dtype);
        CHECK(tensor.data.size() == 3 * size_of(dtype));
        const files::Bytes written = format_npy(tensor);
        CHECK(written.size() % 64 == tensor.data.size() % 64);
        const Tensor again = parse_npy(written, "a.npy");
        CHECK(again.dtype == dtype);
        CHECK(again.shape == tensor.shape);
        CHECK(again.data == tensor.data);
    }
}

TEST_CASE("D05: a corrupt magic is refused") {
    files::Bytes bytes = npy("<f4", "(2, 3)", six_floats());
    std::fill(bytes.begin(), bytes.begin() + 10, std::byte{0});
    CHECK(contains(refuse(bytes), "does not begin with"));
    CHECK(contains(refuse({}), "does not begin with"));
}

TEST_CASE("D06: truncated and trailing data is refused with both sizes") {
    files::Bytes bytes = npy("<f4", "(2, 3)", six_floats());
    bytes.resize(bytes.size() - 2);
    const std::string sentence = refuse(bytes);
    CHECK(contains(sentence, "24 bytes"));
    CHECK(contains(sentence, "but 22 follow"));
    CHECK(contains(refuse(npy("<f4", "(2, 3)", six_floats() + "x")), "but 25 follow"));
}

TEST_CASE("D08: sizes out of range are refused before anything is allocated") {
    CHECK(contains(
        refuse(files::to_bytes(std::string("\x93NUMPY\x02\x00", 8) + files::little(0xfffffff0U, 4) + "x")),
        "4294967280"));
    CHECK(contains(refuse(npy("<f4", "(4294967296, 4294967296)", "")), "too large"));
    CHECK(contains(refuse(npy("<f4", "(4294967296, 4294967296, 0)", "")), "too large"));
    CHECK(contains(refuse(npy("<f4", "(0, 4294967296, 4294967296)", "")), "too large"));
    CHECK(contains(refuse(npy("<f4", "(4294967296, 2147483648)", "")), "too large"));
    CHECK(contains(refuse(npy("<f4", "(1152921504606846976,)", "")), "too large"));
    CHECK(contains(refuse(npy("<f4", "(100000000000,)", "")), "400000000000 bytes"));
    CHECK(contains(refuse(npy("<f4", "(-1, 3)", six_floats())), "negative"));
    CHECK(contains(refuse(npy("<f4", "(18446744073709551616,)", "")), "64 bits"));
    CHECK(contains(refuse(npy("<f4", "(99999999999999999999999,)", "")), "64 bits"));
}

TEST_CASE("malformed headers are refused") {
    const std::string data = six_floats();
    for (const char* shape :
         {"(2, 3", "2, 3", "[2, 3]", "(2 3)", "(2,, 3)", "(,)", "(6)", "(02, 3)", "(2.0, 3)", "(2e0, 3)",
          "('2', 3)", "(2, 3) x", "None", "(+2, 3)", "(2_0, 3)", "", "((2, 3))"}) {
        CAPTURE(shape);
        CHECK(refuse(npy("<f4", shape, data)) != "(accepted)");
    }
    for (const char* header :
         {"",
          "\n",
          "{",
          "{}",
          "[]",
          "{'descr': '<f4'}",
          "{'descr': '<f4', 'fortran_order': False}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}",
          "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
          "{'descr': '<f4', 'fortran_order': False, 'fortran_order': False, 'shape': (2, 3)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'shape': (2, 3)}",
          "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}",
          "{'descr': '<f4', 'fortran_order': false, 'shape': (2, 3)}",
          "{'descr': <f4, 'fortran_order': False, 'shape': (2, 3)}",
          "{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}",
          "{'de\\x73cr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
          "{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
          "{,'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3),,}"}) {
        CAPTURE(header);
        CHECK(refuse(npy_raw(1, 0, header, data)) != "(accepted)");
    }
    std::string many = "(";
    for (int k = 0; k < 65; ++k) many += "1, ";
    CHECK(contains(refuse(npy("<f4", many + ")", "1234")), "64 dimensions"));
    CHECK(refuse(npy_raw(2, 0, std::string(100000, '('), data)) != "(accepted)");
    CHECK(refuse(npy_raw(2, 0, "{'" + std::string(1000000, '\xff') + "': 1}", data)) != "(accepted)");
}

TEST_CASE("D10: types that are not numbers are refused by name") {
    CHECK(contains(refuse(npy("|O", "(2, 3)", six_floats())), "Python objects"));
    CHECK(contains(refuse(npy("|S4", "(2, 3)", six_floats())), "strings"));
    CHECK(contains(refuse(npy("<U1", "(2, 3)", six_floats())), "strings"));
    CHECK(contains(refuse(npy("<c8", "(3,)", six_floats())), "complex"));
    CHECK(contains(refuse(npy("<f16", "(1,)", six_floats())), "long double"));
    CHECK(contains(refuse(npy("|V4", "(2, 3)", six_floats())), "records"));
    CHECK(contains(refuse(npy("<M8[s]", "(3,)", six_floats())), "dates"));
    CHECK(contains(refuse(npy("<f3", "(3,)", six_floats())), "unknown"));
    CHECK(contains(refuse(npy("<b4", "(3,)", six_floats())), "unknown"));
    CHECK(contains(refuse(npy_raw(1, 0, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,), }",
                                  six_floats())),
                   "structured"));
}

TEST_CASE("D12: empty arrays and scalars are ordinary") {
    const Tensor empty = parse_npy(npy("<f4", "(0, 3)", ""), "a.npy");
    CHECK(empty.shape == std::vector<std::uint64_t>{0, 3});
    CHECK(empty.data.empty());
    CHECK(to_matrix(empty).rows() == 0);
    CHECK(to_matrix(empty).cols() == 3);
    CHECK(parse_npy(npy("<f4", "(0, 3)", "", true), "a.npy").data.empty());
    CHECK(parse_npy(npy("<f4", "(3, 0)", "", true), "a.npy").data.empty());
    const Tensor scalar = parse_npy(npy("<f8", "()", raw(std::vector<double>{7})), "a.npy");
    CHECK(scalar.shape.empty());
    CHECK(scalar.data.size() == 8);
    CHECK(parse_npy(format_npy(scalar), "a.npy").data == scalar.data);
    CHECK(parse_npy(format_npy(empty), "a.npy").shape == empty.shape);
}

TEST_CASE("a .npy file cut anywhere is refused") {
    const files::Bytes whole = npy("<f4", "(2, 3)", six_floats(), true);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CAPTURE(length);
        CHECK(refuse({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}) != "(accepted)");
    }
}

TEST_CASE(
    "a .npy file with any one byte changed is read or refused, and what is read has the size that it says") {
    const files::Bytes whole = npy("<f4", "(2, 3)", six_floats(), true);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (int value = 0; value < 256; ++value) {
            files::Bytes bytes = whole;
            bytes[at] = static_cast<std::byte>(value);
            try {
                const Tensor tensor = parse_npy(bytes, "a.npy");
                CHECK(byte_size(tensor.shape, static_cast<unsigned>(8 * size_of(tensor.dtype))) ==
                      tensor.data.size());
            } catch (const Error& error) {
                CHECK(files::is_clear(error.what(), "a.npy"));
            }
        }
    }
}
