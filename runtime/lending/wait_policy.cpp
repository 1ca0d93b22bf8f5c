// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/wait_policy.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "gimbal/rank_waiting.h"
#include "gimbal/wait_policy.h"

namespace gimbal {

namespace {

std::atomic<std::uint32_t> g_largest_team{1};

// Slurm lists nodes where they differ ("4(x2),3"); which is this one it does not say.
bool same_on_all_nodes(std::string_view rest) {
    return rest.empty() || (rest.front() == '(' && rest.find(',') == std::string_view::npos);
}

bool set_by_user() {
    const std::array<const char*, 3> names = {"KMP_BLOCKTIME", "KMP_LIBRARY", "OMP_WAIT_POLICY"};
    return std::any_of(names.begin(), names.end(), [](const char* name) { return std::getenv(name) != nullptr; });
}

/// Processors that this process may run on [count]; 0: it is bound to a part of them.
int all_processors() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return 0;
    const int allowed = CPU_COUNT(&mask);
    return allowed == static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) ? allowed : 0;
}

}  // namespace

int ranks_of_node() noexcept {
    for (const char* const name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_STEP_TASKS_PER_NODE"}) {
        const char* const value = std::getenv(name);
        if (!value) continue;
        char* end = nullptr;
        const long count = std::strtol(value, &end, 10);
        if (count > 0 && count < 1 << 20 && same_on_all_nodes(end)) return static_cast<int>(count);
    }
    return 0;
}

void note_team(std::uint32_t threads) noexcept {
    std::uint32_t largest = g_largest_team.load(std::memory_order_relaxed);
    while (largest < threads && !g_largest_team.compare_exchange_weak(largest, threads, std::memory_order_relaxed)) {
    }
}

}  // namespace gimbal

extern "C" {

int gimbal_rank_is_crowded(void) {
    // As the launcher made them: who binds threads later does not make the node larger.
    static const int ranks = gimbal::ranks_of_node(), processors = gimbal::all_processors();
    const std::uint64_t threads = gimbal::g_largest_team.load(std::memory_order_relaxed);
    return ranks > 1 && processors > 0 && static_cast<std::uint64_t>(ranks) * threads > std::uint64_t(processors);
}

uint32_t gimbal_spinning_threads(void) {
    const int ranks = gimbal::ranks_of_node();
    if (ranks < 2 || gimbal::set_by_user()) return UINT32_MAX;
    const int processors = gimbal::all_processors();
    return processors > 0 ? static_cast<uint32_t>(std::max(processors / ranks, 1)) : UINT32_MAX;
}
}  // extern "C"
