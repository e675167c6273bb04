#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace rankcert::cli {

namespace {

volatile std::sig_atomic_t g_signal = 0;

extern "C" void note_signal(int signal) { g_signal = signal; }

}  // namespace

void catch_signals() {
    struct sigaction action = {};
    action.sa_handler = note_signal;
    // Once only: who is in a hurry presses twice, and the files on disk stay whole even then.
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

int noted_signal() noexcept { return g_signal; }

void stop_if_interrupted() {
    if (g_signal != 0) throw Interrupted{g_signal};
}

}  // namespace rankcert::cli
