// Any bytes as a .safetensors file: refused in one sentence, or tensors that have the sizes they say, cover
// no more than the input, and survive being written.

#include "rankcert/io/safetensors.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::accept_or_refuse([&] {
        const rankcert::Safetensors contents = rankcert::parse_safetensors(fuzz::bytes(data, size), "input");
        std::size_t total = 0;
        for (const rankcert::Tensor& tensor : contents.tensors) {
            fuzz::require_sound(tensor);
            total += tensor.data.size();
        }
        fuzz::require(total <= size);
        const rankcert::Safetensors again =
            rankcert::parse_safetensors(rankcert::format_safetensors(contents), "again");
        fuzz::require(again.metadata == contents.metadata && again.tensors.size() == contents.tensors.size());
        for (const rankcert::Tensor& tensor : contents.tensors) {
            const rankcert::Tensor* found = again.find(tensor.name);
            fuzz::require(found != nullptr && found->data == tensor.data && found->shape == tensor.shape);
        }
    });
    return 0;
}
