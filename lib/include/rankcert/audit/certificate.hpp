#pragma once
/// \file certificate.hpp  An audit as a file that anyone can prove again.
///
/// A .safetensors file: the tensors under their roles, and in its metadata the format's name and version and
/// one JSON statement: the declaration, the tensors' names and SHA-256, and for each head what is claimed to
/// have been proved (enclosures as decimals, undefined rows, the answer to each claim). Layout:
/// lib/docs/certificate-format.md, section "Audits". A checker computes everything anew from the tensors;
/// nothing that the file says of itself is believed.

#include <filesystem>
#include <string>
#include <vector>

#include "rankcert/audit/declaration.hpp"
#include "rankcert/io/safetensors.hpp"
#include "rankcert/rigor/decision.hpp"

namespace rankcert::audit {

/// What is said of a largest error, or of a norm of errors.
struct StatedError {
    bool infinite = false;
    Rational lower = 0;
    Rational upper = 0;
};

/// What a certificate states of one head.
struct StatedHead {
    Index batch = 0, head = 0;
    StatedError max_abs, row_l1, frobenius;
    std::vector<Index> undefined_rows;
    std::vector<Answer> answers;  ///< to `finite` and to the declared claims, in order
    std::optional<Answer> ratio_answer;
    Answer answer = Answer::undecided;
};

struct AuditCertificate {
    Declaration declaration;
    Tensors tensors;                           ///< by role; Tensor::name is the role
    std::map<std::string, std::string> names;  ///< role → what the tensor was called where it came from
    std::vector<StatedHead> heads;
};

/// The certificate of what `report` found.
[[nodiscard]] AuditCertificate make_certificate(const Declaration& declaration, const Tensors& tensors,
                                                const AuditReport& report);
[[nodiscard]] std::vector<std::byte> format_certificate(const AuditCertificate& certificate);
/// Strict: throws Error, with `file` and one sentence, for anything that format_certificate does not write.
[[nodiscard]] AuditCertificate parse_certificate(std::span<const std::byte> bytes, const std::string& file);
/// Whether the metadata are those of an audit certificate.
[[nodiscard]] bool is_audit_certificate(const Safetensors& contents);

/// One head's statement, judged.
struct HeadVerdict {
    Index batch = 0, head = 0;
    Decision decision = Decision::undecided;
    Answer answer = Answer::undecided;  ///< the one that was proved now, where decision is proved
    std::string reason;
};

/// Audits again, every row by MPFR (Level exact) or as run_audit does, and judges each head's statement:
/// proved where each stated enclosure contains the one found now, the undefined rows are the same, and each
/// proved or refuted claim is so again; refuted where an enclosure found now lies outside a stated one, rows
/// differ, or a claim has the opposite answer; else undecided.
[[nodiscard]] std::vector<HeadVerdict> check(const AuditCertificate& certificate, bool exact,
                                             unsigned threads = 1);

}  // namespace rankcert::audit
