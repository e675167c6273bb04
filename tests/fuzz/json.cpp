// Any bytes as JSON: refused in one sentence, or a value that is the same again after being written.

#include "rankcert/io/json.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::accept_or_refuse([&] {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const nlohmann::json value = rankcert::parse_json(text, "input");
        fuzz::require(rankcert::parse_json(value.dump(), "again") == value);
    });
    return 0;
}
