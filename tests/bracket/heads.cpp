#include <algorithm>
#include <cfenv>
#include <thread>

#include "bracket/bracket_support.hpp"
#include "rankcert/io/safetensors.hpp"

using namespace bracket_support;

namespace {

Eigen::MatrixXd column(Index n, double low, double high) { return Eigen::VectorXd::LinSpaced(n, low, high); }

/// Head `name` of a file of the shared heads: scale and mask as its metadata say.
Head load(const Safetensors& file, const std::string& name) {
    Head out;
    out.query = ExactMatrix::from_double(to_matrix(*file.find(name + ".q")));
    out.key = ExactMatrix::from_double(to_matrix(*file.find(name + ".k")));
    out.scale.factor = to_rational(std::stod(file.metadata.at("beta")));
    out.mask.kind = file.metadata.at("mask") == "causal" ? MaskKind::causal : MaskKind::none;
    return out;
}

Safetensors shared(const std::string& name) {
    return read_safetensors(std::string(RANKCERT_TEST_DATA) + "/heads/" + name + ".safetensors");
}

}  // namespace

TEST_CASE("softmax at β = 0 has rank 1 below ε = 1, and rank 0 from there on") {
    Head flat = head(column(5, -1, 1), column(7, -1, 1));
    flat.multiplier_low = flat.multiplier_high = 0;
    const BracketResult result = bracket_checked(flat, {0, rational("0.999"), 1, 3});
    check_rank(result.brackets[0], 1);
    check_rank(result.brackets[1], 1);
    check_rank(result.brackets[2], 0);
    check_rank(result.brackets[3], 0);
}

TEST_CASE("equal queries have rank 1") {
    const BracketResult result = bracket_checked(
        head(Eigen::MatrixXd::Ones(6, 2), Eigen::MatrixXd::Random(5, 2)), {0, rational("1/4")});
    check_rank(result.brackets[0], 1);
    check_rank(result.brackets[1], 1);
}

TEST_CASE("a causal head has full exact rank, at β = 0 too") {
    Head flat = head(Eigen::MatrixXd::Random(12, 2), Eigen::MatrixXd::Random(12, 2), MaskKind::causal);
    check_rank(bracket_checked(flat, {0}).brackets[0], 12);
    flat.multiplier_low = flat.multiplier_high = 0;
    check_rank(bracket_checked(flat, {0}).brackets[0], 12);
}

TEST_CASE("the causal head with logits [0], [0, −200] changes rank at 6.9195e-88, and the bracket sees it") {
    Head tiny = head(Eigen::MatrixXd{{1}, {1}}, Eigen::MatrixXd{{0}, {-200}}, MaskKind::causal);
    // a = 1/(1 + e²⁰⁰), so that the threshold a/(2 − a) is 1/(1 + 2 e²⁰⁰), and e²⁰⁰ from a series would do; a
    // softmax on a fine grid says the same with its error.
    const SoftmaxEnclosure fine = enclose_softmax(tiny, 600);
    const Rational a = fine.centre(1, 1);
    CHECK(lower_decimal(a, 5) == "1.3838e-87");
    const Rational threshold = a / (2 - a);
    const BracketResult result =
        bracket_checked(tiny, {threshold * (1 - power_of_two(-40)), threshold * (1 + power_of_two(-40)),
                               rational("6.9194e-88"), rational("6.9196e-88"), 0});
    check_rank(result.brackets[0], 2);
    check_rank(result.brackets[1], 1);
    check_rank(result.brackets[2], 2);
    check_rank(result.brackets[3], 1);
    check_rank(result.brackets[4], 2);
    CHECK(result.precision > 290);
}

TEST_CASE("where the largest precision does not suffice the bracket stays open, and is not wrong") {
    const Head tiny = head(Eigen::MatrixXd{{1}, {1}}, Eigen::MatrixXd{{0}, {-200}}, MaskKind::causal);
    BracketOptions options = quick();
    options.max_precision = 212;  // a needs 290 bits
    const BracketResult result =
        bracket_checked(tiny, {rational("6.9194e-88"), rational("6.9196e-88")}, options);
    for (const Bracket& bracket : result.brackets) {
        CHECK(bracket.lower_rank() == 1);
        CHECK(bracket.upper_rank() == 2);
    }
    options.max_precision = 330;  // no multiple of 53
    const BracketResult more =
        bracket_checked(tiny, {rational("6.9194e-88"), rational("6.9196e-88")}, options);
    check_rank(more.brackets[0], 2);
    check_rank(more.brackets[1], 1);
    CHECK(more.precision == 330);
}

TEST_CASE("brackets by the word of the fast checker are said to be so, and the exact one agrees") {
    BracketOptions options = quick();
    options.final_level = Level::fast;
    const BracketResult result =
        bracket_checked(head(4 * Eigen::MatrixXd::Random(20, 3), 4 * Eigen::MatrixXd::Random(16, 3)),
                        {rational("0.1"), rational("0.4")}, options);
    for (const Bracket& bracket : result.brackets) {
        CHECK(bracket.level == Level::fast);
        CHECK(bracket.lower_rank() >= 1);
        CHECK(bracket.upper_rank() < 16);
    }
}

TEST_CASE("the top-k budget is reported where it is asked for") {
    BracketOptions options = quick();
    options.top_k = true;
    const BracketResult result =
        bracket_checked(head(4 * Eigen::MatrixXd::Random(9, 3), 4 * Eigen::MatrixXd::Random(9, 3)),
                        {rational("0.1"), rational("0.9")}, options);
    for (std::size_t i = 0; i < 2; ++i) {
        REQUIRE(result.brackets[i].top_k);
        REQUIRE(result.bundle.claims[i].top_k);
        const TopKBudget& budget = **result.brackets[i].top_k;
        CHECK(budget.lower <= budget.upper);
        CHECK(budget.upper <= 9);
        CHECK(budget.lower >= 1);
        CHECK(result.bundle.claims[i].top_k->upper == budget.upper);
    }
    CHECK((*result.brackets[0].top_k)->upper >= (*result.brackets[1].top_k)->upper);
    CHECK_FALSE(
        bracket_head(head(Eigen::MatrixXd::Ones(2, 1), Eigen::MatrixXd::Ones(2, 1)), {1}).brackets[0].top_k);
}

TEST_CASE("n = 64, d = 1: brackets at all sizes of ε are consistent with the exact rank 64") {
    const Head line = head(column(64, -1, 1), column(64, -1, 1));
    const std::vector<Rational> epsilons = {rational("1e-1"), rational("1e-3"),  rational("1e-6"),
                                            rational("1e-9"), rational("1e-40"), rational("1e-200")};
    const BracketResult result = bracket_checked(line, epsilons, quick(1));
    // The numerical rank is 6 in float32 and 11 in float64.
    CHECK(result.brackets[0].upper_rank() <= 3);
    CHECK(result.brackets[2].lower_rank() >= 4);
    CHECK(result.brackets[2].upper_rank() <= 8);
    CHECK(result.brackets[3].lower_rank() >= 6);
    CHECK(result.brackets[3].upper_rank() <= 11);
    CHECK(result.brackets[4].lower_rank() >= 20);
    check_rank(result.brackets[5], 64);
}

TEST_CASE("an interval of temperatures has a bracket that holds for each of them") {
    Eigen::MatrixXd q(4, 2), k(4, 2);
    q << 3, 0, 0, 3, -3, 1, 1, -3;
    k << 2, 0, 0, 2, -2, 0, 0, -2;
    Head family = head(q, k);
    family.multiplier_low = rational("0.99");
    family.multiplier_high = rational("1.01");
    const std::vector<Rational> epsilons = {rational("1/100"), rational("1/4"), rational("3/4")};
    const BracketResult all = bracket_checked(family, epsilons);
    CHECK(all.rho > 0);
    for (const char* multiplier : {"0.99", "1", "1.01"}) {
        Head one = head(q, k);
        one.multiplier_low = one.multiplier_high = rational(multiplier);
        const BracketResult single = bracket_checked(one, epsilons);
        for (std::size_t i = 0; i < epsilons.size(); ++i) {
            CHECK(all.brackets[i].lower_rank() <= single.brackets[i].upper_rank());
            CHECK(single.brackets[i].lower_rank() <= all.brackets[i].upper_rank());
        }
    }
}

TEST_CASE("learned heads: every head of two files, every claim proved again from its bundle") {
    for (const char* name : {"bytegpt-n64-a", "ppocrv4rec-n64-a"}) {
        const Safetensors file = shared(name);
        for (int layer = 0; layer < 4; ++layer) {
            for (int index = 0; index < 8; ++index) {
                const std::string at = "layer" + std::to_string(layer) + ".head" + std::to_string(index);
                if (file.find(at + ".q") == nullptr) continue;
                CAPTURE(at);
                const BracketResult result = bracket_checked(
                    load(file, at), {rational("0.15"), rational("0.25"), rational("0.35")}, quick(.3));
                for (const Bracket& bracket : result.brackets) {
                    CHECK(bracket.lower_rank() >= 1);
                    CHECK(bracket.upper_rank() <= 60);
                    CHECK(bracket.level == Level::exact);
                }
            }
        }
    }
}

TEST_CASE("learned causal heads have full exact rank, and the bracket follows ε down to it") {
    const Safetensors file = shared("bytegpt-n64-a");
    for (const char* name : {"layer0.head0", "layer2.head1"}) {
        const std::vector<Rational> epsilons = {0,
                                                rational("1e-200"),
                                                rational("1e-20"),
                                                rational("1e-15"),
                                                rational("1e-12"),
                                                rational("1e-8"),
                                                rational("1e-4"),
                                                rational("1e-2"),
                                                rational("0.5"),
                                                rational("0.99"),
                                                1};
        const BracketResult result = bracket_checked(load(file, name), epsilons, quick(.3));
        check_rank(result.brackets[0], 64);
        check_rank(result.brackets[1], 64);
        CHECK(result.brackets[9].lower_rank() >= 1);
        check_rank(result.brackets[10], 0);
        CHECK(result.precision > 150);
    }
}

TEST_CASE("brackets made under any rounding mode, on several threads, are proved by the exact checker") {
    const Head line = head(4 * Eigen::MatrixXd::Random(20, 3), 4 * Eigen::MatrixXd::Random(20, 3));
    const std::vector<Rational> epsilons = {rational("0.1"), rational("0.4")};
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        REQUIRE(std::fesetround(mode) == 0);
        const BracketResult result = bracket_head(line, epsilons, quick(.1));
        CHECK(std::fegetround() == mode);
        std::fesetround(FE_TONEAREST);
        require_consistent(result, epsilons);
    }
    std::vector<std::optional<BracketResult>> results(4);
    std::vector<std::thread> threads;
    for (auto& slot : results) threads.emplace_back([&] { slot = bracket_head(line, epsilons, quick(.1)); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& result : results) {
        require_consistent(*result, epsilons);
        for (std::size_t i = 0; i < epsilons.size(); ++i) {
            // Effort is counted in work, so that threads that share cores find the same.
            CHECK(result->brackets[i].lower_rank() == results[0]->brackets[i].lower_rank());
            CHECK(result->brackets[i].upper_rank() == results[0]->brackets[i].upper_rank());
            CHECK(result->bundle.claims[i].upper_witness == results[0]->bundle.claims[i].upper_witness);
        }
    }
}
