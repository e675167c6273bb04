#pragma once
/// \file resume.hpp  What an earlier run into the same folder has already proved.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "load.hpp"
#include "output.hpp"
#include "search_record.hpp"

namespace rankcert::cli {

/// What a run asks of each certificate.
struct Request {
    std::vector<Epsilon> epsilons;
    double effort_seconds = 0;
    unsigned seed = 1;
    bool top_k = false;
};

/// The state of a task's certificate file.
struct Earlier {
    enum class State {
        absent,
        damaged,  ///< there, but not a well-formed certificate
        other,    ///< a certificate about something else
        same,     ///< a certificate about this task, perhaps for other tolerances
    };
    State state = State::absent;
    std::optional<Bundle> bundle;  ///< set for `other` and `same`
    SearchRecords records;
};

/// Reads the file and compares, exactly: query, key, scale, mask, multipliers, rounding, or the matrix.
[[nodiscard]] Earlier look_at(const std::filesystem::path& certificate, const Task& task);

/// Whether an ε was searched for at least as hard as is asked for now.
[[nodiscard]] bool suffices(const SearchRecords& records, const Rational& epsilon, const Request& request);

/// The claims of `bundle` that name both sides and are proved again now, by the fast checker or else the
/// exact one, as cells; their order is that of the bundle.
[[nodiscard]] std::vector<Cell> recheck(const Bundle& bundle, const SearchRecords& records);

/// `addition` with the claims of `earlier` at other tolerances and their witnesses. Both have the same
/// centre.
void merge_claims(Bundle& addition, const Bundle& earlier);

}  // namespace rankcert::cli
