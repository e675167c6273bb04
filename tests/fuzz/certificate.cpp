// Any bytes as a certificate: refused in one sentence, or a bundle that is written as exactly these bytes.
// The digest is put right first, so that the fuzzer sees what lies behind it.

#include "certificate/bundle_samples.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = fuzz::bytes(data, size);
    files::Bytes bytes(input.begin(), input.end());
    if (bytes.size() >= 99) bytes = samples::with_digest(std::move(bytes));
    fuzz::accept_or_refuse([&] {
        const rankcert::Bundle bundle = rankcert::parse_bundle(bytes, "input");
        fuzz::require(rankcert::format_bundle(bundle) == bytes || !bundle.information.contains("tool"));
    });
    return 0;
}
