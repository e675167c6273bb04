/// \file main.cpp  The program rankcert: reads the command line, runs one subcommand, ends with its exit
/// code.

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "arguments.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace {

using namespace rankcert::cli;

template <class... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

int run(const Command& command) {
    return std::visit(Overloaded{[](const HelpText& help) {
                                     print(help.text);
                                     return kProved;
                                 },
                                 [](const BracketArguments& a) { return run_bracket(a); },
                                 [](const AuditArguments& a) { return run_audit_command(a); },
                                 [](const CheckArguments& a) { return run_check(a); },
                                 [](const InfoArguments& a) { return run_info(a); },
                                 [](const VersionArguments& a) { return run_version(a); },
                                 [](const CompletionArguments& a) { return run_completion(a); }},
                      command);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const rankcert::FloatingPointGuard guard;
        return run(parse_arguments(argc, argv));
    } catch (const Interrupted& interrupted) {
        std::fprintf(stderr,
                     "rankcert: stopped by signal %d; what was finished is on disk, and the same command "
                     "goes on from there.\n",
                     interrupted.signal);
        return kSignalBase + interrupted.signal;
    } catch (const rankcert::Error& error) {
        std::fprintf(stderr, "rankcert: %s\n", error.what());
        return kBadInput;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "rankcert: there is not enough memory for this input.\n");
        return kInternalFault;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rankcert: internal fault: %s\n", error.what());
        return kInternalFault;
    }
}
