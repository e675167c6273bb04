#pragma once
/// \file sha256.hpp  SHA-256 of a byte string that is given in pieces.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rankcert {

/// The running hash. (OpenSSL's EVP digest; a failure inside the library is a std::runtime_error, a fault of
/// ours.)
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void update(std::span<const std::byte> bytes);
    void update(std::string_view text);
    /// The hash of all that was given, in lower-case hexadecimal. Ends the object's use.
    [[nodiscard]] std::string finish();

  private:
    struct Context;
    std::unique_ptr<Context> context_;
};

}  // namespace rankcert
