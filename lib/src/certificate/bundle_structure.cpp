// Whether the parts of a bundle fit together.

#include <set>

#include "bundle_format.hpp"
#include "rankcert/rigor/error.hpp"
#include "row_cycle.hpp"

namespace rankcert::detail {
namespace {

std::string shape(const ExactMatrix& a) { return std::to_string(a.rows()) + "×" + std::to_string(a.cols()); }

/// The witness that is being looked at: its name, and the size of the subject.
struct Place {
    std::string name;
    Index rows;
    Index cols;

    [[noreturn]] void fail(const std::string& what) const { throw Error(name + " " + what); }
    void require(const char* matrix, const ExactMatrix& a, Index want_rows, Index want_cols) const {
        if (a.rows() == want_rows && a.cols() == want_cols) return;
        fail("has the matrix '" + std::string(matrix) + "' of size " + shape(a) + " where " +
             std::to_string(want_rows) + "×" + std::to_string(want_cols) + " is needed");
    }
    void require_rows(const char* matrix, const ExactMatrix& a, Index want_rows) const {
        if (a.rows() != want_rows) {
            fail("has the matrix '" + std::string(matrix) + "' of size " + shape(a) + " where " +
                 std::to_string(want_rows) + " rows are needed");
        }
    }
    void require_index(Index index, Index end) const {
        if (index < 0 || index >= end) {
            fail("has the index " + std::to_string(index) + ", which is not in 0 … " +
                 std::to_string(end - 1));
        }
    }
};

void require_fit(const FixedSpaceWitness& w, const Place& at) {
    at.require("basis", w.basis, at.cols, w.basis.cols());
    at.require("inverse", w.inverse, at.cols, at.rows);
    if (static_cast<Index>(w.pivots.size()) != w.basis.cols()) {
        at.fail("has " + std::to_string(w.pivots.size()) + " pivots for " + std::to_string(w.basis.cols()) +
                " columns");
    }
    std::set<Index> seen;
    for (const Index pivot : w.pivots) {
        at.require_index(pivot, at.cols);
        if (!seen.insert(pivot).second) at.fail("names the pivot " + std::to_string(pivot) + " twice");
    }
}

void require_fit(const NeumannWitness& w, const Place& at) {
    const Index size = w.selection.rows();
    at.require("selection", w.selection, size, at.rows);
    at.require("decoder", w.decoder, at.cols, size);
    at.require("inverse", w.inverse, size, size);
}

void require_fit(const EckartYoungWitness& w, const Place& at) {
    at.require("row_weights", w.row_weights, at.rows, 1);
    at.require_rows("grouping", w.grouping, at.cols);
    at.require("threshold", w.threshold, 1, 1);
    const Index order = w.side == GramSide::rows ? at.rows : w.grouping.cols();
    at.require_rows("large_factor", w.large_factor, order);
    at.require_rows("small_factor", w.small_factor, order);
    if (w.rank < 0 || w.rank > kMaxRank) at.fail("has a rank out of range");
}

void require_fit(const RowCycleWitness& w, const Place& at) {
    if (const std::string fault = fault_of_form(w, at.rows, at.cols); !fault.empty()) at.fail(fault);
}

void require_fit(const FactorWitness& w, const Place& at) {
    at.require_rows("left", w.left, at.rows);
    at.require("right", w.right, w.left.cols(), at.cols);
    if (w.denominator <= 0) at.fail("has a denominator that is not positive");
}

void require_fit(const RepresentativeRowsWitness& w, const Place& at) {
    if (static_cast<Index>(w.representative.size()) != at.rows) {
        at.fail("names " + std::to_string(w.representative.size()) + " rows for " + std::to_string(at.rows));
    }
    for (const Index index : w.representative) at.require_index(index, at.rows);
}

void require_fit(LowerRule, const Place&) {}
void require_fit(UpperRule, const Place&) {}

template <class Witnesses>
void require_list(const Witnesses& witnesses, const std::string& side, const Subject& subject) {
    for (std::size_t i = 0; i < witnesses.size(); ++i) {
        const Place at{"the " + side + " witness number " + std::to_string(i), subject.rows(),
                       subject.cols()};
        std::visit([&at](const auto& witness) { require_fit(witness, at); }, witnesses[i]);
    }
}

void require_side(const std::string& where, const char* side, Index rank, int witness, std::size_t count) {
    if (witness < -1 || (witness >= 0 && static_cast<std::size_t>(witness) >= count)) {
        throw Error(where + " names the " + side + " witness " + std::to_string(witness) +
                    ", but there are " + std::to_string(count));
    }
    if (rank < 0 || rank > kMaxRank || (witness == -1 && rank != 0)) {
        throw Error(where + " has the " + side + " rank " + std::to_string(rank) +
                    (witness == -1 ? ", but no witness for it" : ", which is out of range"));
    }
}

void require_claims(const Bundle& bundle) {
    if (bundle.claims.empty()) throw Error("the certificate claims nothing");
    std::set<Rational> seen;
    for (std::size_t i = 0; i < bundle.claims.size(); ++i) {
        const Claim& claim = bundle.claims[i];
        const std::string where = "claim number " + std::to_string(i);
        if (claim.epsilon < 0) throw Error(where + " has a negative ε");
        if (!seen.insert(claim.epsilon).second) throw Error(where + " repeats the ε of an earlier claim");
        require_side(where, "lower", claim.lower, claim.lower_witness, bundle.lower_witnesses.size());
        require_side(where, "upper", claim.upper, claim.upper_witness, bundle.upper_witnesses.size());
        if (claim.top_k) {
            const TopKBudget& k = *claim.top_k;
            if (k.lower < 0 || k.lower > k.upper || k.upper > bundle.subject.cols() ||
                k.epsilon != claim.epsilon) {
                throw Error(where + " has a top-k budget that is out of range or speaks of another ε");
            }
        } else if (claim.lower_witness == -1 && claim.upper_witness == -1) {
            throw Error(where + " claims nothing");
        }
    }
}

}  // namespace

void require_well_formed(const Bundle& bundle) {
    const Subject& subject = bundle.subject;
    if (subject.rows() < 1 || subject.cols() < 1)
        throw Error("the matrix that the certificate speaks of is empty");
    if (subject.head) {
        const Head& head = *subject.head;
        validate(head);
        if (subject.rows() != head.queries() || subject.cols() != head.keys()) {
            throw Error("the centre is " + shape(subject.centre) + " where the head is " +
                        std::to_string(head.queries()) + "×" + std::to_string(head.keys()));
        }
    }
    require_list(bundle.lower_witnesses, "lower", subject);
    require_list(bundle.upper_witnesses, "upper", subject);
    require_claims(bundle);
    for (const auto& [role, name] : bundle.input.tensors) {
        const bool known =
            subject.head ? role == "query" || role == "key" || role == "mask" : role == "matrix";
        if (!known) throw Error("the input has a tensor of the unknown role '" + role + "'");
    }
}

}  // namespace rankcert::detail
