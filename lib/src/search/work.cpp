#include "rankcert/search/work.hpp"

namespace rankcert::search {
namespace {

thread_local double work = 0;

}  // namespace

double work_seconds() noexcept { return work; }

void charge_work(double nominal_seconds) noexcept { work += nominal_seconds; }

}  // namespace rankcert::search
