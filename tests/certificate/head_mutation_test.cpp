#include <doctest/doctest.h>

#include "certificate/exact_mutants.hpp"
#include "certificate/exact_witnesses.hpp"
#include "certificate/head_judge.hpp"
#include "certificate/head_samples.hpp"
#include "rankcert/io/safetensors.hpp"

// Certificates of attention heads with something changed and the digest made to fit, so that nothing but the
// mathematics stands between a changed file and a false proof.

using namespace rankcert;
using namespace rankcert::test;

namespace {

template <class T>
T& one_of(std::vector<T>& list, std::mt19937_64& random) {
    return list[below(list.size(), random)];
}

files::Bytes flip_bit(files::Bytes bytes, std::size_t from, std::mt19937_64& random) {
    bytes[from + below(bytes.size() - from, random)] ^= static_cast<std::byte>(1U << (random() % 8));
    return bytes;
}

/// Bits of one tensor, or the numbers of two of them exchanged.
files::Bytes change_tensors(const files::Bytes& bytes, std::mt19937_64& random) {
    Safetensors contents = parse_safetensors(bytes, "x");
    std::vector<Tensor*> full;
    for (Tensor& tensor : contents.tensors)
        if (!tensor.data.empty()) full.push_back(&tensor);
    Tensor& tensor = *one_of(full, random);
    if (random() % 4 != 0) {
        tensor.data = flip_bit(tensor.data, 0, random);
    } else {
        Tensor& other = *one_of(full, random);
        if (other.data.size() == tensor.data.size()) std::swap(tensor.data, other.data);
    }
    return format_safetensors(contents);
}

/// Rows or columns in another order, or one of them gone, in all matrices that speak of the same keys or
/// queries.
void drop_token(Bundle& bundle, std::mt19937_64& random) {
    Head& head = *bundle.subject.head;
    const auto kept = [&random](Index n) {
        const auto count = static_cast<std::size_t>(n);
        return some_indices(count > 1 && random() % 2 == 0 ? count - 1 : count, count, random);
    };
    if (random() % 2 == 0) {
        const std::vector<Index> rows = kept(head.queries());
        head.query = head.query.select_rows(rows);
        if (random() % 4 != 0) bundle.subject.centre = bundle.subject.centre.select_rows(rows);
        if (head.mask.kind == MaskKind::additive) head.mask.bias = head.mask.bias.select_rows(rows);
        if (head.mask.keep.size() != 0) head.mask.keep = BoolMatrix(head.mask.keep(rows, Eigen::all));
    } else {
        const std::vector<Index> cols = kept(head.keys());
        head.key = head.key.select_rows(cols);
        if (random() % 4 != 0) bundle.subject.centre = bundle.subject.centre.select_cols(cols);
        if (head.mask.kind == MaskKind::additive) head.mask.bias = head.mask.bias.select_cols(cols);
        if (head.mask.keep.size() != 0) head.mask.keep = BoolMatrix(head.mask.keep(Eigen::all, cols));
    }
}

void change_mask(Mask& mask, Index rows, Index cols, std::mt19937_64& random) {
    if (mask.keep.size() != 0 && random() % 2 == 0) {
        bool& keep = mask.keep.data()[below(static_cast<std::size_t>(mask.keep.size()), random)];
        keep = !keep;
        if (mask.kind == MaskKind::additive) mask.bias = samples::shown(mask.bias, mask.keep);
    } else if (mask.kind == MaskKind::additive && random() % 2 == 0) {
        mask.bias = mutant(mask.bias, random);
    } else if (mask.kind == MaskKind::causal && random() % 2 == 0) {
        mask.alignment = mask.alignment == CausalAlignment::top_left ? CausalAlignment::bottom_right
                                                                     : CausalAlignment::top_left;
    } else {
        mask.kind = std::array{MaskKind::none, MaskKind::causal, MaskKind::boolean,
                               MaskKind::additive}[below(4, random)];
        mask.keep = BoolMatrix();
        if (mask.kind == MaskKind::boolean || (mask.kind == MaskKind::additive && random() % 2 == 0))
            mask.keep = BoolMatrix::Constant(rows, cols, true);
        mask.bias = ExactMatrix(rows, cols);
    }
}

Rational nudged(const Rational& x, std::mt19937_64& random) {
    const Rational part = x / parse_rational("1e15") * Rational(1 + static_cast<long>(below(3, random)));
    return random() % 2 == 0 ? Rational(x + part) : Rational(x - part);
}

void change_operator(Head& head, std::mt19937_64& random) {
    switch (random() % 6) {
        case 0:
            head.scale.factor = random() % 2 == 0 ? nudged(head.scale.factor, random) : -head.scale.factor;
            break;
        case 1:
            head.scale.sqrt_of ^= 1ULL << (random() % 3);
            break;
        case 2:
            head.multiplier_high = nudged(head.multiplier_high, random);
            break;
        case 3:
            head.multiplier_low = nudged(head.multiplier_low, random);
            break;
        case 4:
            head.multiplier_low = head.multiplier_high = nudged(head.multiplier_high, random);
            break;
        default:
            if (head.rounded_from)
                head.rounded_from.reset();
            else
                head.rounded_from = NumberFormat::float64;
    }
}

void change_claim(Bundle& bundle, std::mt19937_64& random) {
    Claim& claim = one_of(bundle.claims, random);
    switch (random() % 8) {
        case 0:
        case 1:
        case 2:
            claim.epsilon = nudged(claim.epsilon, random);
            break;
        case 3:
            claim.epsilon = Rational(static_cast<long>(below(70, random)), 64);
            break;
        case 4:
            claim.lower += static_cast<Index>(below(3, random)) - 1;
            break;
        case 5:
            claim.upper += static_cast<Index>(below(3, random)) - 1;
            break;
        case 6: {
            const Index most = bundle.subject.cols() + 1;
            const auto any = [&] {
                return static_cast<Index>(below(static_cast<std::size_t>(most), random));
            };
            claim.top_k = TopKBudget{any(), any(), claim.epsilon};
            break;
        }
        default:
            claim.lower_witness = static_cast<int>(below(bundle.lower_witnesses.size(), random));
            claim.upper_witness = static_cast<int>(below(bundle.upper_witnesses.size(), random));
            claim.lower = static_cast<Index>(below(4, random));
            claim.upper = static_cast<Index>(below(4, random));
    }
    if (claim.top_k) claim.top_k->epsilon = claim.epsilon;
}

template <class Witness>
void change_witness(Witness& witness, std::mt19937_64& random) {
    std::visit(
        [&random](auto& w) {
            using Kind = std::remove_cvref_t<decltype(w)>;
            if constexpr (std::is_same_v<Kind, LowerRule>)
                w = std::array{LowerRule::nonzero, LowerRule::support, LowerRule::exact_rank}[random() % 3];
            else if constexpr (std::is_same_v<Kind, UpperRule>)
                w = std::array{UpperRule::zero, UpperRule::shape, UpperRule::distinct_rows,
                               UpperRule::exact_rank}[random() % 4];
            else
                w = mutant(w, random);
        },
        witness);
}

/// The head of another certificate, its queries, or its keys; or queries and keys exchanged.
void swap_input(Bundle& bundle, const Bundle& other, std::mt19937_64& random) {
    Head& head = *bundle.subject.head;
    const Head& stranger = *other.subject.head;
    switch (random() % 4) {
        case 0:
            head = stranger;
            break;
        case 1:
            head.query = stranger.query;
            break;
        case 2:
            head.key = stranger.key;
            break;
        default:
            std::swap(head.query, head.key);
    }
}

/// A changed file; nothing where the change cannot be written down.
std::optional<files::Bytes> changed(const Bundle& original, const files::Bytes& bytes, const Bundle& other,
                                    std::mt19937_64& random) {
    switch (random() % 16) {
        case 0:
        case 1:
        case 2:
        case 3:
            return change_tensors(bytes, random);
        case 4:
            return flip_bit(bytes, 99, random);
        default:
            break;
    }
    Bundle bundle = original;
    Head& head = *bundle.subject.head;
    switch (random() % 8) {
        case 0:
            drop_token(bundle, random);
            break;
        case 1:
            change_mask(head.mask, bundle.subject.rows(), bundle.subject.cols(), random);
            break;
        case 2:
            change_operator(head, random);
            break;
        case 3:
            swap_input(bundle, other, random);
            break;
        case 4:
            change_witness(one_of(bundle.lower_witnesses, random), random);
            break;
        case 5:
            change_witness(one_of(bundle.upper_witnesses, random), random);
            break;
        case 6:
            bundle.subject.centre = mutant(bundle.subject.centre, random);
            break;
        default:
            change_claim(bundle, random);
    }
    try {
        return format_bundle(bundle);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

TEST_CASE("12,000 seeded mutations of head certificates with a digest that fits never prove what is not so") {
    std::mt19937_64 random(20261130);
    std::vector<Bundle> bundles = samples::heads_at_the_edge(60, random);
    HeadCount whole, count;
    for (std::size_t b = 0; b < bundles.size(); ++b) {
        CAPTURE(b);
        const Head& head = *bundles[b].subject.head;
        HeadOracle oracle(head);
        const files::Bytes bytes = format_bundle(bundles[b]);
        judge_head(bytes, head, oracle, whole);
        for (int round = 0; round < 200; ++round) {
            CAPTURE(round);
            if (const auto other = changed(bundles[b], bytes, one_of(bundles, random), random))
                judge_head(samples::with_digest(*other), head, oracle, count);
            else
                ++count.refused;
            if (count.wrong > 0) break;
        }
        if (count.wrong > 0) break;
    }
    MESSAGE("whole: " << whole.proved << " claims proved, " << whole.not_proved << " not, " << whole.unsure
                      << " unsure, " << whole.missed << " missed");
    MESSAGE("changed: " << count.refused << " files refused, " << count.parsed << " judged; " << count.proved
                        << " claims proved, " << count.not_proved << " not, " << count.unsure << " unsure, "
                        << count.missed << " missed, " << count.geometric
                        << " compared with the rank itself");
    CHECK(whole.wrong == 0);
    CHECK(whole.refused == 0);
    CHECK(whole.missed == 0);
    CHECK_MESSAGE(count.wrong == 0, count.first_wrong);
    CHECK(count.refused + count.parsed == 12000);
    CHECK(count.parsed > 6000);
    CHECK(count.proved > 10000);
    CHECK(count.not_proved > 10000);
    CHECK(100 * count.unsure < count.proved);
    CHECK_MESSAGE(count.missed == 0, count.first_missed);
}
