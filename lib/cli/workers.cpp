#include "workers.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <vector>

#include "interrupt.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace rankcert::cli {

unsigned thread_count(unsigned option) {
    return option > 0 ? option : std::max(1U, std::thread::hardware_concurrency());
}

void run_in_order(std::size_t jobs, unsigned threads, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t)>& done) {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t next = 0;
    std::vector<bool> finished(jobs, false);

    const std::size_t count = std::min<std::size_t>(thread_count(threads), jobs);
    std::size_t running = count;
    std::vector<std::jthread> pool;  // last, so that what the threads use outlives them
    for (std::size_t t = 0; t < count; ++t) {
        pool.emplace_back([&](const std::stop_token& stop) {
            const FloatingPointGuard guard;
            std::unique_lock lock(mutex);
            while (next < jobs && noted_signal() == 0 && !stop.stop_requested()) {
                const std::size_t job = next++;
                lock.unlock();
                work(job);
                lock.lock();
                finished[job] = true;
                changed.notify_all();
            }
            --running;
            changed.notify_all();
        });
    }

    std::unique_lock lock(mutex);
    for (std::size_t i = 0; i < jobs; ++i) {
        // A signal wakes nobody, so look at the clock too.
        while (!finished[i] && running > 0) changed.wait_for(lock, std::chrono::milliseconds(100));
        if (!finished[i]) {
            stop_if_interrupted();
            return;
        }
        lock.unlock();
        done(i);
        lock.lock();
    }
}

}  // namespace rankcert::cli
