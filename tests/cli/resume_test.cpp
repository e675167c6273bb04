// Runs that are stopped and go on: nothing finished is lost, nothing half-finished is left.

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "inputs.hpp"
#include "program.hpp"

namespace {

namespace fs = std::filesystem;
using inputs::Folder;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

struct State {
    std::map<std::string, fs::file_time_type> times;
    std::map<std::string, std::string> contents;
};

/// The certificates that are there now.
State certificates(const std::string& folder) {
    State state;
    if (!fs::exists(folder)) return state;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with(".cert.safetensors")) continue;
        state.times[name] = entry.last_write_time();
        state.contents[name] = inputs::read_text(entry.path().string());
    }
    return state;
}

std::vector<std::string> bracket(const Folder& folder, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"bracket",   folder / "h.safetensors",
                                          "--epsilon", "1/4,1/8",
                                          "--effort",  "0.3",
                                          "--threads", "1",
                                          "-o",        folder / "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

/// Starts a run and lets it go on until `count` certificates are there.
void interrupt_after(const Folder& folder, std::size_t count, int signal, int expected_code) {
    program::Background run(bracket(folder));
    while (run.running() && certificates(folder / "out").times.size() < count) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    run.send(signal);
    CHECK(run.wait() == expected_code);
}

/// All that stand are whole: the exact checker proves them.
void check_all(const Folder& folder) {
    std::vector<std::string> arguments = {"check"};
    for (const auto& [name, content] : certificates(folder / "out").contents) {
        arguments.push_back(folder / ("out/" + name));
    }
    REQUIRE(arguments.size() > 1);
    const auto result = program::run(arguments);
    CAPTURE(result.err);
    CHECK(result.code == 0);
}

/// Two small heads that are soon done, and four that take the search its time.
void write_some_quick_some_slow(const std::string& path) {
    rankcert::Safetensors contents;
    contents.metadata = {{"beta", "0.5"}, {"mask", "none"}};
    for (std::uint32_t h = 0; h < 6; ++h) {
        const std::string name = "layer0.head" + std::to_string(h);
        const std::uint64_t n = h < 2 ? 6 : 40;
        contents.tensors.push_back(inputs::random_tensor(name + ".q", n, 8, 2 * h + 1, 2));
        contents.tensors.push_back(inputs::random_tensor(name + ".k", n, 8, 2 * h + 2, 2));
    }
    inputs::write_safetensors(path, contents);
}

}  // namespace

TEST_CASE("a run that is killed resumes: finished certificates keep their bytes and their time") {
    for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {
        const Folder folder;
        write_some_quick_some_slow(folder / "h.safetensors");
        interrupt_after(folder, 2, signal, signal == SIGKILL ? -SIGKILL : 128 + signal);
        const State before = certificates(folder / "out");
        CAPTURE(signal);
        CHECK(before.times.size() >= 2);
        CHECK(before.times.size() < 6);
        check_all(folder);
        for (const auto& entry : fs::directory_iterator(folder / "out")) {
            if (entry.path().extension() == ".jsonl") {
                for (const std::string& line : inputs::lines(inputs::read_text(entry.path().string()))) {
                    CHECK(nlohmann::json::accept(line));
                }
            }
        }
        // What a kill in the middle of a write would leave.
        inputs::write_text(folder / "out/.rankcert-999999999-0-00000000.tmp", "half");

        const auto resumed = program::run(bracket(folder, {"--json"}));
        CAPTURE(resumed.err);
        CHECK(resumed.code == 0);
        CHECK(inputs::lines(resumed.out).size() == 12);
        const State after = certificates(folder / "out");
        CHECK(after.times.size() == 6);
        for (const auto& [name, time] : before.times) {
            CAPTURE(name);
            CHECK(after.times.at(name) == time);
            CHECK(after.contents.at(name) == before.contents.at(name));
        }
        check_all(folder);
        for (const auto& entry : fs::directory_iterator(folder / "out"))
            CHECK(entry.path().extension() != ".tmp");
        CHECK(inputs::read_text(folder / "out/brackets.jsonl") == resumed.out);
    }
}

TEST_CASE("a run that is done is not done again, and says the same") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 2, 8, 2);
    const auto first = program::run(bracket(folder, {"--json"}));
    REQUIRE(first.code == 0);
    const State before = certificates(folder / "out");
    const auto again = program::run(bracket(folder, {"--json"}));
    CHECK(again.code == 0);
    CHECK(again.out == first.out);
    CHECK(certificates(folder / "out").times == before.times);
}

TEST_CASE("a new tolerance is added to a certificate, and those that it has stay as they are") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 8, 2);
    const auto run = [&](const std::string& epsilon) {
        return program::run({"bracket", folder / "h.safetensors", "--epsilon", epsilon, "--effort", "0.3",
                             "--json", "-o", folder / "out"});
    };
    const auto first = run("1/4");
    REQUIRE(first.code == 0);
    REQUIRE(run("1/2,1/8").code == 0);
    const auto info = program::run({"info", folder / "out/layer0.head0.cert.safetensors"});
    for (const char* epsilon : {"ε=1/4", "ε=1/2", "ε=1/8"}) CHECK(contains(info.out, epsilon));
    check_all(folder);
    CHECK(inputs::lines(inputs::read_text(folder / "out/brackets.jsonl")).size() == 3);
    const State before = certificates(folder / "out");
    CHECK(run("1/4").out == first.out);
    CHECK(certificates(folder / "out").times == before.times);
}

TEST_CASE("more effort or another seed searches again, less effort does not") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 8, 2);
    const auto run = [&](const std::string& effort, const std::string& seed) {
        const auto result = program::run({"bracket", folder / "h.safetensors", "--epsilon", "1/4", "--effort",
                                          effort, "--seed", seed, "-o", folder / "out"});
        CAPTURE(result.err);
        CHECK(result.code == 0);
        return certificates(folder / "out");
    };
    const State first = run("0.2", "1");
    CHECK(run("0.1", "1").times == first.times);
    const State more = run("0.3", "1");
    CHECK(more.times != first.times);
    CHECK(run("0.3", "2").times != more.times);
}

TEST_CASE("a damaged certificate is made again") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 6, 2);
    REQUIRE(program::run(bracket(folder)).code == 0);
    const std::string file = folder / "out/layer0.head0.cert.safetensors";
    std::string bytes = inputs::read_text(file);
    bytes[bytes.size() / 2] ^= 1;
    inputs::write_text(file, bytes);
    const auto result = program::run(bracket(folder));
    CHECK(result.code == 0);
    CHECK(contains(result.err, "made again"));
    check_all(folder);
}

TEST_CASE("a certificate about another input or other options is never written over unasked") {
    const Folder folder;
    inputs::write_heads(folder / "h.safetensors", 1, 6, 2);
    REQUIRE(program::run(bracket(folder)).code == 0);
    const State before = certificates(folder / "out");
    for (const std::vector<std::string>& other :
         {std::vector<std::string>{"--mask", "causal"}, {"--scale", "1/3"}, {"--rounded-from", "float32"}}) {
        const auto result = program::run(bracket(folder, other));
        CHECK(result.code == 3);
        CHECK(result.out.empty());
        CHECK(inputs::is_one_sentence(result.err));
        CHECK(contains(result.err, "--overwrite"));
    }
    inputs::write_heads(folder / "h.safetensors", 1, 6, 2, {{"beta", "0.25"}, {"mask", "none"}});
    CHECK(program::run(bracket(folder)).code == 3);
    CHECK(certificates(folder / "out").contents == before.contents);
    CHECK(program::run(bracket(folder, {"--overwrite"})).code == 0);
    CHECK(certificates(folder / "out").contents != before.contents);
    // A multiplier has a file of its own.
    CHECK(program::run(bracket(folder, {"--beta-multiplier", "1/2"})).code == 0);
    CHECK(certificates(folder / "out").contents.contains("layer0.head0.beta-1_2.cert.safetensors"));
}
