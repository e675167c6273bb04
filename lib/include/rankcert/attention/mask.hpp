#pragma once
/// \file mask.hpp  Masks as models store them.

#include "rankcert/attention/head.hpp"
#include "rankcert/io/tensor.hpp"

namespace rankcert {

/// How the numbers of a stored mask are meant: boolean says 1 keeps a key and 0 hides it; additive that they are
/// added to the logits, and −infinity hides the key.
enum class MaskReading { boolean, additive };

/// The mask that a tensor [queries, keys] holds, exactly.
///
/// Boolean: bool, or any integer or floating tensor of zeros and ones. Additive: any integer or floating tensor.
/// An additive mask whose entries are all 0 or −infinity is the boolean mask with the same meaning; one that has
/// finite biases as well keeps both, exactly. Throws Error that names the tensor, and the index of an entry that
/// is no number, is +infinity, or is neither 0 nor 1 where that is asked for; also for a bool tensor read as
/// additive. Rows that hide every key are validate's to refuse.
[[nodiscard]] Mask to_mask(const Tensor& tensor, MaskReading reading);

/// Whether two masks say the same of a head with as many queries as keys (`square`) or not: kind, alignment where
/// it matters, visible keys and biases.
[[nodiscard]] bool is_same_mask(const Mask& a, const Mask& b, bool square);

/// Whether the tensor holds this boolean or additive mask, by one of the two readings.
[[nodiscard]] bool holds_mask(const Tensor& tensor, const Mask& mask);

}  // namespace rankcert
