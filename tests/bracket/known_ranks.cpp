#include "bracket/bracket_support.hpp"
#include "rankcert/rigor/error.hpp"

using namespace bracket_support;

TEST_CASE("the identity has rank n up to ε = 1, and rank 0 from there on") {
    for (const Index n : {1, 2, 7, 64}) {
        const std::vector<Rational> epsilons = {
            0, rational("1/4"), rational("0.999"), Rational(1) - power_of_two(-40), 1, 2};
        const BracketResult result = bracket_checked(ExactMatrix::identity(n), epsilons);
        for (std::size_t i = 0; i < 4; ++i) check_rank(result.brackets[i], n);
        check_rank(result.brackets[4], 0);
        check_rank(result.brackets[5], 0);
    }
}

TEST_CASE("equal rows have rank 1 below their norm, and rank 0 from there on") {
    const ExactMatrix a = dyadic(3, 4, {1, 5, 0, 2, 1, 5, 0, 2, 1, 5, 0, 2}, 3);
    const BracketResult result = bracket_checked(a, {0, rational("0.999"), 1});
    check_rank(result.brackets[0], 1);
    check_rank(result.brackets[1], 1);
    check_rank(result.brackets[2], 0);
}

TEST_CASE("a zero matrix has rank 0") {
    check_rank(bracket_checked(ExactMatrix(3, 5), {0, 1}).brackets[0], 0);
}

TEST_CASE("[[1, 0], [b, a]] has rank 2 exactly below a / (1 + |b|)") {
    const Rational part = power_of_two(-40);
    struct Case {
        Rational b, a;
    };
    const Rational milli = to_rational(1e-3);
    const Case cases[] = {
        {rational("1/2"), rational("1/2")}, {rational("5/8"), rational("3/8")},  {1 - milli, milli},
        {rational("3/4"), rational("1/8")}, {rational("-1/4"), rational("3/8")}, {0, rational("1/2")}};
    for (const Case& c : cases) {
        CAPTURE(to_string(c.a));
        const Rational threshold = c.a / (1 + abs(c.b));
        const BracketResult result =
            bracket_checked(corner(c.b, c.a), {threshold * (1 - part), threshold, threshold * (1 + part)});
        check_rank(result.brackets[0], 2);
        check_rank(result.brackets[1], 1);
        check_rank(result.brackets[2], 1);
    }
}

TEST_CASE("a matrix of any size in the exponent is bracketed like one of size 1") {
    const ExactMatrix a = dyadic(3, 3, {8, 1, 0, 1, 6, 2, 0, 1, 7}, 4);
    const std::vector<Rational> epsilons = {0, rational("1/16"), rational("1/4"), rational("3/8")};
    const BracketResult plain = bracket_checked(a, epsilons);
    for (const long exponent : {-1070L, -900L, 900L}) {
        std::vector<Rational> moved;
        for (const Rational& epsilon : epsilons) moved.push_back(epsilon * power_of_two(exponent));
        const BracketResult result =
            bracket_checked(dyadic(3, 3, {8, 1, 0, 1, 6, 2, 0, 1, 7}, 4 - exponent), moved);
        for (std::size_t i = 0; i < epsilons.size(); ++i) {
            CHECK(result.brackets[i].lower_rank() == plain.brackets[i].lower_rank());
            CHECK(result.brackets[i].upper_rank() == plain.brackets[i].upper_rank());
        }
    }
}

TEST_CASE("bad requests are refused with a sentence that says what to do") {
    const ExactMatrix a = ExactMatrix::identity(2);
    CHECK_THROWS_WITH_AS((void)bracket_matrix(a, {}), "no ε is given; give at least one, such as 1/4.",
                         Error);
    CHECK_THROWS_WITH_AS((void)bracket_matrix(a, {rational("1/4"), rational("-1/4")}),
                         "ε = -1/4 is negative; give ε ≥ 0.", Error);
    CHECK_THROWS_WITH_AS((void)bracket_matrix(a, {rational("0.25"), 0, rational("1/4")}),
                         "ε = 1/4 is given twice; give each ε once.", Error);
    for (const ExactMatrix& empty : {ExactMatrix(0, 5), ExactMatrix(5, 0), ExactMatrix()}) {
        CHECK_THROWS_WITH_AS((void)bracket_matrix(empty, {1}),
                             "the matrix has no entries; give one with at least one row and one column.",
                             Error);
    }
    BracketOptions options;
    options.precision = 8192;
    CHECK_THROWS_AS((void)bracket_matrix(a, {1}, options), Error);
    options = {};
    options.seconds = -1;
    CHECK_THROWS_AS((void)bracket_matrix(a, {1}, options), Error);
    CHECK_THROWS_AS((void)bracket_head(head(Eigen::MatrixXd::Ones(2, 3), Eigen::MatrixXd::Ones(2, 2)), {1}),
                    Error);
}

TEST_CASE("progress never falls, ends at 1, and what it throws leaves the call") {
    double last = 0;
    int calls = 0;
    const ExactMatrix a = dyadic(3, 3, {8, 1, 0, 1, 6, 2, 0, 1, 7}, 4);
    (void)bracket_matrix(a, {rational("1/8"), rational("1/4")}, quick(),
                         [&](double fraction, std::string_view) {
                             CHECK(fraction >= last);
                             last = fraction;
                             ++calls;
                         });
    CHECK(last == 1);
    CHECK(calls > 3);
    struct Cancelled {};
    CHECK_THROWS_AS((void)bracket_matrix(a, {rational("1/8")}, quick(),
                                         [](double, std::string_view) { throw Cancelled(); }),
                    Cancelled);
}
