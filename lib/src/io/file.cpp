#include "rankcert/io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>

#include "rankcert/rigor/error.hpp"

namespace rankcert {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

/// A file descriptor that is closed whatever happens.
class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] int number() const { return number_; }
    /// Closes now: close is where some file systems report a write that failed.
    [[nodiscard]] int close() {
        const int result = ::close(number_);
        number_ = -1;
        return result;
    }

  private:
    int number_;
};

/// A name that is removed unless it was released.
class Temporary {
  public:
    explicit Temporary(std::filesystem::path path) : path_(std::move(path)) {}
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
        if (!released_) ::unlink(path_.c_str());
    }
    void release() { released_ = true; }

  private:
    std::filesystem::path path_;
    bool released_ = false;
};

/// A short name that no other process or thread is using, whatever the length of the file's own name.
std::string temporary_name() {
    static std::atomic<unsigned> counter = 0;
    std::random_device random;
    char name[64];
    std::snprintf(name, sizeof name, ".rankcert-%ld-%u-%08x.tmp", static_cast<long>(::getpid()), counter++,
                  static_cast<unsigned>(random()));
    return name;
}

void write_all(int descriptor, std::span<const std::byte> bytes, const std::string& file) {
    constexpr std::size_t kPiece = std::size_t{1} << 30;  // one write call moves less than 2 GiB
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), kPiece));
        if (written < 0) {
            if (errno == EINTR) continue;
            throw Error(file + ": cannot write: " + reason(errno));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path, std::uint64_t limit) {
    const std::string file = path.string();
    // Without O_NONBLOCK the open of a named pipe would wait for a writer.
    Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (descriptor.number() < 0) throw Error(file + ": cannot open: " + reason(errno));
    struct stat status {};
    if (::fstat(descriptor.number(), &status) != 0) throw Error(file + ": cannot read: " + reason(errno));
    if (S_ISDIR(status.st_mode)) throw Error(file + ": is a folder, not a file");
    if (!S_ISREG(status.st_mode))
        throw Error(file + ": is not a regular file; copy its contents to a file first");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > limit) {
        throw Error(file + ": has " + std::to_string(size) + " bytes, more than the " +
                    std::to_string(limit) + " that are read");
    }
    std::vector<std::byte> bytes(size);
    std::size_t have = 0;
    while (have < bytes.size()) {
        constexpr std::size_t kPiece = std::size_t{1} << 30;
        const ssize_t got =
            ::read(descriptor.number(), bytes.data() + have, std::min(bytes.size() - have, kPiece));
        if (got < 0) {
            if (errno == EINTR) continue;
            throw Error(file + ": cannot read: " + reason(errno));
        }
        if (got == 0) throw Error(file + ": became shorter while it was read; try again");
        have += static_cast<std::size_t>(got);
    }
    return bytes;
}

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    const std::string file = path.string();
    if (!path.has_filename()) throw Error(file + ": is not the name of a file");
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const std::filesystem::path temporary = folder / temporary_name();
    Descriptor descriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (descriptor.number() < 0) {
        throw Error(file + ": cannot create a file in " + folder.string() + ": " + reason(errno));
    }
    Temporary guard(temporary);
    write_all(descriptor.number(), bytes, file);
    if (::fsync(descriptor.number()) != 0) throw Error(file + ": cannot write: " + reason(errno));
    if (descriptor.close() != 0) throw Error(file + ": cannot write: " + reason(errno));
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
        throw Error(file + ": cannot take its place: " + reason(errno));
    }
    guard.release();
    // The new name is on disk only when the folder is. Some file systems cannot flush a folder; the file
    // itself is whole there all the same, so that is no error.
    const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.number() >= 0) static_cast<void>(::fsync(directory.number()));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
    write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace rankcert
