#include "rankcert/certificate/witness.hpp"

namespace rankcert {

const char* method_name(const LowerWitness& witness) {
    if (std::holds_alternative<FixedSpaceWitness>(witness)) return "fixed_space";
    if (std::holds_alternative<NeumannWitness>(witness)) return "neumann";
    if (std::holds_alternative<EckartYoungWitness>(witness)) return "eckart_young";
    if (std::holds_alternative<RowCycleWitness>(witness)) return "row_cycle";
    switch (std::get<LowerRule>(witness)) {
        case LowerRule::nonzero:
            return "rule:nonzero";
        case LowerRule::support:
            return "rule:support";
        case LowerRule::exact_rank:
            break;
    }
    return "rule:exact_rank";
}

const char* method_name(const UpperWitness& witness) {
    if (std::holds_alternative<FactorWitness>(witness)) return "factors";
    if (std::holds_alternative<RepresentativeRowsWitness>(witness)) return "representative_rows";
    switch (std::get<UpperRule>(witness)) {
        case UpperRule::zero:
            return "rule:zero";
        case UpperRule::shape:
            return "rule:shape";
        case UpperRule::distinct_rows:
            return "rule:distinct_rows";
        case UpperRule::exact_rank:
            break;
    }
    return "rule:exact_rank";
}

}  // namespace rankcert
