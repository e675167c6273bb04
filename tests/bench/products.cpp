// Enclosed products beside Eigen's, Arb's and a triple loop over boost::numeric::interval.

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <boost/numeric/interval.hpp>
#include <vector>
#ifdef RANKCERT_BENCH_ARB
#include <arb_mat.h>
#endif

#include "bench/ratios.hpp"
#include "rankcert/linalg/product.hpp"

namespace rankcert::bench {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

struct Factors {
    MatrixXd a, b;
    explicit Factors(Index n) : a(MatrixXd::Random(n, n)), b(MatrixXd::Random(n, n)) {}
};

template <class F>
void add(const std::string& name, F f) {
    benchmark::RegisterBenchmark(name.c_str(), [f](benchmark::State& state) {
        for (auto _ : state) f();
    })->Unit(benchmark::kMillisecond);
}

/// A triple loop, as a user of intervals would write it.
void add_interval_loop(Index n, const std::string& name) {
    using Interval = boost::numeric::interval<double>;
    const auto make = [n] {
        std::vector<Interval> x(static_cast<std::size_t>(n * n));
        const MatrixXd values = MatrixXd::Random(n, n);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = values.data()[k];
        return x;
    };
    add(name, [a = make(), b = make(), n] {
        const auto at = [n](Index i, Index j) { return static_cast<std::size_t>(i * n + j); };
        std::vector<Interval> c(static_cast<std::size_t>(n * n), Interval(0.0));
        for (Index i = 0; i < n; ++i)
            for (Index k = 0; k < n; ++k)
                for (Index j = 0; j < n; ++j) c[at(i, j)] += a[at(i, k)] * b[at(k, j)];
        benchmark::DoNotOptimize(c.data());
    });
}

#ifdef RANKCERT_BENCH_ARB
void add_arb(Index n, const std::string& name) {
    benchmark::RegisterBenchmark(name.c_str(), [n](benchmark::State& state) {
        arb_mat_t a, b, c;
        for (auto* m : {&a, &b, &c}) arb_mat_init(*m, n, n);
        const MatrixXd x = MatrixXd::Random(n, n), y = MatrixXd::Random(n, n);
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < n; ++j) {
                arb_set_d(arb_mat_entry(a, i, j), x(i, j));
                arb_set_d(arb_mat_entry(b, i, j), y(i, j));
            }
        for (auto _ : state) arb_mat_mul(c, a, b, 53);
        for (auto* m : {&a, &b, &c}) arb_mat_clear(*m);
    })->Unit(benchmark::kMillisecond);
}
#endif

void add_size(Index n) {
    const std::string size = " n=" + std::to_string(n);
    const std::string plain = "Eigen product" + size;
    const auto factors = std::make_shared<const Factors>(n);
    const auto balls = std::make_shared<const std::pair<BallMatrix, BallMatrix>>(
        BallMatrix{factors->a, 1e-10 * factors->a.cwiseAbs()},
        BallMatrix{factors->b, 1e-10 * factors->b.cwiseAbs()});
    add(plain, [factors, n] {
        MatrixXd c(n, n);
        c.noalias() = factors->a * factors->b;
        benchmark::DoNotOptimize(c.data());
    });
    const auto against = [&](const std::string& name, double limit, auto f) {
        add(name + size, [f] { benchmark::DoNotOptimize(f()); });
        compare({name + size, plain, limit});
    };
    against("point times point", 2.2, [factors] { return enclose_product(factors->a, factors->b); });
    against("one-product form", 1.15, [factors] { return bounded_product(factors->a, factors->b); });
    against("ball times ball", 3.4, [balls] { return enclose_product(balls->first, balls->second); });
    against("ball times point", 0, [balls, factors] { return enclose_product(balls->first, factors->b); });
    against("ball times ball, tight", 0,
            [balls] { return enclose_product_tightly(balls->first, balls->second); });
}

[[maybe_unused]] const bool registered = [] {
    for (const Index n : {512, 1024}) add_size(n);
    for (const Index n : {128, 256}) {
        const std::string plain = "Eigen product n=" + std::to_string(n);
        const auto factors = std::make_shared<const Factors>(n);
        add(plain, [factors, n] {
            MatrixXd c(n, n);
            c.noalias() = factors->a * factors->b;
            benchmark::DoNotOptimize(c.data());
        });
        const std::string loop = "boost::numeric::interval loop n=" + std::to_string(n);
        add_interval_loop(n, loop);
        compare({loop, plain});
#ifdef RANKCERT_BENCH_ARB
        const std::string arb = "Arb product, 53 bits n=" + std::to_string(n);
        add_arb(n, arb);
        compare({arb, plain});
#endif
    }
    return true;
}();

}  // namespace
}  // namespace rankcert::bench
