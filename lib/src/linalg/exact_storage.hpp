#pragma once
/// \file exact_storage.hpp  How ExactMatrix keeps its integers. Internal to the room.

#include <string>
#include <utility>
#include <vector>

#include "rankcert/linalg/exact_matrix.hpp"

namespace rankcert::detail {

using Index = Eigen::Index;
using Int128 = ExactMatrix::Int128;
using UInt128 = unsigned __int128;

static_assert(GMP_NUMB_BITS == 64, "conversions between 128-bit and GMP integers read 64-bit limbs");

/// The largest |exponent| of a matrix that is given, and of one that is computed. A product of a few given
/// matrices stays below the second; both keep a hostile exponent from asking for gigabytes.
constexpr long kMaxGivenExponent = 1L << 24;
constexpr long kMaxExponent = 1L << 26;
/// The most bits that aligning two exponents may add to one entry.
constexpr long kMaxShift = 1L << 24;
/// The most bits that all entries of a matrix may take together where numbers of different sizes are brought to
/// one exponent, added or multiplied: half a gigabyte.
constexpr long kMaxTotalBits = 1L << 32;
/// GMP multiplies integers of n words, n large, in no more than about n times this many multiply-adds of words.
constexpr double kFastMultiplication = 300;
/// The most multiply-adds of 64-bit words in a product of integers too long for slices: a minute or two.
constexpr double kMaxLongProduct = 0x1p37;

[[nodiscard]] Integer to_integer(Int128 value);
/// Precondition: |value| < 2^127.
[[nodiscard]] Int128 to_int128(const Integer& value);
/// The number of bits of |value|; 0 for 0.
[[nodiscard]] unsigned bit_width(const Integer& value);
[[nodiscard]] unsigned bit_width(UInt128 value) noexcept;
/// The least b with value <= 2^b, for value >= 1.
[[nodiscard]] unsigned ceil_log2(Index value) noexcept;
/// "3×4", for messages.
[[nodiscard]] std::string shape_text(const ExactMatrix& a);
/// exponent, or Error where |exponent| > limit.
long checked_exponent(long exponent, long limit = kMaxExponent);
/// Throws TooMuchWork where rows·cols entries of `bits` bits exceed kMaxTotalBits. `what` says whose entries they are.
void require_room(Index rows, Index cols, long bits, const char* what);
/// rows·cols, or Error where one is negative or the product does not fit.
Index checked_size(Index rows, Index cols);

/// The representation, for the functions of this room. `make` restores the invariants: bits_ is exact, and
/// the storage is the narrowest of int64 (bits <= 63), Int128 (bits <= 127) and GMP, so that no integer in a
/// fixed-width storage is the type's lowest value and negation never overflows.
struct ExactMatrixAccess {
    using Storage = ExactMatrix::Storage;

    static const Storage& mantissas(const ExactMatrix& a) { return a.mantissas_; }
    static ExactMatrix make(Index rows, Index cols, long exponent, Storage mantissas);

    /// Copies as one type. as_int128 needs bits() <= 127.
    static std::vector<Int128> as_int128(const ExactMatrix& a);
    static std::vector<Integer> as_integer(const ExactMatrix& a);
};

}  // namespace rankcert::detail
