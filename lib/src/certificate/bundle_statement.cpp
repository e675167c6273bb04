// The statement: everything of a certificate but its matrices, as JSON.

#include <array>
#include <limits>
#include <stdexcept>

#include "bundle_fields.hpp"
#include "bundle_format.hpp"
#include "bundle_row_cycle.hpp"
#include "io/text.hpp"
#include "rankcert/attention/number_format.hpp"
#include "rankcert/io/json.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::detail {
namespace {

constexpr std::array kFormats{NumberFormat::float16, NumberFormat::bfloat16, NumberFormat::float32,
                              NumberFormat::float64};
/// Kind, and whether a tensor says which keys are visible.
struct MaskForm {
    MaskKind kind;
    bool has_visible;

    friend bool operator==(const MaskForm&, const MaskForm&) = default;
};
constexpr std::array kMasks{std::pair{"none", MaskForm{MaskKind::none, false}},
                            std::pair{"causal", MaskForm{MaskKind::causal, false}},
                            std::pair{"boolean", MaskForm{MaskKind::boolean, true}},
                            std::pair{"additive", MaskForm{MaskKind::additive, false}},
                            std::pair{"additive_and_boolean", MaskForm{MaskKind::additive, true}}};
constexpr std::array kAlignments{std::pair{"bottom_right", CausalAlignment::bottom_right},
                                 std::pair{"top_left", CausalAlignment::top_left}};
constexpr std::array kSides{std::pair{"rows", GramSide::rows}, std::pair{"columns", GramSide::columns}};
constexpr std::array kLowerRules{LowerRule::nonzero, LowerRule::support, LowerRule::exact_rank};
constexpr std::array kUpperRules{UpperRule::zero, UpperRule::shape, UpperRule::distinct_rows,
                                 UpperRule::exact_rank};

template <class Names, class Value>
const char* name_of(const Names& names, Value value) {
    for (const auto& [name, candidate] : names) {
        if (candidate == value) return name;
    }
    throw std::logic_error("a value outside its enumeration");
}

template <class Names>
auto value_of(const Names& names, Fields& fields, const char* key) {
    const std::string text = fields.text(key);
    for (const auto& [name, value] : names) {
        if (text == name) return value;
    }
    fields.fail(std::string("has the unknown value ") + io::in_quotes(text) + " in '" + key + "'");
}

NumberFormat format_value(const Fields& fields, const std::string& text, const char* key) {
    for (const NumberFormat format : kFormats) {
        if (text == to_string(format)) return format;
    }
    fields.fail(std::string("has the unknown number format ") + io::in_quotes(text) + " in '" + key + "'");
}

// ---- writing ----------------------------------------------------------------------------------------------

Json subject_json(const Bundle& bundle) {
    Json subject{{"format", to_string(bundle.format)}};
    if (!bundle.subject.head) {
        subject["kind"] = "matrix";
        return subject;
    }
    const Head& head = *bundle.subject.head;
    Json mask{{"kind", name_of(kMasks, MaskForm{head.mask.kind, has_visible(head.mask)})}};
    if (head.mask.kind == MaskKind::causal) mask["alignment"] = name_of(kAlignments, head.mask.alignment);
    subject["kind"] = "attention";
    subject["scale"] = {{"factor", to_string(head.scale.factor)}, {"sqrt_of", head.scale.sqrt_of}};
    subject["multiplier"] = {{"low", to_string(head.multiplier_low)},
                             {"high", to_string(head.multiplier_high)}};
    subject["mask"] = std::move(mask);
    subject["rounded_from"] = head.rounded_from ? Json(to_string(*head.rounded_from)) : Json(nullptr);
    subject["softcap"] = nullptr;
    subject["sink"] = nullptr;
    subject["empty_rows"] = "error";
    return subject;
}

std::string value_or_empty(const std::map<std::string, std::string>& map, const std::string& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::string() : found->second;
}

Json input_json(const InputReference& input) {
    Json tensors = Json::object();
    for (const auto& [role, name] : input.tensors) {
        tensors[role] = {{"name", name},
                         {"sha256", value_or_empty(input.tensor_sha256, role)},
                         {"file_sha256", value_or_empty(input.role_file_sha256, role)}};
    }
    return {{"file", input.file},
            {"file_sha256", input.file_sha256},
            {"head", input.head},
            {"tensors", std::move(tensors)}};
}

Json witness_json(const LowerWitness& witness) {
    Json json{{"kind", method_name(witness)}};
    if (const auto* fixed = std::get_if<FixedSpaceWitness>(&witness)) json["pivots"] = fixed->pivots;
    if (const auto* tail = std::get_if<EckartYoungWitness>(&witness)) {
        json["rank"] = tail->rank;
        json["side"] = name_of(kSides, tail->side);
    }
    if (const auto* cycle = std::get_if<RowCycleWitness>(&witness)) add_row_cycle(*cycle, json);
    return json;
}

Json witness_json(const UpperWitness& witness) {
    Json json{{"kind", method_name(witness)}};
    if (const auto* factors = std::get_if<FactorWitness>(&witness))
        json["denominator"] = factors->denominator.str();
    if (const auto* rows = std::get_if<RepresentativeRowsWitness>(&witness))
        json["representative"] = rows->representative;
    return json;
}

Json claim_json(const Claim& claim) {
    Json json{{"epsilon", to_string(claim.epsilon)}};
    if (claim.lower_witness >= 0) json["lower"] = {{"rank", claim.lower}, {"witness", claim.lower_witness}};
    if (claim.upper_witness >= 0) json["upper"] = {{"rank", claim.upper}, {"witness", claim.upper_witness}};
    if (claim.top_k) json["top_k"] = {{"lower", claim.top_k->lower}, {"upper", claim.top_k->upper}};
    return json;
}

// ---- reading ----------------------------------------------------------------------------------------------

Head parse_head(Fields& fields, bool& has_visible) {
    Head head;
    Fields scale = fields.object("scale");
    head.scale.factor = scale.rational("factor");
    head.scale.sqrt_of = scale.number("sqrt_of", std::numeric_limits<std::uint64_t>::max());
    scale.finish();
    Fields multiplier = fields.object("multiplier");
    head.multiplier_low = multiplier.rational("low");
    head.multiplier_high = multiplier.rational("high");
    multiplier.finish();
    Fields mask = fields.object("mask");
    const MaskForm form = value_of(kMasks, mask, "kind");
    head.mask.kind = form.kind;
    has_visible = form.has_visible;
    if (head.mask.kind == MaskKind::causal) head.mask.alignment = value_of(kAlignments, mask, "alignment");
    mask.finish();
    if (!fields.get("rounded_from").is_null()) {
        head.rounded_from = format_value(fields, fields.text("rounded_from"), "rounded_from");
    }
    // What this version does not know may not be there: a softmax with a cap is another operator.
    fields.require("softcap", nullptr);
    fields.require("sink", nullptr);
    fields.require("empty_rows", "error");
    return head;
}

void parse_subject(Fields fields, Statement& statement) {
    Bundle& bundle = statement.bundle;
    bundle.format = format_value(fields, fields.text("format"), "format");
    const std::string kind = fields.text("kind");
    if (kind == "attention") {
        bundle.subject.head = parse_head(fields, statement.has_visible);
    } else if (kind != "matrix") {
        fields.fail("has the unknown kind " + io::in_quotes(kind));
    }
    fields.finish();
}

std::string hash_or_empty(Fields& fields, const char* key) {
    std::string text = fields.text(key);
    if (!text.empty() &&
        (text.size() != 64 || text.find_first_not_of("0123456789abcdef") != std::string::npos)) {
        fields.fail(std::string("has no SHA-256 in '") + key + "'");
    }
    return text;
}

InputReference parse_input(Fields fields) {
    InputReference input;
    input.file = fields.text("file");
    input.file_sha256 = hash_or_empty(fields, "file_sha256");
    input.head = fields.text("head");
    const Json& tensors = fields.get("tensors");
    if (!tensors.is_object()) fields.fail("has no object in 'tensors'");
    for (const auto& [role, value] : tensors.items()) {
        Fields tensor(value, fields.where() + ".tensors." + io::in_quotes(role));
        input.tensors[role] = tensor.text("name");
        if (auto hash = hash_or_empty(tensor, "sha256"); !hash.empty())
            input.tensor_sha256[role] = std::move(hash);
        if (auto hash = hash_or_empty(tensor, "file_sha256"); !hash.empty()) {
            input.role_file_sha256[role] = std::move(hash);
        }
        tensor.finish();
    }
    fields.finish();
    return input;
}

LowerWitness parse_lower(Fields fields) {
    LowerWitness result;
    const std::string kind = fields.text("kind");
    if (kind == "fixed_space") {
        FixedSpaceWitness witness;
        witness.pivots = fields.indices("pivots");
        result = std::move(witness);
    } else if (kind == "neumann") {
        result = NeumannWitness{};
    } else if (kind == "eckart_young") {
        EckartYoungWitness witness;
        witness.rank = fields.index("rank");
        witness.side = value_of(kSides, fields, "side");
        result = std::move(witness);
    } else if (kind == "row_cycle") {
        result = parse_row_cycle(fields);
    } else {
        bool known = false;
        for (const LowerRule rule : kLowerRules) {
            if (kind != method_name(LowerWitness(rule))) continue;
            result = rule;
            known = true;
        }
        if (!known) fields.fail("has the unknown kind " + io::in_quotes(kind));
    }
    fields.finish();
    return result;
}

UpperWitness parse_upper(Fields fields) {
    UpperWitness result;
    const std::string kind = fields.text("kind");
    if (kind == "factors") {
        FactorWitness witness;
        const Rational denominator = fields.rational("denominator");
        if (boost::multiprecision::denominator(denominator) != 1)
            fields.fail("has a denominator that is not whole");
        witness.denominator = boost::multiprecision::numerator(denominator);
        result = std::move(witness);
    } else if (kind == "representative_rows") {
        result = RepresentativeRowsWitness{fields.indices("representative")};
    } else {
        bool known = false;
        for (const UpperRule rule : kUpperRules) {
            if (kind != method_name(UpperWitness(rule))) continue;
            result = rule;
            known = true;
        }
        if (!known) fields.fail("has the unknown kind " + io::in_quotes(kind));
    }
    fields.finish();
    return result;
}

Claim parse_claim(Fields fields) {
    Claim claim;
    claim.epsilon = fields.rational("epsilon");
    const auto parse_side = [&fields](const char* key, Index& rank, int& witness) {
        if (fields.find(key) == nullptr) return;
        Fields side = fields.object(key);
        rank = side.index("rank");
        witness = static_cast<int>(side.index("witness"));
        side.finish();
    };
    parse_side("lower", claim.lower, claim.lower_witness);
    parse_side("upper", claim.upper, claim.upper_witness);
    if (fields.find("top_k") != nullptr) {
        Fields budget = fields.object("top_k");
        claim.top_k = TopKBudget{budget.index("lower"), budget.index("upper"), claim.epsilon};
        budget.finish();
    }
    fields.finish();
    return claim;
}

template <class Item, class Parse>
void parse_list(Fields& fields, const char* key, std::vector<Item>& items, const Parse& parse) {
    const Json& list = fields.array(key);
    for (std::size_t i = 0; i < list.size(); ++i) {
        items.push_back(parse(Fields(list[i], fields.where() + "." + key + "[" + std::to_string(i) + "]")));
    }
}

}  // namespace

std::string format_statement(const Bundle& bundle, const std::map<std::string, long>& exponents) {
    Json statement{{"subject", subject_json(bundle)},  {"input", input_json(bundle.input)},
                   {"exponents", exponents},           {"lower_witnesses", Json::array()},
                   {"upper_witnesses", Json::array()}, {"claims", Json::array()}};
    for (const LowerWitness& witness : bundle.lower_witnesses)
        statement["lower_witnesses"].push_back(witness_json(witness));
    for (const UpperWitness& witness : bundle.upper_witnesses)
        statement["upper_witnesses"].push_back(witness_json(witness));
    for (const Claim& claim : bundle.claims) statement["claims"].push_back(claim_json(claim));
    // Names of files and tensors need not be UTF-8; what is not becomes U+FFFD.
    return statement.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Statement parse_statement(const std::string& text, const std::string& file) {
    const std::string where = file + ": statement";
    const Json json = parse_json(text, where, 8);
    Statement statement;
    Bundle& bundle = statement.bundle;
    Fields fields(json, where);
    parse_subject(fields.object("subject"), statement);
    bundle.input = parse_input(fields.object("input"));
    parse_list(fields, "lower_witnesses", bundle.lower_witnesses, parse_lower);
    parse_list(fields, "upper_witnesses", bundle.upper_witnesses, parse_upper);
    parse_list(fields, "claims", bundle.claims, parse_claim);
    const Json& exponents = fields.get("exponents");
    if (!exponents.is_object()) fields.fail("has no object in 'exponents'");
    for (const auto& [name, value] : exponents.items()) {
        // An unsigned value beyond the signed range would wrap in a comparison.
        const bool is_small = value.is_number_unsigned()
                                  ? value.get<std::uint64_t>() <= kMaxExponent
                                  : value.is_number_integer() && value.get<std::int64_t>() >= -kMaxExponent;
        if (!is_small)
            fields.fail("has in 'exponents' a value that is not a whole number from -32768 to 32768");
        statement.exponents[name] = value.get<long>();
    }
    fields.finish();
    return statement;
}

}  // namespace rankcert::detail
