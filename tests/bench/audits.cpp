// The audit of an output beside the computation of the same output in float64.

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <memory>

#include "bench/ratios.hpp"
#include "rankcert/audit/errors.hpp"

namespace rankcert::bench {
namespace {

using audit::Index;
using audit::RowMatrix;
using Eigen::MatrixXd;

MatrixXd plain_output(const MatrixXd& query, const MatrixXd& key, const MatrixXd& value) {
    MatrixXd a(query.rows(), key.rows());
    a.noalias() = query * key.transpose();
    const Eigen::VectorXd top = a.rowwise().maxCoeff();
    a = (0.125 * (a.colwise() - top)).array().exp();
    const Eigen::VectorXd sum = a.rowwise().sum();
    a.array().colwise() /= sum.array();
    return a * value;
}

[[maybe_unused]] const bool registered = [] {
    const Index n = 1024, d = 64;
    const auto vectors = [&] { return MatrixXd((2 * MatrixXd::Random(n, d)).cast<float>().cast<double>()); };
    const MatrixXd query = vectors(), key = vectors(), value = vectors();
    audit::AttentionHead head;
    head.query = query;
    head.key = key;
    head.scale.sqrt_of = 64;
    audit::AuditOptions options;
    options.format = NumberFormat::float32;
    const RowMatrix claim = plain_output(query, key, value).cast<float>().cast<double>();
    const std::string plain = "Eigen output, n=1024 d=64", own = "output audited, float32, n=1024 d=64";
    benchmark::RegisterBenchmark(plain.c_str(), [=](benchmark::State& state) {
        for (auto _ : state) benchmark::DoNotOptimize(plain_output(query, key, value));
    })->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(own.c_str(), [=, v = RowMatrix(value)](benchmark::State& state) {
        for (auto _ : state) benchmark::DoNotOptimize(audit::audit_output(head, v, claim, options));
    })->Unit(benchmark::kMillisecond);
    compare({own, plain, 40});
    return true;
}();

}  // namespace
}  // namespace rankcert::bench
