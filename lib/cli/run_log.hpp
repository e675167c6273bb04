#pragma once
/// \file run_log.hpp  How each certificate of a folder was searched for, so that a later run knows what to keep.

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

namespace rankcert::cli {

/// How the bracket at one ε was searched for.
struct SearchRecord {
    double effort_seconds = 0;  ///< the budget
    unsigned seed = 1;
    bool top_k = false;
    double seconds = 0;  ///< wall time spent
};

/// One certificate: ε in lowest terms → its record.
using SearchRecords = std::map<std::string, SearchRecord>;

/// The file DIR/run.json: SHA-256 of a certificate file → its records. Nothing in it is believed about ranks; without
/// it finished work is merely done again.
class RunLog {
  public:
    /// Reads the file where there is one; one that cannot be understood counts as empty.
    explicit RunLog(const std::filesystem::path& directory);

    /// Empty where the certificate is not known.
    [[nodiscard]] SearchRecords find(const std::string& certificate_sha256) const;
    /// Adds the records of a certificate that is about to be renamed to `file_name`, and writes the file. May be called from any thread.
    void add(const std::string& certificate_sha256, const std::string& file_name, const SearchRecords& records);

  private:
    struct Entry {
        std::string file_name;
        SearchRecords records;
    };
    std::filesystem::path path_;
    mutable std::mutex mutex_;
    std::map<std::string, Entry> entries_;
};

}  // namespace rankcert::cli
