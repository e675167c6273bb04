#include "io/npy_header.hpp"

#include <limits>
#include <optional>

#include "io/text.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::io {
namespace {

/// A reader of the small part of Python's literal syntax that NumPy writes.
class HeaderReader {
  public:
    HeaderReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    [[nodiscard]] NpyHeader read() {
        NpyHeader header;
        bool have_descr = false;
        bool have_order = false;
        bool have_shape = false;
        const auto once = [this](bool& have, std::string_view key) {
            if (have) fail("duplicate key " + in_quotes(key) + " in the header");
            have = true;
        };
        expect('{');
        while (!accept('}')) {
            const std::string key = read_string("a key");
            expect(':');
            if (key == "descr") {
                once(have_descr, key);
                read_descr(header);
            } else if (key == "fortran_order") {
                once(have_order, key);
                header.fortran_order = read_bool();
            } else if (key == "shape") {
                once(have_shape, key);
                header.shape = read_shape();
            } else {
                fail("unknown key " + in_quotes(key) + " in the header");
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (at_ < text_.size()) fail("text after the header's dictionary");
        if (!have_descr || !have_order || !have_shape) {
            fail("the header must have the keys 'descr', 'fortran_order' and 'shape'");
        }
        return header;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(file_ + ": not a valid .npy file: " + what);
    }

    void skip_space() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
            ++at_;
        }
    }

    [[nodiscard]] bool accept(char c) {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    void expect(char c) {
        if (!accept(c))
            fail("expected '" + std::string(1, c) + "' at byte " + std::to_string(at_) + " of the header");
    }

    [[nodiscard]] std::string read_string(const char* what) {
        skip_space();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) {
            fail("expected " + std::string(what) + " in quotes at byte " + std::to_string(at_) +
                 " of the header");
        }
        const char quote = text_[at_];
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) fail("a string in the header has no end");
        const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
        if (content.find('\\') != std::string_view::npos) fail("a string in the header has an escape");
        at_ = end + 1;
        return std::string(content);
    }

    [[nodiscard]] bool read_bool() {
        skip_space();
        for (const bool value : {true, false}) {
            const std::string_view word = value ? "True" : "False";
            if (text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return value;
            }
        }
        fail("'fortran_order' must be True or False");
    }

    [[nodiscard]] std::vector<std::uint64_t> read_shape() {
        constexpr std::size_t kMostDimensions = 64;  // NumPy's own limit, since its version 2
        std::vector<std::uint64_t> shape;
        expect('(');
        bool comma = true;
        while (!accept(')')) {
            if (!comma) fail("expected ',' or ')' in the shape");
            if (shape.size() == kMostDimensions) fail("the shape has more than 64 dimensions");
            shape.push_back(read_dimension());
            comma = accept(',');
        }
        if (shape.size() == 1 && !comma) fail("the shape is a number in brackets, not a tuple");
        return shape;
    }

    [[nodiscard]] std::uint64_t read_dimension() {
        skip_space();
        if (at_ < text_.size() && text_[at_] == '-') fail("a dimension in the shape is negative");
        std::uint64_t value = 0;
        const std::size_t begin = at_;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
            if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
                fail("a dimension in the shape is larger than 64 bits hold");
            }
            value = 10 * value + digit;
        }
        if (at_ == begin)
            fail("expected a number in the shape at byte " + std::to_string(at_) + " of the header");
        if (at_ - begin > 1 && text_[begin] == '0') fail("a dimension in the shape has a leading zero");
        if (at_ < text_.size() && (text_[at_] == 'L' || text_[at_] == 'l')) {
            fail(
                "the shape has a Python 2 long integer (like 2L); load and save the file with a current "
                "NumPy");
        }
        return value;
    }

    void read_descr(NpyHeader& header) {
        skip_space();
        if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(')) {
            fail("the array is structured (a record type); save one plain field of it");
        }
        const std::string descr = read_string("the type");
        set_type(header, descr);
    }

    void set_type(NpyHeader& header, const std::string& descr) const {
        const char order = descr.empty() ? '?' : descr.front();
        if (descr.size() < 2 || (order != '<' && order != '>' && order != '|' && order != '=')) {
            fail("the type " + in_quotes(descr) + " does not begin with a byte order");
        }
        const std::string_view type = std::string_view(descr).substr(1);
        static constexpr struct {
            std::string_view name;
            DType dtype;
        } kTypes[] = {{"b1", DType::boolean}, {"u1", DType::u8},  {"i1", DType::i8},  {"u2", DType::u16},
                      {"i2", DType::i16},     {"u4", DType::u32}, {"i4", DType::i32}, {"u8", DType::u64},
                      {"i8", DType::i64},     {"f2", DType::f16}, {"f4", DType::f32}, {"f8", DType::f64}};
        std::optional<DType> dtype;
        for (const auto& entry : kTypes) {
            if (type == entry.name) dtype = entry.dtype;
        }
        if (!dtype) fail("the array holds " + kind_of(type) + " (type " + in_quotes(descr) + "); " + kWanted);
        if (size_of(*dtype) > 1 && order != '<' && order != '>') {
            fail("the type " + in_quotes(descr) +
                 " does not say whether its bytes stand in '<' or '>' order");
        }
        header.dtype = *dtype;
        header.big_endian = order == '>';
    }

    [[nodiscard]] static std::string kind_of(std::string_view type) {
        switch (type.front()) {
            case 'O':
                return "Python objects";
            case 'S':
            case 'a':
            case 'U':
                return "strings";
            case 'c':
                return "complex numbers";
            case 'V':
                return "raw records";
            case 'M':
            case 'm':
                return "dates or times";
            case 'f':
                return type == "f16" || type == "f12" || type == "f10" ? "long doubles"
                                                                       : "an unknown float type";
            default:
                return "an unknown type";
        }
    }

    static constexpr const char* kWanted = "save it as float16, float32, float64, an integer type or bool";

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file) {
    return HeaderReader(text, file).read();
}

}  // namespace rankcert::io
