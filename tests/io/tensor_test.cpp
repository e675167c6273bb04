#include "rankcert/io/tensor.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "io/files.hpp"
#include "io/widen.hpp"

using namespace rankcert;
using files::contains;
using files::refusal;

namespace {

/// An independent reading of an IEEE bit pattern: sign · significand · 2^exponent by ldexp, which is exact
/// here.
double value_of(std::uint64_t bits, int exponent_bits, int fraction_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const auto exponent = static_cast<int>((bits >> fraction_bits) & ((1U << exponent_bits) - 1));
    const auto fraction = static_cast<double>(bits & ((std::uint64_t{1} << fraction_bits) - 1));
    const double one = std::ldexp(1.0, fraction_bits);
    const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                           : std::ldexp(one + fraction, exponent - bias - fraction_bits);
    return (bits >> (fraction_bits + exponent_bits)) != 0 ? -magnitude : magnitude;
}

void check_every_16_bit_pattern(io::NarrowFormat format, int exponent_bits, int fraction_bits) {
    int wrong = 0;
    int finite = 0;
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
        const auto wide = io::widen(bits, format);
        const bool is_finite =
            ((bits >> fraction_bits) & ((1U << exponent_bits) - 1)) != (1U << exponent_bits) - 1;
        if (wide.has_value() != is_finite) ++wrong;
        if (!wide) continue;
        ++finite;
        if (*wide != std::bit_cast<std::uint64_t>(value_of(bits, exponent_bits, fraction_bits))) ++wrong;
        if (io::narrow(*wide, format) != bits) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(finite == 65536 - (1 << (fraction_bits + 1)));
}

Tensor make(DType dtype, std::vector<std::uint64_t> shape, std::string_view data) {
    return {"t", dtype, std::move(shape), files::to_bytes(data)};
}

}  // namespace

TEST_CASE("every float16 and bfloat16 pattern widens exactly and narrows back") {
    check_every_16_bit_pattern(io::kFloat16, 5, 10);
    check_every_16_bit_pattern(io::kBfloat16, 8, 7);
}

TEST_CASE("float32 widens exactly, subnormals included, and narrows back") {
    files::Sequence sequence(1);
    int wrong = 0;
    for (int k = 0; k < 200000; ++k) {
        auto bits = static_cast<std::uint32_t>(sequence.next());
        if (k % 4 == 0) bits &= 0x807fffffU;  // subnormals and zeros
        if (k % 64 == 0) bits &= 0x80000003U;
        const auto value = std::bit_cast<float>(bits);
        const auto wide = io::widen(bits, io::kFloat32);
        if (wide.has_value() != static_cast<bool>(std::isfinite(value))) ++wrong;
        if (!wide) continue;
        if (*wide != std::bit_cast<std::uint64_t>(static_cast<double>(value))) ++wrong;
        if (io::narrow(*wide, io::kFloat32) != bits) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("a double narrows only where the narrow format holds it exactly") {
    files::Sequence sequence(2);
    int wrong = 0;
    for (int k = 0; k < 200000; ++k) {
        std::uint64_t bits = sequence.next();
        const int clear = static_cast<int>(sequence.next() % 53);
        bits &= ~((std::uint64_t{1} << clear) - 1);
        if (k % 2 == 0) {  // exponents around float32's range
            bits &= ~(std::uint64_t{0x7ff} << 52);
            bits |= (860 + sequence.next() % 300) << 52;
        }
        const auto value = std::bit_cast<double>(bits);
        const auto narrowed = io::narrow(bits, io::kFloat32);
        const auto rounded = static_cast<float>(value);
        const bool exact =
            std::isfinite(value) && std::isfinite(rounded) && static_cast<double>(rounded) == value;
        if (narrowed.has_value() != exact) ++wrong;
        if (narrowed && *narrowed != std::bit_cast<std::uint32_t>(rounded)) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(io::narrow(std::bit_cast<std::uint64_t>(65504.0), io::kFloat16) == std::uint64_t{0x7bff});
    CHECK(!io::narrow(std::bit_cast<std::uint64_t>(65536.0), io::kFloat16));
    CHECK(!io::narrow(std::bit_cast<std::uint64_t>(65520.0), io::kFloat16));
    CHECK(io::narrow(std::bit_cast<std::uint64_t>(std::ldexp(1.0, -24)), io::kFloat16) == std::uint64_t{1});
    CHECK(!io::narrow(std::bit_cast<std::uint64_t>(std::ldexp(1.0, -25)), io::kFloat16));
    CHECK(!io::narrow(1, io::kFloat32));
    CHECK(!io::narrow(std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()), io::kFloat32));
    CHECK(!io::narrow(std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()), io::kFloat32));
}

TEST_CASE("a tensor becomes a matrix row by row") {
    const Eigen::MatrixXd matrix = to_matrix(make(DType::f32, {2, 3}, files::six_floats()));
    CHECK(matrix(0, 2) == 2.0);
    CHECK(matrix(1, 0) == 3.0);
    const auto denormal = std::numeric_limits<double>::denorm_min();
    CHECK(to_matrix(make(DType::f64, {1, 1}, files::raw(std::vector<double>{denormal})))(0, 0) == denormal);
    CHECK(to_matrix(make(DType::f16, {1, 2}, std::string("\x00\x3c\x00\xc0", 4)))(0, 1) == -2.0);
    CHECK(to_matrix(make(DType::bf16, {1, 1}, std::string("\x02\x48", 2)))(0, 0) == 133120.0);
    CHECK(to_matrix(make(DType::f64, {0, 5}, "")).cols() == 5);
}

TEST_CASE("NaN and infinities are refused with their index") {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const float bad : {inf, -inf, nan}) {
        const std::string sentence = refusal([&] {
            return to_matrix(make(DType::f32, {2, 2}, files::raw(std::vector<float>{0, 1, bad, 3})));
        });
        CHECK(contains(sentence, "'t'"));
        CHECK(contains(sentence, "[1, 0]"));
    }
    for (const double bad : {1.0 / 0.0, -1.0 / 0.0, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK(
            contains(refusal([&] {
                         return to_matrix(make(DType::f64, {1, 2}, files::raw(std::vector<double>{0, bad})));
                     }),
                     "[0, 1]"));
    }
    CHECK(contains(refusal([] {
                       return to_matrix(make(DType::f16, {1, 1}, std::string("\x00\x7c", 2)));
                   }),
                   "[0, 0]"));
    CHECK(contains(refusal([] {
                       return to_matrix(make(DType::bf16, {1, 1}, std::string("\xc0\x7f", 2)));
                   }),
                   "[0, 0]"));
}

TEST_CASE("only two-dimensional floating tensors become matrices") {
    CHECK(contains(refusal([] { return to_matrix(make(DType::f32, {6}, files::six_floats())); }), "[6]"));
    CHECK(contains(refusal([] {
                       return to_matrix(make(DType::f32, {1, 2, 3}, files::six_floats()));
                   }),
                   "[1, 2, 3]"));
    CHECK(contains(refusal([] { return to_matrix(make(DType::i32, {2, 3}, files::six_floats())); }), "I32"));
    CHECK(contains(refusal([] {
                       return to_matrix(make(DType::f32, {0, 1ULL << 40}, ""));
                   }),
                   "not supported"));
}

TEST_CASE("a matrix is written exactly or not at all") {
    Eigen::MatrixXd matrix(2, 2);
    matrix << 1, -2.5, 0.0, std::ldexp(1.0, -24);
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
        const Tensor tensor = from_matrix("t", matrix, dtype);
        CHECK(tensor.data.size() == 4 * size_of(dtype));
        CHECK(to_matrix(tensor) == matrix);
    }
    matrix(1, 0) = 0.1;
    CHECK(to_matrix(from_matrix("t", matrix)) == matrix);
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
        CHECK(contains(refusal([&] { return from_matrix("t", matrix, dtype); }), "[1, 0]"));
    }
}

TEST_CASE("boolean tensors hold zeros and ones and nothing else") {
    const auto matrix = to_bool_matrix(make(DType::boolean, {2, 2}, std::string("\0\1\1\0", 4)));
    CHECK(!matrix(0, 0));
    CHECK(matrix(0, 1));
    CHECK(matrix(1, 0));
    CHECK(contains(refusal([] {
                       return to_bool_matrix(make(DType::boolean, {2, 2}, std::string("\0\1\2\0", 4)));
                   }),
                   "[1, 0]"));
    CHECK(contains(refusal([] {
                       return to_bool_matrix(make(DType::u8, {2, 2}, std::string("\0\1\1\0", 4)));
                   }),
                   "U8"));
}

TEST_CASE("a part along the first axis is a tensor of its own") {
    const Tensor whole = make(DType::f32, {2, 1, 3}, files::six_floats());
    const Tensor part = slice(whole, 1);
    CHECK(part.shape == std::vector<std::uint64_t>{1, 3});
    CHECK(files::to_text(part.data) == files::raw(std::vector<float>{3, 4, 5}));
    CHECK(refusal([&] { return slice(whole, 2); }) != "(accepted)");
    CHECK(refusal([&] { return slice(make(DType::f32, {}, "1234"), 0); }) != "(accepted)");
    CHECK(slice(make(DType::f32, {2, 0}, ""), 1).data.empty());
}

TEST_CASE("names of dtypes go there and back") {
    for (const DType dtype :
         {DType::boolean, DType::u8, DType::i8, DType::u16, DType::i16, DType::u32, DType::i32, DType::u64,
          DType::i64, DType::f8_e4m3, DType::f8_e5m2, DType::f16, DType::bf16, DType::f32, DType::f64}) {
        CHECK(parse_dtype(to_string(dtype)) == dtype);
    }
    CHECK(!parse_dtype("F8_E8M0"));
    CHECK(!parse_dtype(""));
}

TEST_CASE("the canonical hash of a tensor depends on dtype, shape and bytes, not on the name") {
    const Tensor tensor = make(DType::f32, {2, 3}, files::six_floats());
    // printf 'rankcert-tensor-1\nF32\n[2, 3]\n' followed by the 24 bytes, through sha256sum
    CHECK(sha256(tensor) == "f1ff890129ee4021e6e7568dc6547ca9fb4b93c329ccc8c153347e651168b976");
    Tensor other = tensor;
    other.name = "another";
    CHECK(sha256(other) == sha256(tensor));
    other.shape = {3, 2};
    CHECK(sha256(other) != sha256(tensor));
    other = tensor;
    other.dtype = DType::i32;
    CHECK(sha256(other) != sha256(tensor));
    other = tensor;
    other.data[5] ^= std::byte{1};
    CHECK(sha256(other) != sha256(tensor));
}

TEST_CASE("8-bit floating point is widened exactly, all 256 numbers of both kinds") {
    for (int code = 0; code < 256; ++code) {
        const int sign = code >> 7;
        const std::string byte(1, static_cast<char>(code));
        for (const bool e4m3 : {true, false}) {
            const int fraction_bits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
            const int exponent = (code & 0x7f) >> fraction_bits, fraction = code & ((1 << fraction_bits) - 1);
            const int all_ones = (1 << (7 - fraction_bits)) - 1;
            const double size =
                exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                              : std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
            double expected = sign != 0 ? -size : size;
            if (e4m3 && (code & 0x7f) == 0x7f) expected = std::nan("");
            if (!e4m3 && exponent == all_ones)
                expected = fraction != 0 ? std::nan("")
                                         : (sign != 0 ? -1 : 1) * std::numeric_limits<double>::infinity();
            const Tensor tensor = make(e4m3 ? DType::f8_e4m3 : DType::f8_e5m2, {1, 1}, byte);
            const double got = to_doubles(tensor).front();
            CAPTURE(code);
            CHECK((std::isnan(expected) ? std::isnan(got)
                                        : got == expected && std::signbit(got) == (sign != 0)));
            if (!std::isfinite(expected)) {
                CHECK(refusal([&] { return to_matrix(tensor); }) != "(accepted)");
                continue;
            }
            CHECK(to_matrix(tensor)(0, 0) == expected);
            CHECK(from_matrix("", to_matrix(tensor), tensor.dtype).data == tensor.data);
        }
    }
    for (const double none : {449., 480., 512., 1e9, 0x1p-10, 1.0625, 0x1p-1074, 0x1p-1020})
        CHECK(refusal([&] {
                  return from_matrix("", Eigen::MatrixXd::Constant(1, 1, none), DType::f8_e4m3);
              }) != "(accepted)");
}

TEST_CASE("numbers that are not finite stay what they are where they may stand") {
    const auto numbers = to_doubles(
        make(DType::f32, {2, 3}, files::raw(std::vector<float>{0, -INFINITY, INFINITY, NAN, -0.0F, 1e-45F})));
    CHECK(numbers[1] == -INFINITY);
    CHECK(numbers[2] == INFINITY);
    CHECK(std::isnan(numbers[3]));
    CHECK(std::signbit(numbers[4]));
    CHECK(numbers[5] == 0x1p-149);
    CHECK(to_doubles(make(DType::boolean, {2}, std::string("\0\1", 2)))[1] == 1);
    CHECK(refusal([&] { return to_doubles(make(DType::boolean, {1}, "\2")); }) != "(accepted)");
    CHECK(refusal([&] { return to_doubles(make(DType::i8, {1}, "1")); }) != "(accepted)");
}
