#include "certificate/head_judge.hpp"

#include <doctest/doctest.h>

namespace rankcert::test {
namespace {

bool is_same(const Head& a, const Head& b) {
    const auto same_mask = [](const Mask& x, const Mask& y) {
        if (x.kind != y.kind) return false;
        if (x.kind == MaskKind::causal) return x.alignment == y.alignment;
        if (x.kind == MaskKind::none) return true;
        if (x.keep.rows() != y.keep.rows() || x.keep.cols() != y.keep.cols() || x.keep != y.keep)
            return false;
        return x.kind == MaskKind::boolean || x.bias == y.bias;
    };
    return a.query == b.query && a.key == b.key && a.scale.factor == b.scale.factor &&
           a.scale.sqrt_of == b.scale.sqrt_of && a.multiplier_low == b.multiplier_low &&
           a.multiplier_high == b.multiplier_high && a.rounded_from == b.rounded_from &&
           same_mask(a.mask, b.mask);
}

/// One file's judgement.
class Judge {
  public:
    Judge(const Bundle& bundle, HeadOracle& oracle, HeadCount& count)
        : bundle_(bundle),
          oracle_(oracle),
          count_(count),
          centre_(widen(bundle.subject.centre)),
          error_(oracle.error(centre_)) {}

    void judge(const Claim& claim, const ClaimVerdict& exact, const ClaimVerdict& fast) {
        const Expected lower = expect_lower(claim, error_), upper = expect_upper(claim, error_);
        Expected budget{true, true, 0};
        if (claim.top_k) {
            const auto [least, most] = oracle_.budget(claim.epsilon);
            weaken(budget, most >= claim.top_k->lower && least <= claim.top_k->upper);
            budget.surely = least >= claim.top_k->lower && most <= claim.top_k->upper;
        }
        for (const auto& [verdict, level] :
             {std::pair{&exact, Level::exact}, std::pair{&fast, Level::fast}}) {
            require(!verdict->lower || lower.possibly, "a lower bound that its witness does not prove");
            require(!verdict->upper || upper.possibly, "an upper bound that its witness does not prove");
            require(!verdict->top_k || budget.possibly, "a top-k budget that is another");
            if (verdict->lower) require_true(**verdict->lower, lower);
            if (verdict->upper) require_true(**verdict->upper, upper);
            const bool surely = lower.surely && upper.surely && budget.surely;
            const bool possibly = lower.possibly && upper.possibly && budget.possibly;
            if (verdict->decision == Decision::proved) {
                ++count_.proved;
                require(possibly, "a claim of which a part is not so");
                require((claim.lower_witness < 0) == !verdict->lower &&
                            (claim.upper_witness < 0) == !verdict->upper && !claim.top_k == !verdict->top_k,
                        "a claim without the proofs of its parts");
                if (!surely) ++count_.unsure;
            } else {
                ++count_.not_proved;
                if (level == Level::exact && !claim.top_k && is_ample(claim)) {
                    ++count_.missed;
                    if (count_.first_missed.empty()) count_.first_missed = exact.reason;
                }
                require(verdict->decision != Decision::refuted || (level == Level::exact && !surely),
                        "a refutation of what is so");
            }
        }
        require(fast.decision != Decision::proved || exact.decision == Decision::proved,
                "the fast level proves what the exact one does not");
    }

  private:
    static void weaken(Expected& expected, bool strong_enough) {
        expected.surely = expected.surely && strong_enough;
        expected.possibly = expected.possibly && strong_enough;
    }

    Expected expect_lower(const Claim& claim, const Bounds& error) const {
        if (claim.lower_witness < 0) return {true, true, 0};
        const auto& witness = bundle_.lower_witnesses.at(static_cast<std::size_t>(claim.lower_witness));
        Expected result = expect(witness, oracle_, centre_, error, claim.epsilon);
        weaken(result, result.rank >= claim.lower);
        return result;
    }

    Expected expect_upper(const Claim& claim, const Bounds& error) const {
        if (claim.upper_witness < 0) return {true, true, 0};
        const auto& witness = bundle_.upper_witnesses.at(static_cast<std::size_t>(claim.upper_witness));
        Expected result = expect(witness, oracle_, centre_, error, claim.epsilon);
        weaken(result, result.rank <= claim.upper);
        return result;
    }

    /// Whether the sides of a claim hold with ρ larger by a part in 2^50: then the exact level, whose ρ is at
    /// least so good for a single head, must prove them.
    bool is_ample(const Claim& claim) const {
        const Bounds error{error_.low, error_.high * (1 + two_to(-50)) + two_to(-100)};
        return bundle_.subject.head->is_single() && expect_lower(claim, error).surely &&
               expect_upper(claim, error).surely;
    }

    void require_true(const RankAtLeast& proved, const Expected& expected) {
        require(proved.rank <= expected.rank, "a lower bound above what its witness proves");
        for (RankOracle& member : oracle_.members()) {
            ++count_.geometric;
            require(!member.denies_at_least(proved.rank, proved.epsilon), "a false lower bound");
        }
    }

    void require_true(const RankAtMost& proved, const Expected& expected) {
        require(proved.rank >= expected.rank, "an upper bound below what its witness proves");
        for (RankOracle& member : oracle_.members()) {
            ++count_.geometric;
            require(!member.denies_at_most(proved.rank, proved.epsilon), "a false upper bound");
        }
    }

    void require(bool condition, const char* what) {
        if (condition) return;
        ++count_.wrong;
        if (count_.first_wrong.empty()) count_.first_wrong = what;
    }

    const Bundle& bundle_;
    HeadOracle& oracle_;
    HeadCount& count_;
    Shaped centre_;
    Bounds error_;
};

}  // namespace

void judge_head(const files::Bytes& bytes, const Head& original, HeadOracle& known, HeadCount& count) {
    Bundle bundle;
    std::vector<ClaimVerdict> exact, fast;
    try {
        bundle = parse_bundle(bytes, "c");
        exact = check(bundle, Level::exact);
        fast = check(bundle, Level::fast);
    } catch (const Error&) {
        ++count.refused;
        return;
    }
    ++count.parsed;
    REQUIRE(bundle.subject.head.has_value());
    std::optional<HeadOracle> own;
    if (!is_same(*bundle.subject.head, original)) own.emplace(*bundle.subject.head);
    Judge judge(bundle, own ? *own : known, count);
    REQUIRE(exact.size() == bundle.claims.size());
    REQUIRE(fast.size() == bundle.claims.size());
    for (std::size_t i = 0; i < exact.size(); ++i) judge.judge(bundle.claims[i], exact[i], fast[i]);
}

}  // namespace rankcert::test
