#include "io/safetensors_header.hpp"

#include <nlohmann/json.hpp>

#include "io/json_error.hpp"
#include "io/text.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::io {
namespace {

/// Follows the parser through {"name": {"dtype": "…", "shape": […], "data_offsets": […]}, "__metadata__":
/// {…}} and stops it (false) at the first thing that does not belong there.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
  public:
    explicit HeaderHandler(SafetensorsHeader& header) : header_(header) {}

    bool null() override { return unexpected("null"); }
    bool boolean(bool) override { return unexpected("a boolean"); }
    bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
    bool number_float(number_float_t, const string_t&) override {
        return unexpected("a number with a fraction, an exponent or more than 64 bits");
    }
    bool binary(binary_t&) override { return unexpected("binary data"); }

    bool number_unsigned(number_unsigned_t value) override {
        if (state_ != State::list) return unexpected("a number");
        if (list_->size() == longest_) return stop(subject() + "has too many numbers in " + field_name());
        list_->push_back(value);
        return true;
    }

    bool string(string_t& value) override {
        if (state_ == State::metadata_value) {
            header_.metadata[key_] = std::move(value);
            state_ = State::metadata;
            return true;
        }
        if (state_ == State::field && field_ == Field::dtype) {
            header_.entries.back().dtype = std::move(value);
            state_ = State::entry;
            return true;
        }
        return unexpected("a string");
    }

    bool start_object(std::size_t) override {
        switch (state_) {
            case State::start:
                state_ = State::top;
                return true;
            case State::metadata_start:
                state_ = State::metadata;
                return true;
            case State::entry_start:
                state_ = State::entry;
                return true;
            default:
                return unexpected("an object");
        }
    }

    bool key(string_t& name) override {
        switch (state_) {
            case State::top:
                if (name == "__metadata__") {
                    if (have_metadata_) return stop("duplicate key '__metadata__'");
                    have_metadata_ = true;
                    state_ = State::metadata_start;
                } else {
                    header_.entries.emplace_back();
                    header_.entries.back().name = std::move(name);
                    have_ = {};
                    offsets_.clear();
                    state_ = State::entry_start;
                }
                return true;
            case State::metadata:
                if (header_.metadata.contains(name)) {
                    return stop("duplicate key " + in_quotes(name) + " in '__metadata__'");
                }
                key_ = std::move(name);
                state_ = State::metadata_value;
                return true;
            case State::entry:
                return field_key(name);
            default:
                return unexpected("a key");
        }
    }

    bool end_object() override {
        switch (state_) {
            case State::top:
                state_ = State::done;
                return true;
            case State::metadata:
                state_ = State::top;
                return true;
            case State::entry:
                return end_entry();
            default:
                return unexpected("the end of an object");
        }
    }

    bool start_array(std::size_t) override {
        if (state_ != State::field || field_ == Field::dtype) return unexpected("an array");
        list_ = field_ == Field::shape ? &header_.entries.back().shape : &offsets_;
        longest_ = field_ == Field::shape ? 64 : 2;
        state_ = State::list;
        return true;
    }

    bool end_array() override {
        state_ = State::entry;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& error) override {
        return stop("not valid JSON near byte " + std::to_string(position) + ": " +
                    json_reason(error.what()));
    }

    [[nodiscard]] const std::string& reason() const { return reason_; }

  private:
    enum class State {
        start,
        top,
        metadata_start,
        metadata,
        metadata_value,
        entry_start,
        entry,
        field,
        list,
        done
    };
    enum class Field { dtype, shape, data_offsets };
    struct Have {
        bool dtype = false;
        bool shape = false;
        bool data_offsets = false;
    };

    bool stop(std::string reason) {
        reason_ = std::move(reason);
        return false;
    }

    [[nodiscard]] std::string subject() const {
        switch (state_) {
            case State::metadata_start:
            case State::metadata:
            case State::metadata_value:
                return "'__metadata__' ";
            case State::entry_start:
            case State::entry:
            case State::field:
            case State::list:
                return "tensor " + in_quotes(header_.entries.back().name) + " ";
            default:
                return "it ";
        }
    }

    [[nodiscard]] std::string field_name() const {
        return field_ == Field::dtype ? "'dtype'" : field_ == Field::shape ? "'shape'" : "'data_offsets'";
    }

    bool unexpected(const std::string& what) {
        const bool inside = state_ == State::field || state_ == State::list;
        return stop(subject() + "has " + what + (inside ? " in " + field_name() : std::string()) +
                    ", which does not belong there");
    }

    bool field_key(const std::string& name) {
        bool* have = nullptr;
        if (name == "dtype") {
            field_ = Field::dtype;
            have = &have_.dtype;
        } else if (name == "shape") {
            field_ = Field::shape;
            have = &have_.shape;
        } else if (name == "data_offsets") {
            field_ = Field::data_offsets;
            have = &have_.data_offsets;
        } else {
            return stop(subject() + "has the unknown key " + in_quotes(name));
        }
        if (*have) return stop("duplicate key " + in_quotes(name) + " in " + subject());
        *have = true;
        state_ = State::field;
        return true;
    }

    bool end_entry() {
        if (!have_.dtype || !have_.shape || !have_.data_offsets) {
            return stop(subject() + "must have 'dtype', 'shape' and 'data_offsets'");
        }
        if (offsets_.size() != 2) return stop(subject() + "must have two 'data_offsets'");
        header_.entries.back().begin = offsets_[0];
        header_.entries.back().end = offsets_[1];
        state_ = State::top;
        return true;
    }

    SafetensorsHeader& header_;
    State state_ = State::start;
    Field field_ = Field::dtype;
    Have have_;
    bool have_metadata_ = false;
    std::string key_;
    std::vector<std::uint64_t> offsets_;
    std::vector<std::uint64_t>* list_ = nullptr;
    std::size_t longest_ = 0;
    std::string reason_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, const std::string& file) {
    const std::string what = file + ": not a valid .safetensors file: ";
    if (!text.starts_with('{')) throw Error(what + "its header does not begin with '{'");
    if (const auto nul = text.find('\0');
        nul != std::string_view::npos) {  // the library takes it for the end
        throw Error(what + "its header has a NUL byte at " + std::to_string(nul));
    }
    SafetensorsHeader header;
    HeaderHandler handler(header);
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &handler)) {
        throw Error(what + "in its header, " + handler.reason());
    }
    return header;
}

}  // namespace rankcert::io
