/// \file bracket_table.cpp  The brackets of a run beside those of the usual certificates, as CSV and as a
/// summary.
///
/// Usage: bracket_table OUT.csv RUN.jsonl...   (what `rankcert bracket --json` printed; see
/// tests/bench/brackets)
///
/// Lower and upper are proved; baselines (plain singular-value tail, Neumann, truncated SVD, representative
/// rows) and seconds are estimates and have columns of their own.

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "rankcert/certificate/bundle.hpp"
#include "rankcert/search/lower.hpp"
#include "rankcert/search/upper.hpp"

namespace {

using Index = Eigen::Index;

struct Baseline {
    Index tail = 0, neumann = 0, svd = 0, rows = 0;
};

struct Cell {
    std::string file, head, epsilon, lower_method, upper_method;
    Index n = 0, lower = 0, upper = 0;
    double seconds = 0;
    Baseline baseline;
    [[nodiscard]] std::string model() const { return file.substr(0, file.find('-')); }
};

/// The usual certificates of a matrix, at several tolerances.
class Baselines {
  public:
    explicit Baselines(const Eigen::MatrixXd& a) : a_(a), upper_(a) {}

    [[nodiscard]] Baseline at(double tolerance) {
        Baseline out;
        out.svd = out.rows = std::min(a_.rows(), a_.cols());
        for (const rankcert::LowerWitness& witness :
             rankcert::search::LowerSearch(a_).propose_quick(tolerance)) {
            const Index rank = rankcert::search::proposed_rank(witness);
            if (std::holds_alternative<rankcert::EckartYoungWitness>(witness))
                out.tail = std::max(out.tail, rank);
            if (std::holds_alternative<rankcert::NeumannWitness>(witness))
                out.neumann = std::max(out.neumann, rank);
        }
        for (const rankcert::UpperWitness& witness : upper_.propose_quick(tolerance)) {
            if (const auto* factors = std::get_if<rankcert::FactorWitness>(&witness)) {
                out.svd = std::min(out.svd, factors->left.cols());
            } else if (const auto* rows = std::get_if<rankcert::RepresentativeRowsWitness>(&witness)) {
                const std::set<Index> chosen(rows->representative.begin(), rows->representative.end());
                out.rows = std::min(out.rows, static_cast<Index>(chosen.size()));
            }
        }
        return out;
    }

  private:
    Eigen::MatrixXd a_;
    rankcert::search::UpperSearch upper_;
};

std::vector<Cell> read_run(const std::string& path) {
    std::vector<Cell> cells;
    std::ifstream in(path);
    std::string certificate;
    std::optional<Baselines> baselines;
    for (std::string line; std::getline(in, line);) {
        const auto json = nlohmann::json::parse(line);
        if (!json.contains("lower_method")) continue;  // a line of the check
        Cell cell;
        const std::string file = json.at("file");
        cell.file = file.substr(file.find_last_of('/') + 1);
        cell.file = cell.file.substr(0, cell.file.find('.'));
        cell.head = json.at("head");
        cell.epsilon = json.at("epsilon");
        cell.lower_method = json.at("lower_method");
        cell.upper_method = json.at("upper_method");
        cell.n = json.at("n");
        cell.lower = json.at("lower");
        cell.upper = json.at("upper");
        cell.seconds = json.at("seconds");
        if (json.at("certificate") != certificate) {
            certificate = json.at("certificate");
            baselines.emplace(rankcert::read_bundle(certificate).subject.centre.estimate_double());
        }
        cell.baseline = baselines->at(rankcert::estimate_double(rankcert::parse_rational(cell.epsilon)));
        cells.push_back(std::move(cell));
    }
    return cells;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n == 0 ? 0 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/// U/L; a lower bound of zero below a positive upper one counts as a ratio beyond all others.
double ratio(Index upper, Index lower) {
    if (lower == 0) return upper == 0 ? 1 : 999;
    return static_cast<double>(upper) / static_cast<double>(lower);
}

void summarise(const std::string& name, const std::vector<const Cell*>& cells) {
    Index gap = 0, gap_upper = 0;
    std::size_t closed = 0, near = 0, plain_closed = 0;
    std::vector<double> ratios, plain_ratios, seconds;
    for (const Cell* cell : cells) {
        if (cell->upper - cell->lower > gap) gap = cell->upper - cell->lower, gap_upper = cell->upper;
        closed += cell->upper == cell->lower;
        near += cell->upper - cell->lower <= 1;
        ratios.push_back(ratio(cell->upper, cell->lower));
        seconds.push_back(cell->seconds);
        const Baseline& plain = cell->baseline;
        const Index lower = std::max(plain.tail, plain.neumann), upper = std::min(plain.svd, plain.rows);
        plain_closed += upper <= lower;
        plain_ratios.push_back(ratio(upper, lower));
    }
    const double count = static_cast<double>(cells.size());
    std::cout << std::left << std::setw(18) << name << std::right << std::fixed << std::setw(6)
              << cells.size() << std::setprecision(1) << std::setw(8)
              << 100 * static_cast<double>(closed) / count << " %" << std::setw(8)
              << 100 * static_cast<double>(near) / count << " %" << std::setprecision(3) << std::setw(8)
              << median(ratios) << std::setw(7) << gap << " of " << std::setw(3) << gap_upper
              << std::setprecision(2) << std::setw(9) << median(seconds) << std::setprecision(1)
              << std::setw(10) << 100 * static_cast<double>(plain_closed) / count << " %"
              << std::setprecision(3) << std::setw(9) << median(plain_ratios) << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) {
        std::cerr << "usage: bracket_table OUT.csv RUN.jsonl...\n";
        return 3;
    }
    std::vector<Cell> cells;
    for (int i = 2; i < argc; ++i) {
        std::vector<Cell> more = read_run(argv[i]);
        std::move(more.begin(), more.end(), std::back_inserter(cells));
    }
    // Sorted as the plot shows them.
    std::stable_sort(cells.begin(), cells.end(), [](const Cell& x, const Cell& y) {
        return std::tuple(x.n, x.model(), x.upper, x.lower) < std::tuple(y.n, y.model(), y.upper, y.lower);
    });
    std::ofstream csv(argv[1]);
    csv << "model,n,file,head,epsilon,proved_lower,proved_upper,lower_method,upper_method,estimate_tail,"
           "estimate_"
           "neumann,estimate_svd,estimate_representative_rows,estimate_seconds\n";
    std::map<std::string, std::vector<const Cell*>> groups;
    for (const Cell& cell : cells) {
        csv << cell.model() << ',' << cell.n << ',' << cell.file << ',' << cell.head << ',' << cell.epsilon
            << ',' << cell.lower << ',' << cell.upper << ',' << cell.lower_method << ',' << cell.upper_method
            << ',' << cell.baseline.tail << ',' << cell.baseline.neumann << ',' << cell.baseline.svd << ','
            << cell.baseline.rows << ',' << cell.seconds << '\n';
        std::ostringstream size;
        size << "n = " << std::setw(4) << cell.n;
        groups[size.str()].push_back(&cell);
        groups[size.str() + " " + cell.model()].push_back(&cell);
    }
    if (!csv.flush()) {
        std::cerr << "bracket_table: cannot write " << argv[1] << '\n';
        return 3;
    }
    std::cout
        << "                            brackets, proved                              estimates  | the usual "
           "ones, "
           "estimates\n"
           "group              cells    closed  within 1   U/L   largest gap  seconds    closed     U/L\n";
    for (const auto& [name, members] : groups) summarise(name, members);
    return 0;
} catch (const std::exception& error) {
    std::cerr << "bracket_table: " << error.what() << '\n';
    return 3;
}
