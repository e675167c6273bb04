#pragma once
// The sets of a row cycle in the statement. Format: lib/docs/certificate-format.md, section 3.

#include "bundle_fields.hpp"

namespace rankcert::detail {

/// Adds `rank`, `rows`, `signs` and `vector`.
void add_row_cycle(const RowCycleWitness& witness, Json& json);

/// All of the witness but its vectors; throws Error where a key is missing, a list is longer or shorter than
/// another, or beyond the limits.
[[nodiscard]] RowCycleWitness parse_row_cycle(Fields& fields);

}  // namespace rankcert::detail
