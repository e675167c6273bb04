#include "inputs.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "rankcert/io/npy.hpp"

namespace inputs {

rankcert::Tensor float32_tensor(const std::string& name, std::uint64_t rows, std::uint64_t cols,
                                const std::vector<float>& values) {
    rankcert::Tensor tensor{name, rankcert::DType::f32, {rows, cols}, {}};
    tensor.data.resize(values.size() * sizeof(float));
    std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
    return tensor;
}

rankcert::Tensor random_tensor(const std::string& name, std::uint64_t rows, std::uint64_t cols,
                               std::uint32_t seed, float size) {
    std::vector<float> values(rows * cols);
    std::uint32_t state = seed * 2654435761U + 12345U;
    for (float& value : values) {
        state = state * 1664525U + 1013904223U;
        value = size * (static_cast<float>(state >> 16) / 32768.0F - 1.0F);
    }
    return float32_tensor(name, rows, cols, values);
}

void write_heads(const std::string& path, std::uint64_t heads, std::uint64_t n, std::uint64_t d,
                 const std::map<std::string, std::string>& metadata) {
    rankcert::Safetensors contents;
    contents.metadata = metadata;
    for (std::uint64_t h = 0; h < heads; ++h) {
        const std::string name = "layer0.head" + std::to_string(h);
        const auto seed = static_cast<std::uint32_t>(2 * h);
        contents.tensors.push_back(random_tensor(name + ".q", n, d, seed + 1, 2));
        contents.tensors.push_back(random_tensor(name + ".k", n, d, seed + 2, 2));
    }
    write_safetensors(path, contents);
}

void write_safetensors(const std::string& path, const rankcert::Safetensors& contents) {
    rankcert::write_file_atomically(path, rankcert::format_safetensors(contents));
}

void write_npy(const std::string& path, const rankcert::Tensor& tensor) {
    rankcert::write_file_atomically(path, rankcert::format_npy(tensor));
}

void write_text(const std::string& path, const std::string& text) {
    rankcert::write_file_atomically(path, text);
}

std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) out.push_back(line);
    return out;
}

bool is_one_sentence(const std::string& text) {
    return text.starts_with("rankcert: ") && text.size() > 20 && text.ends_with("\n") &&
           std::count(text.begin(), text.end(), '\n') == 1;
}

}  // namespace inputs
