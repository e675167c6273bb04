#include "rankcert/io/json.hpp"

#include <doctest/doctest.h>

#include "io/files.hpp"

using namespace rankcert;
using files::contains;
using files::refusal;

namespace {

std::string refuse(std::string_view text) {
    const std::string sentence = refusal([&] { return parse_json(text, "x.json"); });
    CHECK(files::is_clear(sentence, "x.json"));
    return sentence;
}

}  // namespace

TEST_CASE("JSON values of every kind are read") {
    const auto value =
        parse_json(R"( {"a": [1, -2, 2.5, true, false, null, "\u00e9\n"], "b": {"c": {}, "d": []}} )", "x");
    CHECK(value["a"][0].get<int>() == 1);
    CHECK(value["a"][1].get<int>() == -2);
    CHECK(value["a"][2].get<double>() == 2.5);
    CHECK(value["a"][5].is_null());
    CHECK(value["a"][6].get<std::string>() == "\xc3\xa9\n");
    CHECK(value["b"]["c"].is_object());
    CHECK(value["b"]["d"].is_array());
    CHECK(parse_json("18446744073709551615", "x").get<std::uint64_t>() == 18446744073709551615ULL);
    CHECK(parse_json("\"x\"", "x").get<std::string>() == "x");
    CHECK(parse_json("[[1],[2,[3]],{\"k\":[4]}]", "x").dump() == "[[1],[2,[3]],{\"k\":[4]}]");
}

TEST_CASE("duplicate keys are refused at every depth, also when spelt differently") {
    CHECK(contains(refuse(R"({"a":1,"a":2})"), "duplicate key 'a'"));
    CHECK(contains(refuse(R"({"a":1,"\u0061":2})"), "duplicate key 'a'"));
    CHECK(contains(refuse(R"([{"x":{"b":[],"c":1,"b":2}}])"), "duplicate key 'b'"));
    CHECK(parse_json(R"([{"a":1},{"a":2}])", "x").size() == 2);
}

TEST_CASE("nesting is bounded") {
    CHECK(parse_json(std::string(64, '[') + std::string(64, ']'), "x").is_array());
    CHECK(contains(refuse(std::string(65, '[') + std::string(65, ']')), "deeper"));
    CHECK(contains(refuse(std::string(100000, '[')), "deeper"));
    std::string objects;
    for (int k = 0; k < 100000; ++k) objects += "{\"a\":";
    CHECK(contains(refuse(objects), "deeper"));
    CHECK(refusal([] { return parse_json("[[1]]", "x", 1); }) != "(accepted)");
}

TEST_CASE("text that is not JSON is refused") {
    for (const char* text :
         {"",        " ",        "{",         "[1,]",         "{\"a\":1,}",  "{a:1}",          "'a'",
          "01",      "1.",       ".5",        "+1",           "NaN",         "Infinity",       "nul",
          "\"\\x\"", "\"\n\"",   "\"\xff\"",  "\"\xc0\x80\"", "\"\\ud800\"", "\"\\udc00x\"",   "1 2",
          "{} {}",   "[1] // c", "/* c */ 1", "1e999",        "\"abc",       "\xef\xbb\xbf{}", "[1}",
          "{\"a\"}", "{\"a\":}"}) {
        CAPTURE(text);
        CHECK(refuse(text) != "(accepted)");
    }
    CHECK(refuse(std::string_view("1\0", 2)) != "(accepted)");
    CHECK(refuse(std::string_view("{\"a\":1}\0{\"a\":2}", 15)) != "(accepted)");
    CHECK(refuse(std::string_view("\"a\0b\"", 5)) != "(accepted)");
}

TEST_CASE("long texts are bounded and a long token does not flood the message") {
    CHECK(contains(refuse(std::string(kMaxJsonBytes + 1, ' ')), "more than the"));
    CHECK(parse_json(std::string(1, '"') + std::string(1 << 20, 'a') + "\"", "x").get<std::string>().size() ==
          1 << 20);
    refuse(std::string(1, '"') + std::string(1 << 20, 'a'));
    refuse("{\"" + std::string(1 << 20, 'a') + "\xff\":1}");
    std::string many = "{";
    for (int k = 0; k < 1000000; ++k) many.append("\"").append(std::to_string(k)).append("\":0,");
    many.back() = '}';
    CHECK(parse_json(many, "x").size() == 1000000);
}
