#pragma once
/// \file proved.hpp  Values that only a checker can make.

#include <optional>
#include <string>
#include <utility>

#include "rankcert/rigor/decision.hpp"

namespace rankcert {

namespace detail {
/// The key to Proved<T>: only the checkers' translation units can make one.
class CheckerKey {
    friend class CheckerAccess;
    CheckerKey() = default;
};
}  // namespace detail

/// A statement that a checker has proved. There is no other way to make one, so a number that was not proved
/// cannot be printed as one that was.
template <class Statement>
class Proved {
  public:
    Proved(Statement statement, detail::CheckerKey) : statement_(std::move(statement)) {}
    [[nodiscard]] const Statement& operator*() const noexcept { return statement_; }
    [[nodiscard]] const Statement* operator->() const noexcept { return &statement_; }

  private:
    Statement statement_;
};

/// What a checker says of a statement: the decision, the statement where it is proved, and one sentence why.
template <class Statement>
struct Verdict {
    Decision decision = Decision::undecided;
    std::optional<Proved<Statement>> proof;  ///< set exactly where decision is proved
    std::string reason;
};

}  // namespace rankcert
