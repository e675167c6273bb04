#pragma once
/// \file check_audit.hpp  rankcert check, for audit certificates.

#include <span>
#include <string>

#include "check.hpp"

namespace rankcert::cli {

/// Whether the bytes begin like an audit certificate.
[[nodiscard]] bool looks_like_audit(std::span<const std::byte> bytes);

struct AuditCheck {
    std::string text;
    int code = 0;
};
/// Proves it again. Throws Error for a malformed file, and where an input does not hold the tensors.
[[nodiscard]] AuditCheck check_audit(std::span<const std::byte> bytes, const std::string& file,
                                     const CheckArguments& arguments);

}  // namespace rankcert::cli
