#pragma once
/// \file audit_report.hpp  An audit as text, JSON and JUnit XML.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "rankcert/audit/declaration.hpp"
#include "rankcert/diagnosis/diagnosis.hpp"

namespace rankcert::cli {

/// One audit with the names that it is told by.
struct AuditedGroup {
    std::string name;  ///< "layer0.head1", or the file's stem
    audit::Declaration declaration;
    std::map<std::string, std::string> tensors;  ///< role → "q F32 8×64×32"
    std::map<std::string, std::string> hashes;   ///< role → SHA-256 of the tensor
    audit::AuditReport report;
    /// Of refuted heads, by their number in the report: what else would give the result. Estimates.
    std::map<std::size_t, std::vector<diagnosis::Finding>> estimate_causes;
    std::string certificate;  ///< where it was written, or empty
    double estimate_seconds = 0;
};

/// Lower and upper end as decimals rounded outward, beyond the range of doubles too: "1.1920e-07".
[[nodiscard]] std::string lower_text(const MpInterval& x, int digits);
[[nodiscard]] std::string upper_text(const MpInterval& x, int digits);

/// "scale 1/8, causal, …".
[[nodiscard]] std::string operator_text(const audit::Declaration& declaration);

/// A table with a line a head, and what of the claims does not hold.
[[nodiscard]] std::string to_text(const std::string& file, const AuditedGroup& group, bool verbose);
/// One object a head; its keys: lib/docs/audit-report.schema.json.
[[nodiscard]] nlohmann::ordered_json to_json(const std::string& file, const AuditedGroup& group,
                                             std::size_t head);
/// A test suite a group, a test case a head and claim.
[[nodiscard]] std::string to_junit(const std::string& file, const std::vector<AuditedGroup>& groups);

/// The exit code of an answer: undefined as undecided.
[[nodiscard]] int code_of(audit::Answer answer) noexcept;

}  // namespace rankcert::cli
