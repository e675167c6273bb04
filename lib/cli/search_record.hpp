#pragma once
/// \file search_record.hpp  How a certificate was searched for, so that a later run knows what to keep.

#include <map>
#include <string>

#include "rankcert/certificate/bundle.hpp"

namespace rankcert::cli {

/// How the bracket at one ε was searched for.
struct SearchRecord {
    double effort_seconds = 0;  ///< the budget
    unsigned seed = 1;
    bool top_k = false;
    double seconds = 0;  ///< wall time spent
};

/// ε in lowest terms → its record.
using SearchRecords = std::map<std::string, SearchRecord>;

/// The records kept in Bundle::information, which no checker reads: nothing in them is believed about ranks,
/// and without them finished work is merely done again. What cannot be understood counts as absent.
[[nodiscard]] SearchRecords search_records(const Bundle& bundle);
void set_search_records(Bundle& bundle, const SearchRecords& records);

}  // namespace rankcert::cli
