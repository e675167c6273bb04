#include "certificate/bundle_samples.hpp"

#include <algorithm>

#include "rankcert/io/file.hpp"

namespace samples {

files::Bytes with_digest(files::Bytes bytes) {
    // Bytes 35 to 98 of the file are the SHA-256 of the file with these bytes set to '0'.
    const auto from = bytes.begin() + 35;
    std::fill(from, from + 64, static_cast<std::byte>('0'));
    const std::string digest = sha256(bytes);
    std::transform(digest.begin(), digest.end(), from, [](char c) { return static_cast<std::byte>(c); });
    return bytes;
}

}  // namespace samples
