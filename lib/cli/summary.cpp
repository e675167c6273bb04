#include "summary.hpp"

#include <algorithm>
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

std::string csv_row(const nlohmann::ordered_json& json, bool names) {
    std::vector<std::string> fields;
    for (const auto& [key, value] : json.items()) fields.push_back(names ? key : csv_field(value));
    return join(fields, ",") + "\n";
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
    const nlohmann::ordered_json sample = to_json(Cell{});
    for (const std::string& line :
         split(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), '\n')) {
        try {
            const nlohmann::json parsed = parse_json(line, path.string());
            nlohmann::ordered_json ordered;
            for (const auto& [key, value] : sample.items()) ordered[key] = parsed.at(key);
            lines_[ordered.at("certificate").get<std::string>()].push_back(
                {dump_line(ordered), csv_row(ordered, false)});
        } catch (const Error&) {
        } catch (const nlohmann::json::exception&) {
        }
    }
}

void Summary::replace(const std::string& certificate, const std::vector<Cell>& cells) {
    std::vector<Line> lines;
    for (const Cell& cell : cells) {
        const nlohmann::ordered_json json = to_json(cell);
        lines.push_back({dump_line(json), csv_row(json, false)});
    }
    lines_[certificate] = std::move(lines);
}

void Summary::write() const {
    std::vector<std::string> order;
    for (const auto& [certificate, lines] : lines_) order.push_back(certificate);
    std::sort(order.begin(), order.end(), natural_less);
    std::string jsonl;
    std::string csv = csv_row(to_json(Cell{}), true);
    for (const std::string& certificate : order) {
        for (const Line& line : lines_.at(certificate)) {
            jsonl += line.json;
            csv += line.csv;
        }
    }
    write_file_atomically(directory_ / "brackets.jsonl", jsonl);
    write_file_atomically(directory_ / "brackets.csv", csv);
}

}  // namespace rankcert::cli
