#pragma once
/// \file exit_code.hpp  What the program's exit status says.

namespace rankcert::cli {

inline constexpr int kProved = 0;
inline constexpr int kRefuted = 1;
inline constexpr int kUndecided = 2;
inline constexpr int kBadInput = 3;
inline constexpr int kInternalFault = 4;
/// Ended by a signal: 128 + its number (130 for Ctrl-C, 143 for a termination request).
inline constexpr int kSignalBase = 128;

/// Of several outcomes the one that a caller must hear first: an internal fault, then bad input, refuted,
/// undecided.
[[nodiscard]] constexpr int worse(int a, int b) noexcept {
    constexpr auto weight = [](int code) {
        switch (code) {
            case kProved:
                return 0;
            case kUndecided:
                return 1;
            case kRefuted:
                return 2;
            case kBadInput:
                return 3;
            default:
                return 4;
        }
    };
    return weight(a) >= weight(b) ? a : b;
}

}  // namespace rankcert::cli
