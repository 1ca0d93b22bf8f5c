// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "yield.hpp"

#include <dlfcn.h>
#include <sched.h>

#include <atomic>

#include "program_mpi.hpp"
#include "wrapped_call.hpp"

namespace gimbal::waiting {

constinit __attribute__((tls_model("initial-exec"))) thread_local bool t_waits = false;

#ifdef OPEN_MPI

void let_mpi_yield(const void* caller) noexcept {
    if (g_mode.yields.exchange(true)) return;
    using Set = void (*)(bool yields);
    if (const auto set = reinterpret_cast<Set>(any_function("opal_progress_set_yield_when_idle", caller))) set(true);
}

#else

void let_mpi_yield(const void*) noexcept {
    g_mode.yields.store(true, std::memory_order_relaxed);
}

#endif

}  // namespace gimbal::waiting

#ifndef OPEN_MPI

// UCX's function, which MPICH calls again and again while it waits. MPICH has a setting for this that its UCX part does
// not follow.
// @return 0: nothing has happened
extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
    using Progress = unsigned (*)(void* worker);
    static constinit std::atomic<Progress> next{nullptr};
    // Relaxed: a function does not change, and two threads find the same.
    Progress progress = next.load(std::memory_order_relaxed);
    if (!progress) {
        void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
        // MPI was loaded for one object alone: only what MPI itself needs is searched.
        if (!found) found = gimbal::waiting::in_object_of(__builtin_return_address(0), "ucp_worker_progress");
        progress = reinterpret_cast<Progress>(found);
        next.store(progress, std::memory_order_relaxed);
    }
    const unsigned happened = progress(worker);
    if (happened == 0 && gimbal::waiting::t_waits && gimbal::waiting::g_mode.yields.load(std::memory_order_relaxed))
        sched_yield();
    return happened;
}

#endif
