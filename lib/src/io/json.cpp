#include "rankcert/io/json.hpp"

#include <utility>
#include <vector>

#include "io/json_error.hpp"
#include "io/text.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace {

using nlohmann::json;

/// Builds the value while it watches depth and keys. Every method returns false to stop the parser; `reason`
/// then says why. The parser itself keeps an explicit stack, so deep nesting costs no call stack.
class Builder : public nlohmann::json_sax<json> {
  public:
    Builder(json& root, int max_depth) : root_(root), max_depth_(max_depth) {}

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return stop("binary values are not JSON"); }

    bool start_object(std::size_t) override { return open(json::object()); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        auto& object = *open_.back();
        const auto [place, is_new] = object.emplace(name, nullptr);
        if (!is_new) return stop("duplicate key " + io::in_quotes(name));
        slot_ = &*place;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& error) override {
        return stop("malformed near byte " + std::to_string(position) + ": " + io::json_reason(error.what()));
    }

    [[nodiscard]] const std::string& reason() const { return reason_; }

  private:
    bool stop(std::string reason) {
        reason_ = std::move(reason);
        return false;
    }

    /// Puts a value where the next one belongs and returns its place.
    json* place(json&& value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        if (open_.back()->is_array()) {
            open_.back()->push_back(std::move(value));
            return &open_.back()->back();
        }
        *slot_ = std::move(value);
        return slot_;
    }

    bool add(json value) {
        place(std::move(value));
        return true;
    }

    bool open(json&& value) {
        if (open_.size() >= static_cast<std::size_t>(max_depth_)) {
            return stop("nested deeper than " + std::to_string(max_depth_) + " levels");
        }
        open_.push_back(place(std::move(value)));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    json& root_;
    int max_depth_;
    std::vector<json*> open_;  // only the innermost container grows, so the outer pointers stay valid
    json* slot_ = nullptr;
    std::string reason_;
};

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& what, int max_depth) {
    if (text.size() > kMaxJsonBytes) {
        throw Error(what + ": the JSON text has " + std::to_string(text.size()) + " bytes, more than the " +
                    std::to_string(kMaxJsonBytes) + " that are read");
    }
    // The library takes a NUL byte for the end of the text, and skips a byte order mark; JSON allows neither.
    if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
        throw Error(what + ": malformed near byte " + std::to_string(nul + 1) + ": a NUL byte is not JSON");
    }
    if (text.starts_with("\xef\xbb\xbf"))
        throw Error(what + ": begins with a byte order mark, which is not JSON");
    json value;
    Builder builder(value, max_depth);
    if (!json::sax_parse(text.begin(), text.end(), &builder)) throw Error(what + ": " + builder.reason());
    return value;
}

}  // namespace rankcert
