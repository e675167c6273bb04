#pragma once
/// \file audit_linear.hpp  rankcert audit factors, pseudo-inverse, spectrum, rank, solve and inverse.

#include "audit.hpp"

namespace rankcert::cli {

/// Whether the subject is one of matrices, not of attention.
[[nodiscard]] bool is_linear(const std::string& subject);

int run_linear_audit(const AuditArguments& arguments);

}  // namespace rankcert::cli
