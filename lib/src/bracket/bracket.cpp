#include "rankcert/bracket/bracket.hpp"

#include <algorithm>
#include <chrono>

#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"
#include "session.hpp"

namespace rankcert {

namespace {

void require_epsilons(const std::vector<Rational>& epsilons) {
    if (epsilons.empty()) throw Error("no ε is given; give at least one, such as 1/4.");
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        if (epsilons[i] < 0) throw Error("ε = " + to_string(epsilons[i]) + " is negative; give ε ≥ 0.");
        if (std::find(epsilons.begin(), epsilons.begin() + static_cast<std::ptrdiff_t>(i), epsilons[i]) !=
            epsilons.begin() + static_cast<std::ptrdiff_t>(i)) {
            throw Error("ε = " + to_string(epsilons[i]) + " is given twice; give each ε once.");
        }
    }
}

BracketResult run(std::optional<Head> head, ExactMatrix matrix, const std::vector<Rational>& epsilons,
                  const BracketOptions& options, const Progress& progress) {
    require_epsilons(epsilons);
    if (!(options.seconds >= 0))
        throw Error("the search budget is not a number of seconds; give one that is at least 0.");
    if (options.precision < 2 || options.precision > options.max_precision) {
        throw Error("the precision " + std::to_string(options.precision) +
                    " is not between 2 and the largest one, " + std::to_string(options.max_precision) +
                    "; give one that is.");
    }
    const FloatingPointGuard guard;
    double reported = 0;
    const auto tell = [&](double fraction, std::string_view stage) {
        reported = std::max(reported, fraction);
        if (progress) progress(reported, stage);
    };
    tell(0, "softmax");
    detail::Session session(std::move(head), std::move(matrix), options);
    // The time between two reports belongs to the ε of the first.
    std::vector<double> seconds(epsilons.size());
    std::optional<std::size_t> current;
    auto since = std::chrono::steady_clock::now();
    const auto account = [&](std::optional<std::size_t> next) {
        const auto now = std::chrono::steady_clock::now();
        if (current) seconds[*current] += std::chrono::duration<double>(now - since).count();
        current = next;
        since = now;
    };
    session.search(epsilons, [&](double share, std::size_t i, std::string_view stage) {
        account(i);
        // Checking everything once more at the end is counted as one part in twenty.
        tell(.95 * share, "ε=" + to_string(epsilons[i]) + ": " + std::string(stage));
    });
    account(std::nullopt);
    tell(.95, "final check");
    BracketResult out = session.finish(epsilons);
    for (std::size_t i = 0; i < seconds.size(); ++i) out.brackets[i].seconds = seconds[i];
    tell(1, "done");
    return out;
}

}  // namespace

BracketResult bracket_head(const Head& head, const std::vector<Rational>& epsilons,
                           const BracketOptions& options, const Progress& progress) {
    validate(head);
    return run(head, {}, epsilons, options, progress);
}

BracketResult bracket_matrix(const ExactMatrix& matrix, const std::vector<Rational>& epsilons,
                             const BracketOptions& options, const Progress& progress) {
    if (matrix.rows() == 0 || matrix.cols() == 0) {
        throw Error("the matrix has no entries; give one with at least one row and one column.");
    }
    return run(std::nullopt, matrix, epsilons, options, progress);
}

}  // namespace rankcert
