#include "itl.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace rankcert::tests {
namespace {

std::string read_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot open " + path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// The text with comments replaced by blanks (line numbers stay right).
std::string without_comments(std::string text) {
    for (std::size_t start; (start = text.find("/*")) != std::string::npos;) {
        const std::size_t end = text.find("*/", start);
        if (end == std::string::npos) throw std::runtime_error("a comment does not end");
        for (std::size_t i = start; i < end + 2; ++i) {
            if (text[i] != '\n') text[i] = ' ';
        }
    }
    for (std::size_t start = 0; (start = text.find("//", start)) != std::string::npos;) {
        while (start < text.size() && text[start] != '\n') text[start++] = ' ';
    }
    return text;
}

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// A decimal or hexadecimal number, rounded to nearest as the authors of the cases meant it.
double read_number(const std::string& text) {
    const std::string word = trimmed(text);
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);  // also "infinity", "NaN"
    if (word.empty() || *end != '\0') throw std::runtime_error("not a number: " + text);
    return value;
}

ItlValue read_value(const std::string& word) {
    if (word == "true") return true;
    if (word == "false") return false;
    if (word.front() != '[') return read_number(word);
    const auto close = word.find(']');
    const std::string decoration = word.substr(close + 1);
    if (!decoration.empty() && decoration != "_com" && decoration != "_dac" && decoration != "_def" &&
        decoration != "_trv")
        throw std::runtime_error("unknown decoration: " + word);
    const std::string inside = trimmed(word.substr(1, close - 1));
    if (inside == "nai") return NotAnInterval{};
    if (inside == "empty") return empty_interval();
    if (inside == "entire") return entire_interval();
    const auto comma = inside.find(',');
    if (comma == std::string::npos) throw std::runtime_error("not an interval: " + word);
    return make_interval(read_number(inside.substr(0, comma)), read_number(inside.substr(comma + 1)));
}

/// Words separated by blanks; an interval with its decoration is one word.
std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words;
    std::size_t i = 0;
    while (i < text.size()) {
        if (std::isspace(static_cast<unsigned char>(text[i]))) {
            ++i;
            continue;
        }
        std::size_t end = i;
        if (text[i] == '[') {
            end = text.find(']', i);
            if (end == std::string::npos) throw std::runtime_error("an interval does not end");
        }
        while (end < text.size() && !std::isspace(static_cast<unsigned char>(text[end]))) ++end;
        words.push_back(text.substr(i, end - i));
        i = end;
    }
    return words;
}

}  // namespace

std::vector<ItlCase> read_itl(const std::string& path) {
    const std::string text = without_comments(read_text(path));
    std::vector<ItlCase> cases;
    int line = 1;
    std::string statement;
    for (const char c : text) {
        if (c == '\n') ++line;
        if (c == '{') {
            const auto words = split(statement);
            if (words.size() != 2 || words[0] != "testcase")
                throw std::runtime_error("not a testcase: " + statement);
            statement.clear();
        } else if (c == '}') {
            if (!trimmed(statement).empty()) throw std::runtime_error("not a statement: " + statement);
            statement.clear();
        } else if (c == ';') {
            try {
                const auto words = split(statement);
                if (words.size() < 4 || words[words.size() - 2] != "=")
                    throw std::runtime_error("not a case");
                ItlCase entry{path.substr(path.rfind('/') + 1), line, trimmed(statement), words[0], {}, {}};
                for (std::size_t i = 1; i + 2 < words.size(); ++i)
                    entry.operands.push_back(read_value(words[i]));
                entry.result = read_value(words.back());
                cases.push_back(std::move(entry));
            } catch (const std::exception& error) {
                throw std::runtime_error(path + ":" + std::to_string(line) + ": " + error.what() + ": " +
                                         statement);
            }
            statement.clear();
        } else {
            statement += c;
        }
    }
    if (!trimmed(statement).empty()) throw std::runtime_error("the file ends within a statement");
    return cases;
}

}  // namespace rankcert::tests
