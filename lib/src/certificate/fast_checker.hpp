#pragma once
/// \file fast_checker.hpp  The checker in float64 with order-free error bounds.

#include <memory>

#include "rankcert/certificate/checker.hpp"

namespace rankcert::detail {

/// Proves or leaves undecided; never refutes. Throws Error where the subject is not well formed.
[[nodiscard]] std::unique_ptr<Checker> make_fast_checker(const Subject& subject);

}  // namespace rankcert::detail
