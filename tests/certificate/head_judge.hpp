#pragma once
/// \file head_judge.hpp  Whether what the checkers say of a certificate file is so.

#include <optional>
#include <string>

#include "certificate/bundle_samples.hpp"
#include "certificate/head_oracle.hpp"

namespace rankcert::test {

struct HeadCount {
    int refused = 0;     ///< files that are not well formed
    int parsed = 0;      ///< files that are
    int proved = 0;      ///< claims, by either level
    int not_proved = 0;  ///< claims, by either level
    int unsure = 0;      ///< proved, where the oracle's bounds do not decide
    int geometric = 0;   ///< parts of proved claims for which elementary geometry was asked
    int missed = 0;      ///< claims of single heads that the exact level does not prove and the oracle does
    int wrong = 0;
    std::string first_wrong, first_missed;
};

/// Counts what both levels say of a file about a head. `known` is the oracle of `original`, so that it need
/// not be made again where a mutation leaves the head alone.
void judge_head(const files::Bytes& bytes, const Head& original, HeadOracle& known, HeadCount& count);

}  // namespace rankcert::test
