// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

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
#include "run_variables.hpp"

extern "C" char** environ;

namespace gimbal::tool {

namespace {

constexpr int kRefused = 2;

/// Settings as the program will see them. A wrong flag always stops; a wrong variable, or what a settings file says,
/// unless GIMBAL_STRICT is off, and then the library warns.
Options checked_options(const Environment& environment, const RunRequest& request) {
    const LoadedOptions flags = load_options({}, request.overrides);
    if (flags.problems.size() > flags.in_file) validate(flags);
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
                            const std::vector<std::string>& launcher) {
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

/// @return 0, or the status to exit with, after a message
int check_startable(const std::string& name) {
    const FoundProgram found = find_program(name);
    if (found.exit_status != 0) write_stderr("gimbal: error: " + found.problem + "\n");
    return found.exit_status;
}

void explain_no_record(const RunRequest& request, const ProgramEnd& end, const std::string& refusal) {
    std::string text = "gimbal: warning: " + request.command.front() + " left no record";
    if (!refusal.empty()) return write_stderr(text + ": " + refusal + "\n        Set TMPDIR to a folder with room.\n");
    const int signal = end.killed_by ? end.killed_by : end.status - 128;
    if (signal > 0 && sigabbrev_np(signal)) {  // a launcher that fails leaves 255, which is no signal's
        // Shells and launchers say so of what they started, and a program may leave by exit(130).
        text += end.killed_by ? ": it was ended by signal " : ": its status says that it was ended by signal ";
        text += std::to_string(signal) + " (" + strsignal(signal) + ")";
    } else if (end.asked_to_end && request.ranks == 0) {
        text += ": it ended with status " + std::to_string(end.status) + " after signal " +
                std::to_string(end.asked_to_end) + " (" + strsignal(end.asked_to_end) + ") came to gimbal run";
    } else if (request.ranks > 0 && end.status != 0) {
        text += ": the launcher ended with status " + std::to_string(end.status) + ", perhaps before it started a rank";
    }
    write_stderr(text +
                 ".\n        Possible reasons: it was killed or called _exit or exec, before its first loop of "
                 "Gimbal's or within 0.2 s of that;\n        a process that it has started still runs; it, or what it "
                 "started, is "
                 "linked statically,\n        runs setuid or has file capabilities; or it cleared LD_PRELOAD or its "
                 "environment.\n");
}

/// Ranks lend cores to each other if one `gimbal run` has started them.
void check_elastic(const Environment& environment, const RunRequest& request, const Options& options) {
    if (!options.ranks.elastic || request.ranks > 1) return;
    const std::string name = given_as(options, "GIMBAL_ELASTIC");
    if (environment.ranks > 1)
        throw Error(ErrorCode::wrong_use,
                    name + ": a launcher has started gimbal in each of " + std::to_string(environment.ranks) +
                        " ranks; cores are lent only where gimbal starts the launcher",
                    "write gimbal run -n " + std::to_string(environment.ranks) +
                        " --elastic -- ./app, with --mpiexec srun if that is the launcher");
    throw Error(ErrorCode::wrong_use, name + ": one process has no other rank to lend cores to",
                "example: gimbal run -n 2 -t 1 --elastic -- ./app");
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
    check_elastic(environment, request, options);
    if (options.ranks.elastic && options.pin.mode != "off")
        throw Error(ErrorCode::wrong_use,
                    given_as(options, "GIMBAL_ELASTIC") + " and " + given_as(options, "GIMBAL_PIN") +
                        ": a thread that is placed cannot go to another rank's core",
                    "give one of them");
    check_files(environment, request, options);
}

void report_records(const RunRequest& request, const Options& options, const RunFolder& folder,
                    const ProgramFacts& facts, const ProgramEnd& end, std::uint64_t since_ns) {
    const Environment environment = read_environment(environ);
    std::vector<std::string> problems;
    std::vector<RunRecord> records = folder.records(problems);
    for (const std::string& problem : problems) write_stderr("gimbal: warning: " + problem + "\n");
    const bool collected = !records.empty();
    const auto any = [&](auto of) { return std::any_of(records.begin(), records.end(), of); };
    // Where the launcher gives a start no name, the folder's is in the records.
    std::string launch = folder.path().substr(folder.path().rfind('/') + 1);
    if (!any([&](const RunRecord& one) { return one.launch == launch; })) launch.clear();
    // Ranks on other nodes, whose TMPDIR is their own, or all where the folder has no room.
    if ((!collected || request.ranks > 1) && !options.output.empty())
        for (RunRecord& one : output_records(environment, request, options.output, end.pid, since_ns, launch))
            if (!any([&](const RunRecord& other) { return other.rank == one.rank; })) records.push_back(std::move(one));
    if (records.empty()) {
        if (options.report != ReportLevel::off || !options.output.empty())
            explain_no_record(request, end, folder.refusal());
        return;
    }
    explain_partial(request, end, records);
    const std::string job = records.front().job;
    const bool various = any([&](const RunRecord& one) { return one.job != job; });
    for (RunRecord& record : records) {
        // One that is linked into the program without symbols is seen in its file only.
        if (record.mpi == MpiHere::none && facts.mpi != MpiFamily::unknown) record.mpi = MpiHere::unwatched;
        // Without a batch system every process, or every gimbal of a launcher's, made up its own job name; one run
        // needs one.
        if (various || record.job == std::to_string(record.pid)) record.job = std::to_string(getpid());
        // A rank that has ended early must be missed: the launcher knows better than the others' records.
        record.ranks = std::max(record.ranks, request.ranks);
        for (Setting& setting : record.options)
            if (setting.origin == "environment" && options.origin(setting.name) != "default")
                setting.origin = options.origin(setting.name);  // the program was given all as variables
        record.no_loop_hint = why_no_loop(facts, !options.loops.empty(), record.openmp_use);
    }
    write_stderr(merged_text(records, options.report, output_width(environment.columns, STDERR_FILENO)));
    if (collected && !options.output.empty()) write_outputs(options.output, records);
}

void report(const RunRequest& request, const Options& options, const RunFolder& folder, const ProgramFacts& facts,
            const ProgramEnd& end, std::uint64_t since_ns) {
    report_records(request, options, folder, facts, end, since_ns);
    write_left_traces(options.trace, since_ns);
}

/// LD_PRELOAD of the program. The user's own come last: a tool of theirs that wraps MPI is called by ours, and sees
/// every call. @param libraries  empty ones do not count
std::string whole_preload(const std::vector<std::string>& libraries) {
    std::string text;
    for (const std::string& library : libraries)
        if (!library.empty()) text += (text.empty() ? "" : ":") + library;
    const char* const users = std::getenv("LD_PRELOAD");
    return text + (users && *users ? std::string(":") + users : "");
}

/// What is known before anything is written or started.
struct CheckedRun {
    int exit_status = 0;  ///< not 0: the program or the launcher cannot be started, which was said
    Options options;
    ProgramFacts facts;
    std::string libomp, libpin;
    std::vector<std::string> launcher;  ///< words; empty: no ranks are started
};

/// @errors gimbal::Error: why it must not be started
CheckedRun checked_run(const Environment& environment, const RunRequest& request) {
    CheckedRun run;
    run.options = checked_options(environment, request);
    check_request(environment, request, run.options);
    run.exit_status = check_startable(request.command.front());
    if (run.exit_status != 0) return run;
    run.libomp = needed_libomp();
    run.libpin = placement_library(run.options);
    std::optional<RunFolder> links;
    run.facts = check_program(find_program(request.command.front()).path, run.libomp,
                              whole_preload({preloadable(run.libomp, links), preloadable(run.libpin, links)}));
    if (request.ranks == 0) return run;
    run.launcher = launcher_for(run.facts, request.mpiexec);
    run.exit_status = check_startable(run.launcher.front());
    return run;
}

/// @param folder  for records, and for links to libraries whose paths LD_PRELOAD cannot hold
Variables variables_of(const CheckedRun& run, const Environment& environment, const RunRequest& request,
                       RunFolder& folder) {
    std::vector<std::string> libraries = {run.facts.address_sanitizer, run.libomp};
    libraries.insert(libraries.end(), run.facts.stand_ins.begin(), run.facts.stand_ins.end());
    libraries.push_back(run.libpin);
    libraries.push_back(waiting_library(run.options, request, run.facts, run.launcher));
    for (std::string& library : libraries)
        if (!library.empty()) library = folder.preloadable(library);
    leave_out_wrong_threads(environment);
    return variables_for(environment, request, whole_preload(libraries), folder.path(), run.options);
}

/// Of each rank, as the program will be told [count]; 0: it is not.
int threads_of(const Variables& variables) {
    const auto told = std::find_if(variables.begin(), variables.end(),
                                   [](const auto& variable) { return variable.first == "OMP_NUM_THREADS"; });
    const char* const text = told == variables.end() ? std::getenv("OMP_NUM_THREADS") : told->second.c_str();
    return text ? std::atoi(text) : 0;  // of a list the first
}

}  // namespace

int run(const RunRequest& request) {
    const std::uint64_t since_ns = wall_clock_ns();
    const Environment environment = read_environment(environ);
    CheckedRun checked;
    std::optional<SignalsHeld> held;
    std::optional<LaunchedJob> job;  // makes a folder, which `folder` removes: not for what is refused
    std::optional<RunFolder> folder;
    Variables variables;
    try {
        checked = checked_run(environment, request);
        if (checked.exit_status != 0) return checked.exit_status;
        held.emplace();
        job.emplace(environment, request.ranks > 0);
        folder.emplace(job->folder());
        variables = variables_of(checked, environment, request, *folder);
    } catch (const Error& error) {
        // Of several ranks that a launcher has started one speaks; the launcher may end the others when the first ends.
        if (environment.rank == 0)
            write_stderr(message_text(error, "error"));
        else
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return kRefused;
    }
    const auto report_end = [&](const ProgramEnd& end) {
        report(request, checked.options, *folder, checked.facts, end, since_ns);
    };
    // Of several ranks that a launcher has started the last one speaks; before the end nobody knows who that is.
    const auto overdue = [&](const ProgramEnd& so_far) {
        if (!job->folder().empty() && !job->is_first_overdue()) return;
        write_stderr(overdue_text(request, so_far));
        report_end(so_far);
    };
    const Variables own = request.ranks == 0
                              ? variables
                              : binding_for(checked.facts, checked.launcher, request.ranks, threads_of(variables));
    const ProgramEnd end = launch(command_for(request, checked.launcher, variables), own, overdue);
    if (job->folder().empty() || job->is_last())
        report_end(end);
    else
        folder->keep();
    return end.status;
}

}  // namespace gimbal::tool
