// Checking a lower and an upper certificate of a head at both levels, ρ included, beside one Eigen product of
// that size.

#include <benchmark/benchmark.h>

#include "bench/ratios.hpp"
#include "certificate/fast_witnesses.hpp"

namespace rankcert::bench {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// A causal head of random float32 vectors, with one witness of each side.
struct Case {
    Subject subject;
    std::optional<FixedSpaceWitness> space;
    std::optional<EckartYoungWitness> tail;
    FactorWitness factors;

    explicit Case(Index n) {
        test::Random random(static_cast<std::uint64_t>(n));
        Head head;
        const auto vectors = [&] {
            const MatrixXd x = 2 * MatrixXd::Random(n, 64);
            return ExactMatrix::from_double(x.cast<float>().cast<double>());
        };
        head.query = vectors();
        head.key = vectors();
        head.scale = {1, 64};
        head.mask.kind = MaskKind::causal;
        subject = {head, enclose_softmax(head, 53).centre};
        const MatrixXd a = subject.centre.to_double();
        while (!space) space = test::make_fixed_space(a, n / 4, random);
        tail = test::make_eckart_young(a, n / 8, random);
        factors = test::make_factors(a, n / 2, random);
    }
};

template <class Lower>
void add(const std::string& name, const std::shared_ptr<const Case>& c, Lower lower, Level level) {
    benchmark::RegisterBenchmark(name.c_str(), [c, lower, level](benchmark::State& state) {
        for (auto _ : state) {
            const auto checker = make_checker(c->subject, level);
            benchmark::DoNotOptimize(checker->prove_rank_at_least(lower(*c), Rational(1, 1000)));
            benchmark::DoNotOptimize(checker->prove_rank_at_most(c->factors, Rational(1, 4)));
        }
    })->Unit(benchmark::kMillisecond);
}

[[maybe_unused]] const bool registered = [] {
    for (const Index n : {128, 256}) {
        const std::string size = " n=" + std::to_string(n);
        const std::string plain = "Eigen product" + size;
        const auto c = std::make_shared<const Case>(n);
        const auto space = [](const Case& x) -> LowerWitness { return *x.space; };
        const auto tail = [](const Case& x) -> LowerWitness { return *x.tail; };
        const auto line = [&](const std::string& name, auto lower, Level level, double limit, double extra) {
            add(name + size, c, lower, level);
            compare({name + size, plain, limit, extra});
        };
        line("check fast, fixed space and factors", space, Level::fast, 12, 0.1);
        line("check fast, Eckart–Young and factors", tail, Level::fast, 12, 0.1);
        const double seconds = n == 128 ? 0.3 : 2;
        line("check exact, fixed space and factors", space, Level::exact, 1e-9, seconds);
        line("check exact, Eckart–Young and factors", tail, Level::exact, 1e-9, seconds);
    }
    return true;
}();

}  // namespace
}  // namespace rankcert::bench
