#pragma once
/// \file inputs.hpp  Small inputs for the program, made afresh in a folder of each test's own.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rankcert/io/safetensors.hpp"
#include "support/folder.hpp"

namespace inputs {

/// A fresh folder that goes away with its owner.
class Folder : public support::Folder {
  public:
    /// The full name of a file in it.
    [[nodiscard]] std::string operator/(const std::string& name) const { return (path() / name).string(); }
};

/// A rows×cols float32 tensor of numbers that look random, the same in every run.
[[nodiscard]] rankcert::Tensor random_tensor(const std::string& name, std::uint64_t rows, std::uint64_t cols,
                                             std::uint32_t seed, float size = 1);
[[nodiscard]] rankcert::Tensor float32_tensor(const std::string& name, std::uint64_t rows, std::uint64_t cols,
                                              const std::vector<float>& values);

/// Writes layer0.head0 … layer0.head(heads−1), n×d each.
void write_heads(const std::string& path, std::uint64_t heads, std::uint64_t n, std::uint64_t d,
                 const std::map<std::string, std::string>& metadata = {{"beta", "0.5"}, {"mask", "none"}});

void write_safetensors(const std::string& path, const rankcert::Safetensors& contents);
void write_npy(const std::string& path, const rankcert::Tensor& tensor);
void write_text(const std::string& path, const std::string& text);
[[nodiscard]] std::string read_text(const std::string& path);

/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string> lines(const std::string& text);

/// Whether it is one line that says something: what every error must be.
[[nodiscard]] bool is_one_sentence(const std::string& text);

}  // namespace inputs
