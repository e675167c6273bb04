#include "run_log.hpp"

#include <algorithm>
#include <vector>

#include "rankcert/io/file.hpp"
#include "rankcert/io/json.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::cli {

RunLog::RunLog(const std::filesystem::path& directory) : path_(directory / "run.json") {
    if (!std::filesystem::exists(path_)) return;
    try {
        const std::vector<std::byte> bytes = read_file(path_, std::uint64_t{1} << 30);
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const nlohmann::json json = parse_json(text, path_.string());
        for (const auto& [hash, value] : json.at("certificates").items()) {
            Entry entry;
            entry.file_name = value.at("file").get<std::string>();
            for (const auto& [epsilon, fields] : value.at("epsilon").items()) {
                entry.records[epsilon] = {fields.at("effort_seconds").get<double>(), fields.at("seed").get<unsigned>(),
                                          fields.at("top_k").get<bool>(), fields.at("seconds").get<double>()};
            }
            entries_.emplace(hash, std::move(entry));
        }
    } catch (const Error&) {
        entries_.clear();
    } catch (const nlohmann::json::exception&) {
        entries_.clear();
    }
}

SearchRecords RunLog::find(const std::string& certificate_sha256) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(certificate_sha256);
    return found == entries_.end() ? SearchRecords() : found->second.records;
}

void RunLog::add(const std::string& certificate_sha256, const std::string& file_name, const SearchRecords& records) {
    const std::lock_guard lock(mutex_);
    // A certificate that is about to be replaced keeps its record until the next one comes: the run may be killed
    // between this file and that one.
    std::vector<std::string> of_this_name;
    for (const auto& [hash, entry] : entries_) {
        if (entry.file_name == file_name) of_this_name.push_back(hash);
    }
    const std::filesystem::path certificate = path_.parent_path() / file_name;
    std::string current;
    if (!of_this_name.empty() && std::filesystem::exists(certificate)) current = sha256(read_file(certificate));
    for (const std::string& hash : of_this_name) {
        if (hash != current) entries_.erase(hash);
    }
    entries_[certificate_sha256] = {file_name, records};

    nlohmann::ordered_json certificates = nlohmann::ordered_json::object();
    for (const auto& [hash, entry] : entries_) {
        nlohmann::ordered_json epsilons = nlohmann::ordered_json::object();
        for (const auto& [epsilon, record] : entry.records) {
            epsilons[epsilon] = {{"effort_seconds", record.effort_seconds},
                                 {"seed", record.seed},
                                 {"top_k", record.top_k},
                                 {"seconds", record.seconds}};
        }
        certificates[hash] = {{"file", entry.file_name}, {"epsilon", epsilons}};
    }
    write_file_atomically(path_, nlohmann::ordered_json{{"certificates", certificates}}.dump(1) + "\n");
}

}  // namespace rankcert::cli
