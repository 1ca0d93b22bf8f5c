// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `gimbal pin dry-run`: where threads would begin, by the decision core itself.
#include <algorithm>
#include <cstdio>
#include <map>

#include "config/load.hpp"
#include "decide/choice_tree.hpp"
#include "decide/placer.hpp"
#include "gimbal/options.hpp"
#include "info_command.hpp"
#include "machine/machine.hpp"
#include "machine/pu_list.hpp"
#include "manager/pin_config.hpp"
#include "pin_views.hpp"
#include "process/process.hpp"

extern "C" char** environ;

namespace gimbal::tool {

namespace {

struct Placed {
    int rank;
    int thread;
    std::vector<int> pus;
};

/// The user's settings, as a program would get them.
pin::PinConfig config_of(const PinSettings& asked, std::uint64_t seed) {
    std::string ignored;
    pin::Settings settings = learning_settings(asked);
    settings.mode = pin::Mode::fixed;
    return pin::read_config({.settings = &settings,
                             .force = false,
                             .share = false,
                             .rank = 0,
                             .seed = seed,
                             .nodes = asked.nodes.c_str(),
                             .reserve = asked.reserve.c_str(),
                             .metric = asked.metric.c_str(),
                             .trace = ""},
                            ignored);
}

/// One for each core, or group of them, that a thread can be given.
int threads_of(const PinRequest& request, const pin::Machine& machine, const pin::Settings& settings) {
    if (request.threads > 0) return request.threads;
    std::vector<pin::Level> levels;
    for (const pin::Resource& resource : settings.resources) levels.push_back(resource.level);
    const pin::ChoiceTree tree(machine.view(), levels, settings.group);
    return std::max(1, static_cast<int>(tree.leaves().size()) / request.ranks);
}

std::string logical_text(const pin::Machine& machine, const std::vector<int>& pus) {
    std::vector<int> logical;
    for (const int pu : pus)
        if (const pin::PuInfo* const info = machine.pu(pu)) logical.push_back(info->logical);
    std::sort(logical.begin(), logical.end());
    return pin::pu_list_text(logical);
}

std::string map_text(const pin::Machine& machine, const std::vector<Placed>& placed) {
    std::string text = "machine: " + machine.inventory().source + ", usable processors " +
                       pin::pu_list_text(machine.usable()) + "\n  rank  thread  node  core  processors  hwloc's\n";
    std::map<int, int> load;
    for (const Placed& one : placed) {
        const pin::PuInfo* const first = machine.pu(one.pus.front());
        char line[64];
        std::snprintf(line, sizeof line, "  %4d  %6d  %4d  %4d  ", one.rank, one.thread,
                      machine.node_of(one.pus.front()), first ? first->core : -1);
        std::string pus = pin::pu_list_text(one.pus);
        pus.resize(std::max<std::size_t>(pus.size(), 10), ' ');
        text += line + pus + "  " + logical_text(machine, one.pus) + "\n";
        for (const int pu : one.pus) ++load[pu];
    }
    int most = 0;
    for (const auto& [pu, threads] : load) most = std::max(most, threads);
    if (most > 1) text += "WARN up to " + std::to_string(most) + " threads are given the same processor.\n";
    return text + "Processors are numbered as the operating system does, and as hwloc does.\n";
}

}  // namespace

void check_placement(const Options& options) {
    (void)config_of(options.pin, options.seed);
}

int dry_run_placement(const PinRequest& request) {
    const LoadedOptions loaded = load_options(read_environment(environ));
    validate(loaded);
    const pin::PinConfig config = config_of(loaded.options.pin, loaded.options.seed);
    const pin::Machine machine(config.machine);
    const int threads = threads_of(request, machine, config.settings);
    std::vector<Placed> placed;
    std::map<int, double> load;
    for (int rank = 0; rank < request.ranks; ++rank) {
        pin::Placer placer(config.settings, machine.view(), config.seed);
        placer.set_others(load);
        for (int thread = 0; thread < threads; ++thread) {
            pin::Decision decision = placer.join(static_cast<pin::ThreadId>(thread));
            for (const int pu : decision.pus) load[pu] += 1.0 / static_cast<double>(decision.pus.size());
            placed.push_back({rank, thread, std::move(decision.pus)});
        }
    }
    if (!request.json) return print_text(map_text(machine, placed));
    Json rows = Json::array();
    for (const Placed& one : placed)
        rows.push_back({{"rank", one.rank},
                        {"thread", one.thread},
                        {"node", machine.node_of(one.pus.front())},
                        {"pus", one.pus},
                        {"logical", logical_text(machine, one.pus)}});
    return print_json(
        {{"source", machine.inventory().source}, {"usable", machine.usable()}, {"threads", std::move(rows)}});
}

}  // namespace gimbal::tool
