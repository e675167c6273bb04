#pragma once
/// \file modular.hpp  Arithmetic modulo primes below 2^60, and the rank of a matrix modulo one. Internal to the room.

#include <cstdint>
#include <vector>

#include "rankcert/rigor/rational.hpp"

namespace rankcert::detail {

/// The largest prime below `bound` > 2.
[[nodiscard]] std::uint64_t prime_below(std::uint64_t bound);

/// The rank modulo the prime p < 2^60 of the rows×cols matrix that `values` holds row by row.
/// Cost: about rows·cols·rank multiply-adds (half of them, or a third, where the rank is nearly full), and a
/// remainder an entry.
[[nodiscard]] std::size_t rank_modulo(const std::vector<Integer>& values, std::size_t rows, std::size_t cols,
                                      std::uint64_t p);

}  // namespace rankcert::detail
