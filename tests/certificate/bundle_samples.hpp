#pragma once
// Small bundles with every kind of witness.

#include <initializer_list>

#include "io/files.hpp"
#include "rankcert/certificate/bundle.hpp"

namespace samples {

using namespace rankcert;

/// rows×cols from values row by row.
inline ExactMatrix matrix(Index rows, Index cols, std::initializer_list<double> values) {
    Eigen::MatrixXd dense(rows, cols);
    auto value = values.begin();
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) dense(i, j) = *value++;
    }
    return ExactMatrix::from_double(dense);
}

/// `integer` · 2^exponent everywhere but for zeros off the diagonal.
inline ExactMatrix diagonal(Index n, const Integer& integer, long exponent) {
    std::vector<Integer> mantissas(static_cast<std::size_t>(n * n), 0);
    for (Index i = 0; i < n; ++i) mantissas[static_cast<std::size_t>(i * n + i)] = integer;
    return ExactMatrix::from_integers(n, n, std::move(mantissas), exponent);
}

inline Claim claim(const char* epsilon, Index lower, int lower_witness, Index upper, int upper_witness) {
    Claim result;
    result.epsilon = parse_rational(epsilon);
    result.lower = lower;
    result.lower_witness = lower_witness;
    result.upper = upper;
    result.upper_witness = upper_witness;
    return result;
}

/// I_3 with a witness of every kind. r_ε(I_3) = 3 for ε < 1/2 at least, by any of the first; all claims are
/// true.
inline Bundle identity() {
    const ExactMatrix one = ExactMatrix::identity(3);
    Bundle bundle;
    bundle.subject.centre = one;
    bundle.input.file = "identity.npy";
    bundle.input.file_sha256 = std::string(64, 'a');
    bundle.input.tensors = {{"matrix", ""}};
    // tr H − r t = 3/4 − 1/4, with s = (1/2, 1/2, 1/2), t = 1/4, L and C without columns: rank 2 for ε² <
    // 1/2.
    EckartYoungWitness tail;
    tail.rank = 1;
    tail.row_weights = matrix(3, 1, {0.5, 0.5, 0.5});
    tail.grouping = one;
    tail.threshold = matrix(1, 1, {0.25});
    tail.large_factor = ExactMatrix(3, 0);
    tail.small_factor = ExactMatrix(3, 0);
    EckartYoungWitness other_side = tail;
    other_side.side = GramSide::columns;
    bundle.lower_witnesses = {FixedSpaceWitness{one, one, {0, 1, 2}},
                              NeumannWitness{one, one, one},
                              tail,
                              other_side,
                              LowerRule::nonzero,
                              LowerRule::support,
                              LowerRule::exact_rank};
    bundle.upper_witnesses = {FactorWitness{one, one, 1},
                              FactorWitness{one.scale(3), one, 3},
                              FactorWitness{ExactMatrix(3, 0), ExactMatrix(0, 3), 1},
                              RepresentativeRowsWitness{{0, 1, 2}},
                              UpperRule::zero,
                              UpperRule::shape,
                              UpperRule::distinct_rows,
                              UpperRule::exact_rank};
    bundle.claims = {claim("1/2", 3, 0, 3, 0),    claim("1/3", 3, 1, 3, 1), claim("7/10", 2, 2, 3, 5),
                     claim("69/100", 2, 3, 3, 3), claim("1", 0, -1, 0, 2),  claim("9/10", 1, 4, 3, 6),
                     claim("2", 0, -1, 0, 4),     claim("0", 3, 6, 3, 7),   claim("1/1000", 0, -1, 3, 7)};
    bundle.claims.back().top_k = TopKBudget{1, 1, parse_rational("1/1000")};
    return bundle;
}

/// [[1, 0], [5/8, 3/8]]: r_ε = 2 below 3/13, 1 from there to below 1, 0 from 1 on.
inline Bundle two_by_two() {
    Bundle bundle;
    bundle.subject.centre = matrix(2, 2, {1, 0, 0.625, 0.375});
    bundle.input.file = "a.npy";
    bundle.input.tensors = {{"matrix", ""}};
    // S = A⁻¹ up to 2^-6: [1, 0; -5/3, 8/3]
    const FixedSpaceWitness space{
        ExactMatrix::identity(2), matrix(2, 2, {1, 0, -1.671875, 2.671875}), {0, 1}};
    // B = [c, 0; d, 0]… one column is enough at ε ≥ 3/8: U = (1, 5/8), V = (1, 0).
    bundle.lower_witnesses = {space, LowerRule::nonzero};
    bundle.upper_witnesses = {
        UpperRule::shape, FactorWitness{matrix(2, 1, {1, 0.625}), matrix(1, 2, {1, 0}), 1}, UpperRule::zero};
    bundle.claims = {claim("1/5", 2, 0, 2, 0), claim("3/8", 1, 1, 1, 1), claim("1", 0, -1, 0, 2)};
    return bundle;
}

/// A causal head with three queries and three keys, float32, and Ã on the grid 2^−precision.
inline Bundle head(unsigned precision) {
    Head head;
    head.query = matrix(3, 2, {0.5, -1.0, 2.0, 0.25, -0.75, 1.5});
    head.key = matrix(3, 2, {1.0, 0.5, -0.5, 2.0, 0.0, -1.25});
    head.scale.sqrt_of = 2;
    head.mask.kind = MaskKind::causal;
    Bundle bundle;
    bundle.subject.centre = enclose_softmax(head, precision).centre;
    bundle.subject.head = head;
    bundle.format = NumberFormat::float32;
    bundle.input.file = "model.safetensors";
    bundle.input.file_sha256 = std::string(64, '0');
    bundle.input.head = "layer0.head1";
    bundle.input.tensors = {{"query", "layer0.head1.q"}, {"key", "layer0.head1.k"}};
    bundle.lower_witnesses = {LowerRule::support, LowerRule::nonzero};
    bundle.upper_witnesses = {UpperRule::shape, UpperRule::zero};
    bundle.claims = {claim("0", 3, 0, 3, 0), claim("1/2", 1, 1, 3, 0), claim("1", 0, -1, 0, 1)};
    return bundle;
}

/// The same file with the digest that belongs to it, by the words of certificate-format.md.
files::Bytes with_digest(files::Bytes bytes);

}  // namespace samples
