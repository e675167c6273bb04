#include "row_cycle_witness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankcert::search {

namespace {

double dot(const double* a, const double* b, Index n) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += a[j] * b[j];
    return sum;
}

}  // namespace

std::optional<RowCycleWitness> make_row_cycle(SetValues& values, const CycleFinder& finder,
                                              const CycleState& state, double tolerance) {
    const SignedSets& sets = finder.sets();
    const auto k = static_cast<std::size_t>(sets.k());
    const Index n = values.cols();
    // What a float64 evaluation may miss, with room to spare, so that the checkers see the same.
    const double norm = [&] {
        double most = 0;
        for (const Index row : state.rows) {
            double sum = 0;
            for (Index j = 0; j < n; ++j) sum += std::abs(values.row(row)[j]);
            most = std::max(most, sum);
        }
        return most;
    }();
    const double least = tolerance + 1e-12 * norm;
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (state.in[i] != 0) members.push_back(i);
    }
    // The hardest sets first: their vectors may serve others too, and hardly the other way round.
    std::sort(members.begin(), members.end(), [&](std::size_t x, std::size_t y) {
        return state.lower[x] != state.lower[y] ? state.lower[x] < state.lower[y] : x < y;
    });
    std::vector<std::vector<double>> vectors;
    std::vector<std::vector<double>> products;  // with each row of the state, for each vector
    std::vector<Index> vector_of(members.size());
    std::vector<float> weights(k);
    for (std::size_t at = 0; at < members.size(); ++at) {
        const SignedSets::Set& set = sets[members[at]];
        // The signs of the set may be turned as a whole, and the vector with them; only the latter is stored.
        const auto serves = [&](const std::vector<double>& product) {
            for (std::size_t p = 0; p < product.size(); ++p) {
                if ((set.mask >> p & 1) == 0) continue;
                if (!(((set.negative >> p & 1) != 0 ? -product[p] : product[p]) > least)) return false;
            }
            return true;
        };
        std::size_t found = 0;
        while (found < vectors.size() && !serves(products[found])) ++found;
        if (found == vectors.size()) {
            std::uint64_t negative = 0;
            const std::vector<Index> rows = finder.rows_of(state, members[at], negative);
            std::copy_n(state.weights.begin() + static_cast<std::ptrdiff_t>(members[at] * k), k,
                        weights.begin());
            (void)values.evaluate(rows, negative, NAN, weights, 1e-6);
            const std::vector<double> best = values.vector();
            bool good = false;
            for (const int bits : {8, 12, 16, 20, 26, 34, 44}) {
                std::vector<double> v(best.size());
                for (std::size_t j = 0; j < v.size(); ++j)
                    v[j] = std::ldexp(std::nearbyint(std::ldexp(best[j], bits)), -bits);
                std::vector<double> product;
                for (const Index row : state.rows) product.push_back(dot(values.row(row), v.data(), n));
                if (!serves(product)) continue;
                vectors.push_back(std::move(v));
                products.push_back(std::move(product));
                good = true;
                break;
            }
            if (!good) return std::nullopt;
        }
        vector_of[at] = static_cast<Index>(found);
    }

    RowCycleWitness witness;
    witness.rank = static_cast<Index>(k);
    for (std::size_t at = 0; at < members.size(); ++at) {
        std::uint64_t negative = 0;
        const std::vector<Index> rows = finder.rows_of(state, members[at], negative);
        std::vector<std::size_t> order(k);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](std::size_t x, std::size_t y) { return rows[x] < rows[y]; });
        SignedRowSet set;
        for (std::size_t j = 0; j < k; ++j) {
            set.rows.push_back(rows[order[j]]);
            if ((negative >> order[j] & 1) != 0) set.negative |= std::uint64_t{1} << j;
        }
        set.vector = vector_of[at];
        witness.sets.push_back(std::move(set));
    }
    // A set whose first row, in the order of the matrix, is negative is turned, with a turned vector for it.
    std::vector<Index> turned(vectors.size(), -1);
    std::vector<bool> plain(vectors.size());
    for (const SignedRowSet& set : witness.sets) {
        if ((set.negative & 1) == 0) plain[static_cast<std::size_t>(set.vector)] = true;
    }
    const std::size_t count = vectors.size();
    std::vector<std::vector<double>> kept;
    std::vector<Index> place(count, -1);
    for (std::size_t p = 0; p < count; ++p) {
        if (!plain[p]) continue;
        place[p] = static_cast<Index>(kept.size());
        kept.push_back(vectors[p]);
    }
    for (SignedRowSet& set : witness.sets) {
        const auto p = static_cast<std::size_t>(set.vector);
        if ((set.negative & 1) == 0) {
            set.vector = place[p];
            continue;
        }
        set.negative ^= (std::uint64_t{1} << k) - 1;
        if (turned[p] < 0) {
            turned[p] = static_cast<Index>(kept.size());
            kept.push_back(vectors[p]);
            for (double& x : kept.back()) x = 0 - x;
        }
        set.vector = turned[p];
    }
    std::sort(witness.sets.begin(), witness.sets.end(), precedes);
    Matrix stored(static_cast<Index>(kept.size()), n);
    for (std::size_t p = 0; p < kept.size(); ++p) {
        for (Index j = 0; j < n; ++j) stored(static_cast<Index>(p), j) = kept[p][static_cast<std::size_t>(j)];
    }
    witness.vectors = ExactMatrix::from_double(stored);
    return witness;
}

}  // namespace rankcert::search
