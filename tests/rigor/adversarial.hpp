#pragma once
/// \file adversarial.hpp  Doubles on which arithmetic goes wrong: both ends of the range, subnormal numbers,
/// few bits, long runs of equal bits, and partners that cancel or meet half-way.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace rankcert::tests {

class Adversary {
  public:
    explicit Adversary(unsigned seed) : random_(seed) {}

    std::uint64_t bits() { return random_(); }
    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    /// Any finite double.
    double number() {
        for (;;) {
            const double x = candidate();
            if (std::isfinite(x)) return x;
        }
    }

    /// A double that is chosen with a view to x: close to it, opposite, or small against its last place.
    double partner(double x) {
        switch (below(8)) {
            case 0:
                return -x;
            case 1:
                return finite(-std::nextafter(x, std::numeric_limits<double>::infinity()));
            case 2:
                return std::nextafter(x, 0.0);
            case 3:
                return finite(std::ldexp(x, -53 - static_cast<int>(below(3)) + 1));
            case 4:
                return finite(std::ldexp(-x, -static_cast<int>(below(130))));
            case 5:
                return x == 0 ? 1.0 : finite(1.0 / x);
            case 6:
                return finite(std::ldexp(number_near_one(), static_cast<int>(below(120)) - 60));
            default:
                return number();
        }
    }

    double number_near_one() {
        return std::bit_cast<double>((std::uint64_t{1023} << 52) | (random_() >> 12));
    }

  private:
    double candidate() {
        const std::uint64_t sign = random_() << 63;
        switch (below(8)) {
            case 0:
                return std::bit_cast<double>(sign | (random_() >> (12 + below(52))));  // subnormal
            case 1:
                return std::bit_cast<double>(sign | ((1 + below(80)) << 52) | (random_() >> 12));
            case 2:
                return std::bit_cast<double>(sign | ((2046 - below(80)) << 52) | (random_() >> 12));
            case 3: {  // few bits
                const double few = std::ldexp(static_cast<double>(random_() >> (64 - 1 - below(8))),
                                              static_cast<int>(below(200)) - 100);
                return std::bit_cast<double>(std::bit_cast<std::uint64_t>(few) | sign);
            }
            case 4: {  // a run of equal bits at the end
                const std::uint64_t run = (std::uint64_t{1} << below(53)) - 1;
                const std::uint64_t x = sign | ((923 + below(200)) << 52) | (random_() >> 12);
                return std::bit_cast<double>(below(2) != 0 ? (x | run) : (x & ~run));
            }
            case 5: {
                constexpr double kSpecial[] = {
                    0.0,       1.0,      0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023,
                    0x1p-1073, 0x1p-511, 0x1p-537,  0x1p-538,  std::numeric_limits<double>::max(),
                    0x1p+1023, 0x1p+512, 3.0,       0.1,       0x1.fffffffffffffp-1};
                return std::bit_cast<double>(std::bit_cast<std::uint64_t>(kSpecial[below(15)]) | sign);
            }
            default:
                return std::bit_cast<double>(random_());
        }
    }

    static double finite(double x) { return std::isfinite(x) ? x : 1.0; }

    std::mt19937_64 random_;
};

}  // namespace rankcert::tests
