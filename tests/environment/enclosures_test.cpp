#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <thread>

#include "attention/heads.hpp"
#include "linalg/ball_helpers.hpp"
#include "rankcert/linalg/inverse.hpp"
#include "rankcert/linalg/norms.hpp"
#include "rankcert/linalg/product.hpp"
#include "rankcert/linalg/spectrum.hpp"
#include "rankcert/rigor/elementary.hpp"
#include "rankcert/rigor/mp_interval.hpp"

// Enclosures against the truth in every environment. The rooms' own tests ask more; these few run in builds
// without optimisation and for the processor at hand too.

using namespace rankcert;
using tests::HostileEnvironment;
using tests::random_head;
using tests::reference_accuracy;
using tests::reference_error;

namespace {

struct Environment {
    int rounding;
    bool flush;
};
constexpr std::array<Environment, 8> kEnvironments{{{FE_TONEAREST, false},
                                                    {FE_UPWARD, false},
                                                    {FE_DOWNWARD, false},
                                                    {FE_TOWARDZERO, false},
                                                    {FE_TONEAREST, true},
                                                    {FE_UPWARD, true},
                                                    {FE_DOWNWARD, true},
                                                    {FE_TOWARDZERO, true}}};

/// f() in each environment, all at once on a thread of its own. Assertions stay outside.
template <class F>
auto in_each_environment(const F& f) {
    std::array<decltype(f()), kEnvironments.size()> results;
    {
        std::vector<std::jthread> threads;
        for (std::size_t k = 0; k < results.size(); ++k) {
            threads.emplace_back([&, k] {
                const HostileEnvironment hostile(kEnvironments[k].rounding, kEnvironments[k].flush);
                results[k] = f();
            });
        }
    }
    return results;
}

void check_softmax(const Head& head) {
    struct Found {
        SoftmaxEnclosure enclosure;
        ErrorBounds bounds;
        std::optional<double> fast;
    };
    const auto results = in_each_environment([&] {
        Found found{enclose_softmax(head), {}, {}};
        found.bounds = enclose_softmax_error(head, found.enclosure.centre, 128);
        found.fast = upper_softmax_error_fast(head, found.enclosure.centre.to_double());
        return found;
    });
    const Rational truth = reference_error(head, results[0].enclosure.centre);
    for (const Found& found : results) {
        CHECK(found.enclosure.centre == results[0].enclosure.centre);
        CHECK(found.enclosure.error.lower <= truth + reference_accuracy());
        CHECK(found.enclosure.error.upper >= truth - reference_accuracy());
        CHECK(found.bounds.lower <= truth + reference_accuracy());
        CHECK(found.bounds.upper >= truth - reference_accuracy());
        CHECK(found.bounds.lower == results[0].bounds.lower);
        CHECK(found.bounds.upper == results[0].bounds.upper);
        if (found.fast) CHECK(to_rational(*found.fast) >= truth - reference_accuracy());
    }
}

Rational largest_row(const test::RationalMatrix& a) {
    Rational largest = 0;
    for (const auto& row : a) {
        Rational sum = 0;
        for (const Rational& x : row) sum += test::absolute(x);
        if (sum > largest) largest = sum;
    }
    return largest;
}

}  // namespace

TEST_CASE("softmax enclosures contain the softmax of 1500 bits in every environment") {
    std::mt19937_64 random(71);
    for (int round = 0; round < 12; ++round) check_softmax(random_head(random));
    check_softmax(tests::head_of_row({1000, 1001}));
    check_softmax(tests::head_of_row({90, 2, -2}));
    check_softmax(tests::head_of_row({1, 2, 3, 4000}));
    check_softmax(tests::head_of_row({0, -744.5}));  // a subnormal entry
    check_softmax(tests::head_of_row({0x1p-1074, -0x1p-1060, 0}));
    const auto real = tests::real_heads("ppocrv4rec-n64-a.safetensors").front();
    Head head = real.head;
    head.query = head.query.select_rows({0, 9, 63});
    check_softmax(head);
}

TEST_CASE("products and norms of points and balls contain the exact ones in every environment") {
    test::Random random(72);
    for (const test::Kind kind : test::kKinds) {
        for (int round = 0; round < 2; ++round) {
            const Eigen::MatrixXd a = test::random_matrix(5, 9, kind, random);
            const Eigen::MatrixXd b = test::random_matrix(9, 4, kind, random);
            const BallMatrix x = test::random_ball(5, 9, kind, random);
            const BallMatrix y = test::random_ball(9, 4, kind, random);
            const Eigen::MatrixXd member_x = test::random_member(x, random);
            const Eigen::MatrixXd member_y = test::random_member(y, random);
            const auto point = test::rationals(test::exact(a) * test::exact(b));
            const auto members = test::rationals(test::exact(member_x) * test::exact(member_y));
            struct Found {
                BallMatrix points, balls, tight;
                BoundedProduct bounded;
                double upper, lower, ball_upper, ball_lower;
            };
            const auto results = in_each_environment([&] {
                return Found{enclose_product(a, b), enclose_product(x, y), enclose_product_tightly(x, y),
                             bounded_product(a, b), upper_row_norm(a),     lower_row_norm(a),
                             upper_row_norm(x),     lower_row_norm(x)};
            });
            const Rational norm = test::exact(a).norm(), member_norm = test::exact(member_x).norm();
            for (const Found& found : results) {
                bool inside = true;
                for (Eigen::Index i = 0; i < 5; ++i) {
                    Rational row_error = 0;
                    for (Eigen::Index j = 0; j < 4; ++j) {
                        const Rational& exact_point = point[std::size_t(i)][std::size_t(j)];
                        const Rational& exact_member = members[std::size_t(i)][std::size_t(j)];
                        inside = inside && contains(found.points, i, j, exact_point) &&
                                 contains(found.balls, i, j, exact_member) &&
                                 contains(found.tight, i, j, exact_member);
                        if (std::isfinite(found.bounded.row_error[i]))
                            row_error += test::absolute(to_rational(found.bounded.value(i, j)) - exact_point);
                    }
                    if (std::isfinite(found.bounded.row_error[i]))
                        inside = inside && row_error <= to_rational(found.bounded.row_error[i]);
                }
                CHECK(inside);
                CHECK(norm <= to_rational(found.upper));
                CHECK(norm >= to_rational(found.lower));
                CHECK(member_norm <= to_rational(found.ball_upper));
                CHECK(member_norm >= to_rational(found.ball_lower));
            }
        }
    }
}

TEST_CASE("inverses and spectra are enclosed in every environment") {
    test::Random random(73);
    int enclosed = 0;
    for (int round = 0; round < 6; ++round) {
        const Eigen::MatrixXd g = test::random_matrix(5, 5, test::Kind::uniform, random);
        const Eigen::MatrixXd symmetric = test::random_symmetric(5, test::Kind::uniform, random);
        const auto inverse = test::exact_inverse(test::rationals(test::exact(g)));
        const test::EigenvalueCounter counter(test::exact(symmetric));
        struct Found {
            std::optional<InverseEnclosure> inverse;
            std::optional<Spectrum> spectrum;
        };
        const auto results = in_each_environment([&] {
            return Found{enclose_inverse(g), enclose_symmetric_spectrum(symmetric)};
        });
        for (const Found& found : results) {
            if (found.inverse) {
                ++enclosed;
                bool inside = true;
                for (Eigen::Index i = 0; i < 5; ++i)
                    for (Eigen::Index j = 0; j < 5; ++j)
                        inside = inside && contains(found.inverse->inverse, i, j,
                                                    inverse[std::size_t(i)][std::size_t(j)]);
                CHECK(inside);
                CHECK(largest_row(inverse) <= to_rational(found.inverse->norm));
            }
            REQUIRE(found.spectrum);
            for (Eigen::Index k = 0; k < 5; ++k) {  // ascending: λ_k has 4 − k eigenvalues above it
                CHECK(counter.at_least(to_rational(found.spectrum->lower[k])) >= 5 - k);
                CHECK(counter.above(to_rational(found.spectrum->upper[k])) <= 4 - k);
            }
        }
    }
    CHECK(enclosed > 40);
}

TEST_CASE("elementary functions contain the values of 300 bits in every environment") {
    struct Function {
        Interval (*enclose)(const Interval&);
        MpInterval (*truth)(const MpInterval&);
        bool positive;  ///< defined for positive arguments only
    };
    constexpr std::array<Function, 8> functions{{{exp, exp, false},
                                                 {expm1, expm1, false},
                                                 {log, log, true},
                                                 {log1p, log1p, true},
                                                 {tanh, tanh, false},
                                                 {sinh, sinh, false},
                                                 {cosh, cosh, false},
                                                 {sqrt, sqrt, true}}};
    std::vector<double> arguments{0x1p-1074, 0x1.8p-1030, 1e-300, 1e-20, 0.1, 0.79358805865013693,
                                  1,         2.5,         35,     -745,  709, 1e300};
    test::Random random(74);
    for (int i = 0; i < 40; ++i) arguments.push_back(test::random_double(test::Kind::uniform, random) * 20);
    const auto results = in_each_environment([&] {
        std::vector<Interval> found;
        for (const Function& f : functions)
            for (const double x : arguments)
                found.push_back(f.enclose(Interval(f.positive ? std::fabs(x) : x)));
        return found;
    });
    std::size_t at = 0;
    for (const Function& f : functions) {
        for (const double x : arguments) {
            CAPTURE(x);
            const MpInterval truth = f.truth(MpInterval(f.positive ? std::fabs(x) : x, 300));
            for (const auto& found : results) {
                const Interval& enclosure = found[at];
                const MpInterval as_set = MpInterval::hull_of(enclosure.lower(), enclosure.upper(), 300);
                CHECK(as_set.contains(truth));
                CHECK(equal(enclosure.lower(), results[0][at].lower()));
                CHECK(equal(enclosure.upper(), results[0][at].upper()));
            }
            ++at;
        }
    }
}
