// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "gimbal/known_loops.h"
#include "loop/length_learning.hpp"

namespace gimbal {

/// Counts loops that are left now and then. Those that no longer come, as of a program's set-up, do not count for long:
/// a loop counts in the epoch in which it was left and in the next one, and an epoch is longer than any loop was left
/// for.
/// @threads any; where two meet a loop may be counted twice or not at all until the next epoch
/// @source test: tests/unit/loop/left_loop_test.cpp
class LoopsLeft {
public:
    /// A loop is left. @param counted  the loop's own, 0 at first
    /// @param now, time  and for how long [ticks]  @param epoch_time  an epoch has at least [ticks]
    void note(std::uint32_t& counted, std::uint64_t now, std::uint64_t time, std::uint64_t epoch_time) noexcept;
    /// It is gone. @param counted  its own
    void forget(std::uint32_t counted) noexcept;
    /// All are.
    void forget_all() noexcept;
    [[nodiscard]] std::uint32_t count() const noexcept;

private:
    void begin_epoch(std::uint64_t now) noexcept;

    std::atomic<std::uint32_t> epoch_ = 1;
    std::atomic<std::uint32_t> now_ = 0, before_ = 0;              // loops in this epoch, and in the one before
    std::atomic<std::uint64_t> longest_ = 0, longest_before_ = 0;  // that one of them was left for
    std::atomic<std::uint64_t> begun_ = 0;
    std::atomic<bool> ending_ = false;
};

/// Executions of one loop site that are left to the caller: for some trip counts, under one schedule, for some time.
/// @threads leave(), leave_once(), apart(): the owner locks; all others any, without a lock: each figure counts by
/// itself
class LeftLoop {
public:
    LeftLoop() = default;
    ~LeftLoop();
    LeftLoop(const LeftLoop&) = delete;
    LeftLoop& operator=(const LeftLoop&) = delete;

    /// Leave executions of this request's length and schedule to the caller from now on, this one among them.
    /// @param time  from now [ticks]  @param opened  executions that were not left so far [count]
    void leave(const Request& request, double time, std::uint64_t opened = 0) noexcept;

    /// Leave this execution alone, whatever comes then.
    void leave_once(const Request& request) noexcept;
    /// Whether that was done.
    [[nodiscard]] bool was_left_once() const noexcept { return left_once_.load(std::memory_order_relaxed); }

    /// Whether this execution is left, for one that the table did not show. Counts it.
    [[nodiscard]] bool holds(const Request& request) noexcept;

    /// How long the executions since the last leave() are apart, from the beginning of one to that of the next,
    /// whatever lies between [ticks]; 0: there was none. @param opened  as in leave()  @pre one begins now
    [[nodiscard]] double apart(std::uint64_t opened) const noexcept;

    /// Executions that were left [count].
    [[nodiscard]] std::uint64_t calls() const noexcept;
    /// The same [iterations].
    [[nodiscard]] std::uint64_t iterations() const noexcept;

private:
    struct alignas(64) Apart {
        gimbal_left_counts counts = {};
    };
    using Counts = std::array<Apart, 64>;  // 4 kB

    void tell_team(const Request& request) noexcept;
    void count(const Request& request) noexcept;
    void count_site(std::uint64_t now, std::uint64_t time) noexcept;
    [[nodiscard]] bool is_over(std::uint64_t now) const noexcept;
    [[nodiscard]] gimbal_left_counts& counts_of(const gimbal_loop_desc* desc) noexcept;
    template <class Figure>
    [[nodiscard]] std::uint64_t sum(Figure figure) const noexcept;
    void look_for_period(const gimbal_loop_desc* desc) noexcept;

    std::atomic<std::uint64_t> lengths_ = 0;  // bit k: trip counts of k bits
    std::atomic<std::uint64_t> until_ = 0;    // gimbal_known_now()
    std::atomic<int> schedule_ = 0;
    std::atomic<std::uint64_t> left_at_ = 0;  // known_now() at the last leave(); 0: there was none
    std::uint32_t counted_ = 0;               // as LoopsLeft has it
    std::uint64_t calls_then_ = 0;            // executions so far, left or not
    // Where one region runs it again and again: when it was opened last, loops since the time before, how often so
    // many.
    std::atomic<std::uint64_t> last_moment_ = 0;
    std::atomic<std::uint64_t> gap_ = 0;
    std::atomic<std::uint32_t> same_gaps_ = 0;
    std::atomic<bool> left_once_ = false;
    std::atomic<const void*> first_ = nullptr;  // the team that counts in counts_
    std::atomic<Counts*> more_ = nullptr;       // where others count, once there are others
    alignas(64) gimbal_left_counts counts_ = {};
};

/// Loop sites of this process that are left, and looked at again [count]. @threads any
[[nodiscard]] std::uint32_t count_left_loops() noexcept;

/// No loop is left any more, nor known to any team. @threads the only one of a new child
void forget_left_loops() noexcept;

}  // namespace gimbal
