// rankcert check --level formal: what it asks, and what it makes of the answers. The checkers here are
// scripts that say what a test wants; tests/formal asks the true one.

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "inputs.hpp"
#include "program.hpp"
#include "rankcert/certificate/bundle.hpp"

namespace {

using inputs::Folder;
using namespace rankcert;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The matrix [[1/2, 0, 0], [0, 1, 0], [0, 0, −1]] with r_ε ≥ 3 by its inverse (true below 1/2), at ε = 1/4.
Bundle proved_bundle() {
    Bundle bundle;
    Eigen::MatrixXd values(3, 3);
    values << 0.5, 0, 0, 0, 1, 0, 0, 0, -1;
    bundle.subject.centre = ExactMatrix::from_double(values);
    bundle.input.file = "matrix.npy";
    Eigen::MatrixXd inverse(3, 3);
    inverse << 2, 0, 0, 0, 1, 0, 0, 0, -1;
    bundle.lower_witnesses = {
        FixedSpaceWitness{ExactMatrix::identity(3), ExactMatrix::from_double(inverse), {0, 1, 2}}};
    Claim claim;
    claim.epsilon = parse_rational("1/4");
    claim.lower = 3;
    claim.lower_witness = 0;
    bundle.claims = {claim};
    return bundle;
}

/// A claim that the exact level proves by a rule that has no formal theorem.
Bundle unknown_bundle() {
    Bundle bundle = proved_bundle();
    bundle.lower_witnesses = {LowerRule::exact_rank};
    bundle.claims[0].epsilon = 0;
    return bundle;
}

std::string script(const Folder& folder, const std::string& lines) {
    std::string path = folder / "checker";
    inputs::write_text(path, "#!/bin/sh\ncat >\"$0.in\"\n" + lines);
    chmod(path.c_str(), 0755);
    return path;
}

/// Answers as rankcert-formal does, each claim with `bracket`: "L U I J".
std::string answering(const Folder& folder, const std::string& bracket, int code = 0) {
    return script(folder,
                  "echo some words\ngrep '^sha256 ' \"$0.in\"\ngrep '^rho ' \"$0.in\"\n"
                  "sed -nE 's/^claim ([^ ]+ [^ ]+) .*/bracket \\1 " +
                      bracket + "/p' \"$0.in\"\necho end\nexit " + std::to_string(code) + "\n");
}

program::Result check(const Folder& folder, const Bundle& bundle, const std::string& checker,
                      std::vector<std::string> more = {}) {
    write_bundle(bundle, folder / "a.cert.safetensors");
    std::vector<std::string> arguments = {
        "check", folder / "a.cert.safetensors", "--level", "formal", "--formal-checker", checker};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return program::run(arguments);
}

}  // namespace

TEST_CASE("what the formal checker proves is reported with the matrix's hash and with what must be trusted") {
    const Folder folder;
    const auto result = check(folder, proved_bundle(), answering(folder, "3 3 6 4"), {"-v"});
    CHECK(result.err.empty());
    CHECK(result.code == 0);
    CHECK(contains(result.out, "level formal"));
    CHECK(contains(result.out, "ε=1/4  r_ε(A) = 3  proved\n    lower by fixed_space, upper by rule:shape\n"));
    CHECK(contains(result.out, "bracket_sound"));
    CHECK(contains(result.out, "trusted: Coq's kernel"));
    const std::string asked = inputs::read_text(folder / "checker.in");
    CHECK(contains(result.out, asked.substr(asked.find("sha256 ") + 7, 64)));
}

TEST_CASE("the text that the formal checker is given is the certificate, number by number") {
    const Folder folder;
    Bundle bundle = proved_bundle();
    // factors over a common denominator, and a side that is not claimed
    const auto third = ExactMatrix::from_integers(3, 1, {Integer(1), Integer(-20), Integer(0)}, 2);
    bundle.upper_witnesses = {FactorWitness{third, ExactMatrix(1, 3), 3}, UpperRule::shape,
                              RepresentativeRowsWitness{{2, 2, 1}}};
    Claim claim;
    claim.epsilon = parse_rational("16/3");
    claim.upper = 2;
    claim.upper_witness = 2;
    bundle.claims.push_back(claim);
    check(folder, bundle, answering(folder, "3 3 6 4"));
    const std::string asked = inputs::read_text(folder / "checker.in");
    const std::string rest = asked.substr(asked.find("matrix "));
    CHECK(asked.starts_with("rankcert-formal 1\nsha256 "));
    CHECK(rest ==
          "matrix 3 3 2\n1 0 0\n0 2 0\n0 0 -2\n"
          "rho 0 1\nsubject any\n"
          "witness nonzero\nwitness support\nwitness zero\nwitness shape\nwitness distinct_rows\n"
          "witness fixed_space 3\npivots 0 1 2\n"
          "basis 3 3 1\n1 0 0\n0 1 0\n0 0 1\n"
          "inverse 3 3 1\n2 0 0\n0 1 0\n0 0 -1\n"
          "witness factors 1\nleft 3 1 3\n4\n-50\n0\nright 1 3 1\n0 0 0\n"
          "witness representative_rows\nrepresentatives 2 2 1\n"
          "claim 1 4 3 -\nclaim 10 3 - 2\nend\n");
}

TEST_CASE("a claim whose witness has no formal theorem is undecided, with the bracket that is proved") {
    const Folder folder;
    const auto result = check(folder, unknown_bundle(), answering(folder, "1 3 1 4", 1));
    CHECK(result.code == 2);
    CHECK(result.err.empty());
    CHECK(contains(result.out,
                   "claimed 3 ≤ r_ε(A)  undecided: lower: its witness, rule:exact_rank, has no formal"));
    CHECK(contains(result.out, "1 ≤ r_ε(A) ≤ 3  is what is proved formally"));
    // another witness may do
    CHECK(check(folder, unknown_bundle(), answering(folder, "3 3 2 4")).code == 0);
}

TEST_CASE("what the exact level refutes is refuted at the formal level, whatever the rules prove besides") {
    const Folder folder;
    Bundle bundle = proved_bundle();
    bundle.claims[0].epsilon = parse_rational("1/2");
    const auto result = check(folder, bundle, answering(folder, "1 3 1 4", 1));
    CHECK(result.code == 1);
    CHECK(contains(result.out, "refuted"));
    CHECK(contains(result.out, "1 ≤ r_ε(A) ≤ 3  is what is proved formally"));
}

TEST_CASE("check --level formal --json has the keys of the other levels, and the matrix's hash") {
    const Folder folder;
    const auto result = check(folder, unknown_bundle(), answering(folder, "1 3 1 4", 1), {"--json"});
    CHECK(result.code == 2);
    const auto cell = nlohmann::ordered_json::parse(result.out);
    std::vector<std::string> keys;
    for (const auto& [key, value] : cell.items()) keys.push_back(key);
    CHECK(keys == std::vector<std::string>{"certificate", "level", "verdict", "lower", "upper", "epsilon",
                                           "reason", "matrix_sha256"});
    CHECK(cell["level"] == "formal");
    CHECK(cell["verdict"] == "undecided");
    CHECK(cell["lower"] == 1);
    CHECK(cell["upper"] == 3);
    CHECK(cell["matrix_sha256"].get<std::string>().size() == 64);
}

TEST_CASE("checkers that contradict each other are an internal fault, and no verdict is printed") {
    const Folder folder;
    Bundle false_claim = proved_bundle();
    false_claim.claims[0].epsilon = parse_rational("1/2");
    for (const auto& [bundle, bracket] :
         {std::pair(proved_bundle(), "2 3 6 4"), std::pair(false_claim, "3 3 6 4")}) {
        const auto result = check(folder, bundle, answering(folder, bracket));
        CHECK(result.code == 4);
        CHECK(result.out.empty());
        CHECK(contains(result.err, "contradict each other"));
        CHECK(inputs::is_one_sentence(result.err));
    }
}

TEST_CASE("an answer that is not exactly one to the question is an internal fault") {
    const Folder folder;
    const std::string whole = "grep '^sha256 ' \"$0.in\"; grep '^rho ' \"$0.in\"; ";
    const std::vector<std::string> answers = {
        "exit 0\n",
        "exit 3\n",
        "exit 7\n",
        "kill -9 $$\n",
        "echo sha256 0; grep '^rho ' \"$0.in\"; echo bracket 1 4 3 3 6 4; echo end\n",
        "grep '^sha256 ' \"$0.in\"; echo rho 1 1; echo bracket 1 4 3 3 6 4; echo end\n",
        whole + "echo end\n",
        whole + "echo bracket 1 4 3 3 6 4\n",
        whole + "echo bracket 1 5 3 3 6 4; echo end\n",
        whole + "echo bracket 1 4 3 3 6; echo end\n",
        whole + "echo bracket 1 4 3 3 7 4; echo end\n",
        whole + "echo bracket 1 4 3 2 6 4; echo end\n",
        whole + "echo bracket 1 4 3x 3 6 4; echo end\n",
        whole + "echo bracket 1 4 -3 3 6 4; echo end\n",
        whole + "echo bracket 1 4 3 3 6 4; echo end; echo more\n",
        whole + "echo bracket 1 4 3 3 6 4; echo bracket 1 4 3 3 6 4; echo end\n",
        whole + "echo bracket 1 4 3 3 6 4; printf end\n",
    };
    for (const std::string& lines : answers) {
        const auto result = check(folder, proved_bundle(), script(folder, lines));
        CAPTURE(lines);
        CHECK(result.code == 4);
        CHECK(result.out.empty());
        CHECK(inputs::is_one_sentence(result.err));
    }
}

TEST_CASE("a certificate beyond a limit of the formal checker is undecided") {
    const Folder folder;
    const auto result =
        check(folder, proved_bundle(), script(folder, "echo 'line 4: the line is too long' >&2\nexit 2\n"));
    CHECK(result.code == 2);
    CHECK(contains(result.out, "undecided: the certificate is beyond a limit of the formal checker: line 4"));
    CHECK(contains(result.out, "0 ≤ r_ε(A) ≤ 3"));
    CHECK(contains(result.out, "has proved nothing"));
    CHECK(!contains(result.out, "trusted: Coq"));
}

TEST_CASE("a certificate whose text would not fit is undecided, before any memory is taken for it") {
    const Folder folder;
    constexpr Index n = 1024;
    Bundle bundle = proved_bundle();
    bundle.subject.centre = ExactMatrix::from_integers(n, n, std::vector<Integer>(n * n, Integer(1)), 32768);
    bundle.lower_witnesses = {LowerRule::nonzero};
    bundle.claims[0].lower = 1;
    const auto result = check(folder, bundle, script(folder, "exit 7\n"));
    CHECK(result.code == 2);
    CHECK(
        contains(result.out, "undecided: the certificate is beyond a limit of the formal checker: its text"));
    CHECK(contains(result.out, "has proved nothing"));
}

TEST_CASE("a witness that is too much work for the exact level is not put to the formal one") {
    const Folder folder;
    constexpr Index n = 256;
    Bundle bundle = proved_bundle();
    const ExactMatrix tiny =
        ExactMatrix::from_integers(n, n, std::vector<Integer>(n * n, Integer(1)), -32768);
    FixedSpaceWitness witness{ExactMatrix::identity(n), tiny, {}};
    for (Index i = 0; i < n; ++i) witness.pivots.push_back(i);
    bundle.subject.centre = tiny;
    bundle.lower_witnesses = {witness};
    bundle.claims[0].lower = n;
    const auto result = check(folder, bundle, answering(folder, "0 256 0 4"));
    CHECK(result.code == 2);
    CHECK(contains(result.out, "undecided"));
    CHECK(!contains(inputs::read_text(folder / "checker.in"), "fixed_space"));
}

TEST_CASE("where there is no formal checker one sentence says how to get it, with exit code 3") {
    const Folder folder;
    write_bundle(proved_bundle(), folder / "a.cert.safetensors");
    const auto run = [&](const std::string& named) {
        std::vector<std::string> arguments = {"check", folder / "a.cert.safetensors", "--level", "formal"};
        if (!named.empty()) arguments.insert(arguments.end(), {"--formal-checker", named});
        return program::run(arguments);
    };
    setenv("PATH", folder.path().c_str(), 1);
    unsetenv("RANKCERT_FORMAL");
    inputs::write_text(folder / "no-program", "text\n");
    for (const std::string& named : {std::string(), folder / "missing", folder / "no-program"}) {
        const auto result = run(named);
        CHECK(result.code == 3);
        CHECK(result.out.empty());
        CHECK(inputs::is_one_sentence(result.err));
        CHECK(contains(result.err, "make -C proofs/coq"));
    }
    setenv("RANKCERT_FORMAL", (folder / "missing").c_str(), 1);
    CHECK(contains(run("").err, "RANKCERT_FORMAL names"));
    unsetenv("RANKCERT_FORMAL");
    // found on the PATH, and by the variable
    setenv("PATH", (folder.path().string() + ":/usr/bin:/bin").c_str(), 1);
    const std::string checker = answering(folder, "3 3 6 4");
    inputs::write_text(folder / "rankcert-formal", "#!/bin/sh\nexec " + checker + "\n");
    chmod((folder / "rankcert-formal").c_str(), 0755);
    CHECK(run("").code == 0);
    setenv("PATH", "/usr/bin:/bin", 1);
    CHECK(run("").code == 3);
    setenv("RANKCERT_FORMAL", checker.c_str(), 1);
    CHECK(run("").code == 0);
    unsetenv("RANKCERT_FORMAL");
}
