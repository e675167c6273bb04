// bench: runs all benchmarks, then prints the table of ratios. Options are Google Benchmark's; by default
// each benchmark is repeated, in random order among the others, and the least CPU time of its repetitions
// counts, since whatever else the machine does only adds to it.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "bench/ratios.hpp"

namespace rankcert::bench {
namespace {

std::vector<Ratio>& table() {
    static std::vector<Ratio> lines;
    return lines;
}

/// Keeps the least times; the table says what matters of them.
class LeastTimes : public benchmark::ConsoleReporter {
  public:
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
            const double seconds = run.cpu_accumulated_time / static_cast<double>(run.iterations);
            const auto [at, fresh] = times_.emplace(run.run_name.function_name, seconds);
            if (!fresh) at->second = std::min(at->second, seconds);
        }
    }
    void print() const {
        std::printf("\n%-44s %11s %11s %8s %16s\n", "estimate (least CPU time of the repetitions)", "ms",
                    "plain ms", "ratio", "wanted");
        for (const Ratio& line : table()) {
            const auto own = times_.find(line.name);
            const auto plain = times_.find(line.plain);
            if (own == times_.end() || plain == times_.end()) continue;
            const double ratio = own->second / plain->second;
            std::printf("%-44s %11.3f %11.3f %8.2f", line.name.c_str(), 1e3 * own->second,
                        1e3 * plain->second, ratio);
            if (line.limit > 0) {
                const bool met = own->second <= line.limit * plain->second + line.extra_seconds;
                std::printf("   ≤ %.2f", line.limit);
                if (line.extra_seconds > 0) std::printf(" + %.1f s", line.extra_seconds);
                std::printf(met ? "  met" : "  MISSED");
            }
            std::printf("\n");
        }
    }

  private:
    std::map<std::string, double> times_;
};

}  // namespace

void compare(Ratio ratio) { table().push_back(std::move(ratio)); }

}  // namespace rankcert::bench

int main(int argc, char** argv) {
    std::vector<char*> arguments(argv, argv + argc);
    char repetitions[] = "--benchmark_repetitions=5";
    char interleaving[] = "--benchmark_enable_random_interleaving=true";
    char minimum[] = "--benchmark_min_time=0.05";
    arguments.insert(arguments.begin() + 1, {repetitions, interleaving, minimum});  // later options win
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
    rankcert::bench::LeastTimes reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    reporter.print();
    return 0;
}
