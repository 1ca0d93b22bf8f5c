// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/load.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "config/table.hpp"

namespace gimbal {

namespace {

// Of an array every element has a number of its own in each of these.
// Batch systems, and `gimbal run` where there is none.
constexpr std::array<std::string_view, 5> kJobs = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID",
                                                   "GIMBAL_JOB"};

// mpiexec of Open MPI, srun and PALS give each start a name; MPICH's gives none.
constexpr std::array<std::string_view, 3> kLaunches = {"PMIX_NAMESPACE", "SLURM_STEP_ID", "PALS_APID"};

std::optional<int> count(std::string_view text) {
    int value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

// All names that begin so are Gimbal's, too: a misspelt one must not be silently ignored. Other KMP_ names are
// libomp's.
constexpr std::array<std::string_view, 3> kPrefixes = {"GIMBAL_", "KMP_RL_", "LB4MPI_RL_"};

// Where Gimbal lies: modules set them for builds, CMake's find_package() reads the first.
constexpr std::array<std::string_view, 2> kOfBuilds = {"GIMBAL_ROOT", "GIMBAL_DIR"};

bool is_ours(std::string_view name) {
    if (std::find(kOfBuilds.begin(), kOfBuilds.end(), name) != kOfBuilds.end()) return false;
    for (const std::string_view prefix : kPrefixes)
        if (name.starts_with(prefix)) return true;
    for (const OptionSpec& spec : option_table())
        for (const std::string_view alias : spec.aliases)
            if (name == alias) return true;
    return false;
}

}  // namespace

Environment read_environment(const char* const* variables) {
    Environment found;
    std::array<std::optional<int>, kLaunchers.size()> rank, size;
    std::array<std::string, kJobs.size()> job;
    std::array<std::string, kLaunches.size()> launch;
    bool is_step = false;
    for (; variables && *variables; ++variables) {
        const std::string_view line = *variables;
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view name = line.substr(0, equals), value = line.substr(equals + 1);
        if (is_ours(name)) found.settings.push_back({std::string(name), std::string(value), "environment"});
        if (name == "OMP_SCHEDULE") found.omp_schedule = value;
        if (name == "COLUMNS") found.columns = static_cast<std::size_t>(count(value).value_or(0));
        if (name == "HOME") found.home = value;
        if (name == "XDG_CACHE_HOME") found.cache_home = value;
        if (name == "SLURM_STEP_ID") is_step = gimbal_is_step_of_srun(value.data()) != 0;  // up to the line's end
        for (std::size_t i = 0; i < kLaunchers.size(); ++i) {
            const auto& [rank_name, size_name] = kLaunchers[i];
            if (name == rank_name) rank[i] = count(value);
            if (name == size_name) size[i] = count(value);
        }
        for (std::size_t i = 0; i < kJobs.size(); ++i)
            if (name == kJobs[i]) job[i] = value;
        for (std::size_t i = 0; i < kLaunches.size(); ++i)
            if (name == kLaunches[i]) launch[i] = value;
    }
    for (std::size_t i = kLaunchers.size(); i-- > 0;) {
        if (!rank[i] || (kLaunchers[i].first == "SLURM_PROCID" && !is_step)) continue;
        found.rank = *rank[i];
        found.ranks = size[i].value_or(1) > found.rank ? size[i].value_or(1) : found.rank + 1;
    }
    for (std::size_t i = kJobs.size(); i-- > 0;)
        if (!job[i].empty()) found.job = job[i];
    for (std::size_t i = kLaunches.size(); i-- > 0;)
        if (!launch[i].empty()) found.launch = launch[i];
    return found;
}

}  // namespace gimbal
