#include "rankcert/search/work.hpp"

#include <utility>

namespace rankcert::search {
namespace {

thread_local double work = 0;
thread_local std::function<void()> watch;

}  // namespace

double work_seconds() noexcept { return work; }

void charge_work(double nominal_seconds) {
    work += nominal_seconds;
    if (watch) watch();
}

WorkWatch::WorkWatch(std::function<void()> look) : before_(std::exchange(watch, std::move(look))) {}
WorkWatch::~WorkWatch() { watch = std::move(before_); }

}  // namespace rankcert::search
