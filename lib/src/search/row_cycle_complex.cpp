#include "row_cycle_complex.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <queue>

namespace rankcert::search {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kWordWork = 0.3e-9;  ///< nominal seconds for a word of an equation
constexpr double kSetWork = 12e-9;    ///< and for looking at a set
constexpr int kCandidates = 6;        ///< unknowns weighed against each other for an equation
constexpr std::size_t kMaxEquationWords = std::size_t{1} << 24;

double binomial(int n, int k) {
    double result = 1;
    for (int i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
    return result;
}

/// The bits of `bits` at the places of `mask`, packed.
std::uint32_t extract(std::uint32_t bits, std::uint32_t mask) {
    std::uint32_t result = 0, place = 1;
    for (; mask != 0; mask &= mask - 1, place <<= 1) {
        if ((bits & mask & (~mask + 1)) != 0) result |= place;
    }
    return result;
}

/// The inverse: low bits of `bits` to the places of `mask`.
std::uint32_t deposit(std::uint32_t bits, std::uint32_t mask) {
    std::uint32_t result = 0;
    for (; mask != 0; mask &= mask - 1, bits >>= 1) {
        if ((bits & 1) != 0) result |= mask & (~mask + 1);
    }
    return result;
}

SignedSets::Set normalised(SignedSets::Set set) {
    const std::uint32_t lowest = set.mask & (~set.mask + 1);
    if ((set.negative & lowest) != 0) set.negative ^= set.mask;
    return set;
}

std::size_t place(const SignedSets::Set& set, const std::vector<int>& rank, int size) {
    const auto group = static_cast<std::size_t>(rank[set.mask]);
    return (group << static_cast<unsigned>(size - 1)) + (extract(set.negative, set.mask) >> 1);
}

}  // namespace

double SignedSets::count(int k, int n) {
    return binomial(n, k) * std::exp2(k - 1) + binomial(n, k + 1) * std::exp2(k);
}

std::vector<int> SignedSets::ranks(int size, int n, std::vector<Mask>& masks) {
    std::vector<int> rank(std::size_t{1} << static_cast<unsigned>(n), -1);
    for (std::uint32_t mask = 0; mask < rank.size(); ++mask) {
        if (std::popcount(mask) != size) continue;
        rank[mask] = static_cast<int>(masks.size());
        masks.push_back(mask);
    }
    return rank;
}

SignedSets::SignedSets(int k, int n) : k_(k), n_(n) {
    const auto fill = [n](int size, std::vector<Set>& sets) {
        std::vector<Mask> masks;
        std::vector<int> rank = ranks(size, n, masks);
        for (const Mask mask : masks) {
            for (std::uint32_t signs = 0; signs < (1U << static_cast<unsigned>(size - 1)); ++signs)
                sets.push_back({mask, deposit(signs << 1, mask)});
        }
        return rank;
    };
    rank_ = fill(k, sets_);
    if (n > k) upper_rank_ = fill(k + 1, upper_);
}

std::size_t SignedSets::index(Set set) const { return place(normalised(set), rank_, k_); }

std::vector<int> SignedSets::cofaces(std::size_t i) const {
    std::vector<int> result;
    const Set& set = sets_[i];
    for (int p = 0; p < n_; ++p) {
        const Mask bit = Mask{1} << static_cast<unsigned>(p);
        if ((set.mask & bit) != 0) continue;
        for (const Mask sign : {Mask{0}, bit})
            result.push_back(static_cast<int>(
                place(normalised({set.mask | bit, set.negative | sign}), upper_rank_, k_ + 1)));
    }
    return result;
}

void SignedSets::faces(std::size_t i, std::vector<int>& out) const {
    out.clear();
    const Set& set = upper_[i];
    for (Mask rest = set.mask; rest != 0; rest &= rest - 1) {
        const Mask bit = rest & (~rest + 1);
        out.push_back(static_cast<int>(index({set.mask ^ bit, set.negative & ~bit})));
    }
}

CycleState CycleFinder::start(std::vector<Index> rows) const {
    CycleState state;
    state.rows = std::move(rows);
    const std::size_t count = sets_->size();
    const auto k = static_cast<std::size_t>(sets_->k());
    state.lower.assign(count, -kInfinity);
    state.upper.assign(count, kInfinity);
    state.guess.assign(count, 0);
    state.weights.assign(count * k, 1 / static_cast<float>(k));
    state.in.assign(count, 0);
    const SignedSets::Mask first = (SignedSets::Mask{1} << static_cast<unsigned>(k)) - 1;
    for (std::size_t i = 0; i < count; ++i) state.in[i] = (*sets_)[i].mask == first;
    return state;
}

CycleState CycleFinder::with_row(const CycleState& state, Index row, const CycleFinder& wider) const {
    std::vector<Index> rows = state.rows;
    rows.push_back(row);
    CycleState result = wider.start(std::move(rows));
    const auto k = static_cast<std::size_t>(sets_->k());
    std::fill(result.in.begin(), result.in.end(), 0);
    std::fill(result.guess.begin(), result.guess.end(), static_cast<float>(state.value));
    for (std::size_t i = 0; i < sets_->size(); ++i) {
        const std::size_t to = wider.sets().index((*sets_)[i]);
        result.lower[to] = state.lower[i];
        result.upper[to] = state.upper[i];
        result.guess[to] = state.guess[i];
        result.in[to] = state.in[i];
        std::copy_n(state.weights.begin() + static_cast<std::ptrdiff_t>(i * k), k,
                    result.weights.begin() + static_cast<std::ptrdiff_t>(to * k));
    }
    result.value = state.value;
    return result;
}

CycleState CycleFinder::with_swap(const CycleState& state, int position, Index row) const {
    CycleState result = state;
    result.rows[static_cast<std::size_t>(position)] = row;
    const SignedSets::Mask bit = SignedSets::Mask{1} << static_cast<unsigned>(position);
    for (std::size_t i = 0; i < sets_->size(); ++i) {
        if (((*sets_)[i].mask & bit) == 0) continue;
        result.lower[i] = -kInfinity;
        result.upper[i] = kInfinity;
    }
    return result;
}

std::vector<Index> CycleFinder::rows_of(const CycleState& state, std::size_t set,
                                        std::uint64_t& negative) const {
    const SignedSets::Set& s = (*sets_)[set];
    negative = extract(s.negative, s.mask);
    std::vector<Index> rows;
    for (SignedSets::Mask rest = s.mask; rest != 0; rest &= rest - 1)
        rows.push_back(state.rows[static_cast<std::size_t>(std::countr_zero(rest))]);
    return rows;
}

void CycleFinder::value_set(CycleState& state, std::size_t set, double threshold) {
    std::uint64_t negative = 0;
    const std::vector<Index> rows = rows_of(state, set, negative);
    const auto k = static_cast<std::size_t>(sets_->k());
    const SetBounds bounds = values_.evaluate(rows, negative, threshold,
                                              std::span<float>(state.weights).subspan(set * k, k), 1e-4);
    state.lower[set] = std::max(state.lower[set], static_cast<float>(bounds.lower));
    state.upper[set] = std::min(state.upper[set], static_cast<float>(bounds.upper));
    state.guess[set] = state.lower[set] > static_cast<float>(threshold) ? state.lower[set] : state.upper[set];
}

bool CycleFinder::find(CycleState& state, double threshold, double work_limit) {
    const auto level = static_cast<float>(threshold);
    const double before = work();
    const std::size_t words = (sets_->upper_size() + 63) / 64;
    using Equation = std::vector<std::uint64_t>;
    std::vector<Equation> equations;
    std::vector<int> pivots;                                // of each equation
    std::vector<int> equation_of(sets_->upper_size(), -1);  // whose pivot the unknown is
    using Entry = std::pair<float, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    const auto ask = [&](std::size_t set) {
        if (state.in[set] != 0 && !(state.lower[set] > level))
            heap.emplace(state.upper[set] <= level ? -1.0F : state.guess[set], static_cast<int>(set));
    };
    for (std::size_t i = 0; i < sets_->size(); ++i) ask(i);
    std::vector<int> faces, flips, best_flips;
    const auto has = [](const Equation& e, int bit) {
        return (e[static_cast<std::size_t>(bit) / 64] >> (static_cast<unsigned>(bit) % 64) & 1) != 0;
    };
    // Turns the chosen (k+1)-sets; returns by how much the number of sets in the cycle that are not known to
    // be good changes.
    const auto turn = [&](const std::vector<int>& chosen) {
        int change = 0;
        for (const int upper : chosen) {
            sets_->faces(static_cast<std::size_t>(upper), faces);
            for (const int face : faces) {
                const auto f = static_cast<std::size_t>(face);
                state.in[f] ^= 1;
                if (!(state.lower[f] > level)) change += state.in[f] != 0 ? 1 : -1;
            }
        }
        work_ += kSetWork * static_cast<double>(chosen.size() * faces.size());
        return change;
    };
    while (!heap.empty()) {
        const auto set = static_cast<std::size_t>(heap.top().second);
        heap.pop();
        if (state.in[set] == 0 || state.lower[set] > level) continue;
        if (work() - before > work_limit) return false;
        if (!(state.upper[set] <= level)) {
            value_set(state, set, threshold);
            if (state.lower[set] > level) continue;
            state.upper[set] = std::min(state.upper[set], level);  // as good as dead
        }
        if (sets_->upper_size() == 0) return false;
        // One more equation: an odd number of the cofaces has to be turned.
        Equation equation(words);
        for (const int coface : sets_->cofaces(set))
            equation[static_cast<std::size_t>(coface) / 64] ^= std::uint64_t{1}
                                                               << (static_cast<unsigned>(coface) % 64);
        for (const int coface : sets_->cofaces(set)) {
            const int other = equation_of[static_cast<std::size_t>(coface)];
            if (other < 0) continue;
            for (std::size_t x = 0; x < words; ++x)
                equation[x] ^= equations[static_cast<std::size_t>(other)][x];
            work_ += kWordWork * static_cast<double>(words);
        }
        // Which unknown to turn: the one that brings the fewest sets that are not known to be good.
        int pivot = -1, least = 0, candidates = 0;
        for (std::size_t x = 0; x < words && candidates < kCandidates; ++x) {
            for (std::uint64_t rest = equation[x]; rest != 0 && candidates < kCandidates; rest &= rest - 1) {
                const int p = static_cast<int>(64 * x) + std::countr_zero(rest);
                ++candidates;
                flips.assign(1, p);
                for (std::size_t e = 0; e < equations.size(); ++e) {
                    if (has(equations[e], p)) flips.push_back(pivots[e]);
                }
                work_ += kWordWork * static_cast<double>(equations.size());
                const int change = turn(flips);
                turn(flips);
                if (pivot < 0 || change < least) {
                    pivot = p;
                    least = change;
                    best_flips = flips;
                }
            }
        }
        if (pivot < 0) return false;  // 0 = 1
        turn(best_flips);
        for (const int upper : best_flips) {
            sets_->faces(static_cast<std::size_t>(upper), faces);
            for (const int face : faces) ask(static_cast<std::size_t>(face));
        }
        for (std::size_t e = 0; e < equations.size(); ++e) {
            if (!has(equations[e], pivot)) continue;
            for (std::size_t x = 0; x < words; ++x) equations[e][x] ^= equation[x];
            work_ += kWordWork * static_cast<double>(words);
        }
        if ((equations.size() + 1) * words > kMaxEquationWords) return false;
        equation_of[static_cast<std::size_t>(pivot)] = static_cast<int>(equations.size());
        pivots.push_back(pivot);
        equations.push_back(std::move(equation));
    }
    float value = kInfinity;
    for (std::size_t i = 0; i < sets_->size(); ++i) {
        if (state.in[i] != 0) value = std::min(value, state.lower[i]);
    }
    state.value = static_cast<double>(value);
    return true;
}

void CycleFinder::raise(CycleState& state, double goal, double work_limit) {
    const double before = work();
    for (double first = goal / 4; !(state.value > 0) && first > goal / 5000; first /= 8) {
        CycleState next = state;
        if (find(next, first, work_limit - (work() - before))) state = std::move(next);
    }
    if (!(state.value > 0)) return;
    for (const double step : {0.2, 0.05, 0.01, 0.002}) {
        while (state.value < goal) {
            const double left = work_limit - (work() - before);
            if (!(left > 0)) return;
            CycleState next = state;
            const bool found = find(next, std::min(goal, state.value * (1 + step)), left);
            if (found) {
                state = std::move(next);
                continue;
            }
            // What was learnt of the values stays.
            state.lower = std::move(next.lower);
            state.upper = std::move(next.upper);
            state.weights = std::move(next.weights);
            state.guess = std::move(next.guess);
            break;
        }
    }
}

}  // namespace rankcert::search
