#pragma once
/// \file info.hpp  rankcert info: what a file holds, as read; nothing is proved here.

#include <string>

namespace rankcert::cli {

struct InfoArguments {
    std::string file;
    bool json = false;
};

[[nodiscard]] int run_info(const InfoArguments& arguments);

}  // namespace rankcert::cli
