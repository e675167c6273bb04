#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "environment/report.hpp"
#include "rankcert/io/file.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"
#include "rigor/hostile_environment.hpp"

// The verdicts on the files of tests/data/certificates, for callers who left any floating-point environment
// behind, on one thread and on many. This program is also built without optimisation and for the processor
// at hand, and there compares itself with the same transcript.

using namespace rankcert;
using rankcert::tests::HostileEnvironment;
using rankcert::tests::Report;
using rankcert::tests::Row;
using Paths = std::vector<std::filesystem::path>;

namespace {

const std::filesystem::path kFolder = RANKCERT_TEST_DATA "/certificates";

struct Environment {
    const char* name;
    int rounding;
    bool flush;
};
constexpr std::array<Environment, 8> kEnvironments{{{"to nearest", FE_TONEAREST, false},
                                                    {"upward", FE_UPWARD, false},
                                                    {"downward", FE_DOWNWARD, false},
                                                    {"toward zero", FE_TOWARDZERO, false},
                                                    {"to nearest, flushing", FE_TONEAREST, true},
                                                    {"upward, flushing", FE_UPWARD, true},
                                                    {"downward, flushing", FE_DOWNWARD, true},
                                                    {"toward zero, flushing", FE_TOWARDZERO, true}}};

bool is_hostile(const Environment& environment) {
#if defined(__x86_64__)
    return environment.rounding != FE_TONEAREST || environment.flush;
#else
    return environment.rounding != FE_TONEAREST;
#endif
}

std::string text_of(const std::filesystem::path& path) {
    const std::vector<std::byte> bytes = read_file(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What came of one file in one environment.
struct Outcome {
    Report exact;
    Report fast;
    bool environment_held = false;  ///< the thread computed in the environment before and after
};

/// Reads and checks the file on this thread, which has the environment already.
Outcome check_here(const std::filesystem::path& path, const Environment& environment) {
    const auto held = [&] {
        return std::fegetround() == environment.rounding && arithmetic_is_ieee() != is_hostile(environment);
    };
    Outcome outcome;
    const bool before = held();
    outcome.exact = tests::report(path, Level::exact);
    outcome.fast = tests::report(path, Level::fast);
    outcome.environment_held = before && held();
    return outcome;
}

/// Checks each file once on the caller's thread, or twice on `threads` threads at once, neighbours at the
/// same file. The caller and every thread have the environment.
std::vector<Outcome> check_all(const Paths& files, const Environment& environment, std::size_t threads) {
    const std::size_t copies = threads == 1 ? 1 : 2;
    std::vector<Outcome> outcomes(files.size() * copies);
    const HostileEnvironment caller(environment.rounding, environment.flush);
    if (threads == 1) {
        for (std::size_t i = 0; i < files.size(); ++i) outcomes[i] = check_here(files[i], environment);
        return outcomes;
    }
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < threads; ++worker) {
        workers.emplace_back([&] {
            const HostileEnvironment own(environment.rounding, environment.flush);
            for (std::size_t i = next++; i < outcomes.size(); i = next++)
                outcomes[i] = check_here(files[i / copies], environment);
        });
    }
    workers.clear();  // joins
    return outcomes;
}

/// The first line in which the texts differ, for a reader.
std::string difference(const std::string& got, const std::string& wanted) {
    std::istringstream left(got), right(wanted);
    std::string a, b;
    while (true) {
        const bool more_a = static_cast<bool>(std::getline(left, a));
        const bool more_b = static_cast<bool>(std::getline(right, b));
        if (!more_a && !more_b) return "";
        if (!more_a || !more_b || a != b)
            return "got    " + (more_a ? a : "(the end)") + "\nwanted " + (more_b ? b : "(the end)");
    }
}

/// The lines of the transcript that speak of this file.
std::string lines_of(const std::string& transcript, const std::filesystem::path& file) {
    const std::string name = file.stem().stem().string() + ' ';
    std::istringstream in(transcript);
    std::string lines;
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(name)) lines += line + '\n';
    return lines;
}

/// Whether fast numbers err on the safe side of the exact ones, and fast verdicts follow.
std::vector<std::string> contradictions(const Report& fast, const Report& exact) {
    std::vector<std::string> found;
    if (fast.rows.size() != exact.rows.size()) return {"different claims: " + fast.text};
    for (std::size_t i = 0; i < fast.rows.size(); ++i) {
        const Row& f = fast.rows[i];
        const Row& e = exact.rows[i];
        if (f.label != e.label) found.push_back(f.label + " is not " + e.label);
        if (f.decision == Decision::refuted) found.push_back(f.label + ": the fast checker refutes");
        if (f.decision != Decision::proved) continue;
        if (e.decision != Decision::proved || f.rank != e.rank)
            found.push_back(f.label + ": proved fast, but not exactly");
    }
    for (const auto& [label, value] : fast.costs) {
        const auto other = exact.costs.find(label);
        if (other == exact.costs.end() || value < other->second) found.push_back(label + ": too small");
    }
    for (const auto& [label, value] : fast.gains) {
        const auto other = exact.gains.find(label);
        if (other == exact.gains.end() || value > other->second) found.push_back(label + ": too large");
    }
    return found;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

/// Asserts, in an ordinary environment, all that must hold of an outcome.
void require_right(const Outcome& outcome, const std::filesystem::path& file, const std::string& transcript) {
    CAPTURE(file.filename().string());
    CHECK(outcome.environment_held);
    const std::string wanted = lines_of(transcript, file);
    CHECK_FALSE(wanted.empty());
    CHECK(difference(outcome.exact.text, wanted) == "");
    CHECK((outcome.exact.text == wanted));
    CHECK(joined(contradictions(outcome.fast, outcome.exact)) == "");
}

}  // namespace

TEST_CASE("exact verdicts are the recorded ones to the last digit, and fast ones never contradict them") {
    const Paths files = tests::certificates_in(kFolder);
    REQUIRE(files.size() >= 16);
    const std::string transcript = text_of(kFolder / "exact.txt");
    for (const Environment& environment : kEnvironments) {
        for (const std::size_t threads : {1U, 2U, 8U}) {
            CAPTURE(std::string(environment.name));
            CAPTURE(threads);
            const std::vector<Outcome> outcomes = check_all(files, environment, threads);
            for (std::size_t i = 0; i < outcomes.size(); ++i)
                require_right(outcomes[i], files[i / (threads == 1 ? 1 : 2)], transcript);
        }
    }
}

TEST_CASE("threads in eight different environments at once do not disturb one another") {
    const Paths files = tests::certificates_in(kFolder);
    const std::string transcript = text_of(kFolder / "exact.txt");
    std::vector<std::vector<Outcome>> outcomes(kEnvironments.size());
    {
        std::vector<std::jthread> workers;
        for (std::size_t k = 0; k < kEnvironments.size(); ++k) {
            workers.emplace_back([&, k] {
                const HostileEnvironment own(kEnvironments[k].rounding, kEnvironments[k].flush);
                for (const auto& file : files) outcomes[k].push_back(check_here(file, kEnvironments[k]));
            });
        }
    }
    for (std::size_t k = 0; k < kEnvironments.size(); ++k) {
        CAPTURE(std::string(kEnvironments[k].name));
        REQUIRE(outcomes[k].size() == files.size());
        for (std::size_t i = 0; i < files.size(); ++i) require_right(outcomes[k][i], files[i], transcript);
    }
}

TEST_CASE("the transcript speaks of the files that are there, in their order, and of no others") {
    const std::string transcript = text_of(kFolder / "exact.txt");
    std::string together;
    for (const auto& file : tests::certificates_in(kFolder)) together += lines_of(transcript, file);
    CHECK(together == transcript);
}

TEST_CASE("the verdicts are those that the maker of each file expected") {
    std::map<std::string, int> seen;
    for (const auto& file : tests::certificates_in(kFolder)) {
        CAPTURE(file.filename().string());
        const Bundle bundle = read_bundle(file);
        const std::vector<std::string> expected = tests::expected_of(bundle);
        const std::vector<ClaimVerdict> verdicts = check(bundle, Level::exact);
        REQUIRE(expected.size() == verdicts.size());
        for (std::size_t i = 0; i < verdicts.size(); ++i) {
            CAPTURE(i);
            CAPTURE(verdicts[i].reason);
            ++seen[expected[i]];
            if (expected[i] == "open") {
                // Of one head everything is known beforehand.
                CHECK((bundle.subject.head && !bundle.subject.head->is_single()));
            } else {
                CHECK(expected[i] == to_string(verdicts[i].decision));
            }
        }
    }
    CHECK(seen["proved"] > 200);
    CHECK(seen["refuted"] > 200);
}

TEST_CASE("the files hold every kind of witness, mask and family, and claims of every verdict") {
    std::set<std::string> methods, subjects, decisions;
    for (const auto& file : tests::certificates_in(kFolder)) {
        const Bundle bundle = read_bundle(file);
        for (const auto& witness : bundle.lower_witnesses) methods.insert(method_name(witness));
        for (const auto& witness : bundle.upper_witnesses) methods.insert(method_name(witness));
        if (!bundle.subject.head) {
            subjects.insert("matrix");
        } else {
            const Head& head = *bundle.subject.head;
            constexpr std::array kinds{"none", "causal", "boolean", "additive"};
            subjects.insert(kinds.at(static_cast<std::size_t>(head.mask.kind)));
            if (head.multiplier_low < head.multiplier_high) subjects.insert("multipliers");
            if (head.rounded_from) subjects.insert("rounded");
        }
        if (!bundle.subject.centre.is_double()) subjects.insert("finer than float64");
        const Report exact = tests::report(file, Level::exact);
        const Report fast = tests::report(file, Level::fast);
        REQUIRE(exact.rows.size() == fast.rows.size());
        for (std::size_t i = 0; i < exact.rows.size(); ++i) {
            decisions.insert(std::string(to_string(exact.rows[i].decision)) + " exact, " +
                             to_string(fast.rows[i].decision) + " fast");
        }
    }
    CHECK(methods == std::set<std::string>{"fixed_space", "neumann", "eckart_young", "row_cycle",
                                           "rule:nonzero", "rule:support", "rule:exact_rank", "factors",
                                           "representative_rows", "rule:zero", "rule:shape",
                                           "rule:distinct_rows"});
    CHECK(subjects == std::set<std::string>{"matrix", "none", "causal", "boolean", "additive", "multipliers",
                                            "rounded", "finer than float64"});
    CHECK(decisions == std::set<std::string>{"proved exact, proved fast", "proved exact, undecided fast",
                                             "refuted exact, undecided fast",
                                             "undecided exact, undecided fast"});
}

TEST_CASE("each certificate belongs to its input, in every environment") {
    const Paths files = tests::certificates_in(kFolder);
    for (const Environment& environment : kEnvironments) {
        std::vector<std::string> refusals;
        {
            const HostileEnvironment hostile(environment.rounding, environment.flush);
            for (const auto& file : files) {
                try {
                    const Bundle bundle = read_bundle(file);
                    const std::string& name = bundle.input.file;
                    const auto folder = name == "inputs.safetensors" ? kFolder : kFolder / "../heads";
                    const std::vector<std::string> roles = require_input(bundle, folder / name);
                    if (roles.empty()) refusals.push_back(file.filename().string() + ": nothing compared");
                } catch (const std::exception& error) {
                    refusals.push_back(error.what());
                }
            }
        }
        CAPTURE(std::string(environment.name));
        CHECK(joined(refusals) == "");
    }
}

TEST_CASE("this test sees a changed digit, a fast proof too many, and a bound on the wrong side") {
    const Paths files = tests::certificates_in(kFolder);
    REQUIRE_FALSE(files.empty());
    const auto& file = files.front();
    const std::string transcript = text_of(kFolder / "exact.txt");
    const Report exact = tests::report(file, Level::exact);
    const Report fast = tests::report(file, Level::fast);
    REQUIRE(joined(contradictions(fast, exact)) == "");

    std::string changed = lines_of(transcript, file);
    char& digit = changed[changed.size() / 2];
    digit = digit == '0' ? '1' : '0';
    CHECK(difference(exact.text, changed) != "");
    CHECK(difference(exact.text, exact.text + "more\n") != "");
    CHECK(difference(exact.text + "more\n", exact.text) != "");

    for (std::size_t i = 0; i < exact.rows.size(); ++i) {
        if (fast.rows[i].decision != Decision::proved) continue;
        Report weaker = exact;
        weaker.rows[i].decision = Decision::undecided;
        CHECK(contradictions(fast, weaker).size() == 1);
        weaker.rows[i].decision = Decision::refuted;
        CHECK(contradictions(fast, weaker).size() == 1);
    }
    Report refuting = fast;
    refuting.rows[0].decision = Decision::refuted;
    CHECK(contradictions(refuting, exact).size() == 1);
    for (const auto& [label, value] : exact.costs) {
        Report below = fast;
        below.costs[label] = value - to_rational(Integer(1), -2000);
        CHECK(contradictions(below, exact).size() == 1);
    }
    for (const auto& [label, value] : exact.gains) {
        Report above = fast;
        above.gains[label] = value + to_rational(Integer(1), -2000);
        CHECK(contradictions(above, exact).size() == 1);
    }
}
