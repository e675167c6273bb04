#pragma once
/// \file exact_checker.hpp  The checker in integers and MPFR.

#include <memory>

#include "rankcert/certificate/checker.hpp"

namespace rankcert::detail {

/// Throws Error where the subject is not well formed.
[[nodiscard]] std::unique_ptr<Checker> make_exact_checker(const Subject& subject);

}  // namespace rankcert::detail
