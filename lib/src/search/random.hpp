#pragma once
/// \file random.hpp  Random numbers whose bits are the same with every standard library.

#include <cstdint>
#include <random>

#include "rankcert/search/dense.hpp"

namespace rankcert::search {

/// A generator for the searches: the standard fixes the engine, not its distributions.
class Random {
  public:
    explicit Random(std::uint64_t seed) : generator_(seed) {}
    [[nodiscard]] double uniform();  ///< in [0, 1)
    [[nodiscard]] double normal();
    [[nodiscard]] Eigen::Index below(Eigen::Index count);  ///< 0 … count − 1

  private:
    std::mt19937_64 generator_;
};

/// After so many starts for one rank of an n×n matrix the next is not worth its time.
inline int most_starts(Eigen::Index n) { return 40 + static_cast<int>(n); }

}  // namespace rankcert::search
