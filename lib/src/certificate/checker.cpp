#include "rankcert/certificate/checker.hpp"

#include "exact_checker.hpp"
#if __has_include("fast_checker.hpp")
#include "fast_checker.hpp"
#endif
#include "rankcert/rigor/error.hpp"

namespace rankcert {

std::unique_ptr<Checker> make_checker(const Subject& subject, Level level) {
    if (level == Level::exact) return detail::make_exact_checker(subject);
#if __has_include("fast_checker.hpp")
    return detail::make_fast_checker(subject);
#else
    throw Error("this build has no fast checker; use the exact level.");
#endif
}

}  // namespace rankcert
