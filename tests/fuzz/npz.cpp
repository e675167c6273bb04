// Any bytes as an .npz archive: refused in one sentence, or arrays that have the sizes they say, together
// within the limit.

#include "fuzz/fuzz.hpp"
#include "rankcert/io/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 22;
    fuzz::accept_or_refuse([&] {
        std::uint64_t total = 0;
        for (const rankcert::Tensor& tensor : rankcert::parse_npz(fuzz::bytes(data, size), "input", kLimit)) {
            fuzz::require_sound(tensor);
            total += tensor.data.size();
        }
        fuzz::require(total <= kLimit);
    });
    return 0;
}
