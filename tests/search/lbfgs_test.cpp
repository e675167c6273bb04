#include "rankcert/search/lbfgs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

using Eigen::VectorXd;
using rankcert::search::LbfgsOptions;
using rankcert::search::minimize;

namespace {

using Point = Eigen::Ref<const VectorXd>;
using Gradient = Eigen::Ref<VectorXd>;

double rosenbrock(const Point& x, Gradient g) {
    double value = 0;
    g.setZero();
    for (Eigen::Index i = 0; i + 1 < x.size(); ++i) {
        const double u = x(i + 1) - x(i) * x(i), v = 1 - x(i);
        value += 100 * u * u + v * v;
        g(i) += -400 * u * x(i) - 2 * v;
        g(i + 1) += 200 * u;
    }
    return value;
}

}  // namespace

TEST_CASE("the minimum of Rosenbrock's function is found, at sizes that are no multiple of eight too") {
    for (const Eigen::Index n : {2, 3, 8, 13}) {
        VectorXd x = VectorXd::Constant(n, -0.5);
        LbfgsOptions options;
        options.iterations = 2000;
        options.past = 0;
        minimize(x, rosenbrock, {}, options);
        CHECK((x - VectorXd::Ones(n)).norm() <= 1e-6);
    }
}

TEST_CASE("a function that is negative at its minimum is minimised as far as a positive one") {
    for (const double shift : {-1e3, 0.0, 1e3}) {
        VectorXd x = VectorXd::Constant(5, -0.5);
        LbfgsOptions options;
        options.iterations = 2000;
        options.tolerance = 1e-14;
        minimize(
            x, [shift](const Point& at, Gradient g) { return rosenbrock(at, g) + shift; }, {}, options);
        CHECK((x - VectorXd::Ones(5)).norm() <= 1e-3);
    }
}

TEST_CASE("the stop test ends the walk at an accepted point") {
    VectorXd x = VectorXd::Constant(4, -0.5);
    int steps = 0;
    minimize(x, rosenbrock, [&](const Point&) { return ++steps == 3; }, {});
    CHECK(steps == 3);
    VectorXd g(4);
    VectorXd start = VectorXd::Constant(4, -0.5);
    VectorXd unused(4);
    CHECK(rosenbrock(x, g) < rosenbrock(start, unused));
    CHECK(g.norm() > 1e-3);  // far from the minimum still
}

TEST_CASE("no more steps are made than asked for") {
    for (const int most : {1, 7}) {
        VectorXd x = VectorXd::Constant(4, -0.5);
        int steps = 0;
        LbfgsOptions options;
        options.iterations = most;
        minimize(
            x, rosenbrock, [&](const Point&) { return ++steps > 1000; }, options);
        CHECK(steps == most);
    }
}

TEST_CASE("points where the function is not finite are avoided") {
    // log x − x has a wall of NaN at zero and infinity beyond 4; its maximum is at 1.
    VectorXd x = VectorXd::Constant(1, 0.01);
    minimize(x,
             [](const Point& at, Gradient g) {
                 if (at(0) > 4) return std::numeric_limits<double>::infinity();
                 g(0) = 1 - 1 / at(0);
                 return at(0) - std::log(at(0));
             },
             {}, {});
    CHECK(std::abs(x(0) - 1) <= 1e-4);
}

TEST_CASE("an exception of the objective or of the stop test passes through") {
    VectorXd x = VectorXd::Constant(2, -0.5);
    int calls = 0;
    const auto throwing = [&](const Point& at, Gradient g) {
        if (++calls == 4) throw std::runtime_error("enough");
        return rosenbrock(at, g);
    };
    CHECK_THROWS_WITH_AS(minimize(x, throwing, {}, {}), "enough", std::runtime_error);
    CHECK_THROWS_AS(minimize(x, rosenbrock, [](const Point&) -> bool { throw std::logic_error("no"); }, {}),
                    std::logic_error);
}

TEST_CASE("a point without coordinates stays as it is") {
    VectorXd x;
    minimize(x, rosenbrock, {}, {});
    CHECK(x.size() == 0);
}
