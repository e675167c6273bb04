#pragma once
// Small files made by hand, well formed and not.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rankcert/rigor/error.hpp"

namespace files {

using Bytes = std::vector<std::byte>;

inline Bytes to_bytes(std::string_view text) {
    const auto span = std::as_bytes(std::span(text.data(), text.size()));
    return {span.begin(), span.end()};
}

inline std::string to_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// `value` in `size` little-endian bytes.
inline std::string little(std::uint64_t value, unsigned size) {
    std::string text;
    for (unsigned k = 0; k < size; ++k) text += static_cast<char>((value >> (8 * k)) & 0xff);
    return text;
}

/// The bytes of the given numbers as this machine holds them (little-endian: the project's tests run nowhere
/// else).
template <class T>
std::string raw(const std::vector<T>& values) {
    std::string text(values.size() * sizeof(T), '\0');
    if (!values.empty()) std::memcpy(text.data(), values.data(), text.size());
    return text;
}

/// 0, 1, 2, 3, 4, 5 as float32.
inline std::string six_floats() { return raw(std::vector<float>{0, 1, 2, 3, 4, 5}); }

inline Bytes npy_raw(int major, int minor, std::string_view header, std::string_view data) {
    std::string text("\x93NUMPY");
    text += static_cast<char>(major);
    text += static_cast<char>(minor);
    text += little(header.size(), major == 1 ? 2 : 4);
    return to_bytes(text + std::string(header) + std::string(data));
}

inline std::string npy_header(std::string_view descr, std::string_view shape, bool fortran = false) {
    return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + (fortran ? "True" : "False") +
           ", 'shape': " + std::string(shape) + ", }\n";
}

inline Bytes npy(std::string_view descr, std::string_view shape, std::string_view data,
                 bool fortran = false) {
    return npy_raw(1, 0, npy_header(descr, shape, fortran), data);
}

inline Bytes safetensors(std::string_view header, std::string_view data) {
    return to_bytes(little(header.size(), 8) + std::string(header) + std::string(data));
}

inline std::uint32_t crc32(std::string_view data) {
    std::uint32_t crc = 0xffffffffU;
    for (const char c : data) {
        crc ^= static_cast<unsigned char>(c);
        for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ (0xedb88320U & (0U - (crc & 1U)));
    }
    return ~crc;
}

/// One member of an archive; the fields that default to what is true can be made to lie.
struct Member {
    std::string name;
    std::string packed;  ///< as it stands in the archive
    std::uint32_t size = 0;
    std::uint32_t crc = 0;
    int method = 0;  ///< 0 stored, 8 deflated
    std::uint32_t flags = 0;
};

inline Member stored(std::string name, std::string content) {
    Member member;
    member.name = std::move(name);
    member.size = static_cast<std::uint32_t>(content.size());
    member.crc = crc32(content);
    member.packed = std::move(content);
    return member;
}

inline Bytes zip(const std::vector<Member>& members) {
    std::string text;
    std::string directory;
    for (const Member& m : members) {
        const std::string common = little(20, 2) + little(m.flags, 2) +
                                   little(static_cast<std::uint64_t>(m.method), 2) + little(0, 2) +
                                   little(0x21, 2) + little(m.crc, 4) + little(m.packed.size(), 4) +
                                   little(m.size, 4) + little(m.name.size(), 2) + little(0, 2);
        directory += little(0x02014b50, 4) + little(20, 2) + common + little(0, 2) + little(0, 2) +
                     little(0, 2) + little(0, 4) + little(text.size(), 4) + m.name;
        text += little(0x04034b50, 4) + common + m.name + m.packed;
    }
    const std::uint64_t start = text.size();
    text += directory + little(0x06054b50, 4) + little(0, 4) + little(members.size(), 2) +
            little(members.size(), 2) + little(directory.size(), 4) + little(start, 4) + little(0, 2);
    return to_bytes(text);
}

inline Bytes from_hex(std::string_view hex) {
    const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
    Bytes bytes;
    for (std::size_t k = 0; k + 1 < hex.size(); k += 2) {
        bytes.push_back(static_cast<std::byte>(digit(hex[k]) * 16 + digit(hex[k + 1])));
    }
    return bytes;
}

/// The sentence with which an action is refused; "(accepted)" where it is not.
template <class Action>
std::string refusal(Action&& action) {
    try {
        static_cast<void>(action());
    } catch (const rankcert::Error& error) {
        return error.what();
    }
    return "(accepted)";
}

inline bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// A whole sentence for a person: names the file, one line, printable, not flooded by the input.
inline bool is_clear(const std::string& sentence, std::string_view file) {
    if (!contains(sentence, file) || sentence.size() > 600) return false;
    for (const char c : sentence) {
        if (c >= 0 && c < 0x20) return false;
    }
    return true;
}

/// SplitMix64: a fixed sequence on every machine.
class Sequence {
  public:
    explicit Sequence(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }

  private:
    std::uint64_t state_;
};

}  // namespace files
