#include "search_record.hpp"

#include "rankcert/io/json.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::cli {

namespace {
constexpr const char* kName = "search";
}  // namespace

SearchRecords search_records(const Bundle& bundle) {
    SearchRecords records;
    const auto text = bundle.information.find(kName);
    if (text == bundle.information.end()) return records;
    try {
        const nlohmann::json json = parse_json(text->second, kName);
        for (const auto& [epsilon, fields] : json.items()) {
            records[epsilon] = {fields.at("effort_seconds").get<double>(), fields.at("seed").get<unsigned>(),
                                fields.at("top_k").get<bool>(), fields.at("seconds").get<double>()};
        }
    } catch (const Error&) {
        records.clear();
    } catch (const nlohmann::json::exception&) {
        records.clear();
    }
    return records;
}

void set_search_records(Bundle& bundle, const SearchRecords& records) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& [epsilon, record] : records) {
        json[epsilon] = {{"effort_seconds", record.effort_seconds},
                         {"seed", record.seed},
                         {"top_k", record.top_k},
                         {"seconds", record.seconds}};
    }
    bundle.information[kName] = json.dump();
}

}  // namespace rankcert::cli
