#pragma once
/// \file interrupt.hpp  Ctrl-C and termination requests, told to whoever asks.

namespace rankcert::cli {

/// Thrown where work stops because a signal asked for it.
struct Interrupted {
    int signal = 0;
};

/// From here on SIGINT and SIGTERM are noted instead of ending the program; a second one ends it at once.
void catch_signals();

/// The signal that was noted, or 0.
[[nodiscard]] int noted_signal() noexcept;

/// Throws Interrupted where a signal was noted.
void stop_if_interrupted();

}  // namespace rankcert::cli
