#include <doctest/doctest.h>

#include "io/files.hpp"
#include "rankcert/io/npy.hpp"

using namespace rankcert;
using files::contains;
using files::refusal;
using files::stored;
using files::to_text;
using files::zip;

namespace {

// Python 3.11's zipfile as numpy.savez_compressed drives it: a.npy = float32 0..5 (2, 3), m.npy = bool; the
// local headers have 20 bytes of 64-bit sizes and 0xFFFFFFFF in the 32-bit ones.
constexpr std::string_view kSavez =
    "504b03042d0000000800000021004fe9002affffffffffffffff05001400612e6e70790100100098000000000000005500000000"
    "0000009bec17ea"
    "1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f9"
    "1a463a0ac69a3a"
    "0ab50a64032e063068b007120e4004c40d40bcc00100504b03042d000000080000002100fad557b4ffffffffffffffff05001400"
    "6d2e6e70790100"
    "100084000000000000004a000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a05e9364a8aea3a09e965f545294"
    "98179f5f94920a"
    "12774bcc294e058a17672416a402f91a463a0a469a3a0ab50a64032e4606464600504b01022d032d0000000800000021004fe900"
    "2a550000009800"
    "0000050000000000000000000000800100000000612e6e7079504b01022d032d000000080000002100fad557b44a000000840000"
    "00050000000000"
    "00000000000080018c0000006d2e6e7079504b05060000000002000200660000000d0100000000";
// The same program writing where it cannot seek: sizes stand in a descriptor after the data.
constexpr std::string_view kStreamed =
    "504b03042d00080008000000210000000000ffffffffffffffff05001400612e6e70790100100000000000000000000000000000"
    "0000009bec17ea"
    "1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f9"
    "1a463a0ac69a3a"
    "0ab50a64032e063068b007120e4004c40d40bcc00100504b07084fe9002a55000000000000009800000000000000504b01022d03"
    "2d000800080000"
    "0021004fe9002a5500000098000000050000000000000000000000800100000000612e6e7079504b050600000000010001003300"
    "0000a400000000"
    "00";

std::string array() { return to_text(files::npy("<f4", "(2, 3)", files::six_floats())); }

std::string refuse(const files::Bytes& bytes, std::uint64_t limit = kMaxNpzBytes) {
    const std::string sentence = refusal([&] { return parse_npz(bytes, "a.npz", limit); });
    CHECK(files::is_clear(sentence, "a.npz"));
    return sentence;
}

/// A deflate stream that copies: blocks of type 0.
std::string deflate_without_compression(std::string_view content) {
    std::string text;
    do {
        const std::string_view block = content.substr(0, 65535);
        content.remove_prefix(block.size());
        text += content.empty() ? '\1' : '\0';
        text += files::little(block.size(), 2) + files::little(~block.size() & 0xffff, 2);
        text += block;
    } while (!content.empty());
    return text;
}

}  // namespace

TEST_CASE("D13: archives as NumPy writes them are read") {
    const auto two = parse_npz(files::from_hex(kSavez), "a.npz");
    REQUIRE(two.size() == 2);
    CHECK(two[0].name == "a");
    CHECK(two[0].dtype == DType::f32);
    CHECK(to_text(two[0].data) == files::six_floats());
    CHECK(two[1].name == "m");
    CHECK(two[1].dtype == DType::boolean);
    CHECK(to_text(two[1].data) == std::string("\1\0\1\1", 4));
    const auto streamed = parse_npz(files::from_hex(kStreamed), "a.npz");
    REQUIRE(streamed.size() == 1);
    CHECK(to_text(streamed[0].data) == files::six_floats());
}

TEST_CASE("D13: stored and deflated members stand in the order of the central directory") {
    files::Member deflated = stored("b.npy", array());
    deflated.packed = deflate_without_compression(deflated.packed);
    deflated.method = 8;
    const auto tensors =
        parse_npz(zip({deflated, stored("a.npy", array()), stored("x/y.npy", array())}), "a.npz");
    REQUIRE(tensors.size() == 3);
    CHECK(tensors[0].name == "b");
    CHECK(tensors[1].name == "a");
    CHECK(tensors[2].name == "x/y");
    for (const Tensor& tensor : tensors) CHECK(to_text(tensor.data) == files::six_floats());
}

TEST_CASE("D12: an empty archive has no arrays") {
    CHECK(parse_npz(zip({}), "a.npz").empty());
    CHECK(refuse({}) != "(accepted)");
}

TEST_CASE("D13: two members of one name are refused") {
    CHECK(contains(refuse(zip({stored("a.npy", array()), stored("a.npy", array())})), "twice"));
}

TEST_CASE("D13: sizes and checksums that do not match are refused") {
    files::Member wrong_crc = stored("a.npy", array());
    wrong_crc.crc ^= 1;
    CHECK(contains(refuse(zip({wrong_crc})), "damaged"));

    files::Member stored_longer = stored("a.npy", array());
    stored_longer.size += 1;
    CHECK(refuse(zip({stored_longer})) != "(accepted)");

    for (const int difference : {-1, 1, 1000}) {
        CAPTURE(difference);
        files::Member deflated = stored("a.npy", array());
        deflated.packed = deflate_without_compression(deflated.packed);
        deflated.method = 8;
        deflated.size = static_cast<std::uint32_t>(static_cast<int>(deflated.size) + difference);
        CHECK(refuse(zip({deflated})) != "(accepted)");
    }
    files::Member cut = stored("a.npy", array());
    cut.packed = deflate_without_compression(cut.packed);
    cut.method = 8;
    cut.packed.resize(cut.packed.size() - 3);
    CHECK(refuse(zip({cut})) != "(accepted)");
}

TEST_CASE("D13: expansion bombs are refused by what they declare, and by what they hold") {
    // A declared gigabyte that 40 bytes of deflate cannot be.
    files::Member bomb = stored("a.npy", array());
    bomb.packed = deflate_without_compression("").append(35, '\0');
    bomb.method = 8;
    bomb.size = 1U << 30;
    CHECK(contains(refuse(zip({bomb})), "cannot come from"));
    // Honest members over the limit, and over it only together.
    CHECK(contains(refuse(zip({stored("a.npy", array())}), 50), "more than the 50 bytes"));
    const auto size = static_cast<std::uint64_t>(array().size());
    const files::Bytes two = zip({stored("a.npy", array()), stored("b.npy", array())});
    CHECK(parse_npz(two, "a.npz", 2 * size).size() == 2);
    CHECK(contains(refuse(two, 2 * size - 1), "more than the"));
}

TEST_CASE("members that are not plain arrays are refused") {
    CHECK(contains(refuse(zip({stored("a.txt", "hello")})), "not a .npy array"));
    CHECK(contains(refuse(zip({stored("a.npy", "hello")})), "does not begin with"));
    files::Member other = stored("a.npy", array());
    other.method = 12;
    CHECK(contains(refuse(zip({other})), "method 12"));
    files::Member secret = stored("a.npy", array());
    secret.flags = 1;
    CHECK(refuse(zip({secret})) != "(accepted)");
    CHECK(refuse(files::to_bytes("PK\3\4 but no archive")) != "(accepted)");
}

TEST_CASE("an .npz file cut anywhere is refused") {
    for (const std::string_view hex : {kSavez, kStreamed}) {
        const files::Bytes whole = files::from_hex(hex);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            CAPTURE(length);
            CHECK(refuse({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}) !=
                  "(accepted)");
        }
    }
}

TEST_CASE("an .npz file with any one bit flipped is refused or gives an array of the right values") {
    const files::Bytes whole = files::from_hex(kSavez);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            files::Bytes bytes = whole;
            bytes[at] ^= static_cast<std::byte>(1 << bit);
            try {
                const auto tensors = parse_npz(bytes, "a.npz", 1 << 20);
                for (const Tensor& tensor : tensors) {
                    // Dates, names and such may differ; the checksum guards the contents.
                    CHECK((to_text(tensor.data) == files::six_floats() || tensor.dtype == DType::boolean));
                }
            } catch (const Error& error) {
                CHECK(files::is_clear(error.what(), "a.npz"));
            }
        }
    }
}
