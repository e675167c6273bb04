#include "rankcert/certificate/checker.hpp"

#include "exact_checker.hpp"
#include "fast_checker.hpp"

namespace rankcert {

std::unique_ptr<Checker> make_checker(const Subject& subject, Level level) {
    return level == Level::exact ? detail::make_exact_checker(subject) : detail::make_fast_checker(subject);
}

}  // namespace rankcert
