#pragma once
// Strict reading of JSON objects: every key is asked for by name, and what was not asked for is refused.

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "rankcert/certificate/witness.hpp"

namespace rankcert::detail {

using Json = nlohmann::json;

class Fields {
  public:
    /// `where` begins every message: the file and the place in the statement.
    Fields(const Json& object, std::string where);

    /// The value of a key that must be there.
    [[nodiscard]] const Json& get(const char* key);
    /// The value of a key that may be there.
    [[nodiscard]] const Json* find(const char* key);
    /// To be called last: throws Error where a key was not asked for.
    void finish() const;

    [[nodiscard]] std::string text(const char* key);
    /// A whole number in [0, most].
    [[nodiscard]] std::uint64_t number(const char* key, std::uint64_t most);
    [[nodiscard]] Index index(const char* key);
    /// A number in lowest terms, written as to_string writes it.
    [[nodiscard]] Rational rational(const char* key);
    [[nodiscard]] std::vector<Index> indices(const char* key);
    /// An object or an array inside this one.
    [[nodiscard]] Fields object(const char* key);
    [[nodiscard]] const Json& array(const char* key);
    /// Throws Error where the key's value is not exactly this one.
    void require(const char* key, const Json& value);

    [[nodiscard]] const std::string& where() const { return where_; }
    [[noreturn]] void fail(const std::string& what) const;

  private:
    const Json& object_;
    std::string where_;
    std::set<std::string> taken_;
};

}  // namespace rankcert::detail
