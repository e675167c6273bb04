// Signed row cycles from end to end: search, checkers, bundle.

#include "bracket_support.hpp"
#include "rankcert/io/safetensors.hpp"

using namespace bracket_support;

namespace {

bool has_row_cycle(const BracketResult& result, std::size_t claim) {
    const int place = result.bundle.claims[claim].lower_witness;
    return place >= 0 && std::holds_alternative<RowCycleWitness>(
                             result.bundle.lower_witnesses[static_cast<std::size_t>(place)]);
}

Head read_head(const Safetensors& file, std::size_t number) {
    const std::string name = "layer0.head" + std::to_string(number);
    Head head;
    head.query = ExactMatrix::from_double(to_matrix(*file.find(name + ".q")));
    head.key = ExactMatrix::from_double(to_matrix(*file.find(name + ".k")));
    head.scale.factor = to_rational(std::stod(file.metadata.at("beta")));
    return head;
}

}  // namespace

TEST_CASE("smooth learned heads are closed, most of them by row cycles") {
    const Safetensors file =
        read_safetensors(std::string(RANKCERT_TEST_DATA) + "/heads/ppocrv4rec-n64-a.safetensors");
    const Index ranks[] = {3, 3, -1, -1, -1, 3, 4, 3};  // −1: not known
    int cycles = 0;
    for (std::size_t h = 0; h < 8; ++h) {
        CAPTURE(h);
        const BracketResult result = bracket_checked(read_head(file, h), {rational("0.35")}, quick(1));
        if (ranks[h] > 0) check_rank(result.brackets[0], ranks[h]);
        cycles += has_row_cycle(result, 0) ? 1 : 0;
    }
    CHECK(cycles >= 4);
}

TEST_CASE("a late ε has its row cycles though the ones before have used the budget") {
    const Safetensors file =
        read_safetensors(std::string(RANKCERT_TEST_DATA) + "/heads/ppocrv4rec-n64-a.safetensors");
    int late = 0;
    for (std::size_t h = 0; h < 8; ++h) {
        const BracketResult result = bracket_checked(
            read_head(file, h), {rational("0.35"), rational("0.25"), rational("0.15")}, quick(.1));
        late += has_row_cycle(result, 2) ? 1 : 0;
    }
    CHECK(late >= 6);
}
