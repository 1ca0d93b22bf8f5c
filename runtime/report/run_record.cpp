// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/run_record.hpp"

#include <unistd.h>

#include "base/host_name.hpp"
#include "base/part_file.hpp"
#include "base/process_state.hpp"
#include "config/load.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kLongestCommand = std::size_t{1} << 21;  // the kernel's own limit [bytes]

std::string command_line() {
    try {
        std::string text = read_file("/proc/self/cmdline", kLongestCommand);
        while (!text.empty() && text.back() == '\0') text.pop_back();
        for (char& c : text)
            if (c == '\0') c = ' ';
        return text;
    } catch (const Error&) {
        return "unknown";
    }
}

}  // namespace

std::string_view version() noexcept {
    return GIMBAL_VERSION;
}

RunRecord describe_process() {
    const Environment& environment = process_environment();
    const Options& settings = options();
    RunRecord record;
    record.gimbal_version = version();
    record.program = command_line();
    record.host = host_name();
    record.pid = getpid();
    record.forked = is_forked();
    record.job = environment.job.empty() ? std::to_string(record.pid) : environment.job;
    // Most launchers give a start no name; the next one may have the same job.
    record.launch =
        environment.launch.empty() ? settings.run_dir.substr(settings.run_dir.rfind('/') + 1) : environment.launch;
    record.rank = environment.rank;
    record.ranks = environment.ranks;
    record.seed = settings.seed;
    for (std::size_t i = 0; i < settings.effective.size(); ++i) {
        if (option_table()[i].hidden) continue;
        if (settings.effective[i].origin != "default") record.options.push_back(settings.effective[i]);
        const Setting& ranks = settings.effective_ranks[i];
        if (differs_for_ranks(settings, i) && ranks.origin != "default") record.options.push_back(ranks);
    }
    if (!settings.omp_schedule.empty())
        record.options.push_back({"OMP_SCHEDULE", settings.omp_schedule, "environment"});
    return record;
}

}  // namespace gimbal
