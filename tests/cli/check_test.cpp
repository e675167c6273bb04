// rankcert check: verdicts, exit codes, and files that lie.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "inputs.hpp"
#include "program.hpp"
#include "rankcert/certificate/bundle.hpp"

namespace {

using inputs::Folder;
using nlohmann::json;
using namespace rankcert;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A certificate about the 1×3 matrix [0.1, 0.2, 0.3] (the doubles) that claims r_ε ≤ 0 by empty factors:
/// true exactly from ε = 0.1 + 0.2 + 0.3 on, that is from their exact sum.
Bundle zero_rank_claim(const Rational& epsilon) {
    Bundle bundle;
    Eigen::MatrixXd values(1, 3);
    values << 0.1, 0.2, 0.3;
    bundle.subject.centre = ExactMatrix::from_double(values);
    bundle.input.file = "matrix.npy";
    bundle.upper_witnesses = {FactorWitness{ExactMatrix(1, 0), ExactMatrix(0, 3), 1}};
    Claim claim;
    claim.epsilon = epsilon;
    claim.upper = 0;
    claim.upper_witness = 0;
    bundle.claims = {claim};
    return bundle;
}

Rational exact_sum() { return to_rational(0.1) + to_rational(0.2) + to_rational(0.3); }

/// The identity with the claim r_ε ≥ 3 by its own rows and columns: true exactly below ε = 1.
Bundle identity_claim(const Rational& epsilon) {
    Bundle bundle;
    const ExactMatrix identity = ExactMatrix::identity(3);
    bundle.subject.centre = identity;
    bundle.input.file = "identity.npy";
    bundle.lower_witnesses = {FixedSpaceWitness{identity, identity, {0, 1, 2}}};
    Claim claim;
    claim.epsilon = epsilon;
    claim.lower = 3;
    claim.lower_witness = 0;
    bundle.claims = {claim};
    return bundle;
}

int code_of(const std::string& file, const std::string& level = "exact") {
    return program::run({"check", file, "--level", level}).code;
}

}  // namespace

TEST_CASE("a proved certificate ends with 0, at both levels, with what was and was not checked") {
    const Folder folder;
    write_bundle(identity_claim(parse_rational("1/4")), folder / "a.cert.safetensors");
    for (const char* level : {"exact", "fast"}) {
        const auto result = program::run({"check", folder / "a.cert.safetensors", "--level", level});
        CHECK(result.code == 0);
        CHECK(result.err.empty());
        CHECK(contains(result.out, "ε=1/4  3 ≤ r_ε(A)  proved"));
        CHECK(contains(result.out, std::string("level ") + level));
        CHECK(contains(result.out, "not checked"));
    }
}

TEST_CASE("equality where the theorem needs less is refuted, with exit code 1") {
    const Folder folder;
    write_bundle(identity_claim(1), folder / "a.cert.safetensors");
    const auto result = program::run({"check", folder / "a.cert.safetensors"});
    CHECK(result.code == 1);
    CHECK(contains(result.out, "claimed 3 ≤ r_ε(A)  refuted: "));
    CHECK(!contains(result.out, "proved"));
    CHECK(code_of(folder / "a.cert.safetensors", "fast") == 2);  // fast never refutes
}

TEST_CASE("equality where the theorem allows it is proved exactly and undecided fast, with exit code 2") {
    const Folder folder;
    write_bundle(zero_rank_claim(exact_sum()), folder / "a.cert.safetensors");
    CHECK(code_of(folder / "a.cert.safetensors", "exact") == 0);
    const auto fast = program::run({"check", folder / "a.cert.safetensors", "--level", "fast"});
    CHECK(fast.code == 2);
    CHECK(contains(fast.out, "undecided"));
    write_bundle(zero_rank_claim(exact_sum() - parse_rational("1e-60")), folder / "b.cert.safetensors");
    CHECK(code_of(folder / "b.cert.safetensors", "exact") == 1);
}

TEST_CASE("check --json has exactly the keys that are promised, and ranks only where they are proved") {
    const Folder folder;
    Bundle bundle = identity_claim(parse_rational("1/4"));
    Claim second = bundle.claims[0];
    second.epsilon = 2;
    bundle.claims.push_back(second);
    write_bundle(bundle, folder / "a.cert.safetensors");
    const auto result = program::run({"check", folder / "a.cert.safetensors", "--json"});
    CHECK(result.code == 1);
    const auto lines = inputs::lines(result.out);
    REQUIRE(lines.size() == 2);
    for (const std::string& line : lines) {
        const auto cell = nlohmann::ordered_json::parse(line);
        std::vector<std::string> keys;
        for (const auto& [key, value] : cell.items()) keys.push_back(key);
        CHECK(keys == std::vector<std::string>{"certificate", "level", "verdict", "lower", "upper", "epsilon",
                                               "reason"});
        CHECK(cell["certificate"] == folder / "a.cert.safetensors");
        CHECK(cell["level"] == "exact");
        CHECK(cell["upper"].is_null());
        const bool proved = cell["epsilon"] == "1/4";
        CHECK(cell["verdict"] == (proved ? "proved" : "refuted"));
        CHECK(cell["lower"].is_null() != proved);
    }
}

TEST_CASE("a malformed certificate ends with 3 and one sentence, and any flipped bit makes one") {
    const Folder folder;
    const std::string file = folder / "a.cert.safetensors";
    write_bundle(identity_claim(parse_rational("1/4")), file);
    const std::vector<std::byte> good = read_file(file);
    for (std::size_t i = 0; i < good.size(); i += 97) {
        std::vector<std::byte> bad = good;
        bad[i] ^= std::byte{0x10};
        write_file_atomically(folder / "b.cert.safetensors", bad);
        const auto result = program::run({"check", folder / "b.cert.safetensors"});
        CAPTURE(i);
        CHECK(result.code == 3);
        CHECK(result.out.empty());
        CHECK(inputs::is_one_sentence(result.err));
    }
    write_file_atomically(folder / "b.cert.safetensors", std::span(good).first(good.size() / 2));
    CHECK(code_of(folder / "b.cert.safetensors") == 3);
    CHECK(code_of(folder / "missing.cert.safetensors") == 3);
    inputs::write_heads(folder / "h.safetensors", 1, 2, 2);
    CHECK(code_of(folder / "h.safetensors") == 3);
}

TEST_CASE("of several certificates each is reported in order and the worst decides the exit code") {
    const Folder folder;
    write_bundle(identity_claim(parse_rational("1/4")), folder / "proved");
    write_bundle(identity_claim(1), folder / "refuted");
    write_bundle(zero_rank_claim(exact_sum()), folder / "close");
    inputs::write_text(folder / "malformed", "no certificate\n");
    const auto check = [&](std::vector<std::string> names, const std::string& level) {
        for (std::string& name : names) name = folder / name;
        names.insert(names.begin(), {"check", "--level", level});
        return program::run(names);
    };
    CHECK(check({"proved", "proved"}, "exact").code == 0);
    CHECK(check({"proved", "close"}, "fast").code == 2);
    CHECK(check({"close", "refuted", "proved"}, "exact").code == 1);
    const auto all = check({"malformed", "refuted", "proved"}, "exact");
    CHECK(all.code == 3);
    CHECK(inputs::is_one_sentence(all.err));
    CHECK(all.out.find("refuted") < all.out.find("proved"));
}

TEST_CASE("a small file that asks for gigabytes is answered in bounded memory: undecided, and why") {
    const Folder folder;
    constexpr Index n = 256;
    const ExactMatrix tiny =
        ExactMatrix::from_integers(n, n, std::vector<Integer>(n * n, Integer(1)), -32768);
    FixedSpaceWitness witness{ExactMatrix::identity(n), tiny, {}};
    for (Index i = 0; i < n; ++i) witness.pivots.push_back(i);
    Bundle bundle;
    bundle.subject.centre = tiny;
    bundle.input.file = "a.npy";
    bundle.lower_witnesses = {witness};
    Claim claim;
    claim.epsilon = Rational(1, 4);
    claim.lower = n;
    claim.lower_witness = 0;
    bundle.claims = {claim};
    write_bundle(bundle, folder / "a.cert.safetensors");
    program::Options limited;
    limited.memory_bytes = 1UL << 30;
    const auto result = program::run({"check", folder / "a.cert.safetensors"}, limited);
    CHECK(result.code == 2);
    CHECK(result.err.empty());
    CHECK(contains(result.out, "undecided"));
    CHECK(contains(result.out, "half a gigabyte"));
}

TEST_CASE("--input ties a certificate to its file and to no other") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 2, 4, 2);
    inputs::write_heads(folder / "other.safetensors", 2, 4, 2,
                        {{"beta", "0.5"}, {"mask", "none"}, {"note", "x"}});
    REQUIRE(program::run({"bracket", folder / "h.safetensors", "--epsilon", "1/4", "--effort", "0.2", "-o",
                          folder / "out"})
                .code == 0);
    const std::string certificate = folder / "out/layer0.head0.cert.safetensors";
    const auto tied = program::run({"check", certificate, "--input", folder / "h.safetensors"});
    CHECK(tied.code == 0);
    CHECK(contains(tied.out, "checked: key and query against"));
    const auto untied = program::run({"check", certificate, "--input", folder / "other.safetensors"});
    CHECK(untied.code == 3);
    CHECK(untied.out.empty());
    CHECK(inputs::is_one_sentence(untied.err));
    CHECK(program::run({"check", certificate, "--input", folder / "missing"}).code == 3);
}

TEST_CASE("info says what a certificate claims, and that it did not check it") {
    const Folder folder;
    write_bundle(identity_claim(1), folder / "lie.cert.safetensors");
    const auto info = program::run({"info", folder / "lie.cert.safetensors"});
    CHECK(info.code == 0);
    CHECK(contains(info.out, "claimed, not checked here"));
    CHECK(contains(info.out, "3 ≤ r_ε(A)"));
    CHECK(contains(info.out, "fixed_space"));
    const auto parsed = json::parse(program::run({"info", folder / "lie.cert.safetensors", "--json"}).out);
    CHECK(parsed["claims"][0]["claimed_lower"] == 3);
    CHECK(!parsed["claims"][0].contains("lower"));
}
