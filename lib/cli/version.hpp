#pragma once
/// \file version.hpp  rankcert version: what this program is built from.

namespace rankcert::cli {

struct VersionArguments {
    bool verbose = false;
};

[[nodiscard]] int run_version(const VersionArguments& arguments);

}  // namespace rankcert::cli
