#pragma once
/// \file workers.hpp  Independent jobs on several threads, taken up in order and handed back in order.

#include <functional>
#include <thread>

namespace rankcert::cli {

/// The number of threads that an option means: 0 is one a core.
[[nodiscard]] unsigned thread_count(unsigned option);

/// Runs work(0) … work(jobs − 1) on `threads` threads (0: one a core), each under a FloatingPointGuard, and
/// calls done(i) on the calling thread for i = 0, 1, … in this order, each as soon as all jobs up to i are
/// finished. work must not throw. When a signal is noted no further job is taken up; the call then throws
/// Interrupted once the running ones have ended, after done() for the leading ones that were finished. What
/// done throws leaves the call, likewise once the running jobs have ended.
void run_in_order(std::size_t jobs, unsigned threads, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t)>& done);

}  // namespace rankcert::cli
