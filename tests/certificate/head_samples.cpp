#include "certificate/head_samples.hpp"

#include <set>

#include "certificate/exact_checker.hpp"
#include "certificate/exact_witnesses.hpp"

namespace samples {
namespace {

using namespace rankcert::test;

ExactMatrix eighths(std::size_t rows, std::size_t cols, std::mt19937_64& random) {
    std::vector<Integer> values;
    for (std::size_t at = 0; at < rows * cols; ++at) values.push_back(static_cast<long>(random() % 65) - 32);
    return ExactMatrix::from_integers(static_cast<Index>(rows), static_cast<Index>(cols), values, -3);
}

BoolMatrix random_keep(std::size_t m, std::size_t n, std::mt19937_64& random) {
    BoolMatrix keep(static_cast<Index>(m), static_cast<Index>(n));
    for (Index i = 0; i < keep.rows(); ++i) {
        for (Index j = 0; j < keep.cols(); ++j) keep(i, j) = random() % 4 != 0;
        keep(i, static_cast<Index>(below(n, random))) = true;
    }
    return keep;
}

Mask random_mask(std::size_t m, std::size_t n, std::mt19937_64& random) {
    Mask mask;
    switch (random() % 5) {
        case 0:
            break;
        case 1:
            mask.kind = MaskKind::causal;
            mask.alignment = m > n ? CausalAlignment::top_left : CausalAlignment::bottom_right;
            break;
        case 2:
            mask.kind = MaskKind::causal;
            mask.alignment = CausalAlignment::top_left;
            break;
        case 3:
            mask.kind = MaskKind::boolean;
            mask.keep = random_keep(m, n, random);
            break;
        default:
            mask.kind = MaskKind::additive;
            mask.bias = eighths(m, n, random);
            if (random() % 2 != 0) break;
            mask.keep = random_keep(m, n, random);
            mask.bias = shown(mask.bias, mask.keep);
    }
    return mask;
}

Head random_head(NumberFormat& format, std::mt19937_64& random) {
    const std::size_t m = 1 + below(5, random), n = 1 + below(6, random), d = 1 + below(3, random);
    Head head;
    head.query = eighths(m, d, random);
    head.key = eighths(n, d, random);
    format = std::array{NumberFormat::float16, NumberFormat::bfloat16, NumberFormat::float32,
                        NumberFormat::float64}[below(4, random)];
    head.mask = random_mask(m, n, random);
    head.scale.sqrt_of = 1 + below(4, random);
    if (random() % 4 == 0) head.scale.factor = Rational(-1, 3);
    switch (random() % 8) {
        case 0:  // uniform rows
            head.multiplier_low = head.multiplier_high = 0;
            break;
        case 1:  // equal keys, equal rows
            head.key = head.key.select_rows(std::vector<Index>(n, 0));
            break;
        case 2:  // equal queries
            head.query = head.query.select_rows(std::vector<Index>(m, 0));
            break;
        case 3:
            head.multiplier_low = Rational(1, 3);
            head.multiplier_high = Rational(1, 3) + two_to(-12);
            break;
        case 4:
            head.rounded_from = format;
            break;
        default:
            head.multiplier_low = head.multiplier_high = Rational(1 + static_cast<long>(below(4, random)), 2);
    }
    return head;
}

void add_witnesses(Bundle& bundle, std::mt19937_64& random) {
    const Shaped a = widen(bundle.subject.centre);
    const std::size_t most = std::min(a.rows, a.cols);
    const std::size_t k = 1 + below(most, random);
    if (const auto w = fixed_space(a, k, random)) bundle.lower_witnesses.emplace_back(*w);
    if (const auto w = fixed_space(a, most, random)) bundle.lower_witnesses.emplace_back(*w);
    if (const auto w = neumann(a, k, random)) bundle.lower_witnesses.emplace_back(*w);
    bundle.lower_witnesses.emplace_back(eckart_young(bundle.subject.centre, k - 1, random));
    bundle.lower_witnesses.emplace_back(random() % 2 == 0 ? LowerRule::nonzero : LowerRule::support);
    bundle.upper_witnesses.emplace_back(factors(bundle.subject.centre, k, random));
    RepresentativeRowsWitness rows;
    for (std::size_t i = 0; i < a.rows; ++i)
        rows.representative.push_back(static_cast<Index>(below(k, random)));
    bundle.upper_witnesses.emplace_back(rows);
    bundle.upper_witnesses.emplace_back(
        std::array{UpperRule::zero, UpperRule::shape, UpperRule::distinct_rows}[below(3, random)]);
}

/// ε such that no claim has it yet, moved by parts in 10^15 in the direction in which it stays proved.
Rational fresh(Rational epsilon, bool downward, std::set<Rational>& used) {
    const Rational step = epsilon / parse_rational("1e15");
    if (downward) epsilon -= step;
    while (!used.insert(epsilon).second) epsilon += downward ? Rational(-step) : step;
    return epsilon;
}

void add_claims(Bundle& bundle) {
    const auto checker = rankcert::detail::make_exact_checker(bundle.subject);
    std::set<Rational> used;
    for (std::size_t i = 0; i < bundle.lower_witnesses.size(); ++i) {
        const auto measure = checker->measure(bundle.lower_witnesses[i]);
        const auto edge = checker->reach(measure);
        if (!edge || (*edge == 0 && used.contains(0))) continue;
        Claim claim;
        claim.epsilon = fresh(*edge, true, used);
        claim.lower = measure->rank();
        claim.lower_witness = static_cast<int>(i);
        bundle.claims.push_back(claim);
    }
    for (std::size_t i = 0; i < bundle.upper_witnesses.size(); ++i) {
        const auto measure = checker->measure(bundle.upper_witnesses[i]);
        const auto edge = checker->reach(measure);
        if (!edge || (*edge == 0 && used.contains(0))) continue;
        Claim claim;
        claim.epsilon = fresh(*edge, false, used);
        claim.upper = measure->rank();
        claim.upper_witness = static_cast<int>(i);
        bundle.claims.push_back(claim);
    }
    for (const char* text : {"0", "1/10", "1/2"}) {
        Claim claim;
        claim.epsilon = parse_rational(text);
        if (!used.insert(claim.epsilon).second) continue;
        claim.top_k = **checker->prove_top_k_budget(claim.epsilon).proof;
        bundle.claims.push_back(claim);
    }
}

}  // namespace

ExactMatrix shown(const ExactMatrix& bias, const BoolMatrix& keep) {
    std::vector<Integer> values;
    for (Index i = 0; i < keep.rows(); ++i)
        for (Index j = 0; j < keep.cols(); ++j)
            values.push_back(keep(i, j) ? bias.mantissa(i, j) : Integer(0));
    return ExactMatrix::from_integers(keep.rows(), keep.cols(), std::move(values), bias.exponent());
}

Bundle of_head(const Head& head, const ExactMatrix& centre, NumberFormat format) {
    Bundle bundle;
    bundle.subject.head = head;
    bundle.subject.centre = centre;
    bundle.format = format;
    bundle.input.file = "model.safetensors";
    bundle.input.tensors = {{"query", "q"}, {"key", "k"}};
    return bundle;
}

std::vector<Bundle> heads_at_the_edge(std::size_t count, std::mt19937_64& random) {
    std::vector<Bundle> result;
    while (result.size() < count) {
        NumberFormat format{};
        const Head head = random_head(format, random);
        const unsigned precision = std::array{53U, 53U, 53U, 12U, 80U}[below(5, random)];
        Bundle bundle = of_head(head, enclose_softmax(head, precision).centre, format);
        add_witnesses(bundle, random);
        add_claims(bundle);
        result.push_back(std::move(bundle));
    }
    return result;
}

Head one_key() {
    Head head;
    head.query = ExactMatrix::from_integers(1, 1, {3}, 0);
    head.key = ExactMatrix::from_integers(1, 1, {-7}, 0);
    return head;
}

Head uniform(Index rows, Index cols, MaskKind mask) {
    const auto ramp = [](Index n) {
        std::vector<Integer> values;
        for (Index i = 0; i < n; ++i) values.emplace_back(static_cast<long>(i + 1));
        return ExactMatrix::from_integers(n, 1, values, 0);
    };
    Head head;
    head.query = ramp(rows);
    head.key = ramp(cols);
    head.multiplier_low = head.multiplier_high = 0;
    head.mask.kind = mask;
    return head;
}

}  // namespace samples
