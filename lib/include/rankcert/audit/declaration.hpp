#pragma once
/// \file declaration.hpp  What an audit is about: the operator, the layout of the tensors, and what is
/// claimed of them.
///
/// Everything that the meaning of an audit needs is declared; nothing is guessed from values. The JSON form
/// is that of a manifest beside the tensors, and what a certificate binds.

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rankcert/attention/mask.hpp"
#include "rankcert/audit/errors.hpp"
#include "rankcert/io/tensor.hpp"

namespace rankcert::audit {

enum class Subject { attention, output };
/// Of tensors with more than two dimensions: [batch,] heads, tokens, features or [batch,] tokens, heads,
/// features. Claimed attention matrices, masks and biases are [batch, heads,] queries, keys in both.
enum class Layout { heads_first, tokens_first };
enum class SinkKind {
    none,
    one,
    logits
};  ///< "softmax plus one" is a sink of logit 0; logits: tensor "sink", [heads]

/// Roles of tensors: query, key, value (outputs), claim; perhaps baseline (a second implementation's result),
/// mask, bias, alibi (slopes, [heads]), sink.
using Tensors = std::map<std::string, Tensor>;

struct Declaration {
    Subject subject = Subject::attention;
    Layout layout = Layout::heads_first;
    std::string scale;  ///< a text that parse_scale reads
    std::optional<Rational> softcap;
    bool causal = false;
    std::optional<CausalAlignment> alignment;  ///< must be declared where lengths differ and it matters
    std::optional<Index> window_before, window_after;
    std::optional<MaskReading>
        mask;            ///< how the tensor "mask" is read; there is one exactly where this is set
    bool bias = false;   ///< the tensor "bias" is added to the logits
    bool alibi = false;  ///< − slope · |distance|, slopes in the tensor "alibi"
    SinkKind sink = SinkKind::none;
    EmptyRows empty_rows = EmptyRows::error;
    std::vector<Index> rows;  ///< the queries to audit; empty for all
    std::vector<Claim> claims;
    /// The claim's largest absolute error is at most `ratio` times that of the baseline.
    std::optional<Rational> ratio;
};

/// "max-abs=1e-6", "row-l1=1e-6", "relative=1e-3", "ulps=2", "close=RTOL,ATOL", "within=K", "frobenius=1e-5",
/// "correctly-rounded", "faithful", "row-sums" or "row-sums=1e-6", "non-negative", "causal", "masked-zero".
/// Numbers are exact decimals or fractions. Throws Error.
[[nodiscard]] Claim parse_claim(const std::string& text);
[[nodiscard]] std::string to_string(const Claim& claim);

/// The JSON form, every field written. from_json is strict: an unknown field or a value of another kind is an
/// Error, a missing one is its default; `where` begins the messages.
[[nodiscard]] nlohmann::ordered_json to_json(const Declaration& declaration);
[[nodiscard]] Declaration declaration_from_json(const nlohmann::json& json, const std::string& where);

/// The matrices of one query head, as run_audit takes them out of the tensors.
struct HeadInput {
    AttentionHead head;
    RowMatrix value;  ///< of an output
    RowMatrix claim;
    NumberFormat format = NumberFormat::float64;  ///< of the claim
    Index query_heads = 1, key_heads = 1;
};
/// key_head: another key and value head than ⌊h · Hk / Hq⌋. Throws Error where run_audit does, and where
/// there is no such head.
[[nodiscard]] HeadInput extract_head(const Declaration& declaration, const Tensors& tensors, Index batch,
                                     Index head, std::optional<Index> key_head = std::nullopt);

/// One query head of one batch entry.
struct HeadReport {
    Index batch = 0, head = 0;
    HeadAudit audit;
    std::optional<HeadAudit> baseline;
    /// Largest absolute error over the baseline's; nothing where that is 0 or may be, or one is infinite.
    std::optional<MpInterval> ratio;
    std::optional<Answer> ratio_answer;

    [[nodiscard]] Answer answer() const;
};

struct AuditReport {
    std::vector<HeadReport> heads;
    NumberFormat format = NumberFormat::float64;  ///< of the claim
    Index queries = 0, keys = 0, features = 0;
    [[nodiscard]] Answer answer() const;
};

/// Called before each head with its number and their count; what it throws leaves the call.
using Progress = std::function<void(std::size_t head, std::size_t heads)>;

struct RunOptions {
    unsigned threads = 1;
    bool by_mpfr = false;  ///< every row by MPFR, float64 is not relied on
    Progress progress;
};

/// Audits every query head h of every batch entry against key and value head ⌊h · Hk / Hq⌋. Throws Error, one
/// sentence that names the tensor, where a tensor is missing, is not asked for, or has a shape or type that
/// does not fit, where an alignment is needed and not declared, and where audit_attention and audit_output
/// do.
[[nodiscard]] AuditReport run_audit(const Declaration& declaration, const Tensors& tensors,
                                    const RunOptions& options = {});

}  // namespace rankcert::audit
