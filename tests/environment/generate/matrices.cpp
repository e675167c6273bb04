// Matrices given exactly, ρ = 0: what each claim's verdict must be is known from tables of rationals, or by
// hand.

#include "certificate/exact_oracle.hpp"
#include "certificate/row_cycles.hpp"
#include "environment/generate/subjects.hpp"

namespace rankcert::tests {
namespace {

Rational power_of_two(long exponent) { return to_rational(Integer(1), exponent); }

Bundle of_matrix(const ExactMatrix& a) {
    Bundle bundle;
    bundle.subject.centre = a;
    return bundle;
}

ExactMatrix scaled(const ExactMatrix& a, long exponent) {
    std::vector<Integer> mantissas;
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < a.cols(); ++j) mantissas.push_back(a.mantissa(i, j));
    return ExactMatrix::from_integers(a.rows(), a.cols(), std::move(mantissas), a.exponent() + exponent);
}

ExactMatrix column(Index rows, const Integer& value, long exponent) {
    return ExactMatrix::from_integers(rows, 1, std::vector<Integer>(static_cast<std::size_t>(rows), value),
                                      exponent);
}

/// I_3 at equality of every inequality, and one step beside it.
void make_identity(Made& made) {
    const ExactMatrix one = ExactMatrix::identity(3);
    CertificateMaker maker("identity", of_matrix(one), ErrorBounds{});
    const FixedSpaceWitness space{one, one, {0, 1, 2}};
    const NeumannWitness neumann{one, one, one};
    // s = (1/2, 1/2, 1/2), H = I/4, t = 1/4, r = 2: the tail is 3/4 − 2/4, and (1/2)² is not below it.
    const EckartYoungWitness tail{
        2, column(3, 1, -1), one, GramSide::rows, column(1, 1, -2), ExactMatrix(3, 0), ExactMatrix(3, 0)};
    EckartYoungWitness other_side = tail;
    other_side.side = GramSide::columns;
    const FactorWitness none{ExactMatrix(3, 0), ExactMatrix(0, 3), 1};
    const RepresentativeRowsWitness first{{0, 0, 0}};
    const Rational least = power_of_two(-60);

    maker.claim(tail, Rational(1, 2));
    maker.claim(tail, Rational(1, 2) - least);
    maker.claim(other_side, Rational(1, 2) - 2 * least);
    maker.claim(other_side, Rational(1, 2) + least);
    maker.claim(space, 1);
    maker.claim(space, 1 - least);
    maker.claim(neumann, 1 + least);
    maker.claim(neumann, 1 - power_of_two(-53));
    maker.claim(none, 1 - 2 * least);
    maker.claim(none, 1 + 2 * least);
    maker.claim(first, 2);
    maker.claim(first, 2 - least);
    // v = 3/4 (1, ±1, ±1): every product is 3/4.
    RowCycleWitness cycle =
        *test::with_vectors(test::cross_polytope({0, 1, 2}), Eigen::Matrix3d::Identity(), 4);
    cycle.vectors = scaled(cycle.vectors.scale(3), -2);
    maker.claim(cycle, Rational(3, 4));
    maker.claim(cycle, Rational(3, 4) - least);
    maker.claim(UpperRule::zero, 0, 1, "proved");
    maker.claim(UpperRule::zero, 0, 1 - least, "refuted");
    maker.claim(LowerRule::nonzero, 1, 1 + 2 * least, "refuted");
    maker.claim(LowerRule::nonzero, 1, 1 - 2 * least, "proved");
    maker.claim(LowerRule::exact_rank, 3, 0, "proved");
    maker.claim(UpperRule::exact_rank, 3, 0, "proved");
    // The least positive double: the rules of ε = 0 must not take it for zero.
    const Rational tiny = power_of_two(-1074);
    maker.claim(LowerRule::support, 3, tiny, "refuted");
    maker.claim(UpperRule::distinct_rows, 3, tiny, "proved");
    maker.claim(LowerRule::exact_rank, 3, 2 * tiny, "refuted");
    maker.claim(UpperRule::exact_rank, 2, 2 * tiny, "refuted");
    maker.claim(UpperRule::shape, 2, 3 * tiny, "refuted");
    maker.claim(UpperRule::shape, 3, 4 * tiny, "proved");
    // Side conditions broken by the least that a double can.
    const ExactMatrix above = ExactMatrix::from_integers(1, 1, {(Integer(1) << 52) + 1}, -52);
    const ExactMatrix heavy = one.scale_rows(
        ExactMatrix::from_integers(3, 1, {Integer(1) << 52, above.mantissa(0, 0), Integer(1) << 52}, -52));
    maker.claim(FixedSpaceWitness{heavy, one, {0, 1, 2}}, 3, Rational(1, 10), "refuted");
    maker.claim(NeumannWitness{heavy, one, one}, 3, Rational(1, 11), "refuted");
    maker.claim(NeumannWitness{one, heavy, one}, 3, Rational(1, 12), "refuted");
    maker.claim(NeumannWitness{one, one, heavy}, 3, Rational(1, 13), "proved");
    EckartYoungWitness broken = tail;
    broken.grouping = heavy;
    maker.claim(broken, 3, Rational(1, 14), "refuted");
    broken = tail;
    broken.threshold = column(1, -1, -1074);
    maker.claim(broken, 3, Rational(1, 15), "refuted");
    broken = tail;
    broken.row_weights = ExactMatrix::from_integers(3, 1, {Integer(1) << 60, 1, 0}, -60);
    maker.claim(broken, 3, Rational(1, 16), "refuted");
    // The budget of each row is one entry below ε = 1, none from there on.
    maker.claim_top_k({1, 1, 1 - 3 * least}, "proved");
    maker.claim_top_k({2, 3, 1 - 4 * least}, "refuted");
    maker.claim_top_k({0, 0, 1 + 3 * least}, "proved");
    made.add(maker);
}

/// [[1, 0], [1 − a, a]] with a = 1049/2^20: r_ε = 2 exactly below a/(2 − a), 1 from there to below 1.
void make_corner(Made& made) {
    const long bits = 20;
    const Integer one = Integer(1) << bits, m = 1049;
    const Rational a(m, one);
    const ExactMatrix matrix = ExactMatrix::from_integers(2, 2, {one, 0, one - m, m}, -bits);
    CertificateMaker maker("corner", of_matrix(matrix), ErrorBounds{});
    const Rational threshold = a / (2 - a), step = power_of_two(-40);
    const auto inverse = test::inverse(test::widen(matrix));
    const FixedSpaceWitness space{ExactMatrix::identity(2), test::on_grid(*inverse, 120), {0, 1}};
    const NeumannWitness neumann{ExactMatrix::identity(2), ExactMatrix::identity(2), space.inverse};
    maker.claim(space, 2, threshold * (1 - step), "proved");
    maker.claim(neumann, 2, threshold * (1 - step / 2), "proved");
    maker.claim(space, 2, threshold, "refuted");
    maker.claim(neumann, 2, threshold * (1 + step), "refuted");
    // The nearest singular matrix A − y eᵀ, as rational factors: the signs of the inverse's second row, −1
    // and 1, give y = (−1, 1) threshold; with the second column: B e_1 = A e_1 and B e_2 = −(A⁻¹y)_1 A e_1.
    const Rational x = -threshold;  // (A⁻¹ y)_1 = y_1
    const Integer common(denominator(x));
    const Integer right(numerator(Rational(-x * Rational(common))));
    const FactorWitness nearest{matrix.select_cols({0}), ExactMatrix::from_integers(1, 2, {common, right}, 0),
                                common};
    maker.claim(nearest, 1, threshold, "proved");
    maker.claim(nearest, 1, threshold * (1 + step), "proved");
    maker.claim(nearest, 1, threshold * (1 - step), "refuted");
    maker.claim(LowerRule::nonzero, 1, 1 - step, "proved");
    maker.claim(UpperRule::zero, 0, 1 - step, "refuted");
    maker.claim(LowerRule::nonzero, 1, 1, "refuted");
    maker.claim(UpperRule::zero, 0, 1, "proved");
    made.add(maker);
}

void make_random(Made& made, const char* name, Index rows, Index cols, bool stochastic, unsigned seed) {
    test::Random random(seed);
    const ExactMatrix a = test::random_matrix(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols),
                                              stochastic, random);
    CertificateMaker maker(name, of_matrix(a), ErrorBounds{});
    maker.claim_with_every_kind(random);
    made.add(maker);
}

/// A random matrix times 2^exponent, its witnesses scaled likewise: numbers that flush-to-zero, or an
/// overflow, would lose.
void make_scaled(Made& made, const char* name, long exponent, unsigned seed) {
    test::Random random(seed);
    const ExactMatrix a = test::random_matrix(5, 5, false, random);
    CertificateMaker plain("plain", of_matrix(a), ErrorBounds{});
    plain.claim_with_every_kind(random);
    CertificateMaker maker(name, of_matrix(scaled(a, exponent)), ErrorBounds{});
    for (LowerWitness witness : plain.bundle().lower_witnesses) {
        if (auto* space = std::get_if<FixedSpaceWitness>(&witness)) {
            space->inverse = scaled(space->inverse, -exponent);
        } else if (auto* neumann = std::get_if<NeumannWitness>(&witness)) {
            neumann->inverse = scaled(neumann->inverse, -exponent);
        } else if (auto* tail = std::get_if<EckartYoungWitness>(&witness)) {
            tail->threshold = scaled(tail->threshold, 2 * exponent);
            tail->large_factor = scaled(tail->large_factor, exponent);
            tail->small_factor = scaled(tail->small_factor, exponent);
        }
        maker.claim_around_edge(witness);
    }
    for (UpperWitness witness : plain.bundle().upper_witnesses) {
        if (auto* factors = std::get_if<FactorWitness>(&witness))
            factors->left = scaled(factors->left, exponent);
        maker.claim_around_edge(witness);
    }
    made.add(maker);
}

}  // namespace

void make_matrices(Made& made) {
    make_identity(made);
    make_corner(made);
    make_random(made, "stochastic-8x8", 8, 8, true, 1);
    make_random(made, "signed-6x9", 6, 9, false, 2);
    make_random(made, "signed-9x5", 9, 5, false, 3);
    make_scaled(made, "subnormal-5x5", -1060, 4);
    make_scaled(made, "tiny-5x5", -1015, 5);
    make_scaled(made, "enormous-5x5", 1015, 6);
}

}  // namespace rankcert::tests
