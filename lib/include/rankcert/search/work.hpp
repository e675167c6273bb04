#pragma once
/// \file work.hpp  Search effort counted in work, so that a search gives the same result on a busy machine as
/// on an idle one.
///
/// Work is a number of nominal seconds: what an operation takes on one core of an ordinary machine, by a
/// fixed formula of its size. It is an estimate of time and nothing else depends on it. Each thread has its
/// own count; a search runs on one thread.

#include <functional>

namespace rankcert::search {

/// The work that this thread has done so far, in nominal seconds. Only differences mean something.
[[nodiscard]] double work_seconds() noexcept;

/// Adds to this thread's count. The functions of dense.hpp charge for themselves. Throws what this thread's
/// WorkWatch throws.
void charge_work(double nominal_seconds);

/// Has `look` called on this thread with every charge, for as long as the watch lives; a search ends with
/// what it throws. The innermost watch alone counts.
class WorkWatch {
  public:
    explicit WorkWatch(std::function<void()> look);
    ~WorkWatch();
    WorkWatch(const WorkWatch&) = delete;
    WorkWatch& operator=(const WorkWatch&) = delete;

  private:
    std::function<void()> before_;
};

/// A nominal second's worth of passes over entries (a few additions, a division and a square root an entry).
constexpr double kEntriesPerSecond = 8e8;

}  // namespace rankcert::search
