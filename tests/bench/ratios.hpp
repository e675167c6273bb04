#pragma once
/// \file ratios.hpp  Which benchmark is to be compared with which.

#include <string>

namespace rankcert::bench {

/// "name took at most `limit` times as long as plain" is the wish; no limit where limit is 0.
struct Ratio {
    std::string name;
    std::string plain;
    double limit = 0;
    double extra_seconds = 0;  ///< allowed on top of limit · plain
};

/// Adds a line to the table that is printed at the end.
void compare(Ratio ratio);

}  // namespace rankcert::bench
