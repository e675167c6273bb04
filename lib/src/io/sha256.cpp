#include "rankcert/io/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "rankcert/io/file.hpp"
#include "rankcert/io/tensor.hpp"

namespace rankcert {

struct Sha256::Context {
    EVP_MD_CTX* handle = EVP_MD_CTX_new();
    Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { EVP_MD_CTX_free(handle); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
    if (context_->handle == nullptr || EVP_DigestInit_ex(context_->handle, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("SHA-256 is not available in this build of OpenSSL");
    }
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
    if (EVP_DigestUpdate(context_->handle, bytes.data(), bytes.size()) != 1) {
        throw std::runtime_error("SHA-256 failed inside OpenSSL");
    }
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text.data(), text.size()))); }

std::string Sha256::finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    if (EVP_DigestFinal_ex(context_->handle, digest.data(), &length) != 1 || length != 32) {
        throw std::runtime_error("SHA-256 failed inside OpenSSL");
    }
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string text;
    text.reserve(64);
    for (unsigned i = 0; i < length; ++i) {
        text += kHex[digest[i] >> 4];
        text += kHex[digest[i] & 15];
    }
    return text;
}

std::string sha256(std::span<const std::byte> bytes) {
    Sha256 hash;
    hash.update(bytes);
    return hash.finish();
}

std::string sha256(const Tensor& tensor) {
    Sha256 hash;
    hash.update("rankcert-tensor-1\n");
    hash.update(to_string(tensor.dtype));
    hash.update("\n");
    hash.update(to_string(tensor.shape));
    hash.update("\n");
    hash.update(tensor.data);
    return hash.finish();
}

}  // namespace rankcert
