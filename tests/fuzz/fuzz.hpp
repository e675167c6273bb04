#pragma once
// What the fuzz targets share. A broken promise ends the process, which the fuzzer reports with the input.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "rankcert/io/tensor.hpp"
#include "rankcert/rigor/error.hpp"

namespace fuzz {

inline void require(bool promise) {
    if (!promise) std::abort();
}

inline std::span<const std::byte> bytes(const std::uint8_t* data, std::size_t size) {
    return std::as_bytes(std::span(data, size));
}

/// Error is the one way to refuse; any other exception escapes and is a finding.
template <class Action>
void accept_or_refuse(Action&& action) {
    try {
        action();
    } catch (const rankcert::Error& error) {
        require(std::string_view(error.what()).size() < 1000);
    }
}

inline void require_sound(const rankcert::Tensor& tensor) {
    const auto bits = static_cast<unsigned>(8 * rankcert::size_of(tensor.dtype));
    require(rankcert::byte_size(tensor.shape, bits) == tensor.data.size());
    accept_or_refuse([&] { static_cast<void>(rankcert::to_matrix(tensor)); });
    accept_or_refuse([&] { static_cast<void>(rankcert::to_bool_matrix(tensor)); });
}

}  // namespace fuzz
