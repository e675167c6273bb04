// Softmax heads of every mask, alignment, format and family, some learned ones among them.

#include "attention/heads.hpp"

#include "certificate/exact_oracle.hpp"
#include "environment/generate/subjects.hpp"
#include "rankcert/bracket/bracket.hpp"
#include "rankcert/io/file.hpp"

namespace rankcert::tests {
namespace {

Rational power_of_two(long exponent) { return to_rational(Integer(1), exponent); }

/// ‖A − Ã‖ by plain arithmetic with 1500 bits (attention/heads.hpp).
ErrorBounds reference_bounds(const Head& head, const ExactMatrix& centre) {
    const Rational error = reference_error(head, centre);
    return {error - reference_accuracy(), error + reference_accuracy()};
}

Bundle of_head(const Head& head, NumberFormat format, unsigned precision = 53) {
    Bundle bundle;
    bundle.subject.head = head;
    bundle.subject.centre = enclose_softmax(head, precision).centre;
    bundle.format = format;
    return bundle;
}

std::vector<Index> first_rows(Index n) {
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) rows.push_back(i);
    return rows;
}

/// The first tokens of a learned head.
Head first_tokens(const std::vector<RealHead>& heads, const std::string& name, Index queries, Index keys) {
    for (const RealHead& real : heads) {
        if (real.name != name) continue;
        Head head = real.head;
        head.query = head.query.select_rows(first_rows(queries));
        head.key = head.key.select_rows(first_rows(keys));
        return head;
    }
    throw std::runtime_error("there is no head " + name);
}

void make_every_kind(Made& made, const char* name, const Head& head, NumberFormat format, unsigned seed,
                     const Rational& upper_family_error = 0) {
    test::Random random(seed);
    Bundle bundle = of_head(head, format);
    const ErrorBounds rho =
        head.is_single() ? reference_bounds(head, bundle.subject.centre) : ErrorBounds{0, upper_family_error};
    CertificateMaker maker(name, std::move(bundle), rho);
    maker.claim_with_every_kind(random);
    maker.claim_head_rules();
    made.add(maker);
}

/// Brackets as the program finds them, and beside each the claims one too strong, which are false of these
/// witnesses.
CertificateMaker bracketed(const char* name, const Head& head, const std::vector<Rational>& epsilons) {
    BracketOptions options;
    options.seconds = 2;
    const BracketResult found = bracket_head(head, epsilons, options);
    Bundle bundle;
    bundle.subject = found.bundle.subject;
    bundle.format = NumberFormat::float32;
    const ErrorBounds rho = reference_bounds(head, bundle.subject.centre);
    CertificateMaker maker(name, std::move(bundle), rho);
    for (const Claim& claim : found.bundle.claims) {
        const Rational beside = claim.epsilon + power_of_two(-80);
        if (claim.lower_witness >= 0) {
            const auto& witness =
                found.bundle.lower_witnesses.at(static_cast<std::size_t>(claim.lower_witness));
            maker.claim(witness, claim.lower, claim.epsilon, "proved");
            maker.claim(witness, claim.lower + 1, beside, "refuted");
        }
        const auto& witness = found.bundle.upper_witnesses.at(static_cast<std::size_t>(claim.upper_witness));
        maker.claim(witness, claim.upper, claim.epsilon, "proved");
        maker.claim(witness, claim.upper - 1, beside, "refuted");
    }
    return maker;
}

Eigen::MatrixXd random_integers(Index rows, Index cols, int most, test::Random& random) {
    Eigen::MatrixXd x(rows, cols);
    for (Index k = 0; k < x.size(); ++k)
        x.data()[k] = static_cast<double>(test::index_below(2 * most + 1, random) - most);
    return x;
}

/// The causal head with logits [0] and [0, −200]: a ≈ 1.4e-87, and r_ε = 2 exactly below a/(2 − a)
/// ≈ 6.92e-88.
void make_far_logit(Made& made) {
    Head head;
    head.query = ExactMatrix::from_integers(2, 1, {0, 1}, 0);
    head.key = ExactMatrix::from_integers(2, 1, {0, -200}, 0);
    head.mask.kind = MaskKind::causal;
    Bundle bundle = of_head(head, NumberFormat::float64, 700);
    const ErrorBounds rho = reference_bounds(head, bundle.subject.centre);
    CertificateMaker maker("far-logit-p700", std::move(bundle), rho);
    const auto inverse = test::inverse(test::widen(maker.bundle().subject.centre));
    const FixedSpaceWitness space{ExactMatrix::identity(2), test::on_grid(*inverse, 120), {0, 1}};
    maker.claim_around_edge(LowerWitness(space));
    maker.claim(LowerWitness(space), parse_rational("6.9195e-88"));
    maker.claim(LowerWitness(space), parse_rational("6.92e-88"));
    const FactorWitness first{ExactMatrix::from_integers(2, 1, {1, 1}, 0),
                              ExactMatrix::from_integers(1, 2, {1, 0}, 0), 1};
    maker.claim_around_edge(UpperWitness(first));
    maker.claim_head_rules();
    made.add(maker);
}

/// Entries near 1e-1737 beside 1.
void make_wide_logits(Made& made) {
    Head head;
    head.query = ExactMatrix::from_double((Eigen::MatrixXd(3, 2) << 1, 0, 0, 1, 0, -1).finished());
    head.key =
        ExactMatrix::from_double((Eigen::MatrixXd(4, 2) << 1, 0.25, 2, -3, 3, 0.5, 4000, 1).finished());
    make_every_kind(made, "wide-logits", head, NumberFormat::float64, 21);
}

/// Subnormal float16 and float64 numbers as Q and K, with scales that bring the logits to ordinary size: what
/// takes them for zero sees uniform attention.
void make_subnormal_inputs(Made& made) {
    test::Random random(22);
    Head head;
    head.query = ExactMatrix::from_double(random_integers(7, 3, 900, random) * 0x1p-24);
    head.key = ExactMatrix::from_double(random_integers(7, 3, 900, random) * 0x1p-24);
    head.scale.factor = power_of_two(48 - 18);
    make_every_kind(made, "subnormal-float16", head, NumberFormat::float16, 23);
    head.query = ExactMatrix::from_double(random_integers(6, 2, 900, random) * 0x1p-1074);
    head.key = ExactMatrix::from_double(random_integers(6, 2, 900, random) * 0x1p-10);
    head.scale.factor = power_of_two(1074 - 8);
    make_every_kind(made, "subnormal-float64", head, NumberFormat::float64, 24);
}

/// Every entry rounded to eight bits, so that it is a bfloat16.
ExactMatrix to_bfloat16(const ExactMatrix& a) {
    Eigen::MatrixXd x = a.to_double();
    for (Index k = 0; k < x.size(); ++k) {
        int exponent = 0;
        const double fraction = std::frexp(x.data()[k], &exponent);
        x.data()[k] = std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8);
    }
    return ExactMatrix::from_double(x);
}

}  // namespace

void make_heads(Made& made, const std::filesystem::path& folder) {
    const auto causal = real_heads("bytegpt-n64-a.safetensors");
    const auto unmasked = real_heads("ppocrv4rec-n64-a.safetensors");
    make_every_kind(made, "causal-11", first_tokens(causal, "layer1.head2", 11, 11), NumberFormat::float32,
                    11);
    make_every_kind(made, "unmasked-11", first_tokens(unmasked, "layer0.head3", 11, 11),
                    NumberFormat::float32, 12);

    Head head = first_tokens(causal, "layer0.head1", 6, 10);
    make_every_kind(made, "bottom-right-6x10", head, NumberFormat::float32, 13);
    head = first_tokens(causal, "layer0.head1", 10, 6);
    head.mask.alignment = CausalAlignment::top_left;
    make_every_kind(made, "top-left-10x6", head, NumberFormat::float32, 14);

    head = first_tokens(unmasked, "layer1.head0", 10, 10);
    head.mask.kind = MaskKind::additive;
    Eigen::MatrixXd bias(10, 10);
    for (Index i = 0; i < 10; ++i)
        for (Index j = 0; j < 10; ++j) bias(i, j) = -0.125 * static_cast<double>(std::abs(i - j));
    head.mask.bias = ExactMatrix::from_double(bias);
    make_every_kind(made, "additive-10", head, NumberFormat::float32, 15);

    head.mask = {};
    head.mask.kind = MaskKind::boolean;
    head.mask.keep = BoolMatrix::Constant(10, 10, false);
    for (Index i = 0; i < 10; ++i)
        for (Index j = 0; j < 10; ++j) head.mask.keep(i, j) = std::abs(i - j) < 4;
    make_every_kind(made, "boolean-10", head, NumberFormat::float32, 16);

    // Families: what lies between the two bounds of ρ is left open.
    head = first_tokens(unmasked, "layer1.head5", 10, 10);
    head.multiplier_low = Rational(1023, 1024);
    head.multiplier_high = Rational(1025, 1024);
    make_every_kind(made, "multipliers-10", head, NumberFormat::float32, 17, Rational(1, 100));
    head = first_tokens(causal, "layer2.head0", 10, 10);
    head.query = to_bfloat16(head.query);
    head.key = to_bfloat16(head.key);
    head.rounded_from = NumberFormat::bfloat16;
    make_every_kind(made, "rounded-bfloat16-10", head, NumberFormat::bfloat16, 18, Rational(1, 2));

    make_far_logit(made);
    make_wide_logits(made);
    make_subnormal_inputs(made);

    const std::vector<Rational> epsilons{Rational(3, 20), Rational(7, 20)};
    CertificateMaker short_head =
        bracketed("bracket-causal-20", first_tokens(causal, "layer2.head1", 20, 20), epsilons);
    made.add(short_head);

    CertificateMaker whole =
        bracketed("bracket-unmasked-64", first_tokens(unmasked, "layer1.head2", 64, 64), {Rational(1, 4)});
    const std::filesystem::path file = folder / "ppocrv4rec-n64-a.safetensors";
    InputReference& input = whole.bundle().input;
    input.file = file.filename().string();
    input.file_sha256 = sha256(read_file(file));
    input.head = "layer1.head2";
    const Safetensors contents = read_safetensors(file);
    for (const auto& [role, suffix] : {std::pair{"query", ".q"}, std::pair{"key", ".k"}}) {
        input.tensors[role] = input.head + suffix;
        input.tensor_sha256[role] = sha256(*contents.find(input.head + suffix));
    }
    made.add(whole);
}

}  // namespace rankcert::tests
