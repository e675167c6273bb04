// Verified spectra, singular values and inverses beside Eigen's own decompositions.

#include <benchmark/benchmark.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

#include "bench/ratios.hpp"
#include "rankcert/linalg/inverse.hpp"
#include "rankcert/linalg/positive_definite.hpp"
#include "rankcert/linalg/spectrum.hpp"

namespace rankcert::bench {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

template <class F>
void add(const std::string& name, F f) {
    benchmark::RegisterBenchmark(name.c_str(), [f](benchmark::State& state) {
        for (auto _ : state) benchmark::DoNotOptimize(f());
    })->Unit(benchmark::kMillisecond);
}

void add_size(Index n) {
    const std::string size = " n=" + std::to_string(n);
    const auto a = std::make_shared<const MatrixXd>(MatrixXd::Random(n, n));
    const auto s = std::make_shared<const MatrixXd>(*a + a->transpose());
    add("Eigen eigenvectors" + size,
        [s] { return Eigen::SelfAdjointEigenSolver<MatrixXd>(*s).eigenvectors().sum(); });
    add("Eigen eigenvalues only" + size, [s] {
        return Eigen::SelfAdjointEigenSolver<MatrixXd>(*s, Eigen::EigenvaluesOnly).eigenvalues().sum();
    });
    add("Eigen BDCSVD with vectors" + size, [a] {
        return Eigen::BDCSVD<MatrixXd>(*a, Eigen::ComputeThinU | Eigen::ComputeThinV).singularValues().sum();
    });
    add("Eigen BDCSVD values only" + size,
        [a] { return Eigen::BDCSVD<MatrixXd>(*a).singularValues().sum(); });
    add("Eigen inverse" + size, [a] {
        const MatrixXd inverse = a->partialPivLu().inverse();
        return inverse(0, 0);
    });
    const auto against = [&](const std::string& name, const std::string& plain, double limit, auto f) {
        add(name + size, [f] { return f(); });
        compare({name + size, plain + size, limit});
    };
    const auto spectrum = [s] { return enclose_symmetric_spectrum(*s)->upper[0]; };
    const auto singular = [a] { return enclose_singular_values(*a)->upper[0]; };
    against("verified symmetric spectrum", "Eigen eigenvectors", 2.2, spectrum);
    compare({"verified symmetric spectrum" + size, "Eigen eigenvalues only" + size});
    against("verified singular values", "Eigen BDCSVD with vectors", 1.5, singular);
    compare({"verified singular values" + size, "Eigen BDCSVD values only" + size});
    against("verified inverse", "Eigen inverse", 1.5, [a] { return enclose_inverse(*a)->norm; });
}

[[maybe_unused]] const bool registered = [] {
    for (const Index n : {256, 512}) add_size(n);
    return true;
}();

}  // namespace
}  // namespace rankcert::bench
