// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "gimbal/share.h"

namespace gimbal {

/// Somebody who must be called now and then while this thread is in loops: the rank level, which answers other ranks.
struct Progress {
    void (*callback)(void*) = nullptr;  ///< nullptr: nobody
    void* argument = nullptr;
    std::uint64_t period = 0;  ///< [ticks]
    std::uint64_t last = 0;    ///< when it was called last [ticks]
    bool calling = false;
    std::uint64_t round = 0;  ///< in which it was asked for: drop_ended_progress()
};

/// Of this thread. In the initial thread-local block, so that reading it is one instruction.
extern __thread Progress thread_progress __attribute__((tls_model("initial-exec")));

/// Forget what this thread asked for if that has been ended since, for all threads. @return it has  @pre it has asked
[[nodiscard]] bool drop_ended_progress() noexcept;

/// Whether worker 0 of a team, this thread, must draw by the longer way.
[[nodiscard]] inline bool progress_wanted(const gimbal_share& share) noexcept {
    return thread_progress.callback != nullptr && share.worker == 0 && !drop_ended_progress();
}

/// Whether any thread of the process asks to be called. @threads any
[[nodiscard]] bool progress_asked() noexcept;

/// Call back if it is time. @threads worker 0, between two chunks
void make_progress() noexcept;

}  // namespace gimbal
