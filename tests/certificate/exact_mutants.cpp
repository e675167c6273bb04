#include "certificate/exact_mutants.hpp"

#include "certificate/exact_witnesses.hpp"

namespace rankcert::test {

ExactMatrix mutant(const ExactMatrix& a, std::mt19937_64& random) {
    std::vector<Integer> values;
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < a.cols(); ++j) values.push_back(a.mantissa(i, j));
    switch (random() % 12) {
        case 0:
            return a.scale(2);
        case 1:
            return a.scale(-1);
        case 2:
            return a.transpose();
        case 3:
            return ExactMatrix(a.rows(), a.cols());
        case 4: {
            if (a.rows() == 0) return a;
            std::vector<Index> rows =
                some_indices(static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.rows()), random);
            if ((random() & 1) != 0) rows.pop_back();
            return a.select_rows(rows);
        }
        case 5: {
            if (a.cols() == 0) return a;
            std::vector<Index> cols =
                some_indices(static_cast<std::size_t>(a.cols()), static_cast<std::size_t>(a.cols()), random);
            if ((random() & 1) != 0) cols.push_back(0);
            return a.select_cols(cols);
        }
        default:
            break;
    }
    if (values.empty()) return a;
    Integer& entry = values[below(values.size(), random)];
    const auto bit = static_cast<unsigned>(below(a.bits() + 2, random));
    if ((random() & 7) == 0)
        entry = -entry;
    else
        entry += (random() & 1) != 0 ? Integer(1) << bit : Integer(-(Integer(1) << bit));
    return ExactMatrix::from_integers(a.rows(), a.cols(), values, a.exponent());
}

std::vector<Index> mutant(std::vector<Index> indices, std::mt19937_64& random) {
    switch (random() % 4) {
        case 0:
            indices.push_back(static_cast<Index>(random() % 5));
            break;
        case 1:
            if (!indices.empty()) indices.pop_back();
            break;
        default:
            if (!indices.empty())
                indices[below(indices.size(), random)] =
                    (random() & 7) == 0 ? static_cast<Index>(random()) : static_cast<Index>(random() % 8) - 1;
    }
    return indices;
}

FixedSpaceWitness mutant(FixedSpaceWitness w, std::mt19937_64& random, ChangeMatrix change) {
    switch (random() % 3) {
        case 0:
            w.basis = change(w.basis, random);
            break;
        case 1:
            w.inverse = change(w.inverse, random);
            break;
        default:
            w.pivots = mutant(w.pivots, random);
    }
    return w;
}

NeumannWitness mutant(NeumannWitness w, std::mt19937_64& random, ChangeMatrix change) {
    switch (random() % 4) {
        case 0:
            w.selection = change(w.selection, random);
            break;
        case 1:
            w.decoder = change(w.decoder, random);
            break;
        case 2:
            w.inverse = change(w.inverse, random);
            break;
        default:
            std::swap(w.selection, w.inverse);
    }
    return w;
}

EckartYoungWitness mutant(EckartYoungWitness w, std::mt19937_64& random, ChangeMatrix change) {
    switch (random() % 8) {
        case 0:
            w.rank += static_cast<Index>(random() % 5) - 2;
            break;
        case 1:
            w.row_weights = change(w.row_weights, random);
            break;
        case 2:
            w.grouping = change(w.grouping, random);
            break;
        case 3:
            w.side = w.side == GramSide::rows ? GramSide::columns : GramSide::rows;
            break;
        case 4:
            w.threshold = change(w.threshold, random);
            break;
        case 5:
            w.large_factor = change(w.large_factor, random);
            break;
        case 6:
            w.small_factor = change(w.small_factor, random);
            break;
        default:
            std::swap(w.large_factor, w.small_factor);
    }
    return w;
}

FactorWitness mutant(FactorWitness w, std::mt19937_64& random, ChangeMatrix change) {
    switch (random() % 4) {
        case 0:
            w.left = change(w.left, random);
            break;
        case 1:
            w.right = change(w.right, random);
            break;
        case 2:
            w.denominator += static_cast<long>(random() % 7) - 3;
            break;
        default:
            std::swap(w.left, w.right);
    }
    return w;
}

RepresentativeRowsWitness mutant(const RepresentativeRowsWitness& w, std::mt19937_64& random, ChangeMatrix) {
    return {mutant(w.representative, random)};
}

}  // namespace rankcert::test
