#pragma once
/// \file error.hpp  The one exception type of the library.

#include <stdexcept>
#include <string>

namespace rankcert {

/// Bad input: the file, the tensor, the index, what is wrong and what to do, as one sentence for a person.
/// The program ends with exit code 3 on it. Verdicts are values, never exceptions; any other exception is a
/// fault of ours (exit code 4).
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& sentence) : std::runtime_error(sentence) {}
};

}  // namespace rankcert
