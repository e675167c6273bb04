#pragma once
/// \file work.hpp  Search effort counted in work, so that a search gives the same result on a busy machine as
/// on an idle one.
///
/// Work is a number of nominal seconds: what an operation takes on one core of an ordinary machine, by a
/// fixed formula of its size. It is an estimate of time and nothing else depends on it. Each thread has its
/// own count; a search runs on one thread.

namespace rankcert::search {

/// The work that this thread has done so far, in nominal seconds. Only differences mean something.
[[nodiscard]] double work_seconds() noexcept;

/// Adds to this thread's count. The functions of dense.hpp charge for themselves.
void charge_work(double nominal_seconds) noexcept;

/// A nominal second's worth of passes over entries (a few additions, a division and a square root an entry).
constexpr double kEntriesPerSecond = 8e8;

}  // namespace rankcert::search
