#include "rankcert/io/safetensors.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "io/safetensors_header.hpp"
#include "io/text.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace {

using io::HeaderEntry;
using io::in_quotes;

/// Bits of an element of a dtype that the format knows and we do not read; 0 for a name that it does not
/// know.
unsigned bits_of_unread(std::string_view dtype) {
    static constexpr struct {
        std::string_view name;
        unsigned bits;
    } kUnread[] = {{"F4", 4},          {"F6_E2M3", 6},     {"F6_E3M2", 6}, {"F8_E8M0", 8},
                   {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"C64", 64},    {"C128", 128}};
    for (const auto& entry : kUnread) {
        if (dtype == entry.name) return entry.bits;
    }
    return 0;
}

/// Throws where two entries have one name.
void require_distinct_names(const std::vector<HeaderEntry>& entries, const std::string& what) {
    std::vector<const std::string*> names;
    names.reserve(entries.size());
    for (const HeaderEntry& entry : entries) names.push_back(&entry.name);
    std::sort(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a < *b; });
    const auto twice =
        std::adjacent_find(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a == *b; });
    if (twice != names.end()) throw Error(what + "duplicate key " + in_quotes(**twice));
}

/// Throws where an entry's size is not what dtype and shape say.
void require_size(const HeaderEntry& entry, std::uint64_t available, const std::string& what) {
    const std::string tensor = what + "tensor " + in_quotes(entry.name) + " ";
    const auto dtype = parse_dtype(entry.dtype);
    const unsigned bits = dtype ? static_cast<unsigned>(8 * size_of(*dtype)) : bits_of_unread(entry.dtype);
    if (bits == 0) throw Error(tensor + "has the unknown dtype " + in_quotes(entry.dtype));
    if (entry.begin > entry.end || entry.end > available) {
        throw Error(tensor + "has the data_offsets [" + std::to_string(entry.begin) + ", " +
                    std::to_string(entry.end) + "], which do not lie in the " + std::to_string(available) +
                    " bytes of data");
    }
    const auto expected = byte_size(entry.shape, bits);
    if (!expected) {
        throw Error(tensor + "has the shape " + to_string(entry.shape) +
                    ", which is too large or does not fill bytes");
    }
    if (*expected != entry.end - entry.begin) {
        throw Error(tensor + "needs " + std::to_string(*expected) + " bytes for " + entry.dtype + " " +
                    to_string(entry.shape) + ", but its data_offsets span " +
                    std::to_string(entry.end - entry.begin));
    }
}

}  // namespace

const Tensor* Safetensors::find(std::string_view name) const {
    for (const Tensor& tensor : tensors) {
        if (tensor.name == name) return &tensor;
    }
    for (const UnreadTensor& tensor : unread) {
        if (tensor.name == name) {
            throw Error("tensor " + in_quotes(name) + ": the dtype " + tensor.dtype +
                        " is not read; convert it to F16, BF16, F32 or F64");
        }
    }
    return nullptr;
}

Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& file) {
    const std::string what = file + ": not a valid .safetensors file: ";
    if (bytes.size() < 8) throw Error(what + "it has fewer than 8 bytes");
    std::uint64_t length = 0;
    for (unsigned k = 0; k < 8; ++k) length |= std::to_integer<std::uint64_t>(bytes[k]) << (8 * k);
    if (length > bytes.size() - 8) {
        throw Error(what + "its header should have " + std::to_string(length) + " bytes, but only " +
                    std::to_string(bytes.size() - 8) + " follow");
    }
    if (length > kMaxSafetensorsHeaderBytes) {
        throw Error(what + "its header has " + std::to_string(length) +
                    " bytes, more than the format's 100000000");
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8,
                                static_cast<std::size_t>(length));
    io::SafetensorsHeader header = io::parse_safetensors_header(text, file);
    const auto data = bytes.subspan(8 + static_cast<std::size_t>(length));

    require_distinct_names(header.entries, what);
    for (const HeaderEntry& entry : header.entries) require_size(entry, data.size(), what);
    // In the order of offsets (empty ones first) each tensor must begin where the one before it ends.
    std::stable_sort(header.entries.begin(), header.entries.end(),
                     [](const HeaderEntry& a, const HeaderEntry& b) {
                         return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
                     });
    std::uint64_t covered = 0;
    for (const HeaderEntry& entry : header.entries) {
        if (entry.begin != covered) {
            throw Error(what + "tensor " + in_quotes(entry.name) + " begins at byte " +
                        std::to_string(entry.begin) + " of the data, but the one before it ends at " +
                        std::to_string(covered) + (entry.begin < covered ? " (overlap)" : " (hole)"));
        }
        covered = entry.end;
    }
    if (covered != data.size()) {
        throw Error(what + "its data is not fully covered: " + std::to_string(data.size() - covered) +
                    " bytes follow the last tensor");
    }

    Safetensors contents;
    contents.metadata = std::move(header.metadata);
    for (HeaderEntry& entry : header.entries) {
        const auto dtype = parse_dtype(entry.dtype);
        if (!dtype) {
            contents.unread.push_back(
                {std::move(entry.name), std::move(entry.dtype), std::move(entry.shape)});
            continue;
        }
        const auto part = data.subspan(static_cast<std::size_t>(entry.begin),
                                       static_cast<std::size_t>(entry.end - entry.begin));
        contents.tensors.push_back(
            {std::move(entry.name), *dtype, std::move(entry.shape), {part.begin(), part.end()}});
    }
    return contents;
}

Safetensors read_safetensors(const std::filesystem::path& path) {
    return parse_safetensors(read_file(path), path.string());
}

std::vector<std::byte> format_safetensors(const Safetensors& contents) {
    const auto text = [](const std::string& s) {
        try {
            return nlohmann::json(s).dump();
        } catch (const nlohmann::json::exception&) {
            throw Error("a name or a text that is not UTF-8 cannot be written: " + in_quotes(s));
        }
    };
    std::string header = "{";
    if (!contents.metadata.empty()) {
        header += "\"__metadata__\":{";
        for (const auto& [key, value] : contents.metadata) header += text(key) + ":" + text(value) + ",";
        header.back() = '}';
        header += ",";
    }
    std::set<std::string> names{"__metadata__"};
    std::uint64_t offset = 0;
    for (const Tensor& tensor : contents.tensors) {
        if (!names.insert(tensor.name).second) {
            throw Error("two tensors of a file cannot have the name " + in_quotes(tensor.name));
        }
        const auto size = byte_size(tensor.shape, static_cast<unsigned>(8 * size_of(tensor.dtype)));
        if (size != tensor.data.size()) {
            throw Error("tensor " + in_quotes(tensor.name) + ": its data does not fit its shape " +
                        to_string(tensor.shape));
        }
        header += text(tensor.name) + ":{\"dtype\":\"" + to_string(tensor.dtype) +
                  "\",\"shape\":" + nlohmann::json(tensor.shape).dump() + ",\"data_offsets\":[" +
                  std::to_string(offset) + "," + std::to_string(offset + *size) + "]},";
        offset += *size;
    }
    if (header.size() > 1) header.pop_back();
    header += "}";
    while (header.size() % 8 != 0) header += ' ';
    std::vector<std::byte> bytes;
    bytes.reserve(8 + header.size() + static_cast<std::size_t>(offset));
    for (unsigned k = 0; k < 8; ++k) {
        bytes.push_back(static_cast<std::byte>((std::uint64_t{header.size()} >> (8 * k)) & 0xff));
    }
    for (const char c : header) bytes.push_back(static_cast<std::byte>(c));
    for (const Tensor& tensor : contents.tensors)
        bytes.insert(bytes.end(), tensor.data.begin(), tensor.data.end());
    return bytes;
}

}  // namespace rankcert
