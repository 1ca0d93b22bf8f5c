// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/spelling.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"
#include "gimbal/schedule.hpp"
#include "lending/thread_core.hpp"
#include "preflight.hpp"
#include "run_files.hpp"

namespace gimbal::tool {

namespace {

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
    CoreMask mask;
    return mask.read(0) ? std::max(static_cast<int>(mask.cores()), 1) : 1;
}

/// The text without the blanks that libomp leaves out of a list.
std::string_view without_blanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// @return 0: it is no number of threads, or one above kMaxThreads
int threads_in(std::string_view text) {
    int value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = status == std::errc() && end == text.data() + text.size();
    return is_number && value > 0 && value <= kMaxThreads ? value : 0;
}

/// A number, or a list of them with commas; as libomp has it, some may be missing, but not all.
bool is_number_of_threads(std::string_view text) {
    bool any = false;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string_view one = without_blanks(text.substr(at, comma - at));
        if (!one.empty() && threads_in(one) == 0) return false;
        any = any || !one.empty();
        at = comma + 1;
    }
    return any;
}

/// Whether ranks may be on several nodes: the launcher's words name hosts or ranks of a node, or Slurm has given more.
bool may_span_nodes(const RunRequest& request) {
    const char* const nodes = std::getenv("SLURM_JOB_NUM_NODES");
    if (nodes && std::atoi(nodes) > 1) return true;
    const std::vector<std::string> words = launcher_words(request.mpiexec);
    return std::any_of(words.begin() + 1, words.end(), [](std::string_view word) {
        if (!word.starts_with('-')) return false;
        word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
        word = word.substr(0, word.find('='));
        constexpr std::array kOptions{"f",       "host",    "hosts",    "H", "hostfile", "machinefile",     "rankfile",
                                      "ppn",     "perhost", "npernode", "N", "nodes",    "ntasks-per-node", "w",
                                      "nodelist"};
        return std::find(kOptions.begin(), kOptions.end(), word) != kOptions.end();
    });
}

/// For ranks that lend each other cores: how many threads each has. Nested regions have what the user has set for them.
/// Threads that wait for the next region hold their core for a moment only, since another rank may want it.
/// @errors gimbal::Error(wrong_use): that is not said, and the ranks may not be on this node alone
void add_elastic(const RunRequest& request, Variables& variables) {
    const char* const set = std::getenv("OMP_NUM_THREADS");
    const std::string_view levels = set && request.threads == 0 ? set : "";
    const std::size_t comma = std::min(levels.find(','), levels.size());
    int own = request.threads > 0 ? request.threads : threads_in(without_blanks(levels.substr(0, comma)));
    if (own == 0 && may_span_nodes(request))
        throw Error(ErrorCode::wrong_use,
                    "--elastic: how many threads each rank has must be said where ranks are started on several nodes",
                    "example: gimbal run -n 8 -t 4 --elastic --mpiexec \"mpiexec -ppn 2\" -- ./app");
    if (own == 0) own = std::max(usable_processors() / request.ranks, 1);
    variables.emplace_back("GIMBAL_RANK_THREADS", std::to_string(own));
    variables.emplace_back("OMP_NUM_THREADS", std::to_string(own).append(levels.substr(comma)));
    if (!std::getenv("KMP_BLOCKTIME")) variables.emplace_back("KMP_BLOCKTIME", own > 1 ? "200us" : "0");
    if (!std::getenv("KMP_HOT_TEAMS_MODE")) variables.emplace_back("KMP_HOT_TEAMS_MODE", "1");
}

}  // namespace

bool given(const RunRequest& request, std::string_view flag) {
    return std::any_of(request.overrides.begin(), request.overrides.end(),
                       [&](const Setting& setting) { return setting.name == flag; });
}

void leave_out_wrong_threads(const Environment& environment) {
    const char* const set = std::getenv("OMP_NUM_THREADS");
    if (!set || is_number_of_threads(set)) return;
    if (environment.rank == 0)
        write_stderr("gimbal: warning: OMP_NUM_THREADS=" + std::string(set) +
                     " is left out: it must be a number from 1 to " + std::to_string(kMaxThreads) +
                     ", or a list of them for nested regions\n");
    unsetenv("OMP_NUM_THREADS");
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

std::vector<std::string> command_for(const RunRequest& request, const std::vector<std::string>& launcher,
                                     const Variables& variables) {
    if (request.ranks == 0) return request.command;
    std::vector<std::string> command = launcher;
    command.insert(command.end(), {"-n", std::to_string(request.ranks), "env"});
    for (const auto& [name, value] : variables) command.push_back(std::string(name).append("=").append(value));
    // A program of that name would be one more variable to `env`.
    if (request.command.front().find('=') != std::string::npos)
        command.insert(command.end(), {"sh", "-c", "exec \"$0\" \"$@\""});
    command.insert(command.end(), request.command.begin(), request.command.end());
    return command;
}

}  // namespace gimbal::tool
