#include "bracket.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <set>

#include "exit_code.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/search/dense.hpp"
#include "rankcert/search/work.hpp"
#include "resume.hpp"
#include "summary.hpp"
#include "text.hpp"
#include "workers.hpp"

namespace rankcert::cli {

namespace {

namespace fs = std::filesystem;

/// What became of one task.
struct Outcome {
    std::vector<Cell> asked;  ///< the tolerances of this run, in their order
    std::vector<Cell> kept;   ///< others that the certificate holds from earlier runs
    bool reused = false;      ///< nothing was searched
    int code = kProved;
    std::string failure;  ///< one sentence where code is not kProved
};

/// The budget of one ε for a matrix of this size. What a named effort means grows with the square of the
/// size, from 128 on: a step of the search costs that and more.
double seconds_of(const std::string& effort, Index size) {
    const double growth = std::max(1.0, std::pow(static_cast<double>(size) / 128, 2));
    if (effort == "quick") return 1 * growth;
    if (effort == "normal") return 3 * growth;
    if (effort == "thorough") return 12 * growth;
    try {
        const double seconds = estimate_double(parse_rational(effort));
        if (seconds > 0 && seconds < 1e9) return seconds;
    } catch (const Error&) {
    }
    throw Error(
        "The effort \"" + printable(effort) +
        "\" is not known: --effort takes quick, normal, thorough or a number of seconds for each tolerance.");
}

LoadedTasks load(const BracketArguments& arguments, const std::vector<Multiplier>& multipliers) {
    const bool file = !arguments.file.empty();
    const bool pair = !arguments.query.empty() || !arguments.key.empty();
    const bool matrix = !arguments.matrix.empty();
    if (static_cast<int>(file) + static_cast<int>(pair) + static_cast<int>(matrix) != 1) {
        throw Error(
            "Say what to bracket in one way: FILE, or --query Q.npy with --key K.npy, or --matrix A.npy.");
    }
    if ((pair || matrix) && (!arguments.heads.empty() || arguments.all)) {
        throw Error("--head and --all choose among the heads of a FILE: leave them out here.");
    }
    if (matrix) {
        const OperatorOptions& model = arguments.model;
        const bool plain = model.scale.empty() && model.mask.empty() && model.mask_kind.empty() &&
                           model.alignment.empty() && model.rounded_from.empty() && multipliers.size() == 1 &&
                           multipliers.front().text == "1";
        if (!plain) {
            throw Error(
                "--matrix takes the matrix as it stands: leave out the options of a head (--scale, --mask, "
                "--mask-kind, --alignment, --beta-multiplier, --rounded-from).");
        }
        return load_matrix(arguments.matrix);
    }
    if (pair) {
        if (arguments.query.empty() || arguments.key.empty()) {
            throw Error(std::string("--query and --key go together: give ") +
                        (arguments.key.empty() ? "--key" : "--query") + " too.");
        }
        return load_heads(read_pair(arguments.query, arguments.key), {}, arguments.model, multipliers);
    }
    if (!arguments.heads.empty() && arguments.all) throw Error("Give --head or --all, not both.");
    std::vector<std::string> names;
    for (const std::string& list : arguments.heads) {
        for (const std::string& name : split(list, ',')) {
            if (name.empty()) throw Error("--head has an empty name: write it like layer0.head1.");
            names.push_back(name);
        }
    }
    return load_heads(read_input(arguments.file), names, arguments.model, multipliers);
}

/// One file name a task, none twice.
std::vector<std::string> file_names(const std::vector<Task>& tasks) {
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const Task& task : tasks) {
        std::string stem = as_file_name(task.name);
        if (stem.size() > 200) stem.resize(200);
        if (task.beta_multiplier != "1") stem += ".beta-" + as_file_name(task.beta_multiplier);
        std::string name = stem;
        for (int i = 2; !taken.insert(name).second; ++i) name = stem + "-" + std::to_string(i);
        names.push_back(name + ".cert.safetensors");
    }
    return names;
}

void make_directory(const fs::path& directory) {
    std::error_code error;
    fs::create_directories(directory, error);
    if (!fs::is_directory(directory)) {
        throw Error("The folder " + printable(directory.string()) + " cannot be made" +
                    (error ? " (" + error.message() + ")" : std::string(": there is a file of that name")) +
                    ": choose another with -o.");
    }
    if (access(directory.c_str(), W_OK | X_OK) != 0) {
        throw Error("The folder " + printable(directory.string()) +
                    " cannot be written to: change its permissions or choose another with -o.");
    }
}

/// Takes away the temporary files of runs that were killed while they wrote (names: io/file.cpp).
void remove_leftovers(const fs::path& directory) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
        const std::string name = entry.path().filename().string();
        long process = 0;
        int read = 0;
        if (std::sscanf(name.c_str(), ".rankcert-%ld-%n", &process, &read) != 1 || read == 0 ||
            !name.ends_with(".tmp") || process <= 0) {
            continue;
        }
        const bool alive = kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
        if (!alive) fs::remove(entry.path(), error);
    }
}

/// A run of the subcommand: what all its jobs share.
class Run {
  public:
    Run(const BracketArguments& arguments, std::vector<Epsilon> epsilons, std::vector<Task> tasks)
        : arguments_(arguments),
          request_{std::move(epsilons), 0, arguments.seed, arguments.top_k},
          tasks_(std::move(tasks)),
          names_(file_names(tasks_)),
          directory_(arguments.output),
          outcomes_(tasks_.size()) {}

    /// Refuses to lose certificates that are about something else, before any work is done.
    void protect_others() const {
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            const Earlier earlier = look_at(directory_ / names_[i], tasks_[i]);
            if (earlier.state == Earlier::State::other && !arguments_.overwrite) {
                throw Error(printable((directory_ / names_[i]).string()) +
                            " is a certificate about another input or other options (" +
                            printable(earlier.bundle->input.file) +
                            "): choose another folder with -o, or give --overwrite.");
            }
            if (earlier.state == Earlier::State::damaged) {
                std::fprintf(stderr, "rankcert: %s is not a whole certificate and will be made again.\n",
                             printable((directory_ / names_[i]).string()).c_str());
            }
        }
    }

    int execute() {
        ProgressLine progress(tasks_.size(), tasks_.size() == 1 ? "head" : "heads");
        Summary summary(directory_);
        const std::size_t name_width =
            width([](const Task& t) { return display_name(t.name, t.beta_multiplier); });
        std::size_t epsilon_width = 0;
        for (const Epsilon& epsilon : request_.epsilons) {
            epsilon_width = std::max(epsilon_width, width_of(epsilon.text));
        }
        int code = kProved;
        std::size_t reused = 0;
        auto last_written = std::chrono::steady_clock::now();
        const auto done = [&](std::size_t i) {
            const Outcome& outcome = outcomes_[i];
            if (outcome.code >= kSignalBase) throw Interrupted{outcome.code - kSignalBase};
            code = worse(code, outcome.code);
            std::string text;
            for (const Cell& cell : outcome.asked) {
                text += arguments_.json ? json_line(cell)
                                        : to_line(cell, name_width, epsilon_width, arguments_.verbose);
            }
            progress.around([&] {
                if (!outcome.failure.empty()) {
                    std::fprintf(stderr, "rankcert: %s: %s\n",
                                 display_name(tasks_[i].name, tasks_[i].beta_multiplier).c_str(),
                                 outcome.failure.c_str());
                }
                print(text);
            });
            if (outcome.code == kProved) {
                std::vector<Cell> all = outcome.asked;
                all.insert(all.end(), outcome.kept.begin(), outcome.kept.end());
                summary.replace(all.front().certificate, all);
                reused += outcome.reused ? 1 : 0;
            }
            outcomes_[i] = {};
            const auto now = std::chrono::steady_clock::now();
            if (now - last_written > std::chrono::seconds(1)) {
                summary.write();
                last_written = now;
            }
        };
        constexpr Index kLarge = 512;  // whose products are worth splitting
        if (tasks_.size() == 1 && std::max(tasks_.front().rows(), tasks_.front().cols()) > kLarge) {
            search::allow_threads(static_cast<int>(thread_count(arguments_.threads)));
        }
        try {
            run_in_order(
                tasks_.size(), arguments_.threads,
                [&](std::size_t i) {
                    outcomes_[i] = attempt(i, progress);
                    progress.report(i, 1, "");
                },
                done);
        } catch (const Interrupted&) {
            summary.write();
            throw;
        }
        summary.write();
        if (reused > 0 && (arguments_.verbose || !arguments_.json)) {
            std::fprintf(stderr, "rankcert: %zu of %zu certificates stood already and were checked again.\n",
                         reused, tasks_.size());
        }
        return code;
    }

  private:
    template <class Text>
    std::size_t width(Text text) const {
        std::size_t widest = 0;
        for (const Task& task : tasks_) widest = std::max(widest, width_of(text(task)));
        return std::min<std::size_t>(widest, 60);
    }

    Outcome attempt(std::size_t i, ProgressLine& progress) {
        Outcome outcome;
        try {
            outcome = solve(i, progress);
        } catch (const Interrupted& interrupted) {
            outcome.code = kSignalBase + interrupted.signal;
        } catch (const Error& error) {
            outcome.code = kBadInput;
            outcome.failure = error.what();
        } catch (const std::exception& error) {
            outcome.code = kInternalFault;
            outcome.failure = std::string("internal fault: ") + error.what();
        }
        return outcome;
    }

    Outcome solve(std::size_t i, ProgressLine& progress) {
        stop_if_interrupted();
        const search::WorkWatch watch(stop_if_interrupted);
        const Task& task = tasks_[i];
        const fs::path path = directory_ / names_[i];
        Earlier earlier = look_at(path, task);
        std::vector<Cell> known;
        if (earlier.state == Earlier::State::same) {
            progress.report(i, 0, "checking " + path.string());
            known = recheck(*earlier.bundle, earlier.records);
        }
        const auto find = [](std::vector<Cell>& cells, const Rational& epsilon) {
            return std::find_if(cells.begin(), cells.end(),
                                [&](const Cell& c) { return c.epsilon == epsilon; });
        };
        std::vector<Rational> missing;
        for (const Epsilon& epsilon : request_.epsilons) {
            if (find(known, epsilon.value) == known.end() ||
                !suffices(earlier.records, epsilon.value, request_for(task))) {
                missing.push_back(epsilon.value);
            }
        }
        if (!missing.empty()) known = search(i, progress, missing, earlier, known);

        Outcome outcome;
        outcome.reused = missing.empty();
        for (Cell& cell : known) {
            cell.file = task.path;
            cell.head = task.name;
            cell.n = task.rows();
            cell.beta_multiplier = task.beta_multiplier;
            cell.certificate = path.string();
        }
        for (const Epsilon& epsilon : request_.epsilons) {
            const auto cell = find(known, epsilon.value);
            if (cell == known.end()) throw std::logic_error("no bracket came back for ε = " + epsilon.text);
            cell->epsilon_text = epsilon.text;
            outcome.asked.push_back(*cell);
            known.erase(cell);
        }
        outcome.kept = std::move(known);
        return outcome;
    }

    /// Brackets the missing tolerances, writes the certificate with these and all that still stand, and
    /// returns the cells of both.
    std::vector<Cell> search(std::size_t i, ProgressLine& progress, std::vector<Rational> missing,
                             Earlier& earlier, const std::vector<Cell>& known) {
        const Task& task = tasks_[i];
        const fs::path path = directory_ / names_[i];
        BracketResult result = bracket(i, progress, missing);
        std::vector<Cell> kept;
        for (const Cell& cell : known) {
            if (std::find(missing.begin(), missing.end(), cell.epsilon) == missing.end())
                kept.push_back(cell);
        }
        if (!kept.empty() && !(result.bundle.subject.centre == earlier.bundle->subject.centre)) {
            // A finer grid was needed, and a certificate has one Ã: search for all tolerances on it.
            for (const Cell& cell : kept) missing.push_back(cell.epsilon);
            kept.clear();
            result = bracket(i, progress, missing);
        }
        std::erase_if(earlier.records, [&](const auto& entry) {
            return std::none_of(kept.begin(), kept.end(),
                                [&](const Cell& cell) { return to_string(cell.epsilon) == entry.first; });
        });
        SearchRecords records = earlier.records;
        std::vector<Cell> cells;
        for (const Bracket& bracket : result.brackets) {
            Cell cell;
            cell.epsilon = bracket.epsilon;
            cell.epsilon_text = to_string(bracket.epsilon);
            cell.lower = bracket.lower_rank();
            cell.upper = bracket.upper_rank();
            cell.lower_method = bracket.lower_method;
            cell.upper_method = bracket.upper_method;
            cell.rho = result.rho;
            cell.seconds = bracket.seconds;
            if (bracket.top_k) cell.top_k = **bracket.top_k;
            records[cell.epsilon_text] = {request_for(task).effort_seconds, request_.seed, request_.top_k,
                                          bracket.seconds};
            cells.push_back(std::move(cell));
        }
        if (!kept.empty()) {
            std::erase_if(earlier.bundle->claims, [&](const Claim& claim) {
                return std::none_of(kept.begin(), kept.end(),
                                    [&](const Cell& cell) { return cell.epsilon == claim.epsilon; });
            });
            merge_claims(result.bundle, *earlier.bundle);
        }
        cells.insert(cells.end(), kept.begin(), kept.end());
        result.bundle.input = task.input;
        result.bundle.format = task.format;
        set_search_records(result.bundle, records);
        write_bundle(result.bundle, path);
        return cells;
    }

    /// What is asked of this task: the effort depends on its size.
    [[nodiscard]] Request request_for(const Task& task) const {
        Request request = request_;
        request.effort_seconds = seconds_of(arguments_.effort, std::max(task.rows(), task.cols()));
        return request;
    }

    BracketResult bracket(std::size_t i, ProgressLine& progress,
                          const std::vector<Rational>& epsilons) const {
        const Task& task = tasks_[i];
        BracketOptions options;
        options.seconds = request_for(task).effort_seconds;
        options.seed = request_.seed;
        options.top_k = request_.top_k;
        if (!arguments_.level.empty()) {
            options.final_level = arguments_.level == "fast" ? Level::fast : Level::exact;
        }
        const std::string name = display_name(task.name, task.beta_multiplier);
        const Progress report = [&](double fraction, std::string_view stage) {
            stop_if_interrupted();
            // The last hundredth is the writing of the certificate.
            progress.report(i, 0.99 * fraction, name + " " + std::string(stage));
        };
        return task.head ? bracket_head(*task.head, epsilons, options, report)
                         : bracket_matrix(task.matrix, epsilons, options, report);
    }

    const BracketArguments& arguments_;
    const Request request_;  ///< without the effort
    const std::vector<Task> tasks_;
    const std::vector<std::string> names_;
    const fs::path directory_;
    std::vector<Outcome> outcomes_;
};

}  // namespace

int run_bracket(const BracketArguments& arguments) {
    std::vector<Epsilon> epsilons = parse_epsilons(arguments.epsilon);
    const std::vector<Multiplier> multipliers = parse_multipliers(arguments.beta_multiplier);
    (void)seconds_of(arguments.effort, 1);
    LoadedTasks loaded = load(arguments, multipliers);
    make_directory(arguments.output);
    remove_leftovers(arguments.output);
    Run run(arguments, std::move(epsilons), std::move(loaded.tasks));
    run.protect_others();
    std::string notes;
    for (const std::string& note : loaded.notes) notes += "# " + note + "\n";
    if (!arguments.json) {
        print(notes);
    } else if (arguments.verbose) {
        std::fputs(notes.c_str(), stderr);
    }
    catch_signals();
    return run.execute();
}

}  // namespace rankcert::cli
