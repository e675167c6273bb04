#pragma once
/// \file summary.hpp  DIR/brackets.jsonl and DIR/brackets.csv: the brackets of all certificates of a folder.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "output.hpp"

namespace rankcert::cli {

/// Kept in memory, written whole and atomically: a killed run leaves no half line. Lines of certificates that
/// this run does not touch stay.
class Summary {
  public:
    /// Takes over the lines of an existing brackets.jsonl; lines that cannot be understood are dropped.
    explicit Summary(const std::filesystem::path& directory);

    /// Replaces all lines of this certificate.
    void replace(const std::string& certificate, const std::vector<Cell>& cells);
    void write() const;

  private:
    std::filesystem::path directory_;
    struct Line {
        std::string json;
        std::string csv;
    };
    std::map<std::string, std::vector<Line>> lines_;  // by certificate
};

}  // namespace rankcert::cli
