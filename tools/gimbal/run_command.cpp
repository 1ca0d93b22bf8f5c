// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "base/spelling.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "config/selection.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"
#include "gimbal/schedule.hpp"
#include "launch.hpp"
#include "launched_job.hpp"
#include "paths.hpp"
#include "preflight.hpp"
#include "traces.hpp"
#ifdef GIMBAL_HAVE_PINNING
#include "pin_views.hpp"
#endif
#include "report/run_record.hpp"
#include "report/summary.hpp"
#include "report/table.hpp"
#include "run_files.hpp"
#include "run_folder.hpp"

extern "C" char** environ;

namespace gimbal::tool {

namespace {

constexpr int kRefused = 2;

/// Settings as the program will see them. A wrong flag always stops; a wrong variable unless GIMBAL_STRICT is off,
/// and then the library warns.
Options checked_options(const Environment& environment, const RunRequest& request) {
    validate(load_options({}, request.overrides));
    LoadedOptions loaded = load_options(environment, request.overrides);
    if (loaded.options.strict) validate(loaded);
    return std::move(loaded.options);
}

/// The library that places threads goes beside the OpenMP runtime. In ranks that lend cores it sees what the program
/// does with masks and which programs it starts. @return its path; empty: there is none, and nobody is placed
std::string placement_library(const Options& options) {
    if (options.pin.mode == "off") return options.ranks.elastic ? find_libpin() : std::string();
    const std::string libpin = find_libpin();
    if (libpin.empty())
        throw Error(ErrorCode::unsupported, "GIMBAL_PIN: libgimbal_pin.so was not found",
                    "this gimbal was built without hwloc");
#ifdef GIMBAL_HAVE_PINNING
    if (options.strict) check_placement(options);
#endif
    return libpin;
}

/// The library that stands before MPI in every rank, to see where it waits.
/// @return its path; empty: there are no ranks, or nobody wants it, or it is not known which MPI they have
std::string waiting_library(const Options& options, const RunRequest& request, const ProgramFacts& facts,
                            const std::string& launcher) {
    if (request.ranks < 2 || !(options.ranks.waiting || options.ranks.elastic)) return {};
    const MpiFamily family = family_of_ranks(facts, launcher);
    const std::string name = family == MpiFamily::openmpi ? "openmpi" : "mpich";
    const std::string path = family == MpiFamily::unknown ? std::string() : find_waiting(name);
    if (path.empty() && options.ranks.elastic)
        throw Error(ErrorCode::unsupported,
                    family == MpiFamily::unknown ? "GIMBAL_ELASTIC: the MPI of the ranks is unknown"
                                                 : "GIMBAL_ELASTIC: libgimbal_waiting_" + name + ".so was not found",
                    family == MpiFamily::unknown ? "name a launcher of theirs: --mpiexec /path/to/mpiexec"
                                                 : "this gimbal was built without that MPI");
    return path;
}

bool given(const RunRequest& request, std::string_view flag) {
    return std::any_of(request.overrides.begin(), request.overrides.end(),
                       [&](const Setting& setting) { return setting.name == flag; });
}

/// What --schedule and --select say about who chooses, so that the environment does not contradict: among variables
/// neither would be the stronger one.
void add_who_chooses(const Environment& environment, const RunRequest& request, Variables& variables) {
    const bool schedule = given(request, "--schedule"), select = given(request, "--select");
    if (!schedule && !select) return;
    const std::string flag = schedule ? "--schedule" : "--select";
    if (environment.omp_schedule && *environment.omp_schedule != "runtime" && environment.rank == 0)
        write_stderr("gimbal: note: " + flag + " replaces OMP_SCHEDULE=" + *environment.omp_schedule + "\n");
    // Without OMP_SCHEDULE the runtime takes GIMBAL_RUN_DIR for the wish. Setting it would make libgomp, which a gcc
    // program still loads, complain about a value it does not know.
    if (environment.omp_schedule) variables.emplace_back("OMP_SCHEDULE", "runtime");
    if (!select) {
        // load_options() has settled it: the schedule is the stronger one.
        const Options options = load_options(environment, request.overrides).options;
        if (options.origin("GIMBAL_SELECT") != "default") variables.emplace_back("GIMBAL_SELECT", options.select.name);
    }
}

/// Processors that this process may use [count].
int usable_processors() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    return sched_getaffinity(0, sizeof(mask), &mask) == 0 ? std::max(CPU_COUNT(&mask), 1) : 1;
}

/// OpenMP runtimes leave a wrong number of threads out of account with a warning, but for LLVM's, which ends the
/// program with "Out of heap memory".
void leave_out_wrong_threads(const Environment& environment) {
    const char* const set = std::getenv("OMP_NUM_THREADS");
    if (!set) return;
    const std::string_view text = set;
    const std::size_t digit = text.find_first_of("123456789");
    if (digit != std::string_view::npos && text.find_first_not_of("0123456789, \t") == std::string_view::npos) return;
    if (environment.rank == 0)
        write_stderr("gimbal: warning: OMP_NUM_THREADS=" + std::string(text) +
                     " is left out: it must be a positive number, or a list of them for nested regions\n");
    unsetenv("OMP_NUM_THREADS");
}

/// For ranks that lend each other cores: how many threads each has. Threads that wait for the next region hold their
/// core for a moment only, since another rank may want it.
void add_elastic(const RunRequest& request, Variables& variables) {
    const char* const set = std::getenv("OMP_NUM_THREADS");
    int own = request.threads > 0 ? request.threads : set ? std::atoi(set) : usable_processors() / request.ranks;
    own = std::max(own, 1);
    variables.emplace_back("GIMBAL_RANK_THREADS", std::to_string(own));
    variables.emplace_back("OMP_NUM_THREADS", std::to_string(own));
    if (!std::getenv("KMP_BLOCKTIME")) variables.emplace_back("KMP_BLOCKTIME", own > 1 ? "200us" : "0");
    if (!std::getenv("KMP_HOT_TEAMS_MODE")) variables.emplace_back("KMP_HOT_TEAMS_MODE", "1");
}

Variables variables_for(const Environment& environment, const RunRequest& request, const std::string& preload,
                        const std::string& folder, const Options& options) {
    Variables variables = {{"LD_PRELOAD", preload}, {"GIMBAL_RUN_DIR", folder}};
    if (environment.job.empty()) variables.emplace_back("GIMBAL_JOB", std::to_string(getpid()));
    for (const Setting& setting : request.overrides)
        variables.emplace_back(find_option(setting.name)->name, std::string(technique::trimmed(setting.value)));
    for (auto& [name, path] : whole_paths(environment, request, options)) variables.emplace_back(name, path);
    add_who_chooses(environment, request, variables);
    if (request.threads > 0) {
        const std::string threads = std::to_string(request.threads);
        if (const char* const set = std::getenv("OMP_NUM_THREADS"); set && set != threads && environment.rank == 0)
            write_stderr("gimbal: note: -t " + threads + " replaces OMP_NUM_THREADS=" + set + "\n");
        if (!options.ranks.elastic) variables.emplace_back("OMP_NUM_THREADS", threads);
    }
    if (options.ranks.elastic) add_elastic(request, variables);
    return variables;
}

/// Under a launcher the variables stand on an `env` command line: not every launcher passes its own on to all nodes.
std::vector<std::string> command_for(const RunRequest& request, const std::string& launcher,
                                     const Variables& variables) {
    if (request.ranks == 0) return request.command;
    std::vector<std::string> command = words_of(launcher);
    command.insert(command.end(), {"-n", std::to_string(request.ranks), "env"});
    for (const auto& [name, value] : variables) command.push_back(std::string(name).append("=").append(value));
    command.insert(command.end(), request.command.begin(), request.command.end());
    return command;
}

/// @return 0, or the status to exit with, after a message
int check_startable(const std::string& name) {
    const FoundProgram found = find_program(name);
    if (found.exit_status != 0) write_stderr("gimbal: error: " + found.problem + "\n");
    return found.exit_status;
}

void explain_no_record(const RunRequest& request, int status, const std::string& refusal) {
    std::string text = "gimbal: warning: " + request.command.front() + " left no record";
    if (!refusal.empty()) return write_stderr(text + ": " + refusal + "\n        Set TMPDIR to a folder with room.\n");
    if (status > 128 && sigabbrev_np(status - 128))  // a launcher that fails leaves 255, which is no signal's
        text += ": it was ended by signal " + std::to_string(status - 128) + " (" + strsignal(status - 128) + ")";
    write_stderr(text +
                 ".\n        Possible reasons: it was killed or called _exit; it, or what it started, is linked "
                 "statically or runs setuid;\n        or it cleared LD_PRELOAD or its environment.\n");
}

/// What follows from the command line and the settings together, before the program is looked at.
void check_request(const Environment& environment, const RunRequest& request, const Options& options) {
    // Some selectors go by the schedule: `fixed`, and `chunk`, which chooses the chunk of a technique.
    const SelectorInfo* const selector = find_selector(options.select.name);
    const bool goes_by = selector && selector->parameters.find("GIMBAL_SCHEDULE") != std::string_view::npos;
    const bool names = options.schedule.technique || !options.schedule.selector.empty();
    if (given(request, "--schedule") && given(request, "--select") && names && !goes_by &&
        options.select.agent != "chunk")
        throw Error(ErrorCode::wrong_use,
                    "--schedule " + to_string(options.schedule) + " and --select " + options.select.name +
                        " contradict each other: one names the schedule, the other who chooses it",
                    "give one of them; --schedule runtime goes with --select");
    if (given(request, "--replay") && (given(request, "--schedule") || given(request, "--select")))
        throw Error(ErrorCode::wrong_use,
                    "--replay follows recorded choices: --schedule and --select would have no effect",
                    "give one of them");
    if (given(request, "--pin-group") && options.pin.mode == "off")
        throw Error(ErrorCode::wrong_use, "--pin-group needs --pin: without it no thread is placed",
                    "example: gimbal run --pin --pin-group 2 -- ./app");
    if (options.ranks.elastic && request.ranks < 2)
        throw Error(ErrorCode::wrong_use, "--elastic: one process has no other rank to lend cores to",
                    "example: gimbal run -n 2 -t 1 --elastic -- ./app");
    if (options.ranks.elastic && options.pin.mode != "off")
        throw Error(ErrorCode::wrong_use,
                    "--elastic and --pin: a thread that is placed cannot go to another rank's core",
                    "give one of them");
    check_files(environment, request, options);
}

void report_records(const RunRequest& request, const Options& options, const RunFolder& folder,
                    const ProgramFacts& facts, const ProgramEnd& end, std::uint64_t since_ns) {
    std::vector<std::string> problems;
    std::vector<RunRecord> records = folder.records(problems);
    for (const std::string& problem : problems) write_stderr("gimbal: warning: " + problem + "\n");
    const bool collected = !records.empty();
    if (!collected && !options.output.empty())
        records = output_records(read_environment(environ), request, options.output, end.pid, since_ns);
    if (records.empty()) {
        if (options.report != ReportLevel::off || !options.output.empty())
            explain_no_record(request, end.status, folder.refusal());
        return;
    }
    explain_partial(request, end, records);
    for (RunRecord& record : records) {
        // One that is linked into the program without symbols is seen in its file only.
        if (record.mpi == MpiHere::none && facts.mpi != MpiFamily::unknown) record.mpi = MpiHere::unwatched;
        // Without a batch system every process made up its own job name; one run needs one.
        if (record.job == std::to_string(record.pid)) record.job = std::to_string(getpid());
        // A rank that has ended early must be missed: the launcher knows better than the others' records.
        record.ranks = std::max(record.ranks, request.ranks);
        for (Setting& setting : record.options)
            if (setting.origin == "environment" && options.origin(setting.name) != "default")
                setting.origin = options.origin(setting.name);  // the program was given all as variables
        record.no_loop_hint = why_no_loop(facts, !options.loops.empty(), record.openmp_use);
        // Most launchers give a start no name; the next one may have the same job.
        if (record.launch.empty()) record.launch = folder.name();
    }
    write_stderr(merged_text(records, options.report, output_width(read_environment(environ).columns, STDERR_FILENO)));
    if (collected && !options.output.empty()) write_outputs(options.output, records);
}

void report(const RunRequest& request, const Options& options, const RunFolder& folder, const ProgramFacts& facts,
            const ProgramEnd& end, std::uint64_t since_ns) {
    report_records(request, options, folder, facts, end, since_ns);
    write_left_traces(options.trace, since_ns);
}

}  // namespace

int run(const RunRequest& request) {
    const std::uint64_t since_ns = wall_clock_ns();
    const Environment environment = read_environment(environ);
    Options options;
    ProgramFacts facts;
    std::string libpin, launcher;
    const std::string libomp = find_libomp();
    // The user's own come last: a tool of theirs that wraps MPI is called by ours, and sees every call.
    const auto all_preloads = [](const std::vector<std::string>& libraries) {
        std::string text;
        for (const std::string& library : libraries)
            if (!library.empty()) text += (text.empty() ? "" : ":") + library;
        const char* const users = std::getenv("LD_PRELOAD");
        return text + (users && *users ? std::string(":") + users : "");
    };
    std::optional<SignalsHeld> held;
    LaunchedJob job(environment, request.ranks > 0);
    std::optional<RunFolder> folder;
    Variables variables;
    try {
        options = checked_options(environment, request);
        check_request(environment, request, options);
        if (const int status = check_startable(request.command.front())) return status;
        if (libomp.empty())
            throw Error(ErrorCode::unsupported, "the patched OpenMP runtime was not found",
                        "looked for " + libomp_places());
        libpin = placement_library(options);
        std::optional<RunFolder> links;
        facts = check_program(find_program(request.command.front()).path, libomp,
                              all_preloads({preloadable(libomp, links), preloadable(libpin, links)}));
        if (request.ranks > 0) {
            launcher = launcher_for(facts, request.mpiexec);
            if (const int status = check_startable(launcher.substr(0, launcher.find(' ')))) return status;
        }
        held.emplace();
        folder.emplace(job.folder());
        std::vector<std::string> libraries = {facts.address_sanitizer, libomp,
                                              facts.libiomp5 ? libiomp5_beside(libomp) : std::string(), libpin,
                                              waiting_library(options, request, facts, launcher)};
        for (std::string& library : libraries)
            if (!library.empty()) library = folder->preloadable(library);
        const std::string preload = all_preloads(libraries);
        leave_out_wrong_threads(environment);
        variables = variables_for(environment, request, preload, folder->path(), options);
    } catch (const Error& error) {
        // Of several ranks that a launcher has started one speaks; the launcher may end the others when the first ends.
        if (environment.rank == 0)
            write_stderr(message_text(error, "error"));
        else
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return kRefused;
    }
    // Of several ranks that a launcher has started the last one speaks; before the end nobody knows who that is.
    const auto overdue = [&](const ProgramEnd& so_far) {
        write_stderr(overdue_text(request, so_far));
        if (job.folder().empty()) report(request, options, *folder, facts, so_far, since_ns);
    };
    const ProgramEnd end =
        launch(command_for(request, launcher, variables), request.ranks == 0 ? variables : Variables(), overdue);
    if (end.killed_by) remove_libomp_page(end.pid);
    if (job.folder().empty() || job.is_last())
        report(request, options, *folder, facts, end, since_ns);
    else
        folder->keep();
    return end.status;
}

}  // namespace gimbal::tool
