#pragma once
/// \file folder.hpp  A folder of a test's own.

#include <unistd.h>

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>

#include "rankcert/io/file.hpp"

namespace support {

/// A fresh, empty folder that goes away with its owner, and all that is in it.
class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "rankcert-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp makes no folder " + name);
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    /// Writes a file and returns its path.
    std::filesystem::path put(const std::string& name, std::span<const std::byte> bytes) const {
        rankcert::write_file_atomically(path_ / name, bytes);
        return path_ / name;
    }
    [[nodiscard]] std::size_t entries() const {
        const std::filesystem::directory_iterator first(path_);
        return static_cast<std::size_t>(std::distance(begin(first), end(first)));
    }

  private:
    std::filesystem::path path_;
};

}  // namespace support
