// The float64 exponential beside Eigen's unproved one and MPFR's, and a head's softmax enclosed beside plain
// float64.

#include "rankcert/attention/softmax.hpp"

#include <benchmark/benchmark.h>
#include <mpfr.h>

#include <Eigen/Core>
#include <memory>

#include "bench/ratios.hpp"
#include "rankcert/rigor/exp_kernel.hpp"

namespace rankcert::bench {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

template <class F>
void add(const std::string& name, F f) {
    benchmark::RegisterBenchmark(name.c_str(), [f](benchmark::State& state) {
        for (auto _ : state) f();
    })->Unit(benchmark::kMillisecond);
}

void add_exponentials() {
    const auto x = std::make_shared<const ArrayXd>(10 * (ArrayXd::Random(1'000'000) - 1));  // in [−20, 0]
    const auto y = std::make_shared<ArrayXd>(x->size());
    const std::string own = "exp kernel, 1e6 in [-20, 0]";
    const std::string eigen = "Eigen Array::exp, 1e6 in [-20, 0]";
    const std::string mpfr = "MPFR exp, 53 bits, 1e6 in [-20, 0]";
    add(own, [x, y] {
        exp_approx(x->data(), y->data(), static_cast<long>(x->size()));
        benchmark::DoNotOptimize(y->data());
        benchmark::ClobberMemory();
    });
    add(eigen, [x, y] {
        *y = x->exp();
        benchmark::DoNotOptimize(y->data());
        benchmark::ClobberMemory();
    });
    add(mpfr, [x, y] {
        mpfr_t t;
        mpfr_init2(t, 53);
        for (Index i = 0; i < x->size(); ++i) {
            mpfr_set_d(t, (*x)(i), MPFR_RNDN);
            mpfr_exp(t, t, MPFR_RNDN);
            (*y)(i) = mpfr_get_d(t, MPFR_RNDN);
        }
        mpfr_clear(t);
        benchmark::ClobberMemory();
    });
    compare({own, eigen, 3});
    compare({own, mpfr, 0.01});
}

/// softmax as one writes it with Eigen.
MatrixXd plain_softmax(const MatrixXd& query, const MatrixXd& key, double scale) {
    MatrixXd a(query.rows(), key.rows());
    a.noalias() = query * key.transpose();
    const Eigen::VectorXd top = a.rowwise().maxCoeff();
    a = (scale * (a.colwise() - top)).array().exp();
    const Eigen::VectorXd sum = a.rowwise().sum();
    a.array().colwise() /= sum.array();
    return a;
}

void add_enclosures(Index n, MaskKind mask) {
    const Index d = 64;
    const auto head = std::make_shared<Head>();
    const auto vectors = [&] {
        const MatrixXd x = 2 * MatrixXd::Random(n, d);
        return MatrixXd(x.cast<float>().cast<double>());
    };
    const auto query = std::make_shared<const MatrixXd>(vectors());
    const auto key = std::make_shared<const MatrixXd>(vectors());
    head->query = ExactMatrix::from_double(*query);
    head->key = ExactMatrix::from_double(*key);
    head->scale = {1, static_cast<std::uint64_t>(d)};
    head->mask.kind = mask;
    const std::string size = " n=" + std::to_string(n) + " d=64";
    const std::string plain = "Eigen softmax" + size;
    if (mask == MaskKind::none) {
        add(plain, [query, key] { benchmark::DoNotOptimize(plain_softmax(*query, *key, 0.125)); });
    }
    const std::string own = (mask == MaskKind::none ? "softmax enclosed" : "softmax enclosed, causal") + size;
    add(own, [head] { benchmark::DoNotOptimize(enclose_softmax_fast(*head)); });
    compare({own, plain, 4});
    if (mask != MaskKind::none) return;
    const std::string error = "error of a given centre" + size;
    const auto centre = std::make_shared<const MatrixXd>(plain_softmax(*query, *key, 0.125));
    add(error, [head, centre] { benchmark::DoNotOptimize(upper_softmax_error_fast(*head, *centre)); });
    compare({error, plain});
}

[[maybe_unused]] const bool registered = [] {
    add_exponentials();
    add_enclosures(1024, MaskKind::none);
    add_enclosures(1024, MaskKind::causal);
    return true;
}();

}  // namespace
}  // namespace rankcert::bench
