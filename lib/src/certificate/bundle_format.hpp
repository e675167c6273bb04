#pragma once
// The parts that the writer and the reader of certificate files share. lib/docs/certificate-format.md is
// normative.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rankcert/certificate/bundle.hpp"
#include "rankcert/io/safetensors.hpp"

namespace rankcert::detail {

inline constexpr std::string_view kFormatName = "rankcert-certificate";
inline constexpr std::string_view kFormatVersion = "1";

/// Limits of the format: what keeps a hostile file from claiming more memory or time than its size warrants.
inline constexpr std::uint64_t kMaxCertificateBytes = std::uint64_t{1} << 31;
inline constexpr Index kMaxDimension = Index{1} << 24;
inline constexpr long kMaxExponent = 1L << 15;
inline constexpr Index kMaxRank = (Index{1} << 31) - 1;

// ---- structure --------------------------------------------------------------------------------------------

/// Throws Error where the parts of a bundle do not fit together: shapes, indices, signs of exact numbers,
/// duplicate claims, a head that is none. Judges no inequality.
void require_well_formed(const Bundle& bundle);

/// Calls visit(name, matrix) for each matrix of a witness, in the order of the file.
template <class Witness, class Visit>
void visit_matrices(Witness& witness, Visit&& visit) {
    std::visit(
        [&visit](auto& w) {
            using Kind = std::remove_cvref_t<decltype(w)>;
            if constexpr (std::is_same_v<Kind, FixedSpaceWitness>) {
                visit("basis", w.basis);
                visit("inverse", w.inverse);
            } else if constexpr (std::is_same_v<Kind, NeumannWitness>) {
                visit("selection", w.selection);
                visit("decoder", w.decoder);
                visit("inverse", w.inverse);
            } else if constexpr (std::is_same_v<Kind, EckartYoungWitness>) {
                visit("row_weights", w.row_weights);
                visit("grouping", w.grouping);
                visit("threshold", w.threshold);
                visit("large_factor", w.large_factor);
                visit("small_factor", w.small_factor);
            } else if constexpr (std::is_same_v<Kind, RowCycleWitness>) {
                visit("vectors", w.vectors);
            } else if constexpr (std::is_same_v<Kind, FactorWitness>) {
                visit("left", w.left);
                visit("right", w.right);
            }
        },
        witness);
}

/// Calls visit(name, matrix) for every exact matrix of the bundle, in the order of the file; not for Q and K.
template <class AnyBundle, class Visit>
void visit_all_matrices(AnyBundle& bundle, Visit&& visit) {
    if (bundle.subject.head && bundle.subject.head->mask.kind == MaskKind::additive) {
        visit(std::string("mask"), bundle.subject.head->mask.bias);
    }
    visit(std::string("centre"), bundle.subject.centre);
    const auto visit_list = [&visit](const std::string& side, auto& witnesses) {
        for (std::size_t i = 0; i < witnesses.size(); ++i) {
            visit_matrices(witnesses[i], [&](const char* name, auto& matrix) {
                visit(side + "." + std::to_string(i) + "." + name, matrix);
            });
        }
    };
    visit_list("lower", bundle.lower_witnesses);
    visit_list("upper", bundle.upper_witnesses);
}

// ---- matrices ---------------------------------------------------------------------------------------------

/// An exact matrix as a tensor: F64 [rows, cols] where every entry is a double, else I64 [rows, cols, limbs]
/// and the exponent. Both are determined by the matrix alone. Throws Error beyond kMaxExponent.
struct StoredMatrix {
    Tensor tensor;
    std::optional<long> exponent;  ///< of an I64 tensor
};
[[nodiscard]] StoredMatrix store_matrix(const std::string& name, const ExactMatrix& matrix);
/// The inverse. Throws Error where tensor and exponent do not go together; canonicity is not judged here.
[[nodiscard]] ExactMatrix load_matrix(const Tensor& tensor, std::optional<long> exponent);

[[nodiscard]] DType dtype_of(NumberFormat format);

/// Whether a tensor of booleans says which keys a head's mask leaves visible.
[[nodiscard]] inline bool has_visible(const Mask& mask) {
    return mask.kind == MaskKind::boolean || (mask.kind == MaskKind::additive && mask.keep.size() != 0);
}

// ---- statement --------------------------------------------------------------------------------------------

/// The statement as canonical JSON text: keys sorted by bytes, no white space. `exponents` are those of the
/// I64 tensors.
[[nodiscard]] std::string format_statement(const Bundle& bundle,
                                           const std::map<std::string, long>& exponents);

struct Statement {
    Bundle bundle;  ///< complete but for its matrices
    std::map<std::string, long> exponents;
    bool has_visible = false;  ///< whether a tensor says which keys are visible
};
/// The inverse; throws Error that begins with `file`.
[[nodiscard]] Statement parse_statement(const std::string& text, const std::string& file);

// ---- bytes ------------------------------------------------------------------------------------------------

/// The file of a bundle with exactly this information.
[[nodiscard]] std::vector<std::byte> format_exactly(const Bundle& bundle);

}  // namespace rankcert::detail
