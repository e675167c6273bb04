#pragma once
/// \file itl.hpp  A reader of interval test cases in the portable ITL text form ("add [1.0,2.0] [3.0,4.0] =
/// [4.0,6.0];").

#include <string>
#include <variant>
#include <vector>

#include "rankcert/rigor/interval.hpp"

namespace rankcert::tests {

/// An interval that is none (the ill-formed [nai] of the decorated flavour).
struct NotAnInterval {};

/// An operand or a result; decorations (_com, _dac, …) are dropped.
using ItlValue = std::variant<Interval, double, bool, NotAnInterval>;

struct ItlCase {
    std::string file;
    int line = 0;
    std::string text;
    std::string operation;
    std::vector<ItlValue> operands;
    ItlValue result;
};

/// All cases of a file. Throws std::runtime_error with the line on anything that it cannot read; it skips
/// nothing but comments and the names of the testcase blocks.
std::vector<ItlCase> read_itl(const std::string& path);

}  // namespace rankcert::tests
