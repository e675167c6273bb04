#include "environment/generate/certificate_maker.hpp"

#include <algorithm>
#include <stdexcept>

#include "certificate/exact_oracle.hpp"
#include "certificate/row_cycles.hpp"

namespace rankcert::tests {
namespace {

Rational power_of_two(long exponent) { return to_rational(Integer(1), exponent); }

/// The largest multiple of `grid` that is not above x ≥ 0.
Rational floor_to(const Rational& x, const Rational& grid) {
    const Rational quotient = x / grid;
    return Rational(Integer(numerator(quotient) / denominator(quotient))) * grid;
}

/// 2^−80 of a power of two near x.
Rational grid_at(const Rational& x) {
    const auto bits = [](const Integer& n) {
        return static_cast<long>(mpz_sizeinbase(n.backend().data(), 2));
    };
    return power_of_two(bits(Integer(numerator(x))) - bits(Integer(denominator(x))) - 80);
}

template <class Witness>
test::Answer answer(const Witness& witness, const test::Shaped& centre, const Rational& epsilon) {
    return std::visit(
        [&](const auto& w) -> test::Answer {
            using W = std::decay_t<decltype(w)>;
            if constexpr (std::is_same_v<W, LowerRule> || std::is_same_v<W, UpperRule>)
                throw std::logic_error("what a rule proves is for the caller to say");
            else
                return test::oracle(w, centre, epsilon);
        },
        witness);
}

template <class Matrix>
bool same(const Matrix& a, const Matrix& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}
bool same(const FixedSpaceWitness& a, const FixedSpaceWitness& b) {
    return same(a.basis, b.basis) && same(a.inverse, b.inverse) && a.pivots == b.pivots;
}
bool same(const NeumannWitness& a, const NeumannWitness& b) {
    return same(a.selection, b.selection) && same(a.decoder, b.decoder) && same(a.inverse, b.inverse);
}
bool same(const EckartYoungWitness& a, const EckartYoungWitness& b) {
    return a.rank == b.rank && a.side == b.side && same(a.row_weights, b.row_weights) &&
           same(a.grouping, b.grouping) && same(a.threshold, b.threshold) &&
           same(a.large_factor, b.large_factor) && same(a.small_factor, b.small_factor);
}
bool same(const RowCycleWitness& a, const RowCycleWitness& b) {
    const auto equal = [](const SignedRowSet& x, const SignedRowSet& y) {
        return x.rows == y.rows && x.negative == y.negative && x.vector == y.vector;
    };
    return a.rank == b.rank && same(a.vectors, b.vectors) &&
           std::equal(a.sets.begin(), a.sets.end(), b.sets.begin(), b.sets.end(), equal);
}
bool same(const FactorWitness& a, const FactorWitness& b) {
    return same(a.left, b.left) && same(a.right, b.right) && a.denominator == b.denominator;
}
bool same(const RepresentativeRowsWitness& a, const RepresentativeRowsWitness& b) {
    return a.representative == b.representative;
}
bool same(LowerRule a, LowerRule b) { return a == b; }
bool same(UpperRule a, UpperRule b) { return a == b; }

template <class Variant>
int index_in(std::vector<Variant>& all, const Variant& witness) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].index() != witness.index()) continue;
        const bool equal = std::visit(
            [&](const auto& w) { return same(w, std::get<std::decay_t<decltype(w)>>(all[i])); }, witness);
        if (equal) return static_cast<int>(i);
    }
    all.push_back(witness);
    return static_cast<int>(all.size()) - 1;
}

/// A claim is as weak as its weakest part; where one is refuted nothing else matters.
std::string weaker(const std::string& a, const std::string& b) {
    for (const char* word : {"refuted", "open", "undecided"})
        if (a == word || b == word) return word;
    return "proved";
}

}  // namespace

CertificateMaker::CertificateMaker(std::string name, Bundle bundle, ErrorBounds rho)
    : name_(std::move(name)), bundle_(std::move(bundle)), rho_(std::move(rho)) {}

int CertificateMaker::index_of(const LowerWitness& witness) {
    return index_in(bundle_.lower_witnesses, witness);
}
int CertificateMaker::index_of(const UpperWitness& witness) {
    return index_in(bundle_.upper_witnesses, witness);
}

/// Lower witnesses prove less at a larger tolerance, upper ones more.
template <class Witness>
std::string CertificateMaker::expect(const Witness& witness, Index rank, const Rational& epsilon) const {
    const test::Shaped centre = test::widen(bundle_.subject.centre);
    constexpr bool is_lower = std::is_same_v<Witness, LowerWitness>;
    const auto holds = [&](const Rational& rho) {
        if (is_lower) {
            const test::Answer found = answer(witness, centre, epsilon + rho);
            return found.holds && found.rank >= rank;
        }
        if (epsilon < rho) return false;
        const test::Answer found = answer(witness, centre, epsilon - rho);
        return found.holds && found.rank <= rank;
    };
    if (holds(rho_.upper)) return "proved";
    return holds(rho_.lower) ? "open" : "refuted";
}

Claim& CertificateMaker::claim_at(const Rational& epsilon, bool lower, const std::string& expected) {
    for (std::size_t i = 0; i < bundle_.claims.size(); ++i) {
        Claim& claim = bundle_.claims[i];
        if (claim.epsilon != epsilon) continue;
        if ((lower ? claim.lower_witness : claim.upper_witness) >= 0)
            throw std::runtime_error(name_ + ": two claims of one side at ε = " + to_string(epsilon));
        expected_[i] = weaker(expected_[i], expected);
        return claim;
    }
    bundle_.claims.emplace_back();
    bundle_.claims.back().epsilon = epsilon;
    expected_.push_back(expected);
    return bundle_.claims.back();
}

void CertificateMaker::claim(const LowerWitness& witness, Index rank, const Rational& epsilon,
                             const std::string& expected) {
    Claim& claim = claim_at(epsilon, true, expected);
    claim.lower = rank;
    claim.lower_witness = index_of(witness);
}

void CertificateMaker::claim(const UpperWitness& witness, Index rank, const Rational& epsilon,
                             const std::string& expected) {
    Claim& claim = claim_at(epsilon, false, expected);
    claim.upper = rank;
    claim.upper_witness = index_of(witness);
}

/// ε, or the next one above it that no claim of this side has, in steps that do not matter.
Rational CertificateMaker::free_near(Rational epsilon, bool lower) const {
    const auto taken = [&](const Claim& claim) {
        return claim.epsilon == epsilon && (lower ? claim.lower_witness : claim.upper_witness) >= 0;
    };
    while (std::any_of(bundle_.claims.begin(), bundle_.claims.end(), taken))
        epsilon += grid_at(epsilon) * power_of_two(-20);
    return epsilon;
}

void CertificateMaker::claim(const LowerWitness& witness, const Rational& wanted) {
    const Rational epsilon = free_near(wanted, true);
    const Index rank = answer(witness, test::widen(bundle_.subject.centre), 0).rank;
    claim(witness, rank, epsilon, expect(witness, rank, epsilon));
}

void CertificateMaker::claim(const UpperWitness& witness, const Rational& wanted) {
    const Rational epsilon = free_near(wanted, false);
    const Index rank = answer(witness, test::widen(bundle_.subject.centre), power_of_two(2000)).rank;
    claim(witness, rank, epsilon, expect(witness, rank, epsilon));
}

void CertificateMaker::claim_top_k(const TopKBudget& budget, const std::string& expected) {
    for (const Claim& claim : bundle_.claims)
        if (claim.epsilon == budget.epsilon) throw std::runtime_error(name_ + ": a top-k claim too many");
    bundle_.claims.emplace_back();
    bundle_.claims.back().epsilon = budget.epsilon;
    bundle_.claims.back().top_k = budget;
    expected_.push_back(expected);
}

void CertificateMaker::claim_around_edge(const LowerWitness& witness) {
    const auto reach = make_checker(bundle_.subject, Level::exact)->lower_reach(witness);
    if (!reach) throw std::runtime_error(name_ + ": a lower witness proves nothing");
    const Rational grid = grid_at(*reach), inside = floor_to(*reach, grid);
    claim(witness, floor_to(*reach * 3 / 4, grid));
    claim(witness, inside);
    claim(witness, inside + grid);
    claim(witness, floor_to(*reach * 5 / 4, grid));
    if (*reach != inside && rho_.upper == 0) claim(witness, *reach);
}

void CertificateMaker::claim_around_edge(const UpperWitness& witness) {
    const auto reach = make_checker(bundle_.subject, Level::exact)->upper_reach(witness);
    if (!reach || *reach == 0) throw std::runtime_error(name_ + ": an upper witness without an edge");
    const Rational grid = grid_at(*reach), below = floor_to(*reach, grid);
    claim(witness, floor_to(*reach * 5 / 4, grid));
    claim(witness, below + grid);
    claim(witness, below);
    claim(witness, floor_to(*reach * 3 / 4, grid));
    if (*reach != below && rho_.upper == 0) claim(witness, *reach);
}

void CertificateMaker::claim_with_every_kind(test::Random& random) {
    const Eigen::MatrixXd a = bundle_.subject.centre.estimate_double();
    const Index most = std::min(a.rows(), a.cols());
    // The makers draw at random and may fail; a witness must prove something.
    const auto lower = [&](auto make) {
        const auto checker = make_checker(bundle_.subject, Level::exact);
        for (int attempt = 0; attempt < 1000; ++attempt) {
            const auto witness = make();
            if (!witness || !checker->lower_reach(*witness)) continue;
            claim_around_edge(LowerWitness(*witness));
            return;
        }
        throw std::runtime_error(name_ + ": no lower witness was found");
    };
    const Index small = std::min<Index>(3, most);
    lower([&] { return test::make_fixed_space(a, small, random); });
    lower([&] { return test::make_neumann(a, small, random); });
    for (const GramSide side : {GramSide::rows, GramSide::columns}) {
        lower([&] {
            auto witness = test::make_eckart_young(a, small - 1, random);
            if (witness && witness->side != side) witness.reset();
            return witness;
        });
    }
    const Index rank = (most + 1) / 2;
    claim_around_edge(UpperWitness(test::make_factors(a, rank, random)));
    FactorWitness thirds = test::make_factors(3 * a, rank, random);
    thirds.denominator *= 3;
    claim_around_edge(UpperWitness(thirds));
    claim_around_edge(UpperWitness(test::make_rows(a, rank, random)));
    lower([&] { return test::with_vectors(test::random_cycle(small, a.rows(), 2, random), a, 20); });
}

void CertificateMaker::claim_head_rules() {
    const Index m = bundle_.subject.rows(), n = bundle_.subject.cols();
    const Rational least = power_of_two(-60), tiny = power_of_two(-1074);
    claim(LowerRule::nonzero, 1, 1 - least, "proved");
    claim(UpperRule::zero, 0, 1 - least, "refuted");
    claim(LowerRule::nonzero, 1, 1, "refuted");
    claim(UpperRule::zero, 0, 1, "proved");
    claim(LowerRule::support, 0, 0, "proved");
    claim(UpperRule::shape, std::min(m, n), 0, "proved");
    claim(LowerRule::support, 0, tiny, "refuted");
    claim(UpperRule::distinct_rows, m, tiny, "proved");
    claim(LowerRule::support, std::min(m, n) + 1, tiny * 2, "refuted");
    claim(UpperRule::shape, std::min(m, n) - 1, tiny * 2, "refuted");
    claim_top_k({1, n, tiny * 3}, "proved");
    claim_top_k({0, 0, tiny * 4}, "refuted");
    claim_top_k({0, 0, Rational(7, 3)}, "proved");
}

Bundle CertificateMaker::finish() {
    std::string words;
    for (const std::string& word : expected_) words += (words.empty() ? "" : " ") + word;
    bundle_.information["expected"] = words;
    const auto verdicts = check(bundle_, Level::exact);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (expected_[i] != "open" && expected_[i] != to_string(verdicts[i].decision))
            throw std::runtime_error(name_ + ", claim " + std::to_string(i) + ": expected " + expected_[i] +
                                     ", but the exact checker says " + to_string(verdicts[i].decision) +
                                     " (" + verdicts[i].reason + ")");
    }
    return bundle_;
}

}  // namespace rankcert::tests
