#pragma once
/// \file load_mask.hpp  Masks out of .npy files.

#include <string>

#include "rankcert/attention/head.hpp"

namespace rankcert::cli {

/// The m×N mask in an .npy file. Booleans say which keys are kept. For any other type `kind` must say
/// "boolean" (every entry 0 or 1) or "additive" (a bias on the scaled logit; −infinity hides a key, and a
/// mask that hides keys may have no other entry but 0). Throws Error otherwise: the kind is never guessed
/// from the values.
[[nodiscard]] Mask read_mask(const std::string& path, const std::string& kind, Eigen::Index queries,
                             Eigen::Index keys);

}  // namespace rankcert::cli
