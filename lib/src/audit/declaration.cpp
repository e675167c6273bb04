#include "rankcert/audit/declaration.hpp"

#include <nlohmann/json.hpp>

#include "certificate/bundle_fields.hpp"
#include "io/text.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::audit {

using rankcert::to_string;

namespace {

using io::in_quotes;
using Json = nlohmann::ordered_json;

/// How many numbers a claim takes: least and most.
struct ClaimShape {
    ClaimKind kind;
    int least, most;
};
constexpr ClaimShape kClaims[] = {{ClaimKind::max_abs, 1, 1},
                                  {ClaimKind::row_l1, 1, 1},
                                  {ClaimKind::relative, 1, 1},
                                  {ClaimKind::ulps, 1, 1},
                                  {ClaimKind::close, 2, 2},
                                  {ClaimKind::within, 1, 1},
                                  {ClaimKind::correctly_rounded, 0, 0},
                                  {ClaimKind::faithful, 0, 0},
                                  {ClaimKind::frobenius, 1, 1},
                                  {ClaimKind::row_sums, 0, 1},
                                  {ClaimKind::non_negative, 0, 0},
                                  {ClaimKind::causal, 0, 0},
                                  {ClaimKind::masked_zero, 0, 0}};

Rational number(const std::string& text, const std::string& claim) {
    try {
        Rational value = parse_rational(text);
        if (value >= 0) return value;
    } catch (const Error&) {
        // told below
    }
    throw Error("the claim " + in_quotes(claim) + " needs a number ≥ 0 where it says " + in_quotes(text) +
                ": write a decimal or a fraction, such as 1e-6 or 1/4");
}

template <class Enum>
struct Word {
    Enum value;
    const char* word;
};
constexpr Word<Subject> kSubjects[] = {{Subject::attention, "attention"}, {Subject::output, "output"}};
constexpr Word<Layout> kLayouts[] = {{Layout::heads_first, "BHND"}, {Layout::tokens_first, "BNHD"}};
constexpr Word<CausalAlignment> kAlignments[] = {{CausalAlignment::bottom_right, "bottom-right"},
                                                 {CausalAlignment::top_left, "top-left"}};
constexpr Word<MaskReading> kReadings[] = {{MaskReading::boolean, "boolean"},
                                           {MaskReading::additive, "additive"}};
constexpr Word<SinkKind> kSinks[] = {
    {SinkKind::none, "none"}, {SinkKind::one, "one"}, {SinkKind::logits, "logits"}};
constexpr Word<EmptyRows> kEmptyRows[] = {
    {EmptyRows::error, "error"}, {EmptyRows::zero, "zero"}, {EmptyRows::nan, "nan"}};

template <class Enum, std::size_t N>
std::string word_of(const Word<Enum> (&words)[N], Enum value) {
    for (const auto& entry : words) {
        if (entry.value == value) return entry.word;
    }
    return "";
}

/// The fields of a declaration, read leniently in what may be left out and strictly in the rest.
class Reader {
  public:
    Reader(const nlohmann::json& json, const std::string& where) : fields_(json, where) {}

    template <class Enum, std::size_t N>
    std::optional<Enum> word(const char* key, const Word<Enum> (&words)[N]) {
        const nlohmann::json* value = find(key);
        if (value == nullptr) return std::nullopt;
        std::string allowed;
        for (const auto& entry : words) {
            if (*value == entry.word) return entry.value;
            if (!allowed.empty()) allowed += ", ";
            allowed += entry.word;
        }
        fields_.fail(in_quotes(key) + " must be one of " + allowed);
    }
    bool flag(const char* key) {
        const nlohmann::json* value = find(key);
        if (value == nullptr) return false;
        if (!value->is_boolean()) fields_.fail(in_quotes(key) + " must be true or false");
        return value->get<bool>();
    }
    std::optional<std::string> text(const char* key) {
        const nlohmann::json* value = find(key);
        if (value == nullptr) return std::nullopt;
        if (!value->is_string())
            fields_.fail(in_quotes(key) + " must be a text, so that the number in it is exact");
        return value->get<std::string>();
    }
    std::optional<Rational> rational(const char* key) {
        const auto written = text(key);
        if (!written) return std::nullopt;
        try {
            return parse_rational(*written);
        } catch (const Error&) {
            fields_.fail(in_quotes(key) + " must be a decimal or a fraction in a text");
        }
    }
    std::optional<Index> index(const char* key) {
        const nlohmann::json* value = find(key);
        return value == nullptr ? std::nullopt : std::optional(whole(*value, key));
    }
    const nlohmann::json* list(const char* key) {
        const nlohmann::json* value = find(key);
        if (value != nullptr && !value->is_array()) fields_.fail(in_quotes(key) + " must be a list");
        return value;
    }
    Index whole(const nlohmann::json& value, const char* key) const {
        constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost)
            fields_.fail(in_quotes(key) + " must be a whole number ≥ 0");
        return static_cast<Index>(value.get<std::uint64_t>());
    }
    void finish() const { fields_.finish(); }

  private:
    /// null is the same as left out.
    const nlohmann::json* find(const char* key) {
        const nlohmann::json* value = fields_.find(key);
        return value == nullptr || value->is_null() ? nullptr : value;
    }

    detail::Fields fields_;
};

template <class T, class Function>
Json or_null(const std::optional<T>& value, const Function& write) {
    return value ? Json(write(*value)) : Json(nullptr);
}

}  // namespace

Claim parse_claim(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    std::vector<std::string> numbers;
    if (equals != std::string::npos) {
        std::size_t at = equals + 1;
        for (std::size_t comma = text.find(',', at); comma != std::string::npos; comma = text.find(',', at)) {
            numbers.push_back(text.substr(at, comma - at));
            at = comma + 1;
        }
        numbers.push_back(text.substr(at));
    }
    std::string known;
    for (const ClaimShape& shape : kClaims) {
        if (!known.empty()) known += ", ";
        known += to_string(shape.kind);
        if (name != to_string(shape.kind)) continue;
        const auto count = static_cast<int>(numbers.size());
        if (count < shape.least || count > shape.most) {
            throw Error("the claim " + in_quotes(text) + " must have " +
                        (shape.most == 0    ? "no number"
                         : shape.least == 2 ? "two numbers, such as close=1e-5,1e-8"
                         : shape.least == 0 ? "no number or one"
                                            : "one number, such as " + name + "=1e-6"));
        }
        Claim claim{shape.kind, 0, 0};
        if (count > 0) claim.first = number(numbers[0], text);
        if (count > 1) claim.second = number(numbers[1], text);
        return claim;
    }
    throw Error("there is no claim " + in_quotes(name) + ": the claims are " + known);
}

std::string to_string(const Claim& claim) {
    std::string text = to_string(claim.kind);
    for (const ClaimShape& shape : kClaims) {
        if (shape.kind != claim.kind || shape.most == 0) continue;
        if (shape.least == 0 && claim.first == 0) continue;
        text += '=';
        text += to_string(claim.first);
        if (shape.most < 2) continue;
        text += ',';
        text += to_string(claim.second);
    }
    return text;
}

Json to_json(const Declaration& d) {
    Json claims = Json::array();
    for (const Claim& claim : d.claims) claims.push_back(to_string(claim));
    const auto rational = [](const Rational& x) { return to_string(x); };
    const auto same = [](Index i) { return i; };
    return {{"audit", word_of(kSubjects, d.subject)},
            {"layout", word_of(kLayouts, d.layout)},
            {"scale", d.scale},
            {"softcap", or_null(d.softcap, rational)},
            {"causal", d.causal},
            {"alignment", or_null(d.alignment, [](CausalAlignment a) { return word_of(kAlignments, a); })},
            {"window_before", or_null(d.window_before, same)},
            {"window_after", or_null(d.window_after, same)},
            {"mask", or_null(d.mask, [](MaskReading m) { return word_of(kReadings, m); })},
            {"bias", d.bias},
            {"alibi", d.alibi},
            {"sink", word_of(kSinks, d.sink)},
            {"empty_rows", word_of(kEmptyRows, d.empty_rows)},
            {"rows", d.rows},
            {"claims", claims},
            {"ratio", or_null(d.ratio, rational)}};
}

Declaration declaration_from_json(const nlohmann::json& json, const std::string& where) {
    Reader reader(json, where);
    Declaration d;
    d.subject = reader.word("audit", kSubjects).value_or(Subject::attention);
    d.layout = reader.word("layout", kLayouts).value_or(Layout::heads_first);
    d.scale = reader.text("scale").value_or("");
    d.softcap = reader.rational("softcap");
    d.causal = reader.flag("causal");
    d.alignment = reader.word("alignment", kAlignments);
    d.window_before = reader.index("window_before");
    d.window_after = reader.index("window_after");
    d.mask = reader.word("mask", kReadings);
    d.bias = reader.flag("bias");
    d.alibi = reader.flag("alibi");
    d.sink = reader.word("sink", kSinks).value_or(SinkKind::none);
    d.empty_rows = reader.word("empty_rows", kEmptyRows).value_or(EmptyRows::error);
    if (const nlohmann::json* rows = reader.list("rows")) {
        for (const auto& row : *rows) d.rows.push_back(reader.whole(row, "rows"));
    }
    if (const nlohmann::json* claims = reader.list("claims")) {
        for (const auto& claim : *claims) {
            if (!claim.is_string()) throw Error(where + ": a claim must be a text such as \"max-abs=1e-6\"");
            d.claims.push_back(parse_claim(claim.get<std::string>()));
        }
    }
    d.ratio = reader.rational("ratio");
    reader.finish();
    return d;
}

}  // namespace rankcert::audit
