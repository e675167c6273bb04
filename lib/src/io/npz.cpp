#include <zip.h>

#include <array>
#include <memory>
#include <set>

#include "io/text.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace {

struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Member = std::unique_ptr<zip_file_t, Discard>;

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw Error(file + ": not a valid .npz file: " + what);
}

Archive open_archive(std::span<const std::byte> bytes, const std::string& file) {
    zip_error_t error;
    zip_error_init(&error);
    const auto because = [&error] {
        std::string text = zip_error_strerror(&error);
        if (zip_error_code_zip(&error) == ZIP_ER_EXISTS)
            text = "a member of it occurs twice (two have the same name)";
        zip_error_fini(&error);
        return text;
    };
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    if (source == nullptr) fail(file, because());
    // ZIP_CHECKCONS compares every local header with the central directory, and refuses two members of one
    // name.
    zip_t* archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
    if (archive == nullptr) {
        zip_source_free(source);
        fail(file, because());
    }
    zip_error_fini(&error);
    return Archive(archive);
}

/// The bytes of one member: memory grows with what is really there, not with what was declared.
std::vector<std::byte> unpack(zip_t* archive, zip_uint64_t index, const zip_stat_t& stat,
                              const std::string& where) {
    const Member member(zip_fopen_index(archive, index, 0));
    if (!member) throw Error(where + ": cannot be opened: " + zip_strerror(archive));
    std::vector<std::byte> content;
    std::array<std::byte, 1 << 16> piece;
    for (;;) {
        const zip_int64_t got = zip_fread(member.get(), piece.data(), piece.size());
        if (got < 0) throw Error(where + ": is damaged: " + zip_file_strerror(member.get()));
        if (got == 0) break;
        if (static_cast<std::uint64_t>(got) > stat.size - content.size()) {
            throw Error(where + ": holds more than the " + std::to_string(stat.size) +
                        " bytes that it declares");
        }
        content.insert(content.end(), piece.begin(), piece.begin() + got);
    }
    if (content.size() != stat.size) {
        throw Error(where + ": holds " + std::to_string(content.size()) + " bytes where it declares " +
                    std::to_string(stat.size));
    }
    return content;
}

/// Refuses what cannot be true before a byte is unpacked. Deflate codes at most 258 bytes in two bits (one
/// for a length, one for a distance), so 8·258/2 = 1032 bytes come from one at the most.
void check_sizes(const zip_stat_t& stat, const std::string& where) {
    constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_CRC;
    if ((stat.valid & kNeeded) != kNeeded) throw Error(where + ": has no size, method or checksum");
    if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE) {
        throw Error(where + ": is encrypted; save it without a password");
    }
    const bool possible = stat.comp_method == ZIP_CM_STORE     ? stat.size == stat.comp_size
                          : stat.comp_method == ZIP_CM_DEFLATE ? stat.size / 1032 <= stat.comp_size
                                                               : true;
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
        throw Error(where + ": is compressed by method " + std::to_string(stat.comp_method) +
                    "; only stored and deflated members are read");
    }
    if (!possible) {
        throw Error(where + ": declares " + std::to_string(stat.size) +
                    " bytes, which cannot come from the " + std::to_string(stat.comp_size) +
                    " that are stored");
    }
}

}  // namespace

bool is_npz(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06")) &&
           !text.substr(4).substr(0, 5).ends_with('{');
}

std::vector<Tensor> parse_npz(std::span<const std::byte> bytes, const std::string& file,
                              std::uint64_t limit) {
    if (bytes.empty()) fail(file, "it is empty");
    const Archive archive = open_archive(bytes, file);
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    std::vector<Tensor> tensors;
    std::set<std::string> names;
    std::uint64_t total = 0;
    for (zip_int64_t k = 0; k < count; ++k) {
        const auto index = static_cast<zip_uint64_t>(k);
        const char* raw = zip_get_name(archive.get(), index, ZIP_FL_ENC_RAW);
        if (raw == nullptr) fail(file, "member number " + std::to_string(k) + " has no name");
        std::string name = raw;
        const std::string where = file + ": member " + io::in_quotes(name);
        if (!name.ends_with(".npy")) throw Error(where + ": is not a .npy array");
        if (!names.insert(name).second) throw Error(where + ": occurs twice");
        zip_stat_t stat;
        zip_stat_init(&stat);
        if (zip_stat_index(archive.get(), index, 0, &stat) != 0) {
            throw Error(where + ": cannot be read: " + zip_strerror(archive.get()));
        }
        check_sizes(stat, where);
        if (stat.size > limit - total) {
            throw Error(file + ": its members hold more than the " + std::to_string(limit) +
                        " bytes that are read");
        }
        total += stat.size;
        name.resize(name.size() - 4);
        Tensor tensor = parse_npy(unpack(archive.get(), index, stat, where), where);
        tensor.name = std::move(name);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

std::vector<Tensor> read_npz(const std::filesystem::path& path) {
    return parse_npz(read_file(path), path.string());
}

}  // namespace rankcert
