// The text form of proofs/coq/formal/format.md, version 1, line by line as that page has it. Nothing here
// decides anything; every number is written exactly as the bundle holds it.

#include "formal_text.hpp"

#include <algorithm>
#include <array>

#include "rankcert/io/sha256.hpp"

namespace rankcert {

bool has_formal_theorem(const LowerWitness& witness) {
    if (const auto* rule = std::get_if<LowerRule>(&witness)) return *rule != LowerRule::exact_rank;
    return !std::holds_alternative<RowCycleWitness>(witness);
}

bool has_formal_theorem(const UpperWitness& witness, const Subject& subject) {
    const auto* rule = std::get_if<UpperRule>(&witness);
    if (rule == nullptr) return true;
    // Of a head, the formal rule counts the rows of Ã, the exact one those of equal logits.
    if (*rule == UpperRule::distinct_rows) return !subject.head;
    return *rule != UpperRule::exact_rank;
}

namespace detail {
namespace {

/// The rules stand first in every text, in this order.
constexpr std::array<const char*, 5> kRules = {"nonzero", "support", "zero", "shape", "distinct_rows"};

int number_of_rule(std::string_view method) {  // "rule:zero" and so on; 0 where it has no formal theorem
    for (std::size_t i = 0; i < kRules.size(); ++i) {
        if (method == std::string("rule:") + kRules[i]) return static_cast<int>(i) + 1;
    }
    return 0;
}

std::string hexadecimal(const Integer& value) {
    std::string text(value < 0 ? "-" : "");
    text += Integer(abs(value)).str(0, std::ios_base::hex);
    return text;
}

std::string fraction(const Rational& value) {
    return hexadecimal(Integer(numerator(value))) + ' ' + hexadecimal(Integer(denominator(value)));
}

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
struct TooLong {};

void require_at_most(std::size_t bytes) {
    if (bytes > kMostBytes) throw TooLong();
}

/// The matrix over `divisor`. Powers of two that the entries and the denominator share are taken out, so that
/// a divisor of 1 leaves no common divisor. Throws TooLong before it takes memory.
std::string matrix_text(const char* name, const ExactMatrix& matrix, const Integer& divisor = 1) {
    // entry = mantissa · 2^exponent / divisor = (mantissa / 2^shared · 2^left) / (2^right · divisor)
    unsigned long zeros = static_cast<unsigned long>(std::max(-matrix.exponent(), 0L));
    for (Index i = 0; i < matrix.rows(); ++i) {
        for (Index j = 0; j < matrix.cols(); ++j) {
            const Integer entry = matrix.mantissa(i, j);
            if (entry != 0) zeros = std::min(zeros, mpz_scan1(entry.backend().data(), 0));
        }
    }
    const auto shared = static_cast<unsigned>(zeros);
    const auto left = static_cast<unsigned>(std::max(matrix.exponent(), 0L));
    const auto right = static_cast<unsigned>(std::max(-matrix.exponent(), 0L)) - shared;
    if (matrix.bits() > 0) {
        const std::size_t digits = (std::size_t{matrix.bits()} - shared + left) / 4;
        require_at_most(static_cast<std::size_t>(matrix.rows() * matrix.cols()) * (digits + 1));
    }
    std::string text = std::string(name) + ' ' + std::to_string(matrix.rows()) + ' ' +
                       std::to_string(matrix.cols()) + ' ' + hexadecimal(Integer(divisor << right)) + '\n';
    for (Index i = 0; i < matrix.rows(); ++i) {
        for (Index j = 0; j < matrix.cols(); ++j) {
            if (j > 0) text += ' ';
            const Integer entry = matrix.mantissa(i, j);
            const Integer size = Integer(abs(entry) >> shared) << left;
            text += hexadecimal(entry < 0 ? Integer(-size) : size);
        }
        text += '\n';
    }
    return text;
}

std::string indices_text(const char* name, const std::vector<Index>& indices) {
    std::string text = name;
    for (const Index index : indices) text += ' ' + std::to_string(index);
    return text + '\n';
}

std::string subject_text(const Subject& subject) {
    if (!subject.head) return "subject any\n";
    const Mask& mask = subject.head->mask;
    if (mask.kind == MaskKind::none) return "subject softmax full\n";
    if (mask.kind == MaskKind::causal) {
        return mask.alignment == CausalAlignment::top_left ? "subject softmax top_left\n"
                                                           : "subject softmax bottom_right\n";
    }
    std::string text = "subject softmax listed\n";
    for (Index i = 0; i < subject.rows(); ++i) {
        for (Index j = 0; j < subject.cols(); ++j) text += subject.head->visible(i, j) ? '1' : '0';
        text += '\n';
    }
    return text;
}

// ---- witnesses: empty where there is no formal theorem, and for rules
// ----------------------------------------

std::string witness_text(const FixedSpaceWitness& w) {
    return "witness fixed_space " + std::to_string(w.basis.cols()) + '\n' + indices_text("pivots", w.pivots) +
           matrix_text("basis", w.basis) + matrix_text("inverse", w.inverse);
}

std::string witness_text(const NeumannWitness& w) {
    return "witness neumann " + std::to_string(w.selection.rows()) + '\n' +
           matrix_text("selection", w.selection) + matrix_text("decoder", w.decoder) +
           matrix_text("inverse", w.inverse);
}

std::string witness_text(const EckartYoungWitness& w) {
    return std::string("witness eckart_young ") + (w.side == GramSide::rows ? "rows " : "columns ") +
           std::to_string(w.rank) + '\n' + matrix_text("row_weights", w.row_weights.transpose()) +
           matrix_text("grouping", w.grouping) + matrix_text("threshold", w.threshold) +
           matrix_text("large_factor", w.large_factor) + matrix_text("small_factor", w.small_factor);
}

std::string witness_text(const FactorWitness& w) {  // ‖c Ã − U V‖ ≤ c t is ‖Ã − (U/c) V‖ ≤ t
    return "witness factors " + std::to_string(w.left.cols()) + '\n' +
           matrix_text("left", w.left, w.denominator) + matrix_text("right", w.right);
}

std::string witness_text(const RepresentativeRowsWitness& w) {
    return "witness representative_rows\n" + indices_text("representatives", w.representative);
}

std::string witness_text(const RowCycleWitness&) { return {}; }
std::string witness_text(LowerRule) { return {}; }
std::string witness_text(UpperRule) { return {}; }

template <class Witness>
std::vector<int> add_witnesses(const std::vector<Witness>& witnesses, const std::vector<bool>& use,
                               FormalText& result) {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < witnesses.size(); ++i) {
        const std::string method = method_name(witnesses[i]);
        int number = number_of_rule(method);
        if (use[i] && number == 0) {
            const std::string text = std::visit([](const auto& w) { return witness_text(w); }, witnesses[i]);
            if (!text.empty()) {
                result.text += text;
                require_at_most(result.text.size());
                result.methods.push_back(method);
                number = static_cast<int>(result.methods.size());
            }
        }
        numbers.push_back(number);
    }
    return numbers;
}

FormalText write(const Bundle& bundle, const Rational& rho, const std::vector<bool>& use_lower,
                 const std::vector<bool>& use_upper) {
    FormalText result;
    const std::string matrix = matrix_text("matrix", bundle.subject.centre);
    Sha256 hash;
    hash.update(matrix);
    result.matrix_sha256 = hash.finish();
    result.rho = fraction(rho);
    result.text = "rankcert-formal 1\nsha256 " + result.matrix_sha256 + '\n' + matrix + "rho " + result.rho +
                  '\n' + subject_text(bundle.subject);
    for (const char* rule : kRules) {
        result.text += std::string("witness ") + rule + '\n';
        result.methods.push_back(std::string("rule:") + rule);
    }
    result.lower_number = add_witnesses(bundle.lower_witnesses, use_lower, result);
    result.upper_number = add_witnesses(bundle.upper_witnesses, use_upper, result);
    for (const Claim& claim : bundle.claims) {
        const auto rank = [](int witness, Index value) {
            return witness < 0 ? std::string("-") : std::to_string(value);
        };
        result.epsilons.push_back(fraction(claim.epsilon));
        result.text += "claim " + result.epsilons.back() + ' ' + rank(claim.lower_witness, claim.lower) +
                       ' ' + rank(claim.upper_witness, claim.upper) + '\n';
    }
    result.text += "end\n";
    require_at_most(result.text.size());
    return result;
}

}  // namespace

FormalText write_formal_text(const Bundle& bundle, const Rational& rho, const std::vector<bool>& use_lower,
                             const std::vector<bool>& use_upper) {
    try {
        return write(bundle, rho, use_lower, use_upper);
    } catch (const TooLong&) {
        FormalText nothing;
        nothing.is_too_long = true;
        return nothing;
    }
}

}  // namespace detail
}  // namespace rankcert
