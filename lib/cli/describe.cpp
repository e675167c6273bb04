#include "describe.hpp"

#include "numbers.hpp"
#include "output.hpp"
#include "rankcert/attention/number_format.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

std::string size_text(const ExactMatrix& matrix) {
    return std::to_string(matrix.rows()) + "×" + std::to_string(matrix.cols());
}

std::string visible_text(const Mask& mask) {
    return std::to_string(mask.keep.count()) + " of " + std::to_string(mask.keep.size()) + " entries visible";
}

std::string mask_text(const Mask& mask, bool square) {
    switch (mask.kind) {
        case MaskKind::none:
            return "none";
        case MaskKind::causal:
            if (square) return "causal";
            return mask.alignment == CausalAlignment::bottom_right
                       ? "causal, bottom-right (the last query sees all keys)"
                       : "causal, top-left (query i sees keys 0 to i)";
        case MaskKind::boolean:
            return "boolean, " + visible_text(mask);
        case MaskKind::additive:
            break;
    }
    return "additive, a bias of " + size_text(mask.bias) + " on the logits" +
           (mask.keep.size() == 0 ? "" : ", " + visible_text(mask));
}

}  // namespace

std::string multiplier_text(const Head& head) {
    if (head.multiplier_low == head.multiplier_high) return to_string(head.multiplier_low);
    return to_string(head.multiplier_low) + ".." + to_string(head.multiplier_high);
}

std::vector<std::string> describe_subject(const Bundle& bundle) {
    if (!bundle.subject.head) {
        return {"A is the " + size_text(bundle.subject.centre) + " matrix of " + to_string(bundle.format) +
                " numbers in the certificate, exactly"};
    }
    const Head& head = *bundle.subject.head;
    std::vector<std::string> lines = {
        "A = softmax(scale · Q Kᵀ) row by row, Q " + size_text(head.query) + ", K " + size_text(head.key) +
            " (" + to_string(bundle.format) + ")",
        "scale " + describe(head.scale) +
            (head.multiplier_low == 1 && head.multiplier_high == 1 ? ""
                                                                   : ", times " + multiplier_text(head)) +
            ", mask " + mask_text(head.mask, head.queries() == head.keys())};
    if (head.multiplier_low != head.multiplier_high) {
        lines.push_back("for every temperature multiplier from " + to_string(head.multiplier_low) + " to " +
                        to_string(head.multiplier_high));
    }
    if (head.rounded_from) {
        lines.push_back(std::string("for all real Q, K that round to these in ") +
                        to_string(*head.rounded_from));
    }
    return lines;
}

std::string describe_origin(const InputReference& input) {
    return (input.head.empty() ? std::string() : printable(input.head) + " of ") +
           (input.file.empty() ? "an input without a file name" : printable(input.file));
}

std::string meaning_of_rank() {
    return "r_ε(A) is the least rank of a real matrix B with Σ_j |A_ij − B_ij| ≤ ε in every row i";
}

std::string claim_text(const Claim& claim) {
    return bracket_text(claim.lower_witness >= 0 ? std::optional(claim.lower) : std::nullopt,
                        claim.upper_witness >= 0 ? std::optional(claim.upper) : std::nullopt);
}

}  // namespace rankcert::cli
