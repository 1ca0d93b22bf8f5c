// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "config/load.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gimbal::tool {

/// Say what a program is linked to, which loops it has by schedule and place, what Gimbal can take of it and how. It is
/// not run.
/// @return 0; 1: `gimbal run` would refuse it, which is said
/// @errors gimbal::Error: (wrong_use) there is no such program; (file) it cannot be read, or is cut off
[[nodiscard]] int check(const std::string& program, bool json_wanted);

/// What `gimbal manual` was asked for.
struct ManualRequest {
    std::string form = "man";  ///< man, bash or zsh
    std::string command;       ///< whose page is wanted; empty: that of gimbal itself
    std::string described;     ///< folder with what the commands in Python say of their options; empty: none
};

/// Add `gimbal manual`, which the build calls and help does not show.
void add_manual(CLI::App& app, ManualRequest& request);

/// Print a manual page, or what completes command lines in bash or zsh: made of the commands' own descriptions and of
/// the option table, so they cannot fall behind.
/// @param app  the whole command line; what is described is added to it
/// @return 0  @errors gimbal::Error(wrong_use): there is no such command
[[nodiscard]] int manual(CLI::App& app, const ManualRequest& request);

/// What `gimbal pin` was asked for.
struct PinRequest {
    int threads = 0;  ///< per rank; 0: as many as there are processors
    int ranks = 1;
    int pid = 0;            ///< 0: all processes
    int times = 0;          ///< how often `watch` prints; 0: until it is ended
    double interval_s = 1;  ///< between two prints of `watch`
    bool json = false;
};

/// Add the command `pin` with its topics. @param request  out: filled when the command line is parsed
void add_pin(CLI::App& app, PinRequest& request);

/// Run the topic that was named: show, dry-run or watch.
/// @return exit status  @errors gimbal::Error
[[nodiscard]] int pin(const CLI::App& command, const PinRequest& request);

/// A command that is a Python program: its folder beside bin/, in share/gimbal, and what it takes from Debian.
struct PythonCommand {
    const char* name;      ///< of the command, and of the folder
    const char* modules;   ///< of Python, separated by blanks: with these it can do everything
    const char* packages;  ///< of Debian, which have them
};

inline constexpr PythonCommand kCampaign{"campaign", "pandas scipy statsmodels matplotlib",
                                         "python3-pandas python3-scipy python3-statsmodels python3-matplotlib"};
inline constexpr PythonCommand kTune{"tune", "sklearn matplotlib", "python3-sklearn python3-matplotlib"};

/// Hand a command over to its Python program, with the first Python of $GIMBAL_PYTHON, python3 and /usr/bin/python3
/// that has all of its modules; else the first that can start it at all, and it says itself what is missing.
/// Replaces this process.
/// @param words  what stood behind the command
/// @return never, except for the status 126 if the Python found cannot be started
/// @errors gimbal::Error(unsupported) if the program or a Python for it is not there   @threads none may run beside it
[[nodiscard]] int run_python(const PythonCommand& command, const std::vector<std::string>& words);

struct ReportRequest {
    std::string trace;               ///< form of traces to write instead: perfetto, json, otf2; empty: none
    std::string output;              ///< where to; empty: beside the first file
    std::vector<std::string> files;  ///< JSON records
    bool full = false;
    bool compare = false;            ///< runs side by side
    bool json = false;               ///< figures of the report, for programs
    std::string html;                ///< file for a page with charts; empty: none
    std::vector<std::string> steps;  ///< files of single steps, for the page; those that records name are found
};

/// Print one report for each run that the records in these files are of, compare the runs, or write a page.
/// @return 0
/// @errors gimbal::Error: (file) naming the file that cannot be read or written; (wrong_use) nothing to compare
[[nodiscard]] int report_files(const ReportRequest& request);

/// Most threads that may be asked for. With many more libomp computes sizes that no integer holds, and crashes.
inline constexpr int kMaxThreads = 1 << 20;

/// What `gimbal run` was asked to do.
struct RunRequest {
    int ranks = 0;                     ///< 0: no MPI launcher
    int threads = 0;                   ///< 0: leave OMP_NUM_THREADS alone
    std::string mpiexec;               ///< as launcher_words() takes it; empty: find one
    std::vector<Setting> overrides;    ///< from the command line
    std::vector<std::string> command;  ///< program and arguments, at least the program
};

/// Check everything that can be known before the start, run the program under the patched runtime, and report.
/// @return the program's exit status, 128 + signal if a signal ended it; 2: refused; 126, 127: cannot be started
/// @errors gimbal::Error(file) if there is no place for records
[[nodiscard]] int run(const RunRequest& request);

struct TopRequest {
    std::vector<int> of;  ///< processes whose runs are shown; none: all
    double interval_s = 2;
    bool once = false;
    std::string format = "text";
};

/// Add `gimbal top` to the command line.
void add_top(CLI::App& app, TopRequest& request);

/// Show loops, threads and ranks of running programs of this user.
/// @return 0  @errors gimbal::Error: (unsupported) there is no terminal; (wrong_use) a format without --once
[[nodiscard]] int top(const CLI::App& command, const TopRequest& request);

/// `gimbal report --trace`: traces in another form, or traces of what killed processes recorded.
/// @return 0
/// @errors gimbal::Error: (wrong_use) an unknown form; (unsupported) this build lacks it; (file)
[[nodiscard]] int convert_traces(const ReportRequest& request);

}  // namespace gimbal::tool
