#pragma once
/// \file load_mask.hpp  Masks out of .npy files.

#include <string>

#include "rankcert/attention/mask.hpp"

namespace rankcert::cli {

/// A mask file as read.
struct MaskFile {
    Mask mask;
    std::string tensor_sha256;
    std::string file_sha256;
};

/// The m×N mask in an .npy file. Booleans say which keys are kept. For any other type `kind` must say whether its
/// numbers are "boolean" or "additive": the kind is never guessed from the values. Throws Error otherwise.
[[nodiscard]] MaskFile read_mask(const std::string& path, const std::string& kind, Eigen::Index queries,
                                 Eigen::Index keys);

}  // namespace rankcert::cli
