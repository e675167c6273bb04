#include "rankcert/io/safetensors.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "io/files.hpp"

using namespace rankcert;
using files::contains;
using files::refusal;
using files::safetensors;

namespace {

std::string refuse(std::string_view header, std::string_view data) {
    const files::Bytes bytes = safetensors(header, data);
    const std::string sentence = refusal([&] { return parse_safetensors(bytes, "a.safetensors"); });
    CHECK(files::is_clear(sentence, "a.safetensors"));
    return sentence;
}

std::string entry(std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return "{\"dtype\":\"" + std::string(dtype) + "\",\"shape\":" + std::string(shape) +
           ",\"data_offsets\":" + std::string(offsets) + "}";
}

std::string one(std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return "{\"a\":" + entry(dtype, shape, offsets) + "}";
}

Safetensors parse(std::string_view header, std::string_view data) {
    return parse_safetensors(safetensors(header, data), "a.safetensors");
}

const char* const kGood =
    R"({"__metadata__":{"k":"v","e":"\u00e9"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
    R"("b":{"shape":[2],"data_offsets":[4,8],"dtype":"BF16"}}   )";

}  // namespace

TEST_CASE("a well-formed file reads, in the order of offsets") {
    const Safetensors contents = parse(kGood, "12345678");
    REQUIRE(contents.tensors.size() == 2);
    CHECK(contents.metadata.at("k") == "v");
    CHECK(contents.metadata.at("e") == "\xc3\xa9");
    CHECK(contents.tensors[0].name == "a");
    CHECK(contents.tensors[1].dtype == DType::bf16);
    CHECK(files::to_text(contents.find("b")->data) == "5678");
    CHECK(contents.find("c") == nullptr);
    const Safetensors swapped = parse(
        "{\"b\":" + entry("U8", "[4]", "[4,8]") + ",\"a\":" + entry("U8", "[4]", "[0,4]") + "}", "12345678");
    CHECK(swapped.tensors[0].name == "a");
    CHECK(files::to_text(swapped.tensors[0].data) == "1234");
    CHECK(parse("{}", "").tensors.empty());
    CHECK(parse("{\"__metadata__\":{}}  \n", "").metadata.empty());
}

TEST_CASE("what is written reads back, byte for byte") {
    Safetensors contents;
    contents.metadata = {{"format", "test"}, {"text", "\"quoted\"\n\\ \xe2\x82\xac"}};
    contents.tensors.push_back(from_matrix("m", Eigen::MatrixXd::Identity(2, 3)));
    contents.tensors.push_back({"empty", DType::u8, {0, 3}, {}});
    contents.tensors.push_back({"scalar \"x\"", DType::i64, {}, files::to_bytes("12345678")});
    const files::Bytes bytes = format_safetensors(contents);
    const Safetensors again = parse_safetensors(bytes, "a.safetensors");
    CHECK(again.metadata == contents.metadata);
    REQUIRE(again.tensors.size() == 3);
    // Empty tensors come first among those of one offset, so look them up by name.
    for (const Tensor& tensor : contents.tensors) {
        const Tensor* found = again.find(tensor.name);
        REQUIRE(found != nullptr);
        CHECK(found->shape == tensor.shape);
        CHECK(found->dtype == tensor.dtype);
        CHECK(found->data == tensor.data);
    }
    CHECK((bytes.size() - 48 - 8) % 8 == 0);
    CHECK(format_safetensors(contents) == bytes);
    Safetensors twice;
    twice.tensors = {from_matrix("a", Eigen::MatrixXd::Zero(1, 1)),
                     from_matrix("a", Eigen::MatrixXd::Zero(1, 1))};
    CHECK(contains(refusal([&] { return format_safetensors(twice); }), "'a'"));
    Safetensors reserved;
    reserved.tensors = {from_matrix("__metadata__", Eigen::MatrixXd::Zero(1, 1))};
    CHECK(refusal([&] { return format_safetensors(reserved); }) != "(accepted)");
    Safetensors bad_text;
    bad_text.metadata = {{"k", "\xff"}};
    CHECK(refusal([&] { return format_safetensors(bad_text); }) != "(accepted)");
}

TEST_CASE("E01: duplicate keys are refused at every level") {
    const std::string a = entry("F32", "[1]", "[0,4]");
    const std::string b = entry("F32", "[1]", "[4,8]");
    CHECK(contains(refuse("{\"a\":" + a + ",\"a\":" + b + "}", "12345678"), "duplicate key 'a'"));
    CHECK(contains(refuse("{\"a\":" + a + ",\"\\u0061\":" + b + "}", "12345678"), "duplicate key 'a'"));
    CHECK(contains(refuse("{\"__metadata__\":{},\"__metadata__\":{}}", ""), "duplicate key '__metadata__'"));
    CHECK(contains(refuse("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", ""), "duplicate key 'k'"));
    CHECK(contains(refuse(R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "1234"),
                   "duplicate key 'dtype'"));
    CHECK(contains(refuse(R"({"a":{"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]}})", "1234"),
                   "duplicate key 'shape'"));
    CHECK(contains(
        refuse(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"data_offsets":[0,4]}})", "1234"),
        "duplicate key 'data_offsets'"));
}

TEST_CASE("E02: a size that disagrees with the shape is refused") {
    const std::string sentence = refuse(one("F32", "[1000,1000]", "[0,4]"), "1234");
    CHECK(contains(sentence, "needs 4000000 bytes"));
    CHECK(contains(sentence, "span 4"));
    CHECK(contains(refuse(one("F8_E4M3", "[128,128]", "[0,128]"), std::string(128, '\0')), "16384"));
    CHECK(contains(refuse(one("F32", "[1]", "[0,3]"), "123"), "needs 4 bytes"));
    CHECK(contains(refuse(one("F32", "[]", "[0,0]"), ""), "needs 4 bytes"));
}

TEST_CASE("dtypes that are not read may stand beside those that are, but cannot be used") {
    const std::string header =
        "{\"a\":" + entry("F8_E8M0", "[2,2]", "[0,4]") + ",\"b\":" + entry("F32", "[1]", "[4,8]") + "}";
    const Safetensors contents = parse(header, "12345678");
    CHECK(contents.tensors.size() == 1);
    REQUIRE(contents.unread.size() == 1);
    CHECK(contents.unread[0].dtype == "F8_E8M0");
    CHECK(contents.find("b") != nullptr);
    CHECK(contains(refusal([&] { return contents.find("a"); }), "F8_E8M0"));
    CHECK(contains(refuse(one("F4", "[3]", "[0,2]"), "12"), "does not fill bytes"));
    CHECK(parse(one("F4", "[4]", "[0,2]"), "12").unread.size() == 1);
    CHECK(contains(refuse(one("F33", "[1]", "[0,4]"), "1234"), "unknown dtype 'F33'"));
    CHECK(contains(refuse(one("f32", "[1]", "[0,4]"), "1234"), "unknown dtype 'f32'"));
}

TEST_CASE("E04: products that wrap are refused") {
    CHECK(contains(refuse(one("F32", "[4294967296,4294967296]", "[0,0]"), ""), "too large"));
    CHECK(contains(refuse(one("F32", "[4294967296,4294967296,0]", "[0,0]"), ""), "too large"));
    CHECK(contains(refuse(one("F32", "[0,4294967296,4294967296]", "[0,0]"), ""), "too large"));
    CHECK(contains(refuse(one("F32", "[4611686018427387904]", "[0,0]"), ""), "too large"));
    CHECK(contains(refuse(one("U8", "[18446744073709551615]", "[0,0]"), ""), "too large"));
    CHECK(contains(refuse(one("F32", "[-1]", "[0,4]"), "1234"), "negative"));
    CHECK(contains(refuse(one("F32", "[-0]", "[0,0]"), ""), "negative"));
    CHECK(contains(refuse(one("F32", "[18446744073709551616]", "[0,4]"), "1234"), "more than 64 bits"));
}

TEST_CASE("E06: bytes outside every tensor are refused") {
    CHECK(contains(refuse(one("F32", "[1]", "[0,4]"), "12345"), "not fully covered"));
    CHECK(contains(refuse("{}", "1"), "not fully covered"));
    const std::string hole =
        "{\"a\":" + entry("U8", "[2]", "[0,2]") + ",\"b\":" + entry("U8", "[2]", "[4,6]") + "}";
    CHECK(contains(refuse(hole, "123456"), "hole"));
    CHECK(contains(refuse(one("U8", "[2]", "[2,4]"), "1234"), "hole"));
    const std::string overlap =
        "{\"a\":" + entry("U8", "[4]", "[0,4]") + ",\"b\":" + entry("U8", "[4]", "[2,6]") + "}";
    CHECK(contains(refuse(overlap, "123456"), "overlap"));
    const std::string same =
        "{\"a\":" + entry("U8", "[4]", "[0,4]") + ",\"b\":" + entry("U8", "[4]", "[0,4]") + "}";
    CHECK(contains(refuse(same, "1234"), "overlap"));
    const std::string empty_inside =
        "{\"a\":" + entry("U8", "[4]", "[0,4]") + ",\"b\":" + entry("U8", "[0]", "[2,2]") + "}";
    CHECK(contains(refuse(empty_inside, "1234"), "overlap"));
}

TEST_CASE("E08: malformed offsets and entries are refused") {
    for (const char* offsets :
         {"[8,4]", "[-4,0]", "[0]", "[]", "[0,4,8]", "[0,8.0]", "[0.0,4]", "[0,1e1]", "[0,\"4\"]", "\"0,4\"",
          "[0,null]", "null", "4", "[[0,4]]", "{}", "[0,18446744073709551615]",
          "[18446744073709551612,18446744073709551616]", "[0,5]", "[true,4]"}) {
        CAPTURE(offsets);
        CHECK(refuse(one("F32", "[1]", offsets), "1234") != "(accepted)");
    }
    for (const char* shape :
         {"1", "\"1\"", "[1.0]", "[\"1\"]", "[[1]]", "null", "{}", "[null]", "[1e0]", "[true]"}) {
        CAPTURE(shape);
        CHECK(refuse(one("F32", shape, "[0,4]"), "1234") != "(accepted)");
    }
    for (const char* header : {"[]",
                               "\"a\"",
                               "1",
                               "null",
                               "",
                               " {}",
                               "{\"a\":1}",
                               "{\"a\":[]}",
                               "{\"a\":\"x\"}",
                               "{\"a\":null}",
                               "{\"a\":{}}",
                               "{\"__metadata__\":{\"k\":1}}",
                               "{\"__metadata__\":{\"k\":{}}}",
                               "{\"__metadata__\":[]}",
                               "{\"__metadata__\":null}",
                               "{\"__metadata__\":\"x\"}",
                               "{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}",
                               "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}",
                               "{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}",
                               "{\"a\":{\"dtype\":1,\"shape\":[1],\"data_offsets\":[0,4]}}",
                               "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1}}"}) {
        CAPTURE(header);
        CHECK(refuse(header, "1234") != "(accepted)");
    }
}

TEST_CASE("E09: empty tensors are accepted, several at one offset too") {
    CHECK(parse(one("F32", "[0,4]", "[0,0]"), "").tensors.size() == 1);
    const std::string header =
        "{\"z\":" + entry("F32", "[0,4]", "[4,4]") + ",\"a\":" + entry("F32", "[1]", "[0,4]") +
        ",\"y\":" + entry("U8", "[0]", "[4,4]") + ",\"w\":" + entry("U8", "[0]", "[0,0]") +
        ",\"b\":" + entry("U8", "[1]", "[4,5]") + "}";
    CHECK(parse(header, "12345").tensors.size() == 5);
    const Safetensors scalar = parse(one("F32", "[]", "[0,4]"), "1234");
    CHECK(scalar.tensors[0].shape.empty());
}

TEST_CASE("header lengths out of range are refused") {
    const auto with_length = [](std::uint64_t length) {
        const files::Bytes bytes = files::to_bytes(files::little(length, 8) + "{}");
        return refusal([&] { return parse_safetensors(bytes, "a.safetensors"); });
    };
    CHECK(with_length(2) == "(accepted)");
    for (const std::uint64_t length :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 32,
          std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max(),
          std::numeric_limits<std::uint64_t>::max() - 7}) {
        CAPTURE(length);
        CHECK(files::is_clear(with_length(length), "a.safetensors"));
    }
    for (std::size_t n = 0; n < 8; ++n) {
        const files::Bytes bytes(n, std::byte{0});
        CHECK(contains(refusal([&] { return parse_safetensors(bytes, "a.safetensors"); }), "fewer than 8"));
    }
}

TEST_CASE("E12: long and deep headers are read or refused in bounded time and memory") {
    std::string many = "{";
    for (int k = 0; k < 1000000; ++k) {
        many += "\"t" + std::to_string(k) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)";
    }
    many.back() = '}';
    CHECK(parse(many, "").tensors.size() == 1000000);
    std::string metadata = "{\"__metadata__\":{";
    for (int k = 0; k < 1000000; ++k) metadata += "\"t" + std::to_string(k) + "\":\"\",";
    metadata.back() = '}';
    CHECK(parse(metadata + "}", "").metadata.size() == 1000000);
    many.back() = ',';
    CHECK(
        contains(refuse(many + "\"t77\":" + entry("F32", "[0]", "[0,0]") + "}", ""), "duplicate key 't77'"));
    for (const char* open : {"[", "{\"a\":"}) {
        std::string deep;
        for (int k = 0; k < 100000; ++k) deep += open;
        CHECK(refuse("{\"a\":" + deep, "") != "(accepted)");
        CHECK(refuse("{\"__metadata__\":" + deep, "") != "(accepted)");
        CHECK(refuse("{\"a\":{\"shape\":" + deep, "") != "(accepted)");
        CHECK(refuse(deep, "") != "(accepted)");
    }
    const std::string name(1 << 20, 'n');
    CHECK(parse("{\"" + name + "\":" + entry("F32", "[0]", "[0,0]") + "}", "").tensors[0].name == name);
    CHECK(contains(refuse("{\"" + name + "\":" + entry("F32", "[1]", "[0,0]") + "}", ""), "'nnn"));
    std::string dimensions = "[1";
    for (int k = 0; k < 1000000; ++k) dimensions += ",1";
    CHECK(contains(refuse(one("F32", dimensions + "]", "[0,4]"), "1234"), "too many"));
}

TEST_CASE("E12: text that is not UTF-8 or not JSON is refused") {
    const std::string e = entry("F32", "[0]", "[0,0]");
    for (const char* name : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\\ud800",
                             "\\udc00", "\\ud800\\u0041", "\\x", "\x01", "\n"}) {
        CAPTURE(name);
        CHECK(refuse("{\"" + std::string(name) + "\":" + e + "}", "") != "(accepted)");
    }
    CHECK(parse("{\"\\ud83d\\ude00\":" + e + "}", "").tensors[0].name == "\xf0\x9f\x98\x80");
    CHECK(refuse(std::string("{}\0garbage", 10), "") != "(accepted)");
    CHECK(refuse("{} x", "") != "(accepted)");
    CHECK(refuse("{}{}", "") != "(accepted)");
    CHECK(refuse("{\"a\":" + e + ",}", "") != "(accepted)");
    CHECK(refuse("{'a':" + e + "}", "") != "(accepted)");
    CHECK(refuse("{/**/\"a\":" + e + "}", "") != "(accepted)");
    CHECK(refuse("{\"a\":{\"dtype\":\"F32\",\"shape\":[NaN],\"data_offsets\":[0,0]}}", "") != "(accepted)");
    CHECK(refuse("\xef\xbb\xbf{}", "") != "(accepted)");
}

TEST_CASE("a .safetensors file cut anywhere is refused") {
    const files::Bytes whole = safetensors(kGood, "12345678");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CAPTURE(length);
        const files::Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        CHECK(files::is_clear(refusal([&] { return parse_safetensors(cut, "a.safetensors"); }),
                              "a.safetensors"));
    }
}

TEST_CASE(
    "a .safetensors file with any one byte changed is read or refused, and what is read has the size that it "
    "says") {
    const files::Bytes whole = safetensors(kGood, "12345678");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (int value = 0; value < 256; ++value) {
            files::Bytes bytes = whole;
            bytes[at] = static_cast<std::byte>(value);
            try {
                std::size_t total = 0;
                for (const Tensor& tensor : parse_safetensors(bytes, "a.safetensors").tensors) {
                    CHECK(byte_size(tensor.shape, static_cast<unsigned>(8 * size_of(tensor.dtype))) ==
                          tensor.data.size());
                    total += tensor.data.size();
                }
                CHECK(total <= 8);
            } catch (const Error& error) {
                CHECK(files::is_clear(error.what(), "a.safetensors"));
            }
        }
    }
}
