#include "rankcert/search/one_dimensional.hpp"

#include <cmath>

#include "bracket/bracket_support.hpp"
#include "rankcert/attention/softmax.hpp"

using namespace bracket_support;

namespace {

Eigen::MatrixXd line(Index n) { return Eigen::VectorXd::LinSpaced(n, -1, 1); }

Head random_head(Index m, Index n, const Rational& slope, unsigned seed) {
    std::mt19937_64 engine(seed);
    const auto draw = [&](Index count) {
        Eigen::MatrixXd out(count, 1);
        for (Index i = 0; i < count; ++i) {
            const bool repeat = i > 0 && engine() % 4 == 0;
            out(i, 0) = repeat ? out(static_cast<Index>(engine() % static_cast<std::uint64_t>(i)), 0)
                               : std::ldexp(static_cast<double>(engine() % 4001) - 2000, -11);
        }
        return out;
    };
    Eigen::MatrixXd q = draw(m), k = draw(n);
    Head out = head(q, k);
    out.scale.factor = slope;
    return out;
}

}  // namespace

TEST_CASE("n = 64, d = 1: brackets close at every ε from 0.1 to 1e-60") {
    const std::vector<Rational> epsilons = {rational("1e-1"),  rational("1e-3"),  rational("1e-6"),
                                            rational("1e-9"),  rational("1e-12"), rational("1e-15"),
                                            rational("1e-30"), rational("1e-60")};
    const BracketResult result = bracket_checked(head(line(64), line(64)), epsilons, quick(2));
    // v_1, v_2, … are 0.47, 0.059, 5.0e-3, 3.2e-4, 1.6e-5, 6.8e-7, 2.4e-8, 7.6e-10, 2.1e-11, 5.3e-13, …
    const Index ranks[] = {2, 4, 6, 8, 10};
    for (std::size_t i = 0; i < 5; ++i) check_rank(result.brackets[i], ranks[i]);
    for (const Bracket& bracket : result.brackets) {
        CAPTURE(to_string(bracket.epsilon));
        CHECK(bracket.closed());
        CHECK(bracket.level == Level::exact);
    }
}

TEST_CASE("n = 64, d = 1: the rank changes at the thresholds of the curve, to a millionth") {
    const Head subject = head(line(64), line(64));
    search::OneDimensionalSearch search(subject.query, subject.key, 1, 1);
    search.follow(rational("1e-40"), 10);
    std::vector<Rational> epsilons;
    const std::vector<Index> places = {1, 2, 5, 9, 14, 20};
    for (const Index n : places) {
        const double value = search.estimate_log2_value(n).value();
        const double whole = std::floor(value);
        for (const double factor : {1 - 1e-6, 1 + 1e-6}) {
            epsilons.push_back(to_rational(std::exp2(value - whole) * factor) *
                               power_of_two(std::lround(whole)));
        }
    }
    const BracketResult result = bracket_checked(subject, epsilons, quick(2));
    for (std::size_t i = 0; i < places.size(); ++i) {
        CAPTURE(places[i]);
        check_rank(result.brackets[2 * i], places[i] + 1);
        check_rank(result.brackets[2 * i + 1], places[i]);
    }
}

TEST_CASE("heads with d = 1 of any order, with repetitions, either slope, flat or steep: brackets close") {
    std::mt19937_64 engine(11);
    const std::vector<Rational> epsilons = {rational("0.35"), rational("0.15"), rational("1e-2"),
                                            rational("1e-4"), rational("1e-8"), rational("1e-20")};
    int closed = 0, all = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
        const auto m = static_cast<Index>(2 + engine() % 39), n = static_cast<Index>(2 + engine() % 39);
        const char* slopes[] = {"1/3", "-1", "7", "-20", "150", "1000"};
        CAPTURE(seed);
        const BracketResult result =
            bracket_checked(random_head(m, n, rational(slopes[seed % 6]), seed), epsilons, quick(.5));
        for (const Bracket& bracket : result.brackets) {
            ++all;
            if (bracket.closed()) ++closed;
        }
    }
    CHECK(closed == all);
}

TEST_CASE("a family of temperatures of a head with d = 1 has the brackets that its width allows") {
    Head family = head(line(20), line(30));
    family.multiplier_low = rational("0.999");
    family.multiplier_high = rational("1.001");
    const BracketResult result = bracket_checked(family, {rational("0.2"), rational("1e-3")}, quick(.5));
    CHECK(result.rho > 0);
    CHECK(result.brackets[0].closed());
}
