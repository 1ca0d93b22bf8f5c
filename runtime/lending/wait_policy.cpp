// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/wait_policy.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include "base/warnings.hpp"
#include "gimbal/launchers.h"
#include "gimbal/rank_cores.h"
#include "gimbal/rank_waiting.h"
#include "gimbal/wait_policy.h"
#include "lending/thread_core.hpp"

namespace gimbal {

namespace {

std::atomic<std::uint32_t> g_largest_team{0};  // that has run a loop [threads]
std::atomic<bool> g_unbound{false};

bool set_by_user() {
    const std::array<const char*, 3> names = {"KMP_BLOCKTIME", "KMP_LIBRARY", "OMP_WAIT_POLICY"};
    return std::any_of(names.begin(), names.end(), [](const char* name) { return std::getenv(name) != nullptr; });
}

/// Processors that this process may run on.
struct Processors {
    int count = 0;     ///< 0: not known
    bool all = false;  ///< of the node; else it is bound to a part of them
};

/// A control group may grant the node's ranks fewer processors than the machine has. Who asks for all gets these.
/// @param mask  the calling thread's, which it has again afterwards
bool is_all_granted(const CoreMask& mask) {
    CoreMask all = mask, granted;
    for (std::size_t core = 0; core < CoreMask::kMax; ++core) all = all.with(static_cast<int>(core));
    if (all.apply(0) && granted.read(0) && granted == mask) return true;
    (void)mask.apply(0);
    return false;
}

Processors allowed_processors() {
    CoreMask mask;
    if (!mask.read(0)) return {};
    const auto allowed = static_cast<int>(mask.cores());
    return {.count = allowed,
            .all = allowed == static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) || is_all_granted(mask)};
}

/// Ranks of the node and its processors as they were when libomp began, which asks how many threads may spin. After
/// that it may bind the thread that asks: the node is no smaller for it.
int first_ranks() noexcept {
    static const int ranks = gimbal_ranks_of_node(0);
    return ranks;
}
Processors first_allowed() noexcept {
    static const Processors processors = [] {
        const Processors allowed = allowed_processors();
        g_unbound.store(allowed.all, std::memory_order_relaxed);
        return allowed;
    }();
    return processors;
}
// [count]; 0: it is bound to a part of them
int first_processors() noexcept {
    return first_allowed().all ? first_allowed().count : 0;
}

bool crowded(std::uint64_t threads) noexcept {
    const auto ranks = static_cast<std::uint64_t>(first_ranks());
    const auto processors = static_cast<std::uint64_t>(first_processors());
    return ranks > 1 && processors > 0 && ranks * std::max<std::uint64_t>(threads, 1) > processors;
}

// Cores of others come and go where ranks lend them.
bool lends_cores() noexcept {
    return gimbal_rank_cores_on() != 0;
}

void tell_crowd(std::uint32_t threads) {
    const Processors allowed = first_allowed();
    const std::string count = std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    const std::string advice =
        ". Those that wait give theirs to others, which takes time: as many threads as processors are mostly faster";
    if (crowded(threads))
        note("threads and processors", std::to_string(first_ranks()) + " ranks x " + count + " share this node's " +
                                           std::to_string(allowed.count) + " processors" + advice +
                                           " (gimbal run -n, -t).");
    else if (!allowed.all && allowed.count > 0 && threads > static_cast<std::uint32_t>(allowed.count) && !lends_cores())
        note("threads and processors",
             count + " share the " +
                 (allowed.count == 1 ? "one processor" : std::to_string(allowed.count) + " processors") +
                 " to which the process was bound when it began" + advice +
                 " (Open MPI: --bind-to none, or more processors for a rank).");
}

}  // namespace

bool is_unbound() noexcept {
    return g_unbound.load(std::memory_order_relaxed);
}

void note_team(std::uint32_t threads) {
    std::uint32_t largest = g_largest_team.load(std::memory_order_relaxed);
    while (largest < threads)
        if (g_largest_team.compare_exchange_weak(largest, threads, std::memory_order_relaxed))
            return tell_crowd(threads);
}

}  // namespace gimbal

extern "C" {

int gimbal_rank_is_crowded(void) {
    return gimbal::crowded(gimbal::g_largest_team.load(std::memory_order_relaxed));
}

uint32_t gimbal_spinning_threads(void) {
    const int ranks = gimbal::first_ranks(), processors = gimbal::first_processors();
    if (ranks < 2 || gimbal::set_by_user()) return UINT32_MAX;
    return processors > 0 ? static_cast<uint32_t>(std::max(processors / ranks, 1)) : UINT32_MAX;
}
}  // extern "C"
