#pragma once
/// \file progress.hpp  A line with the time that is left, for a person at a terminal.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rankcert::cli {

/// Shows on stderr, only where that is a terminal and only after two seconds, how much of some equal jobs is
/// done and an estimate of the time left. All members may be called from any thread.
class ProgressLine {
  public:
    /// `unit` names the jobs ("heads").
    ProgressLine(std::size_t jobs, std::string unit);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// The share of job `job` that is done, 0 to 1, and what it is at.
    void report(std::size_t job, double fraction, const std::string& stage);
    /// Runs `print` with the line taken off the screen.
    template <class Print>
    void around(Print print) {
        const std::lock_guard lock(mutex_);
        erase();
        print();
    }

  private:
    void run();
    void paint();
    void erase();

    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    const std::string unit_;
    const bool shown_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stop_ = false;
    bool painted_ = false;
    std::vector<double> fractions_;
    std::string stage_;
    std::thread thread_;
};

}  // namespace rankcert::cli
