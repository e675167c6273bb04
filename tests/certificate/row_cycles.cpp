#include "certificate/row_cycles.hpp"

#include <Eigen/LU>
#include <cmath>
#include <cstdlib>

#include "certificate/exact_mutants.hpp"

namespace rankcert::test {

SignedRows canonical(SignedRows set) {
    if (!set.empty() && set.front() < 0) {
        for (long& row : set) row = -row;
    }
    return set;
}

std::set<SignedRows> cross_polytope(const std::vector<long>& rows) {
    std::set<SignedRows> family;
    for (unsigned signs = 0; signs < (1U << (rows.size() - 1)); ++signs) {
        SignedRows set;
        for (std::size_t j = 0; j < rows.size(); ++j)
            set.push_back(j > 0 && (signs >> (j - 1) & 1) != 0 ? -(rows[j] + 1) : rows[j] + 1);
        family.insert(set);
    }
    return family;
}

void add_boundary(std::set<SignedRows>& family, const SignedRows& simplex) {
    for (std::size_t j = 0; j < simplex.size(); ++j) {
        SignedRows face = simplex;
        face.erase(face.begin() + static_cast<std::ptrdiff_t>(j));
        face = canonical(face);
        if (!family.erase(face)) family.insert(face);
    }
}

std::set<SignedRows> random_cycle(Index k, Index m, int changes, std::mt19937_64& random) {
    const auto choose = [&](Index count) {
        std::set<long> rows;
        while (static_cast<Index>(rows.size()) < count)
            rows.insert(static_cast<long>(below(static_cast<std::size_t>(m), random)));
        return std::vector<long>(rows.begin(), rows.end());
    };
    std::set<SignedRows> family = cross_polytope(choose(k));
    for (int change = 0; change < changes && m > k; ++change) {
        SignedRows simplex;
        for (const long row : choose(k + 1)) simplex.push_back((random() & 1) != 0 ? row + 1 : -(row + 1));
        add_boundary(family, simplex);
    }
    return family;
}

RowCycleWitness assemble(Index k, const std::vector<std::pair<SignedRows, Eigen::VectorXd>>& sets,
                         Index cols) {
    RowCycleWitness witness;
    witness.rank = k;
    Eigen::MatrixXd vectors(static_cast<Index>(sets.size()), cols);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        SignedRowSet set;
        for (std::size_t j = 0; j < sets[i].first.size(); ++j) {
            const long row = sets[i].first[j];
            set.rows.push_back(std::abs(row) - 1);
            if (row < 0) set.negative |= std::uint64_t{1} << j;
        }
        set.vector = static_cast<Index>(i);
        vectors.row(static_cast<Index>(i)) = sets[i].second.transpose();
        witness.sets.push_back(set);
    }
    std::sort(witness.sets.begin(), witness.sets.end(), precedes);
    witness.vectors = ExactMatrix::from_double(vectors);
    return witness;
}

std::optional<RowCycleWitness> with_vectors(const std::set<SignedRows>& family, const Eigen::MatrixXd& a,
                                            int bits) {
    std::vector<std::pair<SignedRows, Eigen::VectorXd>> sets;
    for (const SignedRows& set : family) {
        const auto k = static_cast<Index>(set.size());
        Eigen::MatrixXd rows(k, a.cols());
        for (Index i = 0; i < k; ++i) {
            const long row = set[static_cast<std::size_t>(i)];
            rows.row(i) = (row < 0 ? -1.0 : 1.0) * a.row(std::abs(row) - 1);
        }
        const Eigen::FullPivLU<Eigen::MatrixXd> gram(rows * rows.transpose());
        if (gram.rank() < k) return std::nullopt;
        Eigen::VectorXd v = rows.transpose() * gram.solve(Eigen::VectorXd::Ones(k));
        v /= v.cwiseAbs().maxCoeff();
        v = v.unaryExpr([bits](double x) { return std::ldexp(std::trunc(std::ldexp(x, bits)), -bits); });
        sets.emplace_back(set, v);
    }
    return assemble(sets.empty() ? 2 : static_cast<Index>(sets.front().first.size()), sets, a.cols());
}

namespace {

SignedRows signed_rows(const SignedRowSet& set) {
    SignedRows rows;
    for (std::size_t j = 0; j < set.rows.size(); ++j) {
        const auto row = static_cast<long>(set.rows[j]) + 1;
        rows.push_back((set.negative >> j & 1) != 0 ? -row : row);
    }
    return rows;
}

}  // namespace

Rational least_product(const RowCycleWitness& w, const Shaped& a) {
    const Shaped v = widen(w.vectors);
    std::optional<Rational> least;
    for (const SignedRowSet& set : w.sets) {
        for (const long row : signed_rows(set)) {
            Rational sum = 0;
            for (std::size_t j = 0; j < a.cols; ++j)
                sum += a.at[static_cast<std::size_t>(std::abs(row) - 1)][j] *
                       v.at[static_cast<std::size_t>(set.vector)][j];
            if (row < 0) sum = -sum;
            if (!least || sum < *least) least = sum;
        }
    }
    return least.value_or(0);
}

Answer oracle(const RowCycleWitness& w, const Shaped& a, const Rational& eps) {
    const Index k = w.rank;
    const Shaped v = widen(w.vectors);
    if (k < 2 || k > 62 || v.cols != a.cols) return {};
    for (const Row& row : v.at)
        for (const Rational& x : row)
            if (x > 1 || x < -1) return {};
    std::set<SignedRows> seen;
    std::set<Index> used;
    std::map<SignedRows, int> faces;
    int alternating = 0;
    SignedRows before;
    for (const SignedRowSet& set : w.sets) {
        const SignedRows rows = signed_rows(set);
        if (static_cast<Index>(rows.size()) != k || set.negative >> static_cast<unsigned>(k) != 0) return {};
        if (set.vector < 0 || set.vector >= static_cast<Index>(v.rows)) return {};
        used.insert(set.vector);
        for (std::size_t j = 0; j < rows.size(); ++j) {
            if (set.rows[j] < 0 || set.rows[j] >= static_cast<Index>(a.rows)) return {};
            if (j > 0 && set.rows[j] <= set.rows[j - 1]) return {};
        }
        if (rows.front() < 0 || !seen.insert(rows).second) return {};
        bool alternates = true;
        for (std::size_t j = 1; j < rows.size(); ++j)
            alternates = alternates && (rows[j] > 0) != (rows[j - 1] > 0);
        if (alternates) ++alternating;
        for (std::size_t j = 0; j < rows.size(); ++j) {
            SignedRows face = rows;
            face.erase(face.begin() + static_cast<std::ptrdiff_t>(j));
            ++faces[canonical(face)];
        }
    }
    // The form asks for more than the theorem: sorted sets, and no idle vectors.
    for (std::size_t i = 1; i < w.sets.size(); ++i) {
        if (w.sets[i - 1].rows > w.sets[i].rows) return {};
        if (w.sets[i - 1].rows < w.sets[i].rows) continue;
        const SignedRows x = signed_rows(w.sets[i - 1]), y = signed_rows(w.sets[i]);
        for (std::size_t j = 0; j < x.size(); ++j) {
            if (x[j] == y[j]) continue;
            if (x[j] < 0) return {};
            break;
        }
    }
    if (used.size() != v.rows) return {};
    for (const auto& [face, times] : faces)
        if (times % 2 != 0) return {};
    if (alternating % 2 == 0) return {};
    return {least_product(w, a) > eps, k};
}

RowCycleWitness mutant(RowCycleWitness w, Index rows, std::mt19937_64& random) {
    if (w.sets.empty()) {
        w.rank += 1;
        return w;
    }
    const std::size_t at = below(w.sets.size(), random);
    SignedRowSet& set = w.sets[at];
    const auto k = static_cast<std::size_t>(w.rank);
    // With this the change of a set is not refused for the order alone.
    const auto sorted = [](RowCycleWitness x) {
        std::sort(x.sets.begin(), x.sets.end(), precedes);
        return x;
    };
    switch (random() % 14) {
        case 0:
            w.sets.erase(w.sets.begin() + static_cast<std::ptrdiff_t>(at));
            return w;
        case 1:
            w.sets.insert(w.sets.begin() + static_cast<std::ptrdiff_t>(at), set);
            return w;
        case 2:
            set.negative ^= std::uint64_t{1} << below(k + 2, random);
            return sorted(w);
        case 3:
            set.negative ^= ((std::uint64_t{1} << k) - 1);
            return sorted(w);
        case 4:
            set.rows[below(set.rows.size(), random)] =
                static_cast<Index>(below(static_cast<std::size_t>(rows) + 2, random)) - 1;
            return sorted(w);
        case 5:
            std::sort(set.rows.begin(), set.rows.end());
            set.rows[below(set.rows.size(), random)] += (random() & 1) != 0 ? 1 : -1;
            return sorted(w);
        case 6:
            set.vector += static_cast<Index>(below(3, random)) - 1;
            return w;
        case 7:
            std::swap(set, w.sets[below(w.sets.size(), random)]);
            return w;
        case 8:
            std::swap(set.vector, w.sets[below(w.sets.size(), random)].vector);
            return w;
        case 9:
            w.rank += (random() & 1) != 0 ? 1 : -1;
            return w;
        case 10:
            if (random() & 1)
                set.rows.pop_back();
            else
                set.rows.push_back(static_cast<Index>(below(static_cast<std::size_t>(rows), random)));
            return w;
        default: {
            // One entry of a vector, by a power of two, by its sign, or to the edge of the cube.
            const ExactMatrix& v = w.vectors;
            std::vector<Integer> values;
            for (Index i = 0; i < v.rows(); ++i)
                for (Index j = 0; j < v.cols(); ++j) values.push_back(v.mantissa(i, j));
            if (values.empty()) return w;
            Integer& value = values[below(values.size(), random)];
            const auto one = static_cast<unsigned>(std::max(0L, -v.exponent()));
            switch (random() % 4) {
                case 0:
                    value = -value;
                    break;
                case 1:
                    value = Integer(1) << one;
                    break;
                case 2:
                    value = (Integer(1) << one) + 1;
                    break;
                default:
                    value += Integer(1) << static_cast<unsigned>(below(one + 1, random));
            }
            w.vectors = ExactMatrix::from_integers(v.rows(), v.cols(), values, v.exponent());
            return w;
        }
    }
}

RowCycleWitness mutant(RowCycleWitness w, std::mt19937_64& random, ChangeMatrix change) {
    if ((random() & 1) == 0) return mutant(std::move(w), 8, random);
    w.vectors = change(w.vectors, random);
    return w;
}

}  // namespace rankcert::test
