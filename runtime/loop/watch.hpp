// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "gimbal/loop_watch.h"
#include "gimbal/share.h"

/// What <gimbal/loop_watch.h> says of one thread. The chunks of an execution under way are read from the thread's
/// share, where drawing them is noted anyway.
/// @threads enter, leave, stop: the watched thread; read: any
/// @source ours; test: tests/unit/loop/watch_test.cpp
struct gimbal_loop_watch {
public:
    /// The share has just begun.
    void enter(const gimbal_share& share) noexcept;
    /// The share is about to end.
    void leave(const gimbal_share& share) noexcept;
    /// The thread is not watched any more: whatever loop it may be in, its share is not looked at.
    void stop() noexcept;
    void read(gimbal_loop_work& work) noexcept;

private:
    /// In ticks.
    struct Work {
        double done = 0;
        double within = 0;
    };
    /// An execution that the thread is in.
    struct Level {
        const gimbal_share* share = nullptr;
        std::uint64_t begun = 0;  ///< [ticks]
        std::uint64_t told = 0;   ///< chunks when `seen` was taken [count]
        Work seen;                ///< what counts of it so far
    };

    [[nodiscard]] Work work_of(const gimbal_share& share, std::uint64_t begun) const noexcept;

    /// Loops within loops that are looked at while they are under way; those further in count when they end.
    static constexpr std::size_t kDeep = 4;

    std::mutex mutex_;  // a reader of a share keeps its thread from leaving it
    std::array<Level, kDeep> levels_;
    std::size_t depth_ = 0;
    Work ended_;
};

namespace gimbal {

/// Of this thread; nullptr: nobody watches it. Initial-exec: reading it is one instruction.
extern __thread gimbal_loop_watch* thread_watch __attribute__((tls_model("initial-exec")));

}  // namespace gimbal
