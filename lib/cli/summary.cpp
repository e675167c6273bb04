#include "summary.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "rankcert/io/file.hpp"
#include "rankcert/io/json.hpp"
#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

namespace {

std::string csv_field(const nlohmann::ordered_json& value) {
    if (!value.is_string()) return value.dump();
    std::string text = value.get<std::string>();
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') quoted += '"';
    }
    return quoted + "\"";
}

}  // namespace

Summary::Summary(const std::filesystem::path& directory) : directory_(directory) {
    const std::filesystem::path path = directory_ / "brackets.jsonl";
    if (!std::filesystem::exists(path)) return;
    std::vector<std::byte> bytes;
    try {
        bytes = read_file(path, std::uint64_t{1} << 30);
    } catch (const Error&) {
        return;
    }
    const std::vector<std::string> keys = [] {
        std::vector<std::string> names;
        const nlohmann::ordered_json sample = to_json(Cell{});
        for (const auto& [key, value] : sample.items()) names.push_back(key);
        return names;
    }();
    for (const std::string& line :
         split(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), '\n')) {
        try {
            const nlohmann::json parsed = parse_json(line, path.string());
            nlohmann::ordered_json ordered;
            for (const std::string& key : keys) ordered[key] = parsed.at(key);
            lines_[ordered.at("certificate").get<std::string>()].push_back(std::move(ordered));
        } catch (const Error&) {
        } catch (const nlohmann::json::exception&) {
        }
    }
}

void Summary::replace(const std::string& certificate, const std::vector<Cell>& cells) {
    std::vector<nlohmann::ordered_json> lines;
    for (const Cell& cell : cells) lines.push_back(to_json(cell));
    lines_[certificate] = std::move(lines);
}

void Summary::write() const {
    std::vector<std::string> order;
    for (const auto& [certificate, lines] : lines_) order.push_back(certificate);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return natural_less(a, b); });
    std::string jsonl;
    std::string csv;
    const nlohmann::ordered_json sample = to_json(Cell{});
    for (const auto& [key, value] : sample.items()) csv += (csv.empty() ? "" : ",") + key;
    csv += "\n";
    for (const std::string& certificate : order) {
        for (const nlohmann::ordered_json& line : lines_.at(certificate)) {
            jsonl += dump_line(line);
            std::string row;
            for (const auto& [key, value] : line.items()) row += (row.empty() ? "" : ",") + csv_field(value);
            csv += row + "\n";
        }
    }
    write_file_atomically(directory_ / "brackets.jsonl", jsonl);
    write_file_atomically(directory_ / "brackets.csv", csv);
}

}  // namespace rankcert::cli
