#include "random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rankcert::search {

double Random::uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }

double Random::normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
}

Eigen::Index Random::below(Eigen::Index count) {
    return std::min(count - 1, static_cast<Eigen::Index>(uniform() * static_cast<double>(count)));
}

}  // namespace rankcert::search
