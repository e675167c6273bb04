#include "bundle_row_cycle.hpp"

#include "bundle_format.hpp"

namespace rankcert::detail {
namespace {

Index index_of(const Json& value, const Fields& fields, const char* key) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMaxRank))
        fields.fail(std::string("has in '") + key + "' something that is not an index");
    return value.get<Index>();
}

}  // namespace

void add_row_cycle(const RowCycleWitness& witness, Json& json) {
    Json rows = Json::array(), signs = Json::array(), vector = Json::array();
    for (const SignedRowSet& set : witness.sets) {
        std::string text;
        for (Index j = 0; j < witness.rank; ++j)
            text += (set.negative >> static_cast<unsigned>(j) & 1) != 0 ? '-' : '+';
        rows.push_back(set.rows);
        signs.push_back(std::move(text));
        vector.push_back(set.vector);
    }
    json["rank"] = witness.rank;
    json["rows"] = std::move(rows);
    json["signs"] = std::move(signs);
    json["vector"] = std::move(vector);
}

RowCycleWitness parse_row_cycle(Fields& fields) {
    RowCycleWitness witness;
    witness.rank = static_cast<Index>(fields.number("rank", static_cast<std::uint64_t>(kMaxRowCycleRank)));
    const Json& rows = fields.array("rows");
    const Json& signs = fields.array("signs");
    const Json& vector = fields.array("vector");
    const auto k = static_cast<std::size_t>(witness.rank);
    if (rows.size() != signs.size() || rows.size() != vector.size())
        fields.fail("has lists of different lengths in 'rows', 'signs' and 'vector'");
    // Before any memory is taken for the sets. The rest of the form is judged with the matrices at hand.
    if (k < 2 || rows.size() > static_cast<std::size_t>(kMaxRowCycleEntries) / k)
        fields.fail("has a rank below 2, or more sets than the format allows");
    witness.sets.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = "has in set number " + std::to_string(i) + " ";
        SignedRowSet set;
        if (!rows[i].is_array() || rows[i].size() != k)
            fields.fail(name + "no list of as many rows as 'rank' says");
        for (const Json& row : rows[i]) set.rows.push_back(index_of(row, fields, "rows"));
        if (!signs[i].is_string()) fields.fail(name + "no text of signs");
        const auto& text = signs[i].get_ref<const std::string&>();
        if (text.size() != k || text.find_first_not_of("+-") != std::string::npos)
            fields.fail(name + "a text of signs that is not one + or - for each row");
        for (std::size_t j = 0; j < k; ++j) {
            if (text[j] == '-') set.negative |= std::uint64_t{1} << j;
        }
        set.vector = index_of(vector[i], fields, "vector");
        witness.sets.push_back(std::move(set));
    }
    return witness;
}

}  // namespace rankcert::detail
