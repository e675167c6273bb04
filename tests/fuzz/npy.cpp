// Any bytes as a .npy file: refused in one sentence, or an array that has the size it says and survives being
// written.

#include "rankcert/io/npy.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::accept_or_refuse([&] {
        const rankcert::Tensor tensor = rankcert::parse_npy(fuzz::bytes(data, size), "input");
        fuzz::require_sound(tensor);
        const rankcert::Tensor again = rankcert::parse_npy(rankcert::format_npy(tensor), "again");
        fuzz::require(again.dtype == tensor.dtype && again.shape == tensor.shape &&
                      again.data == tensor.data);
    });
    return 0;
}
