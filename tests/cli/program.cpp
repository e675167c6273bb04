#include "program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace program {

namespace {

std::vector<char*> pointers(std::vector<std::string>& arguments) {
    std::vector<char*> out;
    for (std::string& argument : arguments) out.push_back(argument.data());
    out.push_back(nullptr);
    return out;
}

int decode(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status); }

[[noreturn]] void become(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), RANKCERT_PROGRAM);
    std::vector<char*> argv = pointers(arguments);
    execv(RANKCERT_PROGRAM, argv.data());
    _exit(127);
}

}  // namespace

Result run(const std::vector<std::string>& arguments, const Options& options) {
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0)
        throw std::runtime_error("pipe");
    const pid_t process = fork();
    if (process < 0) throw std::runtime_error("fork");
    if (process == 0) {
        if (options.stdout_path.empty()) {
            dup2(out[1], STDOUT_FILENO);
        } else {
            dup2(open(options.stdout_path.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
        }
        dup2(err[1], STDERR_FILENO);
        if (options.close_stdin) close(STDIN_FILENO);
        if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(126);
        if (options.memory_bytes != 0) {
            const rlimit limit{options.memory_bytes, options.memory_bytes};
            setrlimit(RLIMIT_AS, &limit);
        }
        become(arguments);
    }
    close(out[1]);
    close(err[1]);
    Result result;
    std::array<pollfd, 2> waiting{pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}};
    const std::array<std::string*, 2> texts{&result.out, &result.err};
    int open_ends = 2;
    std::vector<char> buffer(65536);
    while (open_ends > 0) {
        if (poll(waiting.data(), waiting.size(), -1) < 0) continue;
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
            const ssize_t got = read(waiting[i].fd, buffer.data(), buffer.size());
            if (got > 0) {
                texts[i]->append(buffer.data(), static_cast<std::size_t>(got));
            } else if (got == 0) {
                close(waiting[i].fd);
                waiting[i].fd = -1;
                --open_ends;
            }
        }
    }
    int status = 0;
    waitpid(process, &status, 0);
    result.code = decode(status);
    return result;
}

Background::Background(const std::vector<std::string>& arguments) : process_(fork()) {
    if (process_ < 0) throw std::runtime_error("fork");
    if (process_ == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        become(arguments);
    }
}

Background::~Background() {
    if (!ended_) {
        kill(process_, SIGKILL);
        wait();
    }
}

bool Background::running() {
    if (!ended_ && waitpid(process_, &status_, WNOHANG) == process_) ended_ = true;
    return !ended_;
}

void Background::send(int signal) {
    if (!ended_) kill(process_, signal);
}

int Background::wait() {
    if (!ended_) waitpid(process_, &status_, 0);
    ended_ = true;
    return decode(status_);
}

}  // namespace program
