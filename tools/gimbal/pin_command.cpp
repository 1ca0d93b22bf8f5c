// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include <CLI/CLI.hpp>

#include "gimbal/error.hpp"
#include "help_format.hpp"
#include "info_command.hpp"

#ifdef GIMBAL_HAVE_PINNING
#include "pin_views.hpp"
#endif

namespace gimbal::tool {

void add_pin(CLI::App& app, PinRequest& request) {
    CLI::App* const command = app.add_subcommand("pin", "Where threads run: now, or where they would be placed");
    command->require_subcommand(1);
    command->footer(
        "Examples:\n"
        "  gimbal pin show                       the machine, and whom Gimbal has placed where\n"
        "  gimbal pin dry-run -n 2 -t 4          where 2 ranks of 4 threads would begin\n"
        "  HWLOC_SYNTHETIC=\"numa:2 core:8 pu:2\" gimbal pin dry-run     on a machine that is not here\n"
        "  gimbal pin watch                      a live view of all placed processes of this user\n"
        "Settings: GIMBAL_PIN_GROUP, GIMBAL_PIN_NODES, GIMBAL_PIN_RESERVE; see gimbal info config.");
    CLI::App* const show = command->add_subcommand("show", "The machine, and whom Gimbal has placed where");
    show->add_flag("--json", request.json, "As JSON");
    CLI::App* const dry = command->add_subcommand("dry-run", "Where threads would begin; nothing is started");
    dry->add_option("-n,--ranks", request.ranks, "Ranks on this machine")->check(CLI::Range(1, 1 << 16));
    dry->add_option("-t,--threads", request.threads, "Threads per rank; default: one per core or group, over all ranks")
        ->check(CLI::Range(1, 1 << 16));
    dry->add_flag("--json", request.json, "As JSON");
    CLI::App* const watch = command->add_subcommand("watch", "A live view of placed threads");
    watch->add_option("pid", request.pid, "Only this process")->check(is_process);
    watch->add_option("--interval", request.interval_s, "Seconds between two views")->check(finite(0.05, 3600.0));
    watch->add_option("--times", request.times, "How many views; default: until interrupted")
        ->check(CLI::Range(1, 1 << 30));
}

int pin(const CLI::App& command, const PinRequest& request) {
#ifdef GIMBAL_HAVE_PINNING
    const std::string topic = command.get_subcommands().front()->get_name();
    if (topic == "show") return show_placement(request);
    return topic == "watch" ? watch_placement(request) : dry_run_placement(request);
#else
    (void)command;
    (void)request;
    throw Error(ErrorCode::unsupported, "pin: this gimbal was built without hwloc", "install hwloc 2 and build again");
#endif
}

}  // namespace gimbal::tool
