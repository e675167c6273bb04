#include "bundle_fields.hpp"

#include "bundle_format.hpp"
#include "io/text.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::detail {

Fields::Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) fail("is not a JSON object");
}

void Fields::fail(const std::string& what) const { throw Error(where_ + " " + what); }

const Json& Fields::get(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) fail(std::string("has no key '") + key + "'");
    return *value;
}

const Json* Fields::find(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) return nullptr;
    taken_.insert(key);
    return &*found;
}

void Fields::finish() const {
    for (const auto& [key, value] : object_.items()) {
        if (!taken_.contains(key)) fail("has the unknown key " + io::in_quotes(key));
    }
}

std::string Fields::text(const char* key) {
    const Json& value = get(key);
    if (!value.is_string()) fail(std::string("has no text in '") + key + "'");
    return value.get<std::string>();
}

std::uint64_t Fields::number(const char* key, std::uint64_t most) {
    const Json& value = get(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
        fail(std::string("has no whole number from 0 to ") + std::to_string(most) + " in '" + key + "'");
    }
    return value.get<std::uint64_t>();
}

Index Fields::index(const char* key) {
    return static_cast<Index>(number(key, static_cast<std::uint64_t>(kMaxRank)));
}

Rational Fields::rational(const char* key) {
    const std::string written = text(key);
    Rational value;
    try {
        value = parse_rational(written);
    } catch (const Error&) {
        fail(std::string("has no rational number in '") + key + "'");
    }
    if (to_string(value) != written) {
        fail(std::string("has in '") + key +
             "' a number that is not a whole number or a fraction in lowest terms");
    }
    return value;
}

std::vector<Index> Fields::indices(const char* key) {
    std::vector<Index> result;
    for (const Json& value : array(key)) {
        if (!value.is_number_unsigned() ||
            value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMaxRank)) {
            fail(std::string("has in '") + key + "' something that is not an index");
        }
        result.push_back(value.get<Index>());
    }
    return result;
}

Fields Fields::object(const char* key) { return {get(key), where_ + "." + key}; }

const Json& Fields::array(const char* key) {
    const Json& value = get(key);
    if (!value.is_array()) fail(std::string("has no list in '") + key + "'");
    return value;
}

void Fields::require(const char* key, const Json& value) {
    if (get(key) != value) fail(std::string("must have ") + value.dump() + " in '" + key + "'");
}

}  // namespace rankcert::detail
