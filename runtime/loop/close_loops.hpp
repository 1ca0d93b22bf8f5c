// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

namespace gimbal {

/// New loops that a thread opens closely one after the other, as in the first step of a program of many short loops.
/// After some of these the next one is probably as short, and what its first execution would take here is saved: it is
/// left to the caller, and whether it was short is seen when the thread comes to the next new one
/// (docs/decisions/0076). One of these for each thread. @threads the thread
class CloseLoops {
public:
    /// The thread comes to a loop that was never opened.
    /// @param is_short  set later if the thread is at the next one soon; must stay until then or forget()
    /// @param now       ticks()  @param trip  N
    /// @return whether enough before it were short, and it has not many more iterations than those: then it may be left
    [[nodiscard]] bool open(std::atomic<bool>& is_short, std::uint64_t now, std::uint64_t trip) noexcept;

    /// The loop is gone.
    void forget(const std::atomic<bool>& is_short) noexcept {
        if (last_ == &is_short) last_ = nullptr;
    }

private:
    std::uint64_t opened_ = 0;           // when the last one was [ticks]
    std::atomic<bool>* last_ = nullptr;  // its is_short
    std::uint32_t in_a_row_ = 0;         // that were short [count]
    std::uint64_t longest_ = 0;          // N of those, the largest
};

/// Of this thread. Initial-exec: no call.
extern __thread CloseLoops close_loops __attribute__((tls_model("initial-exec")));

}  // namespace gimbal
