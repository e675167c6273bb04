#pragma once
/// \file decision.hpp  The three values that a decision can have.

namespace rankcert {

/// What a proof attempt came to. `undecided` is never rounded to one of the others.
enum class Decision { proved, refuted, undecided };

/// "proved", "refuted" or "undecided".
[[nodiscard]] constexpr const char* to_string(Decision decision) noexcept {
    switch (decision) {
        case Decision::proved: return "proved";
        case Decision::refuted: return "refuted";
        case Decision::undecided: break;
    }
    return "undecided";
}

}  // namespace rankcert
