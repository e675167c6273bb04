#pragma once
/// \file program.hpp  Running the program as a user does, without a shell.

#include <sys/types.h>

#include <string>
#include <vector>

namespace program {

struct Result {
    int code = -1;    ///< the exit status; −signal where a signal ended it
    std::string out;  ///< standard output
    std::string err;  ///< standard error
};

struct Options {
    bool close_stdin = false;
    std::string stdout_path;         ///< standard output goes to this file instead of Result::out
    unsigned long memory_bytes = 0;  ///< a limit of the address space; 0: none
    std::string directory;           ///< to run in; empty: here
};

/// Runs `rankcert arguments…` to its end.
[[nodiscard]] Result run(const std::vector<std::string>& arguments, const Options& options = {});

/// A run in the background, its output thrown away.
class Background {
  public:
    explicit Background(const std::vector<std::string>& arguments);
    ~Background();
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    [[nodiscard]] bool running();
    void send(int signal);
    /// Waits; the exit status, or −signal.
    int wait();

  private:
    pid_t process_;
    bool ended_ = false;
    int status_ = 0;
};

}  // namespace program
