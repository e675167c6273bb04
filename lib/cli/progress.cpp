#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "text.hpp"

namespace rankcert::cli {

namespace {

constexpr std::chrono::milliseconds kQuietAtFirst{2000};
constexpr std::chrono::milliseconds kBetweenPaints{250};

std::size_t terminal_width() {
    winsize size = {};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressLine::ProgressLine(std::size_t jobs, std::string unit)
    : unit_(std::move(unit)), shown_(isatty(STDERR_FILENO) == 1), fractions_(jobs, 0.0) {
    if (shown_) thread_ = std::thread([this] { run(); });
}

ProgressLine::~ProgressLine() {
    if (!shown_) return;
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
    erase();
}

void ProgressLine::report(std::size_t job, double fraction, const std::string& stage) {
    if (!shown_) return;
    const std::lock_guard lock(mutex_);
    fractions_[job] = std::clamp(fraction, fractions_[job], 1.0);
    stage_ = stage;
}

void ProgressLine::run() {
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, kQuietAtFirst, [this] { return stop_; })) return;
    do {
        paint();
    } while (!wake_.wait_for(lock, kBetweenPaints, [this] { return stop_; }));
}

void ProgressLine::paint() {
    const double done = std::accumulate(fractions_.begin(), fractions_.end(), 0.0);
    const auto finished =
        std::count_if(fractions_.begin(), fractions_.end(), [](double f) { return f >= 1; });
    const double total = static_cast<double>(fractions_.size());
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    std::string line = std::to_string(finished) + " of " + std::to_string(fractions_.size()) + " " + unit_;
    line += ", " + std::to_string(static_cast<int>(100 * done / total)) + " %";
    // Too little done says nothing about the rest.
    if (done > 0.02 * total && done > 0.01) {
        line += ", about " + duration(spent.count() * (total - done) / done) + " left";
    }
    if (!stage_.empty()) line += "  " + printable(stage_);
    const std::size_t width = terminal_width() - 1;
    while (width_of(line) > width) {
        do line.pop_back();
        while (!line.empty() && (line.back() & 0xC0) == 0x80);
    }
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    painted_ = true;
}

void ProgressLine::erase() {
    if (!painted_) return;
    std::fprintf(stderr, "\r\033[K");
    std::fflush(stderr);
    painted_ = false;
}

}  // namespace rankcert::cli
