#pragma once
/// \file diagnosis.hpp  Why a refuted result may be wrong: which other operator or arithmetic gives it.
/// Estimates only.
///
/// Nothing here is proved or trusted: variants of the declared operator are computed in plain float64 (or
/// with some steps rounded to the claim's format) and compared with the claim.

#include <string>
#include <vector>

#include "rankcert/audit/declaration.hpp"

namespace rankcert::diagnosis {

/// A variant and how near it comes.
struct Finding {
    std::string variant;  ///< "causal mask aligned top-left", "softcap missing", …
    double estimate_distance =
        0;  ///< largest |claim − variant|; infinite where NaN or infinities do not match
};

/// The variants that reproduce the claim of one head: to a few units of the last place of its format
/// (relative to the largest entry), where the declared operator does not; nearest first. Tried: the other
/// causal alignment, a causal mask dropped or added, tiled key heads, the scale missing or off by √d or d,
/// softcap missing or applied after the mask, boolean read as additive mask and the reverse, mask or bias
/// dropped, ALiBi's sign, sinks dropped and "softmax plus one", K transposed; and in the claim's format: no
/// maximum subtracted, sums kept in the format, un-normalised outputs kept in it. Throws Error where
/// run_audit does. Cost: some fifteen float64 computations of the head.
[[nodiscard]] std::vector<Finding> diagnose(const audit::Declaration& declaration,
                                            const audit::Tensors& tensors, audit::Index batch,
                                            audit::Index head);

}  // namespace rankcert::diagnosis
