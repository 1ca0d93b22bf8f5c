// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

#include "gimbal/share.h"

namespace gimbal::mpi {

/// Steps that a rank had for itself when it left a loop before its end: claimed ahead, or its own part of a static
/// plan. A rank that finds nothing else to draw takes them. In shared memory, one for each rank and execution.
class AbandonedSteps {
public:
    /// @threads the rank that leaves, once
    void put(const gimbal_share& share) noexcept {
        if (share.step >= share.step_end) return;
        next_.store(share.step, std::memory_order_relaxed);
        stride_.store(share.step_inc, std::memory_order_relaxed);
        end_.store(share.step_end, std::memory_order_release);  // partner: take()
    }

    /// @param step  out  @return false: there are none  @threads any
    [[nodiscard]] bool take(std::uint64_t& step) noexcept {
        const std::uint64_t end = end_.load(std::memory_order_acquire);
        if (next_.load(std::memory_order_relaxed) >= end) return false;
        step = next_.fetch_add(stride_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        return step < end;
    }

    [[nodiscard]] bool any() const noexcept {
        return next_.load(std::memory_order_relaxed) < end_.load(std::memory_order_acquire);
    }

    /// @threads the root, when all have left
    void clear() noexcept {
        end_.store(0, std::memory_order_relaxed);
        next_.store(0, std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::uint64_t> stride_{1};
    std::atomic<std::uint64_t> end_{0};
};
static_assert(sizeof(AbandonedSteps) == 24, "raise kLayout in team/team.cpp, then put down the new size");

}  // namespace gimbal::mpi
