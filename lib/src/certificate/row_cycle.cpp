#include "row_cycle.hpp"

#include <algorithm>

namespace rankcert::detail {

namespace {

/// The lowest k bits; 0 ≤ k ≤ 62.
std::uint64_t low_bits(Index k) { return (std::uint64_t{1} << static_cast<unsigned>(k)) - 1; }

/// Signs 0 and 1 in turn: bit j is j mod 2.
constexpr std::uint64_t kAlternating = 0xAAAAAAAAAAAAAAAA;

/// The signed set that is left of a set without the row at `position`: its signs with the first made +.
struct Face {
    std::uint32_t set = 0;
    std::uint32_t position = 0;
    std::uint64_t negative = 0;
};

Face face(const RowCycleWitness& witness, std::size_t set, Index position) {
    const std::uint64_t signs = witness.sets[set].negative;
    const auto p = static_cast<unsigned>(position);
    std::uint64_t rest = (signs & low_bits(position)) | ((signs >> (p + 1)) << p);
    if ((rest & 1) != 0) rest ^= low_bits(witness.rank - 1);
    return {static_cast<std::uint32_t>(set), static_cast<std::uint32_t>(position), rest};
}

/// Less, equal or greater as rows, then as signs: −1, 0, 1.
int compare(const RowCycleWitness& witness, const Face& a, const Face& b) {
    const std::vector<Index>& x = witness.sets[a.set].rows;
    const std::vector<Index>& y = witness.sets[b.set].rows;
    for (std::size_t j = 0; j + 1 < x.size(); ++j) {
        const Index left = x[j + (j >= a.position ? 1 : 0)];
        const Index right = y[j + (j >= b.position ? 1 : 0)];
        if (left != right) return left < right ? -1 : 1;
    }
    if (a.negative != b.negative) return a.negative < b.negative ? -1 : 1;
    return 0;
}

}  // namespace

std::string fault_of_form(const RowCycleWitness& witness, Index rows, Index cols) {
    const Index k = witness.rank;
    if (k < 2 || k > kMaxRowCycleRank) {
        return "has the rank " + std::to_string(k) + ", which is not in 2 … " +
               std::to_string(kMaxRowCycleRank);
    }
    const std::size_t count = witness.sets.size();
    if (count > static_cast<std::size_t>(kMaxRowCycleEntries / k)) {
        return "has " + std::to_string(count) + " sets of " + std::to_string(k) + " rows, more than " +
               std::to_string(kMaxRowCycleEntries) + " rows in all";
    }
    const ExactMatrix& vectors = witness.vectors;
    if (vectors.cols() != cols) {
        return "has vectors of length " + std::to_string(vectors.cols()) + " where the matrix has " +
               std::to_string(cols) + " columns";
    }
    if (vectors.rows() > static_cast<Index>(count)) return "has more vectors than sets";
    std::vector<bool> used(static_cast<std::size_t>(vectors.rows()));
    for (std::size_t i = 0; i < count; ++i) {
        const SignedRowSet& set = witness.sets[i];
        const std::string name = "has in set number " + std::to_string(i) + " ";
        if (set.rows.size() != static_cast<std::size_t>(k)) {
            return name + std::to_string(set.rows.size()) + " rows where " + std::to_string(k) +
                   " are needed";
        }
        Index before = -1;
        for (const Index row : set.rows) {
            if (row < 0 || row >= rows) {
                return name + "the row " + std::to_string(row) + ", which is not in 0 … " +
                       std::to_string(rows - 1);
            }
            if (row <= before) return name + "rows that are not strictly increasing";
            before = row;
        }
        if ((set.negative & 1) != 0) return name + "a first sign that is not +";
        if ((set.negative & ~low_bits(k)) != 0) return name + "more signs than rows";
        if (set.vector < 0 || set.vector >= vectors.rows()) {
            return name + "the vector " + std::to_string(set.vector) + ", but there are " +
                   std::to_string(vectors.rows());
        }
        used[static_cast<std::size_t>(set.vector)] = true;
        if (i > 0 && !precedes(witness.sets[i - 1], set)) {
            return "has the sets number " + std::to_string(i - 1) + " and " + std::to_string(i) +
                   " out of order, or twice the same one";
        }
    }
    if (std::find(used.begin(), used.end(), false) != used.end())
        return "has a vector that belongs to no set";
    return {};
}

std::string fault_of_cycle(const RowCycleWitness& witness) {
    const Index k = witness.rank;
    bool odd = false;
    for (const SignedRowSet& set : witness.sets) {
        if (set.negative == (kAlternating & low_bits(k))) odd = !odd;
    }
    if (!odd) return "an even number of the signed row sets alternate, not an odd one";

    std::vector<Face> faces;
    faces.reserve(witness.sets.size() * static_cast<std::size_t>(k));
    for (std::size_t set = 0; set < witness.sets.size(); ++set) {
        for (Index position = 0; position < k; ++position) faces.push_back(face(witness, set, position));
    }
    std::sort(faces.begin(), faces.end(),
              [&](const Face& a, const Face& b) { return compare(witness, a, b) < 0; });
    for (std::size_t from = 0; from < faces.size();) {
        std::size_t to = from + 1;
        while (to < faces.size() && compare(witness, faces[from], faces[to]) == 0) ++to;
        if ((to - from) % 2 != 0) {
            const Face& first = faces[from];
            return "set number " + std::to_string(first.set) + " without its row " +
                   std::to_string(witness.sets[first.set].rows[first.position]) +
                   " is a face of an odd number of the signed row sets";
        }
        from = to;
    }
    return {};
}

std::vector<std::vector<Index>> rows_of_vectors(const RowCycleWitness& witness) {
    std::vector<std::vector<Index>> rows(static_cast<std::size_t>(witness.vectors.rows()));
    for (const SignedRowSet& set : witness.sets) {
        std::vector<Index>& list = rows[static_cast<std::size_t>(set.vector)];
        list.insert(list.end(), set.rows.begin(), set.rows.end());
    }
    for (std::vector<Index>& list : rows) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return rows;
}

}  // namespace rankcert::detail
