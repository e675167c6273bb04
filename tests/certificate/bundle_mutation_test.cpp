#include <doctest/doctest.h>

#include "certificate/bundle_samples.hpp"
#include "rankcert/io/safetensors.hpp"

using namespace rankcert;
using files::refusal;

namespace {

/// r_ε of a 2×2 matrix, exactly. r ≤ 1 where ε reaches the distance to the singular matrices, which in an
/// operator norm is 1/‖A⁻¹‖ = |det A|/‖adj A‖; r = 0 where ε reaches ‖A‖.
Index true_rank(const ExactMatrix& a, const Rational& epsilon) {
    const auto abs = [](const Rational& x) { return x < 0 ? Rational(-x) : x; };
    if (a.norm() <= epsilon) return 0;
    const Rational determinant = abs(a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0));
    const Rational row0 = abs(a(1, 1)) + abs(a(0, 1));
    const Rational row1 = abs(a(1, 0)) + abs(a(0, 0));
    return determinant <= epsilon * (row0 > row1 ? row0 : row1) ? 1 : 2;
}

struct Count {
    int refused = 0;
    int proved = 0;
    int not_proved = 0;
    int wrong = 0;
};

void judge(const files::Bytes& bytes, Count& count) {
    Bundle bundle;
    try {
        bundle = parse_bundle(bytes, "c");
    } catch (const Error&) {
        ++count.refused;
        return;
    }
    // What is accepted is, byte for byte, what is written. (The writer would name itself where nobody is
    // named.)
    if (bundle.information.contains("tool")) REQUIRE(format_bundle(bundle) == bytes);
    REQUIRE(bundle.subject.rows() == 2);
    REQUIRE(bundle.subject.cols() == 2);
    REQUIRE(!bundle.subject.head);
    const auto verdicts = check(bundle, Level::exact);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        const ClaimVerdict& verdict = verdicts[i];
        const Index truth = true_rank(bundle.subject.centre, verdict.epsilon);
        if (verdict.lower && (*verdict.lower)->rank > truth) ++count.wrong;
        if (verdict.upper && (*verdict.upper)->rank < truth) ++count.wrong;
        if (verdict.decision == Decision::proved) {
            ++count.proved;
            if (bundle.claims[i].lower_witness >= 0 && bundle.claims[i].lower > truth) ++count.wrong;
            if (bundle.claims[i].upper_witness >= 0 && bundle.claims[i].upper < truth) ++count.wrong;
        } else {
            ++count.not_proved;
        }
    }
}

void check_every_bit(const Bundle& bundle) {
    const files::Bytes whole = format_bundle(bundle);
    REQUIRE(refusal([&] { return parse_bundle(whole, "c"); }) == "(accepted)");
    int accepted = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            files::Bytes bytes = whole;
            bytes[at] ^= static_cast<std::byte>(1 << bit);
            const std::string sentence = refusal([&] { return parse_bundle(bytes, "c.safetensors"); });
            if (sentence == "(accepted)") ++accepted;
            if (!files::is_clear(sentence, "c.safetensors")) FAIL_CHECK("not clear: " << sentence);
        }
    }
    CHECK(accepted == 0);
}

}  // namespace

TEST_CASE("every single bit of a certificate is guarded") {
    check_every_bit(samples::two_by_two());
    check_every_bit(samples::head(60));
}

TEST_CASE("a certificate cut anywhere is refused") {
    const files::Bytes whole = format_bundle(samples::head(53));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const files::Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        if (refusal([&] { return parse_bundle(cut, "c"); }) == "(accepted)")
            FAIL_CHECK("accepted at " << length);
    }
}

TEST_CASE("with a digest that fits, every single bit flip is refused, or what is then proved is true") {
    const files::Bytes whole = format_bundle(samples::two_by_two());
    Count count;
    for (std::size_t at = 99; at < whole.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            files::Bytes bytes = whole;
            bytes[at] ^= static_cast<std::byte>(1 << bit);
            judge(samples::with_digest(bytes), count);
        }
    }
    CHECK(count.wrong == 0);
    CHECK(count.refused > 1000);
    CHECK(count.proved > 100);
    CHECK(count.not_proved > 100);
}

TEST_CASE("10,000 seeded mutations of a certificate never prove what an exact oracle denies") {
    files::Sequence sequence(20240229);
    const auto below = [&sequence](std::size_t n) { return static_cast<std::size_t>(sequence.next() % n); };
    Count count;
    for (int round = 0; round < 10000; ++round) {
        CAPTURE(round);
        Bundle bundle = samples::two_by_two();
        Safetensors contents = parse_safetensors(format_bundle(bundle), "x");
        std::vector<Tensor*> full;
        for (Tensor& tensor : contents.tensors) {
            if (!tensor.data.empty()) full.push_back(&tensor);
        }
        Tensor& tensor = *full[below(full.size())];
        switch (sequence.next() % 6) {
            case 0:  // a bit of a number
                tensor.data[below(tensor.data.size())] ^= static_cast<std::byte>(1U << (sequence.next() % 8));
                break;
            case 1: {  // a number of the same kind
                const Eigen::MatrixXd value =
                    Eigen::MatrixXd::Constant(1, 1, static_cast<double>(sequence.next() % 33) / 16 - 1);
                const Tensor one = from_matrix("", value);
                std::copy(
                    one.data.begin(), one.data.end(),
                    tensor.data.begin() + static_cast<std::ptrdiff_t>(8 * below(tensor.data.size() / 8)));
                break;
            }
            case 2: {  // another tensor's numbers
                Tensor& other = *full[below(full.size())];
                if (other.data.size() == tensor.data.size()) std::swap(tensor.data, other.data);
                break;
            }
            case 3: {  // an ε moved by one part in 10^15, or to another place
                const std::size_t at = below(bundle.claims.size());
                const Rational step = Rational(1) / parse_rational("1e15");
                const std::size_t how = below(4);
                Rational& epsilon = bundle.claims[at].epsilon;
                if (how == 0) epsilon *= 1 + step;
                if (how == 1) epsilon *= 1 - step;
                if (how >= 2) epsilon = Rational(static_cast<long>(below(64)), 52);
                try {
                    contents = parse_safetensors(format_bundle(bundle), "x");
                } catch (const Error&) {  // the ε of another claim
                }
                break;
            }
            case 4: {  // a claim that says something else
                Claim& claim = bundle.claims[below(bundle.claims.size())];
                claim.lower_witness = static_cast<int>(below(bundle.lower_witnesses.size()));
                claim.upper_witness = static_cast<int>(below(bundle.upper_witnesses.size()));
                claim.lower = static_cast<Index>(below(4));
                claim.upper = static_cast<Index>(below(4));
                contents = parse_safetensors(format_bundle(bundle), "x");
                break;
            }
            default: {  // any byte of the file
                files::Bytes bytes = format_bundle(bundle);
                bytes[99 + below(bytes.size() - 99)] = static_cast<std::byte>(sequence.next() & 0xff);
                judge(samples::with_digest(bytes), count);
                continue;
            }
        }
        // The tensors' order in the file is that of their offsets, so this writes what was read.
        judge(samples::with_digest(format_safetensors(contents)), count);
    }
    CHECK(count.wrong == 0);
    CHECK(count.refused > 1000);
    CHECK(count.proved > 1000);
    CHECK(count.not_proved > 1000);
}
