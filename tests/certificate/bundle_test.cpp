#include "rankcert/certificate/bundle.hpp"

#include <doctest/doctest.h>

#include "certificate/bundle_samples.hpp"
#include "rankcert/io/safetensors.hpp"

using namespace rankcert;
using files::contains;
using files::refusal;

namespace {

files::Bytes round_trip(const Bundle& bundle) {
    const files::Bytes bytes = format_bundle(bundle);
    const Bundle again = parse_bundle(bytes, "c.safetensors");
    CHECK(format_bundle(again) == bytes);
    CHECK(again.subject.centre == bundle.subject.centre);
    CHECK(again.lower_witnesses.size() == bundle.lower_witnesses.size());
    CHECK(again.upper_witnesses.size() == bundle.upper_witnesses.size());
    REQUIRE(again.claims.size() == bundle.claims.size());
    for (std::size_t i = 0; i < again.claims.size(); ++i) {
        CHECK(again.claims[i].epsilon == bundle.claims[i].epsilon);
        CHECK(again.claims[i].lower == bundle.claims[i].lower);
        CHECK(again.claims[i].upper == bundle.claims[i].upper);
        CHECK(again.claims[i].lower_witness == bundle.claims[i].lower_witness);
        CHECK(again.claims[i].upper_witness == bundle.claims[i].upper_witness);
        CHECK(again.claims[i].top_k.has_value() == bundle.claims[i].top_k.has_value());
    }
    return bytes;
}

std::string refuse_bundle(const Bundle& bundle) {
    return refusal([&] { return format_bundle(bundle); });
}

}  // namespace

TEST_CASE("a certificate with every kind of witness reads back as it was written") {
    const Bundle bundle = samples::identity();
    round_trip(bundle);
    const Bundle again = parse_bundle(format_bundle(bundle), "c");
    for (std::size_t i = 0; i < bundle.lower_witnesses.size(); ++i) {
        CHECK(method_name(again.lower_witnesses[i]) == std::string(method_name(bundle.lower_witnesses[i])));
    }
    for (std::size_t i = 0; i < bundle.upper_witnesses.size(); ++i) {
        CHECK(method_name(again.upper_witnesses[i]) == std::string(method_name(bundle.upper_witnesses[i])));
    }
    const auto& tail = std::get<EckartYoungWitness>(again.lower_witnesses[2]);
    CHECK(tail.rank == 1);
    CHECK(tail.large_factor.rows() == 3);
    CHECK(tail.large_factor.cols() == 0);
    CHECK(std::get<EckartYoungWitness>(again.lower_witnesses[3]).side == GramSide::columns);
    CHECK(std::get<FactorWitness>(again.upper_witnesses[1]).denominator == 3);
    CHECK(std::get<FactorWitness>(again.upper_witnesses[2]).right.rows() == 0);
    CHECK(std::get<FixedSpaceWitness>(again.lower_witnesses[0]).pivots == std::vector<Index>{0, 1, 2});
    CHECK(again.information.at("tool").starts_with("rankcert "));
    CHECK(again.input.file_sha256 == std::string(64, 'a'));
}

TEST_CASE("the exact checker proves every claim of the sample, read from its file") {
    const Bundle bundle = parse_bundle(format_bundle(samples::identity()), "c");
    const auto verdicts = check(bundle, Level::exact);
    REQUIRE(verdicts.size() == bundle.claims.size());
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        CAPTURE(i);
        CAPTURE(verdicts[i].reason);
        CHECK(verdicts[i].decision == Decision::proved);
        CHECK(verdicts[i].epsilon == bundle.claims[i].epsilon);
        CHECK(verdicts[i].lower.has_value() == (bundle.claims[i].lower_witness >= 0));
        CHECK(verdicts[i].upper.has_value() == (bundle.claims[i].upper_witness >= 0));
        if (verdicts[i].lower) CHECK((*verdicts[i].lower)->rank >= bundle.claims[i].lower);
        if (verdicts[i].upper) CHECK((*verdicts[i].upper)->rank <= bundle.claims[i].upper);
    }
    CHECK(verdicts.back().top_k.has_value());
}

TEST_CASE("heads of every mask, format, scale and family read back") {
    Bundle bundle = samples::head(53);
    round_trip(bundle);
    Head& head = *bundle.subject.head;
    for (const NumberFormat format :
         {NumberFormat::float16, NumberFormat::bfloat16, NumberFormat::float32, NumberFormat::float64}) {
        bundle.format = format;
        head.rounded_from = format;
        round_trip(bundle);
    }
    head.rounded_from.reset();
    head.mask.alignment = CausalAlignment::top_left;
    head.multiplier_low = parse_rational("1/3");
    head.multiplier_high = parse_rational("22/7");
    head.scale = {parse_rational("-3/7"), 18446744073709551615ULL};
    Bundle again = parse_bundle(round_trip(bundle), "c");
    CHECK(again.subject.head->mask.alignment == CausalAlignment::top_left);
    CHECK(again.subject.head->multiplier_high == parse_rational("22/7"));
    CHECK(again.subject.head->scale.factor == parse_rational("-3/7"));
    CHECK(again.subject.head->scale.sqrt_of == 18446744073709551615ULL);
    CHECK(again.subject.head->query == head.query);
    CHECK(again.input.tensors.at("query") == "layer0.head1.q");
    CHECK(again.input.head == "layer0.head1");
    head.mask = {};
    head.mask.kind = MaskKind::boolean;
    head.mask.keep = BoolMatrix::Identity(3, 3);
    again = parse_bundle(round_trip(bundle), "c");
    CHECK(again.subject.head->mask.keep == head.mask.keep);
    head.mask = {};
    head.mask.kind = MaskKind::additive;
    for (const bool wide : {false, true}) {
        head.mask.bias = samples::diagonal(3, wide ? (Integer(1) << 90) + 1 : Integer(-3), -60);
        again = parse_bundle(round_trip(bundle), "c");
        CHECK(again.subject.head->mask.bias == head.mask.bias);
    }
    head.mask = {};
    round_trip(bundle);
}

TEST_CASE("matrices that are no doubles are stored in limbs, of any number and sign") {
    for (const unsigned bits : {54U, 62U, 63U, 64U, 65U, 127U, 128U, 129U, 600U, 5000U}) {
        for (const int sign : {1, -1}) {
            for (const int below : {-1, 0, 1}) {
                CAPTURE(bits);
                // 2^bits + below and a 1, so that the matrix is not one of doubles even where 2^bits is one.
                const Integer large = sign * ((Integer(1) << bits) + below);
                Bundle bundle = samples::identity();
                bundle.subject.centre = ExactMatrix::from_integers(
                    3, 3, {large, 0, 0, 0, 1, 0, 0, 0, -(Integer(1) << 53) - 1}, -static_cast<long>(bits));
                std::get<FixedSpaceWitness>(bundle.lower_witnesses[0]).inverse = bundle.subject.centre;
                const Bundle again = parse_bundle(round_trip(bundle), "c");
                CHECK(std::get<FixedSpaceWitness>(again.lower_witnesses[0]).inverse == bundle.subject.centre);
            }
        }
    }
    Bundle precise = samples::head(300);
    CHECK(!precise.subject.centre.is_double());
    round_trip(precise);
    for (const ClaimVerdict& verdict : check(parse_bundle(format_bundle(precise), "c"), Level::exact)) {
        CHECK(verdict.decision == Decision::proved);
    }
    precise.subject.centre = samples::diagonal(3, (Integer(1) << 100) + 1, 40000);
    CHECK(contains(refuse_bundle(precise), "too large or too fine"));
    precise.subject.centre = samples::diagonal(3, (Integer(1) << 100) + 1, -40000);
    CHECK(contains(refuse_bundle(precise), "too large or too fine"));
    precise.subject.centre = samples::diagonal(3, (Integer(1) << 70000) + 1, -30000);
    CHECK(contains(refuse_bundle(precise), "too large or too fine"));
}

TEST_CASE("equal matrices give equal bytes, whatever the scale they are held at") {
    Bundle a = samples::identity();
    Bundle b = a;
    a.subject.centre = samples::diagonal(3, (Integer(1) << 70) + 1, -70);
    b.subject.centre = samples::diagonal(3, (Integer(1) << 90) + (Integer(1) << 20), -90);
    CHECK(format_bundle(a) == format_bundle(b));
}

TEST_CASE("a claim that says more than its witness proves is refuted, one that says less is proved") {
    Bundle bundle = samples::two_by_two();
    for (const ClaimVerdict& verdict : check(bundle, Level::exact))
        CHECK(verdict.decision == Decision::proved);
    bundle.claims[0].lower = 1;
    CHECK(check(bundle, Level::exact)[0].decision == Decision::proved);
    bundle.claims[0].lower = 3;
    const auto verdicts = check(bundle, Level::exact);
    CHECK(verdicts[0].decision == Decision::refuted);
    CHECK(!verdicts[0].lower);
    CHECK(verdicts[0].upper.has_value());
    CHECK(contains(verdicts[0].reason, "not the claimed 3"));
    CHECK(verdicts[1].decision == Decision::proved);
    bundle = samples::two_by_two();
    bundle.claims[1].upper = 0;
    CHECK(check(bundle, Level::exact)[1].decision == Decision::refuted);
    CHECK(!check(bundle, Level::exact)[1].upper);
    bundle.claims[1].upper = 2;
    CHECK(check(bundle, Level::exact)[1].decision == Decision::proved);
    // ε just below the error of the factor: 3/8 - 1/10^15.
    bundle.claims[1].epsilon = parse_rational("374999999999999/1000000000000000");
    CHECK(check(bundle, Level::exact)[1].decision == Decision::refuted);
    bundle = samples::identity();
    bundle.claims.back().top_k = TopKBudget{2, 2, bundle.claims.back().epsilon};
    CHECK(check(bundle, Level::exact).back().decision == Decision::refuted);
    CHECK(!check(bundle, Level::exact).back().top_k);
}

TEST_CASE("the fast level never refutes, and proves nothing that the exact one does not") {
    std::vector<Bundle> bundles = {samples::identity(), samples::two_by_two(), samples::head(53),
                                   samples::head(300)};
    Bundle strong = samples::identity();
    for (Claim& claim : strong.claims) {
        if (claim.lower_witness >= 0) ++claim.lower;
        if (claim.upper_witness >= 0 && claim.upper > 0) --claim.upper;
    }
    bundles.push_back(strong);
    int proved = 0;
    for (const Bundle& bundle : bundles) {
        const auto fast = check(bundle, Level::fast);
        const auto exact = check(bundle, Level::exact);
        for (std::size_t i = 0; i < fast.size(); ++i) {
            CHECK(fast[i].decision != Decision::refuted);
            if (fast[i].decision != Decision::proved) continue;
            ++proved;
            CHECK(exact[i].decision == Decision::proved);
        }
    }
    CHECK(proved >= 6);
}

TEST_CASE("the bytes of version 1 do not change") {
    Bundle bundle = samples::two_by_two();
    bundle.information = {{"tool", "rankcert 0.1.0"}};
    bundle.claims[0].epsilon = parse_rational("1/5");
    // Made by an independent program from the words of certificate-format.md.
    CHECK(sha256(format_bundle(bundle)) ==
          "282e5d1a8e5b137e934a9198327636b0035a09c12268fbc6586ea87bbc01b824");
}
