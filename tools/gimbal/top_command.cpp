// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "config/load.hpp"
#include "figures.hpp"
#include "gimbal/error.hpp"
#include "help_format.hpp"
#include "info_command.hpp"
#include "report/table.hpp"
#include "view.hpp"

#ifdef GIMBAL_HAVE_NCURSES
#include "screen.hpp"
#endif

extern "C" char** environ;

namespace gimbal::tool {

void add_top(CLI::App& app, TopRequest& request) {
    CLI::App* const command = app.add_subcommand("top", "Loops, threads and ranks of programs that run now");
    command->footer(
        "Examples:\n"
        "  gimbal top                               a live view; h: keys, q: quit\n"
        "  gimbal top --once                        the same once, as text\n"
        "  gimbal top --once --format prometheus    for node_exporter's folder of text files\n"
        "Loops are seen of programs under gimbal run, and of those with GIMBAL_OUTPUT.");
    command->add_option("pid", request.of, "Only the runs that these processes are of")->check(is_process);
    command->add_option("-d,--interval", request.interval_s, "Seconds between two looks")
        ->check(finite(0.1, 3600.0))
        ->capture_default_str();
    command->add_flag("--once", request.once, "Print what is there now, and end");
    command->add_option("--format", request.format, "How --once prints: text, json or prometheus")
        ->check(one_of({"text", "json", "prometheus"}))
        ->capture_default_str();
    command->add_flag_callback(
        "--json",
        [&request] {
            request.once = true;
            request.format = "json";
        },
        "The same as --once --format json");
}

namespace {

/// Say which of the processes that were named do not run under Gimbal. @return exit status
int check_named(const std::vector<int>& named, const std::vector<top::LiveProcess>& processes) {
    int status = 0;
    for (const int pid : named) {
        if (std::any_of(processes.begin(), processes.end(), [&](const auto& process) { return process.pid == pid; }))
            continue;
        write_stderr("gimbal: error: process " + std::to_string(pid) +
                     " is none of this user's that run under Gimbal on this machine\n");
        status = 2;
    }
    return status;
}

int print_once(const TopRequest& request) {
    const std::vector<top::LiveProcess> processes = top::LiveProcesses(request.of).look();
    const int status = check_named(request.of, processes);
    if (request.format == "json") {
        print_text(top::json_of(processes));
    } else if (request.format == "prometheus") {
        print_text(top::prometheus_of(processes));
    } else if (status == 0 || !processes.empty()) {
        top::Rates rates;
        const std::size_t columns = read_environment(environ).columns;
        const std::size_t width = output_width(columns, STDOUT_FILENO);
        print_text(top::text_of(rates.update(processes, 0), width == 0 ? 80 : width));
    }
    return status;
}

}  // namespace

int top(const CLI::App& command, const TopRequest& request) {
    // How wide a letter is, and whether ncurses may show it, the locale says; numbers keep their points.
    std::setlocale(LC_CTYPE, "");
    if (request.once) return print_once(request);
    if (command.count("--format") > 0)
        throw Error(ErrorCode::wrong_use, "top --format: without --once there is a live view",
                    "example: gimbal top --once --format " + request.format);
#ifdef GIMBAL_HAVE_NCURSES
    if (!request.of.empty()) {
        const std::vector<top::LiveProcess> processes = top::LiveProcesses(request.of).look();
        const int status = check_named(request.of, processes);
        if (processes.empty()) return status;
    }
    return top::show(request.interval_s, request.of);
#else
    throw Error(ErrorCode::unsupported, "top: this gimbal was built without ncurses, so it has no live view",
                "gimbal top --once prints what is there now");
#endif
}

}  // namespace gimbal::tool
